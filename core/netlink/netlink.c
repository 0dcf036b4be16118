// SPDX-License-Identifier: GPL-2.0
/*
 * NETLINK_RDMA: one kernel socket per network namespace, one table of ops per
 * client index. The indexes and ops of all clients are in the uapi header; the
 * clients that live in other modules are loaded by the first message to them.
 */
#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <net/netlink.h>
#include <net/sock.h>
#include <ofed/refuse.h>
#include <rdma/rdma_netlink.h>

#include "netlink.h"
#include "../device/netns.h"

/* A listener that does not read stalls a waiting sender for this long. */
#define SEND_TIMEOUT (10 * HZ)

/**
 * struct nl_client - one index of the family
 * @cbs: ops, by op number; NULL while no client is registered
 * @users: callbacks of @cbs that are running
 */
struct nl_client {
	const struct rdma_nl_cbs *cbs;
	unsigned int users;
};

/*
 * Guards both members of every client. It is not held over a callback: one may
 * load a module (its init registers another client), or unload one. The count
 * is per client for the same reason: to unregister a client is to wait for its
 * own callbacks only.
 */
static DEFINE_SPINLOCK(clients_lock);
static struct nl_client clients[RDMA_NL_NUM_CLIENTS];
/* Woken when the last callback of an unregistered client returns. */
static DECLARE_WAIT_QUEUE_HEAD(clients_idle);

static const unsigned int num_ops[RDMA_NL_NUM_CLIENTS] = {
	[RDMA_NL_NLDEV]	= RDMA_NLDEV_NUM_OPS,
	[RDMA_NL_LS]	= RDMA_NL_LS_NUM_OPS,
	[RDMA_NL_IWCM]	= RDMA_NL_IWPM_NUM_OPS,
};

static bool nl_op_exists(unsigned int index, unsigned int op)
{
	return index < ARRAY_SIZE(num_ops) && op < num_ops[index];
}

static const struct rdma_nl_cbs *nl_client_get(unsigned int index)
{
	const struct rdma_nl_cbs *cbs;

	spin_lock(&clients_lock);
	cbs = clients[index].cbs;
	if (cbs)
		clients[index].users++;
	spin_unlock(&clients_lock);
	return cbs;
}

static void nl_client_put(unsigned int index)
{
	struct nl_client *client = &clients[index];
	bool last;

	spin_lock(&clients_lock);
	last = !--client->users && !client->cbs;
	spin_unlock(&clients_lock);
	if (last)
		wake_up_all(&clients_idle);
}

static bool nl_client_is_idle(unsigned int index)
{
	bool idle;

	spin_lock(&clients_lock);
	idle = !clients[index].users;
	spin_unlock(&clients_lock);
	return idle;
}

static const struct rdma_nl_cbs *nl_client_get_or_load(unsigned int index)
{
	const struct rdma_nl_cbs *cbs = nl_client_get(index);

	if (cbs)
		return cbs;
	request_module("rdma-netlink-subsys-%u", index);
	return nl_client_get(index);
}

/**
 * rdma_nl_register - register a client of NETLINK_RDMA
 * @index: RDMA_NL_IWCM, RDMA_NL_LS or RDMA_NL_NLDEV
 * @cb_table: its ops by op number, as many as the uapi header has for @index;
 *	      must stay valid until rdma_nl_unregister()
 *
 * Ops may be called from here on, several at a time. An index that is taken, or
 * that does not exist, is a bug of the caller. Context: any but interrupts.
 */
void rdma_nl_register(unsigned int index, const struct rdma_nl_cbs cb_table[])
{
	bool taken = true;

	if (WARN_ON(!nl_op_exists(index, 0)))
		return;
	spin_lock(&clients_lock);
	if (!clients[index].cbs) {
		clients[index].cbs = cb_table;
		taken = false;
	}
	spin_unlock(&clients_lock);
	WARN_ON(taken);
}
OFED_EXPORT(rdma_nl_register);

/**
 * rdma_nl_unregister - remove a client of NETLINK_RDMA
 * @index: index given to rdma_nl_register()
 *
 * Returns when none of its callbacks is running and none can begin, also for
 * dumps that are under way. Context: process, may sleep; not from one of the
 * client's own callbacks.
 */
void rdma_nl_unregister(unsigned int index)
{
	might_sleep();
	if (WARN_ON(!nl_op_exists(index, 0)))
		return;
	spin_lock(&clients_lock);
	clients[index].cbs = NULL;
	spin_unlock(&clients_lock);
	wait_event(clients_idle, nl_client_is_idle(index));
}
OFED_EXPORT(rdma_nl_unregister);

/**
 * ibnl_put_msg - begin a message
 * @skb: buffer to append to
 * @nlh: out: header of the message, or NULL
 * @seq: sequence number
 * @len: bytes of payload to reserve
 * @client: index of the client
 * @op: op of the client
 * @flags: NLM_F_*
 *
 * Context: any. Return: the payload, or NULL when @skb has no room.
 */
void *ibnl_put_msg(struct sk_buff *skb, struct nlmsghdr **nlh, int seq,
		   int len, int client, int op, int flags)
{
	struct nlmsghdr *head;

	head = nlmsg_put(skb, 0, seq, RDMA_NL_GET_TYPE(client, op), len, flags);
	*nlh = head;
	return head ? nlmsg_data(head) : NULL;
}
OFED_EXPORT(ibnl_put_msg);

/**
 * ibnl_put_attr - append an attribute to a message
 * @skb: buffer that holds the message
 * @nlh: header of the message
 * @len: bytes of data
 * @data: the data
 * @type: type of the attribute
 *
 * Context: any. Return: 0, or -EMSGSIZE when @skb has no room.
 */
int ibnl_put_attr(struct sk_buff *skb, struct nlmsghdr *nlh, int len,
		  void *data, int type)
{
	return nla_put(skb, type, len, data);
}
OFED_EXPORT(ibnl_put_attr);

static int nl_send_to(struct net *net, struct sk_buff *skb, u32 portid, int flags)
{
	/* netlink_unicast() gives the length on success. */
	return min(0, netlink_unicast(ofed_net_of(net)->nl_sock, skb, portid,
				      flags));
}

/**
 * rdma_nl_unicast - send a message to one socket
 * @net: namespace of the socket
 * @skb: message, consumed in any case
 * @pid: port id of the socket
 *
 * Context: process. Return: 0, -EAGAIN (its buffer is full), -ECONNREFUSED (no
 * such socket).
 */
int rdma_nl_unicast(struct net *net, struct sk_buff *skb, u32 pid)
{
	return nl_send_to(net, skb, pid, MSG_DONTWAIT);
}
OFED_EXPORT(rdma_nl_unicast);

/**
 * rdma_nl_unicast_wait - send a message to one socket, waiting for room
 * @net: namespace of the socket
 * @skb: message, consumed in any case
 * @pid: port id of the socket
 *
 * Context: process, sleeps up to ten seconds while the buffer of the socket is
 * full. Return: 0, -EAGAIN (still full), -ECONNREFUSED (no such socket), or
 * -EINTR or -ERESTARTSYS for a signal.
 */
int rdma_nl_unicast_wait(struct net *net, struct sk_buff *skb, __u32 pid)
{
	return nl_send_to(net, skb, pid, 0);
}
OFED_EXPORT(rdma_nl_unicast_wait);

/**
 * rdma_nl_multicast - send a message to a group
 * @net: namespace
 * @skb: message, consumed in any case
 * @group: RDMA_NL_GROUP_*
 * @flags: how to allocate copies
 *
 * Context: process, or any with GFP_ATOMIC.
 * Return: 0, -ESRCH (the group has no listener), -ENOBUFS, -ENOMEM.
 */
int rdma_nl_multicast(struct net *net, struct sk_buff *skb, unsigned int group,
		      gfp_t flags)
{
	return nlmsg_multicast(ofed_net_of(net)->nl_sock, skb, 0, group, flags);
}
OFED_EXPORT(rdma_nl_multicast);

/**
 * rdma_nl_chk_listeners - ask whether a group has listeners
 * @group: RDMA_NL_GROUP_*
 *
 * Looks at init_net only, where the services that listen run. Context: any.
 * Return: true if there is one.
 */
bool rdma_nl_chk_listeners(unsigned int group)
{
	return netlink_has_listeners(ofed_net_of(&init_net)->nl_sock, group);
}
OFED_EXPORT(rdma_nl_chk_listeners);

/*
 * The dump of every client. It goes on in later calls of recvmsg(), when the
 * client's module may have gone: each call looks the client up again.
 */
static int nl_continue_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned int index = RDMA_NL_GET_CLIENT(cb->nlh->nlmsg_type);
	unsigned int op = RDMA_NL_GET_OP(cb->nlh->nlmsg_type);
	const struct rdma_nl_cbs *cbs = nl_client_get(index);
	int ret;

	if (!cbs)
		return -EINVAL;
	ret = cbs[op].dump ? cbs[op].dump(skb, cb) : -EINVAL;
	nl_client_put(index);
	return ret;
}

static bool nl_is_dump(unsigned int index, const struct nlmsghdr *nlh)
{
	/* The service's answers use the bit of NLM_F_ROOT for "failed". */
	if (index == RDMA_NL_LS)
		return false;
	/* The port mapper never sets a flag, but all its ops are dumps. */
	return index == RDMA_NL_IWCM || (nlh->nlmsg_flags & NLM_F_DUMP);
}

static int nl_call_op(struct sk_buff *skb, struct nlmsghdr *nlh,
		      const struct rdma_nl_cbs *cb, unsigned int index,
		      struct netlink_ext_ack *extack)
{
	struct netlink_dump_control dump = { .dump = nl_continue_dump };

	if ((cb->flags & RDMA_NL_ADMIN_PERM) &&
	    !netlink_capable(skb, CAP_NET_ADMIN)) {
		NL_SET_ERR_MSG(extack,
			       "CAP_NET_ADMIN of the initial user namespace is required");
		return -EPERM;
	}
	if (nl_is_dump(index, nlh))
		return cb->dump ? netlink_dump_start(skb->sk, skb, nlh, &dump) :
		       ofed_refuse_call(-EINVAL, "ib_core: netlink type 0x%x is no dump",
					nlh->nlmsg_type);
	return cb->doit ? cb->doit(skb, nlh, extack) :
	       ofed_refuse_call(-EINVAL, "ib_core: netlink type 0x%x is but a dump",
				nlh->nlmsg_type);
}

static int nl_dispatch(struct sk_buff *skb, struct nlmsghdr *nlh,
		       struct netlink_ext_ack *extack)
{
	unsigned int index = RDMA_NL_GET_CLIENT(nlh->nlmsg_type);
	unsigned int op = RDMA_NL_GET_OP(nlh->nlmsg_type);
	const struct rdma_nl_cbs *cbs;
	int ret;

	if (!nl_op_exists(index, op))
		return ofed_refuse_call(-EINVAL,
					"ib_core: there is no netlink type 0x%x",
					nlh->nlmsg_type);
	/* The services behind the other indexes run in init_net only. */
	if (index != RDMA_NL_NLDEV && !net_eq(sock_net(skb->sk), &init_net))
		return ofed_refuse_call(-EINVAL,
					"ib_core: netlink client %u is of the initial namespace",
					index);

	cbs = nl_client_get_or_load(index);
	if (!cbs)
		return ofed_refuse_call(-EINVAL,
					"ib_core: netlink client %u is not there",
					index);
	ret = nl_call_op(skb, nlh, &cbs[op], index, extack);
	nl_client_put(index);
	return ret;
}

/* A local service's answers to the kernel's requests have no NLM_F_REQUEST. */
static bool nl_is_for_kernel(const struct nlmsghdr *nlh)
{
	if (nlh->nlmsg_type < NLMSG_MIN_TYPE)
		return false;
	return (nlh->nlmsg_flags & NLM_F_REQUEST) ||
	       RDMA_NL_GET_CLIENT(nlh->nlmsg_type) == RDMA_NL_LS;
}

static void nl_receive_one(struct sk_buff *skb, struct nlmsghdr *nlh)
{
	struct netlink_ext_ack extack = {};
	int ret = 0;

	if (nl_is_for_kernel(nlh))
		ret = nl_dispatch(skb, nlh, &extack);
	/* A dump has begun; its NLMSG_DONE stands for the ACK. Of any other op it is an error. */
	if (ret == -EINTR && nl_is_dump(RDMA_NL_GET_CLIENT(nlh->nlmsg_type), nlh))
		return;
	if (ret || (nlh->nlmsg_flags & NLM_F_ACK))
		netlink_ack(skb, nlh, ret, &extack);
}

static void nl_receive(struct sk_buff *skb)
{
	struct nlmsghdr *nlh;

	while (skb->len >= NLMSG_HDRLEN) {
		nlh = nlmsg_hdr(skb);
		if (nlh->nlmsg_len < NLMSG_HDRLEN || nlh->nlmsg_len > skb->len)
			return;
		nl_receive_one(skb, nlh);
		skb_pull(skb, min_t(unsigned int, skb->len,
				    NLMSG_ALIGN(nlh->nlmsg_len)));
	}
}

/*
 * Events are for all users. A group of a service is not: as soon as it has a listener, each
 * path query or iWARP mapping goes there first and waits for an answer, which needs the same
 * capability.
 */
static int nl_join(struct net *net, int group)
{
	if (group != RDMA_NL_GROUP_LS && group != RDMA_NL_GROUP_IWPM)
		return 0;
	if (ns_capable(net->user_ns, CAP_NET_ADMIN))
		return 0;
	return ofed_refuse_call(-EPERM, "ib_core: netlink group %d, CAP_NET_ADMIN is required",
				group);
}

int ofed_nl_net_init(struct net *net)
{
	struct netlink_kernel_cfg cfg = {
		.input = nl_receive,
		.bind = nl_join,
		.flags = NL_CFG_F_NONROOT_RECV,
	};
	struct sock *sk = netlink_kernel_create(net, NETLINK_RDMA, &cfg);

	if (!sk)
		return -ENOMEM;
	sk->sk_sndtimeo = SEND_TIMEOUT;
	ofed_net_of(net)->nl_sock = sk;
	return 0;
}

void ofed_nl_net_exit(struct net *net)
{
	netlink_kernel_release(ofed_net_of(net)->nl_sock);
}

MODULE_ALIAS_NET_PF_PROTO(PF_NETLINK, NETLINK_RDMA);
