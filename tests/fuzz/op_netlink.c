// SPDX-License-Identifier: GPL-2.0
/* RDMA netlink: NLDEV with attributes of their types, LS and IWPM with those of theirs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include "choice.h"
#include "op.h"
#include "setup.h"

#define SOCKETS	3

enum { A_U8, A_U32, A_U64, A_NAME, A_INDEX, A_NDEV, A_TYPE, A_CLIENT, A_NEST, A_NUMBER };

static const struct attr {
	uint16_t type;
	uint8_t value;
} attrs[] = {
	{ RDMA_NLDEV_ATTR_DEV_INDEX, A_INDEX }, { RDMA_NLDEV_ATTR_DEV_INDEX, A_INDEX },
	{ RDMA_NLDEV_ATTR_PORT_INDEX, A_U32 }, { RDMA_NLDEV_ATTR_PORT_INDEX, A_U32 },
	{ RDMA_NLDEV_ATTR_DEV_NAME, A_NAME }, { RDMA_NLDEV_ATTR_LINK_TYPE, A_TYPE },
	{ RDMA_NLDEV_ATTR_NDEV_NAME, A_NDEV }, { RDMA_NLDEV_ATTR_CHARDEV_TYPE, A_CLIENT },
	{ RDMA_NLDEV_ATTR_DRIVER_DETAILS, A_U8 }, { RDMA_NLDEV_ATTR_DEV_DIM, A_U8 },
	{ RDMA_NLDEV_ATTR_RES_LQPN, A_NUMBER }, { RDMA_NLDEV_ATTR_RES_CM_IDN, A_NUMBER },
	{ RDMA_NLDEV_ATTR_RES_CQN, A_NUMBER }, { RDMA_NLDEV_ATTR_RES_MRN, A_NUMBER },
	{ RDMA_NLDEV_ATTR_RES_PDN, A_NUMBER }, { RDMA_NLDEV_ATTR_RES_CTXN, A_NUMBER },
	{ RDMA_NLDEV_ATTR_RES_SRQN, A_NUMBER }, { RDMA_NLDEV_ATTR_STAT_RES, A_U32 },
	{ RDMA_NLDEV_ATTR_STAT_MODE, A_U32 }, { RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK, A_U32 },
	{ RDMA_NLDEV_ATTR_STAT_COUNTER_ID, A_U32 }, { RDMA_NLDEV_ATTR_STAT_HWCOUNTERS, A_NEST },
	{ RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE, A_U8 },
};
#define ATTRS (sizeof(attrs) / sizeof(attrs[0]))

static const uint8_t stat_attrs[] = {
	RDMA_NLDEV_CMD_STAT_SET, RDMA_NLDEV_CMD_STAT_GET, RDMA_NLDEV_CMD_STAT_DEL,
};

static int sockets[SOCKETS];

static struct message {
	struct nlmsghdr hdr;
	char body[4096];
} m;

static void add(uint16_t type, const void *value, uint16_t size)
{
	struct nlattr *a = (void *)((char *)&m + m.hdr.nlmsg_len);

	if (m.hdr.nlmsg_len + size + 64 > sizeof(m))
		return;
	a->nla_type = type;
	a->nla_len = choice(32) ? sizeof(*a) + size : choice_odd();
	memcpy(a + 1, value, size);
	m.hdr.nlmsg_len += NLA_ALIGN(sizeof(*a) + size);
}

static void add_text(uint16_t type, const char *const *known, uint32_t n)
{
	char text[80];

	if (choice(12))
		snprintf(text, sizeof(text), "%s", known[choice(n)]);
	else
		memset(text, 'a', sizeof(text));
	add(type, text, choice(12) ? strlen(known[0]) + 1 > 70 ? 70 : strnlen(text, 70) + 1 :
	    choice(sizeof(text)));
}

/* Counters of a port, some of them. */
static void add_nest(uint16_t type)
{
	uint32_t begin = m.hdr.nlmsg_len, number;
	struct nlattr *nest = (void *)((char *)&m + begin);

	add(type | (choice(2) ? NLA_F_NESTED : 0), "", 0);
	for (uint32_t n = choice(6); n; n--) {
		number = choice(8) ? choice(40) : choice_odd();
		add(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX, &number, 4);
	}
	nest->nla_len = m.hdr.nlmsg_len - begin;
}

static void add_attr(const struct attr *a)
{
	const char *const names[] = { "fuzz0", "fuzz1", world.device };
	static const char *const links[] = { "roce", "iwarp", "rxe", "siw", "ib" };
	static const char *const ndevs[] = { "eth0", "lo", "nosuch", "fuzzd" };
	static const char *const clients[] = {
		"uverbs", "umad", "issm", "rdma_cm", "uverbs0", "x",
	};
	uint64_t number = 0;

	switch (a->value) {
	case A_INDEX:
		number = choice(8) ? setup_device.index : choice_odd();
		add(a->type, &number, 4);
		break;
	case A_U8:
		number = choice(4) ? choice(3) : choice(256);
		add(a->type, &number, 1);
		break;
	case A_U32:
		number = choice(6) ? 1 + choice(3) : choice_odd();
		add(a->type, &number, 4);
		break;
	case A_NUMBER:
		number = choice(3) ? world_number(WORLD_QPN) : choice(40);
		add(a->type, &number, 4);
		break;
	case A_NAME: add_text(a->type, names, 3); break;
	case A_TYPE: add_text(a->type, links, 5); break;
	case A_NDEV: add_text(a->type, ndevs, 4); break;
	case A_CLIENT: add_text(a->type, clients, 6); break;
	case A_NEST: add_nest(a->type); break;
	}
}

/* ---- sending ---- */

static int *some_socket(void)
{
	int *fd = &sockets[choice(8) ? 0 : choice(SOCKETS)];

	if (!*fd) {
		*fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_RDMA);
		world_keep_fd(dup(*fd));
	}
	return fd;
}

/* Return: the errno that is told, or that there is none yet. */
static int answer(int fd)
{
	static char room[16384] __attribute__((aligned(8)));
	struct nlmsghdr *h = (void *)room;
	struct nlmsgerr *err = NLMSG_DATA(h);
	int n, parts = 0;

	while ((n = recv(fd, room, sizeof(room), 0)) > 0) {
		if (h->nlmsg_type == NLMSG_ERROR)
			return -err->error;
		/* A dump that is left in the middle. */
		if (++parts > 3 && !choice(8))
			return 126;
	}
	return parts ? 0 : 127;
}

static void send_it(uint32_t what)
{
	int *fd = some_socket();

	feature(F_NETLINK + what % 64, send(*fd, &m, m.hdr.nlmsg_len, 0) < 0 ? errno : answer(*fd));
	if (!choice(24)) {
		close(*fd);
		*fd = 0;
	}
}

static void begin(int client, int command)
{
	static const uint16_t flags[] = {
		NLM_F_ACK, NLM_F_ACK, NLM_F_DUMP, NLM_F_DUMP, 0, NLM_F_ACK | NLM_F_REPLACE,
	};

	memset(&m, 0, sizeof(m));
	m.hdr.nlmsg_len = sizeof(m.hdr);
	m.hdr.nlmsg_type = RDMA_NL_GET_TYPE(client, command);
	m.hdr.nlmsg_flags = NLM_F_REQUEST | (choice(16) ? flags[choice(6)] : choice_word());
	m.hdr.nlmsg_seq = choice(256);
}

static void op_nldev(void)
{
	int command = choice(4) ? choice(RDMA_NLDEV_NUM_OPS) : stat_attrs[choice(3)];

	/* It would put the device where nothing finds it, or give it another name. */
	if (command == RDMA_NLDEV_CMD_SET || command == RDMA_NLDEV_CMD_SYS_SET)
		command = RDMA_NLDEV_CMD_GET;
	/* Another device takes a while. */
	if (command == RDMA_NLDEV_CMD_DELLINK && choice(16))
		command = RDMA_NLDEV_CMD_GET;
	begin(RDMA_NL_NLDEV, command);
	if (choice(8))
		add_attr(&attrs[0]);
	if (choice(3))
		add_attr(&attrs[2]);
	for (uint32_t n = choice(6); n; n--)
		add_attr(&attrs[choice(ATTRS)]);
	send_it(command);
}

/* A counter of a queue pair, or of all; each by its attributes. */
static void op_counter(void)
{
	uint32_t res = 0, mode = choice(4) ? 1 + choice(2) : choice_odd(), number;

	begin(RDMA_NL_NLDEV, stat_attrs[choice(3)]);
	add_attr(&attrs[0]);
	number = choice(8) ? 1 : choice_odd();
	add(RDMA_NLDEV_ATTR_PORT_INDEX, &number, 4);
	res = choice(8) ? RDMA_NLDEV_ATTR_RES_QP : choice(8) ? RDMA_NLDEV_ATTR_RES_MR : choice_odd();
	add(RDMA_NLDEV_ATTR_STAT_RES, &res, 4);
	if (choice(6))
		add(RDMA_NLDEV_ATTR_STAT_MODE, &mode, 4);
	number = choice(2) ? choice(8) : choice_odd();
	if (choice(2))
		add(RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK, &number, 4);
	number = world_number(WORLD_QPN);
	if (choice(3))
		add(RDMA_NLDEV_ATTR_RES_LQPN, &number, 4);
	number = 1 + choice(3);
	if (choice(3))
		add(RDMA_NLDEV_ATTR_STAT_COUNTER_ID, &number, 4);
	send_it(40);
}

/* LS, IWPM and clients that are none: attributes by number and length alone. */
static void op_other(void)
{
	static const uint8_t clients[] = { RDMA_NL_LS, RDMA_NL_IWCM, RDMA_NL_LS, RDMA_NL_IWCM };
	int client = choice(8) ? clients[choice(4)] : choice(64);
	uint8_t value[256];

	begin(client, choice(16) ? choice(10) : choice(1024));
	if (client == RDMA_NL_LS && choice(2))
		m.hdr.nlmsg_len += 8 * choice(20);
	for (uint32_t n = choice(8); n; n--) {
		uint16_t size = (uint16_t[]){ 1, 2, 4, 8, 32, 64, 128, 0 }[choice(8)];

		memset(value, 0, sizeof(value));
		for (uint32_t i = 0; i < 8; i++)
			value[i] = choice(4) ? choice(4) : choice(256);
		add(choice(16) ? choice(12) : choice(65536), value, size);
	}
	send_it(41 + client % 8);
}

/* Another device upon an interface; the suite takes it away. */
static void op_newlink(void)
{
	static const struct attr words[] = {
		{ RDMA_NLDEV_ATTR_DEV_NAME, A_NAME }, { RDMA_NLDEV_ATTR_LINK_TYPE, A_TYPE },
		{ RDMA_NLDEV_ATTR_NDEV_NAME, A_NDEV },
	};

	begin(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_NEWLINK);
	for (uint32_t i = 0; i < 3; i++)
		if (choice(24))
			add_attr(&words[i]);
	send_it(50);
}

/* The device of this input mostly, with all that is open of it. */
static void op_dellink(void)
{
	begin(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_DELLINK);
	add_attr(&attrs[0]);
	send_it(51);
}

const struct op netlink_ops[] = {
	{ "netlink.nldev", op_nldev, 8, 0 },
	{ "netlink.counter", op_counter, 3, 0 },
	{ "netlink.other", op_other, 4, 0 },
	{ "netlink.newlink", op_newlink, 2, OP_ROOT | OP_ROCE | OP_IWARP },
	{ "netlink.dellink", op_dellink, 1, OP_ROOT | OP_ROCE | OP_IWARP },
	{ 0 }
};
