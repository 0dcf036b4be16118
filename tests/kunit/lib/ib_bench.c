// SPDX-License-Identifier: GPL-2.0
/* A switch of three ports, each with a far end, without a subnet manager. */
#include <linux/delay.h>

#include "ib_bench.h"

struct ibf_node *ib_bench_node(struct kunit *test, const char *name, bool is_switch,
				 u8 ports)
{
	struct ibf_node *node = ibf_node_new(name, is_switch);

	KUNIT_ASSERT_FALSE(test, IS_ERR(node));
	mutex_lock(&ibf_config);
	KUNIT_ASSERT_EQ(test, ibf_node_resize(node, ports), 0);
	mutex_unlock(&ibf_config);
	node->guid = cpu_to_be64(0x0200000000000100);
	node->sys_guid = cpu_to_be64(0x02000000000000ff);
	ibf_node_reset(node);
	return node;
}

/* ---- agents ------------------------------------------------------------------------------- */

u16 ib_bench_ask(struct ibf_port *port, u8 method, __be16 attr, u32 mod, __be64 mkey, u8 *data,
		 enum ibf_answer *answer)
{
	struct ib_smp in = {
		.base_version = 1, .mgmt_class = IB_MGMT_CLASS_SUBN_LID_ROUTED,
		.class_version = 1, .method = method, .attr_id = attr,
		.attr_mod = cpu_to_be32(mod), .mkey = mkey,
	};
	struct ib_smp out = { };

	memcpy(in.data, data, sizeof(in.data));
	*answer = ibf_agent(port, (struct ib_mad *)&in, (struct ib_mad *)&out);
	memcpy(data, out.data, sizeof(out.data));
	return be16_to_cpu(out.status);
}

u16 ib_bench_ask_pma(struct ibf_port *port, u8 method, __be16 attr, u8 *data)
{
	struct ib_pma_mad in = {
		.mad_hdr = {
			.base_version = 1, .mgmt_class = IB_MGMT_CLASS_PERF_MGMT,
			.class_version = 1, .method = method, .attr_id = attr,
		},
	};
	struct ib_pma_mad out = { };

	memcpy(in.data, data, sizeof(in.data));
	ibf_agent(port, (struct ib_mad *)&in, (struct ib_mad *)&out);
	memcpy(data, out.data, sizeof(out.data));
	return be16_to_cpu(out.mad_hdr.status);
}

void ib_bench_expect(struct kunit *test, const char *name, const void *found,
		     const u8 *expected)
{
	const u8 *bytes = found;
	int i;

	for (i = 0; i < IB_SMP_DATA_SIZE; i++)
		KUNIT_EXPECT_EQ_MSG(test, bytes[i], expected[i], "%s, byte %d", name, i);
}

/* ---- packets in a switch: three ports with a far end each -------------------------------- */

struct ib_bench ib_bench;

static void set_states(struct ibf_port *port)
{
	ibf_port_state(port, IBF_STATE_ARMED);
	ibf_port_state(port, IBF_STATE_ACTIVE);
}

void ib_bench_plug(int i)
{
	spin_lock_bh(&ibf_lock);
	ib_bench.cables[i].width = IBF_WIDTH_4X;
	ibf_plug(&ib_bench.cables[i], &ib_bench.sw->ports[i + 1], &ib_bench.far[i]->ports[1]);
	set_states(&ib_bench.sw->ports[i + 1]);
	set_states(&ib_bench.far[i]->ports[1]);
	spin_unlock_bh(&ibf_lock);
}

void ib_bench_up(struct kunit *test)
{
	int i;

	ib_bench.sw = ib_bench_node(test, "sw", true, IB_BENCH_FAR);
	mutex_lock(&ibf_config);
	ibf_node_power(ib_bench.sw, true);
	for (i = 0; i < IB_BENCH_FAR; i++) {
		mutex_unlock(&ibf_config);
		ib_bench.far[i] = ib_bench_node(test, "far", true, 1);
		mutex_lock(&ibf_config);
		ibf_node_power(ib_bench.far[i], true);
		ib_bench_plug(i);
	}
	mutex_unlock(&ibf_config);
	/* LIDs 1 to 3 are behind these ports, group 0 is 2 and 3. */
	for (i = 1; i <= IB_BENCH_FAR; i++)
		ib_bench.sw->sw->lft[i] = i;
	ib_bench.sw->sw->info.lft_top = cpu_to_be16(IB_BENCH_FAR);
	ib_bench.sw->sw->mft[0][0] = BIT(2) | BIT(3);
}

void ib_bench_down(void)
{
	int i;

	mutex_lock(&ibf_config);
	for (i = 0; i < IB_BENCH_FAR; i++) {
		spin_lock_bh(&ibf_lock);
		ibf_unplug(&ib_bench.cables[i]);
		spin_unlock_bh(&ibf_lock);
		ibf_node_power(ib_bench.far[i], false);
	}
	ibf_node_power(ib_bench.sw, false);
	mutex_unlock(&ibf_config);
	for (i = 0; i < IB_BENCH_FAR; i++)
		ibf_node_free(ib_bench.far[i]);
	ibf_node_free(ib_bench.sw);
}

static bool is_busy(const struct ibf_node *node)
{
	u32 num;

	for (num = 1; num <= node->num_ports; num++)
		if (READ_ONCE(node->ports[num].pump.state))
			return true;
	return false;
}

/* Softirqs may be left to their thread. One that ends may have begun another. */
void ib_bench_settle(void)
{
	int i, quiet = 0;

	while (quiet < 2) {
		bool busy = is_busy(ib_bench.sw);

		for (i = 0; i < IB_BENCH_FAR; i++)
			busy |= is_busy(ib_bench.far[i]);
		quiet = busy ? 0 : quiet + 1;
		if (busy)
			usleep_range(50, 100);
	}
}

/* @skb comes in by port 1, and all that follows has happened. */
void ib_bench_receive(struct sk_buff *skb)
{
	local_bh_disable();
	rcu_read_lock();
	ibf_receive(&ib_bench.sw->ports[1], skb);
	rcu_read_unlock();
	local_bh_enable();
	ib_bench_settle();
}

/* So does a packet with nothing in it. */
void ib_bench_arrive(u16 dlid, u8 sl, u8 vl, u16 pkey)
{
	struct sk_buff *skb = alloc_skb(64, GFP_KERNEL);
	struct ibf_lrh *lrh = skb_put_zero(skb, 24);

	lrh->vl = vl << 4;
	lrh->sl = sl << 4 | IBF_LNH_LOCAL;
	lrh->dlid = cpu_to_be16(dlid);
	lrh->length = cpu_to_be16(6);
	lrh->slid = cpu_to_be16(1);
	((__be16 *)(lrh + 1))[1] = cpu_to_be16(pkey);
	ib_bench_receive(skb);
}

u64 ib_bench_got(int far)
{
	return atomic64_read(&ib_bench.far[far]->ports[1].count[IBF_RCV_PKTS]);
}

u64 ib_bench_counted(int port, enum ibf_count count)
{
	return atomic64_read(&ib_bench.sw->ports[port].count[count]);
}
