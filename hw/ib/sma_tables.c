// SPDX-License-Identifier: GPL-2.0
/* Tables of ports and switches, one block in a MAD (sections 14.2.5.5 to 14.2.5.12). */
#include "cable.h"
#include "node.h"
#include "sma.h"

static struct ibf_port *ibf_sma_tables_port_of(const struct ibf_query *query, u32 num)
{
	if (!query->node->is_switch)
		return query->port;
	return num <= query->node->num_ports ? &query->node->ports[num] : NULL;
}

/**
 * ibf_sma_guids - Get or Set GUIDInfo
 * @query: the query
 *
 * Return: the status of the reply.
 */
u16 ibf_sma_guids(struct ibf_query *query)
{
	struct ibf_port *port = query->port;
	__be64 own = port->guids[0];

	BUILD_BUG_ON(sizeof(port->guids) != IB_SMP_DATA_SIZE);
	if (query->mod)
		return IBF_SMP_BAD_FIELD;
	if (query->set && !query->node->is_switch) {
		memcpy(port->guids, query->data, sizeof(port->guids));
		/* The port's own GUID is read-only. */
		port->guids[0] = own;
		ibf_tell(port, IB_EVENT_GID_CHANGE);
	}
	memcpy(query->data, port->guids, sizeof(port->guids));
	return 0;
}

static void ibf_pkeys_set(struct ibf_port *port, const __be16 *pkeys)
{
	u32 i;

	for (i = 0; i < IBF_PKEYS; i++) {
		WRITE_ONCE(port->pkeys[i], be16_to_cpu(pkeys[i]));
		if (port->ibt)
			ibt_port_set_pkey(port->ibt, i, port->pkeys[i]);
	}
	ibf_tell(port, IB_EVENT_PKEY_CHANGE);
}

/**
 * ibf_sma_pkeys - Get or Set P_KeyTable
 * @query: the query
 *
 * Return: the status of the reply.
 */
u16 ibf_sma_pkeys(struct ibf_query *query)
{
	struct ibf_port *port = ibf_sma_tables_port_of(query, query->mod >> 16);
	__be16 *pkeys = (void *)query->data;
	u32 i;

	BUILD_BUG_ON(IBF_PKEYS * sizeof(*pkeys) != IB_SMP_DATA_SIZE);
	if (!port || query->mod & 0xffff)
		return IBF_SMP_BAD_FIELD;
	if (query->set)
		ibf_pkeys_set(port, pkeys);
	for (i = 0; i < IBF_PKEYS; i++)
		pkeys[i] = cpu_to_be16(port->pkeys[i]);
	return 0;
}

/**
 * ibf_sma_sl2vl - Get or Set SLtoVLMappingTable
 * @query: the query. At a switch the modifier has the output port in bits 7:0 and the
 *	   input port in bits 15:8
 *
 * Return: the status of the reply.
 */
u16 ibf_sma_sl2vl(struct ibf_query *query)
{
	struct ibf_port *port = ibf_sma_tables_port_of(query, query->mod & 0xff);
	u32 in = query->node->is_switch ? query->mod >> 8 & 0xff : 0;
	u8 *map;
	u32 sl;

	if (!port || in > query->node->num_ports)
		return IBF_SMP_BAD_FIELD;
	map = port->sl2vl[in];
	for (sl = 0; query->set && sl < 16; sl += 2) {
		WRITE_ONCE(map[sl], query->data[sl / 2] >> 4);
		WRITE_ONCE(map[sl + 1], query->data[sl / 2] & 0xf);
	}
	memset(query->data, 0, IB_SMP_DATA_SIZE);
	for (sl = 0; sl < 16; sl += 2)
		query->data[sl / 2] = map[sl] << 4 | map[sl + 1];
	return 0;
}

/**
 * ibf_sma_vlarb - Get or Set VLArbitrationTable
 * @query: the query
 *
 * The table is stored and returned, without effect: the pump serves VLs round-robin.
 *
 * Return: the status of the reply.
 */
u16 ibf_sma_vlarb(struct ibf_query *query)
{
	struct ibf_port *port = ibf_sma_tables_port_of(query, query->mod & 0xffff);
	u32 block = query->mod >> 16;

	if (!port || !block || block > ARRAY_SIZE(port->vlarb))
		return IBF_SMP_BAD_FIELD;
	BUILD_BUG_ON(sizeof(port->vlarb[0]) != IB_SMP_DATA_SIZE);
	if (query->set)
		memcpy(port->vlarb[block - 1], query->data, IB_SMP_DATA_SIZE);
	memcpy(query->data, port->vlarb[block - 1], IB_SMP_DATA_SIZE);
	return 0;
}

/**
 * ibf_sma_lft - Get or Set LinearForwardingTable
 * @query: the query
 *
 * Return: the status of the reply.
 */
u16 ibf_sma_lft(struct ibf_query *query)
{
	u32 block = query->mod, i;
	u8 *lft;

	if (!query->node->is_switch)
		return IBF_SMP_BAD_ATTR;
	if (block >= IBF_LFT_ENTRIES / IBF_LFT_BLOCK)
		return IBF_SMP_BAD_FIELD;
	lft = query->node->sw->lft + block * IBF_LFT_BLOCK;
	for (i = 0; query->set && i < IBF_LFT_BLOCK; i++)
		WRITE_ONCE(lft[i], query->data[i]);
	memcpy(query->data, lft, IBF_LFT_BLOCK);
	return 0;
}

/**
 * ibf_sma_mft - Get or Set MulticastForwardingTable
 * @query: the query. Bits 8:0 of the modifier select a block of groups, bits 31:28
 *	   a set of 16 ports
 *
 * Return: the status of the reply.
 */
u16 ibf_sma_mft(struct ibf_query *query)
{
	u32 block = query->mod & 0x1ff, position = query->mod >> 28, i;
	__be16 *masks = (void *)query->data;
	u16 *word;

	if (!query->node->is_switch)
		return IBF_SMP_BAD_ATTR;
	if (query->mod & 0x0ffffe00 || position >= IBF_MFT_POSITIONS ||
	    block >= IBF_MFT_ENTRIES / IBF_MFT_BLOCK)
		return IBF_SMP_BAD_FIELD;
	for (i = 0; i < IBF_MFT_BLOCK; i++) {
		word = &query->node->sw->mft[block * IBF_MFT_BLOCK + i][position];
		if (query->set)
			WRITE_ONCE(*word, be16_to_cpu(masks[i]));
		masks[i] = cpu_to_be16(*word);
	}
	return 0;
}
