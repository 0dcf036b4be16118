/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OFED_CORE_UMEM_DMABUF_H
#define OFED_CORE_UMEM_DMABUF_H

#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <rdma/ib_umem.h>

/**
 * struct ofed_dmabuf - a dma-buf umem and what only the core needs of it
 * @pub: what the driver gets
 * @revoke: told before the pages of a pinned umem go away for good
 * @revoke_priv: argument of @revoke
 * @revoked: the pages are gone; mapping again fails
 *
 * The reservation lock of the dma-buf guards everything that changes after
 * the attachment: the mapping in @pub, pub.pinned, and the fields above.
 */
struct ofed_dmabuf {
	struct ib_umem_dmabuf pub;
	void (*revoke)(void *priv);
	void *revoke_priv;
	bool revoked;
};

static inline struct ofed_dmabuf *
to_ofed_dmabuf(struct ib_umem_dmabuf *umem_dmabuf)
{
	return container_of(umem_dmabuf, struct ofed_dmabuf, pub);
}

static inline struct dma_resv *
ofed_dmabuf_resv(struct ib_umem_dmabuf *umem_dmabuf)
{
	return umem_dmabuf->attach->dmabuf->resv;
}

/* Take and pin; returns with the reservation lock held, or an ERR_PTR. */
struct ib_umem_dmabuf *
ofed_dmabuf_get_pinned_locked(struct ib_device *device,
			      struct device *dma_device, unsigned long offset,
			      size_t size, int fd, int access);

#endif /* OFED_CORE_UMEM_DMABUF_H */
