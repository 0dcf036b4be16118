/* SPDX-License-Identifier: GPL-2.0 */
/* Doorbells that are rung on a processor. */
#ifndef OFED_SOFT_DOORBELL_H
#define OFED_SOFT_DOORBELL_H

#include <linux/types.h>

/**
 * struct soft_db_stats - doorbells that are rung on a processor
 * @end: local_clock() at the end of the last doorbell
 * @cost: time of the last send by a doorbell itself, ns; 0: not known
 * @number: doorbells in a row with pauses shorter than a part of @cost; saturates
 *
 * There is no lock: the members are hints.
 */
struct soft_db_stats {
	u64 end;
	u64 cost;
	u32 number;
};

bool soft_db_streaming(const struct soft_db_stats *b);
void soft_db_account(struct soft_db_stats *b, bool alone);
void soft_db_deferred(struct soft_db_stats *b);
void soft_db_sent_inline(struct soft_db_stats *b, u64 begin, bool worth);

#endif /* OFED_SOFT_DOORBELL_H */
