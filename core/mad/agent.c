// SPDX-License-Identifier: GPL-2.0
/*
 * Agents: registration and its end.
 *
 * An agent is found by the number that it gave to its requests (the upper half
 * of their TIDs), and by its claim. The end has two phases. First the agent is
 * taken out of both look-ups and all its sends are cancelled. Then the end
 * waits for threads that found the agent before, and for the consumer to free
 * its send buffers, each of which holds a reference. After that no handler runs
 * nor will run, and no timer is set.
 */
#include <linux/export.h>
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

void mad_agent_put(struct mad_agent *agent)
{
	if (refcount_dec_and_test(&agent->refs))
		complete(&agent->gone);
}

static void mad_agent_init(struct mad_agent *agent, struct mad_qp *q)
{
	agent->qp = q;
	agent->port = q->port;
	refcount_set(&agent->refs, 1);
	init_completion(&agent->gone);
	spin_lock_init(&agent->lock);
	mad_track_init(&agent->track);
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
 * mad_agent_create - an agent without a claim
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
	if (agent->claimed) {
		spin_lock(&agent->port->table_lock);
		mad_table_del(&agent->claim);
		spin_unlock(&agent->port->table_lock);
	}
	xa_erase(&agents, agent->pub.hi_tid);

	spin_lock_irqsave(&agent->lock, flags);
	agent->dying = true;
	mad_track_flush(&agent->track);
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

static int mad_agent_claim(struct mad_agent *agent, const struct mad_claim *claim)
{
	int ret;

	agent->claim = *claim;
	spin_lock(&agent->port->table_lock);
	ret = mad_table_add(&agent->port->table, &agent->claim);
	spin_unlock(&agent->port->table_lock);
	agent->claimed = !ret;
	return ret;
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
	struct mad_claim *claim;

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
	claim = mad_table_find(&port->table, hdr);
	if (claim) {
		agent = container_of(claim, struct mad_agent, claim);
		refcount_inc(&agent->refs);
	}
	spin_unlock(&port->table_lock);
	return agent;
}

/* A wish that makes sense by itself, whatever port it is for. */
static int mad_check_request(enum ib_qp_type qp_type,
			     const struct ib_mad_reg_req *req, u8 rmpp_version,
			     ib_mad_send_handler send_handler,
			     ib_mad_recv_handler recv_handler, u32 flags,
			     struct mad_claim *claim)
{
	int ret;

	if (qp_type != IB_QPT_SMI && qp_type != IB_QPT_GSI)
		return -EINVAL;
	if (rmpp_version && rmpp_version != IB_MGMT_RMPP_VERSION)
		return -EINVAL;
	if (!req)
		return !send_handler || flags & IB_MAD_USER_RMPP ? -EINVAL : 0;

	if (!recv_handler)
		return -EINVAL;
	ret = mad_claim_set(claim, req);
	if (ret)
		return ret;
	if (rmpp_version && !ib_is_mad_class_rmpp(req->mgmt_class))
		return -EINVAL;
	/* Subnet management is all that QP0 does, and is nowhere else. */
	if (mad_class_is_smp(req->mgmt_class) != (qp_type == IB_QPT_SMI))
		return -EINVAL;
	return 0;
}

/**
 * ib_register_mad_agent - become a sender and receiver of MADs
 * @device: device
 * @port_num: port
 * @qp_type: IB_QPT_SMI for QP0, IB_QPT_GSI for QP1
 * @mad_reg_req: the unsolicited MADs to get; NULL for responses only
 * @rmpp_version: 0, or IB_MGMT_RMPP_VERSION to have transfers cut and put
 *		  together
 * @send_handler: is called once for each posted MAD
 * @recv_handler: is called for each received MAD, which it then owns; before
 *		  the send handler where it is a response
 * @context: for the consumer
 * @registration_flags: IB_MAD_USER_RMPP: the consumer sees the segments
 *
 * IBA 13.4, 13.5. The handlers run in process context and may sleep; not, for
 * one MAD, at the same time. Context: process, may sleep.
 * Return: the agent, for ib_unregister_mad_agent(), or -EINVAL (the arguments,
 * or another agent has one of the methods), -ENODEV (the port has no MADs),
 * -EPROTONOSUPPORT (the port has no such QP), -ENOMEM.
 */
struct ib_mad_agent *
ib_register_mad_agent(struct ib_device *device, u32 port_num,
		      enum ib_qp_type qp_type,
		      struct ib_mad_reg_req *mad_reg_req, u8 rmpp_version,
		      ib_mad_send_handler send_handler,
		      ib_mad_recv_handler recv_handler, void *context,
		      u32 registration_flags)
{
	struct mad_agent *agent;
	struct mad_claim claim;
	struct mad_port *port;
	struct mad_qp *qp;
	int ret;

	ret = mad_check_request(qp_type, mad_reg_req, rmpp_version, send_handler,
				recv_handler, registration_flags, &claim);
	if (ret)
		return ERR_PTR(ret);
	port = mad_port_find(device, port_num);
	if (!port)
		return ERR_PTR(-ENODEV);
	qp = port->qp[qp_type == IB_QPT_GSI];
	if (!qp)
		return ERR_PTR(-EPROTONOSUPPORT);

	agent = mad_agent_create(qp, rmpp_version, send_handler, recv_handler,
				 context, registration_flags);
	if (IS_ERR(agent))
		return ERR_CAST(agent);
	if (mad_reg_req) {
		ret = mad_agent_claim(agent, &claim);
		if (ret) {
			mad_agent_destroy(agent);
			return ERR_PTR(ret);
		}
	}
	mad_trace_created(agent);
	return &agent->pub;
}
EXPORT_SYMBOL(ib_register_mad_agent);

/**
 * ib_unregister_mad_agent - end of a registration
 * @mad_agent: from ib_register_mad_agent()
 *
 * What is posted comes to the send handler with IB_WC_WR_FLUSH_ERR, unless it
 * had been decided before. Received MADs that the consumer holds stay valid.
 * Context: process, sleeps until all send buffers are freed; so not from a
 * handler of this agent.
 */
void ib_unregister_mad_agent(struct ib_mad_agent *mad_agent)
{
	mad_trace_destroyed(to_mad_agent(mad_agent));
	mad_agent_destroy(to_mad_agent(mad_agent));
}
EXPORT_SYMBOL(ib_unregister_mad_agent);
