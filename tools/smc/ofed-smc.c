// SPDX-License-Identifier: GPL-2.0
/*
 * Networks, enterprise IDs and link groups of SMC-R, for systems without smc-tools.
 * ofed-smc(8).
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
/* What is said when the kernel refuses what it is asked now. */
static const char *refusal;

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

	/* Little endian, as all that the modules are built for. */
	if (at && at->nla_len <= NLA_HDRLEN + sizeof(value))
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
					err(1, "%s", refusal);
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

	/* The kernel knows it while the module is loaded. */
	refusal = "modprobe smc, and again";
	begin(&r, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	add_text(&r, CTRL_ATTR_FAMILY_NAME, name);
	talk(&r, take_family);
	refusal = "refused";
	return found_family;
}

/* ---- commands ------------------------------------------------------------------- */

static void ueid(int command, const char *name)
{
	char padded[SMC_MAX_EID_LEN + 1];
	struct request r;

	if (strlen(name) > SMC_MAX_EID_LEN)
		errx(2, "an EID has at most %d characters", SMC_MAX_EID_LEN);
	snprintf(padded, sizeof(padded), "%-*s", SMC_MAX_EID_LEN, name);
	begin(&r, family(SMC_GENL_FAMILY_NAME), command, 0);
	add_text(&r, SMC_NLA_EID_TABLE_ENTRY, padded);
	talk(&r, NULL);
}

static void pnet_flush(void)
{
	struct request r;

	begin(&r, family(SMCR_GENL_FAMILY_NAME), SMC_PNETID_FLUSH, 0);
	talk(&r, NULL);
}

static void pnet_add_eth(const char *id, const char *interface)
{
	struct request r;

	begin(&r, family(SMCR_GENL_FAMILY_NAME), SMC_PNETID_ADD, 0);
	add_text(&r, SMC_PNETID_NAME, id);
	add_text(&r, SMC_PNETID_ETHNAME, interface);
	talk(&r, NULL);
}

static void pnet_add_ib(const char *id, const char *device, const char *port)
{
	struct request r;
	uint8_t number;
	char *end;
	long value;

	value = strtol(port, &end, 10);
	if (*end || end == port || value < 1 || value > UINT8_MAX)
		errx(2, "no number of a port: %s", port);
	number = value;
	begin(&r, family(SMCR_GENL_FAMILY_NAME), SMC_PNETID_ADD, 0);
	add_text(&r, SMC_PNETID_NAME, id);
	add_text(&r, SMC_PNETID_IBNAME, device);
	add(&r, SMC_PNETID_IBPORT, &number, sizeof(number));
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

static void usage(FILE *to)
{
	fputs("usage: ofed-smc ueid add|del NAME\n"
	      "       ofed-smc pnet add ID eth INTERFACE\n"
	      "       ofed-smc pnet add ID ib DEVICE PORT\n"
	      "       ofed-smc pnet flush\n"
	      "       ofed-smc groups\n"
	      "       ofed-smc stats\n", to);
}

/* is_call() - the arguments are these words; NULL stands for any */
static int is_call(int argc, char **argv, int words, const char *const *wanted)
{
	if (argc != words)
		return 0;
	for (int i = 0; i < words; i++)
		if (wanted[i] && strcmp(argv[i], wanted[i]))
			return 0;
	return 1;
}

#define IS_CALL(...) \
	is_call(argc, argv, sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *), \
		(const char *[]){ __VA_ARGS__ })

int main(int argc, char **argv)
{
	argc--;
	argv++;
	netlink = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	if (netlink < 0)
		err(1, "netlink");
	if (IS_CALL("ueid", "add", NULL))
		ueid(SMC_NETLINK_ADD_UEID, argv[2]);
	else if (IS_CALL("ueid", "del", NULL))
		ueid(SMC_NETLINK_REMOVE_UEID, argv[2]);
	else if (IS_CALL("pnet", "add", NULL, "eth", NULL))
		pnet_add_eth(argv[2], argv[4]);
	else if (IS_CALL("pnet", "add", NULL, "ib", NULL, NULL))
		pnet_add_ib(argv[2], argv[4], argv[5]);
	else if (IS_CALL("pnet", "flush"))
		pnet_flush();
	else if (IS_CALL("groups"))
		dump(SMC_NETLINK_GET_LGR_SMCR, show_group);
	else if (IS_CALL("stats"))
		dump(SMC_NETLINK_GET_STATS, show_stats);
	else if (IS_CALL("--help") || IS_CALL("-h"))
		usage(stdout);
	else {
		usage(stderr);
		return 2;
	}
	return 0;
}
