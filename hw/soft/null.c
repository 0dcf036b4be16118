// SPDX-License-Identifier: GPL-2.0
/*
 * The null region of a device: what is read of it is 0, what is written to it is lost, and it has
 * every address. Its lkey is good in each protection domain, and it has no rkey.
 */
#include <linux/export.h>
#include <linux/mm.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/uverbs_std_types.h>
#include <uapi/ofed/ofed_user_verbs.h>

#define UVERBS_MODULE_NAME soft
#include <rdma/uverbs_named_ioctl.h>

#include "dev.h"
#include "null.h"
#include "pages.h"

/* Nothing is ever read of the other, which all writers share. */
static const u8 soft_null_source[PAGE_SIZE];
static u8 soft_null_sink[PAGE_SIZE];

/**
 * soft_null_spot - soft_spot_get() of the null region
 * @want: no more than these, at least 1
 * @write: the bytes are to be written
 * @spot: filled in
 *
 * Context: any.
 */
void soft_null_spot(u64 want, bool write, struct soft_spot *spot)
{
	spot->at = write ? soft_null_sink : (void *)soft_null_source;
	spot->bytes = min_t(u64, want, PAGE_SIZE);
	spot->mapped = false;
}

/**
 * soft_null_init - make the null region of a device
 * @mem: of the device; none of its limits counts the region
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM.
 */
int soft_null_init(struct soft_mem *mem)
{
	struct soft_region *region = soft_region_new(mem, NULL, SOFT_NULL);

	if (!region)
		return -ENOMEM;
	region->access = IB_ACCESS_LOCAL_WRITE;
	region->length = U64_MAX;
	region->valid = true;
	if (soft_key_give(region)) {
		soft_region_put(region);
		return -ENOMEM;
	}
	mem->null = region;
	return 0;
}
EXPORT_SYMBOL_GPL(soft_null_init);

/**
 * soft_null_exit - undo soft_null_init()
 * @mem: of the device; may have no such region
 *
 * Context: process.
 */
void soft_null_exit(struct soft_mem *mem)
{
	if (!mem->null)
		return;
	soft_key_take(mem->null);
	soft_region_put(mem->null);
	mem->null = NULL;
}
EXPORT_SYMBOL_GPL(soft_null_exit);

/* ---- ioctl() ----------------------------------------------------------------------- */

static int UVERBS_HANDLER(OFED_METHOD_PD_NULL_KEY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_pd *pd = uverbs_attr_get_obj(attrs, OFED_ATTR_NULL_KEY_PD);
	u32 lkey;

	if (IS_ERR(pd))
		return PTR_ERR(pd);
	lkey = to_soft_dev(pd->device)->mem.null->key;
	return uverbs_copy_to(attrs, OFED_ATTR_NULL_KEY_RESP_LKEY, &lkey, sizeof(lkey));
}

DECLARE_UVERBS_NAMED_METHOD(
	OFED_METHOD_PD_NULL_KEY,
	UVERBS_ATTR_IDR(OFED_ATTR_NULL_KEY_PD, UVERBS_OBJECT_PD, UVERBS_ACCESS_READ, UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(OFED_ATTR_NULL_KEY_RESP_LKEY, UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

ADD_UVERBS_METHODS(soft_null_methods, UVERBS_OBJECT_PD, &UVERBS_METHOD(OFED_METHOD_PD_NULL_KEY));

const struct uapi_definition soft_null_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_PD, &soft_null_methods),
	{}
};
