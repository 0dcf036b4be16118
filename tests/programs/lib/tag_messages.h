/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages and buffers of an episode of tag matching, and the rule of MPI for their pairs: of a
 * buffer and a message that fit, neither has left behind an older one that fits. Only messages of
 * one sender have an order.
 */
#ifndef TAG_MESSAGES_H
#define TAG_MESSAGES_H

#include <infiniband/tm_types.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SENDERS		3
#define MESSAGES	24		/* of an episode */
#define BUFFERS		32
#define BYTES		5000		/* of a payload: up to five packets */
#define SLOT		8192
#define NONE		(-1)

enum kind { EAGER, RNDV, NO_TAG, KINDS };

struct message {
	enum kind kind;
	uint64_t tag;
	int sender, bytes;
	int buf;			/* that has it */
	int recv;			/* request that keeps it */
	bool kept;
};

struct buffer {
	uint64_t tag, mask;
	uint32_t handle;
	int msg;			/* that it got */
	bool ended;			/* the library does not wait for it any more */
	bool cancelled, cancelling, posted;
	bool waits_for_data;
};

static struct message msgs[MESSAGES];
static struct buffer bufs[BUFFERS];
static int num_msgs, num_bufs;
static long pairs;

static inline bool fits(const struct buffer *b, const struct message *m)
{
	return m->kind != NO_TAG && (m->tag & b->mask) == b->tag;
}

static inline void fail(const char *what, int a, int b)
{
	printf("FAIL %s: %d, %d\n", what, a, b);
	exit(1);
}

static inline uint8_t byte_of(int msg, int at)
{
	return msg * 37 + at + msgs[msg].bytes;
}

static inline int header_bytes(const struct message *m)
{
	return m->kind == RNDV ? sizeof(struct ibv_tmh) + sizeof(struct ibv_rvh) :
				 sizeof(struct ibv_tmh);
}

static inline void compare(const char *what, int msg, const uint8_t *at)
{
	int i;

	for (i = 0; i < msgs[msg].bytes; i++)
		if (at[i] != byte_of(msg, i))
			fail(what, msg, i);
}

static inline void pair_up(int msg, int buf)
{
	if (msgs[msg].buf != NONE || bufs[buf].msg != NONE || !fits(&bufs[buf], &msgs[msg]))
		fail("a pair that can not be", msg, buf);
	msgs[msg].buf = buf;
	bufs[buf].msg = msg;
	pairs++;
}

/* Of the rule: each of the two would have been free for the other. */
static inline bool left_behind(int buf, int msg)
{
	const struct buffer *b = &bufs[buf];
	const struct message *m = &msgs[msg];

	if (b->cancelled || m->buf == buf || !fits(b, m) || (m->buf != NONE && m->buf < buf))
		return false;
	if (b->msg == NONE)
		return true;
	return msgs[b->msg].sender == m->sender && b->msg > msg;
}

static inline void look_at_pairs(void)
{
	int buf, msg;

	for (buf = 0; buf < num_bufs; buf++)
		for (msg = 0; msg < num_msgs; msg++)
			if (left_behind(buf, msg))
				fail("left behind: buffer, message", buf, msg);
}

#endif /* TAG_MESSAGES_H */
