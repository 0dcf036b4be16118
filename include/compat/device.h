/* SPDX-License-Identifier: GPL-2.0 */
/* RDMA devices, their ports and their class. */
#ifndef OFED_COMPAT_DEVICE_H
#define OFED_COMPAT_DEVICE_H

struct ib_device;
struct net_device;

/*
 * In <rdma/ib_verbs.h> since 6.12: a rescan of one RoCE port, and the removal
 * of a netdev's GIDs. Built for both, exported where declared. Drop with 6.1.
 */
#ifndef COMPAT_HAVE_RESCAN_PORT
void rdma_roce_rescan_port(struct ib_device *ib_dev, u32 port);
void roce_del_all_netdev_gids(struct ib_device *ib_dev, u32 port,
			      struct net_device *ndev);
#endif

/*
 * Public since 6.9; before, the core had it for itself. Drop when 6.12 is the
 * oldest kernel.
 */
#ifndef COMPAT_HAVE_GET_NETDEV
struct net_device *ib_device_get_netdev(struct ib_device *ib_dev,
					unsigned int port);
#endif

/*
 * Since 6.12 a device may be a part of another one. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_SUBDEV
#define compat_subdev_init(device) do { \
	mutex_init(&(device)->subdev_lock); \
	INIT_LIST_HEAD(&(device)->subdev_list_head); \
	INIT_LIST_HEAD(&(device)->subdev_list); \
} while (0)
#else
#define compat_subdev_init(device) do { } while (0)
#endif

/*
 * What concerns parts of devices: entries of tables that are there where the
 * kernel has the thing. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_SUBDEV
#define COMPAT_SUBDEV(...) __VA_ARGS__,
#define compat_subdevs_remove(device) ofed_subdevs_remove(device)
#define compat_subdev_leave(device) ofed_subdev_leave(device)
/* The lock of a device that has parts is taken outside of theirs. */
#define compat_subdev_lockdep(device) do { \
	static struct lock_class_key parent_key; \
	if ((device)->ops.add_sub_dev) \
		lockdep_set_class(&(device)->unregistration_lock, \
				  &parent_key); \
} while (0)
#define compat_set_sub_ops(device, ops) ib_set_device_ops((device), (ops))
#else
#define COMPAT_SUBDEV(...)
#define compat_subdevs_remove(device) do { } while (0)
#define compat_subdev_leave(device) do { } while (0)
#define compat_subdev_lockdep(device) do { } while (0)
#define compat_set_sub_ops(device, ops) do { } while (0)
#endif

/*
 * Since 6.12 the SMI part of a device may be a device of its own. It is there
 * for management, not for programs. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_SUBDEV
#define compat_is_smi_dev(device) ((device)->type == RDMA_DEVICE_TYPE_SMI)
#else
#define compat_is_smi_dev(device) ((void)(device), false)
#endif

/*
 * 6.12 has issmN for ports with subnet management alone; before, each port with MADs
 * has it. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_SUBDEV
#define compat_has_issm(device, port) rdma_cap_ib_smi((device), (port))
#else
#define compat_has_issm(device, port) ((void)(device), (void)(port), true)
#endif

/*
 * In <rdma/ib_verbs.h> since 6.12: zap what is mapped of a device. Built for
 * both, exported where declared. Drop with 6.1.
 */
#ifndef COMPAT_HAVE_MMAP_DISASSOCIATE
void rdma_user_mmap_disassociate(struct ib_device *device);
#endif

/*
 * 6.12 has room for the whole speed of a port in the answer to QUERY_PORT.
 * Before, those bytes are reserved. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_PORT_SPEED_EX
#define compat_port_set_speed(resp, speed) ((resp)->active_speed_ex = (speed))
#else
#define compat_port_set_speed(resp, speed) ((void)(resp))
#endif

/*
 * class.dev_uevent and class.devnode take a const device since 6.2 and 6.3.
 * Drop when 6.12 is the oldest kernel.
 */
#ifdef COMPAT_HAVE_CONST_CLASS_OPS
#define compat_class_device const struct device
#else
#define compat_class_device struct device
#endif

/*
 * In 7.3 a device begins in a namespace that its driver names: the first one, as
 * before. Drop with 6.12.
 */
#ifdef COMPAT_HAVE_ALLOC_DEVICE_NET
#define compat_ib_alloc_device(size) _ib_alloc_device((size), &init_net)
#else
#define compat_ib_alloc_device(size) _ib_alloc_device(size)
#endif

/*
 * Since 7.x the namespace of an object of sysfs is a struct ns_common. Drop when 7.x is the
 * oldest kernel.
 */
#ifdef COMPAT_HAVE_CLASS_NS_COMMON
#define compat_class_ns struct ns_common
#define compat_class_ns_of(net) to_ns_common(net)
#else
#define compat_class_ns void
#define compat_class_ns_of(net) (net)
#endif

/*
 * Since 7.x a driver says which namespace its device is at home in. Drop when 7.x is the oldest
 * kernel.
 */
#ifdef COMPAT_HAVE_ALLOC_DEVICE_NET
#define COMPAT_ALLOC_DEVICE_PARAMS size_t size, struct net *net
#define COMPAT_ALLOC_DEVICE_NET net
#else
#define COMPAT_ALLOC_DEVICE_PARAMS size_t size
#define COMPAT_ALLOC_DEVICE_NET &init_net
#endif

/*
 * Since 7.x the core watches interfaces of ports: a row of a table that is there where the kernel
 * has it. Drop when 7.x is the oldest kernel.
 */
#ifdef COMPAT_HAVE_PORT_EVENTS
#define COMPAT_PORT_EVENTS(...) __VA_ARGS__,
#else
#define COMPAT_PORT_EVENTS(...)
#endif

/* rdma_restrack_count() returns what cannot be negative since 7.x. */
#ifdef COMPAT_HAVE_RESTRACK_U32
#define compat_restrack_num u32
#else
#define compat_restrack_num int
#endif

#endif /* OFED_COMPAT_DEVICE_H */
