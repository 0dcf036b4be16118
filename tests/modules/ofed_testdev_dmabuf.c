// SPDX-License-Identifier: GPL-2.0
/* /dev/ofed_testdev: a dma-buf exporter for tests. */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "ofed_testdev.h"

#define TD_DMABUF_PAGES 1024

/**
 * struct td_dmabuf - memory that is exported
 * @npages: entries of @pages
 * @pins: importers that want it where it is; dma_resv guards it
 * @pages: the memory
 */
struct td_dmabuf {
	u32 npages;
	u32 pins;
	struct page *pages[];
};

static void td_dmabuf_free(struct td_dmabuf *buf)
{
	u32 i;

	for (i = 0; i < buf->npages && buf->pages[i]; i++)
		__free_page(buf->pages[i]);
	kvfree(buf);
	td_put(NULL, TD_dmabuf);
}

static struct td_dmabuf *td_dmabuf_alloc(u32 npages)
{
	struct td_dmabuf *buf;
	u32 i;
	int ret;

	ret = td_get(NULL, TD_dmabuf);
	if (ret)
		return ERR_PTR(ret);
	buf = kvzalloc(struct_size(buf, pages, npages), GFP_KERNEL);
	if (!buf) {
		td_put(NULL, TD_dmabuf);
		return ERR_PTR(-ENOMEM);
	}
	buf->npages = npages;
	for (i = 0; i < npages; i++) {
		buf->pages[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		if (!buf->pages[i]) {
			td_dmabuf_free(buf);
			return ERR_PTR(-ENOMEM);
		}
	}
	return buf;
}

static struct sg_table *td_dmabuf_map(struct dma_buf_attachment *attach,
				      enum dma_data_direction direction)
{
	struct td_dmabuf *buf = attach->dmabuf->priv;
	struct sg_table *table;
	int ret;

	table = kzalloc(sizeof(*table), GFP_KERNEL);
	if (!table)
		return ERR_PTR(-ENOMEM);
	ret = sg_alloc_table_from_pages(table, buf->pages, buf->npages, 0,
					(size_t)buf->npages << PAGE_SHIFT,
					GFP_KERNEL);
	if (ret)
		goto err_free;
	ret = dma_map_sgtable(attach->dev, table, direction, 0);
	if (ret)
		goto err_table;
	return table;

err_table:
	sg_free_table(table);
err_free:
	kfree(table);
	return ERR_PTR(ret);
}

static void td_dmabuf_unmap(struct dma_buf_attachment *attach,
			    struct sg_table *table,
			    enum dma_data_direction direction)
{
	dma_unmap_sgtable(attach->dev, table, direction, 0);
	sg_free_table(table);
	kfree(table);
}

/* Pages never move by themselves; having the op makes the exporter dynamic. */
static int td_dmabuf_pin(struct dma_buf_attachment *attach)
{
	struct td_dmabuf *buf = attach->dmabuf->priv;

	buf->pins++;
	return 0;
}

static void td_dmabuf_unpin(struct dma_buf_attachment *attach)
{
	struct td_dmabuf *buf = attach->dmabuf->priv;

	buf->pins--;
}

static int td_dmabuf_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	struct td_dmabuf *buf = dmabuf->priv;

	return vm_map_pages(vma, buf->pages, buf->npages);
}

/* As exporters do that move their memory: a mapping does not keep it in place. */
static int td_dmabuf_vmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	struct td_dmabuf *buf = dmabuf->priv;
	void *at;

	if (!buf->pins)
		return -EBUSY;
	at = vmap(buf->pages, buf->npages, VM_MAP, PAGE_KERNEL);
	if (!at)
		return -ENOMEM;
	if (buf->npages == TESTDEV_DMABUF_FOREIGN)
		iosys_map_set_vaddr_iomem(map, (void __iomem __force *)at);
	else
		iosys_map_set_vaddr(map, at);
	return 0;
}

static void td_dmabuf_vunmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	vunmap(map->vaddr);
}

static void td_dmabuf_release(struct dma_buf *dmabuf)
{
	struct td_dmabuf *buf = dmabuf->priv;

	WARN(buf->pins, "%u importers have not unpinned a dma-buf that goes\n", buf->pins);
	td_dmabuf_free(buf);
}

static const struct dma_buf_ops td_dmabuf_ops = {
	.map_dma_buf = td_dmabuf_map,
	.unmap_dma_buf = td_dmabuf_unmap,
	.pin = td_dmabuf_pin,
	.unpin = td_dmabuf_unpin,
	.mmap = td_dmabuf_mmap,
	.vmap = td_dmabuf_vmap,
	.vunmap = td_dmabuf_vunmap,
	.release = td_dmabuf_release,
};

static int td_dmabuf_export(u64 size)
{
	DEFINE_DMA_BUF_EXPORT_INFO(info);
	struct td_dmabuf *buf;
	struct dma_buf *dmabuf;
	int fd;

	if (!size || size > TD_DMABUF_PAGES * PAGE_SIZE)
		return -EINVAL;
	buf = td_dmabuf_alloc(DIV_ROUND_UP(size, PAGE_SIZE));
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	info.ops = &td_dmabuf_ops;
	info.size = (size_t)buf->npages << PAGE_SHIFT;
	info.flags = O_RDWR;
	info.priv = buf;
	dmabuf = dma_buf_export(&info);
	if (IS_ERR(dmabuf)) {
		td_dmabuf_free(buf);
		return PTR_ERR(dmabuf);
	}
	fd = dma_buf_fd(dmabuf, O_CLOEXEC);
	if (fd < 0)
		dma_buf_put(dmabuf);
	return fd;
}

static long td_dmabuf_create(void __user *arg)
{
	struct testdev_dmabuf_create create;

	if (copy_from_user(&create, arg, sizeof(create)))
		return -EFAULT;
	if (create.reserved)
		return -EINVAL;
	create.fd = td_dmabuf_export(create.size);
	if (create.fd < 0)
		return create.fd;
	/* The fd is the caller's already; an EFAULT does not take it back. */
	return copy_to_user(arg, &create, sizeof(create)) ? -EFAULT : 0;
}

static long td_dmabuf_move(const int __user *arg)
{
	struct dma_buf *dmabuf;
	long ret = 0;
	int fd;

	if (get_user(fd, arg))
		return -EFAULT;
	dmabuf = dma_buf_get(fd);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	if (dmabuf->ops == &td_dmabuf_ops) {
		dma_resv_lock(dmabuf->resv, NULL);
		compat_dma_buf_move(dmabuf);
		dma_resv_unlock(dmabuf->resv);
	} else {
		ret = -EINVAL;
	}
	dma_buf_put(dmabuf);
	return ret;
}

static long td_dmabuf_ioctl(struct file *file, unsigned int cmd,
			    unsigned long arg)
{
	switch (cmd) {
	case TESTDEV_DMABUF_CREATE:
		return td_dmabuf_create((void __user *)arg);
	case TESTDEV_DMABUF_MOVE:
		return td_dmabuf_move((const int __user *)arg);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations td_dmabuf_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = td_dmabuf_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice td_dmabuf_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "ofed_testdev",
	.fops = &td_dmabuf_fops,
};

int td_dmabuf_init(void)
{
	return misc_register(&td_dmabuf_device);
}

void td_dmabuf_exit(void)
{
	misc_deregister(&td_dmabuf_device);
}

COMPAT_IMPORT_DMA_BUF;
