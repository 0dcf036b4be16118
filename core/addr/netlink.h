/* SPDX-License-Identifier: GPL-2.0 */
/* Questions to local services for the GID of an IP address (netlink/ls.h). */
#ifndef OFED_CORE_ADDR_NETLINK_H
#define OFED_CORE_ADDR_NETLINK_H

#include <rdma/ib_verbs.h>

struct netlink_ext_ack;
struct nlmsghdr;
struct sk_buff;

/**
 * struct ofed_ls_ip_query - a question for the GID of an IP address
 * @link: in the list of questions; owned by netlink.c
 * @seq: number of the message; owned by netlink.c
 * @answer: called once, or never. @gid is NULL when the service does not know.
 *	    A spinlock is held: no sleep, no call of ofed_ls_ip_*(); queue work
 */
struct ofed_ls_ip_query {
	struct list_head link;
	u32 seq;
	void (*answer)(struct ofed_ls_ip_query *query,
		       const union ib_gid *gid);
};

/**
 * ofed_ls_ip_ask - ask local services for the GID of an IP address
 * @query: with @query->answer set; the caller's until ofed_ls_ip_forget()
 * @ifindex: interface the address is reached through
 * @family: AF_INET or AF_INET6
 * @addr: struct in_addr or in6_addr
 *
 * Context: process. There is no time limit: the caller has its own.
 * Return: 0, -ENODATA when no service listens, -EINVAL (family), -ENOMEM,
 * -EMSGSIZE, or the errno of rdma_nl_multicast(); @answer is not called then.
 */
int ofed_ls_ip_ask(struct ofed_ls_ip_query *query, int ifindex,
		   sa_family_t family, const void *addr);

/**
 * ofed_ls_ip_forget - no answer is wanted any more
 * @query: was given to ofed_ls_ip_ask(), whatever that returned
 *
 * When it returns, @answer does not run and will not. Context: any, but not from
 * @answer. May be called more than once.
 */
void ofed_ls_ip_forget(struct ofed_ls_ip_query *query);

/* RDMA_NL_LS_OP_IP_RESOLVE: the answer of a service. */
int ofed_ls_ip_answered(struct sk_buff *skb, struct nlmsghdr *nlh,
			struct netlink_ext_ack *extack);

#endif /* OFED_CORE_ADDR_NETLINK_H */
