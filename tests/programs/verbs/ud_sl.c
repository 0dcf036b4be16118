// SPDX-License-Identifier: GPL-2.0
/*
 * The service level in the completion of a datagram. On Ethernet its three low bits say
 * which network header the datagram had, which UCX relies on; on InfiniBand it is the
 * sender's. The answer goes by the address that ibv_init_ah_from_wc() makes of it.
 *
 * ud_sl DEVICE				each kind of GID of port 1, to the device itself
 * ud_sl DEVICE GID-INDEX GID SL NUMBER	so many datagrams with this service level
 */
#include "innocent.h"
#include "verdict.h"

#define QKEY	0x11111111
#define BYTES	100
#define ROOM	(BYTES + 40)
#define SL	5

#define NEED(x) do { if (!(x)) { perror(#x); exit(1); } } while (0)

struct end {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t area[ROOM];
};

static struct ibv_context *ctx;
static struct ibv_port_attr port;
static struct ibv_pd *pd;
static struct end a, b;

static void open_end(struct end *e)
{
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_UD, .cap = { 16, 4, 1, 1, 0 } };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY };

	NEED(e->cq = ibv_create_cq(ctx, 64, NULL, NULL, 0));
	init.send_cq = e->cq;
	init.recv_cq = e->cq;
	NEED(e->qp = ibv_create_qp(pd, &init));
	NEED(e->mr = ibv_reg_mr(pd, e->area, ROOM, IBV_ACCESS_LOCAL_WRITE));
	NEED(!ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    IBV_QP_QKEY));
	attr.qp_state = IBV_QPS_RTR;
	NEED(!ibv_modify_qp(e->qp, &attr, IBV_QP_STATE));
	attr.qp_state = IBV_QPS_RTS;
	NEED(!ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN));
}

static bool completes(struct end *e, struct ibv_wc *wc)
{
	time_t end = time(NULL) + PAIR_SECONDS;

	while (!ibv_poll_cq(e->cq, 1, wc))
		if (time(NULL) > end)
			return false;
	return wc->status == IBV_WC_SUCCESS;
}

static void receive(struct end *e)
{
	struct ibv_sge sge = { (uintptr_t)e->area, ROOM, e->mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	memset(e->area, 0, ROOM);
	NEED(!ibv_post_recv(e->qp, &wr, &bad));
}

static bool sends(struct end *e, struct ibv_ah *ah, uint32_t qpn, uint8_t what)
{
	struct ibv_sge sge = { (uintptr_t)e->area + 40, BYTES, e->mr->lkey };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge,
		.num_sge = 1, .wr.ud = { ah, qpn, QKEY },
	}, *bad;
	struct ibv_wc wc;

	memset(e->area + 40, what, BYTES);
	NEED(!ibv_post_send(e->qp, &wr, &bad));
	return completes(e, &wc);
}

static bool holds(const struct end *e, uint8_t what)
{
	for (int i = 0; i < BYTES; i++)
		if (e->area[40 + i] != what)
			return false;
	return true;
}

/* Does @b hear from @a, and @a from @b by what the completion says of @a? */
static void there_and_back(const char *kind, struct ibv_ah_attr *to, int sl)
{
	struct ibv_ah_attr back = {};
	struct ibv_ah *ah;
	struct ibv_wc wc;

	printf("     | %s, GID %d\n", kind, to->grh.sgid_index);
	NEED(ah = ibv_create_ah(pd, to));
	receive(&b);
	EXPECT("it is sent", sends(&a, ah, b.qp->qp_num, 0x5a), 1);
	EXPECT("it comes", completes(&b, &wc), 1);
	EXPECT("with its data", holds(&b, 0x5a), 1);
	EXPECT("and a GRH or none", !!(wc.wc_flags & IBV_WC_GRH), to->is_global);
	EXPECT("its service level", wc.sl, sl);
	ibv_destroy_ah(ah);

	NEED(!ibv_init_ah_from_wc(ctx, 1, &wc, (struct ibv_grh *)b.area, &back));
	EXPECT("which is in the address", back.sl, sl);
	if (to->is_global)
		EXPECT("beside the GID", back.grh.sgid_index, to->grh.sgid_index);
	NEED(ah = ibv_create_ah(pd, &back));
	receive(&a);
	EXPECT("an answer is sent", sends(&b, ah, wc.src_qp, 0xa5), 1);
	EXPECT("and comes", completes(&a, &wc), 1);
	EXPECT("with its data", holds(&a, 0xa5), 1);
	EXPECT("of the same service level", wc.sl, sl);
	ibv_destroy_ah(ah);
}

enum kind { NONE, V1, V2_IPV6, V2_IPV4, KINDS };

static enum kind kind_of(const struct ibv_gid_entry *e)
{
	static const uint8_t v4[12] = { [10] = 0xff, [11] = 0xff };

	if (e->gid_type == IBV_GID_TYPE_ROCE_V1)
		return V1;
	return memcmp(e->gid.raw, v4, 12) ? V2_IPV6 : V2_IPV4;
}

static void ethernet(void)
{
	static const char *const names[] = { "", "version 1", "IPv6", "IPv4" };
	static const int levels[] = { [V1] = 0, [V2_IPV6] = 1, [V2_IPV4] = 2 };
	struct ibv_gid_entry entries[64];
	bool seen[KINDS] = {};
	int n = ibv_query_gid_table(ctx, entries, 64, 0);

	for (int i = 0; i < n; i++) {
		enum kind kind = kind_of(&entries[i]);
		struct ibv_ah_attr to = {
			.is_global = 1, .port_num = 1, .sl = SL,
			.grh = { .dgid = entries[i].gid, .hop_limit = 64,
				 .sgid_index = entries[i].gid_index },
		};

		if (seen[kind])
			continue;
		seen[kind] = true;
		there_and_back(names[kind], &to, levels[kind]);
	}
	EXPECT("all kinds", seen[V1] && seen[V2_IPV6] && seen[V2_IPV4], 1);
}

static void infiniband(void)
{
	struct ibv_ah_attr to = { .port_num = 1, .sl = SL, .dlid = port.lid };

	there_and_back("by LID", &to, SL);
	to.is_global = 1;
	to.grh.hop_limit = 64;
	NEED(!ibv_query_gid(ctx, 1, 0, &to.grh.dgid));
	there_and_back("by GID", &to, SL);
}

static void send_some(char **words)
{
	struct ibv_ah_attr to = {
		.is_global = 1, .port_num = 1, .sl = atoi(words[2]),
		.grh = { .hop_limit = 64, .sgid_index = atoi(words[0]) },
	};
	struct ibv_ah *ah;

	NEED(inet_pton(AF_INET6, words[1], &to.grh.dgid) == 1);
	NEED(ah = ibv_create_ah(pd, &to));
	for (int i = atoi(words[3]); i > 0; i--)
		NEED(sends(&a, ah, 0x123, i));
}

int main(int argc, char **argv)
{
	if (argc != 2 && argc != 6) {
		fprintf(stderr, "usage: ud_sl DEVICE [GID-INDEX GID SL NUMBER]\n");
		return 2;
	}
	NEED(ctx = open_named(argv[1]));
	NEED(!ibv_query_port(ctx, 1, &port));
	NEED(pd = ibv_alloc_pd(ctx));
	open_end(&a);
	open_end(&b);
	if (argc == 6)
		send_some(argv + 2);
	else if (port.link_layer == IBV_LINK_LAYER_ETHERNET)
		ethernet();
	else
		infiniband();
	return verdict();
}
