/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Headers of the InfiniBand transport on the wire. Sections and figures are those
 * of the InfiniBand Architecture Specification, volume 1. The header has wire
 * formats alone; hdr.c reads and writes them.
 *
 * A packet may begin at any address, so all structs are __packed.
 */
#ifndef IBT_WIRE_H
#define IBT_WIRE_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>

/* A 24-bit number (QPN, PSN, MSN, SRQN) shares its word with 8 other bits. */
#define IBT_WIRE_24		GENMASK(23, 0)

/**
 * struct ibt_wire_bth - Base Transport Header, section 9.2, every packet
 * @opcode: table 38
 * @flags: IBT_BTH_*
 * @pkey: partition
 * @qpn: resv8a (its two high bits are FECN and BECN, annex A17) and
 *	 destination QP
 * @psn: AckReq, 7 reserved bits (two of them are marks of this engine, recovery.c) and the
 *	 packet sequence number
 */
struct ibt_wire_bth {
	u8 opcode;
	u8 flags;
	__be16 pkey;
	__be32 qpn;
	__be32 psn;
} __packed;
static_assert(sizeof(struct ibt_wire_bth) == 12);

#define IBT_BTH_SE		BIT(7)		/* of @flags */
#define IBT_BTH_MIG		BIT(6)
#define IBT_BTH_PAD		GENMASK(5, 4)
#define IBT_BTH_TVER		GENMASK(3, 0)
#define IBT_BTH_FECN		BIT(31)		/* of @qpn */
#define IBT_BTH_BECN		BIT(30)
#define IBT_BTH_ACKREQ		BIT(31)		/* of @psn */
#define IBT_BTH_MARKS		GENMASK(25, 24)

/* Offset of resv8a: routers may change it, so the ICRC covers ones in its place. */
#define IBT_BTH_RESV8A		4

/** struct ibt_wire_xrceth - XRC Extended Transport Header, annex A14 */
struct ibt_wire_xrceth {
	__be32 srqn;		/* 8 reserved bits and the SRQ */
} __packed;
static_assert(sizeof(struct ibt_wire_xrceth) == 4);

/** struct ibt_wire_deth - Datagram Extended Transport Header, section 9.3.2 */
struct ibt_wire_deth {
	__be32 qkey;
	__be32 src_qpn;		/* 8 reserved bits and the sender's QP */
} __packed;
static_assert(sizeof(struct ibt_wire_deth) == 8);

/** struct ibt_wire_feth - FLUSH Extended Transport Header, annex A19 */
struct ibt_wire_feth {
	__be32 what;		/* 26 reserved bits, selectivity and placement */
} __packed;
static_assert(sizeof(struct ibt_wire_feth) == 4);

#define IBT_FETH_SELECTIVITY	GENMASK(5, 4)	/* of @what: enum ib_selectivity_level */
#define IBT_FETH_PLACEMENT	GENMASK(3, 0)	/* enum ib_placement_type, a mask */

/** struct ibt_wire_reth - RDMA Extended Transport Header, section 9.3.3 */
struct ibt_wire_reth {
	__be64 va;
	__be32 rkey;
	__be32 dma_length;
} __packed;
static_assert(sizeof(struct ibt_wire_reth) == 16);

/** struct ibt_wire_atomiceth - Atomic Extended Transport Header, section 9.3.4 */
struct ibt_wire_atomiceth {
	__be64 va;
	__be32 rkey;
	__be64 swap_add;
	__be64 compare;
} __packed;
static_assert(sizeof(struct ibt_wire_atomiceth) == 28);

/** struct ibt_wire_aeth - ACK Extended Transport Header, section 9.3.5 */
struct ibt_wire_aeth {
	__be32 msn;		/* syndrome in the high 8 bits, and the MSN */
} __packed;
static_assert(sizeof(struct ibt_wire_aeth) == 4);

#define IBT_AETH_SYNDROME	GENMASK(31, 24)

/** struct ibt_wire_atomicack - Atomic ACK Extended Transport Header, 9.5.3 */
struct ibt_wire_atomicack {
	__be64 original;
} __packed;
static_assert(sizeof(struct ibt_wire_atomicack) == 8);

/** struct ibt_wire_immdt - Immediate Data Extended Transport Header, 9.3.6 */
struct ibt_wire_immdt {
	__be32 imm;
} __packed;
static_assert(sizeof(struct ibt_wire_immdt) == 4);

/** struct ibt_wire_ieth - Invalidate Extended Transport Header, 9.3.7 */
struct ibt_wire_ieth {
	__be32 rkey;
} __packed;
static_assert(sizeof(struct ibt_wire_ieth) == 4);

/** struct ibt_wire_cnpeth - what a congestion notification has, annex A17.9.3 */
struct ibt_wire_cnpeth {
	u8 reserved[16];	/* sent as zero, ignored when received */
} __packed;
static_assert(sizeof(struct ibt_wire_cnpeth) == 16);

#endif /* IBT_WIRE_H */
