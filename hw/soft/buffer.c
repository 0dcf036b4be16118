// SPDX-License-Identifier: GPL-2.0
/*
 * A dma-buf, as the processor sees it. A software device has no DMA: the exporter maps its memory
 * for the kernel, and keeps it where it is as long as it is mapped.
 */
#include <linux/dma-buf.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <compat/umem.h>
#include <ofed/refuse.h>

#include "buffer.h"

COMPAT_IMPORT_DMA_BUF;

/**
 * struct soft_buffer - memory of another device that is mapped
 * @dmabuf: keeps it; referenced
 * @map: in kernel addresses
 */
struct soft_buffer {
	struct dma_buf *dmabuf;
	struct iosys_map map;
};

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
 * exporter's begin_cpu_access.
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
	ret = soft_buffer_map(device, buffer);
	if (ret)
		goto err_put;
	return buffer;

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
