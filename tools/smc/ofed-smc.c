// SPDX-License-Identifier: GPL-2.0
/*
 * Networks, enterprise IDs, link groups, settings and counters of SMC-R, for systems without
 * smc-tools. ofed-smc(8).
 */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "netlink.h"
#include "rows.h"
#include "smc.h"

/* A command: its words, of which a capital one stands for any, and what it calls with those. */
struct command {
	const char *words;
	void (*list)(void);
	void (*none)(void);
	void (*one)(const char *);
	void (*two)(const char *, const char *);
	void (*three)(const char *, const char *, const char *);
};

static const struct command commands[] = {
	{ "attributes", .list = attributes_list },
	{ "attributes set NAME=VALUE", .one = attribute_set },
	{ "enable INTERFACE", .one = pnet_enable },
	{ "disable INTERFACE", .one = pnet_disable },
	{ "pnet", .list = pnet_list },
	{ "pnet add ID eth INTERFACE", .two = pnet_add_eth },
	{ "pnet add ID ib DEVICE PORT", .three = pnet_add_ib },
	{ "pnet del ID", .one = pnet_del },
	{ "pnet flush", .none = pnet_flush },
	{ "ueid", .list = ueid_list },
	{ "ueid add NAME", .one = ueid_add },
	{ "ueid del NAME", .one = ueid_del },
	{ "ueid flush", .none = ueid_flush },
	{ "devices", .list = devices_list },
	{ "groups", .list = groups_list },
	{ "links", .list = links_list },
	{ "stats", .list = stats_basic },
	{ "stats detailed", .list = stats_detailed },
	{ "stats absolute", .list = stats_absolute },
	{ "stats reset", .none = stats_reset },
	{ "stats fallbacks", .list = fallbacks_list },
};

#define NUMBER_OF_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void usage(FILE *to)
{
	for (size_t i = 0; i < NUMBER_OF_COMMANDS; i++)
		fprintf(to, "%s ofed-smc %s%s\n", i ? "      " : "usage:",
			commands[i].list ? "[-j] " : "", commands[i].words);
	fputs("-j: JSON\n", to);
}

/* Is this a call of the command? Then @values has what stands for its capital words. */
static int is_call(const struct command *c, char **arguments, const char **values)
{
	char words[64], *rest = words, *word;
	int n = 0;

	snprintf(words, sizeof(words), "%s", c->words);
	for (; (word = strsep(&rest, " ")); arguments++) {
		if (!*arguments)
			return 0;
		if (*word >= 'A' && *word <= 'Z')
			values[n++] = *arguments;
		else if (strcmp(word, *arguments))
			return 0;
	}
	return !*arguments;
}

static void call(const struct command *c, const char **values)
{
	nl_open();
	if (c->list)
		c->list();
	else if (c->none)
		c->none();
	else if (c->one)
		c->one(values[0]);
	else if (c->two)
		c->two(values[0], values[1]);
	else
		c->three(values[0], values[1], values[2]);
}

int main(int argc, char **argv)
{
	const char *values[3];

	argv++;
	if (argc == 2 && (!strcmp(*argv, "-h") || !strcmp(*argv, "--help"))) {
		usage(stdout);
		return 0;
	}
	if (*argv && !strcmp(*argv, "-j")) {
		rows_json = 1;
		argv++;
	}
	for (size_t i = 0; i < NUMBER_OF_COMMANDS; i++) {
		if (!is_call(&commands[i], argv, values) || (rows_json && !commands[i].list))
			continue;
		call(&commands[i], values);
		return 0;
	}
	usage(stderr);
	return 2;
}
