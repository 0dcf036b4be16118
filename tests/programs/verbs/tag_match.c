// SPDX-License-Identifier: GPL-2.0
/*
 * Tag matching: senders on RC queue pairs, and one shared receive queue that matches what comes.
 * This process is both, and a small message passing library on top: it keeps unexpected messages,
 * cancels buffers, and says late what it has handled. Every byte is compared, and the pairs at the
 * end of each episode with the rule of MPI.
 *
 * usage: tag_match DEVICE GID-INDEX MESSAGES SEED fetch|leave: the device fetches data, or does not
 */
#include <endian.h>

#include "rxe_ring.h"
#include "tag_messages.h"
#include "verdict.h"

#define RECVS		(MESSAGES + SENDERS)
#define TAGS		64
#define FIN		64
#define HANG		120000

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static struct ibv_cq *send_cq;
static struct ibv_cq_ex *cq;
static struct ibv_srq *srq;
static struct ibv_qp *from[SENDERS], *to[SENDERS];
static union ibv_gid gid;
static uint8_t *area, *sent_at, *bufs_at, *recvs_at, *fins_at;

static int gid_index, arrived, sends_ended, cancels_due, fins_due;
static bool fetches;
static uint32_t handled;
static uint64_t rnd;
static long kept_pairs, unexpected, untagged, cancels, late_cancels, split, rendezvous;

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- what is sent ------------------------------------------------------------------ */

static void write_headers(int msg, uint8_t *at)
{
	static const uint8_t opcodes[] = { IBV_TMH_EAGER, IBV_TMH_RNDV, IBV_TMH_NO_TAG };
	const struct message *m = &msgs[msg];
	struct ibv_tmh tmh = { .opcode = opcodes[m->kind] };
	struct ibv_rvh rvh = {
		htobe64((uintptr_t)sent_at + msg * SLOT + sizeof(tmh) + sizeof(rvh)),
		htobe32(mr->rkey), htobe32(m->bytes),
	};

	tmh.app_ctx = htobe32(msg);
	tmh.tag = htobe64(m->tag);
	memcpy(at, &tmh, sizeof(tmh));
	if (m->kind == RNDV)
		memcpy(at + sizeof(tmh), &rvh, sizeof(rvh));
}

static void send_one(void)
{
	int msg = num_msgs++, i, head;
	struct message *m = &msgs[msg];
	uint8_t *at = sent_at + msg * SLOT;
	struct ibv_sge sge = { (uintptr_t)at, 0, mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.wr_id = msg, .opcode = IBV_WR_SEND, .sg_list = &sge, .num_sge = 1,
	};

	*m = (struct message){ .sender = below(&rnd, SENDERS), .buf = NONE, .recv = NONE };
	m->kind = below(&rnd, 6) ? EAGER : below(&rnd, KINDS);
	m->bytes = below(&rnd, 3) ? below(&rnd, 64) : below(&rnd, BYTES);
	m->tag = (uint64_t)m->sender << 32 | below(&rnd, 3);
	write_headers(msg, at);
	head = header_bytes(m);
	for (i = 0; i < m->bytes; i++)
		at[head + i] = byte_of(msg, i);
	sge.length = head + m->bytes;
	NEED(!(errno = ibv_post_send(from[m->sender], &wr, &bad)));
}

static void post_fin(int i)
{
	struct ibv_sge sge = { (uintptr_t)fins_at + i * FIN, FIN, mr->lkey };
	struct ibv_recv_wr *bad, wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 };

	NEED(!(errno = ibv_post_recv(from[i / MESSAGES], &wr, &bad)));
}

/* The buffer of a rendezvous request can be used again. */
static void see_fin(const struct ibv_wc *wc)
{
	uint8_t want[sizeof(struct ibv_tmh) + sizeof(struct ibv_rvh)];
	uint8_t *at = fins_at + wc->wr_id * FIN;
	int msg = be32toh(((struct ibv_tmh *)at)->app_ctx);

	if (msg >= num_msgs || wc->byte_len != sizeof(want) || msgs[msg].kind != RNDV ||
	    msgs[msg].sender != (int)wc->wr_id / MESSAGES)
		fail("FIN", (int)wc->wr_id, msg);
	write_headers(msg, want);
	want[0] = IBV_TMH_FIN;
	if (memcmp(at, want, sizeof(want)))
		fail("headers of a FIN", (int)wc->wr_id, msg);
	/* What comes after it was sent before: it is not read any more. */
	memset(sent_at + msg * SLOT, 0, SLOT);
	fins_due--;
	post_fin(wc->wr_id);
}

static void poll_sends(void)
{
	struct ibv_wc wc[8];
	int n = ibv_poll_cq(send_cq, 8, wc), i;

	NEED(n >= 0);
	for (i = 0; i < n; i++) {
		if (wc[i].status != IBV_WC_SUCCESS)
			fail(ibv_wc_status_str(wc[i].status), (int)wc[i].wr_id, wc[i].vendor_err);
		if (wc[i].opcode == IBV_WC_RECV)
			see_fin(&wc[i]);
		else
			sends_ended++;
	}
}

/* ---- the library -------------------------------------------------------------------- */

static void operate(struct ibv_ops_wr *wr)
{
	struct ibv_ops_wr *bad;

	wr->tm.unexpected_cnt = handled;
	if (below(&rnd, 2) || wr->opcode == IBV_WR_TAG_SYNC)
		wr->flags |= IBV_OPS_TM_SYNC;
	NEED(!(errno = ibv_post_srq_ops(srq, wr, &bad)));
}

static void cancel_at_device(int buf)
{
	struct ibv_ops_wr wr = {
		.wr_id = buf, .opcode = IBV_WR_TAG_DEL, .flags = IBV_OPS_SIGNALED,
		.tm.handle = bufs[buf].handle,
	};

	operate(&wr);
	cancels_due++;
}

/* Of an unexpected message: the payload of its request. */
static void deliver(int msg, int buf)
{
	compare("unexpected message", msg, recvs_at + msgs[msg].recv * SLOT +
		header_bytes(&msgs[msg]));
	bufs[buf].ended = true;
	pair_up(msg, buf);
	kept_pairs++;
}

static void post_recv(int i)
{
	struct ibv_sge sge = { (uintptr_t)recvs_at + i * SLOT, SLOT, mr->lkey };
	struct ibv_recv_wr *bad, wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 };

	NEED(!(errno = ibv_post_srq_recv(srq, &wr, &bad)));
}

/* A buffer wants a message; the oldest that is kept and fits, or one to come. */
static void post_buffer(void)
{
	static const uint64_t masks[] = { ~0ULL, 0xffffffff, ~0ULL << 32, 0, ~0ULL, 0xffffffff };
	struct ibv_ops_wr wr = { .opcode = IBV_WR_TAG_ADD };
	struct ibv_sge sge[2];
	int buf = num_bufs++, i;
	struct buffer *b = &bufs[buf];

	*b = (struct buffer){ .mask = masks[below(&rnd, 6)], .msg = NONE };
	b->tag = ((uint64_t)below(&rnd, SENDERS) << 32 | below(&rnd, 3)) & b->mask;
	for (i = 0; i < num_msgs; i++)
		if (msgs[i].kept && fits(b, &msgs[i])) {
			msgs[i].kept = false;
			deliver(i, buf);
			return;
		}
	memset(bufs_at + buf * SLOT, 0xee, SLOT);
	sge[0] = (struct ibv_sge){ (uintptr_t)bufs_at + buf * SLOT, 100, mr->lkey };
	sge[1] = (struct ibv_sge){ (uintptr_t)bufs_at + buf * SLOT + 100, SLOT - 100, mr->lkey };
	wr.wr_id = 1000 + buf;
	wr.flags = below(&rnd, 2) ? IBV_OPS_SIGNALED : 0;
	wr.tm.add.recv_wr_id = buf;
	wr.tm.add.sg_list = sge;
	wr.tm.add.num_sge = 2;
	wr.tm.add.tag = b->tag;
	wr.tm.add.mask = b->mask;
	operate(&wr);
	b->handle = wr.tm.handle;
	b->posted = true;
}

static void see_unexpected(int recv, int length)
{
	const struct ibv_tmh *tmh = (void *)(recvs_at + recv * SLOT);
	int msg = be32toh(tmh->app_ctx), i;
	struct message *m = &msgs[msg];

	if (msg >= num_msgs || m->recv != NONE || be64toh(tmh->tag) != m->tag ||
	    length != header_bytes(m) + m->bytes)
		fail("unexpected message", msg, length);
	m->recv = recv;
	unexpected++;
	handled++;
	arrived++;
	for (i = 0; i < num_bufs; i++)
		if (!bufs[i].ended && !bufs[i].cancelling && fits(&bufs[i], m)) {
			/* The device has it still: see_cancelled(). */
			bufs[i].cancelled = false;
			cancel_at_device(i);
			deliver(msg, i);
			return;
		}
	m->kept = true;
}

static void see_untagged(int recv, int length)
{
	const struct ibv_tmh *tmh = (void *)(recvs_at + recv * SLOT);
	int msg = be32toh(tmh->app_ctx);

	if (msg >= num_msgs || msgs[msg].kind != NO_TAG || msgs[msg].recv != NONE ||
	    length != header_bytes(&msgs[msg]) + msgs[msg].bytes)
		fail("message without a tag", msg, length);
	compare("message without a tag", msg, (void *)(tmh + 1));
	msgs[msg].recv = recv;
	untagged++;
	arrived++;
}

static void see_incomplete(int buf)
{
	uint8_t want[sizeof(struct ibv_tmh) + sizeof(struct ibv_rvh)];
	uint8_t *at = bufs_at + buf * SLOT;
	int msg = be32toh(((struct ibv_tmh *)at)->app_ctx);

	if (msg >= num_msgs || msgs[msg].kind != RNDV || fetches)
		fail("a request to fetch data", msg, buf);
	write_headers(msg, want);
	if (memcmp(at, want, sizeof(want)) || at[sizeof(want)] != 0xee)
		fail("headers of a request to fetch data", msg, buf);
	/* Its match may have had a completion before. */
	if (!bufs[buf].waits_for_data) {
		pair_up(msg, buf);
		arrived++;
	}
	bufs[buf].ended = true;
	bufs[buf].waits_for_data = false;
	rendezvous++;
}

static void see_tag(int buf, const struct ibv_wc_tm_info *info)
{
	struct buffer *b = &bufs[buf];
	int msg = info->priv;

	if (buf >= num_bufs || msg >= num_msgs || !b->posted || info->tag != msgs[msg].tag ||
	    msgs[msg].kind == NO_TAG)
		fail("match", buf, msg);
	pair_up(msg, buf);
	b->ended = true;
	b->waits_for_data = true;
	arrived++;
	if (fetches && msgs[msg].kind == RNDV) {
		fins_due++;
		rendezvous++;
	}
}

static void see_match(int buf, int flags)
{
	struct buffer *b = &bufs[buf];
	struct ibv_wc_tm_info info;

	ibv_wc_read_tm_info(cq, &info);
	if (flags & IBV_WC_TM_MATCH) {
		see_tag(buf, &info);
		split += !(flags & IBV_WC_TM_DATA_VALID);
	}
	if (!(flags & IBV_WC_TM_DATA_VALID))
		return;
	/* Of data that was fetched the device says no tag. */
	if (buf >= num_bufs || !b->waits_for_data ||
	    (msgs[b->msg].kind == EAGER && b->msg != (int)info.priv))
		fail("data without a match", buf, info.priv);
	b->waits_for_data = false;
	if ((int)ibv_wc_read_byte_len(cq) != msgs[b->msg].bytes)
		fail("length", b->msg, ibv_wc_read_byte_len(cq));
	compare("expected message", b->msg, bufs_at + buf * SLOT);
	if (bufs_at[buf * SLOT + msgs[b->msg].bytes] != 0xee)
		fail("more than was sent", buf, b->msg);
}

static void see_cancelled(int buf, bool done)
{
	struct buffer *b = &bufs[buf];

	cancels_due--;
	if (!b->cancelling) {
		/* An unexpected message took it: no other can have. */
		if (!done)
			fail("a buffer was taken twice", buf, b->msg);
		return;
	}
	b->cancelling = false;
	if (!done) {
		late_cancels++;
		return;
	}
	cancels++;
	b->cancelled = true;
	b->ended = true;
}

static void see(void)
{
	uint64_t id = cq->wr_id;
	int flags;

	if (cq->status == IBV_WC_TM_RNDV_INCOMPLETE) {
		see_incomplete(id);
		return;
	}
	if (cq->status != IBV_WC_SUCCESS && cq->status != IBV_WC_TM_ERR)
		fail(ibv_wc_status_str(cq->status), (int)id, ibv_wc_read_opcode(cq));
	flags = ibv_wc_read_wc_flags(cq);
	switch ((int)ibv_wc_read_opcode(cq)) {
	case IBV_WC_TM_ADD:
	case IBV_WC_TM_SYNC:
		break;
	case IBV_WC_TM_DEL:
		see_cancelled(id, cq->status == IBV_WC_SUCCESS);
		break;
	case IBV_WC_TM_NO_TAG:
		see_untagged(id, ibv_wc_read_byte_len(cq));
		break;
	case IBV_WC_TM_RECV:
		if (flags & (IBV_WC_TM_MATCH | IBV_WC_TM_DATA_VALID))
			see_match(id, flags);
		else
			see_unexpected(id, ibv_wc_read_byte_len(cq));
		break;
	default:
		fail("opcode", ibv_wc_read_opcode(cq), (int)id);
	}
}

/* Up to @most. */
static int poll_events(int most)
{
	struct ibv_poll_cq_attr attr = {};
	int n;

	for (n = 0; n < most && !ibv_start_poll(cq, &attr); n++) {
		see();
		ibv_end_poll(cq);
	}
	return n;
}

static void sync_counts(void)
{
	struct ibv_ops_wr wr = { .wr_id = 1, .opcode = IBV_WR_TAG_SYNC };

	wr.flags = below(&rnd, 2) ? IBV_OPS_SIGNALED : 0;
	operate(&wr);
}

static void cancel_one(void)
{
	int buf = below(&rnd, BUFFERS);

	if (buf >= num_bufs || bufs[buf].ended || bufs[buf].cancelling)
		return;
	bufs[buf].cancelling = true;
	cancel_at_device(buf);
}

/* ---- episodes ------------------------------------------------------------------------- */

static void step(void)
{
	switch (below(&rnd, 10)) {
	case 0 ... 2:
		if (num_msgs < MESSAGES)
			send_one();
		break;
	case 3 ... 5:
		if (num_bufs < BUFFERS)
			post_buffer();
		break;
	case 6 ... 7:
		poll_events(1 + below(&rnd, 3));
		break;
	case 8:
		sync_counts();
		break;
	default:
		cancel_one();
		break;
	}
	poll_sends();
}

static bool is_quiet(void)
{
	int i;

	for (i = 0; i < num_bufs; i++)
		if (bufs[i].waits_for_data)
			return false;
	return arrived == num_msgs && sends_ended == num_msgs && !cancels_due && !fins_due;
}

static void settle(void)
{
	long begin = now_ms();

	while (!is_quiet()) {
		poll_sends();
		if (!poll_events(1))
			sched_yield();
		if (now_ms() - begin > HANG)
			fail("messages do not arrive", arrived, num_msgs);
	}
	while (poll_events(1))
		;
}

static void episode(void)
{
	int i;

	num_msgs = num_bufs = arrived = sends_ended = 0;
	while (num_msgs < MESSAGES)
		step();
	settle();
	/* Buffers that are pending are active now, and none is left behind for that. */
	sync_counts();
	settle();
	look_at_pairs();
	for (i = 0; i < num_bufs; i++)
		if (!bufs[i].ended) {
			bufs[i].cancelling = true;
			cancel_at_device(i);
		}
	settle();
	for (i = 0; i < num_msgs; i++)
		if (msgs[i].recv != NONE)
			post_recv(msgs[i].recv);
}

/* ---- objects --------------------------------------------------------------------------- */

static struct ibv_qp *new_qp(struct ibv_srq *shared, int sends)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1, .srq = shared,
		.send_cq = send_cq, .recv_cq = send_cq,
		.cap = { .max_send_wr = sends, .max_recv_wr = MESSAGES, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp *qp;

	NEED(qp = ibv_create_qp(pd, &init));
	return qp;
}

static void make_queues(void)
{
	struct ibv_cq_init_attr_ex cq_init = {
		.cqe = 512, .wc_flags = IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_TM_INFO,
	};
	struct ibv_srq_init_attr_ex srq_init = {
		.attr = { .max_wr = RECVS, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_CQ |
			     IBV_SRQ_INIT_ATTR_TM,
		.srq_type = IBV_SRQT_TM, .pd = pd, .tm_cap = { .max_num_tags = TAGS, .max_ops = 8 },
	};
	int i;

	NEED(send_cq = ibv_create_cq(ctx, 2 * SENDERS * MESSAGES, NULL, NULL, 0));
	NEED(cq = ibv_create_cq_ex(ctx, &cq_init));
	srq_init.cq = ibv_cq_ex_to_cq(cq);
	NEED(srq = ibv_create_srq_ex(ctx, &srq_init));
	for (i = 0; i < SENDERS; i++) {
		from[i] = new_qp(NULL, MESSAGES);
		to[i] = new_qp(srq, fetches ? 0 : MESSAGES);
	}
	for (i = 0; i < SENDERS; i++) {
		NEED(!(errno = qp_ready(from[i], gid_index, &gid, to[i]->qp_num, 0, 0, 14)));
		NEED(!(errno = qp_ready(to[i], gid_index, &gid, from[i]->qp_num, 0, 0, 14)));
	}
}

static void make_objects(void)
{
	size_t bytes = (MESSAGES + BUFFERS + RECVS) * (size_t)SLOT + SENDERS * MESSAGES * FIN;
	int i;

	area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(area != MAP_FAILED);
	sent_at = area;
	bufs_at = sent_at + MESSAGES * SLOT;
	recvs_at = bufs_at + BUFFERS * SLOT;
	fins_at = recvs_at + RECVS * SLOT;
	NEED(!ibv_query_gid(ctx, 1, gid_index, &gid));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(mr = ibv_reg_mr(pd, area, bytes, RIGHTS));
	make_queues();
	for (i = 0; i < RECVS; i++)
		post_recv(i);
	for (i = 0; i < SENDERS * MESSAGES; i++)
		post_fin(i);
}

static void drop_objects(void)
{
	int i;

	for (i = 0; i < SENDERS; i++)
		NEED(!(errno = ibv_destroy_qp(from[i])) && !(errno = ibv_destroy_qp(to[i])));
	EXPECT("the SRQ goes", ibv_destroy_srq(srq), 0);
	EXPECT("its CQ goes", ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
	EXPECT("the region goes", ibv_dereg_mr(mr), 0);
}

static void look_at_caps(void)
{
	struct ibv_device_attr_ex attr;

	NEED(!(errno = ibv_query_device_ex(ctx, NULL, &attr)));
	EXPECT("tag matching on RC", attr.tm_caps.flags, IBV_TM_CAP_RC);
	EXPECT("tags", attr.tm_caps.max_num_tags >= TAGS, true);
	EXPECT("SGEs of a tagged buffer", attr.tm_caps.max_sge >= 2, true);
}

/* More than the queue was made for, and what can not be. */
static void look_at_limits(void)
{
	struct ibv_ops_wr *bad, wr = { .opcode = IBV_WR_TAG_ADD, .tm.add = { .tag = 7, .mask = 7 } };
	uint32_t handles[TAGS];
	int i;

	for (i = 0; i < TAGS; i++) {
		NEED(!(errno = ibv_post_srq_ops(srq, &wr, &bad)));
		handles[i] = wr.tm.handle;
	}
	bad = NULL;
	EXPECT("one tag more than fits", ibv_post_srq_ops(srq, &wr, &bad), ENOMEM);
	EXPECT("it is named", bad == &wr, true);
	wr.opcode = IBV_WR_TAG_DEL;
	for (i = 0; i < TAGS; i++) {
		wr.tm.handle = handles[i];
		NEED(!(errno = ibv_post_srq_ops(srq, &wr, &bad)));
	}
	wr.opcode = IBV_WR_TAG_ADD;
	wr.tm.add.num_sge = 1000;
	EXPECT("too many SGEs", ibv_post_srq_ops(srq, &wr, &bad), EINVAL);
	wr.opcode = IBV_WR_TAG_SYNC + 1;
	EXPECT("no such operation", ibv_post_srq_ops(srq, &wr, &bad), EINVAL);
}

int main(int argc, char **argv)
{
	long total, done;

	if (argc < 6)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	NEED(ctx = open_named(argv[1]));
	gid_index = atoi(argv[2]);
	total = atol(argv[3]);
	rnd = atol(argv[4]);
	fetches = !strcmp(argv[5], "fetch");
	look_at_caps();
	make_objects();
	look_at_limits();
	for (done = 0; done < total; done += MESSAGES)
		episode();
	printf("%ld messages, %ld pairs, %ld unexpected, %ld paired by the library, %ld without a tag\n",
	       done, pairs, unexpected, kept_pairs, untagged);
	printf("%ld cancelled, %ld too late, %ld matched before their data, %ld requests to fetch\n",
	       cancels, late_cancels, split, rendezvous);
	EXPECT("some were paired by the device", pairs > kept_pairs, true);
	EXPECT("some by the library, some cancelled", kept_pairs && cancels, true);
	EXPECT("some matched before their data came", split > 0, true);
	EXPECT("some by rendezvous", rendezvous > 0, true);
	drop_objects();
	return verdict();
}
