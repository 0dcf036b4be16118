/* SPDX-License-Identifier: GPL-2.0 */
/* <rdma/ib_umem.h>. */
#ifndef OFED_COMPAT_UMEM_H
#define OFED_COMPAT_UMEM_H

/*
 * Parts of <rdma/ib_umem.h> that 6.1 lacks (check_rereg and revocation came in
 * 6.12 stable, dma_device in 6.12). The code is built for both; it is
 * exported where the kernel's header declares it. Drop with 6.1.
 */
struct device;
struct ib_device;
struct ib_umem;
struct ib_umem_dmabuf;

#ifndef COMPAT_HAVE_UMEM_CHECK_REREG
int ib_umem_check_rereg(struct ib_umem *umem, int flags, int new_access);
#endif

#ifndef COMPAT_HAVE_DMABUF_DMA_DEVICE
struct ib_umem_dmabuf *
ib_umem_dmabuf_get_pinned_with_dma_device(struct ib_device *device,
					  struct device *dma_device,
					  unsigned long offset, size_t size,
					  int fd, int access);
#endif

#ifdef COMPAT_HAVE_DMABUF_REVOKE
#define compat_dmabuf_mark_revoked(umem_dmabuf) ((umem_dmabuf)->revoked = 1)
#else
#define compat_dmabuf_mark_revoked(umem_dmabuf) do { } while (0)
struct ib_umem_dmabuf *
ib_umem_dmabuf_get_pinned_revocable_and_lock(struct ib_device *device,
					     unsigned long offset, size_t size,
					     int fd, int access);
void ib_umem_dmabuf_revoke_lock(struct ib_umem_dmabuf *umem_dmabuf);
void ib_umem_dmabuf_revoke_unlock(struct ib_umem_dmabuf *umem_dmabuf);
void ib_umem_dmabuf_revoke(struct ib_umem_dmabuf *umem_dmabuf);
void ib_umem_dmabuf_set_revoke_locked(struct ib_umem_dmabuf *umem_dmabuf,
				      void (*revoke)(void *priv), void *priv);
#endif

/* 7.3's name of ib_umem_get(). Drop with 6.12. */
#ifndef COMPAT_HAVE_UMEM_GET_VA
#define ib_umem_get_va(device, addr, size, access) \
	ib_umem_get((device), (addr), (size), (access))
#endif

/*
 * Since 6.13 the name of a namespace of symbols is a string. Drop when 7.x is the oldest kernel.
 * (Macros are looked up where used.)
 */
#ifdef COMPAT_HAVE_IMPORT_NS_STRING
#define COMPAT_IMPORT_DMA_BUF MODULE_IMPORT_NS("DMA_BUF")
#else
#define COMPAT_IMPORT_DMA_BUF MODULE_IMPORT_NS(DMA_BUF)
#endif

/* Since 7.x a umem says how it was mapped. Drop when 7.x is the oldest kernel. */
#ifdef COMPAT_HAVE_UMEM_DMA_ATTRS
#define compat_umem_set_dma_attrs(umem, attrs) ((umem)->dma_attrs = (attrs))
#else
#define compat_umem_set_dma_attrs(umem, attrs) do { } while (0)
#endif

/* The exporter moves the buffer: another name since 7.x. Drop when 7.x is the oldest kernel. */
#ifdef COMPAT_HAVE_INVALIDATE_MAPPINGS
#define compat_move_notify invalidate_mappings
#define compat_dma_buf_move(dmabuf) dma_buf_invalidate_mappings(dmabuf)
#else
#define compat_move_notify move_notify
#define compat_dma_buf_move(dmabuf) dma_buf_move_notify(dmabuf)
#endif

/* Since 6.2 the caller of dma_buf_vmap() has the buffer's lock. Drop with 6.1. */
#ifdef COMPAT_HAVE_DMA_BUF_VMAP_UNLOCKED
#define compat_dma_buf_vmap dma_buf_vmap_unlocked
#define compat_dma_buf_vunmap dma_buf_vunmap_unlocked
#else
#define compat_dma_buf_vmap dma_buf_vmap
#define compat_dma_buf_vunmap dma_buf_vunmap
#endif

#endif /* OFED_COMPAT_UMEM_H */
