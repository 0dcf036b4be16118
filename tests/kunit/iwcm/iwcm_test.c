// SPDX-License-Identifier: GPL-2.0
/*
 * The iWARP CM's states, and the port mapper's messages and memory. The sources
 * are linked with this; none needs a device.
 */
#include <linux/in.h>
#include <linux/module.h>
#include <linux/skbuff.h>
#include <net/netlink.h>

#include <rdma/ib_verbs.h>

#include "core/cm/iw/fsm.h"
#include "core/cm/iw/iwcm.h"
#include "core/cm/iw/iwcm_id.h"
#include "core/cm/iw/iwpm.h"
#include "suites.h"

/* The states */

/* What a state does with an input, for a reader: '-' refused, '.' ignored. */
static char letter(struct ofed_iw_step step)
{
	switch (step.result) {
	case IW_REFUSE:
		return '-';
	case IW_IGNORE:
		return '.';
	case IW_WAIT:
		return 'w';
	case IW_GO:
		return 'g';
	default:
		return 'T';
	}
}

/*
 * Inputs in their order: listen connect accept reject disconnect destroy,
 * listening failed, request reply refused established disconnect close.
 */
static const struct {
	const char *verdicts;
	u8 next[IW_NUM_INPUTS];	/* where it moves */
} expected[IW_NUM_STATES] = {
	[IW_IDLE]	= { "gg--.g-.----..",
			    { IW_OPENING, IW_CALLING, [IW_DO_DESTROY] = IW_GONE } },
	[IW_OPENING]	= { "-----wggT-----",
			    { [IW_DO_LISTENING] = IW_LISTEN, IW_IDLE,
			      IW_OPENING } },
	[IW_LISTEN]	= { "-----g--T-----",
			    { [IW_DO_DESTROY] = IW_GONE,
			      [IW_UP_REQUEST] = IW_LISTEN } },
	[IW_CALLING]	= { "----ww-g-TT-.T",
			    { [IW_UP_REPLY] = IW_OPEN } },
	[IW_CALLED]	= { "--gg.g------..",
			    { [IW_DO_ACCEPT] = IW_ANSWERING, IW_IDLE,
			      [IW_DO_DESTROY] = IW_GONE } },
	[IW_ANSWERING]	= { "----ww-g---T.T",
			    { [IW_UP_ESTABLISHED] = IW_OPEN } },
	[IW_OPEN]	= { "----gg-g----gT",
			    { [IW_DO_DISCONNECT] = IW_CLOSING, IW_GONE,
			      [IW_UP_DISCONNECT] = IW_CLOSING } },
	[IW_CLOSING]	= { "----.g-g----.T",
			    { [IW_DO_DESTROY] = IW_GONE } },
	[IW_GONE]	= { "-------.-.....", {} },
};

static void table_test(struct kunit *test)
{
	struct ofed_iw_step step;
	unsigned int state, input;
	char want;

	for (state = 0; state < IW_NUM_STATES; state++) {
		for (input = 0; input < IW_NUM_INPUTS; input++) {
			step = ofed_iw_step(state, input);
			want = expected[state].verdicts[input];
			KUNIT_EXPECT_EQ_MSG(test, letter(step), want,
					    "state %u, input %u", state, input);
			KUNIT_EXPECT_EQ_MSG(test, (unsigned int)step.next,
					    want == 'g' || want == 'T' ?
					    expected[state].next[input] : state,
					    "state %u, input %u", state, input);
		}
	}
}

static void table_rules_test(struct kunit *test)
{
	unsigned int state, input;
	struct ofed_iw_step step;

	for (state = 0; state < IW_NUM_STATES; state++) {
		/* Every id can be destroyed once, at once or after a report. */
		step = ofed_iw_step(state, IW_DO_DESTROY);
		KUNIT_EXPECT_EQ(test, step.result == IW_REFUSE,
				state == IW_GONE);
		/* Where one waits, what the driver says ends that. */
		if (step.result == IW_WAIT) {
			if (state == IW_OPENING) {
				step = ofed_iw_step(state, IW_DO_LISTENING);
				KUNIT_EXPECT_EQ(test, step.next, IW_LISTEN);
			} else {
				step = ofed_iw_step(state, IW_UP_CLOSE);
				KUNIT_EXPECT_EQ(test, step.next, IW_IDLE);
			}
			step = ofed_iw_step(state, IW_DO_FAILED);
			KUNIT_EXPECT_EQ(test, step.next, IW_IDLE);
		}
		/* A driver never brings an id to life, nor ends one. */
		for (input = IW_UP_REQUEST; input < IW_NUM_INPUTS; input++) {
			step = ofed_iw_step(state, input);
			KUNIT_EXPECT_TRUE(test, state != IW_GONE ||
					  step.next == IW_GONE);
			KUNIT_EXPECT_TRUE(test, state == IW_GONE ||
					  step.next != IW_GONE);
		}
		/* Only listeners take requests. */
		step = ofed_iw_step(state, IW_UP_REQUEST);
		KUNIT_EXPECT_EQ(test, step.result == IW_REFUSE,
				state != IW_LISTEN && state != IW_OPENING);
	}
}

static void table_limits_test(struct kunit *test)
{
	struct ofed_iw_step step;

	step = ofed_iw_step(IW_NUM_STATES, IW_DO_DESTROY);
	KUNIT_EXPECT_EQ(test, step.result, IW_REFUSE);
	step = ofed_iw_step(IW_OPEN, IW_NUM_INPUTS);
	KUNIT_EXPECT_EQ(test, step.result, IW_REFUSE);
	KUNIT_EXPECT_EQ(test, step.next, IW_OPEN);
	step = ofed_iw_step(IW_OPEN, -1);
	KUNIT_EXPECT_EQ(test, step.result, IW_REFUSE);

	KUNIT_EXPECT_TRUE(test, ofed_iw_may_init_qp(IW_IDLE));
	KUNIT_EXPECT_TRUE(test, ofed_iw_may_init_qp(IW_CALLING));
	KUNIT_EXPECT_TRUE(test, ofed_iw_may_init_qp(IW_CALLED));
	KUNIT_EXPECT_TRUE(test, ofed_iw_may_init_qp(IW_OPEN));
	KUNIT_EXPECT_FALSE(test, ofed_iw_may_init_qp(IW_OPENING));
	KUNIT_EXPECT_FALSE(test, ofed_iw_may_init_qp(IW_LISTEN));
	KUNIT_EXPECT_FALSE(test, ofed_iw_may_init_qp(IW_CLOSING));
	KUNIT_EXPECT_FALSE(test, ofed_iw_may_init_qp(IW_GONE));
}

/* The port mapper */

static struct sockaddr_storage ipv4(u32 addr, u16 port)
{
	struct sockaddr_storage storage = {};
	struct sockaddr_in *in = (struct sockaddr_in *)&storage;

	in->sin_family = AF_INET;
	in->sin_addr.s_addr = htonl(addr);
	in->sin_port = htons(port);
	return storage;
}

static struct sockaddr_storage ipv6(u32 tail, u16 port)
{
	struct sockaddr_storage storage = {};
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&storage;

	in6->sin6_family = AF_INET6;
	in6->sin6_addr.s6_addr32[0] = htonl(0xfe800000);
	in6->sin6_addr.s6_addr32[3] = htonl(tail);
	in6->sin6_port = htons(port);
	return storage;
}

static bool same(struct sockaddr_storage a, struct sockaddr_storage b)
{
	return ofed_iw_pm_same_addr(&a, &b);
}

static noinline bool same_ipv4(u32 addr, u16 port, u32 addr2, u16 port2)
{
	return same(ipv4(addr, port), ipv4(addr2, port2));
}

static noinline bool same_ipv6(u32 addr, u16 port, u32 addr2, u16 port2)
{
	return same(ipv6(addr, port), ipv6(addr2, port2));
}

static void same_test(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, same_ipv4(1, 2, 1, 2));
	KUNIT_EXPECT_FALSE(test, same_ipv4(1, 2, 1, 3));
	KUNIT_EXPECT_FALSE(test, same_ipv4(1, 2, 2, 2));
	KUNIT_EXPECT_TRUE(test, same_ipv6(1, 2, 1, 2));
	KUNIT_EXPECT_FALSE(test, same_ipv6(1, 2, 1, 3));
	KUNIT_EXPECT_FALSE(test, same_ipv6(1, 2, 2, 2));
	KUNIT_EXPECT_FALSE(test, same(ipv4(1, 2), ipv6(1, 2)));
}

static void hash_test(struct kunit *test)
{
	struct sockaddr_storage a = ipv4(0x0a000001, 7), b = a;

	/* What is behind the address does not count. */
	memset((char *)&b + sizeof(struct sockaddr_in), 0xff, 16);
	KUNIT_EXPECT_TRUE(test, same(a, b));
	KUNIT_EXPECT_EQ(test, ofed_iw_pm_hash(&a), ofed_iw_pm_hash(&b));
	a = ipv6(9, 10);
	b = ipv6(9, 10);
	((struct sockaddr_in6 *)&b)->sin6_flowinfo = htonl(5);
	KUNIT_EXPECT_EQ(test, ofed_iw_pm_hash(&a), ofed_iw_pm_hash(&b));
	/* No family: equal to nothing, not even itself. */
	memset(&a, 0, sizeof(a));
	KUNIT_EXPECT_FALSE(test, same(a, a));
	KUNIT_EXPECT_EQ(test, ofed_iw_pm_hash(&a), 0);
}

static int count_mapping(const struct ofed_iw_mapping *mapping, void *arg)
{
	int *left = arg;

	return --*left ? 0 : -EINTR;
}

static void mapping_test(struct kunit *test)
{
	struct sockaddr_storage local = ipv4(1, 1), wire = ipv4(1, 2);
	struct ofed_iw_mapping *first, *second;
	int left = 10;

	/* Two ids may have the same one. */
	first = ofed_iw_pm_map_add(&local, &wire, 0);
	second = ofed_iw_pm_map_add(&local, &wire, IWPM_FLAGS_NO_PORT_MAP);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, first);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, second);
	KUNIT_EXPECT_EQ(test, ofed_iw_pm_map_walk(count_mapping, &left), 0);
	KUNIT_EXPECT_EQ(test, left, 8);
	left = 1;
	KUNIT_EXPECT_EQ(test, ofed_iw_pm_map_walk(count_mapping, &left),
			-EINTR);
	ofed_iw_pm_map_remove(first);
	ofed_iw_pm_map_remove(second);
	left = 10;
	KUNIT_EXPECT_EQ(test, ofed_iw_pm_map_walk(count_mapping, &left), 0);
	KUNIT_EXPECT_EQ(test, left, 10);
}

static void remote_test(struct kunit *test)
{
	struct sockaddr_storage wire = ipv4(1, 1), peer, own, got = {};
	u32 i;

	own = ipv4(7, 7);
	peer = ipv4(8, 8);
	KUNIT_EXPECT_FALSE(test, ofed_iw_pm_remote_take(&wire, &peer, &got));
	KUNIT_EXPECT_EQ(test, ofed_iw_pm_remote_add(&wire, &peer, &own), 0);
	/* Of two announcements the later one counts, once. */
	own = ipv4(7, 9);
	KUNIT_EXPECT_EQ(test, ofed_iw_pm_remote_add(&wire, &peer, &own), 0);
	KUNIT_EXPECT_EQ(test, iwpm_num_remotes, 1);
	KUNIT_EXPECT_FALSE(test, ofed_iw_pm_remote_take(&peer, &wire, &got));
	KUNIT_EXPECT_TRUE(test, ofed_iw_pm_remote_take(&wire, &peer, &got));
	KUNIT_EXPECT_TRUE(test, same(got, own));
	KUNIT_EXPECT_FALSE(test, ofed_iw_pm_remote_take(&wire, &peer, &got));

	for (i = 0; i < OFED_IW_PM_REMOTES_MAX + 10; i++) {
		peer = ipv4(i, 1);
		ofed_iw_pm_remote_add(&wire, &peer, &peer);
	}
	KUNIT_EXPECT_EQ(test, iwpm_num_remotes, OFED_IW_PM_REMOTES_MAX);
	peer = ipv4(9, 1);
	KUNIT_EXPECT_FALSE(test, ofed_iw_pm_remote_take(&wire, &peer, &got));
	peer = ipv4(10, 1);
	KUNIT_EXPECT_TRUE(test, ofed_iw_pm_remote_take(&wire, &peer, &got));
	ofed_iw_pm_remote_forget();
	KUNIT_EXPECT_EQ(test, iwpm_num_remotes, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&iwpm_remotes_by_age));
}

/* A message of the daemon; attributes are appended by the tests. */
static struct sk_buff *message(struct kunit *test, unsigned int op,
			       struct nlmsghdr **nlh)
{
	struct sk_buff *skb = nlmsg_new(2048, GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, skb);
	ibnl_put_msg(skb, nlh, 5, 0, RDMA_NL_IWCM, op, NLM_F_REQUEST);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, *nlh);
	return skb;
}

static int parse(struct sk_buff *skb, struct nlmsghdr *nlh,
		 struct ofed_iw_pm_msg *answer)
{
	int ret;

	nlmsg_end(skb, nlh);
	ret = ofed_iw_pm_parse(nlh, answer);
	nlmsg_free(skb);
	return ret;
}

static void put_address(struct sk_buff *skb, int type, u32 addr, u16 port)
{
	struct sockaddr_storage storage = ipv4(addr, port);

	nla_put(skb, type, sizeof(storage), &storage);
}

static void parse_query_test(struct kunit *test)
{
	struct ofed_iw_pm_msg answer;
	struct nlmsghdr *nlh;
	struct sk_buff *skb;

	skb = message(test, RDMA_NL_IWPM_QUERY_MAPPING, &nlh);
	nla_put_u32(skb, IWPM_NLA_RQUERY_MAPPING_SEQ, 77);
	put_address(skb, IWPM_NLA_RQUERY_LOCAL_ADDR, 1, 10);
	put_address(skb, IWPM_NLA_RQUERY_REMOTE_ADDR, 2, 20);
	put_address(skb, IWPM_NLA_RQUERY_MAPPED_LOC_ADDR, 1, 11);
	put_address(skb, IWPM_NLA_RQUERY_MAPPED_REM_ADDR, 2, 21);
	nla_put_u16(skb, IWPM_NLA_RQUERY_MAPPING_ERR, IWPM_REMOTE_QUERY_REJECT);
	KUNIT_ASSERT_EQ(test, parse(skb, nlh, &answer), 0);
	KUNIT_EXPECT_EQ(test, answer.seq, 77);
	KUNIT_EXPECT_EQ(test, answer.err, IWPM_REMOTE_QUERY_REJECT);
	KUNIT_EXPECT_TRUE(test, same(answer.local, ipv4(1, 10)));
	KUNIT_EXPECT_TRUE(test, same(answer.remote, ipv4(2, 20)));
	KUNIT_EXPECT_TRUE(test, same(answer.mapped_local, ipv4(1, 11)));
	KUNIT_EXPECT_TRUE(test, same(answer.mapped_remote, ipv4(2, 21)));
}

static void parse_registered_test(struct kunit *test)
{
	struct ofed_iw_pm_msg answer;
	struct nlmsghdr *nlh;
	struct sk_buff *skb;

	skb = message(test, RDMA_NL_IWPM_REG_PID, &nlh);
	nla_put_u32(skb, IWPM_NLA_RREG_PID_SEQ, 3);
	nla_put_string(skb, IWPM_NLA_RREG_IBDEV_NAME, "siw0");
	nla_put_string(skb, IWPM_NLA_RREG_ULIB_NAME, "iWarpPortMapperUser");
	nla_put_u16(skb, IWPM_NLA_RREG_ULIB_VER, 4);
	nla_put_u16(skb, IWPM_NLA_RREG_PID_ERR, 0);
	KUNIT_ASSERT_EQ(test, parse(skb, nlh, &answer), 0);
	KUNIT_EXPECT_EQ(test, answer.seq, 3);
	KUNIT_EXPECT_EQ(test, answer.version, 4);
	KUNIT_EXPECT_EQ(test, answer.err, 0);
}

/* MAPINFO requests with a name of so many bytes and a version of so many. */
static int parse_mapinfo(struct kunit *test, const void *name, int name_len,
			 int version_len)
{
	struct ofed_iw_pm_msg answer;
	struct nlmsghdr *nlh;
	struct sk_buff *skb;
	u64 version = 4;

	skb = message(test, RDMA_NL_IWPM_MAPINFO, &nlh);
	nla_put(skb, IWPM_NLA_MAPINFO_ULIB_NAME, name_len, name);
	nla_put(skb, IWPM_NLA_MAPINFO_ULIB_VER, version_len, &version);
	return parse(skb, nlh, &answer);
}

static void parse_limits_test(struct kunit *test)
{
	static const char name[64] = "iWarpPortMapperUser";
	static const char other[64] = "iWarpPortMapperUsex";
	struct ofed_iw_pm_msg answer;
	struct nlmsghdr *nlh;
	struct sk_buff *skb;
	unsigned int op;

	KUNIT_EXPECT_EQ(test, parse_mapinfo(test, name, 20, 2), 0);
	KUNIT_EXPECT_EQ(test, parse_mapinfo(test, name, 32, 2), 0);
	/* No end, too long, empty, another one; a number of another size. */
	KUNIT_EXPECT_EQ(test, parse_mapinfo(test, name, 19, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_mapinfo(test, name, 33, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_mapinfo(test, name, 0, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_mapinfo(test, other, 20, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_mapinfo(test, name, 20, 4), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_mapinfo(test, name, 20, 1), -EINVAL);

	/* Nothing in it; and messages that only we send. */
	for (op = 0; op <= RDMA_NL_IWPM_NUM_OPS; op++) {
		skb = message(test, op, &nlh);
		KUNIT_EXPECT_EQ(test, parse(skb, nlh, &answer), -EINVAL);
		KUNIT_EXPECT_EQ(test, ofed_iw_pm_parses(op),
				op < RDMA_NL_IWPM_NUM_OPS &&
				op != RDMA_NL_IWPM_REMOVE_MAPPING);
	}
}

static int parse_added(struct kunit *test, int family, int addr_len)
{
	struct sockaddr_storage addr = ipv4(1, 10);
	struct ofed_iw_pm_msg answer;
	struct nlmsghdr *nlh;
	struct sk_buff *skb;

	addr.ss_family = family;
	skb = message(test, RDMA_NL_IWPM_ADD_MAPPING, &nlh);
	nla_put_u32(skb, IWPM_NLA_RMANAGE_MAPPING_SEQ, 1);
	put_address(skb, IWPM_NLA_RMANAGE_ADDR, 1, 9);
	nla_put(skb, IWPM_NLA_RMANAGE_MAPPED_LOC_ADDR, addr_len, &addr);
	nla_put_u16(skb, IWPM_NLA_RMANAGE_MAPPING_ERR, 0);
	return parse(skb, nlh, &answer);
}

static void parse_addr_test(struct kunit *test)
{
	const int size = sizeof(struct sockaddr_storage);

	KUNIT_EXPECT_EQ(test, parse_added(test, AF_INET, size), 0);
	KUNIT_EXPECT_EQ(test, parse_added(test, AF_INET6, size), 0);
	KUNIT_EXPECT_EQ(test, parse_added(test, AF_UNIX, size), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_added(test, AF_INET, size - 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse_added(test, AF_INET, 0), -EINVAL);
}

static void ask_test(struct kunit *test)
{
	struct sockaddr_storage local = ipv4(1, 10), remote = ipv6(2, 20);
	const u32 flags = IWPM_FLAGS_NO_PORT_MAP;
	struct nlattr *attrs[8];
	struct nlmsghdr *nlh;
	struct sk_buff *skb;

	skb = ofed_iw_pm_build_reg_pid(9, "siw0", "eth0");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, skb);
	nlh = nlmsg_hdr(skb);
	KUNIT_EXPECT_EQ(test, nlh->nlmsg_type, (2 << 10) + 0);
	KUNIT_EXPECT_EQ(test, nlh->nlmsg_seq, 9);
	/* The daemon answers to this port: it has to be the kernel. */
	KUNIT_EXPECT_EQ(test, nlh->nlmsg_pid, 0);
	KUNIT_ASSERT_EQ(test, nlmsg_parse_deprecated(nlh, 0, attrs, 7, NULL,
						     NULL), 0);
	KUNIT_EXPECT_EQ(test, nla_get_u32(attrs[IWPM_NLA_REG_PID_SEQ]), 9);
	KUNIT_EXPECT_EQ(test, nla_len(attrs[IWPM_NLA_REG_IF_NAME]), 16);
	KUNIT_EXPECT_EQ(test, nla_len(attrs[IWPM_NLA_REG_IBDEV_NAME]), 32);
	KUNIT_EXPECT_EQ(test, nla_len(attrs[IWPM_NLA_REG_ULIB_NAME]), 32);
	KUNIT_EXPECT_STREQ(test, "siw0",
			   (char *)nla_data(attrs[IWPM_NLA_REG_IBDEV_NAME]));
	nlmsg_free(skb);

	skb = ofed_iw_pm_build_mapping(RDMA_NL_IWPM_QUERY_MAPPING, 8, &local,
				       &remote, &flags);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, skb);
	KUNIT_ASSERT_EQ(test, nlmsg_parse_deprecated(nlmsg_hdr(skb), 0, attrs,
						     7, NULL, NULL), 0);
	KUNIT_EXPECT_TRUE(test, same(remote, *(struct sockaddr_storage *)
			  nla_data(attrs[IWPM_NLA_QUERY_REMOTE_ADDR])));
	KUNIT_EXPECT_EQ(test, nla_get_u32(attrs[IWPM_NLA_QUERY_FLAGS]), flags);
	nlmsg_free(skb);

	/* Version 3 knows no flags. */
	skb = ofed_iw_pm_build_mapping(RDMA_NL_IWPM_ADD_MAPPING, 8, &local, NULL,
				       NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, skb);
	KUNIT_ASSERT_EQ(test, nlmsg_parse_deprecated(nlmsg_hdr(skb), 0, attrs,
						     7, NULL, NULL), 0);
	KUNIT_EXPECT_NULL(test, attrs[IWPM_NLA_MANAGE_FLAGS]);
	nlmsg_free(skb);
}

static void mapinfo_test(struct kunit *test)
{
	struct sockaddr_storage local = ipv4(1, 10), wire = ipv4(1, 11);
	struct sk_buff *skb = alloc_skb(4096, GFP_KERNEL);
	const u32 flags = 0;
	unsigned int sent = 0, len;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, skb);
	do {
		len = skb->len;
	} while (!ofed_iw_pm_put_mapinfo(skb, &local, &wire, &flags) &&
		 ++sent < 100);
	/* 16 + 2 * (4 + 128) + 8 each; what did not fit has left no trace. */
	KUNIT_EXPECT_EQ(test, skb->len, len);
	KUNIT_EXPECT_EQ(test, len, sent * 288);
	KUNIT_EXPECT_GE(test, sent, 14);
	KUNIT_EXPECT_LT(test, sent, 100);
	kfree_skb(skb);
}

static struct kunit_case iw_cases[] = {
	KUNIT_CASE(table_test),
	KUNIT_CASE(table_rules_test),
	KUNIT_CASE(table_limits_test),
	{}
};

static struct kunit_case pm_cases[] = {
	KUNIT_CASE(same_test),
	KUNIT_CASE(hash_test),
	KUNIT_CASE(mapping_test),
	KUNIT_CASE(remote_test),
	KUNIT_CASE(parse_query_test),
	KUNIT_CASE(parse_registered_test),
	KUNIT_CASE(parse_limits_test),
	KUNIT_CASE(parse_addr_test),
	KUNIT_CASE(ask_test),
	KUNIT_CASE(mapinfo_test),
	{}
};

static struct kunit_suite iw_suite = {
	.name = "ofed_iw_cm",
	.test_cases = iw_cases,
};

static struct kunit_suite pm_suite = {
	.name = "ofed_iw_portmap",
	.test_cases = pm_cases,
};

kunit_test_suites(&iw_suite, &iw_ends_suite, &pm_suite);

MODULE_DESCRIPTION("KUnit: iWARP CM states, port mapper");
MODULE_LICENSE("GPL");
