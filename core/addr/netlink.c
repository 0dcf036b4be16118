// SPDX-License-Identifier: GPL-2.0
/*
 * Local services that know the GID of an IP address. Their questions and answers have an op of
 * their own (RDMA_NL_LS_OP_IP_RESOLVE), and so numbers of their own.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <ofed/refuse.h>
#include <rdma/ib_user_sa.h>

#include "../netlink/ls.h"
#include "netlink.h"

/* Guards waiting; taken in any context. */
static DEFINE_SPINLOCK(ip_lock);
static LIST_HEAD(waiting);	/* struct ofed_ls_ip_query */
static atomic_t last_seq;

static int addr_fill_ip(struct sk_buff *skb, u32 seq, int ifindex,
			sa_family_t family, const void *addr)
{
	int type = family == AF_INET ? LS_NLA_TYPE_IPV4 : LS_NLA_TYPE_IPV6;
	int len = family == AF_INET ? sizeof(struct in_addr) :
				      sizeof(struct in6_addr);
	struct rdma_ls_ip_resolve_header *header;
	struct nlmsghdr *nlh;
	int ret;

	header = ibnl_put_msg(skb, &nlh, seq, sizeof(*header), RDMA_NL_LS,
			      RDMA_NL_LS_OP_IP_RESOLVE, NLM_F_REQUEST);
	if (!header)
		return -EMSGSIZE;
	header->ifindex = ifindex;
	ret = ofed_ls_put(skb, type, len, addr);
	if (!ret)
		nlmsg_end(skb, nlh);
	return ret;
}

int ofed_ls_ip_ask(struct ofed_ls_ip_query *query, int ifindex,
		   sa_family_t family, const void *addr)
{
	struct sk_buff *skb;
	int ret;

	INIT_LIST_HEAD(&query->link);
	if (family != AF_INET && family != AF_INET6)
		return -EINVAL;
	if (!rdma_nl_chk_listeners(RDMA_NL_GROUP_LS))
		return -ENODATA;
	skb = nlmsg_new(NLMSG_ALIGN(sizeof(struct rdma_ls_ip_resolve_header)) +
			nla_total_size(sizeof(struct in6_addr)), GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	query->seq = (u32)atomic_inc_return(&last_seq);
	ret = addr_fill_ip(skb, query->seq, ifindex, family, addr);
	if (ret) {
		nlmsg_free(skb);
		return ret;
	}

	spin_lock_irq(&ip_lock);
	list_add_tail(&query->link, &waiting);
	spin_unlock_irq(&ip_lock);
	ret = rdma_nl_multicast(&init_net, skb, RDMA_NL_GROUP_LS, GFP_KERNEL);
	if (ret)
		ofed_ls_ip_forget(query);
	/* The listener that there is belongs to another namespace. */
	return ret == -ESRCH ? -ENODATA : ret;
}

void ofed_ls_ip_forget(struct ofed_ls_ip_query *query)
{
	unsigned long flags;

	spin_lock_irqsave(&ip_lock, flags);
	list_del_init(&query->link);
	spin_unlock_irqrestore(&ip_lock, flags);
}

static const struct nlattr *addr_find_gid(const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;
	int left;

	if (nlh->nlmsg_flags & RDMA_NL_LS_F_ERR)
		return NULL;
	nla_for_each_attr(attr, nlmsg_data(nlh), nlmsg_len(nlh), left)
		if (ofed_ls_is_attr(attr, LS_NLA_TYPE_DGID, sizeof(union ib_gid)))
			return attr;
	return NULL;
}

int ofed_ls_ip_answered(struct sk_buff *skb, struct nlmsghdr *nlh,
			struct netlink_ext_ack *extack)
{
	struct ofed_ls_ip_query *query;
	const struct nlattr *attr;
	union ib_gid gid;

	if (!ofed_ls_is_answer(skb, nlh))
		return ofed_refuse_call(-EPERM,
					"ib_addr: a GID from a socket that may not answer");
	attr = addr_find_gid(nlh);
	if (attr)
		memcpy(&gid, nla_data(attr), sizeof(gid));

	/* Under the lock, so that ofed_ls_ip_forget() waits for it. */
	spin_lock_irq(&ip_lock);
	list_for_each_entry(query, &waiting, link)
		if (query->seq == nlh->nlmsg_seq) {
			list_del_init(&query->link);
			query->answer(query, attr ? &gid : NULL);
			break;
		}
	spin_unlock_irq(&ip_lock);
	return 0;
}
