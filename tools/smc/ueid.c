// SPDX-License-Identifier: GPL-2.0
/* Enterprise IDs, of version 2: both ends need a common one. */
#include <err.h>
#include <linux/smc.h>
#include <stdio.h>
#include <string.h>

#include "netlink.h"
#include "rows.h"
#include "smc.h"

static void ueid_show(const void *attributes, size_t size)
{
	row_begin();
	row_text("eid", nl_text(nl_find(attributes, size, SMC_NLA_EID_TABLE_ENTRY)));
	row_end();
}

void ueid_list(void)
{
	rows_begin();
	nl_dump(SMC_GENL_FAMILY_NAME, SMC_NETLINK_DUMP_UEID, ueid_show);
	rows_end();
}

static void ueid_change(int command, const char *name)
{
	char padded[SMC_MAX_EID_LEN + 1];
	struct nl_request r;

	nl_begin(&r, nl_family(SMC_GENL_FAMILY_NAME), command, 0);
	if (name) {
		if (strlen(name) > SMC_MAX_EID_LEN)
			errx(2, "an EID has at most %d characters", SMC_MAX_EID_LEN);
		/* On the wire it has blanks behind it. */
		snprintf(padded, sizeof(padded), "%-*s", SMC_MAX_EID_LEN, name);
		nl_add_text(&r, SMC_NLA_EID_TABLE_ENTRY, padded);
	}
	nl_talk(&r, NULL);
}

void ueid_add(const char *name)
{
	ueid_change(SMC_NETLINK_ADD_UEID, name);
}

void ueid_del(const char *name)
{
	ueid_change(SMC_NETLINK_REMOVE_UEID, name);
}

void ueid_flush(void)
{
	ueid_change(SMC_NETLINK_FLUSH_UEID, NULL);
}
