// SPDX-License-Identifier: GPL-2.0
/*
 * What smc-tools would do, for systems that do not have them.
 *
 * usage: smc_admin ueid add|del NAME	user-defined enterprise ID, for version 2
 *	  smc_admin pnet add ID eth INTERFACE
 *	  smc_admin pnet add ID ib DEVICE PORT
 *	  smc_admin pnet flush		which devices are on one network
 *	  smc_admin groups		link groups, a line each: 'version V role ...'
 *	  smc_admin stats		of this network namespace: 'NAME NUMBER'
 */
#include <err.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/smc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- generic netlink ------------------------------------------------------------ */

struct request {
	struct nlmsghdr header;
	struct genlmsghdr command;
	char attributes[512];
};

static int netlink = -1;

static void begin(struct request *r, int family, int command, int flags)
{
	memset(r, 0, sizeof(*r));
	r->header.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	r->header.nlmsg_type = family;
	r->header.nlmsg_flags = NLM_F_REQUEST | flags;
	r->command.cmd = command;
	r->command.version = 1;
}

static void add(struct request *r, int type, const void *data, size_t size)
{
	struct nlattr *at = (void *)((char *)r + NLMSG_ALIGN(r->header.nlmsg_len));

	at->nla_type = type;
	at->nla_len = NLA_HDRLEN + size;
	memcpy((char *)at + NLA_HDRLEN, data, size);
	r->header.nlmsg_len = NLMSG_ALIGN(r->header.nlmsg_len) + NLA_ALIGN(at->nla_len);
}

static void add_text(struct request *r, int type, const char *text)
{
	if (strlen(text) > 64)
		errx(2, "too long: %s", text);
	add(r, type, text, strlen(text) + 1);
}

static const struct nlattr *find(const void *from, size_t size, int type)
{
	while (size >= NLA_HDRLEN) {
		const struct nlattr *at = from;
		size_t step = NLA_ALIGN(at->nla_len);

		if (at->nla_len < NLA_HDRLEN || at->nla_len > size)
			break;
		if ((at->nla_type & NLA_TYPE_MASK) == type)
			return at;
		if (step >= size)
			break;
		from = (const char *)from + step;
		size -= step;
	}
	return NULL;
}

static const void *payload(const struct nlattr *at)
{
	return (const char *)at + NLA_HDRLEN;
}

static const struct nlattr *inside(const struct nlattr *at, int type)
{
	return at ? find(payload(at), at->nla_len - NLA_HDRLEN, type) : NULL;
}

static unsigned long long number(const struct nlattr *at)
{
	uint64_t value = 0;

	if (at)
		memcpy(&value, payload(at), at->nla_len - NLA_HDRLEN);
	return value;
}

static const char *text(const struct nlattr *at)
{
	return at ? payload(at) : "-";
}

/*
 * talk() - send, and show each answer; dies with what the kernel says against it
 */
static void talk(struct request *r, void (*show)(const void *attributes, size_t size))
{
	static char answer[64 * 1024] __attribute__((aligned(8)));
	int more = 1;

	r->header.nlmsg_flags |= NLM_F_ACK;
	if (send(netlink, r, r->header.nlmsg_len, 0) < 0)
		err(1, "netlink");
	while (more) {
		ssize_t n = recv(netlink, answer, sizeof(answer), 0);
		struct nlmsghdr *m = (void *)answer;

		if (n < 0)
			err(1, "netlink");
		for (; NLMSG_OK(m, n); m = NLMSG_NEXT(m, n)) {
			if (m->nlmsg_type == NLMSG_ERROR || m->nlmsg_type == NLMSG_DONE) {
				errno = -*(int *)NLMSG_DATA(m);
				if (errno)
					err(1, "refused");
				more = 0;
			} else if (show) {
				show((char *)NLMSG_DATA(m) + GENL_HDRLEN,
				     NLMSG_PAYLOAD(m, GENL_HDRLEN));
			}
		}
	}
}

static int found_family;

static void take_family(const void *attributes, size_t size)
{
	found_family = number(find(attributes, size, CTRL_ATTR_FAMILY_ID));
}

static int family(const char *name)
{
	struct request r;

	begin(&r, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	add_text(&r, CTRL_ATTR_FAMILY_NAME, name);
	talk(&r, take_family);
	return found_family;
}

/* ---- commands ------------------------------------------------------------------- */

static void ueid(const char *what, const char *name)
{
	char padded[SMC_MAX_EID_LEN + 1];
	struct request r;

	if (strlen(name) > SMC_MAX_EID_LEN)
		errx(2, "an EID has at most %d characters", SMC_MAX_EID_LEN);
	snprintf(padded, sizeof(padded), "%-*s", SMC_MAX_EID_LEN, name);
	begin(&r, family(SMC_GENL_FAMILY_NAME), strcmp(what, "add") ?
	      SMC_NETLINK_REMOVE_UEID : SMC_NETLINK_ADD_UEID, 0);
	add_text(&r, SMC_NLA_EID_TABLE_ENTRY, padded);
	talk(&r, NULL);
}

static void pnet(int argc, char **argv)
{
	struct request r;
	uint8_t port;

	if (!strcmp(argv[0], "flush")) {
		begin(&r, family(SMCR_GENL_FAMILY_NAME), SMC_PNETID_FLUSH, 0);
		talk(&r, NULL);
		return;
	}
	begin(&r, family(SMCR_GENL_FAMILY_NAME), SMC_PNETID_ADD, 0);
	add_text(&r, SMC_PNETID_NAME, argv[1]);
	if (!strcmp(argv[2], "eth")) {
		add_text(&r, SMC_PNETID_ETHNAME, argv[3]);
	} else if (argc > 4) {
		port = atoi(argv[4]);
		add_text(&r, SMC_PNETID_IBNAME, argv[3]);
		add(&r, SMC_PNETID_IBPORT, &port, sizeof(port));
	}
	talk(&r, NULL);
}

static void show_group(const void *attributes, size_t size)
{
	const struct nlattr *group = find(attributes, size, SMC_GEN_LGR_SMCR);
	const struct nlattr *v2 = inside(group, SMC_NLA_LGR_R_V2_COMMON);
	const struct nlattr *version = inside(v2, SMC_NLA_LGR_V2_VER);

	if (!group)
		return;
	/* A group of version 1 has nothing of version 2 to tell. */
	printf("version %llu role %s connections %llu pnet %s eid %s\n",
	       version ? number(version) : 1,
	       number(inside(group, SMC_NLA_LGR_R_ROLE)) ? "server" : "client",
	       number(inside(group, SMC_NLA_LGR_R_CONNS_NUM)),
	       text(inside(group, SMC_NLA_LGR_R_PNETID)),
	       text(inside(v2, SMC_NLA_LGR_V2_NEG_EID)));
}

static const struct {
	int type;
	const char *name;
} counters[] = {
	{ SMC_NLA_STATS_T_CLNT_V1_SUCC, "client_v1" },
	{ SMC_NLA_STATS_T_CLNT_V2_SUCC, "client_v2" },
	{ SMC_NLA_STATS_T_SRV_V1_SUCC, "server_v1" },
	{ SMC_NLA_STATS_T_SRV_V2_SUCC, "server_v2" },
	{ SMC_NLA_STATS_T_RX_BYTES, "rx_bytes" },
	{ SMC_NLA_STATS_T_TX_BYTES, "tx_bytes" },
};

static void show_stats(const void *attributes, size_t size)
{
	const struct nlattr *all = find(attributes, size, SMC_GEN_STATS);
	const struct nlattr *smcr = inside(all, SMC_NLA_STATS_SMCR_TECH);

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		printf("%s %llu\n", counters[i].name, number(inside(smcr, counters[i].type)));
}

static void dump(int command, void (*show)(const void *, size_t))
{
	struct request r;

	begin(&r, family(SMC_GENL_FAMILY_NAME), command, NLM_F_DUMP);
	talk(&r, show);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	netlink = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	if (netlink < 0)
		err(1, "netlink");
	if (!strcmp(what, "ueid") && argc == 4)
		ueid(argv[2], argv[3]);
	else if (!strcmp(what, "pnet") && (argc >= 6 || (argc == 3 && !strcmp(argv[2], "flush"))))
		pnet(argc - 2, argv + 2);
	else if (!strcmp(what, "groups"))
		dump(SMC_NETLINK_GET_LGR_SMCR, show_group);
	else if (!strcmp(what, "stats"))
		dump(SMC_NETLINK_GET_STATS, show_stats);
	else
		errx(2, "usage: see the source");
	return 0;
}
