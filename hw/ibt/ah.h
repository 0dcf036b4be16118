/* SPDX-License-Identifier: GPL-2.0 */
/* Address handles. */
#ifndef IBT_AH_H
#define IBT_AH_H

#include <rdma/ib_verbs.h>

struct ibt_dev;
struct ibt_path;
struct ibt_route;

/* Where a user's address handle of @pd leads, referenced, or NULL. Any context. */
struct ibt_route *ibt_ah_route(struct ibt_dev *dev, struct ib_pd *pd,
			       u32 number);
/* The same of an address handle of the kernel; never NULL. */
struct ibt_route *ibt_ah_route_of(struct ib_ah *ah);
void ibt_route_put(struct ibt_route *route);	/* any context; NULL is fine */
/* Path of it now, referenced; NULL: there is none. Softirqs are disabled,
 * interrupts are not.
 */
struct ibt_path *ibt_route_path(struct ibt_route *route);

extern const struct ib_device_ops ibt_ah_ops;		/* ah.c */

#endif /* IBT_AH_H */
