// SPDX-License-Identifier: GPL-2.0
/*
 * Completions of a program's sends that find their CQ full. They wait, and so do their
 * WQEs: hardware would not have taken so many, since a WQE is free there only when a
 * completion for it has been polled. A doorbell tries again. But no doorbell comes while
 * the send queue is full, so a timer tries as well, for as long as something waits: soon
 * at first, and then each 16 ms, as a program that does not poll is in no hurry.
 */
#include <linux/export.h>
#include <linux/jiffies.h>

#include "hold.h"

/* Milliseconds. */
#define FIRST_TRY	1
#define LATER_TRIES	16

/**
 * soft_hold_wait - a completion has found its CQ full
 * @hold: of the send queue; its lock is held
 *
 * Context: any.
 */
void soft_hold_wait(struct soft_hold *hold)
{
	/* A doorbell has tried before it was time. */
	if (hold->delay && timer_pending(&hold->timer))
		return;
	hold->delay = clamp(2 * hold->delay, FIRST_TRY, LATER_TRIES);
	mod_timer(&hold->timer, jiffies + msecs_to_jiffies(hold->delay));
}
EXPORT_SYMBOL_GPL(soft_hold_wait);
