/* SPDX-License-Identifier: GPL-2.0 */
/* NETLINK_RDMA. */
#ifndef OFED_COMPAT_NETLINK_H
#define OFED_COMPAT_NETLINK_H

struct sk_buff;
struct ib_srq;

/*
 * What netlink tells of a device that is a part of another one, since 6.12. True
 * when the message has no room. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_SUBDEV
#define compat_nl_put_subdev(msg, device) \
	(((device)->type && nla_put_u8((msg), RDMA_NLDEV_ATTR_DEV_TYPE, \
				       (device)->type)) || \
	 ((device)->parent && \
	  nla_put_string((msg), RDMA_NLDEV_ATTR_PARENT_NAME, \
			 (device)->parent->name)) || \
	 nla_put_u8((msg), RDMA_NLDEV_ATTR_NAME_ASSIGN_TYPE, \
		    (device)->name_assign_type))
#else
#define compat_nl_put_subdev(msg, device) ((void)(msg), (void)(device), false)
#endif

/*
 * Since 6.12 drivers add to answers about SRQs, and give theirs raw. Drop with
 * 6.1.
 */
#ifdef COMPAT_HAVE_FILL_SRQ
#define COMPAT_SRQ_RAW(...) __VA_ARGS__,
#define compat_fill_srq(device) ((device)->ops.fill_res_srq_entry)
#define compat_fill_srq_raw(device) ((device)->ops.fill_res_srq_entry_raw)
#define compat_fill_srq_ops(fill, raw) \
	.fill_res_srq_entry = (fill), .fill_res_srq_entry_raw = (raw),
#else
#define COMPAT_SRQ_RAW(...)
#define compat_fill_srq(device) \
	((void)(device), (int (*)(struct sk_buff *, struct ib_srq *))NULL)
#define compat_fill_srq_raw(device) compat_fill_srq(device)
#define compat_fill_srq_ops(fill, raw)
#endif

/*
 * Since 6.12 a group of NETLINK_RDMA hears of devices and their netdevs. Drop
 * with 6.1.
 */
#ifdef COMPAT_HAVE_NL_NOTIFY
#define compat_nl_notify(device, port, event) \
	rdma_nl_notify_event((device), (port), RDMA_##event##_EVENT)
#define compat_nl_tell_of_new(device) ofed_nldev_tell_of_new(device)
#define compat_nl_put_monitor(msg) \
	nla_put_u8((msg), RDMA_NLDEV_SYS_ATTR_MONITOR_MODE, 1)
#else
#define compat_nl_notify(device, port, event) do { } while (0)
#define compat_nl_tell_of_new(device) do { } while (0)
#define compat_nl_put_monitor(msg) ((void)(msg), false)
#endif

/* Since 7.x a driver hears that a link goes before its device does. Drop with 6.12. */
#ifdef COMPAT_HAVE_LINK_DELLINK
#define compat_link_dellink(device) ({ \
	struct ib_device *_device = (device); \
	int _ret = _device->link_ops && _device->link_ops->dellink ? \
		   _device->link_ops->dellink(_device) : 0; \
	\
	/* It is to hear of that once. */ \
	if (!_ret) \
		_device->link_ops = NULL; \
	_ret; })
#else
#define compat_link_dellink(device) ((void)(device), 0)
#endif

/* Since 7.x that group hears of new names too. Drop when 7.x is the oldest kernel. */
#ifdef COMPAT_HAVE_NL_RENAME
#define compat_nl_notify_rename(device, port, event) \
	rdma_nl_notify_event((device), (port), RDMA_##event##_EVENT)
#define compat_nl_is_netdev_rename(event) ((event) == RDMA_NETDEV_RENAME_EVENT)
#else
#define compat_nl_notify_rename(device, port, event) do { } while (0)
#define compat_nl_is_netdev_rename(event) ((void)(event), false)
#endif

/*
 * Since 7.x the summary of objects has the most that there can be of a kind; 0: that is not known.
 * True when the message has no room. Drop when 7.x is the oldest kernel.
 */
#ifdef COMPAT_HAVE_NL_SUMMARY_MAX
#define compat_nl_put_summary_max(msg, max) \
	((max) && nla_put_u64_64bit((msg), RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_MAX, (max), \
				    RDMA_NLDEV_ATTR_PAD))
#else
#define compat_nl_put_summary_max(msg, max) ((void)(msg), (void)(max), false)
#endif

/*
 * Since 7.x netlink shows pools of regions: entries of tables that are there where the kernel has
 * them. Drop when 7.x is the oldest kernel.
 */
#ifdef COMPAT_HAVE_FRMR
#define COMPAT_FRMR(...) __VA_ARGS__,
#else
#define COMPAT_FRMR(...)
#endif

#endif /* OFED_COMPAT_NETLINK_H */
