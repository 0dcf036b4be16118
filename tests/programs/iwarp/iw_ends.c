// SPDX-License-Identifier: GPL-2.0
/*
 * usage: iw_ends CASE ADDRESS PORT
 *
 * One end of an iWARP connection; the other end is iw_peer.py CASE, a TCP socket
 * that does what no iWARP device would.
 */
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#define BYTES	64
#define RECVS	4
#define BIG	(1 << 20)
#define DEPTH	32768
#define PATIENCE 60 /* s */

static struct rdma_cm_id *listener, *id;
static struct ibv_mr *mr;
static unsigned char bytes[RECVS][BYTES];

static void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(2);
}

static void wrong(const char *what, int have, int want)
{
	fprintf(stderr, "%s: %d, not %d\n", what, have, want);
	exit(1);
}

static void listen_for_one(const char *address, const char *port)
{
	struct rdma_addrinfo hints = {
		.ai_port_space = RDMA_PS_TCP, .ai_flags = RAI_PASSIVE,
	}, *info;
	struct ibv_qp_init_attr attr = {
		.cap = {
			.max_send_wr = DEPTH, .max_recv_wr = 16,
			.max_send_sge = 1, .max_recv_sge = 1,
		},
		.sq_sig_all = 1,
	};

	if (rdma_getaddrinfo(address, port, &hints, &info))
		die("rdma_getaddrinfo");
	if (rdma_create_ep(&listener, info, NULL, &attr) || rdma_listen(listener, 1))
		die("rdma_listen");
	rdma_freeaddrinfo(info);
}

static void make_memory(void)
{
	mr = ibv_reg_mr(id->pd, bytes, sizeof(bytes), IBV_ACCESS_LOCAL_WRITE);
	if (!mr)
		die("ibv_reg_mr");
}

static void accept_one(void)
{
	struct rdma_conn_param param = {
		.responder_resources = 4, .initiator_depth = 4,
	};
	int i;

	if (rdma_get_request(listener, &id))
		die("rdma_get_request");
	make_memory();
	for (i = 0; i < RECVS; i++)
		if (rdma_post_recv(id, (void *)(uintptr_t)i, bytes[i], BYTES, mr))
			die("rdma_post_recv");
	if (rdma_accept(id, &param))
		die("rdma_accept");
}

static void connect_one(const char *address, const char *port)
{
	struct rdma_conn_param param = {
		.responder_resources = 4, .initiator_depth = 4,
	};
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP }, *info;
	struct ibv_qp_init_attr attr = {
		.cap = {
			.max_send_wr = 16, .max_recv_wr = 1,
			.max_send_sge = 1, .max_recv_sge = 1,
		},
		.sq_sig_all = 1,
	};

	if (rdma_getaddrinfo(address, port, &hints, &info))
		die("rdma_getaddrinfo");
	if (rdma_create_ep(&id, info, NULL, &attr))
		die("rdma_create_ep");
	rdma_freeaddrinfo(info);
	make_memory();
	if (rdma_connect(id, &param))
		die("rdma_connect");
}

/* The next completion of a queue. */
static void expect(struct ibv_cq *cq, uint64_t wr_id, int status)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(cq, 1, &wc) == 0)
		usleep(1000);
	if (wc.wr_id != wr_id)
		wrong("wr_id", wc.wr_id, wr_id);
	if ((int)wc.status != status)
		wrong("status", wc.status, status);
}

/* What iw_peer.py sends with that number. */
static void expect_message(int msn)
{
	int i;

	expect(id->recv_cq, msn - 1, IBV_WC_SUCCESS);
	for (i = 0; i < BYTES; i++)
		if (bytes[msn - 1][i] != (unsigned char)(msn * 7 + i))
			wrong("byte", bytes[msn - 1][i], (unsigned char)(msn * 7 + i));
}

static void expect_end(void)
{
	struct rdma_cm_event *event;

	if (rdma_get_cm_event(id->channel, &event))
		die("rdma_get_cm_event");
	if (event->event != RDMA_CM_EVENT_DISCONNECTED)
		wrong("event", event->event, RDMA_CM_EVENT_DISCONNECTED);
	rdma_ack_cm_event(event);
}

/* Urgent bytes are bytes as others are, and hide no end (RFC 6093 4). */
static void urgent(void)
{
	int msn;

	for (msn = 1; msn <= RECVS; msn++)
		expect_message(msn);
	expect_end();
}

/*
 * The end of one side is not that of the other, which has as much time as it wants as
 * long as it does something (RFC 5041 6.2.1). rdma_disconnect() returns when it has
 * ended, too.
 */
static void late(void)
{
	if (rdma_disconnect(id))
		die("rdma_disconnect");
	expect_message(1);
}

/* What is posted is sent before the end. */
static void slow(void)
{
	static char big[BIG];
	struct ibv_mr *big_mr = rdma_reg_msgs(id, big, sizeof(big));
	int i;

	if (!big_mr)
		die("rdma_reg_msgs");
	for (i = 0; i < 4; i++)
		if (rdma_post_send(id, (void *)(uintptr_t)i, big, sizeof(big), big_mr, 0))
			die("rdma_post_send");
	if (rdma_disconnect(id))
		die("rdma_disconnect");
	for (i = 0; i < 4; i++)
		expect(id->send_cq, i, IBV_WC_SUCCESS);
	rdma_dereg_mr(big_mr);
}

/* A peer that does nothing, and does not end, is given up. */
static void never(void)
{
	if (!rdma_disconnect(id) || errno != ETIMEDOUT)
		die("rdma_disconnect");
	expect(id->recv_cq, 0, IBV_WC_WR_FLUSH_ERR);
}

static void post_reads(int num)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)bytes, .length = BYTES, .lkey = mr->lkey,
	};
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_READ, .sg_list = &sge, .num_sge = 1,
		.wr.rdma = { .remote_addr = 0x1000, .rkey = 0x100 },
	}, *bad;
	int i;

	for (i = 0; i < num; i++) {
		wr.wr_id = i;
		wr.wr.rdma.remote_addr += BYTES;
		if (ibv_post_send(id->qp, &wr, &bad))
			die("ibv_post_send");
	}
}

/* Three READs, the second of which the peer says something about. */
static void read_all(int status)
{
	int i;

	post_reads(3);
	for (i = 0; i < 3; i++)
		expect(id->send_cq, i, i == 1 ? status : IBV_WC_WR_FLUSH_ERR);
}

static void blamed(void)
{
	read_all(IBV_WC_REM_ACCESS_ERR);
}

static void not_blamed(void)
{
	read_all(IBV_WC_WR_FLUSH_ERR);
}

/* As many requests as there is room for wait for a READ, the first. */
static void very_many(int status)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)bytes, .length = BYTES, .lkey = mr->lkey,
	};
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_READ, .sg_list = &sge, .num_sge = 1,
		.wr.rdma = { .remote_addr = 0x1000, .rkey = 0x100 },
	}, *bad;

	for (; wr.wr_id < DEPTH; wr.wr_id++) {
		if (ibv_post_send(id->qp, &wr, &bad))
			die("ibv_post_send");
		wr.opcode = IBV_WR_RDMA_WRITE;
		wr.num_sge = 0;
	}
	for (wr.wr_id = 0; wr.wr_id < DEPTH; wr.wr_id++)
		expect(id->send_cq, wr.wr_id, status);
}

static void behind(void)
{
	very_many(IBV_WC_SUCCESS);
	if (rdma_disconnect(id))
		die("rdma_disconnect");
}

static void unanswered(void)
{
	very_many(IBV_WC_WR_FLUSH_ERR);
}

/* A peer may ask a program's queue pair for atomics, too. */
static void atomic(void)
{
	static uint64_t word = 0x00ff00ff00ff00ff;
	struct ibv_mr *word_mr = ibv_reg_mr(id->pd, &word, sizeof(word), IBV_ACCESS_LOCAL_WRITE |
					    IBV_ACCESS_REMOTE_ATOMIC);
	struct ibv_qp_attr attr = { .qp_access_flags = IBV_ACCESS_REMOTE_ATOMIC };
	uint32_t rkey;
	uint64_t to;

	if (!word_mr)
		die("ibv_reg_mr");
	/* rdma_cm gives a peer the rights to READ and WRITE, and no other. */
	if (ibv_modify_qp(id->qp, &attr, IBV_QP_ACCESS_FLAGS))
		die("ibv_modify_qp");
	to = htobe64((uintptr_t)&word);
	rkey = htobe32(word_mr->rkey);
	memcpy(bytes[0], &to, sizeof(to));
	memcpy(bytes[0] + sizeof(to), &rkey, sizeof(rkey));
	if (rdma_post_send(id, NULL, bytes[0], sizeof(to) + sizeof(rkey), mr, 0))
		die("rdma_post_send");
	expect(id->send_cq, 0, IBV_WC_SUCCESS);
	expect_end();
	if (word != 0xab00010001000100)
		wrong("word", word, 0x01000100);
	ibv_dereg_mr(word_mr);
}

/* The READ that says "ready to receive" is one of those that the peer answers at a time. */
static void ready_by_read(void)
{
	post_reads(2);
	expect(id->send_cq, 0, IBV_WC_SUCCESS);
	expect(id->send_cq, 1, IBV_WC_SUCCESS);
	if (rdma_disconnect(id))
		die("rdma_disconnect");
}

static const struct {
	const char *name;
	void (*fn)(void);
	bool connects;
} cases[] = {
	{ "urgent", urgent, false },
	{ "late", late, false },
	{ "slow", slow, false },
	{ "never", never, false },
	{ "header", blamed, false },
	{ "request_alone", blamed, false },
	{ "stranger", not_blamed, false },
	{ "behind", behind, false },
	{ "atomic", atomic, false },
	{ "unanswered", unanswered, false },
	{ "ready_by_read", ready_by_read, true },
};

int main(int argc, char **argv)
{
	unsigned int i;

	if (argc != 4)
		return 2;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!strcmp(argv[1], cases[i].name))
			break;
	if (i == sizeof(cases) / sizeof(cases[0]))
		return 2;
	alarm(PATIENCE);
	if (cases[i].connects) {
		connect_one(argv[2], argv[3]);
	} else {
		listen_for_one(argv[2], argv[3]);
		accept_one();
	}
	cases[i].fn();
	ibv_dereg_mr(mr);
	rdma_destroy_ep(id);
	if (listener)
		rdma_destroy_ep(listener);
	return 0;
}
