// SPDX-License-Identifier: GPL-2.0
/* Sends traps, and repeats them until TrapRepress, at most a fixed number of times. */
#include "fabric.h"
#include "mad.h"
#include "node.h"
#include "trap.h"

static void ibf_trap_work_fill(struct ib_smp *smp, const struct ibf_notice *notice)
{
	BUILD_BUG_ON(sizeof(notice->notice) != IB_SMP_DATA_SIZE);
	memset(smp, 0, sizeof(*smp));
	smp->base_version = IB_MGMT_BASE_VERSION;
	smp->mgmt_class = IB_MGMT_CLASS_SUBN_LID_ROUTED;
	smp->class_version = 1;
	smp->method = IB_MGMT_METHOD_TRAP;
	smp->tid = notice->tid;
	smp->attr_id = IB_SMP_ATTR_NOTICE;
	memcpy(smp->data, &notice->notice, sizeof(notice->notice));
}

static struct sk_buff *ibf_trap_work_packet(struct ibf_port *port,
					    const struct ibf_notice *notice)
{
	const struct ibf_mad_from to = {
		.slid = be16_to_cpu(port->info.master_sm_lid),
		.dlid = port->lid,
		.sl = FIELD_GET(IBF_LOW, port->info.mtu_smsl),
		.pkey = IB_DEFAULT_PKEY_FULL,
	};
	struct ib_smp smp;

	ibf_trap_work_fill(&smp, notice);
	return ibf_mad_packet(port, (struct ib_mad *)&smp, &to);
}

/* Builds a packet of each pending trap of a port, to be sent without the lock. */
static bool ibf_trap_work_collect(struct ibf_port *port, struct sk_buff_head *packets)
{
	struct ibf_port *own = ibf_end_port(port);
	struct sk_buff *skb;
	bool again = false;
	u32 i;

	lockdep_assert_held(&ibf_lock);
	for (i = 0; i < IBF_TRAP_SLOTS; i++) {
		struct ibf_notice *notice = &port->notices[i];

		if (!notice->left || !ibf_trap_can_tell(own))
			continue;
		WRITE_ONCE(notice->left, notice->left - 1);
		again = true;
		skb = ibf_trap_work_packet(own, notice);
		if (skb)
			__skb_queue_tail(packets, skb);
	}
	return again;
}

static bool ibf_trap_work_tell(struct ibf_port *port)
{
	struct sk_buff_head packets;
	struct sk_buff *skb;
	bool again;

	__skb_queue_head_init(&packets);
	spin_lock_bh(&ibf_lock);
	again = ibf_trap_work_collect(port, &packets);
	spin_unlock_bh(&ibf_lock);
	local_bh_disable();
	rcu_read_lock();
	while ((skb = __skb_dequeue(&packets)))
		ibf_mad_send(ibf_end_port(port), skb);
	rcu_read_unlock();
	local_bh_enable();
	return again;
}

/* Work of ibf_node.trap_work. */
void ibf_trap_work(struct work_struct *work)
{
	struct ibf_node *node = container_of(to_delayed_work(work),
					     struct ibf_node, trap_work);
	bool again = false;
	u32 num;

	for (num = 0; num <= node->num_ports; num++)
		again |= ibf_trap_work_tell(&node->ports[num]);
	if (again)
		queue_delayed_work(system_percpu_wq, &node->trap_work, IBF_TRAP_DELAY);
}
