// SPDX-License-Identifier: GPL-2.0
/*
 * One message at a time: the time of a round. A SEND is answered by a SEND. A WRITE
 * is answered by a WRITE where the sides poll, which they do in memory; where they
 * sleep a round is a WRITE and its completion. READ and atomics have one side.
 */
#include "bench.h"

#define LOOK	16		/* rounds between two looks at the clock */
#define TURNS	4095	/* polls between two at the other side */

static bool polls_memory(void)
{
	return cell.op == WRITE && cell.wait != EVENT;
}

void pingpong_begin(struct side *s)
{
	if (cell.op == SEND)
		for (int i = 0; i < cell.credit; i++)
			side_receive(s, 0);
}

/* Return: 1 when @kind has come, 0 when the other side has said that this is all. */
static int await(struct side *s, uint64_t kind)
{
	struct ibv_wc wc;
	int n;

	for (;;) {
		n = side_wait(s, &wc, 1, 4 * HANG);
		NEED(n >= 0);
		if (!n)
			return 0;
		if (wc.wr_id & RECEIVED)
			side_receive(s, 0);
		if ((wc.wr_id & RECEIVED) == kind)
			return 1;
	}
}

static volatile uint8_t *last_byte(struct side *s)
{
	return s->memory + s->arrives + cell.size - 1;
}

/* Return: false when the other side has said that this is all. */
static bool await_byte(struct side *s, uint8_t value)
{
	volatile uint8_t *byte = last_byte(s);
	struct ibv_wc wc;

	for (long turn = 1; *byte != value; turn++) {
		side_poll(s, &wc, 1);
		if (!(turn & TURNS) && side_told())
			return false;
	}
	return true;
}

static void post_byte(struct side *s, uint8_t value)
{
	s->memory[cell.size - 1] = value;
	side_post(s, 0, WRITE, true);
}

static void round_of(struct side *s, long i)
{
	switch (cell.op) {
	case SEND:
		side_post(s, 0, SEND, true);
		NEED(await(s, RECEIVED));
		break;
	case WRITE_READ:
		side_post(s, 0, WRITE, true);
		NEED(await(s, 0));
		side_post(s, 0, READ, true);
		NEED(await(s, 0));
		break;
	case WRITE_READ_QUIET:
		side_write_read(s);
		NEED(await(s, 0));
		break;
	case WRITE:
		if (polls_memory()) {
			post_byte(s, i);
			NEED(await_byte(s, i));
			break;
		}
		/* fallthrough */
	default:
		side_post(s, 0, cell.op, true);
		NEED(await(s, 0));
	}
}

static void serve(struct side *s)
{
	if (cell.op == SEND)
		while (await(s, RECEIVED))
			side_post(s, 0, SEND, true);
	else if (polls_memory())
		for (uint8_t i = 1; await_byte(s, i); i++)
			post_byte(s, i);
	oob_meet();
}

/* What is still to be said of old messages. */
static void reap(struct side *s)
{
	struct ibv_wc wc;

	while (side_poll(s, &wc, 1))
		if (wc.wr_id & RECEIVED)
			side_receive(s, 0);
}

void pingpong(struct side *s, double seconds, struct result *r)
{
	double start = now(), at;

	*last_byte(s) = 0;
	oob_meet();
	if (me) {
		serve(s);
		reap(s);
		return;
	}
	start = now();
	r->messages = 0;
	do {
		for (int i = 0; i < LOOK; i++)
			round_of(s, ++r->messages);
		at = now();
	} while (at - start < seconds);
	r->seconds = at - start;
	oob_meet();
	reap(s);
}

/* From one end to the other, which this process has as well. */
static void cross(struct side *from, struct side *to, long i)
{
	struct ibv_wc wc;

	if (cell.op == WRITE) {
		post_byte(from, i);
		while (*last_byte(to) != (uint8_t)i)
			side_poll(from, &wc, 1);
		side_poll(from, &wc, 1);
		return;
	}
	side_post(from, 0, SEND, true);
	for (;;) {
		while (!side_poll(to, &wc, 1))
			side_poll(from, &wc, 1);
		if (wc.wr_id & RECEIVED)
			break;
	}
	side_receive(to, 0);
}

static void one_sided(struct side *a)
{
	struct ibv_wc wc;

	side_post(a, 0, cell.op, true);
	while (!side_poll(a, &wc, 1))
		;
}

void pingpong_alone(struct side *a, struct side *b, double seconds, struct result *r)
{
	double start = now(), at;

	*last_byte(a) = 0;
	*last_byte(b) = 0;
	r->messages = 0;
	do {
		for (int i = 0; i < LOOK; i++) {
			r->messages++;
			if (cell.op == SEND || cell.op == WRITE) {
				cross(a, b, r->messages);
				cross(b, a, r->messages);
			} else {
				one_sided(a);
			}
		}
		at = now();
	} while (at - start < seconds);
	r->seconds = at - start;
	reap(a);
	reap(b);
}
