// SPDX-License-Identifier: GPL-2.0
/*
 * Rights that a program proves by open files: one character device for each right that a driver
 * offers, which the administrator opens to a group. The program gives the files to GET_CONTEXT, and
 * the driver finds the rights in the context.
 */
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <ofed/refuse.h>
#include <rdma/ib_ucaps.h>

#include "std.h"

/**
 * struct uv_ucap - the device of a right
 * @dev: class device; its reference keeps this struct
 * @cdev: character device
 * @users: calls of ib_create_ucap() without one of ib_remove_ucap()
 */
struct uv_ucap {
	struct device dev;
	struct cdev cdev;
	u32 users;
};

/* Guards the table, and users of what is in it. No lock is taken under it but those of the class. */
static DEFINE_MUTEX(ucaps_lock);
static struct uv_ucap *ucaps[RDMA_UCAP_MAX];
static dev_t ucaps_base;

/* In /dev/infiniband. */
static const char * const ucap_names[RDMA_UCAP_MAX] = {
	[RDMA_UCAP_MLX5_CTRL_LOCAL] = "mlx5_perm_ctrl_local",
	[RDMA_UCAP_MLX5_CTRL_OTHER_VHCA] = "mlx5_perm_ctrl_other_vhca",
};

static char *uv_ucap_devnode(compat_class_device *dev, umode_t *mode)
{
	if (mode)
		*mode = 0600;
	return kasprintf(GFP_KERNEL, "infiniband/%s", dev_name(dev));
}

static const struct class ucaps_class = {
	.name = "infiniband_ucaps",
	.devnode = uv_ucap_devnode,
};

/* An open file does nothing but exist. */
static const struct file_operations ucap_fops = {
	.owner = THIS_MODULE,
	.open = nonseekable_open,
};

static void uv_ucap_free(struct device *dev)
{
	kfree(container_of(dev, struct uv_ucap, dev));
}

static struct uv_ucap *uv_ucap_new(enum rdma_user_cap type)
{
	struct uv_ucap *ucap = kzalloc(sizeof(*ucap), GFP_KERNEL);
	int ret;

	if (!ucap)
		return ERR_PTR(-ENOMEM);
	device_initialize(&ucap->dev);
	ucap->dev.class = &ucaps_class;
	ucap->dev.devt = MKDEV(MAJOR(ucaps_base), MINOR(ucaps_base) + type);
	ucap->dev.release = uv_ucap_free;
	cdev_init(&ucap->cdev, &ucap_fops);
	ucap->cdev.owner = THIS_MODULE;
	ret = dev_set_name(&ucap->dev, "%s", ucap_names[type]) ?:
	      cdev_device_add(&ucap->cdev, &ucap->dev);
	if (ret) {
		put_device(&ucap->dev);
		return ERR_PTR(ret);
	}
	return ucap;
}

/**
 * ib_create_ucap - a driver offers a right
 * @type: the right
 *
 * The device of the right is there until each such call has its ib_remove_ucap(). Context: process,
 * may sleep.
 *
 * Return: 0, -EINVAL (no such right), -ENOMEM, or an errno of the class.
 */
int ib_create_ucap(enum rdma_user_cap type)
{
	struct uv_ucap *ucap;

	if (type >= RDMA_UCAP_MAX)
		return -EINVAL;
	guard(mutex)(&ucaps_lock);
	if (!ucaps[type]) {
		ucap = uv_ucap_new(type);
		if (IS_ERR(ucap))
			return PTR_ERR(ucap);
		ucaps[type] = ucap;
	}
	ucaps[type]->users++;
	return 0;
}
OFED_EXPORT(ib_create_ucap);

/**
 * ib_remove_ucap - a driver offers a right no longer
 * @type: the right, from ib_create_ucap()
 *
 * Files that are open stay, and prove nothing until the right is offered anew: as with the kernel's
 * own core, a file proves a right by the number of its device. Context: process, may sleep.
 */
void ib_remove_ucap(enum rdma_user_cap type)
{
	struct uv_ucap *ucap;

	guard(mutex)(&ucaps_lock);
	ucap = ucaps[type];
	if (WARN_ON(!ucap) || --ucap->users)
		return;
	ucaps[type] = NULL;
	cdev_device_del(&ucap->cdev, &ucap->dev);
	put_device(&ucap->dev);
}
OFED_EXPORT(ib_remove_ucap);

/* The right that a file proves, or -EBADF (it is no proof), -EINVAL (of a right that is gone). */
static int uv_ucap_of(int fd)
{
	struct file *filp __free(fput) = fget(fd);
	int type;

	lockdep_assert_held(&ucaps_lock);
	if (!filp || filp->f_op != &ucap_fops)
		return ofed_refuse_call(-EBADF, "uverbs: fd %d is no proof of a right", fd);
	type = file_inode(filp)->i_rdev - ucaps_base;
	if (!ucaps[type])
		return ofed_refuse_call(-EINVAL, "uverbs: the right of fd %d is gone", fd);
	return type;
}

/* Those of all @fds. 0 or an errno of uv_ucap_of(). */
static int uv_ucaps_of(const int *fds, int count, u64 *mask)
{
	int i, type;

	*mask = 0;
	guard(mutex)(&ucaps_lock);
	for (i = 0; i < count; i++) {
		type = uv_ucap_of(fds[i]);
		if (type < 0)
			return type;
		*mask |= BIT_ULL(type);
	}
	return 0;
}

/* The rights of a context that is made, by the files that the command has. */
int uv_context_caps(struct ib_ucontext *context, struct uverbs_attr_bundle *attrs)
{
	const u16 id = UVERBS_ATTR_GET_CONTEXT_FD_ARR;
	int *fds, count;

	if (!uverbs_attr_is_valid(attrs, id))
		return 0;
	count = uverbs_attr_ptr_get_array_size(attrs, id, sizeof(*fds));
	if (count < 0)
		return count;
	fds = uverbs_attr_get_alloced_ptr(attrs, id);
	if (IS_ERR(fds))
		return PTR_ERR(fds);
	return uv_ucaps_of(fds, count, &context->enabled_caps);
}

ADD_UVERBS_ATTRIBUTES_SIMPLE(uv_context_fds, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT,
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_GET_CONTEXT_FD_ARR, UVERBS_ATTR_MIN_SIZE(sizeof(int)),
			   UA_OPTIONAL, UA_ALLOC_AND_COPY));

const struct uapi_definition uv_def_ucaps[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &uv_context_fds),
	{}
};

/* Return: 0 or an errno. */
int uv_ucaps_init(void)
{
	int ret = class_register(&ucaps_class);

	if (ret)
		return ret;
	ret = alloc_chrdev_region(&ucaps_base, 0, RDMA_UCAP_MAX, ucaps_class.name);
	if (ret)
		class_unregister(&ucaps_class);
	return ret;
}

void uv_ucaps_exit(void)
{
	unregister_chrdev_region(ucaps_base, RDMA_UCAP_MAX);
	class_unregister(&ucaps_class);
}
