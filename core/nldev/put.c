// SPDX-License-Identifier: GPL-2.0
/* NLDEV: what drivers append to replies about their objects. */
#include <linux/export.h>
#include <net/netlink.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>

/*
 * A driver's attribute is two or three in a row: its name, how to print it if
 * not in the usual way, its value.
 */
static int nldev_put_name(struct sk_buff *msg, const char *name,
			  enum rdma_nldev_print_type how)
{
	int ret = nla_put_string(msg, RDMA_NLDEV_ATTR_DRIVER_STRING, name);

	if (!ret && how != RDMA_NLDEV_PRINT_TYPE_UNSPEC)
		ret = nla_put_u8(msg, RDMA_NLDEV_ATTR_DRIVER_PRINT_TYPE, how);
	return ret;
}

static int nldev_put_u32(struct sk_buff *msg, const char *name,
			 enum rdma_nldev_print_type how, u32 value)
{
	return nldev_put_name(msg, name, how) ?:
	       nla_put_u32(msg, RDMA_NLDEV_ATTR_DRIVER_U32, value);
}

static int nldev_put_u64(struct sk_buff *msg, const char *name,
			 enum rdma_nldev_print_type how, u64 value)
{
	return nldev_put_name(msg, name, how) ?:
	       nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_DRIVER_U64, value,
				 RDMA_NLDEV_ATTR_PAD);
}

/**
 * rdma_nl_put_driver_u32 - append a driver's number to a reply
 * @msg: reply, inside the RDMA_NLDEV_ATTR_DRIVER nest
 * @name: what the number is
 * @value: the number, to be printed in decimal
 *
 * Context: any. Return: 0, or -EMSGSIZE when @msg has no room.
 */
int rdma_nl_put_driver_u32(struct sk_buff *msg, const char *name, u32 value)
{
	return nldev_put_u32(msg, name, RDMA_NLDEV_PRINT_TYPE_UNSPEC, value);
}
OFED_EXPORT(rdma_nl_put_driver_u32);

/**
 * rdma_nl_put_driver_u32_hex - append a driver's number to a reply
 * @msg: reply, inside the RDMA_NLDEV_ATTR_DRIVER nest
 * @name: what the number is
 * @value: the number, to be printed in hexadecimal
 *
 * Context: any. Return: 0, or -EMSGSIZE when @msg has no room.
 */
int rdma_nl_put_driver_u32_hex(struct sk_buff *msg, const char *name, u32 value)
{
	return nldev_put_u32(msg, name, RDMA_NLDEV_PRINT_TYPE_HEX, value);
}
OFED_EXPORT(rdma_nl_put_driver_u32_hex);

/**
 * rdma_nl_put_driver_u64 - append a driver's number to a reply
 * @msg: reply, inside the RDMA_NLDEV_ATTR_DRIVER nest
 * @name: what the number is
 * @value: the number, to be printed in decimal
 *
 * Context: any. Return: 0, or -EMSGSIZE when @msg has no room.
 */
int rdma_nl_put_driver_u64(struct sk_buff *msg, const char *name, u64 value)
{
	return nldev_put_u64(msg, name, RDMA_NLDEV_PRINT_TYPE_UNSPEC, value);
}
OFED_EXPORT(rdma_nl_put_driver_u64);

/**
 * rdma_nl_put_driver_u64_hex - append a driver's number to a reply
 * @msg: reply, inside the RDMA_NLDEV_ATTR_DRIVER nest
 * @name: what the number is
 * @value: the number, to be printed in hexadecimal
 *
 * Context: any. Return: 0, or -EMSGSIZE when @msg has no room.
 */
int rdma_nl_put_driver_u64_hex(struct sk_buff *msg, const char *name, u64 value)
{
	return nldev_put_u64(msg, name, RDMA_NLDEV_PRINT_TYPE_HEX, value);
}
OFED_EXPORT(rdma_nl_put_driver_u64_hex);

/**
 * rdma_nl_put_driver_string - append a driver's text to a reply
 * @msg: reply, inside the RDMA_NLDEV_ATTR_DRIVER nest
 * @name: what the text is
 * @str: the text
 *
 * Context: any. Return: 0, or -EMSGSIZE when @msg has no room.
 */
int rdma_nl_put_driver_string(struct sk_buff *msg, const char *name,
			      const char *str)
{
	return nldev_put_name(msg, name, RDMA_NLDEV_PRINT_TYPE_UNSPEC) ?:
	       nla_put_string(msg, RDMA_NLDEV_ATTR_DRIVER_STRING, str);
}
OFED_EXPORT(rdma_nl_put_driver_string);

/**
 * rdma_nl_stat_hwcounter_entry - append a counter to a reply
 * @msg: reply, inside the RDMA_NLDEV_ATTR_STAT_HWCOUNTERS nest
 * @name: name of the counter
 * @value: its value
 *
 * Context: any. Return: 0, or -EMSGSIZE when @msg has no room; nothing of the
 * counter stays in @msg then.
 */
int rdma_nl_stat_hwcounter_entry(struct sk_buff *msg, const char *name,
				 u64 value)
{
	struct nlattr *nest;

	nest = nla_nest_start(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_string(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME,
			   name) ||
	    nla_put_u64_64bit(msg, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE,
			      value, RDMA_NLDEV_ATTR_PAD)) {
		nla_nest_cancel(msg, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, nest);
	return 0;
}
OFED_EXPORT(rdma_nl_stat_hwcounter_entry);
