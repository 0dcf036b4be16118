// SPDX-License-Identifier: GPL-2.0
/* Registration of agents: what a consumer may ask for, and of which port. */
#include <linux/export.h>
#include <ofed/refuse.h>

#include "priv.h"

static int mad_agent_enter_reg(struct mad_agent *agent, const struct mad_reg *reg)
{
	int ret;

	agent->reg = *reg;
	spin_lock(&agent->port->table_lock);
	ret = mad_table_add(&agent->port->table, &agent->reg);
	spin_unlock(&agent->port->table_lock);
	agent->registered = !ret;
	return ret;
}

/* What can be checked of a registration without its port. */
static int mad_check_request(enum ib_qp_type qp_type,
			     const struct ib_mad_reg_req *req, u8 rmpp_version,
			     ib_mad_send_handler send_handler,
			     ib_mad_recv_handler recv_handler, u32 flags,
			     struct mad_reg *reg)
{
	int ret;

	if (qp_type != IB_QPT_SMI && qp_type != IB_QPT_GSI)
		return ofed_refuse_call(-EINVAL,
					"ib_mad: QPs of type %u send no MADs",
					qp_type);
	if (rmpp_version && rmpp_version != IB_MGMT_RMPP_VERSION)
		return ofed_refuse_call(-EINVAL,
					"ib_mad: there is no RMPP of version %u",
					rmpp_version);
	if (!req && (!send_handler || flags & IB_MAD_USER_RMPP))
		return ofed_refuse_call(-EINVAL, "ib_mad: an agent without requests, flags 0x%x, and %s send handler",
					flags, send_handler ? "a" : "no");
	if (!req)
		return 0;

	if (!recv_handler)
		return ofed_refuse_call(-EINVAL, "ib_mad: requests without a receive handler");
	ret = mad_reg_set(reg, req);
	if (ret)
		return ret;
	if (rmpp_version && !ib_is_mad_class_rmpp(req->mgmt_class))
		return ofed_refuse_call(-EINVAL,
					"ib_mad: class 0x%02x has no RMPP",
					req->mgmt_class);
	/* Subnet management is all that QP0 does, and is nowhere else. */
	if (mad_class_is_smp(req->mgmt_class) != (qp_type == IB_QPT_SMI))
		return ofed_refuse_call(-EINVAL,
					"ib_mad: class 0x%02x is not of QP%u",
					req->mgmt_class, qp_type == IB_QPT_GSI);
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
	struct mad_reg reg;
	struct mad_port *port;
	struct mad_qp *qp;
	int ret;

	ret = mad_check_request(qp_type, mad_reg_req, rmpp_version, send_handler,
				recv_handler, registration_flags, &reg);
	if (ret)
		return ERR_PTR(ret);
	port = mad_port_find(device, port_num);
	if (!port)
		return ofed_refuse(device, ERR_PTR(-ENODEV),
				   "port %u has no MADs", port_num);
	qp = port->qp[qp_type == IB_QPT_GSI];
	if (!qp)
		return ofed_refuse(device, ERR_PTR(-EPROTONOSUPPORT),
				   "port %u has no QP0", port_num);

	agent = mad_agent_create(qp, rmpp_version, send_handler, recv_handler,
				 context, registration_flags);
	if (IS_ERR(agent))
		return ERR_CAST(agent);
	if (mad_reg_req) {
		ret = mad_agent_enter_reg(agent, &reg);
		if (ret) {
			mad_agent_destroy(agent);
			return ERR_PTR(ret);
		}
	}
	mad_trace_created(agent);
	return &agent->pub;
}
OFED_EXPORT(ib_register_mad_agent);

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
OFED_EXPORT(ib_unregister_mad_agent);
