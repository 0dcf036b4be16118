// SPDX-License-Identifier: GPL-2.0
/* Generic netlink (netlink.h). */
#include <err.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "netlink.h"

static int nl_socket = -1;
/* What is said when the kernel refuses what it is asked now. */
static const char *nl_refusal;

/**
 * nl_open - once, before anything else
 */
void nl_open(void)
{
	nl_socket = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	if (nl_socket < 0)
		err(1, "netlink");
}

/**
 * nl_begin - a question without attributes
 * @r: is filled
 * @family: see nl_family()
 * @command: of the family
 * @flags: NLM_F_DUMP or 0
 */
void nl_begin(struct nl_request *r, int family, int command, int flags)
{
	memset(r, 0, sizeof(*r));
	r->header.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	r->header.nlmsg_type = family;
	r->header.nlmsg_flags = NLM_F_REQUEST | flags;
	r->command.cmd = command;
	r->command.version = 1;
}

/**
 * nl_add - one more attribute
 * @r: has room for 512 bytes of them
 * @type: of the attribute
 * @data: its value
 * @size: bytes of that
 */
void nl_add(struct nl_request *r, int type, const void *data, size_t size)
{
	struct nlattr *at = (void *)((char *)r + NLMSG_ALIGN(r->header.nlmsg_len));

	at->nla_type = type;
	at->nla_len = NLA_HDRLEN + size;
	memcpy((char *)at + NLA_HDRLEN, data, size);
	r->header.nlmsg_len = NLMSG_ALIGN(r->header.nlmsg_len) + NLA_ALIGN(at->nla_len);
}

void nl_add_text(struct nl_request *r, int type, const char *text)
{
	if (strlen(text) > 64)
		errx(2, "too long: %s", text);
	nl_add(r, type, text, strlen(text) + 1);
}

/**
 * nl_find - an attribute of this type
 * @from: attributes, one behind the other
 * @size: bytes of them
 * @type: which
 *
 * Return: the first one, or NULL.
 */
const struct nlattr *nl_find(const void *from, size_t size, int type)
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

static const void *nl_payload(const struct nlattr *at)
{
	return (const char *)at + NLA_HDRLEN;
}

/* In a nest; NULL has nothing in it. */
const struct nlattr *nl_inside(const struct nlattr *at, int type)
{
	return at ? nl_find(nl_payload(at), at->nla_len - NLA_HDRLEN, type) : NULL;
}

/* Of any width; 0 if there is none. */
unsigned long long nl_number(const struct nlattr *at)
{
	uint64_t value = 0;

	/* Little endian, as all that the modules are built for. */
	if (at && at->nla_len <= NLA_HDRLEN + sizeof(value))
		memcpy(&value, nl_payload(at), at->nla_len - NLA_HDRLEN);
	return value;
}

const char *nl_text(const struct nlattr *at)
{
	return at ? nl_payload(at) : "-";
}

/* Return: 0: the answer ends here. */
static int nl_message(const struct nlmsghdr *m, nl_show *show)
{
	if (m->nlmsg_type == NLMSG_ERROR || m->nlmsg_type == NLMSG_DONE) {
		errno = -*(const int *)NLMSG_DATA(m);
		if (errno)
			err(1, "%s", nl_refusal);
		return 0;
	}
	if (show)
		show((const char *)NLMSG_DATA(m) + GENL_HDRLEN, NLMSG_PAYLOAD(m, GENL_HDRLEN));
	return 1;
}

/**
 * nl_talk - ask, and show each answer
 * @r: the question
 * @show: or NULL
 *
 * Ends the program with what the kernel says against it.
 */
void nl_talk(struct nl_request *r, nl_show *show)
{
	static char answer[64 * 1024] __attribute__((aligned(8)));
	int more = 1;

	r->header.nlmsg_flags |= NLM_F_ACK;
	if (send(nl_socket, r, r->header.nlmsg_len, 0) < 0)
		err(1, "netlink");
	while (more) {
		ssize_t n = recv(nl_socket, answer, sizeof(answer), 0);
		struct nlmsghdr *m = (void *)answer;

		if (n < 0)
			err(1, "netlink");
		for (; more && NLMSG_OK(m, n); m = NLMSG_NEXT(m, n))
			more = nl_message(m, show);
	}
}

static int nl_found_family;

static void nl_take_family(const void *attributes, size_t size)
{
	nl_found_family = nl_number(nl_find(attributes, size, CTRL_ATTR_FAMILY_ID));
}

/**
 * nl_family - the number of a family
 * @name: the kernel knows it while the module is loaded
 */
int nl_family(const char *name)
{
	struct nl_request r;

	nl_refusal = "modprobe smc, and again";
	nl_begin(&r, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	nl_add_text(&r, CTRL_ATTR_FAMILY_NAME, name);
	nl_talk(&r, nl_take_family);
	nl_refusal = "refused";
	return nl_found_family;
}

/**
 * nl_dump - all that a command lists
 * @family: its name
 * @command: takes no attributes
 * @show: is called for each
 */
void nl_dump(const char *family, int command, nl_show *show)
{
	struct nl_request r;

	nl_begin(&r, nl_family(family), command, NLM_F_DUMP);
	nl_talk(&r, show);
}
