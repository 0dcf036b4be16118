// SPDX-License-Identifier: GPL-2.0
/*
 * As many messages as go in a time, on some number of queue pairs. They are posted
 * in batches, one call for each message, and the last of a batch says when all of it
 * is done. A batch that is received is answered by a credit, an empty message: no
 * sender runs over its receiver, and no figure is one of RNR timers.
 */
#include "bench.h"

#define ALL		16	/* completions taken at once */
#define MOST_ON_WAY	16384	/* requests, of all queue pairs */
#define LOST		0.2	/* seconds: what is not answered by then never is */

/* In batches. */
struct flow {
	int posted, done, credited;
};

static struct flow flows[MOST_QPS];
static int since_credit[MOST_QPS];
static long received;

/* What one queue pair has on its way: deep where messages are small. */
void stream_plan(void)
{
	int depth = cell.size <= 4096 ? 128 : cell.size <= 65536 ? 32 : 4;

	if (cell.work == PINGPONG || cell.type == IBV_QPT_UC)
		depth = depth < 32 ? depth : 32;
	/* As perftest has it for many, too, but for what no completion queue holds. */
	if (depth > MOST_ON_WAY / cell.qps)
		depth = MOST_ON_WAY / cell.qps;
	if (cell.work == PINGPONG)
		depth = 8;
	if (cell.work == IDLE)
		depth = 16;
	cell.window = 4;
	cell.batch = depth / cell.window;
	if (!cell.batch)
		cell.batch = 1;
	if (cell.qps > 1 && cell.batch == 1)
		cell.window = 2;
	cell.credit = 2 * cell.window;
}

/* Before the sides meet: what arrives has a place. */
void stream_begin(struct side *s)
{
	int n = me ? cell.batch * cell.credit : cell.credit + 1;

	if (cell.op != SEND)
		return;
	for (int q = 0; q < cell.qps; q++)
		for (int i = 0; i < n; i++)
			side_receive(s, q);
}

static bool may_post(const struct flow *f)
{
	return f->posted - f->done < cell.window &&
	       (cell.op != SEND || f->posted - f->credited < cell.credit);
}

static void post_batch(struct side *s, int q)
{
	for (int i = 1; i <= cell.batch; i++)
		side_post(s, q, cell.op, i == cell.batch);
	flows[q].posted++;
}

static bool all_done(void)
{
	for (int q = 0; q < cell.qps; q++)
		if (flows[q].done < flows[q].posted ||
		    (cell.op == SEND && flows[q].credited < flows[q].posted))
			return false;
	return true;
}

/* Of an unreliable transport. Return: whether anything was. */
static bool give_up_lost(void)
{
	bool any = false;

	if (cell.type == IBV_QPT_RC)
		return false;
	for (int q = 0; q < cell.qps; q++) {
		any |= flows[q].credited < flows[q].posted;
		flows[q].credited = flows[q].posted;
	}
	return any;
}

static int settle(struct side *s, const struct ibv_wc *wc)
{
	int q = (uint32_t)wc->wr_id;

	if (wc->wr_id & RECEIVED) {
		flows[q].credited++;
		side_receive(s, q);
	} else {
		flows[q].done++;
	}
	return q;
}

/* Round by round, so that every queue pair is at work from the start. */
static void fill(struct side *s, double end)
{
	for (int i = 0; i < cell.window; i++)
		for (int q = 0; q < cell.qps && now() < end; q++)
			if (may_post(&flows[q]))
				post_batch(s, q);
}

static long batches(void)
{
	long sum = 0;

	for (int q = 0; q < cell.qps; q++)
		sum += flows[q].done;
	return sum;
}

static void ask(struct side *s, double end)
{
	double patience = cell.type == IBV_QPT_RC ? HANG : LOST;
	struct ibv_wc wc[ALL];
	bool over = false;
	int n, q;

	fill(s, end);
	while (!over || !all_done()) {
		n = side_wait(s, wc, ALL, patience);
		over = over || now() >= end;
		if (n < 0) {
			NEED(give_up_lost());
			if (!over)
				fill(s, end);
		}
		for (int i = 0; i < n; i++) {
			q = settle(s, &wc[i]);
			while (!over && may_post(&flows[q]))
				post_batch(s, q);
		}
	}
}

/* Until the other side says that this is all. */
static void serve(struct side *s)
{
	struct ibv_wc wc[ALL];
	int n, q;

	while (cell.op == SEND && (n = side_wait(s, wc, ALL, 4 * HANG))) {
		NEED(n > 0);
		for (int i = 0; i < n; i++) {
			if (wc[i].wr_id & CREDIT)
				continue;
			q = (uint32_t)wc[i].wr_id;
			side_receive(s, q);
			received++;
			if (++since_credit[q] == cell.batch) {
				since_credit[q] = 0;
				side_credit(s, q);
			}
		}
	}
	oob_meet();
}

/**
 * stream - messages for some time
 * @s: this side
 * @seconds: so long new ones are posted
 * @r: of all that were; of an unreliable transport, that arrived
 *
 * Both sides call it, and are in step before and after.
 */
void stream(struct side *s, double seconds, struct result *r)
{
	long there, sent = batches(), before = received;
	double start = now();

	if (me) {
		serve(s);
	} else {
		ask(s, start + seconds);
		r->seconds = now() - start;
		oob_meet();
	}
	received -= before;
	oob_swap(&received, &there, sizeof(there));
	r->messages = cell.op == SEND ? there : (batches() - sent) * cell.batch;
	if (me)
		r->messages = received;
	received = 0;
}
