// SPDX-License-Identifier: GPL-2.0
/*
 * Memory regions (IBA vol. 1 section 10.6): of users, for fast registration,
 * and the page lists of the latter. The driver allocates a struct ib_mr and
 * frees it; the core accounts. All functions that create or free run in process
 * context and may sleep; mapping a scatter list may be done in any.
 */
#include <linux/scatterlist.h>
#include <ofed/refuse.h>
#include <ofed/restrack.h>
#include <ofed/verbs.h>
#include <rdma/ib_verbs.h>
#include <trace/events/rdma_core.h>

static void mr_track(struct ib_mr *mr)
{
	const bool hidden = !rdma_restrack_is_tracked(&mr->res);

	ofed_restrack_new(&mr->res, RDMA_RESTRACK_MR);
	if (hidden)
		rdma_restrack_no_track(&mr->res);
	ofed_restrack_parent_name(&mr->res, &mr->pd->res);
	ofed_restrack_add(&mr->res);
}

/* A region that the driver has just made becomes one of @pd. */
static void mr_adopt(struct ib_mr *mr, struct ib_pd *pd, enum ib_mr_type type)
{
	mr->pd = pd;
	mr->type = type;
	mr->device = pd->device;
	mr->dm = NULL;
	mr->uobject = NULL;
	mr->sig_attrs = NULL;
	mr->need_inval = false;
	atomic_inc(&pd->usecnt);
}

static struct ib_mr *mr_register(struct ib_pd *pd, u64 start, u64 length,
				 u64 virt_addr, int access, struct ib_dmah *dmah,
				 struct ib_uobject *uobject,
				 struct ib_udata *udata)
{
	struct ib_mr *mr;

	mr = compat_reg_user_mr(pd, start, length, virt_addr, access, dmah, udata);
	if (IS_ERR(mr))
		return mr;

	mr_adopt(mr, pd, IB_MR_TYPE_USER);
	compat_mr_use_dmah(mr, dmah);
	mr->uobject = uobject;
	mr->iova = virt_addr;
	mr->length = length;
	return mr;
}

/**
 * ib_reg_user_mr - register memory of the current process for a kernel consumer
 * @pd: protection domain; busy until the region is deregistered
 * @start: address in current->mm
 * @length: bytes
 * @virt_addr: address that work requests use for @start
 * @mr_access_flags: enum ib_access_flags
 *
 * Context: process, may sleep.
 * Return: the region, for ib_dereg_mr(), or -EOPNOTSUPP (driver has none),
 * -EINVAL (on demand, without the device having it), or the driver's errno.
 */
struct ib_mr *ib_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
			     u64 virt_addr, int mr_access_flags)
{
	struct ib_mr *mr;

	if (!pd->device->ops.reg_user_mr)
		return ERR_PTR(ofed_refuse_op(pd->device, "reg_user_mr"));
	if (mr_access_flags & IB_ACCESS_ON_DEMAND &&
	    !(pd->device->attrs.kernel_cap_flags & IBK_ON_DEMAND_PAGING))
		return ofed_refuse(pd->device, ERR_PTR(-EINVAL),
				   "access flags 0x%x: the device has no on-demand paging",
				   mr_access_flags);

	mr = mr_register(pd, start, length, virt_addr, mr_access_flags, NULL,
			 NULL, NULL);
	if (!IS_ERR(mr))
		mr_track(mr);
	return mr;
}
OFED_EXPORT(ib_reg_user_mr);

/**
 * ofed_reg_user_mr - register memory of the current process for a user
 * @pd: protection domain; busy until the region is deregistered
 * @start: address in current->mm
 * @length: bytes
 * @virt_addr: address that work requests use for @start; the same in its page
 * @access: enum ib_access_flags, unchecked
 * @dmah: DMA handle, busy until then, too; or NULL
 * @uobject: of the region
 * @udata: the driver's data
 *
 * Return: the region, or -EOPNOTSUPP (driver has none), -EINVAL (addresses, or
 * rights that do not go together), the errno of ib_check_mr_access() or the
 * driver's.
 */
struct ib_mr *ofed_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
			       u64 virt_addr, int access, struct ib_dmah *dmah,
			       struct ib_uobject *uobject,
			       struct ib_udata *udata)
{
	struct ib_mr *mr;
	int ret;

	if (!pd->device->ops.reg_user_mr)
		return ERR_PTR(ofed_refuse_op(pd->device, "reg_user_mr"));
	ret = ofed_mr_check_offset(pd->device, start, virt_addr) ?:
	      ofed_mr_check_access(pd->device, access);
	if (ret)
		return ERR_PTR(ret);

	mr = mr_register(pd, start, length, virt_addr, access, dmah, uobject, udata);
	if (!IS_ERR(mr))
		mr_track(mr);
	return mr;
}
EXPORT_SYMBOL_GPL(ofed_reg_user_mr);

/**
 * ofed_reg_dmabuf_mr - register a part of a dma-buf for a user
 * @pd: protection domain; busy until the region is deregistered
 * @offset: where the part begins
 * @length: bytes
 * @iova: address that work requests use for it; the same in its page
 * @fd: of the dma-buf, in the current process
 * @access: enum ib_access_flags, unchecked
 * @dmah: DMA handle, busy until then, too; or NULL
 * @uobject: of the region
 * @attrs: of the command
 *
 * Return: as ofed_reg_user_mr().
 */
struct ib_mr *ofed_reg_dmabuf_mr(struct ib_pd *pd, u64 offset, u64 length,
				 u64 iova, int fd, int access, struct ib_dmah *dmah,
				 struct ib_uobject *uobject,
				 struct uverbs_attr_bundle *attrs)
{
	struct ib_mr *mr;
	int ret;

	if (!pd->device->ops.reg_user_mr_dmabuf)
		return ERR_PTR(ofed_refuse_op(pd->device,
					      "reg_user_mr_dmabuf"));
	ret = ofed_mr_check_offset(pd->device, offset, iova) ?:
	      ofed_mr_check_access(pd->device, access);
	if (ret)
		return ERR_PTR(ret);

	mr = compat_reg_user_mr_dmabuf(pd, offset, length, iova, fd, access, dmah,
				       attrs);
	if (IS_ERR(mr))
		return mr;
	mr_adopt(mr, pd, IB_MR_TYPE_USER);
	compat_mr_use_dmah(mr, dmah);
	mr->uobject = uobject;
	mr->iova = iova;
	mr->length = length;
	mr_track(mr);
	return mr;
}
EXPORT_SYMBOL_GPL(ofed_reg_dmabuf_mr);

/**
 * ofed_reg_dm_mr - register a part of device memory for a user
 * @pd: protection domain; busy until the region is deregistered
 * @dm: the memory; busy until the region is deregistered
 * @attr: the part, and the rights, unchecked
 * @uobject: of the region
 * @attrs: of the command
 *
 * Addresses in it count from 0: device memory has no others.
 * Return: the region, or -EOPNOTSUPP (driver has none), -EINVAL (not within
 * @dm, or not IB_ZERO_BASED), the errno of ib_check_mr_access() or the driver's.
 */
struct ib_mr *ofed_reg_dm_mr(struct ib_pd *pd, struct ib_dm *dm,
			     struct ib_dm_mr_attr *attr,
			     struct ib_uobject *uobject,
			     struct uverbs_attr_bundle *attrs)
{
	struct ib_mr *mr;
	int ret;

	if (!pd->device->ops.reg_dm_mr)
		return ERR_PTR(ofed_refuse_op(pd->device, "reg_dm_mr"));
	if (!(attr->access_flags & IB_ZERO_BASED))
		return ofed_refuse(pd->device, ERR_PTR(-EINVAL),
				   "access flags 0x%x: device memory is zero-based",
				   attr->access_flags);
	ret = ofed_mr_check_access(pd->device, attr->access_flags);
	if (ret)
		return ERR_PTR(ret);
	if (attr->offset > dm->length ||
	    attr->length > dm->length - attr->offset)
		return ofed_refuse(pd->device, ERR_PTR(-EINVAL),
				   "%llu bytes at %llu, the device memory has %u",
				   attr->length, attr->offset, dm->length);

	mr = pd->device->ops.reg_dm_mr(pd, dm, attr, attrs);
	if (IS_ERR(mr))
		return mr;
	mr_adopt(mr, pd, IB_MR_TYPE_DM);
	mr->uobject = uobject;
	mr->length = attr->length;
	mr->iova = 0;
	mr->dm = dm;
	atomic_inc(&dm->usecnt);
	mr_track(mr);
	return mr;
}
EXPORT_SYMBOL_GPL(ofed_reg_dm_mr);

/*
 * A dump of @mr's line may be reading the number of the old PD. The old PD can
 * be deallocated once @mr does not count in it any more.
 */
static void mr_change_pd(struct ib_mr *mr, struct ib_pd *old_pd,
			 struct ib_pd *new_pd)
{
	ofed_restrack_begin_del(&mr->res);
	atomic_inc(&new_pd->usecnt);
	mr->pd = new_pd;
	atomic_dec(&old_pd->usecnt);
	ofed_restrack_abort_del(&mr->res);
}

/*
 * The driver changed @mr itself; the rest of its values follow. It may have set
 * mr->pd, too: what it was before is @old_pd.
 */
static void mr_changed(struct ib_mr *mr, int flags, u64 length, u64 virt_addr,
		       struct ib_pd *old_pd, struct ib_pd *new_pd)
{
	if (flags & IB_MR_REREG_TRANS) {
		mr->iova = virt_addr;
		mr->length = length;
	}
	if (flags & IB_MR_REREG_PD)
		mr_change_pd(mr, old_pd, new_pd);
}

static int mr_check_rereg(const struct ib_mr *mr, int flags, u64 start,
			  u64 virt_addr, int access)
{
	int ret;

	if (!mr->device->ops.rereg_user_mr)
		return ofed_refuse_op(mr->device, "rereg_user_mr");
	if (!flags)
		return ofed_refuse(mr->device, -EINVAL,
				   "flags: there is nothing to change");
	if (flags & ~IB_MR_REREG_SUPPORTED)
		return ofed_refuse(mr->device, -EOPNOTSUPP,
				   "flags 0x%x of a re-registration", flags);
	if (flags & IB_MR_REREG_TRANS) {
		ret = ofed_mr_check_offset(mr->device, start, virt_addr);
		if (ret)
			return ret;
	}
	/* Device memory stays where it is. */
	if (mr->dm)
		return ofed_refuse(mr->device, -EINVAL,
				   "a region of device memory stays as it is");
	if (flags & IB_MR_REREG_ACCESS)
		return ofed_mr_check_access(mr->device, access);
	return 0;
}

/**
 * ofed_rereg_user_mr - change addresses, PD or rights of a user's region
 * @mr: the region; the caller alone uses it meanwhile
 * @flags: enum ib_mr_rereg_flags, unchecked
 * @start: with IB_MR_REREG_TRANS: as for ofed_reg_user_mr()
 * @length: with IB_MR_REREG_TRANS
 * @virt_addr: with IB_MR_REREG_TRANS
 * @access: with IB_MR_REREG_ACCESS
 * @new_pd: with IB_MR_REREG_PD the new PD, else that of @mr
 * @udata: the driver's data
 *
 * Return: NULL when @mr itself was changed; another region that has to take its
 * place, with @mr left for the caller to deregister; or -EOPNOTSUPP, -EINVAL,
 * or the driver's errno.
 */
struct ib_mr *ofed_rereg_user_mr(struct ib_mr *mr, int flags, u64 start,
				 u64 length, u64 virt_addr, int access,
				 struct ib_pd *new_pd, struct ib_udata *udata)
{
	struct ib_pd *old_pd = mr->pd;
	struct ib_mr *next;
	int ret;

	ret = mr_check_rereg(mr, flags, start, virt_addr, access);
	if (ret)
		return ERR_PTR(ret);
	next = mr->device->ops.rereg_user_mr(mr, flags, start, length,
					     virt_addr, access, new_pd, udata);
	if (IS_ERR(next))
		return next;
	if (!next) {
		mr_changed(mr, flags, length, virt_addr, old_pd, new_pd);
		return NULL;
	}

	mr_adopt(next, new_pd, IB_MR_TYPE_USER);
	/* The driver was not asked for one with the DMA handle of @mr. */
	compat_mr_use_dmah(next, (struct ib_dmah *)NULL);
	next->uobject = mr->uobject;
	next->iova = flags & IB_MR_REREG_TRANS ? virt_addr : mr->iova;
	next->length = flags & IB_MR_REREG_TRANS ? length : mr->length;
	mr_track(next);
	return next;
}
EXPORT_SYMBOL_GPL(ofed_rereg_user_mr);

/**
 * ib_advise_mr - tell a driver how memory is going to be used
 * @pd: protection domain of the regions
 * @advice: what for
 * @flags: enum ib_uverbs_advise_mr_flag
 * @sg_list: parts of regions
 * @num_sge: number of @sg_list
 *
 * Context: process, may sleep.
 * Return: 0, -EOPNOTSUPP (driver does not listen), or the driver's errno.
 */
int ib_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice,
		 u32 flags, struct ib_sge *sg_list, u32 num_sge)
{
	if (!pd->device->ops.advise_mr)
		return ofed_refuse_op(pd->device, "advise_mr");
	return num_sge ? pd->device->ops.advise_mr(pd, advice, flags, sg_list,
						   num_sge, NULL) : 0;
}
OFED_EXPORT(ib_advise_mr);

/**
 * ib_dereg_mr_user - deregister a memory region
 * @mr: the region; freed by the driver on success
 * @udata: of a user, or NULL
 *
 * IBA vol. 1 chapter 11, Deregister Memory Region. Context: process, may sleep.
 * Return: 0, or the driver's errno (memory windows are bound to it): then the
 * region lives on.
 */
int ib_dereg_mr_user(struct ib_mr *mr, struct ib_udata *udata)
{
	struct ib_sig_attrs *sig_attrs = mr->sig_attrs;
	struct ib_pd *pd = mr->pd;
	struct ib_dmah *dmah = compat_mr_dmah(mr);
	struct ib_dm *dm = mr->dm;
	int ret;

	trace_mr_dereg(mr);
	/* @mr is gone when the driver returns, so its entry has to go first. */
	ofed_restrack_del(&mr->res);
	ret = mr->device->ops.dereg_mr(mr, udata);
	if (ret) {
		mr_track(mr);
		return ret;
	}

	kfree(sig_attrs);
	if (dm)
		atomic_dec(&dm->usecnt);
	compat_put_dmah(dmah);
	atomic_dec(&pd->usecnt);
	return 0;
}
OFED_EXPORT(ib_dereg_mr_user);

static struct ib_mr *mr_alloc(struct ib_pd *pd, enum ib_mr_type mr_type,
			      u32 max_num_sg)
{
	struct ib_mr *mr;

	if (!pd->device->ops.alloc_mr)
		return ERR_PTR(ofed_refuse_op(pd->device, "alloc_mr"));
	if (WARN_ON_ONCE(mr_type == IB_MR_TYPE_INTEGRITY))
		return ERR_PTR(-EINVAL);

	mr = pd->device->ops.alloc_mr(pd, mr_type, max_num_sg);
	if (IS_ERR(mr))
		return mr;
	mr_adopt(mr, pd, mr_type);
	mr_track(mr);
	return mr;
}

/**
 * ib_alloc_mr - allocate a region for fast registration
 * @pd: protection domain; busy until the region is deregistered
 * @mr_type: IB_MR_TYPE_MEM_REG or IB_MR_TYPE_SG_GAPS
 * @max_num_sg: pages or elements it has to hold
 *
 * It gets its memory by ib_map_mr_sg() and a IB_WR_REG_MR work request.
 * Context: process, may sleep.
 * Return: the region, for ib_dereg_mr(), or -EOPNOTSUPP (driver has none),
 * -EINVAL (type), or the driver's errno.
 */
struct ib_mr *ib_alloc_mr(struct ib_pd *pd, enum ib_mr_type mr_type,
			  u32 max_num_sg)
{
	struct ib_mr *mr = mr_alloc(pd, mr_type, max_num_sg);

	trace_mr_alloc(pd, mr_type, max_num_sg, mr);
	return mr;
}
OFED_EXPORT(ib_alloc_mr);

static struct ib_mr *mr_alloc_integrity(struct ib_pd *pd, u32 max_num_data_sg,
					u32 max_num_meta_sg)
{
	const struct ib_device_ops *ops = &pd->device->ops;
	struct ib_sig_attrs *sig_attrs;
	struct ib_mr *mr;

	if (!ops->alloc_mr_integrity || !ops->map_mr_sg_pi)
		return ofed_refuse(pd->device, ERR_PTR(-EOPNOTSUPP),
				   "the device has no integrity");
	if (!max_num_meta_sg)
		return ofed_refuse(pd->device, ERR_PTR(-EINVAL),
				   "max_num_meta_sg: 0");
	sig_attrs = kzalloc(sizeof(*sig_attrs), GFP_KERNEL);
	if (!sig_attrs)
		return ERR_PTR(-ENOMEM);

	mr = ops->alloc_mr_integrity(pd, max_num_data_sg, max_num_meta_sg);
	if (IS_ERR(mr)) {
		kfree(sig_attrs);
		return mr;
	}
	mr_adopt(mr, pd, IB_MR_TYPE_INTEGRITY);
	mr->sig_attrs = sig_attrs;
	mr_track(mr);
	return mr;
}

/**
 * ib_alloc_mr_integrity - allocate a region for data with a checksum
 * @pd: protection domain; busy until the region is deregistered
 * @max_num_data_sg: elements of data it has to hold
 * @max_num_meta_sg: elements of protection information, not 0
 *
 * Context: process, may sleep.
 * Return: the region, for ib_dereg_mr(), or -EOPNOTSUPP (driver has none),
 * -EINVAL, -ENOMEM, or the driver's errno.
 */
struct ib_mr *ib_alloc_mr_integrity(struct ib_pd *pd, u32 max_num_data_sg,
				    u32 max_num_meta_sg)
{
	struct ib_mr *mr = mr_alloc_integrity(pd, max_num_data_sg,
					      max_num_meta_sg);

	trace_mr_integ_alloc(pd, max_num_data_sg, max_num_meta_sg, mr);
	return mr;
}
OFED_EXPORT(ib_alloc_mr_integrity);

/**
 * ib_map_mr_sg - give a region of ib_alloc_mr() its memory
 * @mr: the region
 * @sg: DMA mapped elements
 * @sg_nents: number of mapped elements
 * @sg_offset: in: bytes of the first element to skip, out: the same for the
 *	       first element that did not fit; or NULL for 0
 * @page_size: size of the pages the region is made of
 *
 * Only the first element may begin, only the last one end within a page, unless
 * the type of the region is IB_MR_TYPE_SG_GAPS. Context: any.
 * Return: the number of elements that are mapped, which may be less than
 * @sg_nents, or -EOPNOTSUPP, or the driver's errno.
 */
int ib_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int sg_nents,
		 unsigned int *sg_offset, unsigned int page_size)
{
	const struct ib_device_ops *ops = &mr->device->ops;

	if (unlikely(!ops->map_mr_sg))
		return -EOPNOTSUPP;
	mr->page_size = page_size;
	return ops->map_mr_sg(mr, sg, sg_nents, sg_offset);
}
OFED_EXPORT(ib_map_mr_sg);

/**
 * ib_map_mr_sg_pi - give a region of ib_alloc_mr_integrity() its memory
 * @mr: the region
 * @data_sg: DMA mapped elements of data
 * @data_sg_nents: number of them
 * @data_sg_offset: as for ib_map_mr_sg()
 * @meta_sg: DMA mapped elements of protection information
 * @meta_sg_nents: number of them
 * @meta_sg_offset: as for ib_map_mr_sg()
 * @page_size: size of the pages the region is made of
 *
 * Context: any.
 * Return: 0 when all is mapped, -EOPNOTSUPP, or the driver's errno.
 */
int ib_map_mr_sg_pi(struct ib_mr *mr, struct scatterlist *data_sg,
		    int data_sg_nents, unsigned int *data_sg_offset,
		    struct scatterlist *meta_sg, int meta_sg_nents,
		    unsigned int *meta_sg_offset, unsigned int page_size)
{
	if (unlikely(!mr->device->ops.map_mr_sg_pi) ||
	    WARN_ON_ONCE(mr->type != IB_MR_TYPE_INTEGRITY))
		return -EOPNOTSUPP;
	mr->page_size = page_size;
	return mr->device->ops.map_mr_sg_pi(mr, data_sg, data_sg_nents,
					    data_sg_offset, meta_sg,
					    meta_sg_nents, meta_sg_offset);
}
OFED_EXPORT(ib_map_mr_sg_pi);

/**
 * ib_check_mr_status - ask what became of a region's signature check
 * @mr: the region
 * @check_mask: IB_MR_CHECK_SIG_STATUS
 * @mr_status: out
 *
 * Context: any. Return: 0, -EOPNOTSUPP, or the driver's errno.
 */
int ib_check_mr_status(struct ib_mr *mr, u32 check_mask,
		       struct ib_mr_status *mr_status)
{
	return mr->device->ops.check_mr_status ?
	       mr->device->ops.check_mr_status(mr, check_mask, mr_status) :
	       -EOPNOTSUPP;
}
OFED_EXPORT(ib_check_mr_status);

/**
 * ib_sg_to_pages - cut a scatter list into the pages of a region
 * @mr: the region; page_size is set, iova and length are filled
 * @sgl: DMA mapped elements
 * @sg_nents: number of mapped elements
 * @sg_offset: as for ib_map_mr_sg()
 * @set_page: called with each page in turn; a negative return says that this
 *	      one did not fit
 *
 * For drivers. Elements that adjoin count as one. Ends at the first gap and
 * when @set_page refuses. Context: as @set_page permits.
 * Return: the number of elements that are mapped whole, or -EINVAL (none, or
 * the offset lies behind the first), or the errno of @set_page when it took
 * nothing at all.
 */
int ib_sg_to_pages(struct ib_mr *mr, struct scatterlist *sgl, int sg_nents,
		   unsigned int *sg_offset,
		   int (*set_page)(struct ib_mr *, u64))
{
	const u64 in_page = (u64)mr->page_size - 1;
	unsigned int skip = sg_offset ? *sg_offset : 0;
	u64 at, end, mapped = 0, page = 0;
	struct scatterlist *sg;
	int i, ret = 0;

	if (sg_nents <= 0 || skip > sg_dma_len(sgl))
		return -EINVAL;
	mr->iova = sg_dma_address(sgl) + skip;
	mr->length = 0;

	/* [.., mapped) is in the region, [.., page) is in its page list. */
	for_each_sg(sgl, sg, sg_nents, i) {
		at = sg_dma_address(sg) + skip;
		end = sg_dma_address(sg) + sg_dma_len(sg);
		if (!i || (at != mapped && !((at | mapped) & in_page)))
			page = at & ~in_page;
		else if (at != mapped)
			break;

		for (; page < end; page += mr->page_size) {
			ret = set_page(mr, page);
			if (ret < 0)
				break;
		}
		mapped = min(page, end);
		if (mapped > at)
			mr->length += mapped - at;
		if (mapped < end) {
			/* Cut within this element: resume behind the cut. */
			skip = max(mapped, at) - sg_dma_address(sg);
			break;
		}
		skip = 0;
	}

	if (sg_offset)
		*sg_offset = i < sg_nents ? skip : 0;
	return i || mr->length ? i : ret;
}
OFED_EXPORT(ib_sg_to_pages);
