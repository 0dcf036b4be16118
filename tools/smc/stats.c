// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of a network namespace. The kernel's count on until the namespace ends. A reset
 * writes down how far they are, and what is shown is what came since.
 */
#include <err.h>
#include <errno.h>
#include <linux/smc.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "netlink.h"
#include "rows.h"
#include "smc.h"

#define SAVED_DIR "/run/ofed-smc"

/* In @nest of SMC_NLA_STATS_SMCR_TECH; 0: in that itself. */
struct counter {
	int nest;
	int type;
	const char *name;
};

static const struct counter basic[] = {
	{ 0, SMC_NLA_STATS_T_CLNT_V1_SUCC, "client_v1" },
	{ 0, SMC_NLA_STATS_T_CLNT_V2_SUCC, "client_v2" },
	{ 0, SMC_NLA_STATS_T_SRV_V1_SUCC, "server_v1" },
	{ 0, SMC_NLA_STATS_T_SRV_V2_SUCC, "server_v2" },
	{ 0, SMC_NLA_STATS_T_RX_BYTES, "rx_bytes" },
	{ 0, SMC_NLA_STATS_T_TX_BYTES, "tx_bytes" },
};

#define SIZES(nest, name) \
	{ nest, SMC_NLA_STATS_PLOAD_8K, name "_8k" }, \
	{ nest, SMC_NLA_STATS_PLOAD_16K, name "_16k" }, \
	{ nest, SMC_NLA_STATS_PLOAD_32K, name "_32k" }, \
	{ nest, SMC_NLA_STATS_PLOAD_64K, name "_64k" }, \
	{ nest, SMC_NLA_STATS_PLOAD_128K, name "_128k" }, \
	{ nest, SMC_NLA_STATS_PLOAD_256K, name "_256k" }, \
	{ nest, SMC_NLA_STATS_PLOAD_512K, name "_512k" }, \
	{ nest, SMC_NLA_STATS_PLOAD_1024K, name "_1024k" }, \
	{ nest, SMC_NLA_STATS_PLOAD_G_1024K, name "_more" }

#define BUFFERS(nest, name) \
	{ nest, SMC_NLA_STATS_RMB_SIZE_SM_PEER_CNT, name "_peer_too_small" }, \
	{ nest, SMC_NLA_STATS_RMB_SIZE_SM_CNT, name "_too_small" }, \
	{ nest, SMC_NLA_STATS_RMB_FULL_PEER_CNT, name "_peer_full" }, \
	{ nest, SMC_NLA_STATS_RMB_FULL_CNT, name "_full" }, \
	{ nest, SMC_NLA_STATS_RMB_REUSE_CNT, name "_reused" }, \
	{ nest, SMC_NLA_STATS_RMB_ALLOC_CNT, name "_allocated" }, \
	{ nest, SMC_NLA_STATS_RMB_DGRADE_CNT, name "_smaller_than_wanted" }

static const struct counter detailed[] = {
	{ 0, SMC_NLA_STATS_T_RX_CNT, "rx_calls" },
	{ 0, SMC_NLA_STATS_T_TX_CNT, "tx_calls" },
	{ 0, SMC_NLA_STATS_T_SENDPAGE_CNT, "sendpage_calls" },
	{ 0, SMC_NLA_STATS_T_SPLICE_CNT, "splice_calls" },
	{ 0, SMC_NLA_STATS_T_CORK_CNT, "cork_calls" },
	{ 0, SMC_NLA_STATS_T_NDLY_CNT, "nodelay_calls" },
	{ 0, SMC_NLA_STATS_T_URG_DATA_CNT, "urgent_data" },
	SIZES(SMC_NLA_STATS_T_RXPLOAD_SIZE, "rx_calls_of"),
	SIZES(SMC_NLA_STATS_T_TXPLOAD_SIZE, "tx_calls_of"),
	SIZES(SMC_NLA_STATS_T_RX_RMB_SIZE, "rx_buffers_of"),
	SIZES(SMC_NLA_STATS_T_TX_RMB_SIZE, "tx_buffers_of"),
	BUFFERS(SMC_NLA_STATS_T_RX_RMB_STATS, "rx_buffer"),
	BUFFERS(SMC_NLA_STATS_T_TX_RMB_STATS, "tx_buffer"),
};

/* Those of both techniques, beside SMC_NLA_STATS_SMCR_TECH. */
static const struct counter handshakes[] = {
	{ 0, SMC_NLA_STATS_CLNT_HS_ERR_CNT, "client_handshake_errors" },
	{ 0, SMC_NLA_STATS_SRV_HS_ERR_CNT, "server_handshake_errors" },
};

#define NUMBER_OF(table) (sizeof(table) / sizeof((table)[0]))

/* ---- what a reset has written down -------------------------------------------------------- */

/* The file of this network namespace. */
static void saved_path(char *path, size_t size)
{
	struct stat ns;

	if (stat("/proc/self/ns/net", &ns))
		err(1, "/proc/self/ns/net");
	snprintf(path, size, SAVED_DIR "/%llu", (unsigned long long)ns.st_ino);
}

static unsigned long long saved(const char *name)
{
	unsigned long long value, found = 0;
	char path[64], word[64];
	FILE *file;

	saved_path(path, sizeof(path));
	file = fopen(path, "r");
	while (file && fscanf(file, "%63s %llu", word, &value) == 2)
		if (!strcmp(word, name))
			found = value;
	if (file)
		fclose(file);
	return found;
}

/* ---- what is shown --------------------------------------------------------------------------- */

static int is_detailed, is_absolute;
/* A reset writes here instead. */
static FILE *reset_file;

static void counter_show(const struct counter *c, const struct nlattr *in)
{
	unsigned long long value, before;

	if (c->nest)
		in = nl_inside(in, c->nest);
	value = nl_number(nl_inside(in, c->type));
	if (reset_file) {
		fprintf(reset_file, "%s %llu\n", c->name, value);
		return;
	}
	before = is_absolute ? 0 : saved(c->name);
	/* The module was loaded anew. */
	row_number(c->name, value < before ? value : value - before);
	row_break();
}

static void counters_show(const struct counter *table, size_t n, const struct nlattr *in)
{
	for (size_t i = 0; i < n; i++)
		counter_show(&table[i], in);
}

static void stats_show(const void *attributes, size_t size)
{
	const struct nlattr *all = nl_find(attributes, size, SMC_GEN_STATS);
	const struct nlattr *smcr = nl_inside(all, SMC_NLA_STATS_SMCR_TECH);

	row_begin();
	counters_show(basic, NUMBER_OF(basic), smcr);
	if (is_detailed) {
		counters_show(detailed, NUMBER_OF(detailed), smcr);
		counters_show(handshakes, NUMBER_OF(handshakes), all);
	}
	row_end();
}

static void stats_list(int with_details, int since_begin)
{
	is_detailed = with_details;
	is_absolute = since_begin;
	rows_begin();
	nl_dump(SMC_GENL_FAMILY_NAME, SMC_NETLINK_GET_STATS, stats_show);
	rows_end();
}

void stats_basic(void)
{
	stats_list(0, 0);
}

void stats_detailed(void)
{
	stats_list(1, 0);
}

/**
 * stats_absolute - all counters, as if there never was a reset
 */
void stats_absolute(void)
{
	stats_list(1, 1);
}

static void reset_show(const void *attributes, size_t size)
{
	const struct nlattr *all = nl_find(attributes, size, SMC_GEN_STATS);
	const struct nlattr *smcr = nl_inside(all, SMC_NLA_STATS_SMCR_TECH);

	counters_show(basic, NUMBER_OF(basic), smcr);
	counters_show(detailed, NUMBER_OF(detailed), smcr);
	counters_show(handshakes, NUMBER_OF(handshakes), all);
}

/**
 * stats_reset - stats_basic() and stats_detailed() count from 0 on
 *
 * Of this network namespace. Needs to write below /run.
 */
void stats_reset(void)
{
	char path[64];

	if (mkdir(SAVED_DIR, 0755) && errno != EEXIST)
		err(1, SAVED_DIR);
	saved_path(path, sizeof(path));
	reset_file = fopen(path, "w");
	if (!reset_file)
		err(1, "%s", path);
	nl_dump(SMC_GENL_FAMILY_NAME, SMC_NETLINK_GET_STATS, reset_show);
	if (fclose(reset_file))
		err(1, "%s", path);
	reset_file = NULL;
}

/* ---- why connections are TCP's ------------------------------------------------------------- */

static void fallback_show(const void *attributes, size_t size)
{
	const struct nlattr *reason = nl_find(attributes, size, SMC_GEN_FBACK_STATS);
	char code[16];

	if (!nl_number(nl_inside(reason, SMC_NLA_FBACK_STATS_RSN_CNT)))
		return;
	snprintf(code, sizeof(code), "0x%08llx",
		 nl_number(nl_inside(reason, SMC_NLA_FBACK_STATS_RSN_CODE)));
	row_begin();
	row_text("role", nl_number(nl_inside(reason, SMC_NLA_FBACK_STATS_TYPE)) ? "server" :
		 "client");
	row_text("reason", code);
	row_number("connections", nl_number(nl_inside(reason, SMC_NLA_FBACK_STATS_RSN_CNT)));
	row_end();
}

void fallbacks_list(void)
{
	rows_begin();
	nl_dump(SMC_GENL_FAMILY_NAME, SMC_NETLINK_GET_FBACK_STATS, fallback_show);
	rows_end();
}
