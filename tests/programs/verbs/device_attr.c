// SPDX-License-Identifier: GPL-2.0
/*
 * What ibv_query_device_ex() says of a device of libofed, each field against what the device does:
 * limits are reached and not passed, what is not said is not done.
 *
 * usage: device_attr DEVICE GID-INDEX
 */
#include <pthread.h>

#include "two_qps.h"
#include "verdict.h"

static struct ibv_device_attr_ex all;
static struct ibv_device_attr *attr = &all.orig_attr;

/* ---- limits ------------------------------------------------------------------------- */

static int a_cq(int cqe)
{
	struct ibv_cq *one = ibv_create_cq(ctx, cqe, NULL, NULL, 0);

	if (!one)
		return errno;
	NEED(!ibv_destroy_cq(one));
	return 0;
}

static int a_qp(struct ibv_qp_cap cap)
{
	struct ibv_qp_init_attr init = { .send_cq = cq, .recv_cq = cq, .cap = cap,
					 .qp_type = IBV_QPT_RC };
	struct ibv_qp *one = ibv_create_qp(pd, &init);

	if (!one)
		return errno;
	NEED(!ibv_destroy_qp(one));
	return 0;
}

static int an_srq(uint32_t wr, uint32_t sge)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = wr, .max_sge = sge } };
	struct ibv_srq *one = ibv_create_srq(pd, &init);

	if (!one)
		return errno;
	NEED(!ibv_destroy_srq(one));
	return 0;
}

static void queues(void)
{
	const uint32_t wr = attr->max_qp_wr, sge = attr->max_sge;

	EXPECT("max_cqe", a_cq(attr->max_cqe), 0);
	EXPECT("and no more", a_cq(attr->max_cqe + 1), EINVAL);
	EXPECT("max_qp_wr to send", a_qp((struct ibv_qp_cap){ wr, 1, 1, 1 }), 0);
	EXPECT("and no more", a_qp((struct ibv_qp_cap){ wr + 1, 1, 1, 1 }), EINVAL);
	EXPECT("max_qp_wr to receive", a_qp((struct ibv_qp_cap){ 1, wr, 1, 1 }), 0);
	EXPECT("and no more", a_qp((struct ibv_qp_cap){ 1, wr + 1, 1, 1 }), EINVAL);
	EXPECT("max_sge to send", a_qp((struct ibv_qp_cap){ 1, 1, sge, 1 }), 0);
	EXPECT("and no more", a_qp((struct ibv_qp_cap){ 1, 1, sge + 1, 1 }), EINVAL);
	EXPECT("max_sge to receive", a_qp((struct ibv_qp_cap){ 1, 1, 1, sge }), 0);
	EXPECT("and no more", a_qp((struct ibv_qp_cap){ 1, 1, 1, sge + 1 }), EINVAL);
	EXPECT("max_srq_wr", an_srq(attr->max_srq_wr, 1), 0);
	EXPECT("and no more", an_srq(attr->max_srq_wr + 1, 1), EINVAL);
	EXPECT("max_srq_sge", an_srq(1, attr->max_srq_sge), 0);
	EXPECT("and no more", an_srq(1, attr->max_srq_sge + 1), EINVAL);
}

/* The queue pairs can be brought to RTS with so many outstanding READs at either end. */
static int outstanding(int gid_index, int asks, int answers)
{
	struct ibv_qp_attr to = { .qp_state = IBV_QPS_RTS };
	struct ibv_qp_init_attr init;
	int ret;

	ready(gid_index);
	NEED(!ibv_query_qp(qp[0], &to, IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			   IBV_QP_RQ_PSN | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT, &init));
	to.qp_state = IBV_QPS_RESET;
	NEED(!ibv_modify_qp(qp[0], &to, IBV_QP_STATE));
	to.qp_state = IBV_QPS_INIT;
	to.pkey_index = 0;
	to.port_num = 1;
	to.qp_access_flags = 0;
	NEED(!ibv_modify_qp(qp[0], &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    IBV_QP_ACCESS_FLAGS));
	to.qp_state = IBV_QPS_RTR;
	to.max_dest_rd_atomic = answers;
	to.min_rnr_timer = 1;
	ret = ibv_modify_qp(qp[0], &to, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			    IBV_QP_MIN_RNR_TIMER);
	if (ret)
		return ret;
	to.qp_state = IBV_QPS_RTS;
	to.max_rd_atomic = asks;
	to.retry_cnt = to.rnr_retry = 7;
	return ibv_modify_qp(qp[0], &to, IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
			     IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
}

static int a_region(size_t length)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, NULL, length, IBV_ACCESS_ON_DEMAND);

	if (!mr)
		return errno;
	NEED(!ibv_dereg_mr(mr));
	return 0;
}

static void numbers(int gid_index)
{
	EXPECT("max_qp_rd_atom", outstanding(gid_index, 1, attr->max_qp_rd_atom), 0);
	EXPECT("and no more", outstanding(gid_index, 1, attr->max_qp_rd_atom + 1), EINVAL);
	EXPECT("max_qp_init_rd_atom", outstanding(gid_index, attr->max_qp_init_rd_atom, 1), 0);
	EXPECT("and no more", outstanding(gid_index, attr->max_qp_init_rd_atom + 1, 1), EINVAL);
	EXPECT("max_res_rd_atom", attr->max_res_rd_atom, attr->max_qp_rd_atom * attr->max_qp);
	EXPECT("phys_port_cnt", attr->phys_port_cnt, 1);
	EXPECT("phys_port_cnt_ex", all.phys_port_cnt_ex, 1);
	EXPECT("max_mr_size: a region of all memory",
	       all.odp_caps.general_caps & IBV_ODP_SUPPORT_IMPLICIT ? a_region(SIZE_MAX) : 0, 0);
	EXPECT("device_cap_flags_ex has the same", all.device_cap_flags_ex & UINT32_MAX,
	       attr->device_cap_flags);
}

/* ---- atomics ------------------------------------------------------------------------ */

#define TIMES	2000

static uint64_t word, old;

/* What the processor adds is not lost. */
static void *adds(void *arg)
{
	(void)arg;
	for (int i = 0; i < 1000 * TIMES; i++)
		__atomic_fetch_add(&word, 5, __ATOMIC_RELAXED);
	return NULL;
}

static void atomics(int gid_index)
{
	struct ibv_mr *mr, *old_mr;
	pthread_t other;

	ready(gid_index);
	NEED(mr = ibv_reg_mr(pd, &word, 8, RIGHTS));
	NEED(old_mr = ibv_reg_mr(pd, &old, 8, RIGHTS));
	NEED(!pthread_create(&other, NULL, adds, NULL));
	for (int i = 0; i < TIMES; i++)
		NEED(!request(IBV_WR_ATOMIC_FETCH_AND_ADD, (uintptr_t)&old, old_mr->lkey, 8,
			      (uintptr_t)&word, mr->rkey));
	pthread_join(other, NULL);
	EXPECT("atomic_cap", attr->atomic_cap, IBV_ATOMIC_GLOB);
	EXPECT("the processor's and the device's", word, 5 * 1001L * TIMES);
	EXPECT("pci_atomic_caps: of no PCI", all.pci_atomic_caps.fetch_add |
	       all.pci_atomic_caps.swap | all.pci_atomic_caps.compare_swap, 0);
	NEED(!ibv_dereg_mr(mr) && !ibv_dereg_mr(old_mr));
}

/* ---- what there is not -------------------------------------------------------------- */

static int a_wq(void)
{
	struct ibv_wq_init_attr init = { .wq_type = IBV_WQT_RQ, .max_wr = 1, .max_sge = 1,
					 .pd = pd, .cq = cq };

	return ibv_create_wq(ctx, &init) ? 0 : errno;
}

static int a_raw_qp(void)
{
	struct ibv_qp_init_attr init = { .send_cq = cq, .recv_cq = cq, .cap = { 1, 1, 1, 1 },
					 .qp_type = IBV_QPT_RAW_PACKET };

	return ibv_create_qp(pd, &init) ? 0 : errno;
}

static int a_flow(void)
{
	struct ibv_flow_attr flow = { .type = IBV_FLOW_ATTR_NORMAL, .size = sizeof(flow),
				      .port = 1 };

	errno = 0;
	return ibv_create_flow(qp[0], &flow) ? 0 : errno;
}

static int counters(void)
{
	struct ibv_counters_init_attr init = {};

	return ibv_create_counters(ctx, &init) ? 0 : errno;
}

static void not_there(void)
{
	EXPECT("rss_caps: none", all.rss_caps.supported_qpts | all.rss_caps.max_rwq_indirection_tables,
	       0);
	EXPECT("max_wq_type_rq: none", all.max_wq_type_rq, 0);
	EXPECT("and no work queue", a_wq(), EOPNOTSUPP);
	EXPECT("tso_caps: none", all.tso_caps.max_tso, 0);
	EXPECT("raw_packet_caps: none", all.raw_packet_caps, 0);
	EXPECT("max_raw_ethy_qp: none", attr->max_raw_ethy_qp, 0);
	EXPECT("and no such queue pair", a_raw_qp() != 0, 1);
	EXPECT("packet_pacing_caps: none", all.packet_pacing_caps.supported_qpts, 0);
	EXPECT("no managed flow steering",
	       !!(attr->device_cap_flags & IBV_DEVICE_MANAGED_FLOW_STEERING), 0);
	EXPECT("and no flow", a_flow() != 0, 1);
	EXPECT("nor counters of flows", counters(), EOPNOTSUPP);
	EXPECT("max_fmr, max_ee, max_rdd: none", attr->max_fmr | attr->max_ee | attr->max_rdd, 0);
}

static void order(void)
{
	int said = 0;

	for (int op = IBV_WR_RDMA_WRITE; op <= IBV_WR_ATOMIC_FETCH_AND_ADD; op++)
		said |= ibv_query_qp_data_in_order(qp[0], op, 0);
	/* A processor writes the bytes of a copy in any order. */
	EXPECT("data has no order", said, 0);
}

static void of_libofed(void)
{
	struct ibv_modify_cq_attr moderate = {
		.attr_mask = IBV_CQ_ATTR_MODERATE,
		.moderate = { all.cq_mod_caps.max_cq_count, all.cq_mod_caps.max_cq_period },
	};
	struct ibv_values_ex now = { .comp_mask = IBV_VALUES_MASK_RAW_CLOCK };

	EXPECT("cq_mod_caps: some", moderate.moderate.cq_count && moderate.moderate.cq_period, 1);
	EXPECT("cq_mod_caps", ibv_modify_cq(cq, &moderate), 0);
	EXPECT("hca_core_clock", all.hca_core_clock, 1000000);
	EXPECT("completion_timestamp_mask", all.completion_timestamp_mask == UINT64_MAX, 1);
	EXPECT("and there is a clock", ibv_query_rt_values_ex(ctx, &now), 0);
	EXPECT("tm_caps: tags", all.tm_caps.max_num_tags > 0, 1);
	EXPECT("of RC alone", all.tm_caps.flags, IBV_TM_CAP_RC);
	EXPECT("xrc_odp_caps: none said", all.xrc_odp_caps, 0);
}

int main(int argc, char **argv)
{
	int gid_index;

	if (argc != 3)
		return 2;
	gid_index = atoi(argv[2]);
	NEED(ctx = open_named(argv[1]));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(!ibv_query_device_ex(ctx, NULL, &all));
	ready(gid_index);
	queues();
	numbers(gid_index);
	atomics(gid_index);
	not_there();
	order();
	of_libofed();
	return verdict();
}
