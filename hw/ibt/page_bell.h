/* SPDX-License-Identifier: GPL-2.0 */
/* Doorbells that a library rings without a call. */
#ifndef IBT_PAGE_BELL_H
#define IBT_PAGE_BELL_H

#include <linux/types.h>

struct ib_ucontext;
struct ibt_qp;

u32 ibt_page_bell_create(struct ibt_qp *qp, struct ib_ucontext *ucontext);

#endif /* IBT_PAGE_BELL_H */
