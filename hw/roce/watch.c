// SPDX-License-Identifier: GPL-2.0
/*
 * Would anything see, delay or change the packets between two interfaces of this host? What may is
 * asked before each burst, as most of it comes and goes without a notification. In doubt the
 * answer is yes: packets are always right.
 */
#include <compat/netdev.h>
#include <linux/bpf-cgroup.h>
#include <linux/if_packet.h>
#include <linux/kallsyms.h>
#include <linux/net.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/string.h>
#include <net/fib_rules.h>
#include <net/net_namespace.h>
#include <net/sch_generic.h>
#include <net/sock.h>
#include <net/xfrm.h>

#include "dev.h"
#include "watch.h"

/* ---- the interface ---------------------------------------------------------------- */

static bool roce_dev_is_filtered(const struct net_device *dev)
{
#ifdef CONFIG_NETFILTER_INGRESS
	if (rcu_access_pointer(dev->nf_hooks_ingress))
		return true;
#endif
#ifdef CONFIG_NETFILTER_EGRESS
	if (rcu_access_pointer(dev->nf_hooks_egress))
		return true;
#endif
	return compat_dev_has_tc(dev);
}

/*
 * A queueing discipline that queues: a veth has none by default. One that has classes (mq, mqprio)
 * leaves the queueing to those of its classes.
 */
static bool roce_dev_queues(const struct net_device *dev)
{
	const struct Qdisc *qdisc = rcu_dereference(dev->qdisc);

	return !qdisc || qdisc->enqueue || qdisc->ops->cl_ops;
}

/* Packet sockets; but see roce_net_is_captured(). */
static bool roce_dev_is_captured(struct net_device *dev)
{
	return dev_nit_active(dev) || !list_empty(&dev->ptype_specific);
}

/* Capture, XDP, bridges, macvlans, VRFs. */
static bool roce_dev_is_watched(struct net_device *dev)
{
	return roce_dev_is_captured(dev) || dev_xdp_prog_count(dev) ||
	       rcu_access_pointer(dev->rx_handler) || netif_is_l3_slave(dev) ||
	       roce_dev_is_filtered(dev) || roce_dev_queues(dev);
}

/* ---- the namespace ---------------------------------------------------------------- */

/* So many packet sockets are looked at for each burst. */
#define PACKET_SOCKETS_MOST 32

#if IS_ENABLED(CONFIG_PACKET)
/*
 * Does a packet socket take @protocol from all interfaces? It is in the list of its namespace, so
 * its owner waits for RCU readers before it takes the struct socket away. One of the obsolete type
 * SOCK_PACKET does not tell.
 */
static bool roce_sock_captures(const struct sock *sk, __be16 protocol)
{
	struct sockaddr_storage addr = { };
	const struct sockaddr_ll *at = (const struct sockaddr_ll *)&addr;

	return sk->sk_type == SOCK_PACKET ||
	       kernel_getsockname(sk->sk_socket, (struct sockaddr *)&addr) < 0 ||
	       (!at->sll_ifindex && at->sll_protocol == protocol);
}

/*
 * Packet sockets of a single protocol that are bound to no interface. Their hooks lie among the
 * protocols of the host, where a module can not look; but the namespace has a list of the
 * sockets.
 */
static bool roce_net_is_captured(const struct net *net, u8 pf)
{
	__be16 protocol = htons(pf == NFPROTO_IPV4 ? ETH_P_IP : ETH_P_IPV6);
	const struct sock *sk;
	int left = PACKET_SOCKETS_MOST;

	sk_for_each_rcu(sk, &net->packet.sklist)
		if (!left-- || roce_sock_captures(sk, protocol))
			return true;
	return false;
}
#else
static bool roce_net_is_captured(const struct net *net, u8 pf)
{
	return false;
}
#endif

#ifdef CONFIG_NETFILTER
/* Hooks of this module, of IPv4 and IPv6. */
static nf_hookfn *const roce_own_hooks[][2] = {
	{ roce_take_ipv4, roce_give_ipv4 },
	{ roce_take_ipv6, roce_give_ipv6 },
};
/* The hook that was found to be AppArmor's, of each, and the latest that was not. */
static nf_hookfn *roce_secmark_hook[2];
static nf_hookfn *roce_other_hook[2];

/*
 * AppArmor has a hook in POST_ROUTING of each namespace. It looks at the mark of a packet alone,
 * which only a rule in another hook can give the packet. SELinux has one of that priority as well,
 * so the name is looked up, once: a search of all symbols is not for each burst. AppArmor's is no
 * part of a module, so what was found of a hook stays true.
 */
static noinline bool roce_hook_is_secmark(const struct nf_hook_ops *ops, bool v6)
{
	char name[KSYM_SYMBOL_LEN];

	if (ops->priority != NF_IP_PRI_SELINUX_FIRST || ops->hook == READ_ONCE(roce_other_hook[v6]))
		return false;
	sprint_symbol_no_offset(name, (unsigned long)ops->hook);
	if (!strstarts(name, "apparmor_ip")) {
		WRITE_ONCE(roce_other_hook[v6], ops->hook);
		return false;
	}
	WRITE_ONCE(roce_secmark_hook[v6], ops->hook);
	return true;
}

static bool roce_hooks_watch(struct nf_hook_entries __rcu *at, bool v6)
{
	const struct nf_hook_entries *entries = rcu_dereference(at);
	nf_hookfn *hook;
	u32 i;

	if (!entries)
		return false;
	for (i = 0; i < entries->num_hook_entries; i++) {
		hook = entries->hooks[i].hook;
		if (hook == roce_own_hooks[v6][0] || hook == roce_own_hooks[v6][1] ||
		    hook == READ_ONCE(roce_secmark_hook[v6]))
			continue;
		if (!roce_hook_is_secmark(nf_hook_entries_get_hook_ops(entries)[i], v6))
			return true;
	}
	return false;
}

static bool roce_net_is_filtered(struct net *net, u8 pf)
{
	bool v6 = pf == NFPROTO_IPV6;
	struct nf_hook_entries __rcu **hooks = v6 ? net->nf.hooks_ipv6 : net->nf.hooks_ipv4;

	return roce_hooks_watch(hooks[NF_INET_PRE_ROUTING], v6) ||
	       roce_hooks_watch(hooks[NF_INET_LOCAL_IN], v6) ||
	       roce_hooks_watch(hooks[NF_INET_LOCAL_OUT], v6) ||
	       roce_hooks_watch(hooks[NF_INET_POST_ROUTING], v6);
}
#else
static bool roce_net_is_filtered(struct net *net, u8 pf)
{
	return false;
}
#endif

static bool roce_net_has_xfrm(struct net *net)
{
#ifdef CONFIG_XFRM
	return net->xfrm.policy_count[XFRM_POLICY_IN] ||
	       net->xfrm.policy_count[XFRM_POLICY_OUT] ||
	       net->xfrm.policy_default[XFRM_POLICY_IN] == XFRM_USERPOLICY_BLOCK ||
	       net->xfrm.policy_default[XFRM_POLICY_OUT] == XFRM_USERPOLICY_BLOCK;
#else
	return false;
#endif
}

/* Those that a namespace has from its beginning, which lead to its three tables. */
static bool roce_rule_is_usual(const struct fib_rule *rule)
{
	return rule->action == FR_ACT_TO_TBL && rule->table >= RT_TABLE_DEFAULT &&
	       rule->table <= RT_TABLE_LOCAL && !rule->l3mdev && !rule->iifindex &&
	       !rule->oifindex && !rule->mark && !rule->tun_id;
}

/* Rules of policy routing may refuse a packet on its way in. */
static bool __maybe_unused roce_has_rules(const struct fib_rules_ops *ops)
{
	const struct fib_rule *rule;

	list_for_each_entry_rcu(rule, &ops->rules_list, list)
		if (!roce_rule_is_usual(rule))
			return true;
	return false;
}

static bool roce_net_has_rules(const struct net *net, u8 pf)
{
	/* That there were some once. */
#ifdef CONFIG_IP_MULTIPLE_TABLES
	if (pf == NFPROTO_IPV4)
		return net->ipv4.fib_has_custom_rules && roce_has_rules(net->ipv4.rules_ops);
#endif
#ifdef CONFIG_IPV6_MULTIPLE_TABLES
	if (pf == NFPROTO_IPV6)
		return net->ipv6.fib6_has_custom_rules &&
		       roce_has_rules(net->ipv6.fib6_rules_ops);
#endif
	return false;
}

static bool roce_net_is_watched(struct net *net, u8 pf)
{
	return roce_net_is_filtered(net, pf) || roce_net_has_xfrm(net) ||
	       roce_net_has_rules(net, pf) || roce_net_is_captured(net, pf);
}

/**
 * roce_is_watched - does anything look at what passes between two interfaces?
 * @dev: an interface
 * @peer: the one that it is connected to, maybe in another namespace
 * @pf: NFPROTO_IPV4 or NFPROTO_IPV6, of the packets
 *
 * Context: RCU reader.
 */
bool roce_is_watched(struct net_device *dev, struct net_device *peer, u8 pf)
{
	struct net *net = dev_net(dev), *far = dev_net(peer);

	return roce_dev_is_watched(dev) || roce_dev_is_watched(peer) ||
	       roce_net_is_watched(net, pf) ||
	       (!net_eq(net, far) && roce_net_is_watched(far, pf));
}

/**
 * roce_tx_is_watched - does a program of a control group see what a device sends?
 * @rd: the device
 *
 * Packets are sent by a socket, which is in the control group of the task that made it. Those that
 * come are taken before a socket's programs see them.
 *
 * Context: any.
 */
bool roce_tx_is_watched(const struct roce_dev *rd)
{
#ifdef CONFIG_CGROUP_BPF
	return cgroup_bpf_enabled(CGROUP_INET_EGRESS) &&
	       cgroup_bpf_sock_enabled(rd->tx->sk, CGROUP_INET_EGRESS);
#else
	return false;
#endif
}
