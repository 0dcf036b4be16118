// SPDX-License-Identifier: GPL-2.0
/*
 * Device memory. A software device has none but the host's: pages of the kernel, which the
 * program maps, and which regions are made of. What a program learns of it beyond the verbs is
 * where to map it (<ofed/ofed_user_verbs.h>).
 */
#include <linux/cred.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <ofed/refuse.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/uverbs_std_types.h>
#include <uapi/ofed/ofed_user_verbs.h>

#define UVERBS_MODULE_NAME soft
#include <rdma/uverbs_named_ioctl.h>

#include "dev.h"
#include "dm.h"
#include "mr.h"
#include "pages.h"
#include "ring.h"

/**
 * struct soft_dm - device memory of a program
 * @ib: of the core, which does not let it go before the regions that are made of it
 * @map: its pages
 * @bytes: as the program asked for
 * @uid: user that it is counted for
 */
struct soft_dm {
	struct ib_dm ib;
	struct soft_map *map;
	u64 bytes;
	kuid_t uid;
};

static struct soft_dm *to_soft_dm(struct ib_dm *ib)
{
	return container_of(ib, struct soft_dm, ib);
}

/* ---- allocation -------------------------------------------------------------------- */

static int soft_dm_check(struct ib_device *ib, const struct ib_dm_alloc_attr *attr)
{
	u64 most = to_soft_dev(ib)->dm.user_max;

	if (!most)
		return ofed_refuse(ib, -EOPNOTSUPP, "the device has no device memory");
	if (!attr->length || attr->length > most)
		return ofed_refuse(ib, -EINVAL, "%llu bytes of device memory, of %llu",
				   attr->length, most);
	if (attr->alignment > PAGE_SHIFT)
		return ofed_refuse(ib, -EINVAL, "device memory aligned to 2^%u bytes",
				   attr->alignment);
	return 0;
}

static int soft_dm_tell(const struct soft_dm *dm, struct uverbs_attr_bundle *attrs)
{
	u64 offset = rdma_user_mmap_get_offset(&dm->map->entry);

	if (!uverbs_attr_is_valid(attrs, OFED_ATTR_ALLOC_DM_RESP_OFFSET))
		return 0;
	return uverbs_copy_to(attrs, OFED_ATTR_ALLOC_DM_RESP_OFFSET, &offset, sizeof(offset));
}

/* Its pages are zeroed, and charged to the caller's cgroup. */
static struct ib_dm *soft_alloc_dm(struct ib_device *ib, struct ib_ucontext *context,
				   struct ib_dm_alloc_attr *attr,
				   struct uverbs_attr_bundle *attrs)
{
	struct soft_dm *dm;
	int ret;

	ret = soft_dm_check(ib, attr);
	if (ret)
		return ERR_PTR(ret);
	dm = kzalloc(sizeof(*dm), GFP_KERNEL_ACCOUNT);
	if (!dm)
		return ERR_PTR(-ENOMEM);
	dm->bytes = attr->length;
	dm->uid = current_uid();
	ret = soft_dm_take(to_soft_dev(ib), dm->uid, PAGE_ALIGN(dm->bytes));
	if (ret)
		goto err_dm;
	ret = -ENOMEM;
	dm->map = soft_map_new(context, dm->bytes, 0);
	if (!dm->map)
		goto err_share;
	ret = soft_dm_tell(dm, attrs);
	if (ret)
		goto err_map;
	return &dm->ib;

err_map:
	rdma_user_mmap_entry_remove(&dm->map->entry);
err_share:
	soft_dm_give(to_soft_dev(ib), dm->uid, PAGE_ALIGN(dm->bytes));
err_dm:
	kfree(dm);
	return ERR_PTR(ret);
}

/* Pages that a program has mapped stay its own until it unmaps them. */
static int soft_dealloc_dm(struct ib_dm *ib, struct uverbs_attr_bundle *attrs)
{
	struct soft_dm *dm = to_soft_dm(ib);

	rdma_user_mmap_entry_remove(&dm->map->entry);
	soft_dm_give(to_soft_dev(ib->device), dm->uid, PAGE_ALIGN(dm->bytes));
	kfree(dm);
	return 0;
}

/* ---- regions ----------------------------------------------------------------------- */

/* Rights that it cannot have: its pages are there, and forget. */
#define SOFT_NOT_OF_DM (IB_ACCESS_ON_DEMAND | IB_ACCESS_FLUSH_PERSISTENT)

static int soft_dm_mr_check(struct ib_device *ib, const struct soft_dm *dm,
			    const struct ib_dm_mr_attr *attr)
{
	int ret = ib_check_mr_access(ib, attr->access_flags);

	if (ret || !(attr->access_flags & IB_ZERO_BASED))
		return ofed_refuse(ib, -EINVAL, "access 0x%x of device memory",
				   attr->access_flags);
	if (attr->access_flags & SOFT_NOT_OF_DM)
		return ofed_refuse(ib, -EOPNOTSUPP, "access 0x%x of device memory",
				   attr->access_flags);
	if (attr->offset > dm->bytes || attr->length > dm->bytes - attr->offset)
		return ofed_refuse(ib, -EINVAL, "%llu bytes at %llu of %llu of device memory",
				   attr->length, attr->offset, dm->bytes);
	return 0;
}

static struct ib_mr *soft_reg_dm_mr(struct ib_pd *pd, struct ib_dm *ib,
				    struct ib_dm_mr_attr *attr,
				    struct uverbs_attr_bundle *attrs)
{
	struct soft_dm *dm = to_soft_dm(ib);
	struct soft_pages *pages;
	struct ib_mr *mr;
	int ret;

	ret = soft_dm_mr_check(pd->device, dm, attr);
	if (ret)
		return ERR_PTR(ret);
	pages = soft_pages_in_row(dm->map->mem + attr->offset, attr->length);
	if (!pages)
		return ERR_PTR(-ENOMEM);
	mr = soft_region_of_pages(pd, SOFT_ON_DEVICE, pages, attr->length, attr->access_flags);
	if (IS_ERR(mr))
		soft_pages_free(pages);
	return mr;
}

const struct ib_device_ops soft_dm_ops = {
	.alloc_dm = soft_alloc_dm,
	.dealloc_dm = soft_dealloc_dm,
	.reg_dm_mr = soft_reg_dm_mr,
};
EXPORT_SYMBOL_GPL(soft_dm_ops);

/* ---- ioctl() ----------------------------------------------------------------------- */

/* For a process that was handed the file, and imports what is in it. */
static int UVERBS_HANDLER(OFED_METHOD_DM_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_dm *ib = uverbs_attr_get_obj(attrs, OFED_ATTR_QUERY_DM_HANDLE);
	u64 offset, length;

	if (IS_ERR(ib))
		return PTR_ERR(ib);
	offset = rdma_user_mmap_get_offset(&to_soft_dm(ib)->map->entry);
	length = to_soft_dm(ib)->bytes;
	return uverbs_copy_to(attrs, OFED_ATTR_QUERY_DM_RESP_OFFSET, &offset, sizeof(offset)) ?:
	       uverbs_copy_to(attrs, OFED_ATTR_QUERY_DM_RESP_LENGTH, &length, sizeof(length));
}

DECLARE_UVERBS_NAMED_METHOD(
	OFED_METHOD_DM_QUERY,
	UVERBS_ATTR_IDR(OFED_ATTR_QUERY_DM_HANDLE, UVERBS_OBJECT_DM, UVERBS_ACCESS_READ,
			UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(OFED_ATTR_QUERY_DM_RESP_OFFSET, UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(OFED_ATTR_QUERY_DM_RESP_LENGTH, UVERBS_ATTR_TYPE(u64), UA_MANDATORY));

ADD_UVERBS_METHODS(soft_dm_methods, UVERBS_OBJECT_DM, &UVERBS_METHOD(OFED_METHOD_DM_QUERY));

ADD_UVERBS_ATTRIBUTES_SIMPLE(
	soft_dm_alloc, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC,
	UVERBS_ATTR_PTR_OUT(OFED_ATTR_ALLOC_DM_RESP_OFFSET, UVERBS_ATTR_TYPE(u64), UA_OPTIONAL));

const struct uapi_definition soft_dm_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DM, &soft_dm_alloc),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DM, &soft_dm_methods),
	{}
};
