/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rights of a device to memory that is not pinned: since 7.x these are flags of the memory manager,
 * before they are bits of a DMA address. Drop when 7.x is the oldest kernel.
 */
#ifndef OFED_COMPAT_UMEM_ODP_H
#define OFED_COMPAT_UMEM_ODP_H

#include <linux/hmm.h>
#include <rdma/ib_umem_odp.h>

#ifdef COMPAT_HAVE_ODP_HMM
#define COMPAT_ODP_READ		HMM_PFN_VALID
#define COMPAT_ODP_WRITE	HMM_PFN_WRITE
#else
#define COMPAT_ODP_READ		ODP_READ_ALLOWED_BIT
#define COMPAT_ODP_WRITE	ODP_WRITE_ALLOWED_BIT
#endif

#endif /* OFED_COMPAT_UMEM_ODP_H */
