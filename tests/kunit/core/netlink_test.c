// SPDX-License-Identifier: GPL-2.0
/* Shapes of NETLINK_RDMA messages, on a device that is not registered. */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/skbuff.h>
#include <net/netlink.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>

#include "core/nldev/nldev.h"

#define TEST_SEQ 4711
#define TEST_GUID 0x0002c903000badc0ULL

static struct sk_buff *new_skb(struct kunit *test)
{
	struct sk_buff *skb = alloc_skb(NLMSG_DEFAULT_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, skb);
	return skb;
}

/* Leave @room bytes at the end of @skb. */
static void fill_up(struct sk_buff *skb, unsigned int room)
{
	skb_put_zero(skb, skb_tailroom(skb) - room);
}

static struct ib_device *new_device(struct kunit *test, u32 protocol)
{
	struct ib_port_data *ports;
	struct ib_device *device;

	device = kunit_kzalloc(test, sizeof(*device), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, device);
	ports = kunit_kzalloc(test, 3 * sizeof(*ports), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ports);
	ports[1].immutable.core_cap_flags = protocol;
	ports[2].immutable.core_cap_flags = protocol;

	strscpy(device->name, "fake7", sizeof(device->name));
	device->port_data = ports;
	device->phys_port_cnt = 2;
	device->index = 9;
	device->node_type = RDMA_NODE_IB_CA;
	device->node_guid = cpu_to_be64(TEST_GUID);
	device->attrs.sys_image_guid = cpu_to_be64(TEST_GUID + 1);
	device->attrs.device_cap_flags = 0x1223334445556667ULL;
	device->use_cq_dim = 1;
	return device;
}

static void header_test(struct kunit *test)
{
	struct sk_buff *skb = new_skb(test);
	struct nlmsghdr *nlh = NULL;
	void *payload;

	payload = ibnl_put_msg(skb, &nlh, TEST_SEQ, 6, RDMA_NL_LS,
			       RDMA_NL_LS_OP_IP_RESOLVE, NLM_F_REQUEST);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, payload);
	KUNIT_EXPECT_PTR_EQ(test, payload, (void *)(nlh + 1));
	KUNIT_EXPECT_EQ(test, nlh->nlmsg_type, (4 << 10) + 2);
	KUNIT_EXPECT_EQ(test, nlh->nlmsg_len, 16 + 6);
	KUNIT_EXPECT_EQ(test, nlh->nlmsg_seq, TEST_SEQ);
	KUNIT_EXPECT_EQ(test, nlh->nlmsg_flags, NLM_F_REQUEST);
	KUNIT_EXPECT_EQ(test, nlh->nlmsg_pid, 0);
	/* Messages begin at multiples of four. */
	KUNIT_EXPECT_EQ(test, skb->len, 24);

	fill_up(skb, 21);
	KUNIT_EXPECT_NULL(test, ibnl_put_msg(skb, &nlh, 0, 6, RDMA_NL_LS, 0, 0));
	KUNIT_EXPECT_NULL(test, nlh);
	kfree_skb(skb);
}

static void attr_test(struct kunit *test)
{
	struct sk_buff *skb = new_skb(test);
	struct nlmsghdr *nlh;
	struct nlattr *attr;
	u8 data[5] = { 1, 2, 3, 4, 5 };

	ibnl_put_msg(skb, &nlh, 0, 0, RDMA_NL_IWCM, 0, 0);
	KUNIT_EXPECT_EQ(test, ibnl_put_attr(skb, nlh, 5, data, 12), 0);
	attr = nlmsg_attrdata(nlh, 0);
	KUNIT_EXPECT_EQ(test, nla_type(attr), 12);
	KUNIT_EXPECT_EQ(test, nla_len(attr), 5);
	KUNIT_EXPECT_EQ(test, memcmp(nla_data(attr), data, 5), 0);
	KUNIT_EXPECT_EQ(test, skb->len, 16 + 4 + 8);

	fill_up(skb, 11);
	KUNIT_EXPECT_EQ(test, ibnl_put_attr(skb, nlh, 5, data, 12), -EMSGSIZE);
	kfree_skb(skb);
}

/* Check one attribute and step over it; @data may be NULL. */
static struct nlattr *expect_attr(struct kunit *test, struct nlattr *attr,
				  int type, int len, const void *data)
{
	KUNIT_EXPECT_EQ(test, nla_type(attr), type);
	KUNIT_EXPECT_EQ(test, nla_len(attr), len);
	if (data && nla_len(attr) == len)
		KUNIT_EXPECT_EQ(test, memcmp(nla_data(attr), data, len), 0);
	attr = (void *)attr + NLA_ALIGN(attr->nla_len);
	/* On some machines a pad comes in front of 64 bits. */
	if (nla_type(attr) == RDMA_NLDEV_ATTR_PAD && !nla_len(attr))
		attr = (void *)attr + NLA_HDRLEN;
	return attr;
}

static void driver_attrs_test(struct kunit *test)
{
	struct sk_buff *skb = new_skb(test);
	struct nlattr *attr = (struct nlattr *)skb->data;
	u32 word = 0xdeadbeef;
	u64 twice = 0x0123456789abcdefULL;
	u8 hex = RDMA_NLDEV_PRINT_TYPE_HEX;

	/* The walk looks one attribute header past the end. */
	memset(skb->data, 0xff, skb_tailroom(skb));
	KUNIT_EXPECT_EQ(test, rdma_nl_put_driver_u32(skb, "a", word), 0);
	KUNIT_EXPECT_EQ(test, rdma_nl_put_driver_u32_hex(skb, "bb", word), 0);
	KUNIT_EXPECT_EQ(test, rdma_nl_put_driver_u64(skb, "ccc", twice), 0);
	KUNIT_EXPECT_EQ(test, rdma_nl_put_driver_u64_hex(skb, "d", twice), 0);
	KUNIT_EXPECT_EQ(test, rdma_nl_put_driver_string(skb, "e", "text"), 0);

	attr = expect_attr(test, attr, RDMA_NLDEV_ATTR_DRIVER_STRING, 2, "a");
	attr = expect_attr(test, attr, RDMA_NLDEV_ATTR_DRIVER_U32, 4, &word);
	attr = expect_attr(test, attr, RDMA_NLDEV_ATTR_DRIVER_STRING, 3, "bb");
	attr = expect_attr(test, attr, RDMA_NLDEV_ATTR_DRIVER_PRINT_TYPE, 1,
			   &hex);
	attr = expect_attr(test, attr, RDMA_NLDEV_ATTR_DRIVER_U32, 4, &word);
	attr = expect_attr(test, attr, RDMA_NLDEV_ATTR_DRIVER_STRING, 4, "ccc");
	attr = expect_attr(test, attr, RDMA_NLDEV_ATTR_DRIVER_U64, 8, &twice);
	attr = expect_attr(test, attr, RDMA_NLDEV_ATTR_DRIVER_STRING, 2, "d");
	attr = expect_attr(test, attr, RDMA_NLDEV_ATTR_DRIVER_PRINT_TYPE, 1,
			   &hex);
	attr = expect_attr(test, attr, RDMA_NLDEV_ATTR_DRIVER_U64, 8, &twice);
	attr = expect_attr(test, attr, RDMA_NLDEV_ATTR_DRIVER_STRING, 2, "e");
	attr = expect_attr(test, attr, RDMA_NLDEV_ATTR_DRIVER_STRING, 5,
			   "text");
	KUNIT_EXPECT_PTR_EQ(test, (void *)attr, (void *)skb_tail_pointer(skb));

	fill_up(skb, 11);
	KUNIT_EXPECT_EQ(test, rdma_nl_put_driver_u32(skb, "a", 1), -EMSGSIZE);
	KUNIT_EXPECT_EQ(test, rdma_nl_put_driver_string(skb, "a", "b"),
			-EMSGSIZE);
	kfree_skb(skb);
}

static void hwcounter_test(struct kunit *test)
{
	struct sk_buff *skb = new_skb(test);
	struct nlattr *nest = (struct nlattr *)skb->data, *attr;
	u64 value = U64_MAX - 1;
	unsigned int len;

	KUNIT_EXPECT_EQ(test, rdma_nl_stat_hwcounter_entry(skb, "rx", value), 0);
	KUNIT_EXPECT_EQ(test, nla_type(nest),
			RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);
	KUNIT_EXPECT_EQ(test, nest->nla_len, skb->len);
	attr = expect_attr(test, nla_data(nest),
			   RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, 3, "rx");
	KUNIT_EXPECT_EQ(test, nla_type(attr),
			RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE);
	KUNIT_EXPECT_EQ(test, nla_len(attr), 8);
	KUNIT_EXPECT_EQ(test, nla_get_u64(attr), value);

	/* Room for the nest and the name, but not for the value. */
	fill_up(skb, 16);
	len = skb->len;
	KUNIT_EXPECT_EQ(test, rdma_nl_stat_hwcounter_entry(skb, "rx", 1),
			-EMSGSIZE);
	KUNIT_EXPECT_EQ(test, skb->len, len);
	kfree_skb(skb);
}

/* What rdma(8) and libibverbs insist on, to the byte. */
static const struct {
	int attr;
	int len;
} device_shape[] = {
	{ RDMA_NLDEV_ATTR_DEV_INDEX, 4 },
	{ RDMA_NLDEV_ATTR_DEV_NAME, sizeof("fake7") },
	{ RDMA_NLDEV_ATTR_PORT_INDEX, 4 },
	{ RDMA_NLDEV_ATTR_CAP_FLAGS, 8 },
	{ RDMA_NLDEV_ATTR_NODE_GUID, 8 },
	{ RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, 8 },
	{ RDMA_NLDEV_ATTR_DEV_NODE_TYPE, 1 },
	{ RDMA_NLDEV_ATTR_DEV_DIM, 1 },
};

/* As nlmsg_parse() would, but without judging. */
static void index_attrs(struct sk_buff *skb, struct nlattr **tb)
{
	struct nlattr *attr;
	int left;

	memset(tb, 0, RDMA_NLDEV_ATTR_MAX * sizeof(*tb));
	nla_for_each_attr(attr, (struct nlattr *)skb->data, skb->len, left)
		if (nla_type(attr) < RDMA_NLDEV_ATTR_MAX)
			tb[nla_type(attr)] = attr;
}

static struct nlattr **new_table(struct kunit *test)
{
	struct nlattr **tb = kunit_kzalloc(test, RDMA_NLDEV_ATTR_MAX *
					   sizeof(*tb), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tb);
	return tb;
}

static void device_test(struct kunit *test)
{
	struct ib_device *device = new_device(test, RDMA_CORE_PORT_IBA_IB);
	struct nlattr **tb = new_table(test);
	struct sk_buff *skb = new_skb(test);
	size_t i;

	KUNIT_EXPECT_EQ(test, ofed_nldev_put_device(skb, device, NULL), 0);
	index_attrs(skb, tb);
	for (i = 0; i < ARRAY_SIZE(device_shape); i++) {
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tb[device_shape[i].attr]);
		KUNIT_EXPECT_EQ(test, nla_len(tb[device_shape[i].attr]),
				device_shape[i].len);
	}
	KUNIT_EXPECT_EQ(test, nla_get_u32(tb[RDMA_NLDEV_ATTR_DEV_INDEX]), 9);
	KUNIT_EXPECT_EQ(test, nla_get_u32(tb[RDMA_NLDEV_ATTR_PORT_INDEX]), 2);
	/* The GUIDs are in the order of the machine. */
	KUNIT_EXPECT_EQ(test, nla_get_u64(tb[RDMA_NLDEV_ATTR_NODE_GUID]),
			TEST_GUID);
	KUNIT_EXPECT_EQ(test, nla_get_u64(tb[RDMA_NLDEV_ATTR_SYS_IMAGE_GUID]),
			TEST_GUID + 1);
	KUNIT_EXPECT_EQ(test, nla_get_u64(tb[RDMA_NLDEV_ATTR_CAP_FLAGS]),
			0x1223334445556667ULL);
	KUNIT_EXPECT_EQ(test, nla_get_u8(tb[RDMA_NLDEV_ATTR_DEV_DIM]), 1);
	KUNIT_EXPECT_STREQ(test, (char *)nla_data(tb[RDMA_NLDEV_ATTR_DEV_NAME]),
			   "fake7");
	/* A device that names no firmware has no such attribute. */
	KUNIT_EXPECT_NULL(test, tb[RDMA_NLDEV_ATTR_FW_VERSION]);

	fill_up(skb, 40);
	KUNIT_EXPECT_EQ(test, ofed_nldev_put_device(skb, device, NULL),
			-EMSGSIZE);
	kfree_skb(skb);
}

static const struct {
	u32 flags;
	const char *name;
} protocols[] = {
	{ RDMA_CORE_PORT_IBA_IB, "ib" },
	{ RDMA_CORE_PORT_INTEL_OPA, "opa" },
	{ RDMA_CORE_PORT_IBA_ROCE, "roce" },
	{ RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP, "roce" },
	{ RDMA_CORE_PORT_IWARP, "iw" },
	{ RDMA_CORE_PORT_USNIC, "usnic" },
	{ RDMA_CORE_PORT_RAW_PACKET, NULL },
};

static void protocol_test(struct kunit *test)
{
	struct nlattr **tb = new_table(test), *attr;
	struct sk_buff *skb;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(protocols); i++) {
		skb = new_skb(test);
		ofed_nldev_put_device(skb, new_device(test, protocols[i].flags),
				      NULL);
		index_attrs(skb, tb);
		attr = tb[RDMA_NLDEV_ATTR_DEV_PROTOCOL];
		if (!protocols[i].name)
			KUNIT_EXPECT_NULL(test, attr);
		else if (attr)
			KUNIT_EXPECT_STREQ(test, protocols[i].name,
					   (char *)nla_data(attr));
		else
			KUNIT_FAIL(test, "no name for %s", protocols[i].name);
		kfree_skb(skb);
	}
}

static const struct ib_port_attr port_attr = {
	.subnet_prefix	= 0xfe80000000000000ULL,
	.state		= IB_PORT_ACTIVE,
	.phys_state	= IB_PORT_PHYS_STATE_LINK_UP,
	.port_cap_flags	= 0x80000001,
	.port_cap_flags2 = 0x8002,
	.lid		= 0x12345,
	.sm_lid		= 3,
	.lmc		= 7,
};

static void ib_port_test(struct kunit *test)
{
	struct ib_device *device = new_device(test, RDMA_CORE_PORT_IBA_IB);
	struct nlattr **tb = new_table(test);
	struct sk_buff *skb = new_skb(test);

	KUNIT_EXPECT_EQ(test, ofed_nldev_put_port_attr(skb, device, 2,
						       &port_attr), 0);
	index_attrs(skb, tb);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tb[RDMA_NLDEV_ATTR_CAP_FLAGS]);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tb[RDMA_NLDEV_ATTR_SUBNET_PREFIX]);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tb[RDMA_NLDEV_ATTR_LID]);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tb[RDMA_NLDEV_ATTR_LMC]);
	KUNIT_EXPECT_EQ(test, nla_get_u32(tb[RDMA_NLDEV_ATTR_PORT_INDEX]), 2);
	/* CapabilityMask, and CapabilityMask2 above it. */
	KUNIT_EXPECT_EQ(test, nla_get_u64(tb[RDMA_NLDEV_ATTR_CAP_FLAGS]),
			0x800280000001ULL);
	KUNIT_EXPECT_EQ(test, nla_get_u64(tb[RDMA_NLDEV_ATTR_SUBNET_PREFIX]),
			0xfe80000000000000ULL);
	KUNIT_EXPECT_EQ(test, nla_len(tb[RDMA_NLDEV_ATTR_LID]), 4);
	KUNIT_EXPECT_EQ(test, nla_get_u32(tb[RDMA_NLDEV_ATTR_LID]), 0x12345);
	KUNIT_EXPECT_EQ(test, nla_len(tb[RDMA_NLDEV_ATTR_SM_LID]), 4);
	KUNIT_EXPECT_EQ(test, nla_len(tb[RDMA_NLDEV_ATTR_LMC]), 1);
	KUNIT_EXPECT_EQ(test, nla_len(tb[RDMA_NLDEV_ATTR_PORT_STATE]), 1);
	KUNIT_EXPECT_EQ(test, nla_len(tb[RDMA_NLDEV_ATTR_PORT_PHYS_STATE]), 1);
	kfree_skb(skb);
}

static void roce_port_test(struct kunit *test)
{
	struct ib_device *device =
		new_device(test, RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP);
	struct nlattr **tb = new_table(test);
	struct sk_buff *skb = new_skb(test);

	KUNIT_EXPECT_EQ(test, ofed_nldev_put_port_attr(skb, device, 1,
						       &port_attr), 0);
	index_attrs(skb, tb);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tb[RDMA_NLDEV_ATTR_PORT_STATE]);
	KUNIT_EXPECT_EQ(test, nla_get_u8(tb[RDMA_NLDEV_ATTR_PORT_STATE]),
			IB_PORT_ACTIVE);
	KUNIT_EXPECT_NULL(test, tb[RDMA_NLDEV_ATTR_CAP_FLAGS]);
	KUNIT_EXPECT_NULL(test, tb[RDMA_NLDEV_ATTR_SUBNET_PREFIX]);
	KUNIT_EXPECT_NULL(test, tb[RDMA_NLDEV_ATTR_LID]);
	KUNIT_EXPECT_NULL(test, tb[RDMA_NLDEV_ATTR_SM_LID]);
	KUNIT_EXPECT_NULL(test, tb[RDMA_NLDEV_ATTR_LMC]);
	kfree_skb(skb);
}

static const struct {
	const char *name;
	int rename;
	int link;
} names[] = {
	{ "rxe0", 0, 0 },
	{ "a.b", 0, 0 },
	{ "...", 0, 0 },
	{ "rxe%d", 0, -EINVAL },
	{ "%", 0, -EINVAL },
	{ "", -EINVAL, -EINVAL },
	{ "a/b", -EINVAL, -EINVAL },
	{ "..", -EINVAL, -EINVAL },
	{ ".", -EINVAL, -EINVAL },
};

static void names_test(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		KUNIT_EXPECT_EQ_MSG(test, ofed_nldev_check_name(names[i].name),
				    names[i].rename, "rename to '%s'",
				    names[i].name);
		KUNIT_EXPECT_EQ_MSG(test,
				    ofed_nldev_check_link_name(names[i].name),
				    names[i].link, "link '%s'", names[i].name);
	}
}

static struct kunit_case netlink_cases[] = {
	KUNIT_CASE(header_test),
	KUNIT_CASE(attr_test),
	KUNIT_CASE(driver_attrs_test),
	KUNIT_CASE(hwcounter_test),
	KUNIT_CASE(device_test),
	KUNIT_CASE(protocol_test),
	KUNIT_CASE(ib_port_test),
	KUNIT_CASE(roce_port_test),
	KUNIT_CASE(names_test),
	{}
};

static struct kunit_suite netlink_suite = {
	.name = "ofed_netlink",
	.test_cases = netlink_cases,
};

kunit_test_suite(netlink_suite);

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_DESCRIPTION("KUnit: shapes of NETLINK_RDMA messages");
MODULE_LICENSE("GPL");
