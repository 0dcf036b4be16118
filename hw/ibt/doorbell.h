/* SPDX-License-Identifier: GPL-2.0 */
/* Doorbells: which processor sends. */
#ifndef IBT_DOORBELL_H
#define IBT_DOORBELL_H

#include <linux/types.h>

#include "completer.h"

struct ibt_qp;

/* doorbell.c */
/**
 * struct ibt_doorbell - doorbells of a program, of one queue pair. Without a lock: they are hints
 * @prod: it has rung for what is before this, as ibt_sq.ring.cons counts
 * @told: the request that was completed last has a completion
 */
struct ibt_doorbell {
	u32 prod;
	bool told;
};

void ibt_doorbell(struct ibt_qp *qp);
void ibt_doorbell_user(struct ibt_qp *qp);
void ibt_bell_answered(struct ibt_qp *qp, enum ibt_send_more more);
void ibt_bell_settle(struct ibt_qp *qp);

#endif /* IBT_DOORBELL_H */
