// SPDX-License-Identifier: GPL-2.0
/*
 * Malformed write() commands on a uverbs file, one line 'case: errno' each, so
 * that the answers of two cores can be compared. Each case has a client of its
 * own; after a refusal every object of it must still be there ('STATE CHANGED'
 * tells otherwise).
 */
#include "raw.h"

static struct client u;
static char *edge;	/* last byte of a mapped page, then nothing */
static int wrong;
static void *volatile nowhere = (void *)8;

static const char *name_of(int err)
{
	return err ? strerrorname_np(err) : "0";
}

static void report(const char *command, const char *what, int err)
{
	const char *lost = err ? destroy_all(&u) : NULL;

	printf("%s %s: %s", command, what, name_of(err));
	if (lost) {
		printf(" STATE CHANGED (%s)", lost);
		wrong = 1;
	}
	printf("\n");
	close_client(&u);
}

#define CASE(c, what, ...) do {					\
	struct packet p;					\
	open_client(&u);					\
	build(&p, c, &u);					\
	__VA_ARGS__;						\
	report((c)->name, what, send_packet(u.fd, &p));		\
} while (0)

/* What is wrong with every command alike. */
static void shape(const struct command *c)
{
	int unit = extended(c) ? 8 : 4;

	CASE(c, "as it is");
	CASE(c, "one unit short", p.len -= unit; fit(&p, c));
	CASE(c, "header only", p.len = p.head; fit(&p, c));
	CASE(c, "one unit of zeros more", p.len += unit; fit(&p, c));
	CASE(c, "one unit of ones more", memset(p.bytes + p.len, 0xff, unit);
	     p.len += unit; fit(&p, c));
	CASE(c, "one byte short", p.len--);
	CASE(c, "one byte long", p.len++);
	CASE(c, "in_words one less", p.hdr.in_words--);
	CASE(c, "in_words one more", p.hdr.in_words++);
	CASE(c, "in_words 0", p.hdr.in_words = 0);
	CASE(c, "in_words 65535", p.hdr.in_words = 65535);
	if (c->response) {
		CASE(c, "out_words 0", p.hdr.out_words = 0);
		CASE(c, "out_words 1", p.hdr.out_words = 1);
		if (extended(c)) {
			CASE(c, "response null", p.ex.response = 0);
			CASE(c, "response faults", p.ex.response = 8);
			CASE(c, "response in the kernel", p.ex.response = 0xffff888000000000ULL);
		} else {
			CASE(c, "response null", *(uint64_t *)body(&p) = 0);
			CASE(c, "response faults", *(uint64_t *)body(&p) = 8);
			CASE(c, "response in the kernel",
			     *(uint64_t *)body(&p) = 0xffff888000000000ULL);
		}
	} else {
		CASE(c, "out_words 1", p.hdr.out_words = 1);
	}
	if (extended(c)) {
		CASE(c, "reserved set", p.ex.cmd_hdr_reserved = 1);
		CASE(c, "provider words without data", p.ex.provider_in_words = 1);
		CASE(c, "provider out words", p.ex.provider_out_words = 8);
		CASE(c, "body of ones", memset(body(&p), 0xff, c->size));
	}
}

/* User memory that is not there. */
static void faults(const struct command *c)
{
	struct packet p;

	open_client(&u);
	report(c->name, "command faults", put(u.fd, nowhere, sizeof(p.hdr) + c->size));
	open_client(&u);
	build(&p, c, &u);
	memcpy(edge + 1 - 8, p.bytes, 8);
	report(c->name, "body faults", put(u.fd, edge + 1 - 8, p.len));
}

static void handles(const struct command *c)
{
	static const uint32_t bad[] = { 0xffffffff, 0x7fffffff, 0x80000000, 12345 };
	static const char *const kinds[] = { "PD", "CQ", "QP", "SRQ", "MR", "MW", "AH" };
	char what[64];

	for (int h = 0; h < 4 && c->handle[h].kind_plus_1; h++) {
		for (int i = 0; i < 4; i++) {
			snprintf(what, sizeof(what), "handle %d is %#x", h, bad[i]);
			CASE(c, what, memcpy((char *)body(&p) + c->handle[h].offset, &bad[i], 4));
		}
		for (int k = 0; k < KINDS; k++) {
			if (k == c->handle[h].kind_plus_1 - 1)
				continue;
			snprintf(what, sizeof(what), "handle %d is of a %s", h, kinds[k]);
			CASE(c, what, memcpy((char *)body(&p) + c->handle[h].offset,
					     &u.handle[k], 4));
		}
	}
}

static void numbers(void)
{
	static const uint32_t n[] = { 6, 7, 10, 12, 15, 22, 41, 50, 63, 64, 128, 255, 256, 65536,
		0x40000000, 0x20000000, 0x01000000, 0x7fffffff };
	static const uint32_t ex[] = { 2, 9, 19, 27, 49, 58, 63, 255, 256 };
	struct command c = { .size = 64 };
	char name[32];

	c.name = name;
	for (size_t i = 0; i < sizeof(n) / sizeof(n[0]); i++) {
		c.number = n[i];
		snprintf(name, sizeof(name), "command %#x", n[i]);
		CASE(&c, "64 bytes", (void)0);
	}
	for (size_t i = 0; i < sizeof(ex) / sizeof(ex[0]); i++) {
		c.number = ex[i] | IB_USER_VERBS_CMD_FLAG_EXTENDED;
		snprintf(name, sizeof(name), "extended %#x", ex[i]);
		CASE(&c, "64 bytes", (void)0);
	}
	/* Fewer bytes than a header. */
	for (int len = 0; len < 8; len++) {
		snprintf(name, sizeof(name), "write of %d", len);
		open_client(&u);
		/* A write of nothing succeeds or not, but says no errno either way. */
		report(name, "bytes", put(u.fd, memory, len));
	}
}

static void without_context(void)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		struct client none = { .async_fd = -1, .channel = -1 };

		if (commands[i].number == CMD(GET_CONTEXT))
			continue;
		none.fd = open(RAW_DEV, O_RDWR);
		must(none.fd < 0 ? errno : 0, RAW_DEV);
		printf("%s before GET_CONTEXT: %s\n", commands[i].name,
		       name_of(issue(&none, commands[i].number)));
		close(none.fd);
	}
}

#define VALUE(n, s, field, v)							\
	CASE(find(n), #field " = " #v, ((struct ib_uverbs_##s *)body(&p))->field = v)

static void values_of_port(void)
{
	VALUE(CMD(QUERY_PORT), query_port, port_num, 0);
	VALUE(CMD(QUERY_PORT), query_port, port_num, 2);
	VALUE(CMD(QUERY_PORT), query_port, port_num, 255);
}

static void values_of_memory(void)
{
	VALUE(CMD(REG_MR), reg_mr, length, 0);
	VALUE(CMD(REG_MR), reg_mr, length, ~0ULL);
	VALUE(CMD(REG_MR), reg_mr, length, -(uint64_t)(uintptr_t)memory);
	VALUE(CMD(REG_MR), reg_mr, length, 1ULL << 46);
	VALUE(CMD(REG_MR), reg_mr, start, 8);
	VALUE(CMD(REG_MR), reg_mr, start, 0xffff888000000000ULL);
	VALUE(CMD(REG_MR), reg_mr, hca_va, (uintptr_t)memory + 1);
	VALUE(CMD(REG_MR), reg_mr, access_flags, 0xffffffff);
	VALUE(CMD(REG_MR), reg_mr, access_flags, IBV_ACCESS_REMOTE_WRITE);
	VALUE(CMD(REG_MR), reg_mr, access_flags, IBV_ACCESS_REMOTE_ATOMIC);
	VALUE(CMD(REG_MR), reg_mr, access_flags, 0);
	VALUE(CMD(REG_MR), reg_mr, access_flags, IBV_ACCESS_ON_DEMAND);
	VALUE(CMD(REREG_MR), rereg_mr, flags, 0);
	VALUE(CMD(REREG_MR), rereg_mr, flags, 0xffffffff);
	VALUE(CMD(ALLOC_MW), alloc_mw, mw_type, 0);
	VALUE(CMD(ALLOC_MW), alloc_mw, mw_type, 3);
	VALUE(CMD(ALLOC_MW), alloc_mw, mw_type, 255);
}

static void values_of_cq(void)
{
	VALUE(CMD(CREATE_CQ), create_cq, cqe, 0);
	VALUE(CMD(CREATE_CQ), create_cq, cqe, 0xffffffff);
	VALUE(CMD(CREATE_CQ), create_cq, cqe, 0x7fffffff);
	VALUE(CMD(CREATE_CQ), create_cq, comp_vector, 1000);
	VALUE(CMD(CREATE_CQ), create_cq, comp_vector, 0xffffffff);
	VALUE(CMD(CREATE_CQ), create_cq, comp_channel, 0);
	VALUE(CMD(CREATE_CQ), create_cq, comp_channel, 12345);
	VALUE(CMD(CREATE_CQ), create_cq, comp_channel, u.fd);
	VALUE(CMD(CREATE_CQ), create_cq, comp_channel, u.async_fd);
	VALUE(CMD(CREATE_CQ), create_cq, comp_channel, u.channel);
	VALUE(CMD(CREATE_CQ), create_cq, reserved, 1);
	VALUE(EX(CREATE_CQ), ex_create_cq, comp_mask, 1);
	VALUE(EX(CREATE_CQ), ex_create_cq, flags, 0xffffffff);
	VALUE(EX(CREATE_CQ), ex_create_cq, reserved, 1);
	VALUE(CMD(RESIZE_CQ), resize_cq, cqe, 0);
	VALUE(CMD(RESIZE_CQ), resize_cq, cqe, 0xffffffff);
	VALUE(CMD(POLL_CQ), poll_cq, ne, 0);
}

static void values_of_qp(void)
{
	VALUE(CMD(CREATE_QP), create_qp, max_send_wr, 0xffffffff);
	VALUE(CMD(CREATE_QP), create_qp, max_recv_wr, 0xffffffff);
	VALUE(CMD(CREATE_QP), create_qp, max_send_sge, 0xffffffff);
	VALUE(CMD(CREATE_QP), create_qp, max_recv_sge, 0xffffffff);
	VALUE(CMD(CREATE_QP), create_qp, max_inline_data, 0xffffffff);
	VALUE(CMD(CREATE_QP), create_qp, qp_type, 0);
	VALUE(CMD(CREATE_QP), create_qp, qp_type, 1);
	VALUE(CMD(CREATE_QP), create_qp, qp_type, IBV_QPT_RAW_PACKET);
	VALUE(CMD(CREATE_QP), create_qp, qp_type, IBV_QPT_XRC_SEND);
	VALUE(CMD(CREATE_QP), create_qp, qp_type, IBV_QPT_XRC_RECV);
	VALUE(CMD(CREATE_QP), create_qp, qp_type, IBV_QPT_DRIVER);
	VALUE(CMD(CREATE_QP), create_qp, qp_type, 77);
	CASE(find(CMD(CREATE_QP)), "is_srq with no such srq",
	     struct ib_uverbs_create_qp *r = body(&p); r->is_srq = 1; r->srq_handle = 12345);
	CASE(find(CMD(CREATE_QP)), "is_srq with the handle of a CQ",
	     struct ib_uverbs_create_qp *r = body(&p); r->is_srq = 1; r->srq_handle = u.handle[CQ]);
	VALUE(EX(CREATE_QP), ex_create_qp, comp_mask, 1);
	VALUE(EX(CREATE_QP), ex_create_qp, comp_mask, 0xffffffff);
	VALUE(EX(CREATE_QP), ex_create_qp, create_flags, 0xffffffff);
	VALUE(CMD(QUERY_QP), query_qp, attr_mask, 0);
	VALUE(CMD(QUERY_QP), query_qp, attr_mask, 0xffffffff);
	VALUE(CMD(MODIFY_QP), modify_qp, attr_mask, 0);
	VALUE(CMD(MODIFY_QP), modify_qp, attr_mask, IBV_QP_STATE);
	VALUE(CMD(MODIFY_QP), modify_qp, attr_mask, 0xffffffff);
	VALUE(CMD(MODIFY_QP), modify_qp, qp_state, IBV_QPS_RTS);
	VALUE(CMD(MODIFY_QP), modify_qp, qp_state, 99);
	VALUE(CMD(MODIFY_QP), modify_qp, port_num, 0);
	VALUE(CMD(MODIFY_QP), modify_qp, port_num, 2);
	VALUE(CMD(MODIFY_QP), modify_qp, pkey_index, 65535);
}

static void values_of_posting(void)
{
	VALUE(CMD(POST_SEND), post_send, wr_count, 0xffffffff);
	VALUE(CMD(POST_SEND), post_send, wr_count, 1);
	VALUE(CMD(POST_SEND), post_send, sge_count, 0xffffffff);
	VALUE(CMD(POST_SEND), post_send, sge_count, 1);
	VALUE(CMD(POST_SEND), post_send, wqe_size, 0);
	VALUE(CMD(POST_SEND), post_send, wqe_size, 4);
	VALUE(CMD(POST_SEND), post_send, wqe_size, 0xffffffff);
	VALUE(CMD(POST_RECV), post_recv, wr_count, 0xffffffff);
	VALUE(CMD(POST_RECV), post_recv, sge_count, 0xffffffff);
	VALUE(CMD(POST_RECV), post_recv, wqe_size, 0);
	VALUE(CMD(POST_RECV), post_recv, wqe_size, 0xffffffff);
	VALUE(CMD(POST_SRQ_RECV), post_srq_recv, wr_count, 0xffffffff);
	VALUE(CMD(POST_SRQ_RECV), post_srq_recv, sge_count, 0xffffffff);
	VALUE(CMD(POST_SRQ_RECV), post_srq_recv, wqe_size, 0xffffffff);
}

static void values_of_address(void)
{
	VALUE(CMD(CREATE_AH), create_ah, attr.port_num, 0);
	VALUE(CMD(CREATE_AH), create_ah, attr.port_num, 2);
	VALUE(CMD(CREATE_AH), create_ah, attr.is_global, 0);
	VALUE(CMD(CREATE_AH), create_ah, attr.grh.sgid_index, 255);
	VALUE(CMD(CREATE_AH), create_ah, attr.grh.sgid_index, 7);
	CASE(find(CMD(CREATE_AH)), "dgid of zeros",
	     memset(((struct ib_uverbs_create_ah *)body(&p))->attr.grh.dgid, 0, 16));
	CASE(find(CMD(ATTACH_MCAST)), "gid is no multicast",
	     memset(((struct ib_uverbs_attach_mcast *)body(&p))->gid, 1, 16));
}

static void values_of_srq_and_xrcd(void)
{
	VALUE(CMD(CREATE_SRQ), create_srq, max_wr, 0);
	VALUE(CMD(CREATE_SRQ), create_srq, max_wr, 0xffffffff);
	VALUE(CMD(CREATE_SRQ), create_srq, max_sge, 0xffffffff);
	VALUE(CMD(CREATE_SRQ), create_srq, srq_limit, 9);
	VALUE(CMD(MODIFY_SRQ), modify_srq, attr_mask, 0xffffffff);
	CASE(find(CMD(MODIFY_SRQ)), "limit above size",
	     struct ib_uverbs_modify_srq *r = body(&p);
	     r->attr_mask = IBV_SRQ_LIMIT; r->srq_limit = 1000000);
	VALUE(CMD(OPEN_XRCD), open_xrcd, fd, 12345);
	VALUE(CMD(OPEN_XRCD), open_xrcd, oflags, 0);
	VALUE(CMD(OPEN_XRCD), open_xrcd, oflags, 0xffffffff);
}

/* Well-formed but for one value. */
static void values(void)
{
	values_of_port();
	values_of_memory();
	values_of_cq();
	values_of_qp();
	values_of_posting();
	values_of_address();
	values_of_srq_and_xrcd();
}

int main(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED || mprotect(map + page, page, PROT_NONE))
		return 2;
	edge = map + page - 1;
	setvbuf(stdout, NULL, _IOLBF, 0);

	without_context();
	numbers();
	for (size_t i = 0; i < COMMANDS; i++) {
		shape(&commands[i]);
		faults(&commands[i]);
		handles(&commands[i]);
	}
	values();
	return wrong;
}
