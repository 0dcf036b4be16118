// SPDX-License-Identifier: GPL-2.0
/* Protection domains: regions, windows and queue pairs are compared by their address. */
#include "dev.h"

/**
 * soft_alloc_pd - ops.alloc_pd
 * @pd: memory of the core
 * @udata: not used
 *
 * Context: process. Return: 0, or -ENOMEM (max_pd).
 */
int soft_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return soft_limit_take(to_soft_dev(pd->device), SOFT_OBJECT_PD);
}

/**
 * soft_dealloc_pd - ops.dealloc_pd
 * @pd: nothing uses it
 * @udata: not used
 *
 * Context: process. Return: 0.
 */
int soft_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	soft_limit_give(to_soft_dev(pd->device), SOFT_OBJECT_PD);
	return 0;
}
