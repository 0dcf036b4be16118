/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What `rdma resource` counts since 7.x: names of the kinds, and where the device of an object is.
 * Drop when 7.x is the oldest kernel.
 */
#ifndef OFED_COMPAT_RESTRACK_H
#define OFED_COMPAT_RESTRACK_H

#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

#ifdef COMPAT_HAVE_COMP_CNTR
#define COMPAT_RESTRACK_NAMES \
	[RDMA_RESTRACK_DMAH]	= "DMA handle", \
	[RDMA_RESTRACK_COMP_CNTR] = "completion counter",
#else
#define COMPAT_RESTRACK_NAMES
#endif

/* NULL for an object of another kind. */
static inline struct ib_device *compat_restrack_device(const struct rdma_restrack_entry *res)
{
#ifdef COMPAT_HAVE_COMP_CNTR
	if (res->type == RDMA_RESTRACK_DMAH)
		return container_of(res, struct ib_dmah, res)->device;
	if (res->type == RDMA_RESTRACK_COMP_CNTR)
		return container_of(res, struct ib_comp_cntr, res)->device;
#endif
	return NULL;
}

#endif /* OFED_COMPAT_RESTRACK_H */
