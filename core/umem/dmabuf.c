// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of another device, by way of a dma-buf file descriptor. The exporter
 * gives a list of DMA addresses for the whole buffer; the umem shows the driver
 * the part of it that the user asked for.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <ofed/refuse.h>

#include "dmabuf.h"

COMPAT_IMPORT_DMA_BUF;

/*
 * Narrow the list of the whole buffer to the pages of the umem. The list is
 * the exporter's, so what is cut off is remembered and put back on unmapping.
 */
static int umem_dmabuf_trim(struct ib_umem_dmabuf *umem_dmabuf, struct sg_table *sgt)
{
	struct ib_umem *umem = &umem_dmabuf->umem;
	unsigned long first = umem->address & PAGE_MASK;
	unsigned long last = PAGE_ALIGN(umem->address + umem->length);
	unsigned long pos = 0, head = 0, tail = 0;
	struct scatterlist *sg;
	unsigned int i, used = 0;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		unsigned long sg_end = pos + sg_dma_len(sg);

		if (sg_end > first && pos < last) {
			if (!used++) {
				umem_dmabuf->first_sg = sg;
				head = first - pos;
			}
			umem_dmabuf->last_sg = sg;
			tail = sg_end > last ? sg_end - last : 0;
		}
		pos = sg_end;
	}
	if (!used || pos < umem->address + umem->length)
		return ofed_refuse(umem->ibdev, -EINVAL,
				   "the dma-buf has %lu bytes mapped, %lu are needed",
				   pos, umem->address + umem->length);

	umem_dmabuf->first_sg_offset = head;
	umem_dmabuf->last_sg_trim = tail;
	sg_dma_address(umem_dmabuf->first_sg) += head;
	sg_dma_len(umem_dmabuf->first_sg) -= head;
	sg_dma_len(umem_dmabuf->last_sg) -= tail;
	umem->sgt_append.sgt.sgl = umem_dmabuf->first_sg;
	umem->sgt_append.sgt.nents = used;
	return 0;
}

static void umem_dmabuf_untrim(struct ib_umem_dmabuf *umem_dmabuf)
{
	sg_dma_len(umem_dmabuf->last_sg) += umem_dmabuf->last_sg_trim;
	sg_dma_len(umem_dmabuf->first_sg) += umem_dmabuf->first_sg_offset;
	sg_dma_address(umem_dmabuf->first_sg) -= umem_dmabuf->first_sg_offset;
	umem_dmabuf->first_sg = NULL;
	umem_dmabuf->last_sg = NULL;
	umem_dmabuf->first_sg_offset = 0;
	umem_dmabuf->last_sg_trim = 0;
}

/**
 * ib_umem_dmabuf_map_pages - get the DMA addresses of a dma-buf region
 * @umem_dmabuf: the region
 *
 * Maps unless that is done already, and waits until the exporter has moved the
 * data to where the addresses point.
 *
 * Context: process, sleeps; the caller holds the reservation lock of the
 * dma-buf.
 *
 * Return: 0, -EINVAL (the exporter's list is shorter than the buffer),
 * -ENODEV (the memory was revoked), or an errno of the exporter.
 */
int ib_umem_dmabuf_map_pages(struct ib_umem_dmabuf *umem_dmabuf)
{
	struct sg_table *sgt = umem_dmabuf->sgt;
	long left;
	int ret;

	dma_resv_assert_held(ofed_dmabuf_resv(umem_dmabuf));
	if (to_ofed_dmabuf(umem_dmabuf)->revoked)
		return ofed_refuse(umem_dmabuf->umem.ibdev, -ENODEV,
				   "the dma-buf is revoked");

	if (!sgt) {
		sgt = dma_buf_map_attachment(umem_dmabuf->attach,
					     DMA_BIDIRECTIONAL);
		if (IS_ERR(sgt))
			return PTR_ERR(sgt);
		ret = umem_dmabuf_trim(umem_dmabuf, sgt);
		if (ret)
			goto err_unmap;
		umem_dmabuf->sgt = sgt;
	}

	left = dma_resv_wait_timeout(ofed_dmabuf_resv(umem_dmabuf),
				     DMA_RESV_USAGE_KERNEL, false,
				     MAX_SCHEDULE_TIMEOUT);
	if (!left)
		return -ETIMEDOUT;
	return left < 0 ? left : 0;

err_unmap:
	dma_buf_unmap_attachment(umem_dmabuf->attach, sgt, DMA_BIDIRECTIONAL);
	return ret;
}
OFED_EXPORT(ib_umem_dmabuf_map_pages);

/**
 * ib_umem_dmabuf_unmap_pages - give the DMA addresses back to the exporter
 * @umem_dmabuf: the region; nothing happens when it is not mapped
 *
 * Context: process, may sleep; the caller holds the reservation lock of the
 * dma-buf, and the device no longer uses the addresses.
 */
void ib_umem_dmabuf_unmap_pages(struct ib_umem_dmabuf *umem_dmabuf)
{
	dma_resv_assert_held(ofed_dmabuf_resv(umem_dmabuf));
	if (!umem_dmabuf->sgt)
		return;

	umem_dmabuf_untrim(umem_dmabuf);
	dma_buf_unmap_attachment(umem_dmabuf->attach, umem_dmabuf->sgt,
				 DMA_BIDIRECTIONAL);
	umem_dmabuf->sgt = NULL;
	umem_dmabuf->umem.sgt_append.sgt.sgl = NULL;
	umem_dmabuf->umem.sgt_append.sgt.nents = 0;
}
OFED_EXPORT(ib_umem_dmabuf_unmap_pages);

static void umem_dmabuf_init(struct ofed_dmabuf *region, struct ib_device *device,
			     unsigned long offset, size_t size, int access)
{
	struct ib_umem *umem = &region->pub.umem;

	umem->ibdev = device;
	umem->address = offset;
	umem->iova = offset;
	umem->length = size;
	umem->writable = ib_access_writable(access);
	umem->is_dmabuf = 1;
}

static struct ib_umem_dmabuf *
umem_dmabuf_attach(struct ib_device *device, struct device *dma_device,
		   unsigned long offset, size_t size, int fd, int access,
		   const struct dma_buf_attach_ops *ops)
{
	struct ofed_dmabuf *region;
	struct dma_buf *dmabuf;
	unsigned long end;
	int ret;

	might_sleep();
	if (check_add_overflow(offset, size, &end) || PAGE_ALIGN(end) < end ||
	    PAGE_ALIGN(end) == (offset & PAGE_MASK))
		return ofed_refuse(device, ERR_PTR(-EINVAL),
				   "%zu bytes at %lu of a dma-buf: no range",
				   size, offset);
	if (!ops || !ops->compat_move_notify)
		return ofed_refuse(device, ERR_PTR(-EINVAL),
				   "a driver without move_notify");
	/* A software device has no addresses to map for. */
	if (!dma_device)
		return ofed_refuse(device, ERR_PTR(-EOPNOTSUPP),
				   "a device without DMA takes no dma-buf");

	dmabuf = dma_buf_get(fd);
	if (IS_ERR(dmabuf))
		return ofed_refuse(device, ERR_CAST(dmabuf),
				   "fd %d is no dma-buf", fd);
	if (dmabuf->size < end) {
		ret = ofed_refuse(device, -EINVAL,
				  "the dma-buf has %zu bytes, the region ends at %lu",
				  dmabuf->size, end);
		goto err_put;
	}
	ret = -ENOMEM;
	region = kzalloc(sizeof(*region), GFP_KERNEL_ACCOUNT);
	if (!region)
		goto err_put;

	umem_dmabuf_init(region, device, offset, size, access);
	region->pub.attach = dma_buf_dynamic_attach(dmabuf, dma_device, ops,
						    &region->pub);
	ret = PTR_ERR_OR_ZERO(region->pub.attach);
	if (ret)
		goto err_free;
	return &region->pub;

err_free:
	kfree(region);
err_put:
	dma_buf_put(dmabuf);
	return ERR_PTR(ret);
}

/**
 * ib_umem_dmabuf_get - attach to a dma-buf that its exporter may move
 * @device: device that will use the memory
 * @offset: first byte inside the buffer
 * @size: length in bytes
 * @fd: file descriptor of the dma-buf
 * @access: IB_ACCESS_* of the region
 * @ops: importer operations; move_notify is required, and is called with the
 *	 reservation lock held and the umem as attach->importer_priv
 *
 * Nothing is mapped yet: ib_umem_dmabuf_map_pages() does that, again after
 * each move.
 *
 * Context: process, sleeps; the reservation lock must not be held.
 *
 * Return: the umem, freed by ib_umem_release(), or ERR_PTR: -EINVAL (empty or
 * too long for the buffer, no move_notify, or not a dma-buf), -EBADF (no such
 * descriptor), -ENOMEM, -EOPNOTSUPP (a device without DMA of its own), or an
 * errno of the exporter.
 */
struct ib_umem_dmabuf *ib_umem_dmabuf_get(struct ib_device *device,
					  unsigned long offset, size_t size,
					  int fd, int access,
					  const struct dma_buf_attach_ops *ops)
{
	return umem_dmabuf_attach(device, device->dma_device, offset, size, fd,
				  access, ops);
}
OFED_EXPORT(ib_umem_dmabuf_get);

/* The exporter has promised not to move what is pinned. */
static void umem_dmabuf_pinned_moved(struct dma_buf_attachment *attach)
{
	struct ib_umem_dmabuf *umem_dmabuf = attach->importer_priv;

	ibdev_warn_ratelimited(umem_dmabuf->umem.ibdev,
			       "exporter %s moves a pinned dma-buf\n",
			       attach->dmabuf->exp_name);
}

static const struct dma_buf_attach_ops dmabuf_pinned_ops = {
	.compat_move_notify = umem_dmabuf_pinned_moved,
	.allow_peer2peer = true,
};

struct ib_umem_dmabuf *
ofed_dmabuf_get_pinned_locked(struct ib_device *device,
			      struct device *dma_device, unsigned long offset,
			      size_t size, int fd, int access)
{
	struct ib_umem_dmabuf *umem_dmabuf;
	int ret;

	umem_dmabuf = umem_dmabuf_attach(device, dma_device, offset, size, fd,
					 access, &dmabuf_pinned_ops);
	if (IS_ERR(umem_dmabuf))
		return umem_dmabuf;

	dma_resv_lock(ofed_dmabuf_resv(umem_dmabuf), NULL);
	ret = dma_buf_pin(umem_dmabuf->attach);
	if (ret)
		goto err_release;
	umem_dmabuf->pinned = 1;
	ret = ib_umem_dmabuf_map_pages(umem_dmabuf);
	if (ret)
		goto err_release;
	return umem_dmabuf;

err_release:
	dma_resv_unlock(ofed_dmabuf_resv(umem_dmabuf));
	/* Unpins if .pinned says so. */
	ib_umem_dmabuf_release(umem_dmabuf);
	return ERR_PTR(ret);
}

/**
 * ib_umem_dmabuf_get_pinned_with_dma_device - take, pin and map for a device
 * @device: device that will use the memory
 * @dma_device: device that the addresses are for, when it is not @device's own
 * @offset: first byte inside the buffer
 * @size: length in bytes
 * @fd: file descriptor of the dma-buf
 * @access: IB_ACCESS_* of the region
 *
 * Context and return value are those of ib_umem_dmabuf_get_pinned().
 */
struct ib_umem_dmabuf *
ib_umem_dmabuf_get_pinned_with_dma_device(struct ib_device *device,
					  struct device *dma_device,
					  unsigned long offset, size_t size,
					  int fd, int access)
{
	struct ib_umem_dmabuf *umem_dmabuf;

	umem_dmabuf = ofed_dmabuf_get_pinned_locked(device, dma_device, offset,
						    size, fd, access);
	if (!IS_ERR(umem_dmabuf))
		dma_resv_unlock(ofed_dmabuf_resv(umem_dmabuf));
	return umem_dmabuf;
}
OFED_EXPORT(ib_umem_dmabuf_get_pinned_with_dma_device);

/**
 * ib_umem_dmabuf_get_pinned - take a dma-buf, pinned and mapped
 * @device: device that will use the memory
 * @offset: first byte inside the buffer
 * @size: length in bytes
 * @fd: file descriptor of the dma-buf
 * @access: IB_ACCESS_* of the region
 *
 * For devices that can not follow a move.
 *
 * Context: process, sleeps; the reservation lock must not be held.
 *
 * Return: the umem, freed by ib_umem_release(), or ERR_PTR with the errnos of
 * ib_umem_dmabuf_get() and ib_umem_dmabuf_map_pages(), or the exporter's when
 * it can not pin.
 */
struct ib_umem_dmabuf *ib_umem_dmabuf_get_pinned(struct ib_device *device,
						 unsigned long offset,
						 size_t size, int fd,
						 int access)
{
	return ib_umem_dmabuf_get_pinned_with_dma_device(device,
							 device->dma_device,
							 offset, size, fd,
							 access);
}
OFED_EXPORT(ib_umem_dmabuf_get_pinned);

/* The part of ib_umem_release() for a dma-buf; same context. */
void ib_umem_dmabuf_release(struct ib_umem_dmabuf *umem_dmabuf)
{
	struct dma_buf_attachment *attach = umem_dmabuf->attach;
	struct dma_buf *dmabuf = attach->dmabuf;

	dma_resv_lock(dmabuf->resv, NULL);
	ib_umem_dmabuf_unmap_pages(umem_dmabuf);
	if (umem_dmabuf->pinned)
		dma_buf_unpin(attach);
	dma_resv_unlock(dmabuf->resv);

	dma_buf_detach(dmabuf, attach);
	dma_buf_put(dmabuf);
	kfree(to_ofed_dmabuf(umem_dmabuf));
}
