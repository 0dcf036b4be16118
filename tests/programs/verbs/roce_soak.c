// SPDX-License-Identifier: GPL-2.0
/*
 * Traffic of every kind between two devices, each driven by a process of its own
 * in the network namespace of its device, over a link that may lose, reorder,
 * duplicate and corrupt. Both processes make the same plan from the same seed,
 * so each knows every byte its memory must hold, guards included.
 *
 * roce_soak DEV-A GID-INDEX-A NETNS-B DEV-B GID-INDEX-B SEED MODE
 *   run:N,MAX[,break]  N messages of at most MAX bytes; RC: all arrive, once. UC
 *                      and UD: what arrives is right. break: flip a byte, fail
 *   cut:COMMAND        retries run out after COMMAND has cut the link
 *   rnr:               retries run out because nothing is posted to receive
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "soak_memory.h"
#include "soak_talk.h"

#define QUIET 60		/* milliseconds: nothing is on its way any more */
#define QKEY 0x11223344
#define RECEIVED (1ULL << 32)	/* in wr_id */

struct side {
	union ibv_gid gid;
	uint32_t qpn[QPS], psn[QPS], rkey;
	uint64_t area;
};

static int gid_index, failures;
static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static struct ibv_qp *qp[QPS];
static struct ibv_ah *ah;
static struct side sides[2];
static int retry_cnt = 7, rnr_retry = 7, timeout = 14;
static long sent[3], arrived[3];

static void fail(const char *what, const struct message *m, long number)
{
	failures++;
	printf("%c: FAIL %s: %ld", 'A' + me, what, number);
	if (m)
		printf(", batch %ld message %d: op %d, %u bytes, lane %d, by %c%s", batch,
		       (int)(m - plan), m->op, m->size, m->lane, 'A' + m->side,
		       m->inlined ? ", inline" : "");
	printf("\n");
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int readable(int ms)
{
	struct pollfd p = { .fd = channel->fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

/* The next completion by way of its event; false: none within so many seconds. */
static int completion(struct ibv_wc *wc, double seconds)
{
	double end = now() + seconds;
	int n, waited = 0;

	for (;;) {
		n = ibv_poll_cq(cq, 1, wc);
		if (!n) {
			NEED(!ibv_req_notify_cq(cq, 0));
			n = ibv_poll_cq(cq, 1, wc);
		} else if (waited && !readable(500)) {
			fail("a completion without its event", NULL, wc->wr_id);
		}
		NEED(n >= 0);
		if (n)
			return 1;
		if (now() >= end)
			return 0;
		waited = !readable(seconds < 1 ? seconds * 1000 : 1000);
		if (!waited) {
			struct ibv_cq *which;
			void *context;

			NEED(!ibv_get_cq_event(channel, &which, &context));
			ibv_ack_cq_events(cq, 1);
		}
	}
}

/* ---- set up -------------------------------------------------------------------- */

static void create_qp(int lane)
{
	struct ibv_qp_init_attr a = {
		.send_cq = cq, .recv_cq = cq,
		.qp_type = lane == UC ? IBV_QPT_UC : lane == UD ? IBV_QPT_UD : IBV_QPT_RC,
		.cap = { .max_send_wr = BATCH, .max_recv_wr = BATCH, .max_send_sge = SGES,
			 .max_recv_sge = SGES, .max_inline_data = INLINE },
	};

	NEED(qp[lane] = ibv_create_qp(pd, &a));
}

static void set_up(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		     IBV_ACCESS_REMOTE_ATOMIC;

	NEED(list);
	for (; *list && strcmp(ibv_get_device_name(*list), name); list++)
		;
	NEED(*list);
	NEED(ctx = ibv_open_device(*list));
	NEED(!ibv_query_gid(ctx, 1, gid_index, &sides[me].gid));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(channel = ibv_create_comp_channel(ctx));
	NEED(cq = ibv_create_cq(ctx, 2 * QPS * BATCH, NULL, channel, 0));
	NEED(!posix_memalign((void **)&area, 4096, AREA));
	NEED(image = malloc(AREA));
	memset(area, 0, AREA);
	for (int i = 0; i < 2; i++)
		NEED(mr[i] = ibv_reg_mr(pd, area, AREA, access));
	sides[me].area = (uintptr_t)area;
	sides[me].rkey = mr[0]->rkey;
	for (int i = 0; i < QPS; i++) {
		create_qp(i);
		sides[me].qpn[i] = qp[i]->qp_num;
		sides[me].psn[i] = mix(dice + i * 2 + me) & 0xffffff;
	}
	exchange(&sides[me], &sides[!me], sizeof(sides[0]));
}

static struct ibv_ah_attr address(void)
{
	return (struct ibv_ah_attr){
		.is_global = 1, .port_num = 1,
		.grh = { .dgid = sides[!me].gid, .sgid_index = gid_index, .hop_limit = 64 },
	};
}

static void connect_qp(int lane)
{
	int rc = lane < LANES, ud = lane == UD;
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				   IBV_ACCESS_REMOTE_ATOMIC,
	};

	NEED(!ibv_modify_qp(qp[lane], &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS)));
	a = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .ah_attr = address(),
		.dest_qp_num = sides[!me].qpn[lane], .rq_psn = sides[!me].psn[lane],
		.max_dest_rd_atomic = 4, .min_rnr_timer = 12,
	};
	NEED(!ibv_modify_qp(qp[lane], &a, IBV_QP_STATE | (ud ? 0 : IBV_QP_AV | IBV_QP_PATH_MTU |
			    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN) |
			    (rc ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0)));
	a = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .sq_psn = sides[me].psn[lane], .timeout = timeout,
		.retry_cnt = retry_cnt, .rnr_retry = rnr_retry, .max_rd_atomic = 4,
	};
	NEED(!ibv_modify_qp(qp[lane], &a, IBV_QP_STATE | IBV_QP_SQ_PSN |
			    (rc ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			     IBV_QP_MAX_QP_RD_ATOMIC : 0)));
}

static void connect_all(void)
{
	for (int i = 0; i < QPS; i++)
		connect_qp(i);
	if (!ah) {
		struct ibv_ah_attr a = address();

		NEED(ah = ibv_create_ah(pd, &a));
	}
	meet();
}

/* What waits to be received is forgotten; what is still under way can't match. */
static void restart(int lane)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RESET };

	NEED(!ibv_modify_qp(qp[lane], &a, IBV_QP_STATE));
	for (int s = 0; s < 2; s++)
		sides[s].psn[lane] = roll(1 << 24);
	connect_qp(lane);
}

/* ---- posting --------------------------------------------------------------------- */

static void post_receives(int kind)
{
	struct ibv_sge sge[SGES];
	struct ibv_recv_wr wr = { .sg_list = sge }, *bad;
	uint32_t from;

	if (kind) {
		for (int i = 0; i < BATCH; i++) {
			sge[0] = (struct ibv_sge){
				(uintptr_t)area + slots_at + i * (slot_size + GUARD), slot_size,
				mr[0]->lkey };
			wr.wr_id = RECEIVED | i;
			wr.num_sge = 1;
			NEED(!ibv_post_recv(qp[kind], &wr, &bad));
		}
		return;
	}
	for (int i = 0; i < messages; i++) {
		struct message *m = &plan[i];

		if (m->side == me || !takes_receive(m))
			continue;
		wr.wr_id = RECEIVED | i;
		wr.num_sge = is_send(m) ? m->pieces[me] : 0;
		for (int p = 0; p < wr.num_sge; p++)
			sge[p] = piece(m, me, p, &from);
		NEED(!ibv_post_recv(qp[m->lane], &wr, &bad));
	}
}

static void post_send(const struct message *m)
{
	struct ibv_sge sge[SGES];
	struct ibv_send_wr *bad, wr = {
		.wr_id = m - plan, .sg_list = sge, .num_sge = m->pieces[me], .opcode = m->op,
		.imm_data = imm_of(m),
		.send_flags = m->flags | (m->inlined ? IBV_SEND_INLINE : 0) |
			      (m->signaled ? IBV_SEND_SIGNALED : 0),
	};
	uint32_t from;

	for (int p = 0; p < m->pieces[me]; p++)
		sge[p] = piece(m, me, p, &from);
	if (is_atomic(m)) {
		wr.wr.atomic.remote_addr = sides[!me].area + 8 * m->lane;
		wr.wr.atomic.rkey = sides[!me].rkey;
		wr.wr.atomic.compare_add = m->add;
		wr.wr.atomic.swap = m->swap;
	} else if (m->lane == UD) {
		wr.wr.ud.ah = ah;
		wr.wr.ud.remote_qpn = sides[!me].qpn[UD];
		wr.wr.ud.remote_qkey = QKEY;
	} else {
		wr.wr.rdma.remote_addr = sides[!me].area + m->at[!me];
		wr.wr.rdma.rkey = sides[!me].rkey;
	}
	NEED(!ibv_post_send(qp[m->lane], &wr, &bad));
	/* An inline message has been taken: its memory is ours again. */
	if (m->inlined)
		text(area + m->at[me], filler, m->at[me], m->size);
}

/* ---- completions ------------------------------------------------------------------ */

static void check_sent(const struct ibv_wc *wc, int *last)
{
	static const enum ibv_wc_opcode codes[] = {
		[IBV_WR_SEND] = IBV_WC_SEND, [IBV_WR_SEND_WITH_IMM] = IBV_WC_SEND,
		[IBV_WR_RDMA_WRITE] = IBV_WC_RDMA_WRITE,
		[IBV_WR_RDMA_WRITE_WITH_IMM] = IBV_WC_RDMA_WRITE,
		[IBV_WR_RDMA_READ] = IBV_WC_RDMA_READ,
		[IBV_WR_ATOMIC_CMP_AND_SWP] = IBV_WC_COMP_SWAP,
		[IBV_WR_ATOMIC_FETCH_AND_ADD] = IBV_WC_FETCH_ADD,
	};
	const struct message *m = &plan[wc->wr_id % BATCH];

	if (wc->status)
		fail(ibv_wc_status_str(wc->status), m, wc->status);
	else if (wc->opcode != codes[m->op])
		fail("opcode", m, wc->opcode);
	if (!m->signaled || m->side != me || wc->wr_id >= BATCH)
		fail("a completion without a request", m, wc->wr_id);
	if (wc->qp_num != qp[m->lane]->qp_num)
		fail("qp_num", m, wc->qp_num);
	if ((int)wc->wr_id <= last[m->lane])
		fail("order of completions", m, last[m->lane]);
	last[m->lane] = wc->wr_id;
}

static void check_flags(const struct ibv_wc *wc, const struct message *m)
{
	if (wc->opcode != (is_send(m) ? IBV_WC_RECV : IBV_WC_RECV_RDMA_WITH_IMM))
		fail("opcode", m, wc->opcode);
	if (wc->byte_len != m->size + (m->lane == UD ? GRH : 0))
		fail("byte_len", m, wc->byte_len);
	if (!!(wc->wc_flags & IBV_WC_WITH_IMM) != has_imm(m) ||
	    !!(wc->wc_flags & IBV_WC_GRH) != (m->lane == UD))
		fail("flags", m, wc->wc_flags);
	if (has_imm(m) && wc->imm_data != imm_of(m))
		fail("imm_data", m, wc->imm_data);
	if (m->lane == UD && wc->src_qp != sides[!me].qpn[UD])
		fail("src_qp", m, wc->src_qp);
}

static void check_received(const struct ibv_wc *wc, int *last)
{
	int i = (uint32_t)wc->wr_id;
	const struct message *m = &plan[i % BATCH];

	if (wc->status) {
		fail(ibv_wc_status_str(wc->status), m, wc->status);
		return;
	}
	check_flags(wc, m);
	if (m->side == me || !takes_receive(m) || wc->qp_num != qp[m->lane]->qp_num)
		fail("a receive of another message", m, wc->wr_id);
	if (i <= last[m->lane])
		fail("order of receives", m, last[m->lane]);
	last[m->lane] = i;
}

/* UC, UD: which message is it? By its immediate, or by its contents. */
static void check_stray(const struct ibv_wc *wc, uint32_t *filled)
{
	uint32_t slot = (uint32_t)wc->wr_id % BATCH, skip = wc->qp_num == qp[UD]->qp_num ? GRH : 0;
	uint8_t *data = area + slots_at + slot * (slot_size + GUARD) + skip;
	uint32_t imm = wc->imm_data ^ imm_of(plan), size = wc->byte_len - skip;
	int with = !!(wc->wc_flags & IBV_WC_WITH_IMM);

	if (wc->status) {
		fail(ibv_wc_status_str(wc->status), NULL, wc->status);
		return;
	}
	for (struct message *m = plan; m < plan + messages; m++) {
		if (m->side == me || !takes_receive(m) || has_imm(m) != with ||
		    (with ? imm != m - plan : size != m->size))
			continue;
		text(image, m->seed, 0, m->size);
		if (memcmp(image, is_send(m) ? data : area + m->at[me], m->size)) {
			if (with)
				fail("wrong bytes in what arrived", m, slot);
			continue;
		}
		check_flags(wc, m);
		filled[slot] = is_send(m) ? skip + size : 0;
		arrived[skip ? 2 : 1]++;
		return;
	}
	fail("a message that was not sent, bytes", NULL, wc->byte_len);
}

static void check_area(const uint32_t *filled)
{
	uint32_t first;
	long wrong = count_wrong(filled, &first);

	if (!wrong)
		return;
	fail("wrong bytes", owner(first), wrong);
	printf("   the first at %#x (its message at %#x): %02x, not %02x\n", first,
	       owner(first) ? owner(first)->at[me] : 0, area[first], image[first]);
}

/* ---- batches --------------------------------------------------------------------------- */

static void finish_rc(void)
{
	int left = 0, last_sent[QPS], last_received[QPS];
	struct ibv_wc wc;

	memset(last_sent, -1, sizeof(last_sent));
	memset(last_received, -1, sizeof(last_received));
	for (int i = 0; i < messages; i++)
		left += plan[i].side == me ? plan[i].signaled : takes_receive(&plan[i]);
	for (; left && !failures; left--) {
		if (!completion(&wc, HANG)) {
			fail("hangs, completions left", NULL, left);
			return;
		}
		if (wc.wr_id & RECEIVED)
			check_received(&wc, last_received);
		else
			check_sent(&wc, last_sent);
	}
}

/* All that is ours to send has been sent; what comes in ends with silence. */
static void finish_loose(uint32_t *filled)
{
	int left = 0, met = 0, last[QPS];
	struct ibv_wc wc;

	memset(last, -1, sizeof(last));
	for (int i = 0; i < messages; i++)
		left += plan[i].side == me && plan[i].signaled;
	for (;;) {
		int got = completion(&wc, left ? HANG : QUIET / 1000.0);

		if (!got && left) {
			fail("hangs, completions left", NULL, left);
			return;
		}
		if (!got && met++)
			return;
		if (!got)
			meet();
		else if (wc.wr_id & RECEIVED)
			check_stray(&wc, filled);
		else
			check_sent(&wc, last), left--;
	}
}

/* Both go on, or neither. */
static int both_fine(void)
{
	int theirs;

	exchange(&failures, &theirs, sizeof(theirs));
	return !failures && !theirs;
}

static int run_batch(int kind, int count, int spoil)
{
	uint32_t filled[BATCH] = { 0 };
	int late = !kind && !roll(4);
	struct ibv_wc wc;

	batch++;
	if (kind)
		restart(kind);
	make_plan(kind, count);
	fill_area();
	if (!late)
		post_receives(kind);
	meet();
	for (int i = 0; i < messages; i++) {
		sent[kind ? kind - UC + 1 : 0] += plan[i].side != me && (!kind || takes_receive(&plan[i]));
		if (plan[i].side == me)
			post_send(&plan[i]);
	}
	if (late) {
		usleep(3000);
		post_receives(kind);
	}
	if (kind)
		finish_loose(filled);
	else
		finish_rc();
	meet();
	if (spoil && me)
		area[plan[0].at[me] - 1] ^= 1;
	check_area(kind ? filled : NULL);
	if (ibv_poll_cq(cq, 1, &wc))
		fail("one completion too many", NULL, wc.wr_id);
	return both_fine();
}

static void run(const char *arg)
{
	long total = strtol(arg, (char **)&arg, 0), done = 0;
	int most = total / 5 + 1, spoil;

	if (most > BATCH)
		most = BATCH;
	max_size = strtol(arg + 1, (char **)&arg, 0);
	spoil = *arg == ',';
	while (done < total) {
		/* One of each first, so that a short run has them all. */
		int pick = batch < 3 ? batch : roll(10);
		int kind = pick == 1 ? UC : pick == 2 ? UD : 0;
		int count = total - done < most ? total - done : most;

		if (!run_batch(kind, count, spoil))
			break;
		done += count;
	}
	printf("%c: %ld messages of both; to here RC %ld, UC %ld of %ld, UD %ld of %ld\n", 'A' + me,
	       done, sent[0], arrived[1], sent[1], arrived[2], sent[2]);
	if (sent[1] + sent[2] > 40 && !(arrived[1] + arrived[2]))
		fail("UC and UD move nothing", NULL, 0);
}

static void expect(uint64_t id, enum ibv_wc_status status)
{
	struct ibv_wc wc;

	if (!completion(&wc, HANG)) {
		fail("hangs, waits for the status of", NULL, id);
		return;
	}
	printf("%c: %ld: %s\n", 'A' + me, (long)wc.wr_id, ibv_wc_status_str(wc.status));
	if (wc.wr_id != id || wc.status != status)
		fail(ibv_wc_status_str(wc.status), NULL, wc.wr_id);
}

static enum ibv_qp_state state_of(struct ibv_qp *q)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	NEED(!ibv_query_qp(q, &a, IBV_QP_STATE, &init));
	return a.qp_state;
}

static void post_plain(uint64_t id, enum ibv_wr_opcode op)
{
	struct ibv_sge sge = { (uintptr_t)area + HEAD, 5000, mr[0]->lkey };
	struct ibv_send_wr *bad, wr = {
		.wr_id = id, .sg_list = &sge, .num_sge = 1, .opcode = op,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { sides[!me].area + HEAD, sides[!me].rkey },
	};

	NEED(!ibv_post_send(qp[0], &wr, &bad));
}

/* A's requests fail after their retries, in order, and so does what comes later. */
static void run_out(const char *command, enum ibv_wr_opcode op, enum ibv_wc_status status)
{
	struct ibv_recv_wr receive = { .wr_id = RECEIVED }, *bad;

	if (command[0]) {
		post_plain(0, IBV_WR_RDMA_WRITE);
		expect(0, IBV_WC_SUCCESS);
		meet();
		if (!me)
			NEED(!system(command));
		meet();
	}
	if (!me) {
		for (int i = 1; i <= 4; i++)
			post_plain(i, op);
		expect(1, status);
		for (int i = 2; i <= 4; i++)
			expect(i, IBV_WC_WR_FLUSH_ERR);
		if (state_of(qp[0]) != IBV_QPS_ERR)
			fail("state", NULL, state_of(qp[0]));
		post_plain(5, op);
		expect(5, IBV_WC_WR_FLUSH_ERR);
		NEED(!ibv_post_recv(qp[0], &receive, &bad));
		expect(RECEIVED, IBV_WC_WR_FLUSH_ERR);
	}
	meet();
	if (me && state_of(qp[0]) != IBV_QPS_RTS)
		fail("state of the other side", NULL, state_of(qp[0]));
}

int main(int argc, char **argv)
{
	int pair[2], status, fd;
	pid_t child;

	if (argc < 8)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	dice = mix(strtoull(argv[6], NULL, 0));
	NEED(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	NEED((child = fork()) >= 0);
	me = !child;
	control = pair[me];
	close(pair[!me]);
	if (me) {
		NEED((fd = open(argv[3], O_RDONLY)) >= 0);
		NEED(!setns(fd, CLONE_NEWNET));
	}
	gid_index = atoi(argv[me ? 5 : 2]);
	set_up(argv[me ? 4 : 1]);
	if (argv[7][0] != 'r' || argv[7][1] != 'u')
		retry_cnt = 2, rnr_retry = 2, timeout = 12;
	connect_all();
	if (!strncmp(argv[7], "run:", 4))
		run(argv[7] + 4);
	else if (!strncmp(argv[7], "cut:", 4))
		run_out(argv[7] + 4, IBV_WR_RDMA_WRITE, IBV_WC_RETRY_EXC_ERR);
	else
		run_out("", IBV_WR_SEND, IBV_WC_RNR_RETRY_EXC_ERR);
	if (me)
		return failures != 0;
	NEED(waitpid(child, &status, 0) == child);
	printf("seed %s: %s\n", argv[6], failures || status ? "failed" : "no failure");
	return failures || status;
}
