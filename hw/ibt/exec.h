/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Execution at the responder, by packets (responder.c) and without them (loopback.c).
 * With resp.lock of @qp held.
 *
 * begin: checks the state, the rights, the receive request; data: places bytes, any number
 * of times; end: completes the receive request if there is one. After anything but IBT_EXEC_OK
 * (or IBT_RNR) the message in progress is given up; the caller fails the QP if the
 * specification wants it to: ibt_exec_failed(). Only IBT_EXEC_SILENT_DROP and IBT_EXEC_PAGES of
 * data leave the message as it was before: the same bytes may come again.
 */
#ifndef IBT_EXEC_H
#define IBT_EXEC_H

#include <linux/types.h>

#include "msg.h"

struct ibt_qp;
struct soft_iter;

enum ibt_exec_status ibt_exec_begin(struct ibt_qp *qp, const struct ibt_msg *msg);
enum ibt_exec_status ibt_exec_data(struct ibt_qp *qp, struct soft_iter *from,
				   u32 length);
enum ibt_exec_status ibt_exec_end(struct ibt_qp *qp, const struct ibt_msg *msg);
/* @from: where the answer is; the caller ends it, resp.lock no longer needed. */
enum ibt_exec_status ibt_exec_read(struct ibt_qp *qp, const struct ibt_msg *msg,
				   struct soft_iter *from);
/* ATOMIC WRITE and FLUSH too, which have no original: 0. */
enum ibt_exec_status ibt_exec_atomic(struct ibt_qp *qp, const struct ibt_msg *msg,
				     u64 *original);
/* What a WRITE_LAST_WITH_IMMEDIATE needs, before its bytes are placed. */
enum ibt_exec_status ibt_exec_reserve(struct ibt_qp *qp);
/* The message in progress is given up. A receive request stays for the next. */
void ibt_exec_abort(struct ibt_qp *qp);
/* What IBA 9.9.3 says happens to the responder's own QP after @verdict. */
void ibt_exec_failed(struct ibt_qp *qp, enum ibt_exec_status verdict);

/* A message of @packets packets was executed without them: PSN, MSN follow. */
void ibt_resp_advance(struct ibt_qp *qp, u32 packets);
/* Forget what is in progress. */
void ibt_resp_stop(struct ibt_qp *qp);

#endif /* IBT_EXEC_H */
