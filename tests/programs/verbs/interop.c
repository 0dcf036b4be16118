// SPDX-License-Identifier: GPL-2.0
/*
 * Every operation between two hosts, checksums and surroundings compared.
 *
 * interop -d DEVICE -g GID-INDEX -p PORT [-m MTU] [-s SEED] [-q] [HOST]
 *
 * Without HOST: waits for the other one. Each row of the table is carried out
 * with the client asking and with the server asking; both print what came of it,
 * here and there. The two agree on each step over TCP. -q: few sizes.
 */
#include <getopt.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/socket.h>

#include "crc32.h"
#include "innocent.h"
#include "interop_rows.h"

#define GRH 40
#define MOST 65537
#define AREA (MOST + 8 + 2 * GUARD)
#define SLOTS 12		/* messages at once */
#define SLOT 5000
#define PATIENCE 60		/* seconds for the other host, or a completion */
#define QKEY 0x1ee7

/* Of one host: what the other has to know of it. */
struct host {
	union ibv_gid gid;
	uint32_t qpn[KINDS], rkey;
	uint64_t area;
	bool windows;		/* it has memory windows */
	bool is_rxe;		/* the kernel's own device, with its ways */
};

/* What is said about a message. */
struct note {
	uint32_t crc, rkey;
	uint64_t value;
};

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp[KINDS];
static struct ibv_mr *mr;
static struct ibv_ah *ah;
static struct host hosts[2];	/* client, server */
static uint8_t *area, *before;
static int me, control, gid_index, mtu = 1024, quick, failures;
static uint64_t dice = 1;	/* both roll the same */

#define NEED(x) do { if (!(x)) {					\
	printf("FAIL %s: %s: %s (line %d)\n", row ? row->name : "set-up", #x,	\
	       strerror(errno), __LINE__);				\
	exit(1); } } while (0)

static void fail(const char *what, long found)
{
	/* Of a row that goes wrong the first few lines tell it. */
	if (failures++ < 4)
		printf("     %s, %u bytes: %s (%ld)\n", row->name, size, what, found);
}

/* ---- the two hosts ------------------------------------------------------------- */

static void exchange(const void *mine, void *theirs, size_t length)
{
	struct pollfd p = { .fd = control, .events = POLLIN };

	NEED(write(control, mine, length) == (ssize_t)length);
	NEED(poll(&p, 1, 2 * PATIENCE * 1000) == 1);
	NEED(recv(control, theirs, length, MSG_WAITALL) == (ssize_t)length);
}

static void meet(void)
{
	uint32_t mine = dice, theirs;

	exchange(&mine, &theirs, sizeof(mine));
	NEED(mine == theirs);
}

static void find_other(const char *host, const char *port)
{
	struct addrinfo hints = { .ai_family = host ? AF_UNSPEC : AF_INET6,
				  .ai_socktype = SOCK_STREAM,
				  .ai_flags = host ? 0 : AI_PASSIVE }, *at;
	int one = 1, fd;

	NEED(!getaddrinfo(host, port, &hints, &at));
	NEED((fd = socket(at->ai_family, at->ai_socktype, 0)) >= 0);
	if (host) {
		NEED(!connect(fd, at->ai_addr, at->ai_addrlen));
		control = fd;
	} else {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		NEED(!bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, 1));
		NEED((control = accept(fd, NULL, NULL)) >= 0);
		close(fd);
	}
	setsockopt(control, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	freeaddrinfo(at);
}

static void open_all(const char *name)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	struct ibv_mw *mw;

	NEED(ctx = open_named(name));
	NEED(!ibv_query_gid(ctx, 1, gid_index, &hosts[me].gid));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(cq = ibv_create_cq(ctx, 256, NULL, NULL, 0));
	NEED(!posix_memalign((void **)&area, 4096, AREA) && (before = malloc(AREA)));
	NEED(mr = ibv_reg_mr(pd, area, AREA, RIGHTS | IBV_ACCESS_MW_BIND));
	for (int i = 0; i < KINDS; i++) {
		struct ibv_qp_init_attr init = {
			.send_cq = cq, .recv_cq = cq, .qp_type = types[i],
			.cap = { .max_send_wr = 2 * SLOTS, .max_recv_wr = 2 * SLOTS,
				 .max_send_sge = 2, .max_recv_sge = 2 },
		};

		NEED(qp[i] = ibv_create_qp(pd, &init));
		hosts[me].qpn[i] = qp[i]->qp_num;
	}
	mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	hosts[me].windows = mw;
	hosts[me].is_rxe = !strncmp(name, "rxe", 3);
	if (mw)
		ibv_dealloc_mw(mw);
	hosts[me].rkey = mr->rkey;
	hosts[me].area = (uintptr_t)area;
	exchange(&hosts[me], &hosts[!me], sizeof(hosts[0]));
}

static struct ibv_ah_attr address(void)
{
	return (struct ibv_ah_attr){
		.is_global = 1, .port_num = 1,
		.grh = { .dgid = hosts[!me].gid, .sgid_index = gid_index, .hop_limit = 64 },
	};
}

static void connect_qp(int kind, const uint32_t psn[2])
{
	int rc = kind == RC, ud = kind == UD, bits = IBV_QP_STATE;
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RESET };

	NEED(!ibv_modify_qp(qp[kind], &a, bits));
	a = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY,
		.qp_access_flags = rc ? (RIGHTS | IBV_ACCESS_MW_BIND) & ~IBV_ACCESS_LOCAL_WRITE :
				   IBV_ACCESS_REMOTE_WRITE,
	};
	NEED(!ibv_modify_qp(qp[kind], &a, bits | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)));
	a = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR, .ah_attr = address(), .dest_qp_num = hosts[!me].qpn[kind],
		.path_mtu = mtu == 4096 ? IBV_MTU_4096 : IBV_MTU_1024, .rq_psn = psn[!me],
		.max_dest_rd_atomic = 4, .min_rnr_timer = 14,
	};
	NEED(!ibv_modify_qp(qp[kind], &a, ud ? bits : bits | IBV_QP_AV | IBV_QP_PATH_MTU |
			    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			    (rc ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0)));
	/* An emulated machine may keep an answer waiting: 1 second. */
	a = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .sq_psn = psn[me], .timeout = 18, .retry_cnt = 7,
		.rnr_retry = 7, .max_rd_atomic = 4,
	};
	NEED(!ibv_modify_qp(qp[kind], &a, bits | IBV_QP_SQ_PSN |
			    (rc ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			     IBV_QP_MAX_QP_RD_ATOMIC : 0)));
}

/* Each row begins with queue pairs that know nothing of the last one. */
static void start_row(void)
{
	uint32_t psn[2] = { 0xffffff - below(&dice, 40), below(&dice, 1 << 24) };
	struct ibv_wc wc;

	connect_qp(row->kind, psn);
	while (ibv_poll_cq(cq, 1, &wc) > 0)
		;
	meet();
}

/* ---- one message --------------------------------------------------------------- */

static void fill(void)
{
	uint64_t own = (dice << 1) + me;

	for (uint32_t i = 0; i < AREA / 4; i++)
		((uint32_t *)area)[i] = rng(&own);
	memcpy(before, area, AREA);
}

static struct ibv_wc completion(const char *what)
{
	time_t end = time(NULL) + PATIENCE;
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, &wc)) && time(NULL) <= end)
		usleep(50);
	if (n == 1)
		return wc;
	printf("FAIL %s, %u bytes: %s: nothing came\n", row->name, size, what);
	exit(1);
}

static void post_receive(void)
{
	bool ud = row->kind == UD;
	struct ibv_sge sge = {
		(uintptr_t)area + place() - (ud ? GRH : 0), size + (ud ? GRH : 0),
		row->how == NO_LKEY ? mr->lkey ^ 0x5a00 : mr->lkey,
	};
	struct ibv_recv_wr *bad, wr = {
		.sg_list = &sge, .num_sge = is_send() && (size || ud) ? 1 : 0,
	};

	if (row->how == TOO_SHORT)
		sge.length--;
	NEED(!ibv_post_recv(qp[row->kind], &wr, &bad));
}

static void post_request(enum ibv_wr_opcode op, uint32_t rkey)
{
	uint32_t half = size >= 8 && !is_atomic() ? size / 3 : size;
	struct ibv_sge sge[2] = {
		{ (uintptr_t)area + place(), half, mr->lkey },
		{ (uintptr_t)area + place() + half, size - half, mr->lkey },
	};
	struct ibv_send_wr *bad, wr = {
		.sg_list = sge, .num_sge = half < size ? 2 : size ? 1 : 0, .opcode = op,
		.send_flags = IBV_SEND_SIGNALED | (size & 1 ? IBV_SEND_SOLICITED : 0),
		.imm_data = htonl(imm_of()),
		.wr.rdma = { hosts[!me].area + place(), rkey },
	};

	if (row->kind == UD) {
		wr.wr.ud.ah = ah;
		wr.wr.ud.remote_qpn = hosts[!me].qpn[UD];
		wr.wr.ud.remote_qkey = QKEY;
	} else if (is_atomic()) {
		wr.wr.atomic.remote_addr = hosts[!me].area + place();
		wr.wr.atomic.rkey = rkey;
	}
	if (op == IBV_WR_SEND_WITH_INV)
		wr.invalidate_rkey = rkey;
	NEED(!ibv_post_send(qp[row->kind], &wr, &bad));
}

static void expect_sent(enum ibv_wc_status status)
{
	struct ibv_wc wc = completion("the request");

	if (wc.status != status)
		fail(ibv_wc_status_str(wc.status), wc.vendor_err);
}

static void expect_received(uint32_t rkey)
{
	struct ibv_wc wc = completion("the receive");
	bool ud = row->kind == UD;

	if (wc.status) {
		fail(ibv_wc_status_str(wc.status), wc.vendor_err);
		return;
	}
	if (wc.opcode != (is_send() ? IBV_WC_RECV : IBV_WC_RECV_RDMA_WITH_IMM))
		fail("opcode of the receive", wc.opcode);
	if (wc.byte_len != size + (ud ? GRH : 0))
		fail("length of the receive", wc.byte_len);
	if (!!(wc.wc_flags & IBV_WC_WITH_IMM) != has_imm() ||
	    (has_imm() && ntohl(wc.imm_data) != imm_of()))
		fail("immediate data", ntohl(wc.imm_data));
	if (ud && (!(wc.wc_flags & IBV_WC_GRH) || wc.src_qp != hosts[!me].qpn[UD]))
		fail("sender of the datagram", wc.src_qp);
	/* rdma_rxe says so by the kernel's flag, which means another thing here. */
	if (row->how == INVALIDATE &&
	    (wc.invalidated_rkey != rkey ||
	     !(wc.wc_flags & IBV_WC_WITH_INV || hosts[me].is_rxe)))
		fail("key that was invalidated", wc.invalidated_rkey);
}

/* Nothing tells when a WRITE without an answer has come: wait for its last bytes. */
static void await_write(uint32_t crc)
{
	time_t end = time(NULL) + 5;

	while (crc32_of(area + place(), size) != crc && time(NULL) <= end)
		usleep(1000);
}

/* Around a message nothing changes; nor inside of what must not be reached. */
static void compare_rest(uint32_t length)
{
	uint32_t head = place() - (row->kind == UD && is_send() ? GRH : 0);
	uint32_t tail = place() + length;

	if (memcmp(area, before, head) || memcmp(area + tail, before + tail, AREA - tail))
		fail("bytes around the message", tail);
}

static void compare(bool asks)
{
	bool reads = row->op == IBV_WR_RDMA_READ, target = reads == asks;
	struct note mine, theirs;

	mine = (struct note){ .crc = crc32_of(area + place(), size) };
	exchange(&mine, &theirs, sizeof(mine));
	if (target && row->kind == UC && row->op == IBV_WR_RDMA_WRITE)
		await_write(theirs.crc);
	if (target && crc32_of(area + place(), size) != theirs.crc)
		fail("checksum", theirs.crc);
	compare_rest(target ? size : 0);
}

static void message(bool asks)
{
	fill();
	if (!asks && takes_receive() && row->how != LATE)
		post_receive();
	meet();
	if (asks)
		post_request(row->op, hosts[!me].rkey);
	if (row->how == LATE) {
		meet();
		usleep(20000);
		if (!asks)
			post_receive();
	}
	if (asks)
		expect_sent(IBV_WC_SUCCESS);
	else if (takes_receive())
		expect_received(0);
	compare(asks);
}

/* ---- rows ---------------------------------------------------------------------- */

static void sizes(bool asks)
{
	const uint32_t all[] = { 0, 1, 3, 255, mtu - 1, mtu, mtu + 1, 2 * mtu, 3 * mtu + 5, MOST };
	const uint32_t few[] = { 1, mtu, 3 * mtu + 5 };
	int count = quick ? 3 : 10;

	for (int i = 0; i < count; i++) {
		size = quick ? few[i] : all[i];
		/* Datagrams fit a packet. A burst of UC may be more than a host takes. */
		if ((row->kind == UD && size > (uint32_t)mtu) || (row->kind == UC && size == MOST))
			continue;
		message(asks);
	}
}

/* Values by the definition; the rest of the memory stays. */
static void atomics(bool asks)
{
	uint64_t add = 0x0123456789abcdef, swap = 0xfedcba9876543210;

	size = 8;
	for (int i = 0; i < 4; i++) {
		bool swaps = row->op == IBV_WR_ATOMIC_CMP_AND_SWP, equal = i & 1;
		uint64_t *here, was, now;
		struct note mine, theirs;

		fill();
		here = (uint64_t *)(area + place());
		mine = (struct note){ .value = *here };
		exchange(&mine, &theirs, sizeof(mine));
		was = asks ? theirs.value : mine.value;
		if (asks) {
			struct ibv_sge sge = { (uintptr_t)here, 8, mr->lkey };
			struct ibv_send_wr *bad, wr = {
				.sg_list = &sge, .num_sge = 1, .opcode = row->op,
				.send_flags = IBV_SEND_SIGNALED,
				.wr.atomic = { hosts[!me].area + place(),
					       swaps ? equal ? was : ~was : add, swap,
					       hosts[!me].rkey },
			};

			NEED(!ibv_post_send(qp[RC], &wr, &bad));
			expect_sent(IBV_WC_SUCCESS);
		}
		meet();
		now = asks ? was : !swaps ? was + add : equal ? swap : was;
		if (*here != now)
			fail(asks ? "value that comes back" : "value that stays", i);
		compare_rest(8);
	}
}

/* A window of its own; returns its key. */
static uint32_t open_window(struct ibv_mw *mw)
{
	struct ibv_send_wr *bad, bind = {
		.opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED,
		.bind_mw = { mw, ibv_inc_rkey(mw->rkey),
			     { mr, (uintptr_t)area, AREA, IBV_ACCESS_REMOTE_WRITE } },
	};

	NEED(!ibv_post_send(qp[RC], &bind, &bad));
	expect_sent(IBV_WC_SUCCESS);
	return bind.bind_mw.rkey;
}

/* WRITE through a window, then SEND and invalidate it, with one packet and more. */
static void invalidate(bool asks)
{
	for (int i = 0; i < 2; i++) {
		struct ibv_mw *mw = NULL;
		struct note mine = { 0 }, theirs;

		size = i ? 2 * mtu + 1 : 100;
		fill();
		if (!asks) {
			NEED(mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2));
			mine.rkey = open_window(mw);
			post_receive();
		}
		exchange(&mine, &theirs, sizeof(mine));
		if (asks) {
			post_request(IBV_WR_RDMA_WRITE, theirs.rkey);
			expect_sent(IBV_WC_SUCCESS);
			post_request(IBV_WR_SEND_WITH_INV, theirs.rkey);
			expect_sent(IBV_WC_SUCCESS);
		} else {
			expect_received(mine.rkey);
		}
		compare(asks);
		if (i && asks) {
			post_request(IBV_WR_RDMA_WRITE, theirs.rkey);
			expect_sent(IBV_WC_REM_ACCESS_ERR);
		}
		meet();
		if (mw)
			NEED(!ibv_dealloc_mw(mw));
	}
}

/* SEND, WRITE and READ in turns; afterwards both have the same in each slot. */
static void at_once(bool asks)
{
	static const enum ibv_wr_opcode ops[] = {
		IBV_WR_SEND, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
	};
	uint32_t mine[SLOTS], theirs[SLOTS];

	size = SLOT - GUARD;
	fill();
	for (int i = 0; i < SLOTS; i++) {
		struct ibv_sge sge = { (uintptr_t)area + i * SLOT, size, mr->lkey };
		struct ibv_recv_wr *rbad, rwr = { .sg_list = &sge, .num_sge = 1 };

		if (!asks && ops[i % 3] == IBV_WR_SEND)
			NEED(!ibv_post_recv(qp[RC], &rwr, &rbad));
	}
	meet();
	for (int i = 0; i < SLOTS && asks; i++) {
		struct ibv_sge sge = { (uintptr_t)area + i * SLOT, size, mr->lkey };
		struct ibv_send_wr *bad, wr = {
			.sg_list = &sge, .num_sge = 1, .opcode = ops[i % 3],
			.send_flags = IBV_SEND_SIGNALED,
			.wr.rdma = { hosts[!me].area + i * SLOT, hosts[!me].rkey },
		};

		NEED(!ibv_post_send(qp[RC], &wr, &bad));
	}
	for (int i = 0; i < SLOTS; i++) {
		if (asks)
			expect_sent(IBV_WC_SUCCESS);
		else if (ops[i % 3] == IBV_WR_SEND)
			expect_received(0);
	}
	meet();
	for (int i = 0; i < SLOTS; i++) {
		mine[i] = crc32_of(area + i * SLOT, size);
		if (memcmp(area + i * SLOT + size, before + i * SLOT + size, SLOT - size))
			fail("bytes between the messages", i);
	}
	exchange(mine, theirs, sizeof(mine));
	for (int i = 0; i < SLOTS; i++)
		if (mine[i] != theirs[i])
			fail("checksum of one of many", i);
}

/* What the answer must be. To the first, rdma_rxe gives that of the second. */
static bool is_right(enum ibv_wc_status status)
{
	switch (row->how) {
	case TOO_SHORT:
		return status == IBV_WC_REM_INV_REQ_ERR ||
		       (status == IBV_WC_REM_OP_ERR && hosts[!me].is_rxe);
	case NO_LKEY:
		return status == IBV_WC_REM_OP_ERR;
	default:
		return status == IBV_WC_REM_ACCESS_ERR;
	}
}

/*
 * What must not succeed: the status that the answer gave the requester, and no byte
 * has changed. What the other one's receive says was never on the wire.
 */
static void refused(bool asks)
{
	struct ibv_wc wc;

	size = 2000;
	fill();
	if (!asks && takes_receive())
		post_receive();
	meet();
	if (asks) {
		post_request(row->op, hosts[!me].rkey ^ (row->how == NO_RKEY ? 0x5a00 : 0));
		wc = completion("the request");
		if (!is_right(wc.status))
			fail(ibv_wc_status_str(wc.status), wc.vendor_err);
	} else if (takes_receive()) {
		wc = completion("the receive");
		if (wc.status == IBV_WC_SUCCESS)
			fail("the receive succeeded", 0);
	}
	meet();
	/* A receive that is too short may have been filled to its end. */
	compare_rest(row->how == TOO_SHORT && !asks ? size - 1 : 0);
}

static void run_row(bool asks)
{
	int all;

	if (row->how == INVALIDATE && !(hosts[0].windows && hosts[1].windows)) {
		printf("     %s: a device without windows\n", row->name);
		return;
	}
	failures = 0;
	start_row();
	if (row->how == INVALIDATE)
		invalidate(asks);
	else if (row->how == AT_ONCE)
		at_once(asks);
	else if (row->how >= TOO_SHORT)
		refused(asks);
	else if (is_atomic())
		atomics(asks);
	else
		sizes(asks);
	exchange(&failures, &all, sizeof(all));
	all += failures;
	printf("%s %s, asked %s\n", all ? "FAIL" : "ok  ", row->name, asks ? "here" : "there");
}

int main(int argc, char **argv)
{
	const char *device = NULL, *port = NULL;
	struct ibv_ah_attr to;
	int option;

	while ((option = getopt(argc, argv, "d:g:p:m:s:q")) != -1) {
		switch (option) {
		case 'd': device = optarg; break;
		case 'g': gid_index = atoi(optarg); break;
		case 'p': port = optarg; break;
		case 'm': mtu = atoi(optarg); break;
		case 's': dice = strtoull(optarg, NULL, 0); break;
		case 'q': quick = 1; break;
		default: return 2;
		}
	}
	if (!device || !port || (mtu != 1024 && mtu != 4096)) {
		fprintf(stderr, "usage: interop -d DEVICE -g GID-INDEX -p PORT [-m 1024|4096] [-s SEED] [-q] [HOST]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	me = !argv[optind];
	find_other(argv[optind], port);
	open_all(device);
	to = address();
	NEED(ah = ibv_create_ah(pd, &to));
	for (int asker = 0; asker < 2; asker++)
		for (row = rows; row < rows + sizeof(rows) / sizeof(*rows); row++)
			run_row(asker == me);
	row = NULL;
	meet();
	printf("all rows\n");
	return 0;
}
