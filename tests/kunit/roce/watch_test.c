// SPDX-License-Identifier: GPL-2.0
/* What would see the packets between two interfaces: hooks and sockets of the first namespace. */
#include <kunit/test.h>
#include <linux/if_ether.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/netfilter_ipv4.h>
#include <net/net_namespace.h>

#include "hw/roce/watch.h"

/* How often a name was looked up, and what is told. */
static int lookups;
static const char *hook_name;

int sprint_symbol_no_offset(char *buffer, unsigned long address)
{
	lookups++;
	return sprintf(buffer, "%s", hook_name);
}

/* Hooks of the module, which no test looks at. */
static unsigned int let_pass(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	return NF_ACCEPT;
}

unsigned int roce_take_ipv4(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	return NF_ACCEPT;
}

unsigned int roce_take_ipv6(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	return NF_ACCEPT;
}

unsigned int roce_give_ipv4(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	return NF_ACCEPT;
}

unsigned int roce_give_ipv6(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	return NF_ACCEPT;
}

static bool watched(u8 pf)
{
	struct net_device *lo = init_net.loopback_dev;
	bool ret;

	rcu_read_lock();
	ret = roce_is_watched(lo, lo, pf);
	rcu_read_unlock();
	return ret;
}

static struct socket *socket_of(struct kunit *test, int type, int protocol)
{
	struct socket *sock = NULL;

	KUNIT_ASSERT_EQ(test, sock_create_kern(&init_net, AF_PACKET, type, protocol, &sock), 0);
	return sock;
}

static struct socket *packet_socket(struct kunit *test, int protocol)
{
	return socket_of(test, SOCK_RAW, protocol);
}

static void one_protocol_test(struct kunit *test)
{
	struct socket *sock, *many[40];
	int i;

	KUNIT_EXPECT_FALSE(test, watched(NFPROTO_IPV4));
	sock = packet_socket(test, htons(ETH_P_IP));
	KUNIT_EXPECT_TRUE(test, watched(NFPROTO_IPV4));
	KUNIT_EXPECT_FALSE(test, watched(NFPROTO_IPV6));
	sock_release(sock);
	KUNIT_EXPECT_FALSE(test, watched(NFPROTO_IPV4));

	sock = packet_socket(test, htons(ETH_P_IPV6));
	KUNIT_EXPECT_TRUE(test, watched(NFPROTO_IPV6));
	KUNIT_EXPECT_FALSE(test, watched(NFPROTO_IPV4));
	sock_release(sock);

	/* One that takes nothing yet, and more than are looked at. */
	sock = packet_socket(test, 0);
	KUNIT_EXPECT_FALSE(test, watched(NFPROTO_IPV4));
	for (i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = packet_socket(test, htons(ETH_P_ARP));
	KUNIT_EXPECT_TRUE(test, watched(NFPROTO_IPV4));
	while (i--)
		sock_release(many[i]);
	KUNIT_EXPECT_FALSE(test, watched(NFPROTO_IPV4));
	sock_release(sock);
}

/* As programs of 1998 have it. */
static void obsolete_socket_test(struct kunit *test)
{
	struct socket *sock = socket_of(test, SOCK_PACKET, htons(ETH_P_IP));

	KUNIT_EXPECT_TRUE(test, watched(NFPROTO_IPV4));
	sock_release(sock);
	KUNIT_EXPECT_FALSE(test, watched(NFPROTO_IPV4));
}

/* A hook where security modules have theirs; the second name is not believed. */
static void lookups_of(struct kunit *test, const char *name, u8 pf, bool sees)
{
	const struct nf_hook_ops ops = {
		.hook = let_pass,
		.pf = pf,
		.hooknum = NF_INET_POST_ROUTING,
		.priority = NF_IP_PRI_SELINUX_FIRST,
	};
	int i;

	lookups = 0;
	hook_name = name;
	KUNIT_ASSERT_EQ(test, nf_register_net_hook(&init_net, &ops), 0);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, watched(pf), sees);
	KUNIT_EXPECT_EQ(test, lookups, 1);
	nf_unregister_net_hook(&init_net, &ops);
	KUNIT_EXPECT_FALSE(test, watched(pf));
}

static void lookup_test(struct kunit *test)
{
	lookups_of(test, "selinux_ip_postroute", NFPROTO_IPV4, true);
	lookups_of(test, "apparmor_ip_postroute", NFPROTO_IPV6, false);
}

static struct kunit_case watch_cases[] = {
	KUNIT_CASE(one_protocol_test),
	KUNIT_CASE(obsolete_socket_test),
	KUNIT_CASE(lookup_test),
	{}
};

static struct kunit_suite watch_suite = {
	.name = "roce_watch",
	.test_cases = watch_cases,
};
kunit_test_suite(watch_suite);

MODULE_DESCRIPTION("Watched interfaces: unit tests");
MODULE_LICENSE("GPL");
