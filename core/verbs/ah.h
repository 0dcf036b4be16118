/* SPDX-License-Identifier: GPL-2.0 */
/* Address vectors: what AHs and QPs do alike with the one they are given. */
#ifndef OFED_CORE_AH_H
#define OFED_CORE_AH_H

#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

/**
 * ofed_av_take - check an address vector and take its source GID
 * @device: device the vector is for
 * @av: filled by a consumer; grh.sgid_attr is NULL or held by that consumer
 *
 * On success grh.sgid_attr is NULL (no GRH) or carries a reference of its own,
 * which the caller gives back with rdma_destroy_ah_attr() or keeps in an
 * object. On failure @av is as it was. Any context.
 * Return: 0, -EINVAL (port, missing GRH, or an sgid_attr of another entry), or
 * the errno of rdma_get_gid_attr().
 */
int ofed_av_take(struct ib_device *device, struct rdma_ah_attr *av);

/* Give back the source GID that an object has kept; NULL is fine. Any context. */
static inline void qp_drop_gid(const struct ib_gid_attr *gid)
{
	if (gid)
		rdma_put_gid_attr(gid);
}

#endif /* OFED_CORE_AH_H */
