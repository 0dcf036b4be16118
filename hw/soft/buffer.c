// SPDX-License-Identifier: GPL-2.0
/*
 * A dma-buf, as the processor sees it. A software device has no DMA: the exporter maps its memory
 * for the kernel. A mapping alone does not keep it where it is: exporters that move their memory,
 * or give its pages away, do so unless an attachment pins it.
 */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <compat/umem.h>
#include <ofed/refuse.h>

#include "buffer.h"

COMPAT_IMPORT_DMA_BUF;

/**
 * struct soft_buffer - memory of another device that is mapped
 * @dmabuf: keeps it; referenced
 * @attach: keeps its memory in place; nothing is mapped for DMA
 * @map: in kernel addresses
 */
struct soft_buffer {
	struct dma_buf *dmabuf;
	struct dma_buf_attachment *attach;
	struct iosys_map map;
};

/* An exporter does not move what is pinned. */
static void soft_buffer_moves(struct dma_buf_attachment *attach)
{
	WARN_ON_ONCE(1);
}

static const struct dma_buf_attach_ops soft_buffer_attach_ops = {
	.compat_move_notify = soft_buffer_moves,
};

/*
 * An exporter that moves its memory has an op that pins it; any other pins it for as long as
 * something is attached. The importer is of the exporter's kind, or dma-buf would map it for DMA.
 */
static int soft_buffer_pin(struct ib_device *device, struct soft_buffer *buffer)
{
	struct dma_buf *dmabuf = buffer->dmabuf;
	bool moves = dmabuf->ops->pin;
	int ret;

	buffer->attach = dma_buf_dynamic_attach(dmabuf, &device->dev,
						moves ? &soft_buffer_attach_ops : NULL, buffer);
	if (IS_ERR(buffer->attach))
		return ofed_refuse(device, PTR_ERR(buffer->attach),
				   "a dma-buf of %s: it takes no importer", dmabuf->exp_name);
	if (!moves)
		return 0;
	dma_resv_lock(dmabuf->resv, NULL);
	ret = dma_buf_pin(buffer->attach);
	dma_resv_unlock(dmabuf->resv);
	if (!ret)
		return 0;
	dma_buf_detach(dmabuf, buffer->attach);
	return ofed_refuse(device, ret, "a dma-buf of %s: it cannot be pinned", dmabuf->exp_name);
}

static void soft_buffer_unpin(struct soft_buffer *buffer)
{
	struct dma_buf *dmabuf = buffer->dmabuf;

	if (dmabuf->ops->pin) {
		dma_resv_lock(dmabuf->resv, NULL);
		dma_buf_unpin(buffer->attach);
		dma_resv_unlock(dmabuf->resv);
	}
	dma_buf_detach(dmabuf, buffer->attach);
}

/* Memory of a device needs other instructions than what copies and adds here. */
static int soft_buffer_map(struct ib_device *device, struct soft_buffer *buffer)
{
	int ret = compat_dma_buf_vmap(buffer->dmabuf, &buffer->map);

	if (ret)
		return ofed_refuse(device, -EOPNOTSUPP, "a dma-buf of %s, which the kernel cannot map (%d)",
				   buffer->dmabuf->exp_name, ret);
	if (buffer->map.is_iomem) {
		compat_dma_buf_vunmap(buffer->dmabuf, &buffer->map);
		return ofed_refuse(device, -EOPNOTSUPP, "a dma-buf of %s: memory of a device",
				   buffer->dmabuf->exp_name);
	}
	ret = dma_buf_begin_cpu_access(buffer->dmabuf, DMA_BIDIRECTIONAL);
	if (ret)
		compat_dma_buf_vunmap(buffer->dmabuf, &buffer->map);
	return ret;
}

/**
 * soft_buffer_open - map a dma-buf
 * @device: for which
 * @fd: file of the dma-buf, of the calling program
 * @offset: of the first byte that is to be used
 * @length: bytes that are to be used
 *
 * Context: process, of the program. Return: it, for soft_buffer_close(), or ERR_PTR: -EBADF
 * (@fd), -EINVAL (no dma-buf; @offset and @length go beyond its end), -EOPNOTSUPP (the exporter
 * has no mapping for the processor, or its memory is a device's), -ENOMEM, or the errno of the
 * exporter's attach, pin or begin_cpu_access.
 */
struct soft_buffer *soft_buffer_open(struct ib_device *device, int fd, u64 offset, u64 length)
{
	struct soft_buffer *buffer = kzalloc(sizeof(*buffer), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!buffer)
		return ERR_PTR(-ENOMEM);
	buffer->dmabuf = dma_buf_get(fd);
	if (IS_ERR(buffer->dmabuf)) {
		ret = PTR_ERR(buffer->dmabuf);
		goto err_free;
	}
	ret = -EINVAL;
	if (length > buffer->dmabuf->size || offset > buffer->dmabuf->size - length) {
		ofed_refuse(device, ret, "%llu bytes at %llu of a dma-buf of %zu", length, offset,
			    buffer->dmabuf->size);
		goto err_put;
	}
	ret = soft_buffer_pin(device, buffer);
	if (ret)
		goto err_put;
	ret = soft_buffer_map(device, buffer);
	if (ret)
		goto err_unpin;
	return buffer;

err_unpin:
	soft_buffer_unpin(buffer);
err_put:
	dma_buf_put(buffer->dmabuf);
err_free:
	kfree(buffer);
	return ERR_PTR(ret);
}

/**
 * soft_buffer_close - unmap a dma-buf
 * @buffer: of soft_buffer_open(), or NULL; nothing uses its memory any more
 *
 * Context: process, may sleep.
 */
void soft_buffer_close(struct soft_buffer *buffer)
{
	if (!buffer)
		return;
	dma_buf_end_cpu_access(buffer->dmabuf, DMA_BIDIRECTIONAL);
	compat_dma_buf_vunmap(buffer->dmabuf, &buffer->map);
	soft_buffer_unpin(buffer);
	dma_buf_put(buffer->dmabuf);
	kfree(buffer);
}

/**
 * soft_buffer_at - where a dma-buf is
 * @buffer: of soft_buffer_open()
 *
 * Context: any. Return: its first byte; the others follow.
 */
void *soft_buffer_at(const struct soft_buffer *buffer)
{
	return buffer->map.vaddr;
}
