// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of the iWARP port mapper (uapi <rdma/rdma_netlink.h>). The daemon
 * insists on every attribute of a message, on flags from version 4 of the
 * interface on, and reads names at their full size; its own are checked here
 * before anything of them is believed.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/string.h>
#include <net/netlink.h>

#include "iwpm.h"

/* No message of either side has more attributes. */
#define ATTRS_MAX IWPM_NLA_RQUERY_MAPPING_MAX

enum kind {
	NOTHING,
	SEQ,		/* msg.seq */
	ERROR,		/* msg.err */
	VERSION,	/* msg.version */
	NUMBER,		/* checked only */
	LIBRARY,	/* has to be the name that REG_PID has sent */
	NAME,		/* checked only */
	LOCAL,		/* msg.local */
	REMOTE,
	MAPPED_LOCAL,
	MAPPED_REMOTE,
};

/* Messages of the daemon: what each attribute is. All have to be there. */
static const u8 layouts[RDMA_NL_IWPM_NUM_OPS][ATTRS_MAX] = {
	[RDMA_NL_IWPM_REG_PID] = {
		[IWPM_NLA_RREG_PID_SEQ]			= SEQ,
		[IWPM_NLA_RREG_IBDEV_NAME]		= NAME,
		[IWPM_NLA_RREG_ULIB_NAME]		= LIBRARY,
		[IWPM_NLA_RREG_ULIB_VER]		= VERSION,
		[IWPM_NLA_RREG_PID_ERR]			= ERROR,
	},
	[RDMA_NL_IWPM_ADD_MAPPING] = {
		[IWPM_NLA_RMANAGE_MAPPING_SEQ]		= SEQ,
		[IWPM_NLA_RMANAGE_ADDR]			= LOCAL,
		[IWPM_NLA_RMANAGE_MAPPED_LOC_ADDR]	= MAPPED_LOCAL,
		[IWPM_NLA_RMANAGE_MAPPING_ERR]		= ERROR,
	},
	[RDMA_NL_IWPM_QUERY_MAPPING] = {
		[IWPM_NLA_RQUERY_MAPPING_SEQ]		= SEQ,
		[IWPM_NLA_RQUERY_LOCAL_ADDR]		= LOCAL,
		[IWPM_NLA_RQUERY_REMOTE_ADDR]		= REMOTE,
		[IWPM_NLA_RQUERY_MAPPED_LOC_ADDR]	= MAPPED_LOCAL,
		[IWPM_NLA_RQUERY_MAPPED_REM_ADDR]	= MAPPED_REMOTE,
		[IWPM_NLA_RQUERY_MAPPING_ERR]		= ERROR,
	},
	[RDMA_NL_IWPM_HANDLE_ERR] = {
		[IWPM_NLA_ERR_SEQ]			= SEQ,
		[IWPM_NLA_ERR_CODE]			= ERROR,
	},
	[RDMA_NL_IWPM_MAPINFO] = {
		[IWPM_NLA_MAPINFO_ULIB_NAME]		= LIBRARY,
		[IWPM_NLA_MAPINFO_ULIB_VER]		= VERSION,
	},
	[RDMA_NL_IWPM_MAPINFO_NUM] = {
		[IWPM_NLA_MAPINFO_SEQ]			= SEQ,
		[IWPM_NLA_MAPINFO_SEND_NUM]		= NUMBER,
		[IWPM_NLA_MAPINFO_ACK_NUM]		= NUMBER,
	},
	[RDMA_NL_IWPM_HELLO] = {
		[IWPM_NLA_HELLO_ABI_VERSION]		= VERSION,
	},
};

/* The daemon reports the peer of a mapping in the layout of its answer to a query. */
static const u8 *iwpm_layout(unsigned int op)
{
	return layouts[op == RDMA_NL_IWPM_REMOTE_INFO ? RDMA_NL_IWPM_QUERY_MAPPING : op];
}

/**
 * ofed_iw_pm_parses - ask whether the daemon sends such messages
 * @op: RDMA_NL_IWPM_*
 *
 * Return: true if ofed_iw_pm_parse() knows them.
 */
bool ofed_iw_pm_parses(unsigned int op)
{
	/* Attribute 1 is there in all. */
	return op < RDMA_NL_IWPM_NUM_OPS && iwpm_layout(op)[1] != NOTHING;
}

static bool iwpm_take_u16(const struct nlattr *attr, u16 *value)
{
	if (nla_len(attr) != sizeof(*value))
		return false;
	*value = nla_get_u16(attr);
	return true;
}

static bool iwpm_take_u32(const struct nlattr *attr, u32 *value)
{
	if (nla_len(attr) != sizeof(*value))
		return false;
	*value = nla_get_u32(attr);
	return true;
}

static bool iwpm_take_addr(const struct nlattr *attr, struct sockaddr_storage *addr)
{
	if (nla_len(attr) < sizeof(*addr))
		return false;
	nla_memcpy(addr, attr, sizeof(*addr));
	return addr->ss_family == AF_INET || addr->ss_family == AF_INET6;
}

/* Ends within the attribute, which is no longer than what the uapi says. */
static bool iwpm_is_name(const struct nlattr *attr)
{
	const size_t len = nla_len(attr);

	return len && len <= IWPM_ULIBNAME_SIZE &&
	       strnlen(nla_data(attr), len) < len;
}

static bool iwpm_take(enum kind kind, const struct nlattr *attr,
		      struct ofed_iw_pm_msg *msg)
{
	u32 ignored;

	switch (kind) {
	case SEQ:
		return iwpm_take_u32(attr, &msg->seq);
	case ERROR:
		return iwpm_take_u16(attr, &msg->err);
	case VERSION:
		return iwpm_take_u16(attr, &msg->version);
	case NUMBER:
		return iwpm_take_u32(attr, &ignored);
	case LIBRARY:
		return iwpm_is_name(attr) &&
		       !strcmp(nla_data(attr), OFED_IW_PM_LIBRARY);
	case NAME:
		return iwpm_is_name(attr);
	case LOCAL:
		return iwpm_take_addr(attr, &msg->local);
	case REMOTE:
		return iwpm_take_addr(attr, &msg->remote);
	case MAPPED_LOCAL:
		return iwpm_take_addr(attr, &msg->mapped_local);
	case MAPPED_REMOTE:
		return iwpm_take_addr(attr, &msg->mapped_remote);
	default:
		return false;
	}
}

/**
 * ofed_iw_pm_parse - read a message of the daemon
 * @nlh: the message; its length has been checked against the buffer
 * @msg: out, also when it is malformed: then not to be used
 *
 * Context: any. Return: 0, or -EINVAL.
 */
int ofed_iw_pm_parse(const struct nlmsghdr *nlh,
		     struct ofed_iw_pm_msg *msg)
{
	const unsigned int op = RDMA_NL_GET_OP(nlh->nlmsg_type);
	struct nlattr *attrs[ATTRS_MAX];
	const u8 *layout;
	unsigned int i;

	memset(msg, 0, sizeof(*msg));
	if (!ofed_iw_pm_parses(op) ||
	    nlmsg_parse_deprecated(nlh, 0, attrs, ATTRS_MAX - 1, NULL, NULL))
		return -EINVAL;
	layout = iwpm_layout(op);
	for (i = 1; i < ATTRS_MAX && layout[i] != NOTHING; i++)
		if (!attrs[i] || !iwpm_take(layout[i], attrs[i], msg))
			return -EINVAL;
	return 0;
}

/*
 * Room for a request with two addresses and all else; names are no larger than
 * addresses.
 */
static struct sk_buff *iwpm_new_message(unsigned int op, u32 seq,
					struct nlmsghdr **nlh)
{
	const size_t room = 2 * nla_total_size(sizeof(struct sockaddr_storage)) +
			    2 * nla_total_size(sizeof(u32));
	struct sk_buff *skb = nlmsg_new(room, GFP_KERNEL);

	if (!skb)
		return NULL;
	if (!ibnl_put_msg(skb, nlh, seq, 0, RDMA_NL_IWCM, op, NLM_F_REQUEST)) {
		nlmsg_free(skb);
		return NULL;
	}
	return skb;
}

static struct sk_buff *iwpm_finish(struct sk_buff *skb, struct nlmsghdr *nlh,
				   int ret)
{
	if (ret) {
		nlmsg_free(skb);
		return NULL;
	}
	nlmsg_end(skb, nlh);
	return skb;
}

/* At full size, with zeros at its end. */
static int iwpm_put_name(struct sk_buff *skb, int type, const char *name,
			 unsigned int size)
{
	struct nlattr *attr = nla_reserve(skb, type, size);

	if (!attr)
		return -EMSGSIZE;
	strscpy_pad(nla_data(attr), name, size);
	return 0;
}

static int iwpm_put_addr(struct sk_buff *skb, int type,
			 const struct sockaddr_storage *addr)
{
	return nla_put(skb, type, sizeof(*addr), addr);
}

/**
 * ofed_iw_pm_build_reg_pid - build the request for the port mapper's port id
 * @seq: number of the request
 * @dev_name: name of the RDMA device
 * @if_name: name of its network interface
 *
 * Context: process, may sleep. Return: the message, or NULL without memory.
 */
struct sk_buff *ofed_iw_pm_build_reg_pid(u32 seq, const char *dev_name,
					 const char *if_name)
{
	struct nlmsghdr *nlh;
	struct sk_buff *skb = iwpm_new_message(RDMA_NL_IWPM_REG_PID, seq, &nlh);
	int ret;

	if (!skb)
		return NULL;
	ret = nla_put_u32(skb, IWPM_NLA_REG_PID_SEQ, seq) ?:
	      iwpm_put_name(skb, IWPM_NLA_REG_IF_NAME, if_name, IWPM_IFNAME_SIZE) ?:
	      iwpm_put_name(skb, IWPM_NLA_REG_IBDEV_NAME, dev_name,
			    IWPM_DEVNAME_SIZE) ?:
	      iwpm_put_name(skb, IWPM_NLA_REG_ULIB_NAME, OFED_IW_PM_LIBRARY,
			    IWPM_ULIBNAME_SIZE);
	return iwpm_finish(skb, nlh, ret);
}

/**
 * ofed_iw_pm_build_mapping - build "map this address", or the removal
 * @op: RDMA_NL_IWPM_ADD_MAPPING, _QUERY_MAPPING or _REMOVE_MAPPING
 * @seq: number of the request
 * @local: the address
 * @remote: the peer's, for a query
 * @flags: IWPM_FLAGS_*, or NULL where the message has none
 *
 * Context: process, may sleep. Return: the message, or NULL without memory.
 */
struct sk_buff *ofed_iw_pm_build_mapping(unsigned int op, u32 seq,
					 const struct sockaddr_storage *local,
					 const struct sockaddr_storage *remote,
					 const u32 *flags)
{
	const bool query = op == RDMA_NL_IWPM_QUERY_MAPPING;
	struct nlmsghdr *nlh;
	struct sk_buff *skb = iwpm_new_message(op, seq, &nlh);
	int ret;

	BUILD_BUG_ON((int)IWPM_NLA_MANAGE_MAPPING_SEQ !=
		     (int)IWPM_NLA_QUERY_MAPPING_SEQ);
	BUILD_BUG_ON((int)IWPM_NLA_MANAGE_ADDR !=
		     (int)IWPM_NLA_QUERY_LOCAL_ADDR);
	if (!skb)
		return NULL;
	ret = nla_put_u32(skb, IWPM_NLA_MANAGE_MAPPING_SEQ, seq) ?:
	      iwpm_put_addr(skb, IWPM_NLA_MANAGE_ADDR, local);
	if (!ret && query)
		ret = iwpm_put_addr(skb, IWPM_NLA_QUERY_REMOTE_ADDR, remote);
	if (!ret && flags)
		ret = nla_put_u32(skb, query ? IWPM_NLA_QUERY_FLAGS :
					       IWPM_NLA_MANAGE_FLAGS, *flags);
	return iwpm_finish(skb, nlh, ret);
}

/**
 * ofed_iw_pm_build_hello - build the reply to HELLO
 * @version: of the interface, that both sides will use
 *
 * Context: process, may sleep. Return: the message, or NULL without memory.
 */
struct sk_buff *ofed_iw_pm_build_hello(u16 version)
{
	struct nlmsghdr *nlh;
	struct sk_buff *skb = iwpm_new_message(RDMA_NL_IWPM_HELLO, 0, &nlh);

	if (!skb)
		return NULL;
	return iwpm_finish(skb, nlh, nla_put_u16(skb, IWPM_NLA_HELLO_ABI_VERSION,
						 version));
}

/**
 * ofed_iw_pm_put_mapinfo - append a message about a mapping in use
 * @skb: buffer
 * @local: address before the mapping
 * @mapped: address on the wire
 * @flags: IWPM_FLAGS_*, or NULL where the message has none
 *
 * Context: any. Return: 0, or -EMSGSIZE: then @skb is as before.
 */
int ofed_iw_pm_put_mapinfo(struct sk_buff *skb,
			   const struct sockaddr_storage *local,
			   const struct sockaddr_storage *mapped,
			   const u32 *flags)
{
	struct nlmsghdr *nlh;
	int ret;

	if (!ibnl_put_msg(skb, &nlh, 0, 0, RDMA_NL_IWCM, RDMA_NL_IWPM_MAPINFO,
			  NLM_F_REQUEST))
		return -EMSGSIZE;
	ret = iwpm_put_addr(skb, IWPM_NLA_MAPINFO_LOCAL_ADDR, local) ?:
	      iwpm_put_addr(skb, IWPM_NLA_MAPINFO_MAPPED_ADDR, mapped);
	if (!ret && flags)
		ret = nla_put_u32(skb, IWPM_NLA_MAPINFO_FLAGS, *flags);
	if (ret)
		nlmsg_cancel(skb, nlh);
	else
		nlmsg_end(skb, nlh);
	return ret;
}

/**
 * ofed_iw_pm_build_mapinfo_num - build "those were all mappings"
 * @seq: number of the message
 * @sent: how many
 *
 * Context: process, may sleep. Return: the message, or NULL without memory.
 */
struct sk_buff *ofed_iw_pm_build_mapinfo_num(u32 seq, u32 sent)
{
	struct nlmsghdr *nlh;
	struct sk_buff *skb = iwpm_new_message(RDMA_NL_IWPM_MAPINFO_NUM, seq, &nlh);

	if (!skb)
		return NULL;
	return iwpm_finish(skb, nlh,
			   nla_put_u32(skb, IWPM_NLA_MAPINFO_SEQ, seq) ?:
			   nla_put_u32(skb, IWPM_NLA_MAPINFO_SEND_NUM, sent));
}
