// SPDX-License-Identifier: GPL-2.0
/* What the iWARP CM asks of the driver. */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/module.h>
#include <net/tcp.h>

#include "cm.h"
#include "conn.h"
#include "qp.h"

static bool crc_wanted = true;
module_param_named(crc, crc_wanted, bool, 0644);
MODULE_PARM_DESC(crc, "Ask for CRCs; without, they are used if the peer asks (default Y)");

static bool p2p_wanted = true;
module_param_named(p2p, p2p_wanted, bool, 0644);
MODULE_PARM_DESC(p2p, "Ask for connections in which either side may send first (default Y)");

static struct iw_qp *iw_find_qp(struct ib_device *ib, u32 qpn)
{
	struct iw_dev *dev = to_iw_dev(ib);
	struct iw_qp *qp;
	unsigned long flags;

	xa_lock_irqsave(&dev->qps, flags);
	qp = xa_load(&dev->qps, qpn);
	if (qp)
		iw_qp_get(qp);
	xa_unlock_irqrestore(&dev->qps, flags);
	return qp;
}

/*
 * The iWARP CM references what it gets, by iw_cm_add_ref(), but it could be destroyed before
 * that. So it comes with the reference, and iw_cm_add_ref() takes one less.
 */
static struct ib_qp *iw_cm_qp_get(struct ib_device *ib, int qpn)
{
	struct iw_qp *qp = iw_find_qp(ib, qpn);

	if (!qp)
		return NULL;
	atomic_inc(&qp->handed);
	return &qp->ib;
}

static void iw_cm_add_ref(struct ib_qp *ib)
{
	struct iw_qp *qp = to_iw_qp(ib);

	if (atomic_dec_if_positive(&qp->handed) < 0)
		iw_qp_get(qp);
}

static void iw_cm_rem_ref(struct ib_qp *ib)
{
	iw_qp_put(to_iw_qp(ib));
}

static bool iw_cm_fits(const struct iw_cm_conn_param *param, bool enhanced)
{
	return param->ord <= IW_MAX_DEPTH && param->ird <= IW_MAX_DEPTH &&
	       param->private_data_len <= iw_mpa_max_pd(enhanced);
}

static void iw_take_cm_id(struct iw_conn *conn, struct iw_cm_id *cm_id)
{
	cm_id->add_ref(cm_id);
	conn->cm_id = cm_id;
}

/* ---- MPA initiator ------------------------------------------------------------------- */

static void iw_set_port(struct sockaddr_storage *addr, __be16 port)
{
	/* Of both families it is in the same place. */
	((struct sockaddr_in *)addr)->sin_port = port;
}

static int iw_addr_bytes(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) :
		sizeof(struct sockaddr_in);
}

static int iw_make_socket(struct iw_conn *conn, struct iw_dev *dev, int family)
{
	struct net *net = iw_get_net(dev);
	int ret;

	if (!net)
		return -ENODEV;
	ret = sock_create_kern(net, family, SOCK_STREAM, IPPROTO_TCP,
			       &conn->sock);
	if (!ret) {
		compat_sock_hold_net(conn->sock->sk);
		sock_set_flag(conn->sock->sk, SOCK_URGINLINE);
	}
	put_net(net);
	return ret;
}

static int iw_open_socket(struct iw_conn *conn, struct iw_dev *dev,
			  const struct iw_cm_id *cm_id, bool any_port)
{
	struct sockaddr_storage remote = cm_id->m_remote_addr;
	struct sockaddr_storage local = cm_id->m_local_addr;
	int ret;

	ret = iw_make_socket(conn, dev, local.ss_family);
	if (ret)
		return ret;
	sock_set_reuseaddr(conn->sock->sk);
	if (cm_id->tos_set)
		ip_sock_set_tos(conn->sock->sk, cm_id->tos);
	if (any_port)
		iw_set_port(&local, 0);
	ret = kernel_bind(conn->sock, (struct sockaddr_unsized *)&local,
			  iw_addr_bytes(&local));
	if (ret)
		return ret;
	/* Before TCP can call for what it finds. */
	iw_conn_attach(conn, NULL);
	ret = kernel_connect(conn->sock, (struct sockaddr_unsized *)&remote,
			     iw_addr_bytes(&remote), O_NONBLOCK);
	return ret == -EINPROGRESS ? 0 : ret;
}

/*
 * rdma_cm has numbers of its own for ports: one that TCP uses already, or that
 * was used for the same peer a moment ago, makes TCP choose another.
 */
static int iw_start_tcp(struct iw_conn *conn, struct iw_dev *dev,
			const struct iw_cm_id *cm_id)
{
	int ret;

	ret = iw_open_socket(conn, dev, cm_id, false);
	if (ret != -EADDRINUSE && ret != -EADDRNOTAVAIL)
		return ret;
	iw_conn_detach(conn);
	sock_release(conn->sock);
	conn->sock = NULL;
	return iw_open_socket(conn, dev, cm_id, true);
}

static void iw_fill_request(struct iw_conn *conn,
			    const struct iw_cm_conn_param *param)
{
	conn->own = (struct iw_mpa_frame){
		.crc = crc_wanted,
		.enhanced = true,
		.p2p = p2p_wanted,
		.rtr = IW_RTR_WRITE | IW_RTR_SEND |
		       (param->ord ? IW_RTR_READ : 0),
		.rev = 2,
		.ird = param->ird,
		.ord = param->ord,
		.pd_bytes = param->private_data_len,
	};
	if (!p2p_wanted)
		conn->own.rtr = 0;
	memcpy(conn->frame, param->private_data, param->private_data_len);
}

static int iw_connect_qp(struct iw_qp *qp, struct iw_cm_id *cm_id,
			 const struct iw_cm_conn_param *param)
{
	struct iw_conn *conn = iw_conn_new(IW_C_TCP);
	int ret;

	if (!conn)
		return -ENOMEM;
	iw_conn_get(conn);
	mutex_lock(&conn->lock);
	iw_fill_request(conn, param);
	ret = iw_conn_link(conn, qp);
	if (ret)
		goto err_release;
	ret = iw_start_tcp(conn, iw_qp_dev(qp), cm_id);
	if (ret)
		goto err_part;
	iw_take_cm_id(conn, cm_id);
	iw_conn_arm(conn, IW_SETUP_TIME);
	mutex_unlock(&conn->lock);
	iw_conn_put(conn);
	return 0;

err_part:
	iw_conn_unlink_qp(conn);
err_release:
	iw_conn_release(conn, true);
	mutex_unlock(&conn->lock);
	iw_conn_put(conn);
	return ret;
}

static int iw_connect(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param)
{
	struct iw_qp *qp;
	int ret;

	if (!iw_cm_fits(param, true) || cm_id->m_local_addr.ss_family !=
			    cm_id->m_remote_addr.ss_family)
		return -EINVAL;
	qp = iw_find_qp(cm_id->device, param->qpn);
	if (!qp)
		return -EINVAL;
	ret = iw_connect_qp(qp, cm_id, param);
	iw_qp_put(qp);
	return ret;
}

/* ---- MPA responder ------------------------------------------------------------------- */

static int iw_accept_qp(struct iw_conn *conn, struct iw_qp *qp,
			struct iw_cm_id *cm_id, struct iw_cm_conn_param *param)
{
	int ret;

	lockdep_assert_held(&conn->lock);
	ret = iw_conn_link(conn, qp);
	if (ret)
		return ret;
	iw_mpa_answer(&conn->own, &conn->terms, &conn->peer, param->ird,
		      param->ord, crc_wanted);
	conn->own.pd_bytes = param->private_data_len;
	conn->pd = param->private_data;
	iw_take_cm_id(conn, cm_id);
	ret = iw_conn_event(conn, conn->terms.p2p ? IW_E_ACCEPT_P2P :
			    IW_E_ACCEPT);
	conn->pd = NULL;
	return ret;
}

/* What the iWARP CM will not answer any more. */
static void iw_give_back(struct iw_conn *conn, struct iw_cm_id *cm_id)
{
	cm_id->provider_data = NULL;
	if (conn->state == IW_C_ASKED || conn->state == IW_C_LOST)
		iw_conn_release(conn, true);
}

static int iw_accept(struct iw_cm_id *cm_id, struct iw_cm_conn_param *param)
{
	struct iw_conn *conn = cm_id->provider_data;
	struct iw_qp *qp;
	int ret = -EINVAL;

	if (!conn)
		return -EINVAL;
	qp = iw_find_qp(cm_id->device, param->qpn);
	mutex_lock(&conn->lock);
	if (qp && iw_cm_fits(param, conn->peer.enhanced))
		ret = iw_accept_qp(conn, qp, cm_id, param);
	if (ret && conn->qp)
		iw_conn_unlink_qp(conn);
	if (ret && conn->cm_id) {
		cm_id->rem_ref(conn->cm_id);
		conn->cm_id = NULL;
	}
	iw_give_back(conn, cm_id);
	mutex_unlock(&conn->lock);
	if (qp)
		iw_qp_put(qp);
	iw_conn_put(conn);
	return ret;
}

static int iw_reject(struct iw_cm_id *cm_id, const void *pd, u8 pd_bytes)
{
	struct iw_conn *conn = cm_id->provider_data;

	if (!conn)
		return -EINVAL;
	mutex_lock(&conn->lock);
	iw_conn_fill_refusal(conn, pd ? pd_bytes : 0);
	conn->pd = pd;
	iw_conn_event(conn, IW_E_REJECT);
	conn->pd = NULL;
	cm_id->provider_data = NULL;
	mutex_unlock(&conn->lock);
	iw_count(to_iw_dev(cm_id->device), IW_STAT_REFUSED);
	iw_conn_put(conn);
	return 0;
}

const struct ib_device_ops iw_cm_ops = {
	.iw_add_ref = iw_cm_add_ref,
	.iw_rem_ref = iw_cm_rem_ref,
	.iw_get_qp = iw_cm_qp_get,
	.iw_connect = iw_connect,
	.iw_accept = iw_accept,
	.iw_reject = iw_reject,
	.iw_create_listen = iw_create_listen,
	.iw_destroy_listen = iw_destroy_listen,
};
