/* SPDX-License-Identifier: GPL-2.0 */
/* Waiting, and what comes after it. With sq.lock held, but for the first two and the last. */
#ifndef IBT_TIMERS_H
#define IBT_TIMERS_H

#include <linux/types.h>

#include "rtx.h"

struct ibt_qp;

void ibt_timers_init(struct ibt_qp *qp);
void ibt_timers_shutdown(struct ibt_qp *qp);

unsigned long ibt_timeout_jiffies(u8 timeout);
unsigned long ibt_rnr_jiffies(u8 timer);

void ibt_sq_start_ack_timer(struct ibt_qp *qp, bool first);
void ibt_sq_delay_send(struct ibt_qp *qp, enum ibt_pause why, unsigned long delay);
void ibt_sq_retry(struct ibt_qp *qp, u8 why);
bool ibt_sq_reload_path_timers(struct ibt_qp *qp);
void ibt_sq_retry_held(struct ibt_qp *qp);
/* sq.lock is taken inside */
void ibt_sq_migrated(struct ibt_qp *qp);

#endif /* IBT_TIMERS_H */
