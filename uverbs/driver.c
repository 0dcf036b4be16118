// SPDX-License-Identifier: GPL-2.0
/* What drivers of 7.x ask of an object, and of the program that runs a command. */
#include <linux/export.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_types.h>

#include "uverbs.h"

/**
 * uverbs_try_lock_object - lock an object of a file that ends
 * @uobj: the object
 * @mode: UVERBS_LOOKUP_READ: share it; _WRITE: have it for oneself; _DESTROY: nothing to do, as
 *	  there is no other user
 *
 * The lock is ib_uobject.usecnt. Context: any, with what keeps @uobj in being.
 *
 * Return: 0, -EBUSY (it is in use).
 */
int uverbs_try_lock_object(struct ib_uobject *uobj, enum rdma_lookup_mode mode)
{
	switch (mode) {
	case UVERBS_LOOKUP_READ:
		return atomic_add_unless(&uobj->usecnt, 1, UV_USED_EXCLUSIVELY) ? 0 : -EBUSY;
	case UVERBS_LOOKUP_WRITE:
		return uv_try_own(uobj) ? 0 : -EBUSY;
	case UVERBS_LOOKUP_DESTROY:
		break;
	}
	return 0;
}
OFED_EXPORT(uverbs_try_lock_object);

/**
 * rdma_uattrs_has_raw_cap - may the program build packets by hand?
 * @attrs: of the command
 *
 * Context: in a command. Return: as rdma_dev_has_raw_cap() of its device; false without a context.
 */
bool rdma_uattrs_has_raw_cap(const struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *context = uv_file_context(attrs->ufile);

	return !IS_ERR(context) && rdma_dev_has_raw_cap(context->device);
}
OFED_EXPORT(rdma_uattrs_has_raw_cap);
