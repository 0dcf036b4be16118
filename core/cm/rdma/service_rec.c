// SPDX-License-Identifier: GPL-2.0
/* rdma_cm: what a consumer says of a service, as the subnet administrator is asked for it. Pure. */
#include <linux/build_bug.h>
#include <linux/string.h>
#include <rdma/rdma_cm.h>

#include "service.h"

#define SERVICE_FLAGS \
	(RDMA_USER_CM_IB_SERVICE_FLAG_ID | RDMA_USER_CM_IB_SERVICE_FLAG_NAME)

static int cma_service_name(u8 *to, const u8 *from, size_t size)
{
	size_t length = strnlen(from, size);

	if (!length || length == size)
		return -EINVAL;
	memcpy(to, from, length);
	return 0;
}

/**
 * cma_service_wanted - the record that stands for a service
 * @ibs: its id, its name, or both, as @ibs->flags say
 * @rec: out: what is known of it; all else is zero, also behind the end of the name, since
 *	 subnet administrators compare all of its bytes
 * @mask: out: IB_SA_SERVICE_REC_* of what is known
 *
 * Context: any. Return: 0, -EINVAL (flags; a name that is empty or not terminated).
 */
int cma_service_wanted(const struct rdma_ucm_ib_service *ibs, struct sa_service_rec *rec,
		       ib_sa_comp_mask *mask)
{
	BUILD_BUG_ON(sizeof(rec->name) != sizeof(ibs->service_name));
	if (!ibs->flags || ibs->flags & ~SERVICE_FLAGS)
		return -EINVAL;
	memset(rec, 0, sizeof(*rec));
	*mask = 0;
	if (ibs->flags & RDMA_USER_CM_IB_SERVICE_FLAG_ID) {
		rec->id = cpu_to_be64(ibs->service_id);
		*mask |= IB_SA_SERVICE_REC_SERVICE_ID;
	}
	if (ibs->flags & RDMA_USER_CM_IB_SERVICE_FLAG_NAME) {
		*mask |= IB_SA_SERVICE_REC_SERVICE_NAME;
		return cma_service_name(rec->name, ibs->service_name, sizeof(rec->name));
	}
	return 0;
}
