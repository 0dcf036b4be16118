// SPDX-License-Identifier: GPL-2.0
/* What has rung on a page of doorbells. Whatever the program writes there is but a bit. */
#include "poll.h"

static u32 *soft_rung_word(struct soft_poller *p, u32 slot)
{
	return &p->page->rung[slot / 32];
}

/* Has the doorbell rung? What was stored before it did is visible afterwards. */
bool soft_rung_take(struct soft_poller *p, u32 slot)
{
	u32 bit = 1U << slot % 32;

	/* In the same order as a library sets it: no other bit of the word is lost. */
	return atomic_fetch_andnot(bit, (atomic_t *)soft_rung_word(p, slot)) & bit;
}

/* Serve the doorbell, if it has rung. What served it before is done afterwards. */
bool soft_rung_answer(struct soft_poller *p, u32 slot)
{
	bool rung;

	spin_lock_bh(&p->lock);
	rung = soft_rung_take(p, slot);
	if (rung && p->bells[slot])
		p->bells[slot]->ring(p->bells[slot]);
	/* A round of many long messages takes long, and is no thread that is held. */
	if (rung)
		WRITE_ONCE(p->rounds, p->rounds + 1);
	spin_unlock_bh(&p->lock);
	return rung;
}

static u32 soft_rung_serve_word(struct soft_poller *p, u32 word)
{
	u32 bits = READ_ONCE(p->page->rung[word]), served = 0;

	for (; bits; bits &= bits - 1)
		served += soft_rung_answer(p, word * 32 + __ffs(bits));
	return served;
}

/*
 * Serve doorbells that have rung, each once, and no more words of them after @most are served.
 * The next round begins where this one ends, so that no queue pair keeps another one waiting.
 * Process context, or softirqs disabled.
 */
u32 soft_rung_serve(struct soft_poller *p, u32 most)
{
	u32 words = READ_ONCE(p->words), at = READ_ONCE(p->at);
	u32 i, served = 0;

	for (i = 0; i < words && served < most; i++) {
		if (at >= words)
			at = 0;
		served += soft_rung_serve_word(p, at++);
	}
	WRITE_ONCE(p->at, at);
	return served;
}

/* Whether the program has to call. What it has rung before it can know is to be looked for. */
void soft_poller_tell(struct soft_poller *p, bool awake)
{
	spin_lock_bh(&p->lock);
	WRITE_ONCE(p->awake, awake);
	WRITE_ONCE(p->page->awake, awake);
	spin_unlock_bh(&p->lock);
	/* Pairs with the barrier of a library between the bit and this. */
	smp_mb();
}
