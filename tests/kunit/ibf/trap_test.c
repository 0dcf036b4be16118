// SPDX-License-Identifier: GPL-2.0
/*
 * Notices of the traps, against bytes that were written down from section 14.2.5.1
 * (259, and when one is told: packet_test.c).
 */
#include "ib_bench.h"

static const u8 link_state_bytes[64] = {
	0x81, 0x00, 0x00, 0x02, 0x00, 0x80, 0x00, 0x09, [10] = 0x00, 0x09,
};
static const u8 integrity_bytes[64] = {
	0x81, 0x00, 0x00, 0x02, 0x00, 0x81, 0x00, 0x09, [12] = 0x00, 0x09, 0x02,
};
static const u8 overrun_bytes[64] = {
	0x81, 0x00, 0x00, 0x02, 0x00, 0x82, 0x00, 0x09, [12] = 0x00, 0x09, 0x03,
};
static const u8 watchdog_bytes[64] = {
	0x81, 0x00, 0x00, 0x01, 0x00, 0x83, 0x00, 0x05, [12] = 0x00, 0x05, 0x01,
};
static const u8 caps_bytes[64] = {
	0x84, 0x00, 0x00, 0x01, 0x00, 0x90, 0x00, 0x05, [12] = 0x00, 0x05,
	[16] = 0x12, 0x34, 0x56, 0x78,
};
static const u8 desc_bytes[64] = {
	0x84, 0x00, 0x00, 0x01, 0x00, 0x90, 0x00, 0x05, [12] = 0x00, 0x05, 0x00, 0x01,
	0x12, 0x34, 0x56, 0x78, 0x00, 0x01,
};
/* LID, no DrSLID, method, attribute, its modifier, M_Key */
static const u8 mkey_bytes[64] = {
	0x82, 0x00, 0x00, 0x01, 0x01, 0x00, 0x00, 0x05, [12] = 0x00, 0x05, 0x00, 0x00,
	0x02, 0x00, 0x00, 0x15, 0x00, 0x00, 0x00, 0x01,
	0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
};
/* The same by a directed route of three hops, then of 31: more than there is room for. */
static const u8 directed_bytes[64] = {
	0x82, 0x00, 0x00, 0x01, 0x01, 0x00, 0x00, 0x05, [12] = 0x00, 0x05, 0xff, 0xff,
	0x02, 0x00, 0x00, 0x15, 0x00, 0x00, 0x00, 0x01,
	0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x00, 0x83, 0x41, 0x42, 0x43,
};
static const u8 truncated_bytes[64] = {
	0x82, 0x00, 0x00, 0x01, 0x01, 0x00, 0x00, 0x05, [12] = 0x00, 0x05, 0xff, 0xff,
	0x02, 0x00, 0x00, 0x15, 0x00, 0x00, 0x00, 0x01,
	0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x00, 0xde,
	0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e,
	0x4f, 0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x5b, 0x5c,
	0x5d, 0x5e,
};
/* LIDs, key, SL and QP1, QP2 */
static const u8 pkey_bytes[64] = {
	0x82, 0x00, 0x00, 0x01, 0x01, 0x01, 0x00, 0x05, [12] = 0x00, 0x07, 0x00, 0x05,
	0x00, 0x00, 0x80, 0x01, 0x30, 0x01, 0x02, 0x03, 0x00, 0x04, 0x05, 0x06,
};
/* and both GIDs */
static const u8 qkey_bytes[64] = {
	0x82, 0x00, 0x00, 0x01, 0x01, 0x02, 0x00, 0x05, [12] = 0x00, 0x07, 0x00, 0x05,
	0x80, 0x01, 0x00, 0x00, 0x30, 0x01, 0x02, 0x03, 0x00, 0x04, 0x05, 0x06,
	0xfe, 0x80, [43] = 0x07, 0xfe, 0x80, [59] = 0x05,
};

/* A port with a manager to notify. */
static void managed(struct ibf_port *port, u16 lid)
{
	lockdep_assert_held(&ibf_lock);
	port->node->live = true;
	port->lid = lid;
	port->info.master_sm_lid = cpu_to_be16(1);
	port->state = IBF_STATE_ACTIVE;
}

static void expect(struct kunit *test, const char *name, struct ibf_port *port, u32 slot,
		   const u8 *bytes)
{
	KUNIT_EXPECT_GT_MSG(test, port->notices[slot].left, 0, "%s", name);
	ib_bench_expect(test, name, &port->notices[slot].notice, bytes);
}

static void end(struct ibf_node *node)
{
	spin_lock_bh(&ibf_lock);
	node->live = false;
	spin_unlock_bh(&ibf_lock);
	ibf_node_free(node);
}

static void links_test(struct kunit *test)
{
	struct ibf_node *sw = ib_bench_node(test, "sw", true, 3);
	struct ibf_node *hca = ib_bench_node(test, "hca", false, 1);

	spin_lock_bh(&ibf_lock);
	managed(&sw->ports[0], 9);
	managed(&hca->ports[1], 5);
	ibf_trap_link_state(sw);
	ibf_trap_overrun(&sw->ports[3]);
	ibf_trap_watchdog(&hca->ports[1]);
	hca->ports[1].info.cap_mask = cpu_to_be32(0x12345678);
	ibf_trap_caps(&hca->ports[1]);
	ibf_trap_desc(hca);
	spin_unlock_bh(&ibf_lock);
	ibf_trap_integrity(&sw->ports[2]);
	expect(test, "128", &sw->ports[0], IBF_TRAP_SLOT_LINK, link_state_bytes);
	expect(test, "129", &sw->ports[2], IBF_TRAP_SLOT_INTEGRITY, integrity_bytes);
	expect(test, "130", &sw->ports[3], IBF_TRAP_SLOT_OVERRUN, overrun_bytes);
	expect(test, "131", &hca->ports[1], IBF_TRAP_SLOT_WATCHDOG, watchdog_bytes);
	expect(test, "144", &hca->ports[1], IBF_TRAP_SLOT_CAPS, caps_bytes);
	expect(test, "144, NodeDescription", &hca->ports[1], IBF_TRAP_SLOT_DESC, desc_bytes);
	end(sw);
	end(hca);
}

/* A Set of PortInfo with an M_Key that is not the port's, by @hops of a directed route. */
static void refuse(struct ibf_port *port, u8 mgmt_class, u8 hops)
{
	struct ib_smp smp = {
		.base_version = 1, .mgmt_class = mgmt_class, .class_version = 1,
		.method = IB_MGMT_METHOD_SET, .attr_id = IB_SMP_ATTR_PORT_INFO,
		.attr_mod = cpu_to_be32(1), .mkey = cpu_to_be64(0x1122334455667788),
		.hop_cnt = hops, .hop_ptr = hops + 1,
		.dr_slid = IB_LID_PERMISSIVE, .dr_dlid = IB_LID_PERMISSIVE,
	};
	struct ib_mad out;
	int i;

	for (i = 1; i <= hops; i++)
		smp.return_path[i] = 0x40 + i;
	memset(port->notices, 0, sizeof(port->notices));
	ibf_agent(port, (struct ib_mad *)&smp, &out);
}

static void keys_test(struct kunit *test)
{
	const struct ib_grh grh = {
		.sgid.raw = { 0xfe, 0x80, [15] = 7 }, .dgid.raw = { 0xfe, 0x80, [15] = 5 },
	};
	struct ibf_bad_key what = {
		.key = 0x8001, .slid = 7, .dlid = 5, .sl = 3, .sqpn = 0xff010203,
		.dqpn = 0xff040506,
	};
	struct ibf_node *node = ib_bench_node(test, "hca", false, 1);
	struct ibf_port *port = &node->ports[1];

	spin_lock_bh(&ibf_lock);
	managed(port, 5);
	port->info.mkey = cpu_to_be64(1);
	spin_unlock_bh(&ibf_lock);
	refuse(port, IB_MGMT_CLASS_SUBN_LID_ROUTED, 0);
	expect(test, "256", port, IBF_TRAP_SLOT_MKEY, mkey_bytes);
	refuse(port, IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE, 3);
	expect(test, "256, directed", port, IBF_TRAP_SLOT_MKEY, directed_bytes);
	refuse(port, IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE, 31);
	expect(test, "256, truncated", port, IBF_TRAP_SLOT_MKEY, truncated_bytes);
	ibf_trap_bad_key(port, &what);
	expect(test, "257", port, IBF_TRAP_SLOT_PKEY, pkey_bytes);
	what.qkey = true;
	what.key = 0x80010000;
	what.grh = &grh;
	ibf_trap_bad_key(port, &what);
	expect(test, "258", port, IBF_TRAP_SLOT_QKEY, qkey_bytes);
	end(node);
}

static struct kunit_case ib_traps_cases[] = {
	KUNIT_CASE(links_test),
	KUNIT_CASE(keys_test),
	{}
};

struct kunit_suite ib_traps_suite = {
	.name = "ib_traps",
	.test_cases = ib_traps_cases,
};
