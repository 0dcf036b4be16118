/* SPDX-License-Identifier: GPL-2.0 */
/* Questions to the kernel by generic netlink, and the attributes of its answers. */
#ifndef OFED_SMC_NETLINK_H
#define OFED_SMC_NETLINK_H

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct nl_request - one question
 * @header: its length grows with each attribute
 * @command: of the family
 * @attributes: see nl_add()
 */
struct nl_request {
	struct nlmsghdr header;
	struct genlmsghdr command;
	char attributes[512];
};

/* One answer: its attributes, and how many bytes they are. */
typedef void nl_show(const void *attributes, size_t size);

void nl_open(void);
int nl_family(const char *name);
void nl_begin(struct nl_request *r, int family, int command, int flags);
void nl_add(struct nl_request *r, int type, const void *data, size_t size);
void nl_add_text(struct nl_request *r, int type, const char *text);
void nl_talk(struct nl_request *r, nl_show *show);
void nl_dump(const char *family, int command, nl_show *show);

const struct nlattr *nl_find(const void *from, size_t size, int type);
const struct nlattr *nl_inside(const struct nlattr *at, int type);
unsigned long long nl_number(const struct nlattr *at);
const char *nl_text(const struct nlattr *at);

#endif
