// SPDX-License-Identifier: GPL-2.0
/*
 * Regions on demand. The device's part is played by an ioctl() on the debugfs
 * file "odp": it faults a range in and reads or writes it by the addresses that
 * the region has for the device.
 */
#include <linux/io.h>
#include <linux/mmu_notifier.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <compat/umem_odp.h>

#include "ofed_testdev.h"

#define TD_ODP_MAX	(64 * PAGE_SIZE)
/* Of an implicit region, what one region below it covers. */
#define TD_ODP_PART	(512 * PAGE_SIZE)

/**
 * struct td_odp - what the device knows of a region on demand
 * @umem: the region
 * @parts: of an implicit region: &struct td_odp by address / TD_ODP_PART
 * @invalidated: calls of the notifier, guarded by the region's umem_mutex
 *
 * In td->odps by the key's index; found, used and removed under hook_lock.
 */
struct td_odp {
	struct ib_umem_odp *umem;
	struct xarray parts;
	u64 invalidated;
};

static bool td_odp_invalidate(struct mmu_interval_notifier *notifier,
			      const struct mmu_notifier_range *range,
			      unsigned long cur_seq)
{
	struct ib_umem_odp *umem =
		container_of(notifier, struct ib_umem_odp, notifier);
	struct td_odp *odp;

	if (!mmu_notifier_range_blockable(range))
		return false;
	mutex_lock(&umem->umem_mutex);
	mmu_interval_set_seq(notifier, cur_seq);
	odp = umem->private;
	if (odp)
		odp->invalidated++;
	ib_umem_odp_unmap_dma_pages(umem, range->start, range->end);
	mutex_unlock(&umem->umem_mutex);
	return true;
}

static const struct mmu_interval_notifier_ops td_odp_ops = {
	.invalidate = td_odp_invalidate,
};

/* Takes @umem over, an ERR_PTR too. */
static struct td_odp *td_odp_alloc(struct ib_umem_odp *umem)
{
	struct td_odp *odp;

	if (IS_ERR(umem))
		return ERR_CAST(umem);
	odp = kzalloc(sizeof(*odp), GFP_KERNEL);
	if (!odp) {
		ib_umem_odp_release(umem);
		return ERR_PTR(-ENOMEM);
	}
	xa_init(&odp->parts);
	odp->umem = umem;
	mutex_lock(&umem->umem_mutex);
	umem->private = odp;
	mutex_unlock(&umem->umem_mutex);
	return odp;
}

/* The umem itself is the MR's to release. */
static void td_odp_free(struct td_odp *odp)
{
	struct td_odp *part;
	unsigned long i;

	xa_for_each(&odp->parts, i, part) {
		ib_umem_odp_release(part->umem);
		kfree(part);
	}
	xa_destroy(&odp->parts);
	mutex_lock(&odp->umem->umem_mutex);
	odp->umem->private = NULL;
	mutex_unlock(&odp->umem->umem_mutex);
	kfree(odp);
}

/* Everything from 0 on is the implicit region, as with hardware that has it. */
struct ib_umem *td_odp_get(struct testdev *td, u32 key, u64 start, u64 length,
			   int access)
{
	struct td_odp *odp;
	int ret;

	if (!start && length == U64_MAX)
		odp = td_odp_alloc(ib_umem_odp_alloc_implicit(&td->ib, access));
	else
		odp = td_odp_alloc(ib_umem_odp_get(&td->ib, start, length,
						   access, &td_odp_ops));
	if (IS_ERR(odp))
		return ERR_CAST(odp);
	ret = xa_insert(&td->odps, key >> 8, odp, GFP_KERNEL);
	if (ret) {
		struct ib_umem_odp *umem = odp->umem;

		td_odp_free(odp);
		ib_umem_odp_release(umem);
		return ERR_PTR(ret);
	}
	return &odp->umem->umem;
}

void td_odp_forget(struct testdev *td, u32 key)
{
	struct td_odp *odp;

	mutex_lock(&td->hook_lock);
	odp = xa_erase(&td->odps, key >> 8);
	mutex_unlock(&td->hook_lock);
	if (odp)
		td_odp_free(odp);
}

/* The region of @addr: for an implicit one a part of it, made when wanted. */
static struct td_odp *td_odp_find(struct testdev *td, u32 key, u64 addr)
{
	struct td_odp *odp = xa_load(&td->odps, key >> 8), *part;
	unsigned long i = addr / TD_ODP_PART;
	int ret;

	lockdep_assert_held(&td->hook_lock);
	if (!odp)
		return ERR_PTR(-ENOENT);
	if (!odp->umem->is_implicit_odp)
		return odp;
	part = xa_load(&odp->parts, i);
	if (part)
		return part;
	part = td_odp_alloc(ib_umem_odp_alloc_child(odp->umem, i * TD_ODP_PART,
						    TD_ODP_PART, &td_odp_ops));
	if (IS_ERR(part))
		return part;
	ret = xa_insert(&odp->parts, i, part, GFP_KERNEL);
	if (ret) {
		ib_umem_odp_release(part->umem);
		kfree(part);
		return ERR_PTR(ret);
	}
	return part;
}

/* What hardware does with an address, one entry of the region after another. */
static int td_odp_copy(struct testdev *td, struct ib_umem_odp *umem, u64 addr,
		       u8 *bytes, u64 length, bool write)
{
	u64 page = BIT(umem->page_shift), done, n;
	u64 want = write ? COMPAT_ODP_WRITE : COMPAT_ODP_READ;

	lockdep_assert_held(&umem->umem_mutex);
	for (done = 0; done < length; done += n) {
		u64 at = addr + done;
		u8 *memory = compat_odp_memory(umem, (at - ib_umem_start(umem)) >>
					       umem->page_shift, want);

		if (!memory)
			return -EIO;
		memory += at & (page - 1);
		n = min(length - done, page - (at & (page - 1)));
		if (write)
			memcpy(memory, bytes + done, n);
		else
			memcpy(bytes + done, memory, n);
	}
	return 0;
}

static int td_odp_piece(struct testdev *td, struct testdev_odp *cmd,
			struct td_odp *odp, u64 addr, u8 *bytes, u64 length)
{
	bool write = cmd->op == TESTDEV_ODP_WRITE;
	u64 rights = COMPAT_ODP_READ;
	int ret;

	if (write)
		rights |= COMPAT_ODP_WRITE;
	ret = ib_umem_odp_map_dma_and_lock(odp->umem, addr, length, rights,
					   cmd->op != TESTDEV_ODP_LOOK);
	if (ret < 0)
		return ret;
	cmd->pages += ret;
	cmd->mapped = odp->umem->npages;
	cmd->invalidated = odp->invalidated;
	ret = 0;
	if (cmd->op != TESTDEV_ODP_LOOK)
		ret = td_odp_copy(td, odp->umem, addr, bytes, length, write);
	mutex_unlock(&odp->umem->umem_mutex);
	return ret;
}

/* Memory of an implicit region may lie in two of its parts. */
static int td_odp_access(struct testdev *td, struct testdev_odp *cmd, u8 *bytes)
{
	u64 done = 0, n;

	cmd->pages = 0;
	do {
		u64 addr = cmd->addr + done;
		struct td_odp *odp = td_odp_find(td, cmd->key, addr);
		int ret;

		if (IS_ERR(odp))
			return PTR_ERR(odp);
		n = cmd->length - done;
		if (odp != xa_load(&td->odps, cmd->key >> 8))
			n = min_t(u64, n, TD_ODP_PART - addr % TD_ODP_PART);
		ret = td_odp_piece(td, cmd, odp, addr, bytes + done, n);
		if (ret)
			return ret;
		done += n;
	} while (done < cmd->length);
	return 0;
}

/* What the region is like, with nothing asked of it. */
static int td_odp_state(struct testdev *td, struct testdev_odp *cmd)
{
	struct td_odp *odp = td_odp_find(td, cmd->key, cmd->addr);

	if (IS_ERR(odp))
		return PTR_ERR(odp);
	mutex_lock(&odp->umem->umem_mutex);
	cmd->mapped = odp->umem->npages;
	cmd->invalidated = odp->invalidated;
	mutex_unlock(&odp->umem->umem_mutex);
	return 0;
}

static int td_odp_run(struct testdev *td, struct testdev_odp *cmd)
{
	void __user *data = u64_to_user_ptr(cmd->data);
	bool copies = cmd->op == TESTDEV_ODP_READ ||
		cmd->op == TESTDEV_ODP_WRITE;
	u8 *bytes = NULL;
	int ret;

	if (cmd->op > TESTDEV_ODP_STATE ||
	    (copies && cmd->length > TD_ODP_MAX))
		return -EINVAL;
	/* The user's buffer may lie in the region: not while that is locked. */
	if (copies) {
		bytes = kvzalloc(cmd->length ?: 1, GFP_KERNEL);
		if (!bytes)
			return -ENOMEM;
	}
	ret = -EFAULT;
	if (cmd->op == TESTDEV_ODP_WRITE &&
	    copy_from_user(bytes, data, cmd->length))
		goto out;
	mutex_lock(&td->hook_lock);
	ret = cmd->op == TESTDEV_ODP_STATE ? td_odp_state(td, cmd) :
		td_odp_access(td, cmd, bytes);
	mutex_unlock(&td->hook_lock);
	if (!ret && cmd->op == TESTDEV_ODP_READ &&
	    copy_to_user(data, bytes, cmd->length))
		ret = -EFAULT;
out:
	kvfree(bytes);
	return ret;
}

static long td_odp_ioctl(struct file *file, unsigned int number,
			 unsigned long arg)
{
	void __user *user = (void __user *)arg;
	struct testdev_odp cmd;
	int ret;

	if (number != TESTDEV_ODP)
		return -ENOTTY;
	if (copy_from_user(&cmd, user, sizeof(cmd)))
		return -EFAULT;
	ret = td_odp_run(file->private_data, &cmd);
	if (!ret && copy_to_user(user, &cmd, sizeof(cmd)))
		ret = -EFAULT;
	return ret;
}

const struct file_operations td_odp_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.unlocked_ioctl = td_odp_ioctl,
};
