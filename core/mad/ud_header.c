// SPDX-License-Identifier: GPL-2.0
/*
 * Headers of UD packets (IBA vol. 1 chapters 7 to 9, annexes A16 and A17), for
 * drivers of hardware that takes management packets complete.
 */
#include <linux/export.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/string.h>
#include <net/ip.h>
#include <ofed/refuse.h>
#include <rdma/ib_pack.h>
#include <compat/decls.h>

/* IPVer and NxtHdr of a GRH that a BTH follows. */
#define GRH_VERSION 6
#define GRH_NEXT_BTH 0x1b

#define IPV4_VERSION 4
#define IPV4_WORDS (IB_IP4_BYTES / 4)
#define IMMEDIATE_BYTES 4

#define AT(type, member_, word, bit, bits) {				\
	.field_name = #type "." #member_,				\
	.struct_offset_bytes = offsetof(struct ib_unpacked_ ## type,	\
					member_),			\
	.struct_size_bytes =						\
		sizeof_field(struct ib_unpacked_ ## type, member_),	\
	.offset_words = (word), .offset_bits = (bit), .size_bits = (bits) }

#define GAP(word, bit, bits) {						\
	RESERVED,							\
	.offset_words = (word), .offset_bits = (bit), .size_bits = (bits) }

static const struct ib_field lrh_fields[] = {
	AT(lrh, virtual_lane, 0, 0, 4),
	AT(lrh, link_version, 0, 4, 4),
	AT(lrh, service_level, 0, 8, 4),
	GAP(0, 12, 2),
	AT(lrh, link_next_header, 0, 14, 2),
	AT(lrh, destination_lid, 0, 16, 16),
	GAP(1, 0, 5),
	AT(lrh, packet_length, 1, 5, 11),
	AT(lrh, source_lid, 1, 16, 16),
};

static const struct ib_field eth_fields[] = {
	AT(eth, dmac_h, 0, 0, 32),
	AT(eth, dmac_l, 1, 0, 16),
	AT(eth, smac_h, 1, 16, 16),
	AT(eth, smac_l, 2, 0, 32),
	AT(eth, type, 3, 0, 16),
};

static const struct ib_field vlan_fields[] = {
	AT(vlan, tag, 0, 0, 16),
	AT(vlan, type, 0, 16, 16),
};

static const struct ib_field grh_fields[] = {
	AT(grh, ip_version, 0, 0, 4),
	AT(grh, traffic_class, 0, 4, 8),
	AT(grh, flow_label, 0, 12, 20),
	AT(grh, payload_length, 1, 0, 16),
	AT(grh, next_header, 1, 16, 8),
	AT(grh, hop_limit, 1, 24, 8),
	AT(grh, source_gid, 2, 0, 128),
	AT(grh, destination_gid, 6, 0, 128),
};

static const struct ib_field ip4_fields[] = {
	AT(ip4, ver, 0, 0, 4),
	AT(ip4, hdr_len, 0, 4, 4),
	AT(ip4, tos, 0, 8, 8),
	AT(ip4, tot_len, 0, 16, 16),
	AT(ip4, id, 1, 0, 16),
	AT(ip4, frag_off, 1, 16, 16),
	AT(ip4, ttl, 2, 0, 8),
	AT(ip4, protocol, 2, 8, 8),
	AT(ip4, check, 2, 16, 16),
	AT(ip4, saddr, 3, 0, 32),
	AT(ip4, daddr, 4, 0, 32),
};

static const struct ib_field udp_fields[] = {
	AT(udp, sport, 0, 0, 16),
	AT(udp, dport, 0, 16, 16),
	AT(udp, length, 1, 0, 16),
	AT(udp, csum, 1, 16, 16),
};

static const struct ib_field bth_fields[] = {
	AT(bth, opcode, 0, 0, 8),
	AT(bth, solicited_event, 0, 8, 1),
	AT(bth, mig_req, 0, 9, 1),
	AT(bth, pad_count, 0, 10, 2),
	AT(bth, transport_header_version, 0, 12, 4),
	AT(bth, pkey, 0, 16, 16),
	GAP(1, 0, 8),
	AT(bth, destination_qpn, 1, 8, 24),
	AT(bth, ack_req, 2, 0, 1),
	GAP(2, 1, 7),
	AT(bth, psn, 2, 8, 24),
};

static const struct ib_field deth_fields[] = {
	AT(deth, qkey, 0, 0, 32),
	GAP(1, 0, 8),
	AT(deth, source_qpn, 1, 8, 24),
};

/**
 * ib_ud_ip4_csum - checksum of the IPv4 header of a RoCE v2 packet
 * @header: its ip4 is complete but for the checksum
 *
 * Context: any. Return: the value for ip4.check.
 */
__sum16 ib_ud_ip4_csum(struct ib_ud_header *header)
{
	struct ib_unpacked_ip4 ip4 = header->ip4;
	__be32 wire[IPV4_WORDS];

	ip4.check = 0;
	ib_pack(ip4_fields, ARRAY_SIZE(ip4_fields), &ip4, wire);
	return ip_fast_csum(wire, IPV4_WORDS);
}
OFED_EXPORT(ib_ud_ip4_csum);

/*
 * The lengths count what follows their header, up to the ICRC, padding
 * included. @bytes: from the BTH to the end of the padding.
 */
static void mad_set_lengths(struct ib_ud_header *header, unsigned int bytes)
{
	unsigned int below = bytes + IB_ICRC_BYTES +
			     (header->udp_present ? IB_UDP_BYTES : 0);
	unsigned int total;

	if (header->udp_present)
		header->udp.length = cpu_to_be16(below);
	if (header->ipv4_present)
		header->ip4.tot_len = cpu_to_be16(IB_IP4_BYTES + below);
	if (header->grh_present)
		header->grh.payload_length = cpu_to_be16(below);
	if (header->lrh_present) {
		total = IB_LRH_BYTES + below +
			(header->grh_present ? IB_GRH_BYTES : 0);
		header->lrh.packet_length = cpu_to_be16(total / 4);
	}
}

static void mad_set_constants(struct ib_ud_header *header)
{
	if (header->lrh_present)
		header->lrh.link_next_header = header->grh_present ?
			IB_LNH_IBA_GLOBAL : IB_LNH_IBA_LOCAL;
	if (header->vlan_present)
		header->eth.type = htons(ETH_P_8021Q);
	if (header->grh_present) {
		header->grh.ip_version = GRH_VERSION;
		header->grh.next_header = header->udp_present ? IPPROTO_UDP :
								GRH_NEXT_BTH;
	}
	if (header->ipv4_present) {
		header->ip4.ver = IPV4_VERSION;
		header->ip4.hdr_len = IPV4_WORDS;
		header->ip4.protocol = IPPROTO_UDP;
	}
	header->bth.opcode = header->immediate_present ?
		IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE : IB_OPCODE_UD_SEND_ONLY;
}

/**
 * ib_ud_header_init - begin the headers of a UD packet
 * @payload_bytes: length of the payload, without padding
 * @lrh_present: InfiniBand
 * @eth_present: RoCE
 * @vlan_present: RoCE on a VLAN
 * @grh_present: GRH, unless @ip_version names an IP header
 * @ip_version: 4 or 6 for RoCE v2, else 0; IPv6 fills @header->grh
 * @udp_present: RoCE v2
 * @immediate_present: the packet has immediate data
 * @header: zeroed, then what follows from the above is set: lengths, versions,
 *	    next headers, the opcode, the pad count
 *
 * Context: any. Return: 0, or -EINVAL for UDP without an IP header.
 */
int ib_ud_header_init(int payload_bytes, int lrh_present, int eth_present,
		      int vlan_present, int grh_present, int ip_version,
		      int udp_present, int immediate_present,
		      struct ib_ud_header *header)
{
	bool ipv6 = ip_version == 6, ipv4 = ip_version == 4;
	unsigned int pad = -payload_bytes & 3;
	unsigned int bytes;

	memset(header, 0, sizeof(*header));
	if (udp_present && !ipv4 && !ipv6)
		return ofed_refuse_call(-EINVAL,
					"ib_mad: UDP over IP of version %d",
					ip_version);

	header->lrh_present = lrh_present;
	header->eth_present = eth_present;
	header->vlan_present = vlan_present;
	header->grh_present = ipv6 || (grh_present && !ip_version);
	header->ipv4_present = ipv4;
	header->udp_present = udp_present;
	header->immediate_present = immediate_present;
	mad_set_constants(header);

	bytes = IB_BTH_BYTES + IB_DETH_BYTES + payload_bytes + pad +
		(immediate_present ? IMMEDIATE_BYTES : 0);
	header->bth.pad_count = pad;
	mad_set_lengths(header, bytes);
	return 0;
}
OFED_EXPORT(ib_ud_header_init);

#define PUT(fields, from, bytes) \
	(ib_pack(fields, ARRAY_SIZE(fields), (from), buf + len), len += (bytes))

/**
 * ib_ud_header_pack - write the headers of a UD packet
 * @header: complete
 * @buf: as long as the headers that are present
 *
 * Context: any. Return: the number of bytes written.
 */
int ib_ud_header_pack(struct ib_ud_header *header, void *buf)
{
	int len = 0;

	if (header->lrh_present)
		PUT(lrh_fields, &header->lrh, IB_LRH_BYTES);
	if (header->eth_present)
		PUT(eth_fields, &header->eth, IB_ETH_BYTES);
	if (header->vlan_present)
		PUT(vlan_fields, &header->vlan, IB_VLAN_BYTES);
	if (header->grh_present)
		PUT(grh_fields, &header->grh, IB_GRH_BYTES);
	if (header->ipv4_present)
		PUT(ip4_fields, &header->ip4, IB_IP4_BYTES);
	if (header->udp_present)
		PUT(udp_fields, &header->udp, IB_UDP_BYTES);
	PUT(bth_fields, &header->bth, IB_BTH_BYTES);
	PUT(deth_fields, &header->deth, IB_DETH_BYTES);
	if (header->immediate_present) {
		memcpy(buf + len, &header->immediate_data, IMMEDIATE_BYTES);
		len += IMMEDIATE_BYTES;
	}
	return len;
}
OFED_EXPORT(ib_ud_header_pack);

#define GET(fields, to, bytes) \
	(ib_unpack(fields, ARRAY_SIZE(fields), buf, (to)), buf += (bytes))

/* Return: what follows, or NULL for a GRH that no BTH follows. */
static void *mad_unpack_route(void *buf, struct ib_ud_header *header)
{
	GET(lrh_fields, &header->lrh, IB_LRH_BYTES);
	header->lrh_present = 1;
	if (header->lrh.link_version)
		return NULL;
	if (header->lrh.link_next_header == IB_LNH_IBA_LOCAL)
		return buf;
	if (header->lrh.link_next_header != IB_LNH_IBA_GLOBAL)
		return NULL;

	GET(grh_fields, &header->grh, IB_GRH_BYTES);
	header->grh_present = 1;
	return header->grh.ip_version == GRH_VERSION &&
	       header->grh.next_header == GRH_NEXT_BTH ? buf : NULL;
}

/**
 * ib_ud_header_unpack - read the headers of an InfiniBand UD packet
 * @buf: from the LRH on, as long as the longest headers are
 * @header: overwritten
 *
 * Nothing in front of a BTH tells RoCE from InfiniBand, so RoCE is not read.
 * Context: any.
 * Return: 0, or -EINVAL when it is no UD packet of a version that is known.
 */
int ib_ud_header_unpack(void *buf, struct ib_ud_header *header)
{
	memset(header, 0, sizeof(*header));
	buf = mad_unpack_route(buf, header);
	if (!buf)
		return -EINVAL;

	GET(bth_fields, &header->bth, IB_BTH_BYTES);
	if (header->bth.transport_header_version)
		return -EINVAL;
	if (header->bth.opcode == IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE)
		header->immediate_present = 1;
	else if (header->bth.opcode != IB_OPCODE_UD_SEND_ONLY)
		return -EINVAL;

	GET(deth_fields, &header->deth, IB_DETH_BYTES);
	if (header->immediate_present)
		memcpy(&header->immediate_data, buf, IMMEDIATE_BYTES);
	return 0;
}
OFED_EXPORT(ib_ud_header_unpack);
