// SPDX-License-Identifier: GPL-2.0
/* Packets of Omni-Path that carry Ethernet: pad, ICRC and tail, their checks, and LIDs. */
#include <kunit/visibility.h>
#include <linux/crc32.h>

#include "opa.h"

/**
 * ibf_opa_read - read a header
 * @header: of a packet
 * @opa: filled
 */
void ibf_opa_read(const struct ibf_opa_header *header, struct ibf_opa *opa)
{
	opa->slid = le32_get_bits(header->source, IBF_OPA_LID) |
		    le32_get_bits(header->upper, IBF_OPA_SLID_UPPER) << 20;
	opa->dlid = le32_get_bits(header->dest, IBF_OPA_LID) |
		    le32_get_bits(header->upper, IBF_OPA_DLID_UPPER) << 20;
	opa->sc = le32_get_bits(header->dest, IBF_OPA_SC);
	opa->pkey = le32_get_bits(header->upper, IBF_OPA_PKEY);
	opa->vesw = le32_get_bits(header->l4, IBF_OPA_VESW);
}

/**
 * ibf_opa_to_lid - LID by which a subnet of InfiniBand reaches a destination
 * @dlid: LID of 24 bits
 *
 * Return: the LID, or 0: there is none.
 */
u16 ibf_opa_to_lid(u32 dlid)
{
	u32 group = dlid - IBF_OPA_LID_MCAST;

	if (dlid < IBF_LID_MCAST)
		return dlid;
	if (dlid < IBF_OPA_LID_MCAST || dlid >= IBF_OPA_LID_COLLECTIVE ||
	    group >= IBF_LID_PERMISSIVE - IBF_LID_MCAST)
		return 0;
	return IBF_LID_MCAST + group;
}
EXPORT_SYMBOL_IF_KUNIT(ibf_opa_to_lid);

/*
 * Of all but itself: @length bytes with the pad, and @tail. Switches may set the congestion
 * bits on the way.
 */
static __le32 ibf_opa_icrc(const void *data, u32 length, u8 tail)
{
	struct ibf_opa_header header;
	u32 crc;

	memcpy(&header, data, sizeof(header));
	header.source |= cpu_to_le32(IBF_OPA_BECN);
	header.dest |= cpu_to_le32(IBF_OPA_FECN);
	crc = crc32_le(~0, (u8 *)&header, sizeof(header));
	crc = crc32_le(crc, data + sizeof(header), length - sizeof(header));
	return cpu_to_le32(~crc32_le(crc, &tail, sizeof(tail)));
}

/**
 * ibf_opa_close - append pad, ICRC and tail
 * @skb: linear, data at the header, the frame is behind it; has room for IBF_OPA_TRAILER bytes
 */
void ibf_opa_close(struct sk_buff *skb)
{
	u32 pad = -(skb->len + IBF_OPA_END) & 7;
	u8 tail = FIELD_PREP(IBF_OPA_TAIL, IBF_OPA_TAIL_FLIT) | pad;
	__le32 icrc;

	skb_put_zero(skb, pad);
	icrc = ibf_opa_icrc(skb->data, skb->len, tail);
	skb_put_data(skb, &icrc, sizeof(icrc));
	skb_put_u8(skb, tail);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_opa_close);

/* Is it one that carries Ethernet, as long as it says? */
static bool ibf_opa_fits(const struct sk_buff *skb)
{
	const struct ibf_opa_header *header = (const void *)skb->data;
	u8 tail = skb->data[skb->len - 1];

	return le32_get_bits(header->dest, IBF_OPA_L2) == IBF_OPA_L2_16B &&
	       header->dest & cpu_to_le32(IBF_OPA_LT) &&
	       le32_get_bits(header->upper, IBF_OPA_L4) == IBF_OPA_L4_ETHERNET &&
	       le32_get_bits(header->source, IBF_OPA_LENGTH) * 8 == skb->len &&
	       FIELD_GET(IBF_OPA_TAIL, tail) == IBF_OPA_TAIL_FLIT &&
	       FIELD_GET(IBF_OPA_PAD, tail) < 8;
}

/**
 * ibf_opa_open - take the Ethernet frame out of a packet
 * @skb: data at the header, unchecked; afterwards that of the frame alone
 * @opa: filled with what the header says
 *
 * Return: 0; -EINVAL: malformed; -EBADMSG: the ICRC is wrong; -ENOMEM. The packet is changed
 * in no case but success.
 */
int ibf_opa_open(struct sk_buff *skb, struct ibf_opa *opa)
{
	const u32 least = sizeof(struct ibf_opa_header) + ETH_HLEN + IBF_OPA_END;
	__le32 told;
	u8 tail, pad;
	u32 length;

	if (skb->len < least)
		return -EINVAL;
	if (skb_linearize(skb))
		return -ENOMEM;
	if (!ibf_opa_fits(skb))
		return -EINVAL;
	tail = skb->data[skb->len - 1];
	pad = FIELD_GET(IBF_OPA_PAD, tail);
	length = skb->len - IBF_OPA_END;
	if (skb->len < least + pad)
		return -EINVAL;
	memcpy(&told, skb->data + length, sizeof(told));
	if (told != ibf_opa_icrc(skb->data, length, tail))
		return -EBADMSG;
	ibf_opa_read((void *)skb->data, opa);
	skb_trim(skb, length - pad);
	__skb_pull(skb, sizeof(struct ibf_opa_header));
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(ibf_opa_open);
