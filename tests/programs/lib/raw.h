/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uverbs by hand: a client that owns one object of each kind, made by write()
 * commands, and a table of well-formed commands on them, which the programs
 * bend in every way they can think of.
 */
#ifndef RAW_H
#define RAW_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>

#define RAW_DEV "/dev/infiniband/uverbs0"
#define CMD(x) IB_USER_VERBS_CMD_##x
#define EX(x) (IB_USER_VERBS_CMD_FLAG_EXTENDED | IB_USER_VERBS_EX_CMD_##x)
#define TO_INIT (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY)

enum kind { PD, CQ, QP, SRQ, MR, MW, AH, KINDS };

struct client {
	int fd, async_fd, channel;
	uint32_t handle[KINDS];
	uint32_t rkey, qpn;
};

static char response[4096] __attribute__((aligned(8)));
static char memory[4096] __attribute__((aligned(4096)));

/* A command: name, number, size of the core struct, response bytes (with what
 * rxe's library adds), and where in the struct handles of which kind lie.
 */
struct command {
	const char *name;
	uint32_t number;
	uint16_t size, response;
	struct { int16_t kind_plus_1, offset; } handle[4];
};

#define H(k, s, f) { (k) + 1, offsetof(struct ib_uverbs_##s, f) }
#define C(n, s, resp, ...) { #n, CMD(n), sizeof(struct ib_uverbs_##s), resp, { __VA_ARGS__ } }
#define X(n, s, resp, ...) { "EX_" #n, EX(n), sizeof(struct ib_uverbs_ex_##s), resp, { __VA_ARGS__ } }

static const struct command commands[] = {
	C(GET_CONTEXT, get_context, 8),
	C(QUERY_DEVICE, query_device, 176),
	C(QUERY_PORT, query_port, 40),
	C(ALLOC_PD, alloc_pd, 4),
	C(REG_MR, reg_mr, 12, H(PD, reg_mr, pd_handle)),
	C(REREG_MR, rereg_mr, 8, H(MR, rereg_mr, mr_handle)),
	C(ALLOC_MW, alloc_mw, 8, H(PD, alloc_mw, pd_handle)),
	C(CREATE_COMP_CHANNEL, create_comp_channel, 4),
	C(CREATE_CQ, create_cq, 8 + 16),
	C(RESIZE_CQ, resize_cq, 8 + 16, H(CQ, resize_cq, cq_handle)),
	C(POLL_CQ, poll_cq, 8 + 48, H(CQ, poll_cq, cq_handle)),
	C(REQ_NOTIFY_CQ, req_notify_cq, 0, H(CQ, req_notify_cq, cq_handle)),
	C(CREATE_QP, create_qp, 32 + 32, H(PD, create_qp, pd_handle),
	  H(CQ, create_qp, send_cq_handle), H(CQ, create_qp, recv_cq_handle)),
	C(QUERY_QP, query_qp, 128, H(QP, query_qp, qp_handle)),
	C(MODIFY_QP, modify_qp, 0, H(QP, modify_qp, qp_handle)),
	C(POST_SEND, post_send, 4, H(QP, post_send, qp_handle)),
	C(POST_RECV, post_recv, 4, H(QP, post_recv, qp_handle)),
	C(ATTACH_MCAST, attach_mcast, 0, H(QP, attach_mcast, qp_handle)),
	C(DETACH_MCAST, detach_mcast, 0, H(QP, detach_mcast, qp_handle)),
	C(CREATE_AH, create_ah, 4 + 8, H(PD, create_ah, pd_handle)),
	C(CREATE_SRQ, create_srq, 16 + 24, H(PD, create_srq, pd_handle)),
	C(MODIFY_SRQ, modify_srq, 0, H(SRQ, modify_srq, srq_handle)),
	C(QUERY_SRQ, query_srq, 16, H(SRQ, query_srq, srq_handle)),
	C(POST_SRQ_RECV, post_srq_recv, 4, H(SRQ, post_srq_recv, srq_handle)),
	C(OPEN_XRCD, open_xrcd, 4),
	C(CLOSE_XRCD, close_xrcd, 0, H(PD, close_xrcd, xrcd_handle)),
	C(CREATE_XSRQ, create_xsrq, 16 + 24, H(PD, create_xsrq, pd_handle),
	  H(PD, create_xsrq, xrcd_handle), H(CQ, create_xsrq, cq_handle)),
	C(OPEN_QP, open_qp, 32, H(PD, open_qp, pd_handle)),
	X(QUERY_DEVICE, query_device, 304),
	X(CREATE_CQ, create_cq, 16 + 16),
	X(CREATE_QP, create_qp, 40 + 32, H(PD, ex_create_qp, pd_handle),
	  H(CQ, ex_create_qp, send_cq_handle), H(CQ, ex_create_qp, recv_cq_handle)),
	X(MODIFY_QP, modify_qp, 8, H(QP, ex_modify_qp, base.qp_handle)),
	{ "EX_CREATE_FLOW", EX(CREATE_FLOW), sizeof(struct ib_uverbs_create_flow), 8,
	  { H(QP, create_flow, qp_handle) } },
	{ "EX_DESTROY_FLOW", EX(DESTROY_FLOW), sizeof(struct ib_uverbs_destroy_flow), 0,
	  { H(QP, destroy_flow, flow_handle) } },
	X(CREATE_WQ, create_wq, 24, H(PD, ex_create_wq, pd_handle), H(CQ, ex_create_wq, cq_handle)),
	X(MODIFY_WQ, modify_wq, 0, H(QP, ex_modify_wq, wq_handle)),
	X(DESTROY_WQ, destroy_wq, 8, H(QP, ex_destroy_wq, wq_handle)),
	X(CREATE_RWQ_IND_TBL, create_rwq_ind_table, 16),
	X(DESTROY_RWQ_IND_TBL, destroy_rwq_ind_table, 0,
	  H(QP, ex_destroy_rwq_ind_table, ind_tbl_handle)),
	X(MODIFY_CQ, modify_cq, 0, H(CQ, ex_modify_cq, cq_handle)),
	/* In an order in which every object can go. */
	C(DESTROY_QP, destroy_qp, 4, H(QP, destroy_qp, qp_handle)),
	C(DESTROY_SRQ, destroy_srq, 4, H(SRQ, destroy_srq, srq_handle)),
	C(DESTROY_CQ, destroy_cq, 8, H(CQ, destroy_cq, cq_handle)),
	C(DEALLOC_MW, dealloc_mw, 0, H(MW, dealloc_mw, mw_handle)),
	C(DEREG_MR, dereg_mr, 0, H(MR, dereg_mr, mr_handle)),
	C(DESTROY_AH, destroy_ah, 0, H(AH, destroy_ah, ah_handle)),
	C(DEALLOC_PD, dealloc_pd, 0, H(PD, dealloc_pd, pd_handle)),
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static inline const struct command *find(uint32_t number)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (commands[i].number == number)
			return &commands[i];
	abort();
}

/* A command in memory: header, then the core struct, then room. */
struct packet {
	union {
		struct {
			struct ib_uverbs_cmd_hdr hdr;
			struct ib_uverbs_ex_cmd_hdr ex;
		};
		uint8_t bytes[1024];
	} __attribute__((aligned(8)));
	size_t head, len;
};

static inline int extended(const struct command *c)
{
	return !!(c->number & IB_USER_VERBS_CMD_FLAG_EXTENDED);
}

static inline void *body(struct packet *p)
{
	return p->bytes + p->head;
}

/* Set the word counts that fit the length. */
static inline void fit(struct packet *p, const struct command *c)
{
	p->hdr.command = c->number;
	if (extended(c)) {
		p->hdr.in_words = (p->len - p->head) / 8;
		p->hdr.out_words = c->response / 8;
	} else {
		p->hdr.in_words = p->len / 4;
		p->hdr.out_words = c->response / 4;
	}
}

/* What well-formed commands have that is neither zero nor a handle. */
static const struct field {
	uint32_t number;
	uint16_t offset, size;
	uint64_t value;
} fields[] = {
#define F(n, s, f, v) { n, offsetof(struct ib_uverbs_##s, f), \
			sizeof(((struct ib_uverbs_##s *)0)->f), v }
	F(CMD(QUERY_PORT), query_port, port_num, 1),
	F(CMD(REG_MR), reg_mr, start, (uintptr_t)memory),
	F(CMD(REG_MR), reg_mr, hca_va, (uintptr_t)memory),
	F(CMD(REG_MR), reg_mr, length, sizeof(memory)),
	F(CMD(REG_MR), reg_mr, access_flags,
	  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE),
	F(CMD(REREG_MR), rereg_mr, flags, IBV_REREG_MR_CHANGE_ACCESS),
	F(CMD(REREG_MR), rereg_mr, access_flags, IBV_ACCESS_LOCAL_WRITE),
	F(CMD(ALLOC_MW), alloc_mw, mw_type, IBV_MW_TYPE_2),
	F(CMD(CREATE_CQ), create_cq, cqe, 16),
	F(CMD(CREATE_CQ), create_cq, comp_channel, -1),
	F(EX(CREATE_CQ), ex_create_cq, cqe, 16),
	F(EX(CREATE_CQ), ex_create_cq, comp_channel, -1),
	F(CMD(RESIZE_CQ), resize_cq, cqe, 32),
	F(CMD(POLL_CQ), poll_cq, ne, 1),
	F(CMD(CREATE_QP), create_qp, max_send_wr, 4),
	F(CMD(CREATE_QP), create_qp, max_recv_wr, 4),
	F(CMD(CREATE_QP), create_qp, max_send_sge, 1),
	F(CMD(CREATE_QP), create_qp, max_recv_sge, 1),
	F(CMD(CREATE_QP), create_qp, qp_type, IBV_QPT_UD),
	F(EX(CREATE_QP), ex_create_qp, max_send_wr, 4),
	F(EX(CREATE_QP), ex_create_qp, max_recv_wr, 4),
	F(EX(CREATE_QP), ex_create_qp, max_send_sge, 1),
	F(EX(CREATE_QP), ex_create_qp, max_recv_sge, 1),
	F(EX(CREATE_QP), ex_create_qp, qp_type, IBV_QPT_UD),
	F(CMD(QUERY_QP), query_qp, attr_mask, IBV_QP_STATE),
	F(CMD(MODIFY_QP), modify_qp, attr_mask, TO_INIT),
	F(CMD(MODIFY_QP), modify_qp, qp_state, IBV_QPS_INIT),
	F(CMD(MODIFY_QP), modify_qp, port_num, 1),
	F(EX(MODIFY_QP), ex_modify_qp, base.attr_mask, TO_INIT),
	F(EX(MODIFY_QP), ex_modify_qp, base.qp_state, IBV_QPS_INIT),
	F(EX(MODIFY_QP), ex_modify_qp, base.port_num, 1),
	F(CMD(POST_SEND), post_send, wqe_size, sizeof(struct ib_uverbs_send_wr)),
	F(CMD(POST_RECV), post_recv, wqe_size, sizeof(struct ib_uverbs_recv_wr)),
	F(CMD(POST_SRQ_RECV), post_srq_recv, wqe_size, sizeof(struct ib_uverbs_recv_wr)),
	F(CMD(CREATE_AH), create_ah, attr.port_num, 1),
	F(CMD(CREATE_AH), create_ah, attr.is_global, 1),
	F(CMD(CREATE_AH), create_ah, attr.grh.sgid_index, 1),
	F(CMD(CREATE_AH), create_ah, attr.grh.hop_limit, 1),
	F(CMD(CREATE_SRQ), create_srq, max_wr, 8),
	F(CMD(CREATE_SRQ), create_srq, max_sge, 1),
	F(CMD(OPEN_XRCD), open_xrcd, fd, -1),
	F(CMD(OPEN_XRCD), open_xrcd, oflags, O_CREAT),
	F(CMD(CREATE_XSRQ), create_xsrq, max_wr, 8),
	F(CMD(CREATE_XSRQ), create_xsrq, max_sge, 1),
	F(CMD(CREATE_XSRQ), create_xsrq, srq_type, IBV_SRQT_XRC),
	F(CMD(OPEN_QP), open_qp, qp_type, IBV_QPT_XRC_RECV),
#undef F
};

static inline void fill_fields(void *b, const struct command *c, const struct client *u)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].number == c->number)
			memcpy((char *)b + fields[i].offset, &fields[i].value, fields[i].size);
	switch (c->number) {
	case CMD(ATTACH_MCAST):
	case CMD(DETACH_MCAST):
		memcpy(((struct ib_uverbs_attach_mcast *)b)->gid,
		       "\xff\x0e\0\0\0\0\0\0\0\0\xff\xff\xef\x01\x01\x01", 16);
		break;
	case CMD(CREATE_AH):
		memcpy(((struct ib_uverbs_create_ah *)b)->attr.grh.dgid,
		       "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\x01", 16);
		break;
	case CMD(OPEN_QP):
		((struct ib_uverbs_open_qp *)b)->qpn = u->qpn;
		break;
	}
}

/* The well-formed command on the client's objects. */
static inline void build(struct packet *p, const struct command *c, const struct client *u)
{
	void *b;

	memset(p, 0, sizeof(*p));
	p->head = sizeof(p->hdr) + (extended(c) ? sizeof(p->ex) : 0);
	p->len = p->head + c->size;
	if (extended(c))
		p->len = p->head + ((c->size + 7) & ~7UL);
	fit(p, c);
	b = body(p);
	if (extended(c))
		p->ex.response = c->response ? (uintptr_t)response : 0;
	else if (c->response)
		*(uint64_t *)b = (uintptr_t)response;
	for (int i = 0; i < 4 && c->handle[i].kind_plus_1; i++)
		memcpy((char *)b + c->handle[i].offset,
		       &u->handle[c->handle[i].kind_plus_1 - 1], 4);
	fill_fields(b, c, u);
}

/* 0 or the errno */
static inline int put(int fd, const void *data, size_t len)
{
	ssize_t n = write(fd, data, len);

	if (n < 0)
		return errno;
	return (size_t)n == len ? 0 : EIO;
}

static inline int send_packet(int fd, const struct packet *p)
{
	return put(fd, p->bytes, p->len);
}

static inline int issue(struct client *u, uint32_t number)
{
	struct packet p;

	build(&p, find(number), u);
	return send_packet(u->fd, &p);
}

static inline void must(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(err));
	exit(2);
}

static inline void open_context(struct client *u)
{
	memset(u, 0, sizeof(*u));
	u->fd = open(RAW_DEV, O_RDWR | O_CLOEXEC);
	must(u->fd < 0 ? errno : 0, RAW_DEV);
	must(issue(u, CMD(GET_CONTEXT)), "GET_CONTEXT");
	u->async_fd = ((struct ib_uverbs_get_context_resp *)response)->async_fd;
	u->channel = -1;
}

/* One object of each kind; the QP is UD and in state RESET. */
static inline void open_client(struct client *u)
{
	open_context(u);
	must(issue(u, CMD(ALLOC_PD)), "ALLOC_PD");
	u->handle[PD] = *(uint32_t *)response;
	must(issue(u, CMD(CREATE_COMP_CHANNEL)), "CREATE_COMP_CHANNEL");
	u->channel = *(int *)response;
	must(issue(u, CMD(CREATE_CQ)), "CREATE_CQ");
	u->handle[CQ] = *(uint32_t *)response;
	must(issue(u, CMD(CREATE_QP)), "CREATE_QP");
	u->handle[QP] = ((uint32_t *)response)[0];
	u->qpn = ((uint32_t *)response)[1];
	must(issue(u, CMD(CREATE_SRQ)), "CREATE_SRQ");
	u->handle[SRQ] = *(uint32_t *)response;
	must(issue(u, CMD(REG_MR)), "REG_MR");
	u->handle[MR] = ((uint32_t *)response)[0];
	u->rkey = ((uint32_t *)response)[2];
	must(issue(u, CMD(ALLOC_MW)), "ALLOC_MW");
	u->handle[MW] = *(uint32_t *)response;
	must(issue(u, CMD(CREATE_AH)), "CREATE_AH");
	u->handle[AH] = *(uint32_t *)response;
}

/* Destroys all; the first command that fails, or NULL. */
static inline const char *destroy_all(struct client *u)
{
	for (size_t i = find(CMD(DESTROY_QP)) - commands; i < COMMANDS; i++)
		if (issue(u, commands[i].number))
			return commands[i].name;
	return NULL;
}

static inline void close_client(struct client *u)
{
	close(u->fd);
	if (u->channel >= 0)
		close(u->channel);
	close(u->async_fd);
}

#endif
