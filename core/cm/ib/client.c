// SPDX-License-Identifier: GPL-2.0
/*
 * The InfiniBand communication manager (IBA vol. 1, chapter 12): its devices.
 */
#include <linux/slab.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

#include "../../sysfs/port.h"
#include "core.h"
#include "ib_cm.h"

/*
 * Limits of concurrent waits for unreachable neighbours: that of four ports for
 * requests, and a few for replies that no id sends.
 */
#define ADDR_WORKERS (4 * CM_ADDR_AT_A_TIME)
#define UNMATCHED_WORKERS 16

static void cm_port_close(struct cm_port *port)
{
	struct ib_mad_agent *agent = rcu_dereference_protected(port->agent, 1);

	if (!agent)
		return;

	ofed_port_remove_groups(port->dev->device, port->num, cm_port_groups);
	rcu_assign_pointer(port->agent, NULL);
	/*
	 * Senders that have seen the agent have posted by the end of the grace
	 * period. The agent then flushes what is posted: each send comes back
	 * by cm_mad_sent(), and no receive follows.
	 */
	synchronize_rcu();
	ib_unregister_mad_agent(agent);
	flush_work(&port->work);
}

static int cm_port_open(struct cm_port *port)
{
	struct ib_mad_reg_req request = {
		.mgmt_class = IB_MGMT_CLASS_CM,
		.mgmt_class_version = CM_CLASS_VERSION,
	};
	struct ib_device *device = port->dev->device;
	struct ib_mad_agent *agent;
	int ret;

	if (!rdma_cap_ib_cm(device, port->num))
		return 0;

	__set_bit(IB_MGMT_METHOD_SEND, request.method_mask);
	agent = ib_register_mad_agent(device, port->num, IB_QPT_GSI, &request,
				      0, cm_mad_sent, cm_mad_received, port, 0);
	/* A port that has no MADs; the others have their connections. */
	if (agent == ERR_PTR(-ENODEV))
		return 0;
	if (IS_ERR(agent))
		return PTR_ERR(agent);
	port->hi_tid = agent->hi_tid;
	rcu_assign_pointer(port->agent, agent);

	ret = ofed_port_add_groups(device, port->num, cm_port_groups);
	if (ret) {
		rcu_assign_pointer(port->agent, NULL);
		synchronize_rcu();
		ib_unregister_mad_agent(agent);
	}
	return ret;
}

static void cm_port_init(struct cm_dev *dev, u32 nth)
{
	struct cm_port *port = &dev->port[nth];

	port->dev = dev;
	port->num = rdma_start_port(dev->device) + nth;
	spin_lock_init(&port->lock);
	INIT_LIST_HEAD(&port->messages);
	INIT_LIST_HEAD(&port->addr_queue);
	INIT_WORK(&port->work, cm_port_work);
}

static struct cm_dev *cm_dev_new(struct ib_device *device)
{
	u32 ports = rdma_end_port(device) - rdma_start_port(device) + 1;
	struct cm_dev *dev;
	u32 nth;

	dev = kzalloc(struct_size(dev, port, ports), GFP_KERNEL);
	if (!dev)
		return NULL;
	dev->device = device;
	dev->ports = ports;
	dev->self.guid = device->node_guid;
	dev->self.ack_delay = device->attrs.local_ca_ack_delay;
	kref_init(&dev->ref);
	INIT_LIST_HEAD(&dev->node);
	INIT_LIST_HEAD(&dev->timewait);
	INIT_LIST_HEAD(&dev->ended);
	spin_lock_init(&dev->timewait_lock);
	init_waitqueue_head(&dev->quiet);
	for (nth = 0; nth < ports; nth++)
		cm_port_init(dev, nth);
	return dev;
}

static bool cm_has_cm(struct ib_device *device)
{
	u32 port_num;

	rdma_for_each_port(device, port_num)
		if (rdma_cap_ib_cm(device, port_num))
			return true;
	return false;
}

static void cm_ports_close(struct cm_dev *dev)
{
	u32 nth;

	for (nth = 0; nth < dev->ports; nth++)
		cm_port_close(&dev->port[nth]);
	/* What came in may still be looking for an address, or be an event. */
	wait_event(dev->quiet, !atomic_read(&dev->messages));
}

static struct ib_client cm_client;

static int cm_add(struct ib_device *device)
{
	struct cm_dev *dev;
	int ret = 0;
	u32 nth;

	if (!cm_has_cm(device))
		return -EOPNOTSUPP;
	dev = cm_dev_new(device);
	if (!dev)
		return -ENOMEM;

	/* Before the first message can come in, or a counter be read. */
	ib_set_client_data(device, &cm_client, dev);
	for (nth = 0; nth < dev->ports && !ret; nth++)
		ret = cm_port_open(&dev->port[nth]);
	if (ret) {
		cm_ports_close(dev);
		cm_dev_put(dev);
		return ret;
	}

	cm_dev_add(dev);
	return 0;
}

/*
 * Consumers are clients of the device too, and their remove() has run before
 * this one: the ids left are leaked ones, or of a listener on all devices.
 * Removal has two phases: first all receiving and sending stops, so that what
 * the messages refer to can be released without a race; then TimeWait is cut
 * short and the ids lose their paths.
 */
static void cm_remove(struct ib_device *device, void *data)
{
	struct cm_dev *dev = data;

	cm_dev_del(dev);
	cm_ports_close(dev);
	cm_timewait_flush(dev);
	cm_ids_unplug(dev);
	cm_dev_put(dev);
}

static struct ib_client cm_client = {
	.name = "cm",
	.add = cm_add,
	.remove = cm_remove,
};

/**
 * ofed_cm_port_of - the CM's port behind a file of sysfs
 * @device: device of the file
 * @port_num: port of the file
 *
 * Context: while the file is there, which is only between add and remove.
 * Return: the port.
 */
struct cm_port *ofed_cm_port_of(struct ib_device *device, u32 port_num)
{
	return cm_dev_port(ib_get_client_data(device, &cm_client), port_num);
}

int ofed_ib_cm_init(void)
{
	int ret;

	cm_ids_init();
	cm_wq = alloc_workqueue("ofed-cm", WQ_UNBOUND, 0);
	if (!cm_wq)
		return -ENOMEM;
	ret = -ENOMEM;
	cm_rx_wq = alloc_workqueue("ofed-cm-rx", WQ_UNBOUND, 0);
	if (!cm_rx_wq)
		goto err_wq;
	cm_addr_wq = alloc_workqueue("ofed-cm-addr", WQ_UNBOUND, ADDR_WORKERS);
	if (!cm_addr_wq)
		goto err_rx_wq;
	cm_unmatched_wq = alloc_workqueue("ofed-cm-unmatched", WQ_UNBOUND,
					  UNMATCHED_WORKERS);
	if (!cm_unmatched_wq)
		goto err_addr_wq;
	ret = ib_register_client(&cm_client);
	if (ret)
		goto err_unmatched_wq;
	return 0;

err_unmatched_wq:
	destroy_workqueue(cm_unmatched_wq);
err_addr_wq:
	destroy_workqueue(cm_addr_wq);
err_rx_wq:
	destroy_workqueue(cm_rx_wq);
err_wq:
	destroy_workqueue(cm_wq);
	return ret;
}

/* No id is left: their owners use this module, or ended before it. */
void ofed_ib_cm_exit(void)
{
	ib_unregister_client(&cm_client);
	destroy_workqueue(cm_unmatched_wq);
	destroy_workqueue(cm_addr_wq);
	destroy_workqueue(cm_rx_wq);
	destroy_workqueue(cm_wq);
	cm_ids_exit();
}
