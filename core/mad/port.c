// SPDX-License-Identifier: GPL-2.0
/*
 * The MAD layer's ports: made when a device comes, given up when it goes.
 * InfiniBand ports have QP0 and QP1, RoCE ports QP1 only, iWARP ports nothing.
 */
#include <linux/slab.h>
#include <ofed/restrack.h>

#include "mad.h"
#include "inject.h"
#include "priv.h"

#define MIN_QUEUE	64
#define MAX_QUEUE	8192
/* The longest MAD there is, that of Omni-Path. */
#define MAX_MAD_SIZE	OPA_MGMT_MAD_SIZE

/* Ports by number; those without MADs are NULL. */
struct mad_device {
	u32 num_ports;
	struct mad_port *ports[];
};

static struct ib_client mad_client;

/* Context: any, while the client that asks may use @device. */
struct mad_port *mad_port_find(struct ib_device *device, u32 num)
{
	struct mad_device *mad = ib_get_client_data(device, &mad_client);

	if (!mad || num >= mad->num_ports)
		return NULL;
	return mad->ports[num];
}

static struct mad_port *mad_port_alloc(struct ib_device *device, u32 num)
{
	struct mad_port *port = kzalloc(sizeof(*port), GFP_KERNEL);

	if (!port)
		return NULL;
	port->device = device;
	port->num = num;
	port->mad_size = clamp_t(size_t, rdma_max_mad_size(device, num),
				 IB_MGMT_MAD_SIZE, MAX_MAD_SIZE);
	spin_lock_init(&port->table_lock);
	mad_table_init(&port->table);
	spin_lock_init(&port->work_lock);
	INIT_LIST_HEAD(&port->replies);
	INIT_LIST_HEAD(&port->error_replies);
	INIT_WORK(&port->reply_work, mad_reply_work);
	INIT_LIST_HEAD(&port->locals);
	INIT_WORK(&port->local_work, mad_local_work);
	port->reply = kzalloc(port->mad_size, GFP_KERNEL);
	if (!port->reply) {
		kfree(port);
		return NULL;
	}
	return port;
}

static void mad_port_free(struct mad_port *port)
{
	kfree(port->reply);
	kfree(port);
}

static void mad_free_qps(struct mad_port *port)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(port->qp); i++)
		if (port->qp[i])
			mad_qp_free(port->qp[i]);
}

static void mad_stop_qps(struct mad_port *port)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(port->qp); i++)
		if (port->qp[i])
			mad_qp_stop(port->qp[i]);
}

static const struct mad_qp_ops mad_qp_ops = {
	.received = mad_dispatch,
	.sent = mad_sent,
};

static int mad_create_qp(struct mad_port *port, int number)
{
	struct mad_qp *q;

	q = mad_qp_create(port, number ? IB_QPT_GSI : IB_QPT_SMI, &mad_qp_ops);
	if (IS_ERR(q))
		return PTR_ERR(q);
	port->qp[number] = q;
	return 0;
}

/* QPs that do not receive yet. On failure, mad_stop_qps() and mad_free_qps() undo it. */
static int mad_create_qps(struct mad_port *port)
{
	int ret = 0;

	if (rdma_cap_ib_smi(port->device, port->num))
		ret = mad_create_qp(port, 0);
	if (!ret)
		ret = mad_create_qp(port, 1);
	return ret;
}

static int mad_start_qps(struct mad_port *port)
{
	int i, ret = 0;

	for (i = 0; i < ARRAY_SIZE(port->qp) && !ret; i++) {
		if (!port->qp[i])
			continue;
		ret = mad_reply_open(port->qp[i]);
		if (!ret)
			ret = mad_qp_start(port->qp[i]);
	}
	return ret;
}

static struct mad_port *mad_port_open(struct ib_device *device, u32 num)
{
	int qps = rdma_cap_ib_smi(device, num) ? 2 : 1;
	struct mad_port *port = mad_port_alloc(device, num);
	int ret;

	if (!port)
		return ERR_PTR(-ENOMEM);
	port->pd = __ib_alloc_pd(device, 0, OFED_OWNER_CORE);
	if (IS_ERR(port->pd)) {
		ret = PTR_ERR(port->pd);
		goto err_free_port;
	}
	/* May sleep in handlers and wait for each other: not bound to a CPU. */
	port->cq = __ib_alloc_cq(device, port, mad_qp_num_cqes(device) * qps, 0,
				 IB_POLL_UNBOUND_WORKQUEUE, OFED_OWNER_CORE);
	if (IS_ERR(port->cq)) {
		ret = PTR_ERR(port->cq);
		goto err_dealloc_pd;
	}
	ret = mad_create_qps(port);
	if (!ret)
		ret = mad_start_qps(port);
	if (ret)
		goto err_free_qps;
	return port;

err_free_qps:
	mad_reply_close(port);
	mad_stop_qps(port);
	ib_free_cq(port->cq);
	mad_free_qps(port);
err_dealloc_pd:
	ib_dealloc_pd(port->pd);
err_free_port:
	mad_port_free(port);
	return ERR_PTR(ret);
}

/*
 * In this order: replies have to be sent by QPs that are up; then no receive is
 * posted any more, and the QPs go; then the CQ with the last of the
 * completions, which name the receive buffers; then those.
 */
static void mad_port_close(struct mad_port *port)
{
	mad_reply_close(port);
	mad_stop_qps(port);
	ib_free_cq(port->cq);
	mad_free_qps(port);
	/* Only agents queue it, and they are gone. */
	cancel_work_sync(&port->local_work);
	ib_dealloc_pd(port->pd);
	mad_port_free(port);
}

static void mad_close_ports(struct mad_device *mad)
{
	u32 i;

	for (i = 0; i < mad->num_ports; i++)
		if (mad->ports[i])
			mad_port_close(mad->ports[i]);
	kfree(mad);
}

/* The other ports of a device work without the one that does not. */
static int mad_add(struct ib_device *device)
{
	struct mad_device *mad;
	struct mad_port *port;
	bool any = false;
	u32 num;

	mad = kzalloc(struct_size(mad, ports, rdma_end_port(device) + 1),
		      GFP_KERNEL);
	if (!mad)
		return -ENOMEM;
	mad->num_ports = rdma_end_port(device) + 1;
	rdma_for_each_port(device, num) {
		if (!rdma_cap_ib_mad(device, num))
			continue;
		port = mad_port_open(device, num);
		if (IS_ERR(port)) {
			ibdev_err(device, "port %u: no QP for MADs: %ld\n",
				  num, PTR_ERR(port));
			continue;
		}
		mad->ports[num] = port;
		any = true;
	}
	if (!any) {
		kfree(mad);
		return -EOPNOTSUPP;
	}
	ib_set_client_data(device, &mad_client, mad);
	return 0;
}

static void mad_remove(struct ib_device *device, void *client_data)
{
	mad_close_ports(client_data);
}

static struct ib_client mad_client = {
	.name = "mad",
	.add = mad_add,
	.remove = mad_remove,
};

int ofed_mad_init(void)
{
	int ret;

	mad_send_queue_size = clamp(mad_send_queue_size, MIN_QUEUE, MAX_QUEUE);
	mad_recv_queue_size = clamp(mad_recv_queue_size, MIN_QUEUE, MAX_QUEUE);

	ret = mad_wq_init();
	if (ret)
		return ret;
	mad_inject_init();
	ret = ib_register_client(&mad_client);
	if (ret)
		goto err_fault_exit;
	return 0;

err_fault_exit:
	mad_inject_exit();
	mad_wq_exit();
	return ret;
}

void ofed_mad_exit(void)
{
	ib_unregister_client(&mad_client);
	mad_inject_exit();
	mad_wq_exit();
}
