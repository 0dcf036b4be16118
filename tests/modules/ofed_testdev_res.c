// SPDX-License-Identifier: GPL-2.0
/* What the device adds to answers over netlink about its objects. */
#include <linux/module.h>
#include <net/netlink.h>
#include <rdma/restrack.h>

#include "ofed_testdev.h"

/* One entry of every kind that a driver can put. */
static int td_put_all(struct sk_buff *msg, const char *kind)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);

	if (!table)
		return -EMSGSIZE;
	if (rdma_nl_put_driver_string(msg, "kind", kind) ||
	    rdma_nl_put_driver_u32(msg, "ten", 10) ||
	    rdma_nl_put_driver_u32_hex(msg, "ten_hex", 10) ||
	    rdma_nl_put_driver_u64(msg, "big", 1ULL << 40) ||
	    rdma_nl_put_driver_u64_hex(msg, "big_hex", 1ULL << 40)) {
		nla_nest_cancel(msg, table);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, table);
	return 0;
}

static int td_put_raw(struct sk_buff *msg, u8 first)
{
	const u8 raw[] = { first, 1, 2, 3, 4, 5, 6, 7 };

	return nla_put(msg, RDMA_NLDEV_ATTR_RES_RAW, sizeof(raw), raw);
}

static int td_fill_mr(struct sk_buff *msg, struct ib_mr *mr)
{
	int ret = td_fault(mr->device, fill_res);

	return ret ? ret : td_put_all(msg, "mr");
}

static int td_fill_mr_raw(struct sk_buff *msg, struct ib_mr *mr)
{
	int ret = td_fault(mr->device, fill_res);

	return ret ? ret : td_put_raw(msg, 'm');
}

static int td_fill_cq(struct sk_buff *msg, struct ib_cq *cq)
{
	int ret = td_fault(cq->device, fill_res);

	return ret ? ret : td_put_all(msg, "cq");
}

static int td_fill_cq_raw(struct sk_buff *msg, struct ib_cq *cq)
{
	int ret = td_fault(cq->device, fill_res);

	return ret ? ret : td_put_raw(msg, 'c');
}

static int td_fill_qp(struct sk_buff *msg, struct ib_qp *qp)
{
	int ret = td_fault(qp->device, fill_res);

	return ret ? ret : td_put_all(msg, "qp");
}

static int td_fill_qp_raw(struct sk_buff *msg, struct ib_qp *qp)
{
	int ret = td_fault(qp->device, fill_res);

	return ret ? ret : td_put_raw(msg, 'q');
}

static int __maybe_unused td_fill_srq(struct sk_buff *msg, struct ib_srq *srq)
{
	int ret = td_fault(srq->device, fill_res);

	return ret ? ret : td_put_all(msg, "srq");
}

static int __maybe_unused td_fill_srq_raw(struct sk_buff *msg,
					  struct ib_srq *srq)
{
	int ret = td_fault(srq->device, fill_res);

	return ret ? ret : td_put_raw(msg, 's');
}

static int td_fill_cm_id(struct sk_buff *msg, struct rdma_cm_id *id)
{
	return td_put_all(msg, "cm_id");
}

static int td_fill_mr_stat(struct sk_buff *msg, struct ib_mr *mr)
{
	struct nlattr *table;

	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTERS);
	if (!table)
		return -EMSGSIZE;
	if (rdma_nl_stat_hwcounter_entry(msg, "page_faults", 3) ||
	    rdma_nl_stat_hwcounter_entry(msg, "page_prefetch", 4)) {
		nla_nest_cancel(msg, table);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, table);
	return 0;
}

const struct ib_device_ops td_res_ops = {
	.fill_res_mr_entry = td_fill_mr,
	.fill_res_mr_entry_raw = td_fill_mr_raw,
	.fill_res_cq_entry = td_fill_cq,
	.fill_res_cq_entry_raw = td_fill_cq_raw,
	.fill_res_qp_entry = td_fill_qp,
	.fill_res_qp_entry_raw = td_fill_qp_raw,
	.fill_res_cm_id_entry = td_fill_cm_id,
	.fill_stat_mr_entry = td_fill_mr_stat,
	compat_fill_srq_ops(td_fill_srq, td_fill_srq_raw)
};
