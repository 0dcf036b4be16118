/* SPDX-License-Identifier: GPL-2.0 */
/* Completions of a program's sends that find their CQ full. */
#ifndef OFED_SOFT_HOLD_H
#define OFED_SOFT_HOLD_H

#include <linux/compiler.h>
#include <linux/timer.h>

/**
 * struct soft_hold - completions of a program's sends that find their CQ full
 * @timer: tries again; the owner's
 * @delay: milliseconds until it does; 0: no completion waits
 *
 * The owner's lock guards it.
 */
struct soft_hold {
	struct timer_list timer;
	u8 delay;
};

void soft_hold_wait(struct soft_hold *hold);

static inline bool soft_hold_waits(const struct soft_hold *hold)
{
	return unlikely(hold->delay);
}

/* One has got through, or they are dropped. */
static inline void soft_hold_end(struct soft_hold *hold)
{
	hold->delay = 0;
}

#endif /* OFED_SOFT_HOLD_H */
