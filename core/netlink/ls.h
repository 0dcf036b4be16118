/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Local services: the client RDMA_NL_LS of NETLINK_RDMA. A program such as ibacm listens to
 * the group RDMA_NL_GROUP_LS. A message to it has a family header, then attributes; an answer
 * has attributes alone, and the number of the question.
 */
#ifndef OFED_CORE_NETLINK_LS_H
#define OFED_CORE_NETLINK_LS_H

#include <net/netlink.h>
#include <rdma/rdma_netlink.h>

static inline int ofed_ls_put(struct sk_buff *skb, int type, int len, const void *data)
{
	return nla_put(skb, type | RDMA_NLA_F_MANDATORY, len, data);
}

/* Is this an attribute of that type, with at least so many bytes? */
static inline bool ofed_ls_is_attr(const struct nlattr *attr, int type, size_t len)
{
	return (attr->nla_type & RDMA_NLA_TYPE_MASK) == type && nla_len(attr) >= len;
}

/* Does the message come from a program, and answer a question? */
static inline bool ofed_ls_is_answer(const struct sk_buff *skb, const struct nlmsghdr *nlh)
{
	return !(nlh->nlmsg_flags & NLM_F_REQUEST) && NETLINK_CB(skb).sk;
}

#endif /* OFED_CORE_NETLINK_LS_H */
