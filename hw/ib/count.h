/* SPDX-License-Identifier: GPL-2.0 */
/* What ports count, section 16.1.3.5. */
#ifndef IBF_COUNT_H
#define IBF_COUNT_H

#include "limits.h"

/* Counters of a port, section 16.1.3.5. */
enum ibf_count {
	IBF_XMIT_DATA,		/* words of 4 bytes */
	IBF_RCV_DATA,
	IBF_XMIT_PKTS,
	IBF_RCV_PKTS,
	IBF_UNICAST_XMIT,
	IBF_UNICAST_RCV,
	IBF_MCAST_XMIT,
	IBF_MCAST_RCV,
	IBF_LINK_DOWNED,
	IBF_RCV_ERRORS,
	IBF_RELAY_ERRORS,
	IBF_XMIT_DISCARDS,
	IBF_XMIT_CONSTRAINT,
	IBF_RCV_CONSTRAINT,
	IBF_VL15_DROPPED,
	IBF_XMIT_WAIT,
	IBF_SYMBOL_ERRORS,
	IBF_LINK_RECOVERED,
	IBF_INTEGRITY_ERRORS,
	IBF_OVERRUNS,
	/* Of IBF_RCV_ERRORS and IBF_RELAY_ERRORS: PortRcvErrorDetails. */
	IBF_RCV_PHYSICAL,
	IBF_RCV_MALFORMED,
	IBF_RCV_OVERRUN,
	IBF_RCV_DLID,
	IBF_RCV_VL,
	IBF_RCV_LOOP,
	/* Of IBF_XMIT_DISCARDS: PortXmitDiscardDetails. */
	IBF_DISCARD_INACTIVE,
	IBF_DISCARD_MTU,
	IBF_DISCARD_LIFETIME,	/* no switch here limits that */
	IBF_DISCARD_HOQ,
	/* Packets of the opcode that ibf_port.opcodes names. */
	IBF_OP_PKTS,
	IBF_OP_DATA,
	/* Credits that the far end waited for, told and heard. */
	IBF_FLOW_XMIT,
	IBF_FLOW_RCV,
	/* One for each VL, or SL. */
	IBF_VL_OP_PKTS,
	IBF_VL_OP_DATA		= IBF_VL_OP_PKTS + IBF_LANES,
	IBF_VL_WAIT		= IBF_VL_OP_DATA + IBF_LANES,
	IBF_SL_XMIT		= IBF_VL_WAIT + IBF_LANES,
	IBF_SL_RCV		= IBF_SL_XMIT + IBF_LANES,
	/* Of links that have 64b/66b; then one for each physical lane. */
	IBF_BAD_BLOCKS		= IBF_SL_RCV + IBF_LANES,
	IBF_WIRE_ERRORS,
	IBF_COUNTS		= IBF_WIRE_ERRORS + IBF_WIRES,
};

/* Attributes of the PMA that count packets of one opcode, section 16.1.4. */
enum ibf_op {
	IBF_OP_RCV,		/* PortOpRcvCounters */
	IBF_OP_VL_PKTS,		/* PortVLOpPackets */
	IBF_OP_VL_DATA,		/* PortVLOpData */
	IBF_OPS,
};

#endif /* IBF_COUNT_H */
