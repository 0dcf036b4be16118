/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects, methods and attributes of uverbs that 7.x has: rows of tables that are there where the
 * kernel has the thing. Drop when 7.x is the oldest kernel.
 */
#ifndef OFED_COMPAT_UVERBS_H
#define OFED_COMPAT_UVERBS_H

/* DMA handles (6.17): steering tags of PCI, which a region may have. */
#ifdef COMPAT_HAVE_DMAH
#define COMPAT_DMAH(...) __VA_ARGS__,
#define compat_mr_use_dmah(mr, handle) do { \
	(mr)->dmah = (handle); \
	if (handle) \
		atomic_inc(&(handle)->usecnt); \
} while (0)
#define compat_mr_dmah(mr) ((mr)->dmah)
#define compat_put_dmah(handle) do { \
	if (handle) \
		atomic_dec(&(handle)->usecnt); \
} while (0)
#else
#define COMPAT_DMAH(...)
#define compat_mr_use_dmah(mr, handle) ((void)(handle))
#define compat_mr_dmah(mr) ((void)(mr), (struct ib_dmah *)NULL)
#define compat_put_dmah(handle) ((void)(handle))
#endif

/* Completion counters (7.3): of a queue pair, read without its CQ. */
#ifdef COMPAT_HAVE_COMP_CNTR
#define COMPAT_COMP_CNTR(...) __VA_ARGS__,
#define compat_qp_init_cntrs(qp) xa_init_flags(&(qp)->comp_cntrs, XA_FLAGS_ACCOUNT)
#define compat_qp_put_cntrs(qp) ofed_qp_put_cntrs(qp)
#else
#define COMPAT_COMP_CNTR(...)
#define compat_qp_init_cntrs(qp) do { } while (0)
#define compat_qp_put_cntrs(qp) do { } while (0)
#endif

/* The speed of a port as a method of its own (7.0). */
#ifdef COMPAT_HAVE_QUERY_PORT_SPEED
#define COMPAT_PORT_SPEED(...) __VA_ARGS__,
#else
#define COMPAT_PORT_SPEED(...)
#endif

/* Buffers of queues that a program names by attributes (7.1). */
#ifdef COMPAT_HAVE_UMEM_DESC
#define COMPAT_BUFFERS(...) __VA_ARGS__,
#else
#define COMPAT_BUFFERS(...)
#endif

/* The same of a shared receive queue (7.3). */
#ifdef COMPAT_HAVE_SRQ_BUFFER
#define COMPAT_SRQ_BUFFER(...) __VA_ARGS__,
#else
#define COMPAT_SRQ_BUFFER(...)
#endif

/*
 * Rights that a program proves by open files (6.15). A row of a table, and what the context of a
 * program has of them.
 */
#ifdef COMPAT_HAVE_UCAPS
#define COMPAT_UCAPS(...) __VA_ARGS__,
#define compat_context_caps(context, attrs) uv_context_caps((context), (attrs))
#define compat_ucaps_init() uv_ucaps_init()
#define compat_ucaps_exit() uv_ucaps_exit()
#else
#define COMPAT_UCAPS(...)
#define compat_context_caps(context, attrs) (0)
#define compat_ucaps_init() (0)
#define compat_ucaps_exit() do { } while (0)
#endif

/* What GET_CONTEXT says of the core: since 7.x also that the driver checks all lengths. */
#ifdef COMPAT_HAVE_ROBUST_UDATA
#define COMPAT_ROBUST_UDATA(...) __VA_ARGS__,
#define compat_core_support(device) \
	((device) && compat_robust_udata(device) ? IB_UVERBS_CORE_SUPPORT_ROBUST_UDATA : 0)
#else
#define COMPAT_ROBUST_UDATA(...)
#define compat_core_support(device) ((void)(device), 0)
#endif

/* A driver may send what it has to destroy for a file at once (6.18). */
#ifdef COMPAT_HAVE_UFILE_CLEANUP
#define compat_ufile_cleanup(device, file) do { \
	if ((device)->ops.ufile_hw_cleanup) \
		(device)->ops.ufile_hw_cleanup(file); \
} while (0)
#else
#define compat_ufile_cleanup(device, file) do { } while (0)
#endif

/* An offset of mmap() may be exported as a dma-buf (6.20). */
#ifdef COMPAT_HAVE_MMAP_DMABUF
#define COMPAT_MMAP_DMABUF(...) __VA_ARGS__,
#define compat_mmap_entry_init(entry) do { \
	mutex_init(&(entry)->dmabufs_lock); \
	INIT_LIST_HEAD(&(entry)->dmabufs); \
} while (0)
#define compat_mmap_entry_revoke(entry) uv_entry_revoke(entry)
#else
#define COMPAT_MMAP_DMABUF(...)
#define compat_mmap_entry_init(entry) do { } while (0)
#define compat_mmap_entry_revoke(entry) do { } while (0)
#endif

#endif /* OFED_COMPAT_UVERBS_H */
