/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nldev: the NLDEV client of NETLINK_RDMA, of which rdma(8) and libibverbs query
 * devices. nldev.c has the table of ops, msg.c what all of them share; each other file
 * fills one response. It may use the folders below it: device, netlink, port, addr,
 * track, umem, verbs, mad, sa, sysfs, cm/ib, cm/iw, register.
 */
#ifndef OFED_CORE_NLDEV_H
#define OFED_CORE_NLDEV_H

#include <linux/netlink.h>
#include <net/netlink.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>

/* No port number; 0 is one, of a switch. */
#define NLDEV_NO_PORT U64_MAX

/**
 * struct nldev_req - a request, taken apart
 * @net: network namespace of the asker
 * @portid: where the reply goes
 * @nlh: header of the request
 * @extack: for the reason of a failure
 * @port: its PORT_INDEX, or NLDEV_NO_PORT
 * @admin: the asker may see keys
 * @details: DRIVER_DETAILS is on
 * @tb: its attributes, checked against the policy
 */
struct nldev_req {
	struct net *net;
	u32 portid;
	const struct nlmsghdr *nlh;
	struct netlink_ext_ack *extack;
	u64 port;
	bool admin;
	bool details;
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];
};

/*
 * Appends what it has to say to @msg. @device is held; NULL for replies about
 * the system. Return: 0, -EMSGSIZE (no room), or an errno for the asker.
 */
typedef int (*nldev_fill)(struct sk_buff *msg, struct ib_device *device,
			  const struct nldev_req *req);

/* Return: 0, or -EINVAL for whatever is wrong with the request. */
int ofed_nldev_parse(struct nldev_req *req, const struct sk_buff *skb,
		     const struct nlmsghdr *nlh,
		     struct netlink_ext_ack *extack);

/* For commands that old tools do not know: marks of nests and exact lengths. 0 or an errno. */
int ofed_nldev_check_strict(const struct nlmsghdr *nlh, struct netlink_ext_ack *extack);

/* The device that DEV_INDEX names, held by ib_device_try_get(), or NULL. */
struct ib_device *ofed_nldev_device(const struct nldev_req *req);

/* Both in one, for requests about one device. Return: it, held, or -EINVAL. */
struct ib_device *ofed_nldev_parse_device(struct nldev_req *req,
					  const struct sk_buff *skb,
					  const struct nlmsghdr *nlh,
					  struct netlink_ext_ack *extack);

/* Send one message that @fill fills. */
int ofed_nldev_reply(const struct nldev_req *req, struct ib_device *device,
		     nldev_fill fill);

/* A whole doit: a reply about the device that DEV_INDEX names. */
int ofed_nldev_reply_device(struct sk_buff *skb, struct nlmsghdr *nlh,
			    struct netlink_ext_ack *extack, nldev_fill fill);

/* Append a message of a dump to @skb; nothing stays of one that fails. */
int ofed_nldev_put_part(struct sk_buff *skb, struct ib_device *device,
			const struct nldev_req *req, nldev_fill fill);

/* A whole dump: a message for each device that the asker may see. */
int ofed_nldev_dump_devices(struct sk_buff *skb, struct netlink_callback *cb,
			    nldev_fill fill);

/* DEV_INDEX and DEV_NAME, which every reply about a device begins with. */
int ofed_nldev_put_handle(struct sk_buff *msg, struct ib_device *device);
/* The same and PORT_INDEX, of replies about a port. */
int ofed_nldev_put_port(struct sk_buff *msg, struct ib_device *device,
			u32 port);

/* The reply to GET. */
int ofed_nldev_put_device(struct sk_buff *msg, struct ib_device *device,
			  const struct nldev_req *req);

/* The reply to PORT_GET, but for the netdev, from what the driver said. */
int ofed_nldev_put_port_attr(struct sk_buff *msg, struct ib_device *device,
			     u32 port, const struct ib_port_attr *attr);
int ofed_nldev_put_netdev(struct sk_buff *msg, struct ib_device *device,
			  u32 port, const struct net *net);

/* A port of @device, by PORT_INDEX. */
static inline bool ofed_nldev_has_port(const struct nldev_req *req,
				       struct ib_device *device)
{
	return req->port != NLDEV_NO_PORT &&
	       rdma_is_port_valid(device, req->port);
}

/**
 * struct nldev_kind - objects of one kind, as one command shows them
 * @type: the kind
 * @table: attribute that nests the entries of a dump
 * @entry: attribute that nests each of them
 * @id: attribute by which a request names one object
 * @per_port: a request for one object names its port too; others must not
 * @fill: appends what is told of one object, which the caller holds a reference
 *	  of. Return: 0; -EAGAIN (of no interest to @req), -EMSGSIZE, or an errno
 *	  for the asker
 */
struct nldev_kind {
	enum rdma_restrack_type type;
	u16 table;
	u16 entry;
	u16 id;
	bool per_port;
	int (*fill)(struct sk_buff *msg, struct rdma_restrack_entry *res,
		    const struct nldev_req *req);
};

/* Whole doits and dumps: one object that the request names, or all of them. */
int ofed_nldev_one(struct sk_buff *skb, struct nlmsghdr *nlh,
		   struct netlink_ext_ack *extack,
		   const struct nldev_kind *kind);
int ofed_nldev_all(struct sk_buff *skb, struct netlink_callback *cb,
		   const struct nldev_kind *kind);

/* RES_PID of a user's object, RES_KERN_NAME of the kernel's. */
int ofed_nldev_put_owner(struct sk_buff *msg,
			 const struct rdma_restrack_entry *res);

/*
 * qp.c, obj.c, cm/rdma/res.c and counter.c: nldev_kind.fill of
 * one kind each; the raw ones give what the driver alone understands.
 */
int ofed_nldev_put_qp(struct sk_buff *msg, struct rdma_restrack_entry *res,
		      const struct nldev_req *req);
int ofed_nldev_put_qp_raw(struct sk_buff *msg, struct rdma_restrack_entry *res,
			  const struct nldev_req *req);
int ofed_nldev_put_cq(struct sk_buff *msg, struct rdma_restrack_entry *res,
		      const struct nldev_req *req);
int ofed_nldev_put_cq_raw(struct sk_buff *msg, struct rdma_restrack_entry *res,
			  const struct nldev_req *req);
int ofed_nldev_put_mr(struct sk_buff *msg, struct rdma_restrack_entry *res,
		      const struct nldev_req *req);
int ofed_nldev_put_mr_raw(struct sk_buff *msg, struct rdma_restrack_entry *res,
			  const struct nldev_req *req);
int ofed_nldev_put_pd(struct sk_buff *msg, struct rdma_restrack_entry *res,
		      const struct nldev_req *req);
int ofed_nldev_put_ctx(struct sk_buff *msg, struct rdma_restrack_entry *res,
		       const struct nldev_req *req);
int ofed_nldev_put_srq(struct sk_buff *msg, struct rdma_restrack_entry *res,
		       const struct nldev_req *req);
int ofed_nldev_put_srq_raw(struct sk_buff *msg, struct rdma_restrack_entry *res,
			   const struct nldev_req *req);
int ofed_nldev_put_cm_id(struct sk_buff *msg, struct rdma_restrack_entry *res,
			 const struct nldev_req *req);

/* The first QP at or after @id, with a reference on its entry, or NULL. */
struct ib_qp *ofed_nldev_next_qp(struct ib_device *device, u32 *id);

/* Return: 0, or -EINVAL for a name that no device may have. */
int ofed_nldev_check_name(const char *name);

/* For a new link: a '%' would make a pattern of the name, so -EINVAL too. */
int ofed_nldev_check_link_name(const char *name);

/* dev.c */
int ofed_nldev_get(struct sk_buff *skb, struct nlmsghdr *nlh,
		   struct netlink_ext_ack *extack);
int ofed_nldev_get_dump(struct sk_buff *skb, struct netlink_callback *cb);
int ofed_nldev_set(struct sk_buff *skb, struct nlmsghdr *nlh,
		   struct netlink_ext_ack *extack);
int ofed_nldev_get_chardev(struct sk_buff *skb, struct nlmsghdr *nlh,
			   struct netlink_ext_ack *extack);
int ofed_nldev_res_get(struct sk_buff *skb, struct nlmsghdr *nlh,
		       struct netlink_ext_ack *extack);
int ofed_nldev_res_get_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* res.c: RES_*_GET and RES_*_GET_RAW, told apart by the request's type. */
int ofed_nldev_res_one(struct sk_buff *skb, struct nlmsghdr *nlh,
		       struct netlink_ext_ack *extack);
int ofed_nldev_res_all(struct sk_buff *skb, struct netlink_callback *cb);

/* counter.c */
int ofed_nldev_stat_set(struct sk_buff *skb, struct nlmsghdr *nlh,
			struct netlink_ext_ack *extack);
int ofed_nldev_stat_del(struct sk_buff *skb, struct nlmsghdr *nlh,
			struct netlink_ext_ack *extack);
int ofed_nldev_stat_get_res(struct sk_buff *skb, struct nlmsghdr *nlh,
			    struct netlink_ext_ack *extack,
			    const struct nldev_req *req);
int ofed_nldev_stat_get_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* sub.c, where devices can have parts */
int ofed_nldev_newdev(struct sk_buff *skb, struct nlmsghdr *nlh,
		      struct netlink_ext_ack *extack);
int ofed_nldev_deldev(struct sk_buff *skb, struct nlmsghdr *nlh,
		      struct netlink_ext_ack *extack);

/* frmr.c, where drivers can keep regions */
extern const struct nla_policy ofed_nldev_frmr_key[RDMA_NLDEV_ATTR_MAX];
int ofed_nldev_frmr_dump(struct sk_buff *skb, struct netlink_callback *cb);
int ofed_nldev_frmr_set(struct sk_buff *skb, struct nlmsghdr *nlh,
			struct netlink_ext_ack *extack);

/* link.c */
int ofed_nldev_port_get(struct sk_buff *skb, struct nlmsghdr *nlh,
			struct netlink_ext_ack *extack);
int ofed_nldev_port_get_dump(struct sk_buff *skb, struct netlink_callback *cb);
int ofed_nldev_newlink(struct sk_buff *skb, struct nlmsghdr *nlh,
		       struct netlink_ext_ack *extack);
int ofed_nldev_dellink(struct sk_buff *skb, struct nlmsghdr *nlh,
		       struct netlink_ext_ack *extack);

/* stat.c */
int ofed_nldev_stat_get(struct sk_buff *skb, struct nlmsghdr *nlh,
			struct netlink_ext_ack *extack);
int ofed_nldev_stat_status(struct sk_buff *skb, struct nlmsghdr *nlh,
			   struct netlink_ext_ack *extack);
int ofed_nldev_put_hwstats(struct sk_buff *msg, struct ib_device *device,
			   const struct rdma_hw_stats *stats, u32 port);
int ofed_nldev_set_optional(struct ib_device *device, u32 port,
			    const struct nlattr *table);

/* sys.c */
int ofed_nldev_sys_get(struct sk_buff *skb, struct nlmsghdr *nlh,
		       struct netlink_ext_ack *extack);
int ofed_nldev_sys_set(struct sk_buff *skb, struct nlmsghdr *nlh,
		       struct netlink_ext_ack *extack);

#endif /* OFED_CORE_NLDEV_H */
