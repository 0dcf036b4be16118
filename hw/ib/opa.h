/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets of Omni-Path with a header of 16 bytes, as far as they carry Ethernet: the format is
 * in the kernel's document about OPA VNIC. On cables of InfiniBand such a packet is what a raw
 * packet carries (IBA vol. 1, 5.2.3 and 7.7): LRH, a header with an Ethertype, the packet.
 */
#ifndef IBF_OPA_H
#define IBF_OPA_H

#include <linux/bitfield.h>
#include <linux/if_ether.h>
#include <linux/skbuff.h>

#include "wire.h"

/**
 * struct ibf_raw - what is in front of a packet of Omni-Path
 * @lrh: LRH with IBF_LNH_RAW
 * @reserved: 0
 * @type: IBF_RAW_TYPE
 */
struct ibf_raw {
	struct ibf_lrh lrh;
	__be16 reserved;
	__be16 type;
};
static_assert(sizeof(struct ibf_raw) == 12);

/* None is assigned: that for experiments, IEEE Std 802. */
#define IBF_RAW_TYPE		ETH_P_802_EX1

/**
 * struct ibf_opa_header - header of a packet that carries Ethernet
 * @source: IBF_OPA_LID of the source, IBF_OPA_LENGTH, IBF_OPA_BECN
 * @dest: IBF_OPA_LID of the destination, IBF_OPA_SC, IBF_OPA_RC, IBF_OPA_FECN, IBF_OPA_L2,
 *	  IBF_OPA_LT
 * @upper: IBF_OPA_L4, upper bits of both LIDs, IBF_OPA_PKEY
 * @entropy: of the flow
 * @l4: IBF_OPA_VESW
 */
struct ibf_opa_header {
	__le32 source;
	__le32 dest;
	__le32 upper;
	__le32 entropy;
	__le32 l4;
};
static_assert(sizeof(struct ibf_opa_header) == 20);

#define IBF_OPA_LID		GENMASK(19, 0)
#define IBF_OPA_LENGTH		GENMASK(30, 20)	/* in units of 8 bytes, all of it */
#define IBF_OPA_BECN		BIT(31)
#define IBF_OPA_SC		GENMASK(24, 20)
#define IBF_OPA_RC		GENMASK(27, 25)
#define IBF_OPA_FECN		BIT(28)
#define IBF_OPA_L2		GENMASK(30, 29)
#define IBF_OPA_L2_16B		2
#define IBF_OPA_LT		BIT(31)
#define IBF_OPA_L4		GENMASK(7, 0)
#define IBF_OPA_L4_ETHERNET	0x78
#define IBF_OPA_SLID_UPPER	GENMASK(11, 8)
#define IBF_OPA_DLID_UPPER	GENMASK(15, 12)
#define IBF_OPA_PKEY		GENMASK(31, 16)
#define IBF_OPA_VESW		GENMASK(31, 16)

#define IBF_OPA_END		5	/* bytes of ICRC and tail */

/* The last byte of a packet. */
#define IBF_OPA_PAD		GENMASK(5, 0)	/* bytes that follow the frame */
#define IBF_OPA_TAIL		GENMASK(7, 6)
#define IBF_OPA_TAIL_FLIT	1

/* Groups have LIDs from here on; collectives, which are none, behind them. */
#define IBF_OPA_LID_MCAST	0xf00000
#define IBF_OPA_LID_COLLECTIVE	0xf80000

/* The most that ibf_opa_close() appends. */
#define IBF_OPA_TRAILER		(IBF_OPA_END + 7)

/**
 * struct ibf_opa - what a header says
 * @slid: source LID
 * @dlid: destination LID
 * @sc: service class
 * @pkey: partition
 * @vesw: virtual Ethernet switch
 */
struct ibf_opa {
	u32 slid;
	u32 dlid;
	u8 sc;
	u16 pkey;
	u16 vesw;
};

static inline bool ibf_is_raw(const struct sk_buff *skb)
{
	const struct ibf_lrh *lrh = (const void *)skb->data;

	return FIELD_GET(IBF_LRH_LNH, lrh->sl) == IBF_LNH_RAW;
}

/* P_Key of a raw packet that is well-formed. */
static inline u16 ibf_raw_pkey(const struct sk_buff *skb)
{
	const struct ibf_opa_header *header = (const void *)(skb->data + sizeof(struct ibf_raw));

	return le32_get_bits(header->upper, IBF_OPA_PKEY);
}

/* opa.c */
void ibf_opa_read(const struct ibf_opa_header *header, struct ibf_opa *opa);
u16 ibf_opa_to_lid(u32 dlid);
void ibf_opa_close(struct sk_buff *skb);
int ibf_opa_open(struct sk_buff *skb, struct ibf_opa *opa);

#endif /* IBF_OPA_H */
