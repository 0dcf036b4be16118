// SPDX-License-Identifier: GPL-2.0
/* Ports: attributes, GIDs, P_Keys, MADs, and the file that changes them. */
#include <linux/inet.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_sysfs.h>

#include "ofed_testdev.h"

void td_ports_init(struct testdev *td)
{
	struct td_port *port;
	u32 i;

	for (i = 0; i < td->cfg.ports; i++) {
		port = &td->port[i];
		port->state = IB_PORT_ACTIVE;
		port->lid = i + 1;
		port->sm_lid = 1;
		port->cap_mask = IB_PORT_CM_SUP | IB_PORT_SYS_IMAGE_GUID_SUP;
		port->pkeys[0] = IB_DEFAULT_PKEY_FULL;
		port->gids[0].global.subnet_prefix =
			cpu_to_be64(0xfe80000000000000ULL);
		port->gids[0].global.interface_id = td->ib.node_guid;
		port->gids[0].raw[15] += i + 1;
	}
}

static struct td_port *td_port_of(struct testdev *td, u32 port_num)
{
	lockdep_assert_held(&td->lock);
	return &td->port[port_num - 1];
}

/* A RoCE port is up when its network device is. */
static void td_roce_state(struct testdev *td, struct ib_port_attr *attr)
{
	struct net_device *ndev;
	int mtu = 1024;
	bool up;

	spin_lock(&td->lock);
	ndev = td->ndev;
	up = ndev && netif_running(ndev) && netif_carrier_ok(ndev);
	if (ndev)
		mtu = READ_ONCE(ndev->mtu);
	spin_unlock(&td->lock);

	attr->state = up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	/* Room for GRH, BTH and the longest extended headers. */
	attr->active_mtu = ib_mtu_int_to_enum(mtu - 100);
}

static void td_ib_state(struct testdev *td, u32 port_num,
			struct ib_port_attr *attr)
{
	struct td_port *port;

	spin_lock(&td->lock);
	port = td_port_of(td, port_num);
	attr->state = port->state;
	attr->lid = port->lid;
	attr->sm_lid = port->sm_lid;
	attr->port_cap_flags = port->cap_mask;
	spin_unlock(&td->lock);
	attr->active_mtu = IB_MTU_4096;
}

static int td_query_port(struct ib_device *ibdev, u32 port_num,
			 struct ib_port_attr *attr)
{
	struct testdev *td = to_td(ibdev);
	int ret = td_fault(ibdev, query_port);

	if (ret)
		return ret;
	attr->max_mtu = IB_MTU_4096;
	attr->gid_tbl_len = TD_GIDS;
	attr->max_msg_sz = 1U << 31;
	attr->pkey_tbl_len = td->cfg.ib ? TD_PKEYS : 1;
	attr->max_vl_num = 1;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_EDR;
	if (td->cfg.ib) {
		td_ib_state(td, port_num, attr);
	} else {
		attr->ip_gids = true;
		attr->port_cap_flags = IB_PORT_CM_SUP;
		td_roce_state(td, attr);
	}
	attr->phys_state = attr->state == IB_PORT_ACTIVE ?
		IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_DISABLED;
	attr->phys_mtu = ib_mtu_enum_to_int(attr->active_mtu);
	return 0;
}

static int td_modify_port(struct ib_device *ibdev, u32 port_num, int mask,
			  struct ib_port_modify *modify)
{
	struct testdev *td = to_td(ibdev);
	struct td_port *port;
	int ret = td_fault(ibdev, modify_port);

	if (ret)
		return ret;
	spin_lock(&td->lock);
	port = td_port_of(td, port_num);
	port->cap_mask |= modify->set_port_cap_mask;
	port->cap_mask &= ~modify->clr_port_cap_mask;
	if (mask & IB_PORT_SHUTDOWN)
		port->state = IB_PORT_DOWN;
	spin_unlock(&td->lock);
	return 0;
}

static int td_query_pkey(struct ib_device *ibdev, u32 port_num, u16 index,
			 u16 *pkey)
{
	struct testdev *td = to_td(ibdev);
	int ret = td_fault(ibdev, query_pkey);

	if (ret)
		return ret;
	if (index >= (td->cfg.ib ? TD_PKEYS : 1))
		return -EINVAL;
	spin_lock(&td->lock);
	*pkey = td_port_of(td, port_num)->pkeys[index];
	spin_unlock(&td->lock);
	return 0;
}

/* No peer, so no answer; the MAD layer goes on with the MAD itself. */
static int td_process_mad(struct ib_device *ibdev, int flags, u32 port_num,
			  const struct ib_wc *in_wc, const struct ib_grh *grh,
			  const struct ib_mad *in, struct ib_mad *out,
			  size_t *out_size, u16 *out_pkey_index)
{
	return td_fault(ibdev, process_mad) ? IB_MAD_RESULT_FAILURE :
		IB_MAD_RESULT_SUCCESS;
}

static ssize_t testdev_sent_show(struct ib_device *ibdev, u32 port_num,
				 struct ib_port_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%lld\n", atomic64_read(&to_td(ibdev)->sent));
}
static IB_PORT_ATTR_RO(testdev_sent);

static struct attribute *td_port_attributes[] = {
	&ib_port_attr_testdev_sent.attr,
	NULL
};

static const struct attribute_group td_port_group = {
	.name = "testdev",
	.attrs = td_port_attributes,
};

static const struct attribute_group *td_port_groups[] = {
	&td_port_group,
	NULL
};

const struct ib_device_ops td_port_ops = {
	.port_groups = td_port_groups,
	.query_port = td_query_port,
	.modify_port = td_modify_port,
	.query_pkey = td_query_pkey,
	.process_mad = td_process_mad,
};

/* ---- RoCE ---- */

static enum rdma_link_layer td_roce_link_layer(struct ib_device *ibdev,
					       u32 port_num)
{
	return IB_LINK_LAYER_ETHERNET;
}

static int td_roce_immutable(struct ib_device *ibdev, u32 port_num,
			     struct ib_port_immutable *immutable)
{
	int ret = td_fault(ibdev, get_port_immutable);

	if (ret)
		return ret;
	immutable->pkey_tbl_len = 1;
	immutable->gid_tbl_len = TD_GIDS;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE |
				    RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

/* The context of a GID is memory, so that a lost one is a leak that shows. */
static int td_add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct testdev *td = to_td(attr->device);
	int ret = td_fault(attr->device, add_gid);

	if (ret)
		return ret;
	ret = td_get(td, TD_gid);
	if (ret)
		return ret;
	*context = kmemdup(&attr->gid, sizeof(attr->gid), GFP_KERNEL);
	if (!*context) {
		td_put(td, TD_gid);
		return -ENOMEM;
	}
	return 0;
}

static int td_del_gid(const struct ib_gid_attr *attr, void **context)
{
	int ret = td_fault(attr->device, del_gid);

	kfree(*context);
	td_put(to_td(attr->device), TD_gid);
	return ret;
}

const struct ib_device_ops td_roce_ops = {
	.get_link_layer = td_roce_link_layer,
	.get_port_immutable = td_roce_immutable,
	.add_gid = td_add_gid,
	.del_gid = td_del_gid,
};

/* ---- InfiniBand ---- */

static enum rdma_link_layer td_ib_link_layer(struct ib_device *ibdev,
					     u32 port_num)
{
	return IB_LINK_LAYER_INFINIBAND;
}

static int td_ib_immutable(struct ib_device *ibdev, u32 port_num,
			   struct ib_port_immutable *immutable)
{
	int ret = td_fault(ibdev, get_port_immutable);

	if (ret)
		return ret;
	immutable->pkey_tbl_len = TD_PKEYS;
	immutable->gid_tbl_len = TD_GIDS;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static int td_query_gid(struct ib_device *ibdev, u32 port_num, int index,
			union ib_gid *gid)
{
	struct testdev *td = to_td(ibdev);
	int ret = td_fault(ibdev, query_gid);

	if (ret)
		return ret;
	if (index < 0 || index >= TD_GIDS)
		return -EINVAL;
	spin_lock(&td->lock);
	*gid = td_port_of(td, port_num)->gids[index];
	spin_unlock(&td->lock);
	return 0;
}

const struct ib_device_ops td_ib_ops = {
	.get_link_layer = td_ib_link_layer,
	.get_port_immutable = td_ib_immutable,
	.query_gid = td_query_gid,
};

/* ---- the file port ---- */

static int td_port_number(struct td_port *port, const char *what, u32 value)
{
	if (!strcmp(what, "state")) {
		port->state = value;
		return value == IB_PORT_ACTIVE ? IB_EVENT_PORT_ACTIVE :
			IB_EVENT_PORT_ERR;
	}
	if (!strcmp(what, "lid")) {
		port->lid = value;
		return IB_EVENT_LID_CHANGE;
	}
	if (!strcmp(what, "sm_lid")) {
		port->sm_lid = value;
		return IB_EVENT_SM_CHANGE;
	}
	return -EINVAL;
}

/* Return: the event that tells of the change, or a negative errno. */
static int td_port_change(struct td_port *port, char *args)
{
	char *what = strsep(&args, " ");
	char *first = strsep(&args, " ");
	union ib_gid gid;
	u32 value, index;

	if (!first)
		return -EINVAL;
	if (kstrtou32(first, 0, &value))
		return -EINVAL;
	index = value;
	if (!strcmp(what, "pkey")) {
		if (index >= TD_PKEYS || !args || kstrtou32(args, 0, &value))
			return -EINVAL;
		port->pkeys[index] = value;
		return IB_EVENT_PKEY_CHANGE;
	}
	if (!strcmp(what, "gid")) {
		if (index >= TD_GIDS || !args ||
		    !in6_pton(args, -1, gid.raw, -1, NULL))
			return -EINVAL;
		port->gids[index] = gid;
		return IB_EVENT_GID_CHANGE;
	}
	return td_port_number(port, what, value);
}

/* PORT state|lid|sm_lid VALUE, PORT pkey|gid INDEX VALUE */
static ssize_t td_port_write(struct file *file, const char __user *buf,
			     size_t count, loff_t *pos)
{
	struct testdev *td = file->private_data;
	struct ib_event event = { .device = &td->ib };
	char line[96], *args = line, *word;
	u32 port_num;
	ssize_t ret = td_hook_line(line, sizeof(line), buf, count);

	if (ret < 0)
		return ret;
	word = strsep(&args, " ");
	if (!args || kstrtou32(word, 0, &port_num) ||
	    !port_num || port_num > td->cfg.ports)
		return -EINVAL;

	spin_lock(&td->lock);
	ret = td_port_change(td_port_of(td, port_num), args);
	spin_unlock(&td->lock);
	if (ret < 0)
		return ret;
	event.event = ret;
	event.element.port_num = port_num;
	ib_dispatch_event(&event);
	return count;
}

const struct file_operations td_port_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = td_port_write,
};
