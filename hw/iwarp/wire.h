/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is on the wire, and nothing else: MPA (RFC 5044, RFC 6581), DDP (RFC
 * 5041), RDMAP (RFC 5040), atomics and immediate data (RFC 7306).
 */
#ifndef IW_WIRE_H
#define IW_WIRE_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/math.h>
#include <linux/types.h>

/* ---- MPA start-up, RFC 5044 7.1.1 -------------------------------------------- */

#define IW_MPA_KEY_BYTES	16
#define IW_MPA_KEY_REQ		"MPA ID Req Frame"
#define IW_MPA_KEY_REP		"MPA ID Rep Frame"

struct iw_mpa_hdr {
	u8 key[IW_MPA_KEY_BYTES];
	u8 flags;
	u8 rev;
	__be16 pd_length;
};
static_assert(sizeof(struct iw_mpa_hdr) == 20);

/* RFC 5044 7.1.1; S is RFC 6581 5 */
#define IW_MPA_MARKERS		BIT(7)
#define IW_MPA_CRC		BIT(6)
#define IW_MPA_REJECT		BIT(5)
#define IW_MPA_ENHANCED		BIT(4)

#define IW_MPA_MAX_PD		512

/* In front of the private data, RFC 6581 9 */
struct iw_mpa_enhanced {
	__be16 ird;
	__be16 ord;
};
static_assert(sizeof(struct iw_mpa_enhanced) == 4);

#define IW_MPA_DEPTH_MASK	GENMASK(13, 0)
#define IW_MPA_DEPTH_UNKNOWN	IW_MPA_DEPTH_MASK
/* With the IRD: peer-to-peer; an empty FPDU of SEND says "ready to receive". */
#define IW_MPA_IRD_P2P		BIT(15)
#define IW_MPA_IRD_RTR_SEND	BIT(14)
/* With the ORD: an empty WRITE, or an empty READ, says so. */
#define IW_MPA_ORD_RTR_WRITE	BIT(15)
#define IW_MPA_ORD_RTR_READ	BIT(14)

/* ---- FPDUs, RFC 5044 4 ------------------------------------------------------- */

#define IW_MPA_LENGTH_BYTES	2
#define IW_MPA_CRC_BYTES	4
#define IW_MPA_MAX_ULPDU	U16_MAX

/* Length, ULPDU, padding to a multiple of four, CRC. */
static inline u32 iw_fpdu_bytes(u32 ulpdu)
{
	return round_up(IW_MPA_LENGTH_BYTES + ulpdu, 4) + IW_MPA_CRC_BYTES;
}

/* ---- DDP, RFC 5041 4.1; RDMAP's control byte is RFC 5040 4.1 ----------------- */

#define IW_DDP_TAGGED		BIT(7)
#define IW_DDP_LAST		BIT(6)
#define IW_DDP_VERSION_MASK	GENMASK(1, 0)
#define IW_DDP_VERSION		1

#define IW_RDMAP_VERSION_MASK	GENMASK(7, 6)
#define IW_RDMAP_VERSION	0x40
#define IW_RDMAP_OPCODE_MASK	GENMASK(3, 0)

/* RFC 5040 4.1, figure 4; from 8 on RFC 7306 4 */
enum iw_rdmap_opcode {
	IW_RDMAP_WRITE		= 0,
	IW_RDMAP_READ_REQ	= 1,
	IW_RDMAP_READ_RESP	= 2,
	IW_RDMAP_SEND		= 3,
	IW_RDMAP_SEND_INV	= 4,
	IW_RDMAP_SEND_SE	= 5,
	IW_RDMAP_SEND_SE_INV	= 6,
	IW_RDMAP_TERMINATE	= 7,
	IW_RDMAP_IMM		= 8,
	IW_RDMAP_IMM_SE		= 9,
	IW_RDMAP_ATOMIC_REQ	= 10,
	IW_RDMAP_ATOMIC_RESP	= 11,
	IW_RDMAP_OPCODES	= 16,
};

/* Untagged queues, RFC 5040 4.1, RFC 7306 4. Atomics are asked where READs are. */
enum iw_ddp_queue {
	IW_QN_SEND	= 0,
	IW_QN_READ_REQ	= 1,
	IW_QN_TERMINATE	= 2,
	IW_QN_ATOMIC_RESP = 3,
	IW_QNS,
};

/* Every struct here begins with the length of MPA. RFC 5041 4.2, figure 4 */
struct iw_tagged {
	__be16 length;
	u8 ddp;
	u8 rdmap;
	__be32 stag;
	__be64 to;
};
static_assert(sizeof(struct iw_tagged) == 16);

/* RFC 5041 4.3, figure 5; @ulp is Invalidate STag of RFC 5040 4.3 */
struct iw_untagged {
	__be16 length;
	u8 ddp;
	u8 rdmap;
	__be32 ulp;
	__be32 qn;
	__be32 msn;
	__be32 mo;
};
static_assert(sizeof(struct iw_untagged) == 20);

/* RFC 5040 4.4, figure 6 */
struct iw_read_req {
	struct iw_untagged hdr;
	__be32 sink_stag;
	__be64 sink_to;
	__be32 size;
	__be32 source_stag;
	__be64 source_to;
};
static_assert(sizeof(struct iw_read_req) == 48);
#define IW_READ_REQ_BYTES (sizeof(struct iw_read_req) - sizeof(struct iw_untagged))

/* RFC 7306 5.2.1 */
enum iw_atomic_op {
	IW_ATOMIC_FETCH_ADD	= 0,
	IW_ATOMIC_CMP_SWAP	= 2,
};

#define IW_ATOMIC_OP_MASK	GENMASK(3, 0)

struct iw_atomic_req {
	struct iw_untagged hdr;
	__be32 op;
	__be32 id;
	__be32 stag;
	__be64 to;
	__be64 add_swap;
	__be64 add_swap_mask;
	__be64 compare;
	__be64 compare_mask;
};
static_assert(sizeof(struct iw_atomic_req) == 72);

/* RFC 7306 5.2.2 */
struct iw_atomic_resp {
	struct iw_untagged hdr;
	__be32 id;
	__be64 original;
};
static_assert(sizeof(struct iw_atomic_resp) == 32);

/* RFC 7306 6: 64 bits, of which the verbs have the low ones */
struct iw_imm {
	struct iw_untagged hdr;
	__be32 high;
	__be32 low;
};
static_assert(sizeof(struct iw_imm) == 28);

/* ---- Terminate, RFC 5040 4.8 -------------------------------------------------- */

/* The first word: figure 8 */
#define IW_TERM_LAYER_MASK	GENMASK(31, 28)
#define IW_TERM_ETYPE_MASK	GENMASK(27, 24)
#define IW_TERM_CODE_MASK	GENMASK(23, 16)
/* What of the offending segment follows: its length, DDP header, READ request */
#define IW_TERM_HAS_LENGTH	BIT(15)
#define IW_TERM_HAS_DDP		BIT(14)
#define IW_TERM_HAS_RDMAP	BIT(13)

#define IW_TERM_WORD_BYTES	4
#define IW_TERM_MAX_BYTES	(IW_TERM_WORD_BYTES + IW_MPA_LENGTH_BYTES + \
				 18 + IW_READ_REQ_BYTES)

enum iw_term_layer {
	IW_LAYER_RDMAP	= 0,
	IW_LAYER_DDP	= 1,
	IW_LAYER_LLP	= 2,
};

/* Layer, type and code in one number: 0xLTCC */
enum iw_term {
	/* RFC 5040 4.8, figure 9 */
	IW_TERM_LOCAL_CATASTROPHIC	= 0x0000,
	IW_TERM_RDMAP_STAG		= 0x0100,
	IW_TERM_RDMAP_BOUNDS		= 0x0101,
	IW_TERM_RDMAP_ACCESS		= 0x0102,
	IW_TERM_RDMAP_NOT_ASSOCIATED	= 0x0103,
	IW_TERM_RDMAP_WRAP		= 0x0104,
	IW_TERM_RDMAP_NO_INVALIDATE	= 0x0109,
	IW_TERM_RDMAP_PROTECTION	= 0x01ff,
	IW_TERM_RDMAP_VERSION		= 0x0205,
	IW_TERM_RDMAP_OPCODE		= 0x0206,
	IW_TERM_RDMAP_STREAM		= 0x0207,
	IW_TERM_RDMAP_GLOBAL		= 0x0208,
	IW_TERM_RDMAP_INVALIDATE	= 0x0209,
	IW_TERM_RDMAP_OPERATION		= 0x02ff,
	/* RFC 5041 6.2 */
	IW_TERM_DDP_LOCAL		= 0x1000,
	IW_TERM_DDP_STAG		= 0x1100,
	IW_TERM_DDP_BOUNDS		= 0x1101,
	IW_TERM_DDP_NOT_ASSOCIATED	= 0x1102,
	IW_TERM_DDP_WRAP		= 0x1103,
	IW_TERM_DDP_TAGGED_VERSION	= 0x1104,
	IW_TERM_DDP_QN			= 0x1201,
	IW_TERM_DDP_NO_BUFFER		= 0x1202,
	IW_TERM_DDP_MSN_RANGE		= 0x1203,
	IW_TERM_DDP_MO			= 0x1204,
	IW_TERM_DDP_TOO_LONG		= 0x1205,
	IW_TERM_DDP_UNTAGGED_VERSION	= 0x1206,
	/* RFC 5044 8; the last three are RFC 6581 8 */
	IW_TERM_MPA_CLOSED		= 0x2001,
	IW_TERM_MPA_CRC			= 0x2002,
	IW_TERM_MPA_MARKER		= 0x2003,
	IW_TERM_MPA_CATASTROPHIC	= 0x2005,
	IW_TERM_MPA_IRD			= 0x2006,
	IW_TERM_MPA_RTR			= 0x2007,
};

#endif /* IW_WIRE_H */
