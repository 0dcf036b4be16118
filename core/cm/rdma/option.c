// SPDX-License-Identifier: GPL-2.0
/* rdma_cm: settings of an id, and what can be read of one. */
#include <compat/cm_event.h>
#include <compat/decls.h>
#include <linux/export.h>
#include <rdma/ib_addr.h>

#include "cma.h"

/* Both are five bits wide. */
#define MAX_5BIT 31

/**
 * rdma_set_service_type - set the type of service
 * @id: id, best before its route is resolved
 * @tos: differentiated services field, the lower eight bits
 *
 * Context: any but interrupts.
 */
void rdma_set_service_type(struct rdma_cm_id *id, int tos)
{
	struct cma_id *mine = cma_id_of(id);

	spin_lock_irq(&mine->lock);
	mine->tos = tos;
	mine->tos_set = true;
	spin_unlock_irq(&mine->lock);
}
OFED_EXPORT(rdma_set_service_type);

/**
 * rdma_set_ack_timeout - set the local ACK timeout of the connection
 * @id: id of type IB_QPT_RC or IB_QPT_XRC_INI, before its route is resolved
 * @timeout: 4.096 us << timeout; 0 for none
 *
 * Context: any but interrupts. Return: 0, or -EINVAL (type of the id, a number
 * over 31).
 */
int rdma_set_ack_timeout(struct rdma_cm_id *id, u8 timeout)
{
	struct cma_id *mine = cma_id_of(id);

	if ((id->qp_type != IB_QPT_RC && id->qp_type != IB_QPT_XRC_INI) ||
	    timeout > MAX_5BIT)
		return -EINVAL;
	spin_lock_irq(&mine->lock);
	mine->ack_timeout = timeout;
	mine->ack_timeout_set = true;
	spin_unlock_irq(&mine->lock);
	return 0;
}
OFED_EXPORT(rdma_set_ack_timeout);

/**
 * rdma_set_min_rnr_timer - set how long a peer waits for a receive
 * @id: id of type IB_QPT_RC or IB_QPT_XRC_TGT
 * @min_rnr_timer: code of IBA vol. 1 table 46
 *
 * Context: any but interrupts. Return: 0, or -EINVAL (type of the id, a number
 * over 31).
 */
int rdma_set_min_rnr_timer(struct rdma_cm_id *id, u8 min_rnr_timer)
{
	struct cma_id *mine = cma_id_of(id);

	if ((id->qp_type != IB_QPT_RC && id->qp_type != IB_QPT_XRC_TGT) ||
	    min_rnr_timer > MAX_5BIT)
		return -EINVAL;
	spin_lock_irq(&mine->lock);
	mine->min_rnr = min_rnr_timer;
	mine->min_rnr_set = true;
	spin_unlock_irq(&mine->lock);
	return 0;
}
OFED_EXPORT(rdma_set_min_rnr_timer);

/**
 * rdma_set_reuseaddr - share the local port with others that do so as well
 * @id: id that does not listen; to take it back, one without address
 * @reuse: whether to
 *
 * Context: any but interrupts. Return: 0, or -EINVAL (state of the id).
 */
int rdma_set_reuseaddr(struct rdma_cm_id *id, int reuse)
{
	struct cma_id *mine = cma_id_of(id);
	int ret = -EINVAL;

	spin_lock_irq(&mine->lock);
	if (mine->state == CMA_S_IDLE ||
	    (reuse && mine->state != CMA_S_LISTEN)) {
		mine->reuse = reuse;
		ret = 0;
	}
	spin_unlock_irq(&mine->lock);
	return ret;
}
OFED_EXPORT(rdma_set_reuseaddr);

/**
 * rdma_set_afonly - have nothing to do with the other IP family
 * @id: id without address, or bound
 * @afonly: whether to; without this it is as net.ipv6.bindv6only says
 *
 * Context: any but interrupts. Return: 0, or -EINVAL (state of the id).
 */
int rdma_set_afonly(struct rdma_cm_id *id, int afonly)
{
	struct cma_id *mine = cma_id_of(id);
	int ret = -EINVAL;

	spin_lock_irq(&mine->lock);
	if (mine->state == CMA_S_IDLE || mine->state == CMA_S_ADDR_BOUND) {
		mine->afonly = afonly;
		mine->afonly_set = true;
		ret = 0;
	}
	spin_unlock_irq(&mine->lock);
	return ret;
}
OFED_EXPORT(rdma_set_afonly);

/**
 * rdma_restrict_node_type - have nothing to do with devices of other types
 * @id: id without address
 * @node_type: RDMA_NODE_IB_CA (InfiniBand, RoCE), RDMA_NODE_RNIC (iWARP), or
 *	       RDMA_NODE_UNSPECIFIED for all, as it is without this
 *
 * It holds for every device that the id would be bound to, would listen on, or
 * gets a connection from. Context: any but interrupts.
 * Return: 0, -EINVAL (@node_type is none of these), -EALREADY (the id has an
 * address, and with it maybe a device: the call comes too late, which a consumer can tell from
 * a wrong type).
 */
int rdma_restrict_node_type(struct rdma_cm_id *id, u8 node_type)
{
	struct cma_id *mine = cma_id_of(id);
	int ret = -EALREADY;

	if (node_type != RDMA_NODE_UNSPECIFIED && node_type != RDMA_NODE_IB_CA &&
	    node_type != RDMA_NODE_RNIC)
		return -EINVAL;
	spin_lock_irq(&mine->lock);
	if (mine->state == CMA_S_IDLE) {
		mine->node_type = node_type;
		ret = 0;
	}
	spin_unlock_irq(&mine->lock);
	return ret;
}
OFED_EXPORT(rdma_restrict_node_type);

/**
 * rdma_get_service_id - service id of an address
 * @id: id, for its port space
 * @addr: address with port
 *
 * IBA vol. 1 annex A11. Context: any. Return: service id.
 */
__be64 rdma_get_service_id(struct rdma_cm_id *id, struct sockaddr *addr)
{
	return cma_service_id(id->ps, addr);
}
OFED_EXPORT(rdma_get_service_id);

/**
 * rdma_read_gids - GIDs of the two ends
 * @cm_id: id
 * @sgid: out: local GID; may be NULL
 * @dgid: out: remote GID; may be NULL
 *
 * Both are zero as long as the id has no device. Context: any.
 */
void rdma_read_gids(struct rdma_cm_id *cm_id, union ib_gid *sgid,
		    union ib_gid *dgid)
{
	struct cma_id *id = cma_id_of(cm_id);
	union ib_gid ours = { }, theirs = { };

	if (cma_on_roce(id)) {
		rdma_ip2gid(cma_src(id), &ours);
		rdma_ip2gid(cma_dst(id), &theirs);
	} else if (cm_id->device) {
		rdma_addr_get_sgid(cma_l2(id), &ours);
		rdma_addr_get_dgid(cma_l2(id), &theirs);
	}
	if (sgid)
		*sgid = ours;
	if (dgid)
		*dgid = theirs;
}
OFED_EXPORT(rdma_read_gids);

/**
 * rdma_event_msg - text of an event
 * @event: type of the event
 *
 * Context: any. Return: a static string.
 */
const char *__attribute_const__ rdma_event_msg(enum rdma_cm_event_type event)
{
#define SAY(name, text) [RDMA_CM_EVENT_##name] = text
#define SAY_TOO(name, text) SAY(name, text),
	static const char * const texts[] = {
		SAY(ADDR_RESOLVED, "address resolved"),
		SAY(ADDR_ERROR, "address error"),
		SAY(ADDR_CHANGE, "address change"),
		SAY(ROUTE_RESOLVED, "route resolved"),
		SAY(ROUTE_ERROR, "route error"),
		SAY(CONNECT_REQUEST, "connect request"),
		SAY(CONNECT_RESPONSE, "connect response"),
		SAY(CONNECT_ERROR, "connect error"),
		SAY(ESTABLISHED, "established"),
		SAY(REJECTED, "rejected"),
		SAY(UNREACHABLE, "unreachable"),
		SAY(DISCONNECTED, "disconnected"),
		SAY(TIMEWAIT_EXIT, "timewait exit"),
		SAY(MULTICAST_JOIN, "multicast join"),
		SAY(MULTICAST_ERROR, "multicast error"),
		SAY(DEVICE_REMOVAL, "device removal"),
		COMPAT_CM_EVENTS(SAY_TOO)
	};
#undef SAY_TOO
#undef SAY
	size_t index = event;

	return index < ARRAY_SIZE(texts) && texts[index] ?
	       texts[index] : "unrecognized event";
}
OFED_EXPORT(rdma_event_msg);

/**
 * rdma_reject_msg - text of the reason of a rejection
 * @id: id that got RDMA_CM_EVENT_REJECTED
 * @reason: status of the event
 *
 * Context: any. Return: a static string.
 */
const char *__attribute_const__ rdma_reject_msg(struct rdma_cm_id *id,
						int reason)
{
	const struct cma_id *mine = cma_id_of(id);

	if (cma_uses_iw(mine))
		return iwcm_reject_msg(reason);
	return cma_uses_ib(mine) ? ibcm_reject_msg(reason) :
				   "unrecognized transport";
}
OFED_EXPORT(rdma_reject_msg);

/**
 * rdma_consumer_reject_data - what a peer says that has rejected us itself
 * @id: id that got RDMA_CM_EVENT_REJECTED
 * @ev: the event
 * @data_len: out: length of the data, 0 for none
 *
 * Context: any, in the handler of the event. Return: the data, or NULL when it
 * was not the peer's consumer that rejected.
 */
const void *rdma_consumer_reject_data(struct rdma_cm_id *id,
				      struct rdma_cm_event *ev, u8 *data_len)
{
	const struct cma_id *mine = cma_id_of(id);
	bool by_consumer;

	if (cma_uses_iw(mine))
		by_consumer = ev->status == -ECONNREFUSED;
	else
		by_consumer = cma_uses_ib(mine) &&
			      ev->status == IB_CM_REJ_CONSUMER_DEFINED;
	*data_len = by_consumer ? ev->param.conn.private_data_len : 0;
	return by_consumer ? ev->param.conn.private_data : NULL;
}
OFED_EXPORT(rdma_consumer_reject_data);
