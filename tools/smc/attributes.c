// SPDX-License-Identifier: GPL-2.0
/* Settings of the module: those of sysctl, and whether it limits handshakes. */
#include <ctype.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <linux/smc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netlink.h"
#include "rows.h"
#include "smc.h"

#define SYSCTLS "/proc/sys/net/smc"

static const char handshake_limitation[] = "handshake_limitation";

static FILE *sysctl_open(const char *name, const char *mode)
{
	char path[300];

	snprintf(path, sizeof(path), SYSCTLS "/%s", name);
	return fopen(path, mode);
}

static void sysctl_show(const char *name)
{
	FILE *file = sysctl_open(name, "r");
	char value[64];

	if (!file || !fgets(value, sizeof(value), file))
		err(1, "%s", name);
	fclose(file);
	value[strcspn(value, "\n")] = 0;
	row_begin();
	row_text("attribute", name);
	row_text("value", value);
	row_end();
}

static void limitation_show(const void *attributes, size_t size)
{
	row_begin();
	row_text("attribute", handshake_limitation);
	row_number("value", nl_number(nl_find(attributes, size, SMC_NLA_HS_LIMITATION_ENABLED)));
	row_end();
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

void attributes_list(void)
{
	struct dirent **names;
	int i, n;

	n = scandir(SYSCTLS, &names, is_visible, alphasort);
	if (n < 0)
		errx(1, "modprobe smc, and again: " SYSCTLS ": %s", strerror(errno));
	rows_begin();
	for (i = 0; i < n; i++) {
		sysctl_show(names[i]->d_name);
		free(names[i]);
	}
	free(names);
	nl_dump(SMC_GENL_FAMILY_NAME, SMC_NETLINK_DUMP_HS_LIMITATION, limitation_show);
	rows_end();
}

static void limitation_set(const char *value)
{
	struct nl_request r;

	if (strcmp(value, "0") && strcmp(value, "1"))
		errx(2, "%s is 0 or 1, not %s", handshake_limitation, value);
	nl_begin(&r, nl_family(SMC_GENL_FAMILY_NAME), *value == '1' ?
		 SMC_NETLINK_ENABLE_HS_LIMITATION : SMC_NETLINK_DISABLE_HS_LIMITATION, 0);
	nl_talk(&r, NULL);
}

static void sysctl_set(const char *name, const char *value)
{
	FILE *file;

	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			errx(2, "not the name of an attribute: %s", name);
	file = sysctl_open(name, "r+");
	if (!file && errno == ENOENT)
		errx(2, "no attribute %s: 'ofed-smc attributes' lists them", name);
	if (!file)
		err(1, "%s", name);
	/* The kernel judges what is written when it is flushed. */
	if (fprintf(file, "%s\n", value) < 0 || fclose(file))
		err(1, "%s=%s", name, value);
}

/**
 * attribute_set - change a setting for connections that are made from now on
 * @setting: NAME=VALUE
 */
void attribute_set(const char *setting)
{
	const char *equals = strchr(setting, '=');
	char name[64];

	if (!equals || equals == setting || !equals[1] ||
	    equals - setting >= (long)sizeof(name))
		errx(2, "not NAME=VALUE: %s", setting);
	snprintf(name, sizeof(name), "%.*s", (int)(equals - setting), setting);
	if (!strcmp(name, handshake_limitation))
		limitation_set(equals + 1);
	else
		sysctl_set(name, equals + 1);
}
