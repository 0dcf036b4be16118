/* SPDX-License-Identifier: GPL-2.0 */
/* Which character device netlink says that a client has for a port. */
#ifndef UMAD_NETLINK_H
#define UMAD_NETLINK_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

struct nl_ask {
	struct nlmsghdr hdr;
	char room[512];
};

static inline void nl_add(struct nl_ask *ask, int type, const void *data,
			  size_t size)
{
	struct nlattr *attr = (void *)((char *)ask + ask->hdr.nlmsg_len);

	attr->nla_type = type;
	attr->nla_len = sizeof(*attr) + size;
	memcpy(attr + 1, data, size);
	ask->hdr.nlmsg_len += NLA_ALIGN(attr->nla_len);
}

static inline uint32_t nl_index(const char *device)
{
	char path[128], text[16] = "";
	uint32_t index = ~0u;
	FILE *f;

	/* The kernel does not tell it elsewhere but in a dump: those of iproute2. */
	snprintf(path, sizeof(path), "rdma dev show %s 2>/dev/null", device);
	f = popen(path, "r");
	if (f && fgets(text, sizeof(text), f))
		sscanf(text, "%u:", &index);
	if (f)
		pclose(f);
	return index;
}

/* Return: the device number, or minus an errno. @port 0: none is named. */
static inline long long u_chardev(const char *device, uint32_t port,
				  const char *client)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	uint32_t index = nl_index(device);
	struct nl_ask ask = { .hdr = {
		.nlmsg_len = sizeof(ask.hdr),
		.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV,
					       RDMA_NLDEV_CMD_GET_CHARDEV),
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
	} };
	char answer[4096];
	struct nlmsghdr *hdr = (void *)answer;
	struct nlattr *attr;
	long long ret = -ENODATA;
	uint64_t dev;
	ssize_t n;

	nl_add(&ask, RDMA_NLDEV_ATTR_DEV_INDEX, &index, 4);
	if (port)
		nl_add(&ask, RDMA_NLDEV_ATTR_PORT_INDEX, &port, 4);
	nl_add(&ask, RDMA_NLDEV_ATTR_CHARDEV_TYPE, client, strlen(client) + 1);
	send(fd, &ask, ask.hdr.nlmsg_len, 0);
	n = recv(fd, answer, sizeof(answer), 0);
	close(fd);
	if (n < (ssize_t)sizeof(*hdr))
		return -EIO;
	if (hdr->nlmsg_type == NLMSG_ERROR)
		return ((struct nlmsgerr *)NLMSG_DATA(hdr))->error;
	for (attr = NLMSG_DATA(hdr); (char *)attr < answer + hdr->nlmsg_len;
	     attr = (void *)((char *)attr + NLA_ALIGN(attr->nla_len))) {
		if ((attr->nla_type & NLA_TYPE_MASK) != RDMA_NLDEV_ATTR_CHARDEV)
			continue;
		memcpy(&dev, attr + 1, 8);
		ret = dev;
	}
	return ret;
}

#endif /* UMAD_NETLINK_H */
