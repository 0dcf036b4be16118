// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that a program names by an attribute of a command: a range of its own, or a part of a
 * dma-buf. Since 7.x; a driver that finds no attribute takes the address that its own part of the
 * command has.
 */
#include <linux/export.h>
#include <ofed/refuse.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "umem.h"

/**
 * uverbs_get_buffer_desc - what an attribute says of a buffer
 * @attrs: of the command
 * @attr_id: attribute that was declared by UVERBS_ATTR_UMEM()
 * @desc: out
 *
 * Context: process, may sleep.
 *
 * Return: 0, -ENOENT (the command has no such attribute), -EINVAL (a flag that is not known),
 * -EFAULT.
 */
int uverbs_get_buffer_desc(const struct uverbs_attr_bundle *attrs, u16 attr_id,
			   struct ib_uverbs_buffer_desc *desc)
{
	int ret = uverbs_copy_from(desc, attrs, attr_id);

	if (ret)
		return ret;
	if (desc->flags & ~IB_UVERBS_BUFFER_DESC_FLAGS_KNOWN_MASK)
		return ofed_refuse_call(-EINVAL, "uverbs: flags 0x%x of a buffer", desc->flags);
	desc->optional_flags &= IB_UVERBS_BUFFER_DESC_OPTIONAL_FLAGS_KNOWN_MASK;
	return 0;
}
OFED_EXPORT(uverbs_get_buffer_desc);

static struct ib_umem *umem_get_dmabuf(struct ib_device *device,
				       const struct ib_uverbs_buffer_desc *desc, int access)
{
	struct ib_umem_dmabuf *umem_dmabuf;

	umem_dmabuf = ib_umem_dmabuf_get_pinned(device, desc->addr, desc->length, desc->fd, access);
	return IS_ERR(umem_dmabuf) ? ERR_CAST(umem_dmabuf) : &umem_dmabuf->umem;
}

/**
 * ib_umem_get_desc - pin the memory that a descriptor names
 * @device: device that will read or write it
 * @desc: from uverbs_get_buffer_desc()
 * @access: IB_ACCESS_* of the device
 *
 * Context: process, in the address space that owns the memory; sleeps.
 *
 * Return: the umem, or ERR_PTR: -EINVAL (neither memory of the program nor a dma-buf, or an address
 * that this host has not), or an errno of ib_umem_get_va() or ib_umem_dmabuf_get_pinned().
 */
struct ib_umem *ib_umem_get_desc(struct ib_device *device,
				 const struct ib_uverbs_buffer_desc *desc, int access)
{
	if ((unsigned long)desc->addr != desc->addr || (size_t)desc->length != desc->length)
		return ofed_refuse(device, ERR_PTR(-EINVAL), "a buffer at 0x%llx", desc->addr);
	switch (desc->type) {
	case IB_UVERBS_BUFFER_TYPE_DMABUF:
		return umem_get_dmabuf(device, desc, access);
	case IB_UVERBS_BUFFER_TYPE_VA:
		return ofed_umem_get(device, desc->addr, desc->length, access);
	default:
		return ofed_refuse(device, ERR_PTR(-EINVAL), "a buffer of type %u", desc->type);
	}
}
OFED_EXPORT(ib_umem_get_desc);

static struct ib_umem *umem_get_at_least(struct ib_device *device,
					 const struct ib_uverbs_buffer_desc *desc, size_t size,
					 int access)
{
	if (desc->length < size)
		return ofed_refuse(device, ERR_PTR(-EINVAL), "a buffer of %llu bytes for %zu",
				   desc->length, size);
	return ib_umem_get_desc(device, desc, access);
}

/**
 * ib_umem_get_attr - pin the memory that an attribute names
 * @device: device that will read or write it
 * @attrs: of the command
 * @attr_id: attribute that was declared by UVERBS_ATTR_UMEM()
 * @size: bytes that the buffer has at least
 * @access: IB_ACCESS_* of the device
 *
 * Context: process, in the address space that owns the memory; sleeps.
 *
 * Return: the umem, NULL (the command has no such attribute), or ERR_PTR: -EINVAL (shorter than
 * @size), or an errno of uverbs_get_buffer_desc() or ib_umem_get_desc().
 */
struct ib_umem *ib_umem_get_attr(struct ib_device *device, const struct uverbs_attr_bundle *attrs,
				 u16 attr_id, size_t size, int access)
{
	struct ib_uverbs_buffer_desc desc;
	int ret = uverbs_get_buffer_desc(attrs, attr_id, &desc);

	if (ret == -ENOENT)
		return NULL;
	return ret ? ERR_PTR(ret) : umem_get_at_least(device, &desc, size, access);
}
OFED_EXPORT(ib_umem_get_attr);

/**
 * ib_umem_get_attr_or_va - pin the memory that an attribute names, or a range
 * @device: device that will read or write it
 * @attrs: of the command; NULL: it is the range
 * @attr_id: attribute that was declared by UVERBS_ATTR_UMEM()
 * @addr: where the memory is if the command has no such attribute
 * @size: bytes of it; bytes that a buffer of the attribute has at least
 * @access: IB_ACCESS_* of the device
 *
 * Context: process, in the address space that owns the memory; sleeps.
 *
 * Return: the umem, or ERR_PTR: an errno of ib_umem_get_attr(), or -EINVAL, -EPERM, -ENOMEM, -EFAULT,
 * -EOPNOTSUPP, -EIO as ofed_umem_get() has them.
 */
struct ib_umem *ib_umem_get_attr_or_va(struct ib_device *device,
				       const struct uverbs_attr_bundle *attrs, u16 attr_id,
				       u64 addr, size_t size, int access)
{
	if (attrs && uverbs_attr_is_valid(attrs, attr_id))
		return ib_umem_get_attr(device, attrs, attr_id, size, access);
	if ((unsigned long)addr != addr)
		return ofed_refuse(device, ERR_PTR(-EINVAL), "memory at 0x%llx", addr);
	return ofed_umem_get(device, addr, size, access);
}
OFED_EXPORT(ib_umem_get_attr_or_va);

/*
 * A file descriptor that the command has, as uverbs_get_raw_fd() reads it: that one calls the module
 * of uverbs, which is above this one.
 */
static int umem_attr_fd(const struct uverbs_attr_bundle *attrs, u16 id)
{
	return uverbs_attr_get(attrs, id)->ptr_attr.data;
}

/*
 * The attributes of the first kernels that had any: a range, or a part of a dma-buf. -ENOENT: a part
 * is missing, and there is no buffer, as programs know it of those kernels.
 */
static int umem_cq_parts(const struct uverbs_attr_bundle *attrs, struct ib_uverbs_buffer_desc *desc)
{
	const u16 length_id = UVERBS_ATTR_CREATE_CQ_BUFFER_LENGTH;
	bool va = uverbs_attr_is_valid(attrs, UVERBS_ATTR_CREATE_CQ_BUFFER_VA);
	bool fd = uverbs_attr_is_valid(attrs, UVERBS_ATTR_CREATE_CQ_BUFFER_FD);
	bool offset = uverbs_attr_is_valid(attrs, UVERBS_ATTR_CREATE_CQ_BUFFER_OFFSET);
	bool nowhere = !va && !fd && (offset || uverbs_attr_is_valid(attrs, length_id));
	int ret;

	*desc = (struct ib_uverbs_buffer_desc){
		.type = va ? IB_UVERBS_BUFFER_TYPE_VA : IB_UVERBS_BUFFER_TYPE_DMABUF,
	};
	ret = nowhere ? 0 : uverbs_copy_from(&desc->length, attrs, length_id);
	if (ret)
		return ret;
	if (nowhere || (va && (fd || offset)))
		return ofed_refuse_call(-EINVAL,
					"uverbs: the buffer of a CQ is a range, or a part of a dma-buf");
	if (va)
		return uverbs_copy_from(&desc->addr, attrs, UVERBS_ATTR_CREATE_CQ_BUFFER_VA);
	ret = uverbs_copy_from(&desc->addr, attrs, UVERBS_ATTR_CREATE_CQ_BUFFER_OFFSET);
	if (!ret)
		desc->fd = umem_attr_fd(attrs, UVERBS_ATTR_CREATE_CQ_BUFFER_FD);
	return ret;
}

/**
 * ib_umem_get_cq_buf - pin the buffer that a program names for a CQ
 * @device: device that will write it
 * @attrs: of the command that creates the CQ
 * @size: bytes that the buffer has at least
 * @access: IB_ACCESS_* of the device
 *
 * Context: process, in the address space that owns the memory; sleeps.
 *
 * Return: the umem, NULL (the program names none), or ERR_PTR: -EINVAL (two buffers, or one that is
 * nowhere or too short), or an errno of ib_umem_get_desc().
 */
struct ib_umem *ib_umem_get_cq_buf(struct ib_device *device, const struct uverbs_attr_bundle *attrs,
				   size_t size, int access)
{
	struct ib_uverbs_buffer_desc desc;
	int ret;

	ret = umem_cq_parts(attrs, &desc);
	if (ret == -ENOENT)
		return ib_umem_get_attr(device, attrs, UVERBS_ATTR_CREATE_CQ_BUF_UMEM, size, access);
	if (ret)
		return ERR_PTR(ret);
	if (uverbs_attr_is_valid(attrs, UVERBS_ATTR_CREATE_CQ_BUF_UMEM))
		return ofed_refuse(device, ERR_PTR(-EINVAL), "two buffers for one CQ");
	return umem_get_at_least(device, &desc, size, access);
}
OFED_EXPORT(ib_umem_get_cq_buf);

/**
 * ib_umem_get_cq_buf_or_va - pin the buffer that a program names for a CQ, or a range
 * @device: device that will write it
 * @attrs: of the command that creates the CQ
 * @addr: where the buffer is if the program names none
 * @size: bytes of it
 * @access: IB_ACCESS_* of the device
 *
 * Context: process, in the address space that owns the memory; sleeps.
 *
 * Return: as ib_umem_get_cq_buf() or ib_umem_get_va().
 */
struct ib_umem *ib_umem_get_cq_buf_or_va(struct ib_device *device,
					 const struct uverbs_attr_bundle *attrs, u64 addr,
					 size_t size, int access)
{
	struct ib_umem *umem = ib_umem_get_cq_buf(device, attrs, size, access);

	return umem ?: ib_umem_get_attr_or_va(device, NULL, 0, addr, size, access);
}
OFED_EXPORT(ib_umem_get_cq_buf_or_va);
