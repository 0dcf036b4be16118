/* SPDX-License-Identifier: GPL-2.0 */
/* Doorbells: which processor sends. */
#ifndef IBT_BELL_H
#define IBT_BELL_H

#include "completer.h"

struct ibt_qp;

/* bell.c */
void ibt_bell(struct ibt_qp *qp);
void ibt_bell_user(struct ibt_qp *qp);
void ibt_bell_answered(struct ibt_qp *qp, enum ibt_send_more more);
void ibt_bell_settle(struct ibt_qp *qp);

#endif /* IBT_BELL_H */
