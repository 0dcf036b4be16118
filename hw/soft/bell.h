/* SPDX-License-Identifier: GPL-2.0 */
/* Doorbells that are rung on a processor. */
#ifndef OFED_SOFT_BELL_H
#define OFED_SOFT_BELL_H

#include <linux/types.h>

/**
 * struct soft_bells - doorbells that are rung on a processor
 * @end: local_clock() at the end of the last doorbell
 * @cost: time of the last send by a doorbell itself, ns; 0: not known
 * @number: doorbells in a row with pauses shorter than a part of @cost; saturates
 *
 * There is no lock: the members are hints.
 */
struct soft_bells {
	u64 end;
	u64 cost;
	u32 number;
};

bool soft_bells_streaming(const struct soft_bells *b);
void soft_bells_count(struct soft_bells *b, bool alone);
void soft_bells_left(struct soft_bells *b);
void soft_bells_sent(struct soft_bells *b, u64 begin, bool worth);

#endif /* OFED_SOFT_BELL_H */
