/* SPDX-License-Identifier: GPL-2.0 */
/* Packets that stop on their way, and more queue pairs than the two of a pair. */
#ifndef KUNIT_IBT_GATE_H
#define KUNIT_IBT_GATE_H

#include <linux/completion.h>

#include "hw/ibt/dev.h"
#include "engine.h"

/* First bytes of packets: opcodes. */
enum {
	WRITE_ONLY = 0x0a,
	READ_REQUEST = 0x0c,
	READ_FIRST = 0x0d,
	READ_MIDDLE = 0x0e,
	READ_LAST = 0x0f,
	READ_ONLY = 0x10,
	ACKNOWLEDGE = 0x11,
	UC_SEND_FIRST = 0x20,
	UC_SEND_ONLY = 0x24,
	UD_SEND_ONLY = 0x64,
};

/*
 * Packet number @at stops on its way until the gate opens, and all others behind
 * it. It outlives the cases: packets may still be on their way.
 */
extern struct gate {
	u32 at;
	struct completion reached;
	struct completion open;
	u32 seen[256];		/* packets, by opcode */
	u32 low_psn;		/* of the request with the answers in question: */
	u32 asked;		/* how often */
	u32 between;		/* answers that came between the second time and */
	u32 answered;		/* its own answers, of which the first is lost */
} gate;

void pass_gate(u32 number);
enum fake_fate through_gate(u32 number, const u8 *bth);
void close_gate(u32 at, fake_script *script);
void reach_gate(const struct pair *pair);

/*
 * Until so many of side @which wait for the link, which does not move: they add
 * nothing to the queue any more. Returns how long that is.
 */
u32 queue_when_waiting(const struct pair *pair, int which, bool answering, u32 number);

/* One more on side @which, in RTS; the first of that side stays as it is. */
struct ib_qp *make_qp(struct pair *pair, int which, struct ib_srq *srq);

static inline struct ibt_dev *dev_of(int which)
{
	return to_ibt_dev(fake_ib(which));
}

#endif /* KUNIT_IBT_GATE_H */
