// SPDX-License-Identifier: GPL-2.0
/*
 * Revocation: memory of a pinned dma-buf umem is taken away while the region
 * still exists. The driver that owns the region says how the device is made
 * to forget it.
 */
#include <linux/export.h>
#include <rdma/ib_verbs.h>

#include "dmabuf.h"

/**
 * ib_umem_dmabuf_get_pinned_revocable_and_lock - pin memory that can be revoked
 * @device: device that will use the memory
 * @offset: first byte inside the buffer
 * @size: length in bytes
 * @fd: file descriptor of the dma-buf
 * @access: IB_ACCESS_* of the region
 *
 * The caller gives the device its addresses, names the way back by
 * ib_umem_dmabuf_set_revoke_locked(), and then drops the lock by
 * ib_umem_dmabuf_revoke_unlock(). Until then nothing can be revoked.
 *
 * Context: process, sleeps. Return: the umem with the reservation lock of the
 * dma-buf held, or the errnos of ib_umem_dmabuf_get_pinned() without it.
 */
struct ib_umem_dmabuf *
ib_umem_dmabuf_get_pinned_revocable_and_lock(struct ib_device *device,
					     unsigned long offset, size_t size,
					     int fd, int access)
{
	return ofed_dmabuf_get_pinned_locked(device, device->dma_device,
					     offset, size, fd, access);
}
OFED_EXPORT(ib_umem_dmabuf_get_pinned_revocable_and_lock);

/**
 * ib_umem_dmabuf_set_revoke_locked - say how a device forgets a region
 * @umem_dmabuf: the region
 * @revoke: called once, with the reservation lock held, before the addresses
 *	    become invalid; when it returns the device does not use them
 * @priv: argument of @revoke
 *
 * Context: the caller holds the lock of ib_umem_dmabuf_revoke_lock().
 */
void ib_umem_dmabuf_set_revoke_locked(struct ib_umem_dmabuf *umem_dmabuf,
				      void (*revoke)(void *priv), void *priv)
{
	struct ofed_dmabuf *region = to_ofed_dmabuf(umem_dmabuf);

	dma_resv_assert_held(ofed_dmabuf_resv(umem_dmabuf));
	region->revoke_priv = priv;
	region->revoke = revoke;
}
OFED_EXPORT(ib_umem_dmabuf_set_revoke_locked);

/**
 * ib_umem_dmabuf_revoke_lock - keep a region from being revoked
 * @umem_dmabuf: the region
 *
 * Context: process, sleeps. It is the reservation lock of the dma-buf, which
 * does not nest.
 */
void ib_umem_dmabuf_revoke_lock(struct ib_umem_dmabuf *umem_dmabuf)
{
	dma_resv_lock(ofed_dmabuf_resv(umem_dmabuf), NULL);
}
OFED_EXPORT(ib_umem_dmabuf_revoke_lock);

/**
 * ib_umem_dmabuf_revoke_unlock - undo ib_umem_dmabuf_revoke_lock()
 * @umem_dmabuf: the region
 *
 * Context: the caller holds that lock.
 */
void ib_umem_dmabuf_revoke_unlock(struct ib_umem_dmabuf *umem_dmabuf)
{
	dma_resv_unlock(ofed_dmabuf_resv(umem_dmabuf));
}
OFED_EXPORT(ib_umem_dmabuf_revoke_unlock);

/**
 * ib_umem_dmabuf_revoke - take the memory of a pinned region away
 * @umem_dmabuf: the region, which stays until ib_umem_release()
 *
 * Tells the driver, unmaps, unpins. Once revoked, a second call does nothing.
 *
 * Context: process, sleeps; the reservation lock must not be held.
 */
void ib_umem_dmabuf_revoke(struct ib_umem_dmabuf *umem_dmabuf)
{
	struct ofed_dmabuf *region = to_ofed_dmabuf(umem_dmabuf);

	ib_umem_dmabuf_revoke_lock(umem_dmabuf);
	if (region->revoked)
		goto out;
	if (region->revoke)
		region->revoke(region->revoke_priv);
	ib_umem_dmabuf_unmap_pages(umem_dmabuf);
	if (umem_dmabuf->pinned)
		dma_buf_unpin(umem_dmabuf->attach);
	umem_dmabuf->pinned = 0;
	region->revoked = true;
	compat_dmabuf_mark_revoked(umem_dmabuf);
out:
	ib_umem_dmabuf_revoke_unlock(umem_dmabuf);
}
OFED_EXPORT(ib_umem_dmabuf_revoke);
