/* SPDX-License-Identifier: GPL-2.0 */
/* Verbs of protection domains, contexts and what else has no file of its own. */
#ifndef IBT_VERBS_H
#define IBT_VERBS_H

#include <rdma/ib_verbs.h>

struct ibt_xrcd {
	struct ib_xrcd ib;
};

extern const struct ib_device_ops ibt_verbs_ops;	/* verbs.c */

#endif /* IBT_VERBS_H */
