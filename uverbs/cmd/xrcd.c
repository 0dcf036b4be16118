// SPDX-License-Identifier: GPL-2.0
/*
 * Commands on XRC domains. Processes share a domain by the file that they open
 * it with: the device's xrcds has it by inode, and domain.usecnt counts, among
 * the rest, the uobjects that share it. A domain without a file has one.
 *
 * Each uobject that shares has the path of its file, and with it the mount: an
 * inode alone does not keep its file system from being unmounted.
 */
#include <linux/file.h>
#include <linux/path.h>
#include <ofed/refuse.h>
#include <ofed/verbs.h>

#include "cmd.h"

static struct uv_xrcd *to_uv_xrcd(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uv_xrcd, uobj);
}

static bool uv_ends_file(enum rdma_remove_reason why)
{
	return why == RDMA_REMOVE_CLOSE || why == RDMA_REMOVE_DRIVER_REMOVE;
}

/*
 * The last uobject that shares a domain frees it. At the end of its file that
 * one ends the sharing even if the driver refuses: no other file gets it then.
 */
static int uv_xrcd_unshare(struct ib_uverbs_device *dev, struct ib_xrcd *xrcd,
			   enum rdma_remove_reason why, struct ib_udata *udata)
{
	struct inode *inode = xrcd->inode;
	int ret;

	guard(mutex)(&dev->xrcd_lock);
	if (!atomic_dec_and_test(&xrcd->usecnt))
		return 0;
	ret = ib_dealloc_xrcd_user(xrcd, udata);
	if (ret && !uv_ends_file(why)) {
		atomic_inc(&xrcd->usecnt);
		return ret;
	}
	if (ret)
		xrcd->inode = NULL;
	xa_erase(&dev->xrcds, (unsigned long)inode);
	return ret;
}

/* It shares no more. May be the last use of the mount. */
static void uv_xrcd_leave_file(struct uv_xrcd *share)
{
	path_put(&share->path);
	share->path = (struct path){};
}

static int uv_xrcd_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
			   struct uverbs_attr_bundle *attrs)
{
	struct uv_xrcd *share = to_uv_xrcd(uobj);
	struct ib_xrcd *xrcd = uobj->object;
	int ret;

	if (atomic_read(&share->users))
		return ofed_refuse_busy(xrcd->device, "XRC domain",
					&share->users);
	if (!share->path.mnt)
		return ib_dealloc_xrcd_user(xrcd, &attrs->driver_udata);
	ret = uv_xrcd_unshare(uobj->ufile->device, xrcd, why,
			      &attrs->driver_udata);
	if (!ret || uv_ends_file(why))
		uv_xrcd_leave_file(share);
	return ret;
}

/*
 * Of the uobjects that share a domain, the first that is forgotten frees it, and
 * takes it out of the table, by which the others know.
 */
static void uv_xrcd_forget(struct ib_uobject *uobj)
{
	struct uv_xrcd *share = to_uv_xrcd(uobj);
	struct xarray *xrcds = &uobj->ufile->device->xrcds;

	if (!share->path.mnt || xa_erase(xrcds, share->key))
		ofed_forget_xrcd(uobj->object);
	uv_xrcd_leave_file(share);
}

UV_OBJ_TYPE(uv_type_xrcd, UVERBS_OBJECT_XRCD, struct uv_xrcd, uv_xrcd_destroy,
	    dealloc_xrcd, .forget = uv_xrcd_forget);

static struct ib_xrcd *uv_xrcd_share_new(struct ib_uverbs_device *dev,
					 struct ib_device *ib_dev,
					 struct inode *inode,
					 struct ib_udata *udata)
{
	struct ib_xrcd *xrcd;
	int ret;

	lockdep_assert_held(&dev->xrcd_lock);
	ret = xa_reserve(&dev->xrcds, (unsigned long)inode, GFP_KERNEL_ACCOUNT);
	if (ret)
		return ERR_PTR(ret);
	xrcd = ib_alloc_xrcd_user(ib_dev, inode, udata);
	if (IS_ERR(xrcd)) {
		xa_release(&dev->xrcds, (unsigned long)inode);
		return xrcd;
	}
	xa_store(&dev->xrcds, (unsigned long)inode, xrcd, GFP_KERNEL);
	return xrcd;
}

/* The domain of @inode, as @oflags (O_CREAT, O_EXCL) say, shared once more. */
static struct ib_xrcd *uv_xrcd_share(struct ib_uverbs_device *dev,
				     struct ib_device *ib_dev,
				     struct inode *inode, u32 oflags,
				     struct ib_udata *udata)
{
	struct ib_xrcd *xrcd;

	guard(mutex)(&dev->xrcd_lock);
	xrcd = xa_load(&dev->xrcds, (unsigned long)inode);
	if (!xrcd && !(oflags & O_CREAT))
		return ofed_refuse(ib_dev, ERR_PTR(-EAGAIN),
				   "oflags 0x%x: the file has no XRC domain", oflags);
	if (xrcd && oflags & O_EXCL)
		return ofed_refuse(ib_dev, ERR_PTR(-EINVAL),
				   "oflags 0x%x: the file has an XRC domain", oflags);
	if (!xrcd)
		xrcd = uv_xrcd_share_new(dev, ib_dev, inode, udata);
	if (!IS_ERR(xrcd))
		atomic_inc(&xrcd->usecnt);
	return xrcd;
}

static void uv_xrcd_keep_file(struct uv_xrcd *share, const struct file *filp)
{
	share->key = (unsigned long)file_inode(filp);
	share->path = filp->f_path;
	path_get(&share->path);
}

int uv_open_xrcd(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_open_xrcd_resp resp = {};
	struct file *filp __free(fput) = NULL;
	struct ib_uverbs_open_xrcd cmd;
	struct ib_device *ib_dev;
	struct ib_uobject *uobj;
	struct ib_xrcd *xrcd;
	int ret;

	ret = uv_request(attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.fd != (u32)-1) {
		filp = fget(cmd.fd);
		if (!filp)
			return uv_refuse(attrs->ufile, -EBADF,
					 "open_xrcd: there is no fd %u",
					 cmd.fd);
	}
	uobj = uv_uobj_begin(&uv_type_xrcd, attrs);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	attrs->uobject = uobj;

	ib_dev = uobj->context->device;
	xrcd = filp ? uv_xrcd_share(attrs->ufile->device, ib_dev, file_inode(filp),
				    cmd.oflags, &attrs->driver_udata) :
		      ib_alloc_xrcd_user(ib_dev, NULL, &attrs->driver_udata);
	if (IS_ERR(xrcd))
		return PTR_ERR(xrcd);
	uobj->object = xrcd;
	if (filp)
		uv_xrcd_keep_file(to_uv_xrcd(uobj), filp);
	resp.xrcd_handle = uobj->id;
	return uv_reply(attrs, &resp, sizeof(resp));
}

int uv_close_xrcd(struct uverbs_attr_bundle *attrs)
{
	return uv_destroy_request(&uv_type_xrcd, attrs);
}
