// SPDX-License-Identifier: GPL-2.0
/* Link groups, which several connections share; their links; devices that can have some. */
#include <linux/smc.h>
#include <net/if.h>
#include <stdio.h>

#include "netlink.h"
#include "rows.h"
#include "smc.h"

static void group_show(const void *attributes, size_t size)
{
	const struct nlattr *group = nl_find(attributes, size, SMC_GEN_LGR_SMCR);
	const struct nlattr *v2 = nl_inside(group, SMC_NLA_LGR_R_V2_COMMON);
	const struct nlattr *version = nl_inside(v2, SMC_NLA_LGR_V2_VER);
	char id[16];

	if (!group)
		return;
	snprintf(id, sizeof(id), "%08llx", nl_number(nl_inside(group, SMC_NLA_LGR_R_ID)));
	row_begin();
	/* A group of version 1 has nothing of version 2 to tell. */
	row_number("version", version ? nl_number(version) : 1);
	row_text("role", nl_number(nl_inside(group, SMC_NLA_LGR_R_ROLE)) ? "server" : "client");
	row_number("connections", nl_number(nl_inside(group, SMC_NLA_LGR_R_CONNS_NUM)));
	row_text("pnet", nl_text(nl_inside(group, SMC_NLA_LGR_R_PNETID)));
	row_text("eid", nl_text(nl_inside(v2, SMC_NLA_LGR_V2_NEG_EID)));
	row_number("vlan", nl_number(nl_inside(group, SMC_NLA_LGR_R_VLAN_ID)));
	row_text("id", id);
	row_end();
}

void groups_list(void)
{
	rows_begin();
	nl_dump(SMC_GENL_FAMILY_NAME, SMC_NETLINK_GET_LGR_SMCR, group_show);
	rows_end();
}

static void row_interface(const struct nlattr *index)
{
	char name[IF_NAMESIZE];

	/* It may be one of another namespace. */
	if (nl_number(index) && if_indextoname(nl_number(index), name))
		row_text("interface", name);
}

static void link_show(const void *attributes, size_t size)
{
	/* As the kernel numbers them. */
	static const char *const states[] = { "unused", "inactive", "activating", "active" };
	const struct nlattr *link = nl_find(attributes, size, SMC_GEN_LINK_SMCR);
	unsigned long long state = nl_number(nl_inside(link, SMC_NLA_LINK_STATE));

	if (!link)
		return;
	row_begin();
	row_text("device", nl_text(nl_inside(link, SMC_NLA_LINK_IB_DEV)));
	row_number("port", nl_number(nl_inside(link, SMC_NLA_LINK_IB_PORT)));
	row_interface(nl_inside(link, SMC_NLA_LINK_NET_DEV));
	row_number("link", nl_number(nl_inside(link, SMC_NLA_LINK_ID)));
	if (state < sizeof(states) / sizeof(states[0]))
		row_text("state", states[state]);
	else
		row_number("state", state);
	row_number("connections", nl_number(nl_inside(link, SMC_NLA_LINK_CONN_CNT)));
	row_text("gid", nl_text(nl_inside(link, SMC_NLA_LINK_GID)));
	row_text("peer_gid", nl_text(nl_inside(link, SMC_NLA_LINK_PEER_GID)));
	row_end();
}

void links_list(void)
{
	rows_begin();
	nl_dump(SMC_GENL_FAMILY_NAME, SMC_NETLINK_GET_LINK_SMCR, link_show);
	rows_end();
}

static void port_show(const struct nlattr *device, int type, int number)
{
	const struct nlattr *port = nl_inside(device, type);

	if (!port || !nl_number(nl_inside(port, SMC_NLA_DEV_PORT_VALID)))
		return;
	row_begin();
	row_text("device", nl_text(nl_inside(device, SMC_NLA_DEV_IB_NAME)));
	row_number("port", number);
	row_interface(nl_inside(port, SMC_NLA_DEV_PORT_NETDEV));
	row_text("state", nl_number(nl_inside(port, SMC_NLA_DEV_PORT_STATE)) ? "active" :
		 "inactive");
	row_text("pnet", nl_text(nl_inside(port, SMC_NLA_DEV_PORT_PNETID)));
	row_number("links", nl_number(nl_inside(port, SMC_NLA_DEV_PORT_LNK_CNT)));
	row_number("groups", nl_number(nl_inside(device, SMC_NLA_DEV_USE_CNT)));
	row_end();
}

static void device_show(const void *attributes, size_t size)
{
	const struct nlattr *device = nl_find(attributes, size, SMC_GEN_DEV_SMCR);

	port_show(device, SMC_NLA_DEV_PORT, 1);
	port_show(device, SMC_NLA_DEV_PORT2, 2);
}

void devices_list(void)
{
	rows_begin();
	nl_dump(SMC_GENL_FAMILY_NAME, SMC_NETLINK_GET_DEV_SMCR, device_show);
	rows_end();
}
