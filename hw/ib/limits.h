/* SPDX-License-Identifier: GPL-2.0 */
/* Sizes of nodes, ports and tables. */
#ifndef IBF_LIMITS_H
#define IBF_LIMITS_H

#include <linux/bits.h>

enum {
	IBF_HCA_PORTS		= 4,
	IBF_SWITCH_PORTS	= 64,
	IBF_DATA_VLS		= 8,
	IBF_LANES		= 16,	/* VLs, VL15 included, or SLs */
	IBF_WIRES		= 12,	/* lanes of the widest link */
	IBF_PKEYS		= 32,	/* one block of the attribute */
	IBF_GUIDS		= 8,	/* one block of the attribute */
	IBF_LFT_ENTRIES		= 0xc000,
	IBF_LFT_BLOCK		= 64,
	IBF_MFT_ENTRIES		= 1024,
	IBF_MFT_BLOCK		= 32,
	IBF_MFT_POSITIONS	= 5,	/* of 16 ports: 0 to 64, and some */
	IBF_NO_PORT		= 0xff,	/* in the linear table */
	IBF_NAME_BYTES		= 20,	/* libibumad's limit */
};

/* Queues of a port: its data VLs, then these. */
enum {
	IBF_QUEUE_VL15		= IBF_DATA_VLS,
	IBF_QUEUE_LOOP,		/* to this port itself */
	IBF_QUEUES,
};

/* Packets: what the receiver of a VL takes before it gives no more credit, and what
 * waits at an HCA before the engine is asked to pause.
 */
#define IBF_CREDITS	32
#define IBF_SOFT_LIMIT	64
#define IBF_HARD_LIMIT	1024
#define IBF_VL15_LIMIT	256

#endif /* IBF_LIMITS_H */
