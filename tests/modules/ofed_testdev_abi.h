/* SPDX-License-Identifier: GPL-2.0 */
/* What ofed_testdev shares with test programs in user space. */
#ifndef OFED_TESTDEV_ABI_H
#define OFED_TESTDEV_ABI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define TESTDEV_ABI_VERSION	1

/* Neither rxe (14) nor siw (18) nor any other number of the kernel's list. */
#define TESTDEV_DRIVER_ID	0x7e57

/*
 * Each mapping is one page long, shared. Offset 0 is the device page, the same
 * for every process; the other two belong to the context.
 */
struct testdev_alloc_ucontext_resp {
	__aligned_u64 io_offset;	/* by rdma_user_mmap_io(): goes at unplug */
	__aligned_u64 ram_offset;	/* kernel memory: stays until unmapped */
};

struct testdev_create_cq_resp {
	__u32 cqn;
	__u32 reserved;
};

/* /dev/ofed_testdev: a dma-buf exporter. */
struct testdev_dmabuf_create {
	__aligned_u64 size;
	__s32 fd;			/* out */
	__u32 reserved;
};

#define TESTDEV_DMABUF_CREATE	_IOWR('T', 1, struct testdev_dmabuf_create)
/* The exporter of dma-buf ARG "moves" its memory: importers must let go. */
#define TESTDEV_DMABUF_MOVE	_IOW('T', 2, __s32)

#endif /* OFED_TESTDEV_ABI_H */
