// SPDX-License-Identifier: GPL-2.0
/*
 * usage: iw_status ADDRESS
 *
 * What goes wrong on an iWARP connection, and how both ends learn of it. Each
 * case has a connection of its own, with both ends here. A line for each case.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#define SIZE	4096
#define PATIENCE 10000 /* ms */

struct end {
	struct rdma_cm_id *id;
	struct ibv_mr *mr;
	char bytes[SIZE];
};

static const char *address;
static struct end asker, hearer;
static struct rdma_cm_id *listener;
static int failures;

static void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(2);
}

static struct ibv_qp_init_attr queues(void)
{
	struct ibv_qp_init_attr attr = {
		.cap = {
			.max_send_wr = 16, .max_recv_wr = 16,
			.max_send_sge = 2, .max_recv_sge = 2,
		},
		.sq_sig_all = 1,
	};

	return attr;
}

static void *hear(void *arg)
{
	struct rdma_conn_param param = {
		.responder_resources = 4, .initiator_depth = 4,
	};

	if (rdma_get_request(listener, &hearer.id))
		die("rdma_get_request");
	hearer.mr = ibv_reg_mr(hearer.id->pd, hearer.bytes, SIZE,
			       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			       IBV_ACCESS_REMOTE_READ);
	if (!hearer.mr)
		die("ibv_reg_mr");
	if (rdma_accept(hearer.id, &param))
		die("rdma_accept");
	return arg;
}

static void up(void)
{
	struct rdma_conn_param param = {
		.responder_resources = 4, .initiator_depth = 4,
	};
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP }, *info;
	struct ibv_qp_init_attr attr = queues();
	pthread_t thread;

	hints.ai_flags = RAI_PASSIVE;
	if (rdma_getaddrinfo(address, "7200", &hints, &info))
		die("rdma_getaddrinfo");
	if (rdma_create_ep(&listener, info, NULL, &attr) ||
	    rdma_listen(listener, 1))
		die("rdma_listen");
	rdma_freeaddrinfo(info);
	pthread_create(&thread, NULL, hear, NULL);

	hints.ai_flags = 0;
	if (rdma_getaddrinfo(address, "7200", &hints, &info))
		die("rdma_getaddrinfo");
	attr = queues();
	if (rdma_create_ep(&asker.id, info, NULL, &attr))
		die("rdma_create_ep");
	rdma_freeaddrinfo(info);
	asker.mr = ibv_reg_mr(asker.id->pd, asker.bytes, SIZE,
			      IBV_ACCESS_LOCAL_WRITE);
	if (!asker.mr || rdma_connect(asker.id, &param))
		die("rdma_connect");
	pthread_join(thread, NULL);
}

static void end_down(struct end *end)
{
	rdma_disconnect(end->id);
	ibv_dereg_mr(end->mr);
	rdma_destroy_ep(end->id);
}

static void down(void)
{
	end_down(&asker);
	end_down(&hearer);
	rdma_destroy_ep(listener);
}

static void row(int good, const char *name, int have, int want)
{
	printf("%s %s", good ? "ok  " : "FAIL", name);
	if (!good)
		printf(" (%d, %d expected)", have, want);
	printf("\n");
	failures += !good;
}

/* The next completion of a CQ, within some time; -1: none */
static int status_of(struct ibv_cq *cq)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	struct ibv_wc wc;
	int left;

	for (left = PATIENCE; left; left--) {
		if (ibv_poll_cq(cq, 1, &wc) == 1)
			return wc.status;
		nanosleep(&pause, NULL);
	}
	return -1;
}

static void expect(struct ibv_cq *cq, int want, const char *name)
{
	int have = status_of(cq);

	row(have == want, name, have, want);
}

/* The next asynchronous event of a device, within some time. */
static void expect_event(struct rdma_cm_id *id, int want, const char *name)
{
	struct pollfd fd = { .fd = id->verbs->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	int have = -1;

	if (poll(&fd, 1, PATIENCE) == 1 && !ibv_get_async_event(id->verbs, &event)) {
		have = event.event_type;
		ibv_ack_async_event(&event);
	}
	row(have == want, name, have, want);
}

static void rdma(enum ibv_wr_opcode opcode, uint64_t to, uint32_t rkey,
		 uint32_t lkey, uint32_t length)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)asker.bytes, .length = length, .lkey = lkey,
	};
	struct ibv_send_wr wr = {
		.opcode = opcode, .sg_list = &sge, .num_sge = 1,
		.wr.rdma = { .remote_addr = to, .rkey = rkey },
	}, *bad;

	if (ibv_post_send(asker.id->qp, &wr, &bad))
		die("ibv_post_send");
}

static uint64_t there(void)
{
	return (uintptr_t)hearer.bytes;
}

/* What all the others are compared with. */
static void good(void)
{
	up();
	memset(asker.bytes, 'w', SIZE);
	rdma(IBV_WR_RDMA_WRITE, there(), hearer.mr->rkey, asker.mr->lkey, SIZE);
	expect(asker.id->send_cq, IBV_WC_SUCCESS, "WRITE");
	memset(asker.bytes, 0, SIZE);
	rdma(IBV_WR_RDMA_READ, there(), hearer.mr->rkey, asker.mr->lkey, SIZE);
	expect(asker.id->send_cq, IBV_WC_SUCCESS, "READ of what was written");
	row(!memcmp(asker.bytes, hearer.bytes, SIZE) && asker.bytes[SIZE - 1] == 'w',
	    "and it is that", 0, 0);
	down();
}

static void bad_read(const char *name, uint64_t to, uint32_t rkey)
{
	char line[80];

	up();
	rdma(IBV_WR_RDMA_READ, to, rkey, asker.mr->lkey, 64);
	snprintf(line, sizeof(line), "READ %s", name);
	expect(asker.id->send_cq, IBV_WC_REM_ACCESS_ERR, line);
	snprintf(line, sizeof(line), "READ %s: the other end hears of it", name);
	expect_event(hearer.id, IBV_EVENT_QP_ACCESS_ERR, line);
	down();
}

static void bad_write(void)
{
	up();
	memset(hearer.bytes, 'o', SIZE);
	rdma(IBV_WR_RDMA_WRITE, there() + SIZE - 32, hearer.mr->rkey,
	     asker.mr->lkey, 64);
	expect(asker.id->send_cq, IBV_WC_SUCCESS, "WRITE beyond the end leaves");
	expect_event(hearer.id, IBV_EVENT_QP_ACCESS_ERR,
		     "WRITE beyond the end: the other end hears of it");
	expect_event(asker.id, IBV_EVENT_QP_FATAL,
		     "WRITE beyond the end: this one, too");
	row(hearer.bytes[SIZE - 32] == 'o', "and no byte was written",
	    hearer.bytes[SIZE - 32], 'o');
	down();
}

static void may(struct rdma_cm_id *id, int access)
{
	struct ibv_qp_attr attr = { .qp_access_flags = access };

	if (ibv_modify_qp(id->qp, &attr, IBV_QP_ACCESS_FLAGS))
		die("ibv_modify_qp");
}

/* The key grants both; the queue pair one of them. */
static void rights(void)
{
	up();
	may(hearer.id, IBV_ACCESS_REMOTE_READ);
	rdma(IBV_WR_RDMA_READ, there(), hearer.mr->rkey, asker.mr->lkey, 64);
	expect(asker.id->send_cq, IBV_WC_SUCCESS, "READ of a queue pair for READs");
	memset(hearer.bytes, 'o', SIZE);
	rdma(IBV_WR_RDMA_WRITE, there(), hearer.mr->rkey, asker.mr->lkey, 64);
	expect(asker.id->send_cq, IBV_WC_SUCCESS, "WRITE to a queue pair for READs leaves");
	expect_event(hearer.id, IBV_EVENT_QP_ACCESS_ERR,
		     "WRITE to a queue pair for READs: the other end hears of it");
	row(hearer.bytes[0] == 'o', "and no byte was written", hearer.bytes[0], 'o');
	down();

	up();
	may(hearer.id, IBV_ACCESS_REMOTE_WRITE);
	rdma(IBV_WR_RDMA_WRITE, there(), hearer.mr->rkey, asker.mr->lkey, 64);
	expect(asker.id->send_cq, IBV_WC_SUCCESS, "WRITE to a queue pair for WRITEs");
	rdma(IBV_WR_RDMA_READ, there(), hearer.mr->rkey, asker.mr->lkey, 64);
	expect(asker.id->send_cq, IBV_WC_REM_ACCESS_ERR, "READ of a queue pair for WRITEs");
	expect_event(hearer.id, IBV_EVENT_QP_ACCESS_ERR,
		     "READ of a queue pair for WRITEs: the other end hears of it");
	down();
}

static void no_request(void)
{
	up();
	rdma(IBV_WR_SEND, 0, 0, asker.mr->lkey, 64);
	expect(asker.id->send_cq, IBV_WC_SUCCESS, "SEND without a receive leaves");
	expect_event(hearer.id, IBV_EVENT_QP_REQ_ERR,
		     "SEND without a receive: the other end hears of it");
	down();
}

static void too_long(void)
{
	up();
	if (rdma_post_recv(hearer.id, NULL, hearer.bytes, 32, hearer.mr))
		die("rdma_post_recv");
	rdma(IBV_WR_SEND, 0, 0, asker.mr->lkey, 64);
	expect(hearer.id->recv_cq, IBV_WC_LOC_LEN_ERR,
	       "SEND that is too long for its request");
	down();
}

static void bad_local(void)
{
	up();
	rdma(IBV_WR_SEND, 0, 0, asker.mr->lkey + 1, 64);
	expect(asker.id->send_cq, IBV_WC_LOC_PROT_ERR, "SEND from memory of no key");
	rdma(IBV_WR_SEND, 0, 0, asker.mr->lkey, 64);
	expect(asker.id->send_cq, IBV_WC_WR_FLUSH_ERR, "and what follows is flushed");
	down();
}

static void flush(void)
{
	up();
	if (rdma_post_recv(hearer.id, NULL, hearer.bytes, 32, hearer.mr))
		die("rdma_post_recv");
	rdma_disconnect(asker.id);
	expect(hearer.id->recv_cq, IBV_WC_WR_FLUSH_ERR,
	       "a request that waits when the peer disconnects");
	down();
}

int main(int argc, char **argv)
{
	address = argc > 1 ? argv[1] : "10.0.0.1";
	setvbuf(stdout, NULL, _IOLBF, 0);
	good();
	up();
	down();
	row(1, "a connection without a message", 0, 0);
	bad_read("of no key", 0, 0xdead00);
	up();
	{
		uint64_t to = there();
		uint32_t rkey = hearer.mr->rkey;

		down();
		bad_read("of a key that is gone", to, rkey);
	}
	bad_write();
	rights();
	no_request();
	too_long();
	bad_local();
	flush();
	good();
	return failures ? 1 : 0;
}
