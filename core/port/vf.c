// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual functions, as IPoIB hands them down from the netdev's own ops. All
 * of them may sleep and return -EOPNOTSUPP when the driver has no such op.
 */
#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>

/**
 * ib_set_vf_link_state - set the link state policy of a virtual function
 * @device: device
 * @vf: its number
 * @port: port number
 * @state: IFLA_VF_LINK_STATE_*
 *
 * Return: 0, -EOPNOTSUPP, or the driver's errno.
 */
int ib_set_vf_link_state(struct ib_device *device, int vf, u32 port, int state)
{
	return device->ops.set_vf_link_state ?
	       device->ops.set_vf_link_state(device, vf, port, state) :
	       ofed_refuse_op(device, "set_vf_link_state");
}
OFED_EXPORT(ib_set_vf_link_state);

/**
 * ib_get_vf_config - read the configuration of a virtual function
 * @device: device
 * @vf: its number
 * @port: port number
 * @info: out
 *
 * Return: 0, -EOPNOTSUPP, or the driver's errno.
 */
int ib_get_vf_config(struct ib_device *device, int vf, u32 port,
		     struct ifla_vf_info *info)
{
	return device->ops.get_vf_config ?
	       device->ops.get_vf_config(device, vf, port, info) :
	       ofed_refuse_op(device, "get_vf_config");
}
OFED_EXPORT(ib_get_vf_config);

/**
 * ib_get_vf_stats - read the counters of a virtual function
 * @device: device
 * @vf: its number
 * @port: port number
 * @stats: out
 *
 * Return: 0, -EOPNOTSUPP, or the driver's errno.
 */
int ib_get_vf_stats(struct ib_device *device, int vf, u32 port,
		    struct ifla_vf_stats *stats)
{
	return device->ops.get_vf_stats ?
	       device->ops.get_vf_stats(device, vf, port, stats) :
	       ofed_refuse_op(device, "get_vf_stats");
}
OFED_EXPORT(ib_get_vf_stats);

/**
 * ib_set_vf_guid - set a GUID of a virtual function
 * @device: device
 * @vf: its number
 * @port: port number
 * @guid: GUID, host order
 * @type: IFLA_VF_IB_NODE_GUID or IFLA_VF_IB_PORT_GUID
 *
 * Return: 0, -EOPNOTSUPP, or the driver's errno.
 */
int ib_set_vf_guid(struct ib_device *device, int vf, u32 port, u64 guid,
		   int type)
{
	return device->ops.set_vf_guid ?
	       device->ops.set_vf_guid(device, vf, port, guid, type) :
	       ofed_refuse_op(device, "set_vf_guid");
}
OFED_EXPORT(ib_set_vf_guid);

/**
 * ib_get_vf_guid - read the GUIDs of a virtual function
 * @device: device
 * @vf: its number
 * @port: port number
 * @node_guid: out
 * @port_guid: out
 *
 * Return: 0, -EOPNOTSUPP, or the driver's errno.
 */
int ib_get_vf_guid(struct ib_device *device, int vf, u32 port,
		   struct ifla_vf_guid *node_guid,
		   struct ifla_vf_guid *port_guid)
{
	return device->ops.get_vf_guid ?
	       device->ops.get_vf_guid(device, vf, port, node_guid, port_guid) :
	       ofed_refuse_op(device, "get_vf_guid");
}
OFED_EXPORT(ib_get_vf_guid);
