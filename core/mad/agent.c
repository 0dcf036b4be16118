// SPDX-License-Identifier: GPL-2.0
/*
 * Agents: how they are found, and their end.
 *
 * An agent is found by the number that it gave to its requests (the upper half
 * of their TIDs), and by its registration. The end has two phases. First the agent is
 * taken out of both look-ups and all its sends are cancelled. Then the end
 * waits for threads that found the agent before, and for the consumer to free
 * its send buffers, each of which holds a reference. After that no handler runs
 * nor will run, and no timer is set.
 */
#include <linux/slab.h>
#include <linux/xarray.h>

#include "priv.h"

/*
 * Some adapters put the number of a virtual function into the top byte of a
 * TID, so it must be 0. Number 0 is left for TIDs that belong to no agent.
 */
#define AGENT_IDS XA_LIMIT(1, 0xffffff)

/* Agents by hi_tid; its lock makes "find and keep" one step. */
static DEFINE_XARRAY_ALLOC1(agents);
static u32 next_agent;

static void mad_agent_init(struct mad_agent *agent, struct mad_qp *q)
{
	agent->qp = q;
	agent->port = q->port;
	refcount_set(&agent->refs, 1);
	init_completion(&agent->gone);
	spin_lock_init(&agent->lock);
	mad_sends_init(&agent->sends);
	INIT_DELAYED_WORK(&agent->work, mad_agent_work);
	mutex_init(&agent->rmpp_lock);
	INIT_LIST_HEAD(&agent->transfers);
	INIT_DELAYED_WORK(&agent->rmpp_work, rmpp_recv_work);

	agent->pub.device = q->port->device;
	agent->pub.port_num = q->port->num;
	agent->pub.qp = q->qp;
	agent->pub.smp_allowed = true;
	INIT_LIST_HEAD(&agent->pub.mad_agent_sec_list);

	agent->traced.agent.device = q->port->device;
	agent->traced.agent.port_num = q->port->num;
	agent->traced.qp_info = &agent->traced.qp;
	agent->traced.qp.qp = q->qp;
}

/**
 * mad_agent_create - an agent without a registration
 * @q: QP that it sends by
 * @rmpp_version: 0, or the version that it speaks
 * @send_handler: consumer's
 * @recv_handler: consumer's
 * @context: consumer's
 * @flags: IB_MAD_USER_RMPP
 *
 * Return: the agent, found by its TIDs from here on, or -ENOMEM, -EBUSY (no
 * number left).
 */
struct mad_agent *mad_agent_create(struct mad_qp *q, u8 rmpp_version,
				   ib_mad_send_handler send_handler,
				   ib_mad_recv_handler recv_handler,
				   void *context, u32 flags)
{
	struct mad_agent *agent = kzalloc(sizeof(*agent), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!agent)
		return ERR_PTR(-ENOMEM);
	agent->quota = mad_quota_alloc();
	if (!agent->quota) {
		kfree(agent);
		return ERR_PTR(-ENOMEM);
	}

	mad_agent_init(agent, q);
	agent->pub.rmpp_version = rmpp_version;
	agent->pub.send_handler = send_handler;
	agent->pub.recv_handler = recv_handler;
	agent->pub.context = context;
	agent->pub.flags = flags;
	ret = xa_alloc_cyclic(&agents, &agent->pub.hi_tid, agent, AGENT_IDS,
			      &next_agent, GFP_KERNEL);
	if (ret < 0) {
		mad_quota_put(agent->quota);
		kfree(agent);
		return ERR_PTR(ret);
	}
	return agent;
}

/**
 * mad_agent_destroy - end of an agent
 * @agent: from mad_agent_create()
 *
 * Each send that is posted comes to its handler before this returns.
 * Context: process, sleeps until the consumer has freed all its send buffers.
 */
void mad_agent_destroy(struct mad_agent *agent)
{
	unsigned long flags;

	might_sleep();
	if (agent->registered) {
		spin_lock(&agent->port->table_lock);
		mad_table_del(&agent->reg);
		spin_unlock(&agent->port->table_lock);
	}
	xa_erase(&agents, agent->pub.hi_tid);

	spin_lock_irqsave(&agent->lock, flags);
	agent->dying = true;
	mad_sends_flush(&agent->sends);
	mad_agent_arm(agent);
	spin_unlock_irqrestore(&agent->lock, flags);

	mad_agent_put(agent);
	wait_for_completion(&agent->gone);

	/* Nothing is posted and no thread uses it: these do not come back. */
	cancel_delayed_work_sync(&agent->work);
	cancel_delayed_work_sync(&agent->rmpp_work);
	rmpp_recv_flush(agent);
	mad_quota_put(agent->quota);
	kfree(agent);
}

/**
 * mad_agent_find - find the agent that a received MAD is for
 * @qp: that it came in by
 * @hdr: the whole MAD; mad_valid() has passed it
 *
 * A response goes by the number in its TID, which its sender can choose: it
 * has to be an agent of this very QP.
 * Context: process.
 * Return: the agent with a reference, or NULL.
 */
struct mad_agent *mad_agent_find(struct mad_qp *qp,
				 const struct ib_mad_hdr *hdr)
{
	struct mad_port *port = qp->port;
	struct mad_agent *agent = NULL;
	struct mad_reg *reg;

	if (ib_response_mad(hdr)) {
		xa_lock(&agents);
		agent = xa_load(&agents, be64_to_cpu(hdr->tid) >> 32);
		if (agent && agent->qp != qp)
			agent = NULL;
		if (agent)
			refcount_inc(&agent->refs);
		xa_unlock(&agents);
		return agent;
	}

	spin_lock(&port->table_lock);
	reg = mad_table_find(&port->table, hdr);
	if (reg) {
		agent = container_of(reg, struct mad_agent, reg);
		refcount_inc(&agent->refs);
	}
	spin_unlock(&port->table_lock);
	return agent;
}
