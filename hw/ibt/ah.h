/* SPDX-License-Identifier: GPL-2.0 */
/* Address handles. */
#ifndef IBT_AH_H
#define IBT_AH_H

#include <rdma/ib_verbs.h>

struct ibt_dev;
struct ibt_path;
struct ibt_av;

/* Where a user's address handle of @pd leads, referenced, or NULL. Any context. */
struct ibt_av *ibt_ah_get_av(struct ibt_dev *dev, struct ib_pd *pd,
			     u32 number);
/* The same of an address handle of the kernel; never NULL. */
struct ibt_av *ibt_kernel_ah_av(struct ib_ah *ah);
void ibt_av_put(struct ibt_av *route);	/* any context; NULL is fine */
/* Path of it now, referenced; NULL: there is none. Softirqs are disabled,
 * interrupts are not.
 */
struct ibt_path *ibt_av_path(struct ibt_av *route);

extern const struct ib_device_ops ibt_ah_ops;		/* ah.c */

#endif /* IBT_AH_H */
