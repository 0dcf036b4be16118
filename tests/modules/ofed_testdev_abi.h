/* SPDX-License-Identifier: GPL-2.0 */
/* What ofed_testdev shares with test programs in user space. */
#ifndef OFED_TESTDEV_ABI_H
#define OFED_TESTDEV_ABI_H

#include <linux/ioctl.h>
#include <linux/types.h>
#include <rdma/ib_user_ioctl_cmds.h>

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

/*
 * The driver's part of a PD's creation and of its answer, on a device 'robust=1'. The first driver
 * had no @later.
 */
struct testdev_robust_pd {
	__u32 comp_mask;
	__u32 number;
	__aligned_u64 later;
};

/* /dev/ofed_testdev: a dma-buf exporter. */
struct testdev_dmabuf_create {
	__aligned_u64 size;
	__s32 fd;			/* out */
	__u32 reserved;
};

/* A buffer of so many pages says that it is memory of a device. */
#define TESTDEV_DMABUF_FOREIGN	7

#define TESTDEV_DMABUF_CREATE	_IOWR('T', 1, struct testdev_dmabuf_create)
/* The exporter of dma-buf ARG "moves" its memory: importers must let go. */
#define TESTDEV_DMABUF_MOVE	_IOW('T', 2, __s32)

/* Debugfs file "odp" of a device: what it does with a region on demand. */
enum {
	TESTDEV_ODP_READ,		/* fault in, data gets the bytes */
	TESTDEV_ODP_WRITE,		/* fault in, the bytes come from data */
	TESTDEV_ODP_LOOK,		/* map what is there */
	TESTDEV_ODP_STATE,		/* do nothing */
};

struct testdev_odp {
	__u32 key;			/* lkey of the region */
	__u32 op;
	__aligned_u64 addr;
	__aligned_u64 length;
	__aligned_u64 data;
	__u32 pages;			/* out: pages of the range */
	__u32 mapped;			/* out: pages of the region with an address */
	__aligned_u64 invalidated;	/* out: calls of its notifier */
};

#define TESTDEV_ODP		_IOWR('T', 3, struct testdev_odp)

/* ---- the driver's own part of the ioctl() interface ---- */

#define TESTDEV_NS	(1U << UVERBS_ID_NS_SHIFT)

enum testdev_objects {
	TESTDEV_OBJECT_BOX = TESTDEV_NS,	/* keeps what it is given */
	TESTDEV_OBJECT_BELL,		/* a descriptor: counts how often it rang */
	TESTDEV_OBJECT_HIDDEN,		/* only where addresses are virtual */
	TESTDEV_OBJECT_TOOLS,		/* methods of no object */
};

enum testdev_box_methods {
	TESTDEV_METHOD_BOX_CREATE = TESTDEV_NS,
	TESTDEV_METHOD_BOX_DESTROY,
	TESTDEV_METHOD_BOX_QUERY,
	TESTDEV_METHOD_BOX_SHAPE,
	TESTDEV_METHOD_BOX_PACK,
};

enum testdev_box_kind {
	TESTDEV_BOX_PAPER,
	TESTDEV_BOX_WOOD,
	TESTDEV_BOX_KINDS,
};

enum testdev_box_flags {
	TESTDEV_BOX_LOCKED = 1 << 0,
	TESTDEV_BOX_PAINTED = 1 << 3,
};

#define TESTDEV_BOX_TEXT	512	/* longest */
#define TESTDEV_BOX_PDS		8	/* most */
#define TESTDEV_BOX_LEVEL	(-7)	/* of one that was not told its level */

enum testdev_box_create_attrs {
	TESTDEV_ATTR_BOX_CREATE_HANDLE = TESTDEV_NS,
	TESTDEV_ATTR_BOX_CREATE_TEXT,		/* bytes; copied by the parser */
	TESTDEV_ATTR_BOX_CREATE_KIND,		/* enum testdev_box_kind */
	TESTDEV_ATTR_BOX_CREATE_LEVEL,		/* signed, of 32 bits */
	TESTDEV_ATTR_BOX_CREATE_FLAGS,		/* enum testdev_box_flags */
	TESTDEV_ATTR_BOX_CREATE_RESP_NUMBER,	/* __u32 */
};

enum testdev_box_destroy_attrs {
	TESTDEV_ATTR_BOX_DESTROY_HANDLE = TESTDEV_NS,
};

enum testdev_box_query_attrs {
	TESTDEV_ATTR_BOX_QUERY_HANDLE = TESTDEV_NS,
	TESTDEV_ATTR_BOX_QUERY_RESP,		/* struct testdev_box_info */
	TESTDEV_ATTR_BOX_QUERY_TEXT,		/* optional */
};

/* Longer or shorter ones are understood, from @level on. */
struct testdev_box_info {
	__u32 number;
	__u32 kind;
	__s32 level;
	__u32 text_len;
	__aligned_u64 flags;
	__u32 shape;
	__u32 pds;
	__aligned_u64 size;		/* of the shape */
};

enum testdev_box_shape_attrs {
	TESTDEV_ATTR_BOX_SHAPE_HANDLE = TESTDEV_NS,
	TESTDEV_ATTR_BOX_SHAPE,			/* by enum testdev_shape */
};

enum testdev_shape {
	TESTDEV_SHAPE_POINT,		/* without data */
	TESTDEV_SHAPE_LINE,		/* __u32, in the attribute */
	TESTDEV_SHAPE_BLOCK,		/* struct testdev_block, in memory */
	TESTDEV_SHAPES,
};

struct testdev_block {
	__aligned_u64 width;
	__aligned_u64 height;
};

enum testdev_box_pack_attrs {
	TESTDEV_ATTR_BOX_PACK_HANDLE = TESTDEV_NS,
	TESTDEV_ATTR_BOX_PACK_PDS,		/* handles */
	TESTDEV_ATTR_BOX_PACK_RESP_SUM,		/* __u64: of those handles */
};

enum testdev_bell_methods {
	TESTDEV_METHOD_BELL_OPEN = TESTDEV_NS,
	TESTDEV_METHOD_BELL_RING,
};

enum testdev_bell_open_attrs {
	TESTDEV_ATTR_BELL_OPEN_FD = TESTDEV_NS,
};

enum testdev_bell_ring_attrs {
	TESTDEV_ATTR_BELL_RING_FD = TESTDEV_NS,
	TESTDEV_ATTR_BELL_RING_TIMES,		/* __u32 */
};

enum testdev_hidden_methods {
	TESTDEV_METHOD_HIDDEN_CREATE = TESTDEV_NS,
	TESTDEV_METHOD_HIDDEN_DESTROY,
};

enum testdev_hidden_attrs {
	TESTDEV_ATTR_HIDDEN_HANDLE = TESTDEV_NS,
};

enum testdev_tools_methods {
	TESTDEV_METHOD_TOOLS_ECHO = TESTDEV_NS,
	TESTDEV_METHOD_TOOLS_NAME,
};

enum testdev_echo_attrs {
	TESTDEV_ATTR_ECHO_TEXT = TESTDEV_NS,
	TESTDEV_ATTR_ECHO_TIMES,		/* __u32 */
	TESTDEV_ATTR_ECHO_RESP,			/* the text so many times */
};

enum testdev_name_attrs {
	TESTDEV_ATTR_NAME_HANDLE = TESTDEV_NS,	/* of any object */
	TESTDEV_ATTR_NAME_RESP,			/* __u32: which object */
};

/* A method of the driver on an object of the core. */
enum testdev_pd_methods {
	TESTDEV_METHOD_PD_QUERY = TESTDEV_NS,
};

enum testdev_pd_query_attrs {
	TESTDEV_ATTR_PD_QUERY_HANDLE = TESTDEV_NS,
	TESTDEV_ATTR_PD_QUERY_RESP,		/* __u32: its handle */
};

/* Attributes of the driver in a method of the core. */
enum testdev_cq_create_attrs {
	TESTDEV_ATTR_CREATE_CQ_MARK = UVERBS_ATTR_UHW_OUT + 1,
	TESTDEV_ATTR_CREATE_CQ_RESP_MARK,	/* __u32: the mark, inverted */
};

#endif /* OFED_TESTDEV_ABI_H */
