// SPDX-License-Identifier: GPL-2.0
/*
 * The iWARP connection manager (<rdma/iw_cm.h>): between rdma_cm and the
 * drivers, which implement MPA (RFC 5044, RFC 6581).
 *
 * The client owns an id until it destroys it; the memory stays until the driver
 * has dropped its references, and a destroy does not wait for those. The client
 * serializes its calls on one id, with two exceptions: it may disconnect and
 * destroy at any time. Both wait while the driver connects or accepts, since
 * only the driver's report tells what there is to take down. A driver always
 * reports: MPA has a time limit. In the same way a destroy waits until
 * iw_create_listen() has returned.
 */
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>

#include "iwcm.h"
#include "iwcm_id.h"
#include "iwpm.h"

/* Places of a listener for requests: what the client asks for, up to this. */
#define BACKLOG_MAX 4096

static int default_backlog = 256;
static int backlog_max = BACKLOG_MAX;

static int iwcm_move_unlocked(struct iw_id *id, enum ofed_iw_input input)
{
	enum ofed_iw_state from;
	int ret;

	spin_lock_irq(&id->lock);
	ret = iwcm_move(id, input, &from);
	spin_unlock_irq(&id->lock);
	return ret;
}

/* The driver has refused: nothing more comes of the call. */
static void iwcm_call_failed(struct iw_id *id)
{
	enum ofed_iw_state from;
	struct ib_qp *qp;

	spin_lock_irq(&id->lock);
	iwcm_move(id, IW_DO_FAILED, &from);
	qp = iwcm_part(id);
	wake_up_all(&id->waiters);
	spin_unlock_irq(&id->lock);
	ofed_iw_put_qp(id, qp);
	ofed_iw_events_drop(id);
}

/* The driver listens: now there is something to take down. */
static void iwcm_listens(struct iw_id *id)
{
	enum ofed_iw_state from;

	spin_lock_irq(&id->lock);
	iwcm_move(id, IW_DO_LISTENING, &from);
	wake_up_all(&id->waiters);
	spin_unlock_irq(&id->lock);
}

/**
 * iw_create_cm_id - create an id
 * @device: iWARP device
 * @cm_handler: called with events, in process context, one at a time per id;
 *		may sleep. When it returns nonzero the id is destroyed
 * @context: the client's
 *
 * The id of a request comes with the event, with the listener's handler and
 * context, which the client may replace in there. Context: process, may sleep.
 * Return: the id, or -ENOMEM.
 */
struct iw_cm_id *iw_create_cm_id(struct ib_device *device,
				 iw_cm_handler cm_handler, void *context)
{
	struct iw_id *id = ofed_iw_id_new(device, cm_handler, context,
					  GFP_KERNEL_ACCOUNT);

	return IS_ERR(id) ? ERR_CAST(id) : &id->id;
}
OFED_EXPORT(iw_create_cm_id);

/**
 * iw_destroy_cm_id - destroy an id
 * @cm_id: the id
 *
 * A listener stops listening, and rejects what waits; a connection is broken
 * off; an unanswered request is rejected. While a connection is being made this
 * waits for the driver to report, and while iw_cm_listen() runs for its end. No
 * event comes after this, except that it may be called from the handler of that
 * id, which goes on to its end.
 * Context: process, may sleep; without locks that the handler takes.
 */
void iw_destroy_cm_id(struct iw_cm_id *cm_id)
{
	might_sleep();
	ofed_iw_id_destroy(to_iw_id(cm_id));
}
OFED_EXPORT(iw_destroy_cm_id);

static unsigned int iwcm_places_of(int backlog)
{
	return clamp_t(int, backlog, OFED_IW_CONN_EVENTS, BACKLOG_MAX);
}

/**
 * iw_cm_listen - listen on the local address of an id
 * @cm_id: the id; local_addr is set
 * @backlog: requests that may wait; 0 for the sysctl net.iw_cm.default_backlog
 *
 * Requests beyond that are turned down by the driver. Context: process, may
 * sleep.
 * Return: 0, -EINVAL (id in use), -ENOMEM, or an errno of the driver, such as
 * -EADDRINUSE.
 */
int iw_cm_listen(struct iw_cm_id *cm_id, int backlog)
{
	struct iw_id *id = to_iw_id(cm_id);
	int ret;

	if (backlog <= 0)
		backlog = READ_ONCE(default_backlog);
	ret = ofed_iw_id_room(id, iwcm_places_of(backlog), GFP_KERNEL_ACCOUNT);
	if (ret)
		return ret;
	ret = iwcm_move_unlocked(id, IW_DO_LISTEN);
	if (ret)
		return ret;
	/* A destroy that waits goes on before this returns. */
	ofed_iw_id_get(id);
	ret = ofed_iw_pm_map(id, false);
	if (!ret)
		ret = cm_id->device->ops.iw_create_listen(cm_id, backlog);
	if (ret) {
		ofed_iw_pm_unmap(id);
		iwcm_call_failed(id);
	} else {
		iwcm_listens(id);
	}
	ofed_iw_id_put(id);
	return ret;
}
OFED_EXPORT(iw_cm_listen);

/**
 * ofed_iw_set_owner - name the owner of an id
 * @cm_id: id that has no QP yet
 * @owner: entry of the owner's id; it stays until @cm_id is destroyed
 *
 * A program names a QP by number, and this CM changes that QP's state. So a
 * program's id gets only QPs of the calling process or of the owner's process.
 * Clients in the kernel may name any QP.
 *
 * Context: any, before iw_cm_connect() or iw_cm_accept().
 */
void ofed_iw_set_owner(struct iw_cm_id *cm_id,
		       const struct rdma_restrack_entry *owner)
{
	to_iw_id(cm_id)->owner = owner;
}

/**
 * ofed_iw_set_memcg - name the memory cgroup of a program that listens
 * @cm_id: id that does not listen yet
 * @memcg: is charged for the ids of requests; stays until @cm_id is destroyed. NULL: none is
 *
 * Context: any, before iw_cm_listen().
 */
void ofed_iw_set_memcg(struct iw_cm_id *cm_id, struct mem_cgroup *memcg)
{
	to_iw_id(cm_id)->memcg = memcg;
}

static bool iwcm_is_own(const struct iw_id *id, const struct ib_qp *qp)
{
	const struct rdma_restrack_entry *owner = id->owner;
	struct task_struct *task = qp->res.task;

	if (!owner || rdma_is_kernel_res(owner))
		return true;
	if (rdma_is_kernel_res(&qp->res) || !task)
		return false;
	return same_thread_group(task, current) ||
	       (owner->task && same_thread_group(task, owner->task));
}

/* Move to a state where the driver will report; takes a QP reference for it. */
static int iwcm_begin(struct iw_id *id, enum ofed_iw_input input, u32 qpn)
{
	const struct ib_device_ops *ops = &id->id.device->ops;
	enum ofed_iw_state from;
	struct ib_qp *qp = NULL;
	int ret;

	spin_lock_irq(&id->lock);
	/* Nothing is looked up for a call that is out of place. */
	if (ofed_iw_step(id->state, input).result == IW_REFUSE)
		goto err_inval;
	qp = ops->iw_get_qp(id->id.device, qpn);
	if (!qp) {
		ibdev_dbg(id->id.device, "iw_cm: no QP %u\n", qpn);
		goto err_inval;
	}
	ops->iw_add_ref(qp);
	if (!iwcm_is_own(id, qp)) {
		ibdev_dbg(id->id.device, "iw_cm: QP %u is of another process\n", qpn);
		goto err_inval;
	}
	ret = iwcm_move(id, input, &from);
	id->qp = qp;
	spin_unlock_irq(&id->lock);
	return ret;

err_inval:
	spin_unlock_irq(&id->lock);
	/* It may be the last reference: some drivers sleep at its end. */
	ofed_iw_put_qp(id, qp);
	return -EINVAL;
}

/**
 * iw_cm_connect - connect to the remote address of an id
 * @cm_id: the id; local_addr and remote_addr are set
 * @iw_param: QP, limits of READs, private data
 *
 * Context: process, may sleep.
 * Return: 0: CONNECT_REPLY follows, its status is 0, -ECONNREFUSED,
 * -ECONNRESET, -ETIMEDOUT or another errno of the driver; -EINVAL (id in use,
 * no such QP), -ENOMEM, or an errno of the driver: then no event comes.
 */
int iw_cm_connect(struct iw_cm_id *cm_id, struct iw_cm_conn_param *iw_param)
{
	struct iw_id *id = to_iw_id(cm_id);
	int ret;

	might_sleep();
	ret = ofed_iw_id_room(id, OFED_IW_CONN_EVENTS, GFP_KERNEL_ACCOUNT);
	if (ret)
		return ret;
	ret = iwcm_begin(id, IW_DO_CONNECT, iw_param->qpn);
	if (ret)
		return ret;
	/* The report may come, and the client destroy the id, meanwhile. */
	ofed_iw_id_get(id);
	/*
	 * What waits is of an earlier connection; a call that was refused would
	 * have dropped what belongs to this one.
	 */
	ofed_iw_events_drop(id);
	ret = ofed_iw_pm_map(id, true);
	if (!ret)
		ret = cm_id->device->ops.iw_connect(cm_id, iw_param);
	if (ret) {
		/*
		 * If the driver has reported the end as well, a waiting destroy
		 * went on, and unmaps at the same time.
		 */
		ofed_iw_pm_unmap(id);
		iwcm_call_failed(id);
	}
	ofed_iw_id_put(id);
	return ret;
}
OFED_EXPORT(iw_cm_connect);

/**
 * iw_cm_accept - accept a request
 * @cm_id: id of the request
 * @iw_param: QP, limits of READs, private data
 *
 * Context: process, may sleep.
 * Return: 0: ESTABLISHED follows, perhaps before this returns; -EINVAL (id is
 * not that of a request, no such QP): it is still to be answered; or an errno
 * of the driver: then it is over, and no event comes.
 */
int iw_cm_accept(struct iw_cm_id *cm_id, struct iw_cm_conn_param *iw_param)
{
	struct iw_id *id = to_iw_id(cm_id);
	int ret;

	might_sleep();
	ret = iwcm_begin(id, IW_DO_ACCEPT, iw_param->qpn);
	if (ret)
		return ret;
	ofed_iw_id_get(id);
	ret = cm_id->device->ops.iw_accept(cm_id, iw_param);
	if (ret)
		iwcm_call_failed(id);
	ofed_iw_id_put(id);
	return ret;
}
OFED_EXPORT(iw_cm_accept);

/**
 * iw_cm_reject - reject a request
 * @cm_id: id of the request
 * @private_data: for the peer
 * @private_data_len: its length
 *
 * No event comes after this; the id is still to be destroyed. Context: process,
 * may sleep.
 * Return: 0, -EINVAL (id is not that of a request), or an errno of the driver.
 */
int iw_cm_reject(struct iw_cm_id *cm_id, const void *private_data,
		 u8 private_data_len)
{
	struct iw_id *id = to_iw_id(cm_id);
	int ret;

	/* The client may destroy the id meanwhile, which does not wait for this. */
	ofed_iw_id_get(id);
	ret = iwcm_move_unlocked(id, IW_DO_REJECT);
	if (!ret)
		ret = cm_id->device->ops.iw_reject(cm_id, private_data,
						   private_data_len);
	ofed_iw_id_put(id);
	return ret;
}
OFED_EXPORT(iw_cm_reject);

/**
 * iw_cm_disconnect - take a connection down
 * @cm_id: its id
 * @abrupt: break it off; otherwise what is posted goes out first
 *
 * CLOSE follows, unless the connection was over. While it is being made this
 * waits for the driver to report. Context: process, may sleep.
 * Return: 0 (also: already closing, over, or not answered yet), -EINVAL (not a
 * connection, or one without a QP).
 */
int iw_cm_disconnect(struct iw_cm_id *cm_id, int abrupt)
{
	struct iw_id *id = to_iw_id(cm_id);
	enum ofed_iw_state from;
	struct ib_qp *qp = NULL;
	int ret;

	might_sleep();
	/* The client may destroy the id while this waits. */
	ofed_iw_id_get(id);
	ret = iwcm_move_when_reported(id, IW_DO_DISCONNECT, &from);
	if (!ret && from == IW_OPEN) {
		qp = id->qp;
		/* The connection may end, and drop its reference, meanwhile. */
		if (qp)
			cm_id->device->ops.iw_add_ref(qp);
		else
			ret = -EINVAL;
	}
	spin_unlock_irq(&id->lock);

	if (qp) {
		/* It fails when the peer was faster: that will do. */
		iwcm_qp_to(qp, abrupt ? IB_QPS_ERR : IB_QPS_SQD);
		ofed_iw_put_qp(id, qp);
	}
	ofed_iw_id_put(id);
	return ret;
}
OFED_EXPORT(iw_cm_disconnect);

/**
 * iw_cm_init_qp_attr - attributes of a QP before it is connected
 * @cm_id: id that it will be connected with
 * @qp_attr: in: qp_state, what to move to; out: attributes
 * @qp_attr_mask: out: which of them to give to ib_modify_qp()
 *
 * The driver does the rest when it connects. Context: any.
 * Return: 0, -EINVAL (state of the id, or neither INIT, RTR nor RTS).
 */
int iw_cm_init_qp_attr(struct iw_cm_id *cm_id, struct ib_qp_attr *qp_attr,
		       int *qp_attr_mask)
{
	struct iw_id *id = to_iw_id(cm_id);
	const enum ib_qp_state to = qp_attr->qp_state;
	unsigned long flags;
	bool usable;

	spin_lock_irqsave(&id->lock, flags);
	usable = ofed_iw_may_init_qp(id->state);
	spin_unlock_irqrestore(&id->lock, flags);
	if (!usable)
		return -EINVAL;

	if (to == IB_QPS_RTS) {
		*qp_attr_mask = 0;
		return 0;
	}
	if (to != IB_QPS_INIT && to != IB_QPS_RTR)
		return -EINVAL;
	qp_attr->qp_access_flags = IB_ACCESS_REMOTE_READ |
				   IB_ACCESS_REMOTE_WRITE;
	*qp_attr_mask = IB_QP_ACCESS_FLAGS | IB_QP_STATE;
	return 0;
}
OFED_EXPORT(iw_cm_init_qp_attr);

/**
 * iwcm_reject_msg - a reason in words
 * @reason: status of a CONNECT_REPLY
 *
 * Context: any. Return: a constant string.
 */
const char *__attribute_const__ iwcm_reject_msg(int reason)
{
	switch (reason) {
	case -ECONNREFUSED:
		return "refused by remote application";
	case -ECONNRESET:
		return "reset by remote host";
	case -ETIMEDOUT:
		return "setup timeout";
	default:
		return "unrecognized reason";
	}
}
OFED_EXPORT(iwcm_reject_msg);

static struct ctl_table iw_cm_sysctls[] = {
	{
		.procname	= "default_backlog",
		.data		= &default_backlog,
		.maxlen		= sizeof(default_backlog),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ONE,
		.extra2		= &backlog_max,
	},
	{}
};

static struct ctl_table_header *sysctl_header;

/**
 * ofed_iw_cm_init - begin
 *
 * Return: 0 or -ENOMEM.
 */
int ofed_iw_cm_init(void)
{
	int ret;

	ret = ofed_iw_events_init();
	if (ret)
		return ret;
	sysctl_header = compat_register_net_sysctl(&init_net, "net/iw_cm",
						   iw_cm_sysctls,
						   ARRAY_SIZE(iw_cm_sysctls) - 1);
	if (!sysctl_header) {
		ret = -ENOMEM;
		goto err_events;
	}
	ret = ofed_iw_pm_init();
	if (ret)
		goto err_sysctl;
	return 0;

err_sysctl:
	unregister_net_sysctl_table(sysctl_header);
err_events:
	ofed_iw_events_exit();
	return ret;
}

/**
 * ofed_iw_cm_exit - end
 *
 * No client has an id, and no driver is left.
 */
void ofed_iw_cm_exit(void)
{
	ofed_iw_pm_exit();
	unregister_net_sysctl_table(sysctl_header);
	ofed_iw_events_exit();
}
