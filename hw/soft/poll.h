/* SPDX-License-Identifier: GPL-2.0 */
/* The poller, for the files that it consists of. */
#ifndef OFED_SOFT_POLL_H
#define OFED_SOFT_POLL_H

#include <linux/bitmap.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <uapi/ofed/ofed_user_verbs.h>

#include "poller.h"
#include "ring.h"

/**
 * struct soft_poller - page of doorbells of a context, and its reader
 * @map: the page, which the program maps
 * @page: the same. The program may write anything there at any time: of it only single bits
 *	  of @rung are read, each at most once in a round
 * @lock: guards @bells, @used, @words and @awake; held while a doorbell is served. Outside of
 *	  all locks of queue pairs
 * @bells: by number, NULL: none
 * @used: numbers that are taken
 * @words: of @page->rung, those behind have no number that was ever taken
 * @at: the word where the next round begins; a hint
 * @awake: the thread reads @page; what the program is told, too. Peeked at without the lock
 * @start_lock: one thread is made; guards @again
 * @thread: reads @page, NULL: not made yet. Written once
 * @again: jiffies; one that could not be made is not tried before
 * @wanted: it is to begin
 * @rounds: of @thread, for @timer
 *
 * Hints, without a lock:
 * @last_call: when the program has called last, ns
 * @calls: calls in a row, with short pauses
 * @until: jiffies: the thread is not woken before
 * @pause: how long that was the last time
 *
 * Of the thread:
 * @patience: it stays awake so long when nothing rings, ns
 * @slept: when it went to sleep last, as nothing had rung, ns
 *
 * @timer: serves what the thread was to serve, if that does not run
 * @ticking: (@lock) it expires again
 * @left: (@lock) times that it still expires without a thread that is awake
 * @seen: (@timer) @rounds, when it expired last
 */
struct soft_poller {
	struct soft_map *map;
	struct ofed_doorbell_page *page;
	spinlock_t lock; /* see above */
	struct soft_bell *bells[OFED_DOORBELLS];
	DECLARE_BITMAP(used, OFED_DOORBELLS);
	u32 words;
	u32 at;
	bool awake;
	struct mutex start_lock; /* see above */
	struct task_struct *thread;
	unsigned long again;
	bool wanted;
	u32 rounds;
	u64 last_call;
	u32 calls;
	unsigned long until;
	unsigned long pause;
	u64 patience;
	u64 slept;
	struct hrtimer timer;
	bool ticking;
	u32 left;
	u32 seen;
};

/* poller_page.c: what has rung */
bool soft_rung_take(struct soft_poller *p, u32 slot);
bool soft_rung_answer(struct soft_poller *p, u32 slot);
u32 soft_rung_serve(struct soft_poller *p, u32 most);
void soft_poller_tell(struct soft_poller *p, bool awake);

/* poller_thread.c */
bool soft_pollers_wanted(void);
void soft_poller_init(struct soft_poller *p);
void soft_poller_stop(struct soft_poller *p);

#endif /* OFED_SOFT_POLL_H */
