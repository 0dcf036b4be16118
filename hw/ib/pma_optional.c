// SPDX-License-Identifier: GPL-2.0
/*
 * Optional attributes of the PMA (section 16.1.4): errors by their cause, data by SL,
 * packets of one opcode, flow control. Those of congestion control (annex A10) are not
 * among them, as no switch here marks packets; nor are PortVLXmitFlowCtlUpdateErrors, as
 * no VL here loses its updates alone.
 */
#include "fabric.h"
#include "node.h"
#include "pma.h"

#define NO_OPCODE	IBF_OPS

/**
 * struct counters - layout of an attribute: counters behind a struct ibf_pma_head
 * @id: attribute ID
 * @bytes: size of each counter
 * @num: number of counters
 * @first: first of them in enum ibf_count
 * @op: kind of opcode that is counted, or NO_OPCODE
 */
struct counters {
	__be16 id;
	u8 bytes;
	u8 num;
	enum ibf_count first;
	enum ibf_op op;
};

static const struct counters optional[] = {
	{ IBF_PMA_RCV_ERROR_DETAILS, 2, 6, IBF_RCV_PHYSICAL, NO_OPCODE },
	{ IBF_PMA_XMIT_DISCARD_DETAILS, 2, 4, IBF_DISCARD_INACTIVE, NO_OPCODE },
	{ IBF_PMA_OP_RCV_COUNTERS, 4, 2, IBF_OP_PKTS, IBF_OP_RCV },
	{ IBF_PMA_FLOW_CTL_COUNTERS, 4, 2, IBF_FLOW_XMIT, NO_OPCODE },
	{ IBF_PMA_VL_OP_PACKETS, 2, IBF_LANES, IBF_VL_OP_PKTS, IBF_OP_VL_PKTS },
	{ IBF_PMA_VL_OP_DATA, 4, IBF_LANES, IBF_VL_OP_DATA, IBF_OP_VL_DATA },
	{ IBF_PMA_VL_XMIT_WAIT, 2, IBF_LANES, IBF_VL_WAIT, NO_OPCODE },
	{ IBF_PMA_XMIT_DATA_SL, 4, IBF_LANES, IBF_SL_XMIT, NO_OPCODE },
	{ IBF_PMA_RCV_DATA_SL, 4, IBF_LANES, IBF_SL_RCV, NO_OPCODE },
};

static const struct counters *ibf_pma_optional_find(__be16 attr_id)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(optional); i++)
		if (optional[i].id == attr_id)
			return &optional[i];
	return NULL;
}

/* A new opcode begins at 0: earlier counts belong to the old one. */
static void ibf_set_opcode(const struct ibf_selection *ports,
			   const struct counters *attr, u8 opcode)
{
	struct ibf_selection one = *ports;
	u32 num, i;

	for (num = ports->first; num <= ports->last; num++) {
		struct ibf_port *port = &ports->node->ports[num];

		if (port->opcodes[attr->op] == opcode)
			continue;
		WRITE_ONCE(port->opcodes[attr->op], opcode);
		one.first = num;
		one.last = num;
		for (i = 0; i < attr->num; i++)
			ibf_pma_clear(&one, attr->first + i);
	}
}

static void ibf_pma_optional_set(const struct ibf_selection *ports,
				 const struct counters *attr, const struct ibf_pma_head *asked)
{
	u32 i;

	if (attr->op != NO_OPCODE)
		ibf_set_opcode(ports, attr, asked->opcode);
	for (i = 0; i < attr->num; i++)
		if (be16_to_cpu(asked->counter_select) & BIT(i))
			ibf_pma_clear(ports, attr->first + i);
}

static void ibf_pma_optional_fill(const struct ibf_selection *ports,
				  const struct counters *attr, u8 *to)
{
	const u64 most = attr->bytes == sizeof(__be16) ? U16_MAX : U32_MAX;
	__be64 word;
	u64 value;
	u32 i;

	for (i = 0; i < attr->num; i++, to += attr->bytes) {
		value = ibf_pma_value(ports, attr->first + i);
		word = cpu_to_be64(min(value, most));
		memcpy(to, (u8 *)(&word + 1) - attr->bytes, attr->bytes);
	}
}

static u16 ibf_by_table(struct ibf_port *in_port, const struct counters *attr,
			u8 *data, bool is_set)
{
	struct ibf_pma_head *head = (void *)data;
	const struct ibf_pma_head asked = *head;
	struct ibf_selection ports;

	if (!ibf_pma_select(in_port, asked.port_select, &ports))
		return IBF_SMP_BAD_FIELD;
	if (is_set)
		ibf_pma_optional_set(&ports, attr, &asked);
	memset(data, 0, sizeof_field(struct ib_pma_mad, data));
	head->port_select = asked.port_select;
	head->counter_select = asked.counter_select;
	if (attr->op != NO_OPCODE)
		head->opcode = ports.node->ports[ports.first].opcodes[attr->op];
	ibf_pma_optional_fill(&ports, attr, data + sizeof(*head));
	return 0;
}

/* ---- PortExtendedSpeedsCounters -------------------------------------------------- */

static void ibf_clear_ext_speeds(const struct ibf_selection *ports, u64 which)
{
	u32 i;

	if (which & IBF_EXT_UNKNOWN_BLOCKS)
		ibf_pma_clear(ports, IBF_BAD_BLOCKS);
	for (i = 0; i < IBF_WIRES; i++)
		if (which & IBF_EXT_LANE_ERRORS << i)
			ibf_pma_clear(ports, IBF_WIRE_ERRORS + i);
}

/* Nothing here corrects errors, and none is in a header of 2 bits. */
static u16 ibf_pma_optional_ext_speeds(struct ibf_port *in_port, u8 *data, bool is_set)
{
	struct ibf_ext_speeds *speeds = (void *)data;
	const struct ibf_ext_speeds asked = *speeds;
	struct ibf_selection ports;
	u64 value;
	u32 i;

	if (!ibf_pma_select(in_port, asked.port_select, &ports))
		return IBF_SMP_BAD_FIELD;
	if (is_set)
		ibf_clear_ext_speeds(&ports, be64_to_cpu(asked.counter_select));
	memset(data, 0, sizeof_field(struct ib_pma_mad, data));
	speeds->port_select = asked.port_select;
	speeds->counter_select = asked.counter_select;
	value = ibf_pma_value(&ports, IBF_BAD_BLOCKS);
	speeds->unknown_blocks = cpu_to_be16(min_t(u64, value, U16_MAX));
	for (i = 0; i < IBF_WIRES; i++) {
		value = ibf_pma_value(&ports, IBF_WIRE_ERRORS + i);
		speeds->lane_errors[i] = cpu_to_be16(min_t(u64, value, U16_MAX));
	}
	return 0;
}

/**
 * ibf_pma_optional - Get or Set an optional attribute
 * @in_port: port that received the MAD; ibf_lock is held
 * @attr_id: attribute ID
 * @data: 192 bytes: the values of a Set; filled with the reply
 * @set: true: Set; false: Get
 *
 * Return: the status of the reply; an unknown attribute has a status of its own.
 */
u16 ibf_pma_optional(struct ibf_port *in_port, __be16 attr_id, u8 *data,
		     bool set)
{
	const struct counters *attr = ibf_pma_optional_find(attr_id);

	lockdep_assert_held(&ibf_lock);
	if (attr_id == IBF_PMA_EXT_SPEEDS)
		return ibf_pma_optional_ext_speeds(in_port, data, set);
	return attr ? ibf_by_table(in_port, attr, data, set) : IBF_SMP_BAD_ATTR;
}
