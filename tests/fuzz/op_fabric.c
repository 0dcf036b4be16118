// SPDX-License-Identifier: GPL-2.0
/*
 * A fabric that is built and taken apart: nodes, cables and tunnels in configfs. Those that an
 * input makes are called fuzz0 to fuzz2, and go behind it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "choice.h"
#include "fabric.h"
#include "op.h"

#define ROOT	"/sys/kernel/config/ofed_ib"

static const char *const kinds[] = { "hcas", "switches", "cables", "tunnels" };

enum { T_BOOL, T_PORTS, T_GUID, T_TEXT, T_END, T_WIDTH, T_SPEED, T_RATE, T_MTU, T_ADDRESS, T_EXPECT };

static const struct attribute {
	const char *name;
	uint8_t type, kinds;	/* bits of @kinds that have it */
} attributes[] = {
	{ "ports", T_PORTS, 3 }, { "guid", T_GUID, 3 }, { "sys_guid", T_GUID, 3 },
	{ "desc", T_TEXT, 3 }, { "power", T_BOOL, 3 }, { "power", T_BOOL, 3 },
	{ "a", T_END, 4 }, { "b", T_END, 4 }, { "width", T_WIDTH, 4 }, { "speed", T_SPEED, 4 },
	{ "plugged", T_BOOL, 12 }, { "errors", T_RATE, 4 }, { "losses", T_RATE, 4 },
	{ "delay", T_RATE, 4 }, { "limit", T_BOOL, 4 }, { "seed", T_RATE, 4 },
	{ "port", T_END, 8 }, { "local", T_ADDRESS, 8 }, { "peer", T_ADDRESS, 8 },
	{ "expect", T_EXPECT, 8 }, { "mtu", T_MTU, 8 },
};
#define ATTRIBUTES (sizeof(attributes) / sizeof(attributes[0]))

static size_t compose(char *text, size_t room, uint8_t type)
{
	static const char *const nodes[] = { "fuzz0", "fuzz1", "fuzz2", "hca1", "hca2", "sw1" };
	static const char *const speeds[] = { "SDR", "DDR", "QDR", "FDR", "EDR", "HDR", "NDR" };

	switch (choice(12) ? type : choice(T_EXPECT + 1)) {
	case T_BOOL: return snprintf(text, room, "%u", choice(8) ? 1 : choice(3));
	case T_PORTS: return snprintf(text, room, "%u", choice(6) ? 1 + choice(3) : choice(300));
	case T_GUID: return snprintf(text, room, "0x%x", choice(12) ? 0x1000 * (1 + choice(4)) :
				     choice_word());
	case T_END: return snprintf(text, room, "%s %u", nodes[choice(6)], choice(8) ? 1 + choice(3) :
				    choice(300));
	case T_WIDTH: return snprintf(text, room, "%ux", 1u << choice(5));
	case T_SPEED: return snprintf(text, room, "%s", speeds[choice(7)]);
	case T_MTU: return snprintf(text, room, "%u", choice(4) ? 256u << choice(5) : choice(70000));
	case T_ADDRESS: return snprintf(text, room, "%s %u", choice(2) ? "127.0.0.1" : "::1",
					choice(12) ? 9000 + choice(3) : choice(70000));
	case T_EXPECT: return snprintf(text, room, "0x%x %u", 0x1001 + 0x1000 * choice(4), choice(3));
	case T_RATE: return snprintf(text, room, "%u", choice(4) ? choice(2000) : choice_word());
	default:
		memset(text, 'a' + choice(26), 70);
		return choice(70);
	}
}

static void write_one(const char *folder, const struct attribute *a)
{
	char path[160], text[128];
	size_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, a->name);
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return;
	n = compose(text, sizeof(text), a->type);
	feature(F_FABRIC + 8 + (a - attributes), write(fd, text, n) < 0 ? errno : 0);
	close(fd);
}

/* The whole of it in the order that works, some of it left out. */
static void op_make(void)
{
	uint32_t kind = choice(4);
	char folder[96];

	snprintf(folder, sizeof(folder), ROOT "/%s/fuzz%u", kinds[kind], choice(3));
	feature(F_FABRIC + kind, mkdir(folder, 0755) ? errno : 0);
	for (size_t i = 0; i < ATTRIBUTES; i++)
		if (attributes[i].kinds & 1 << kind && choice(8))
			write_one(folder, &attributes[i]);
}

/* Of what the input made, or of the cable and the nodes that are there for all. */
static void op_change(void)
{
	uint32_t kind = choice(4), n = 1 + choice(3);
	const char *names[] = { world.device, world.peer, "hca1-1:hca2-1", "fuzz0" };
	char folder[96];

	if (choice(3))
		snprintf(folder, sizeof(folder), ROOT "/%s/fuzz%u", kinds[kind], choice(3));
	else
		snprintf(folder, sizeof(folder), ROOT "/%s/%s", kinds[kind],
			 names[kind == 2 ? 2 : choice(2)]);
	while (n--) {
		const struct attribute *a = &attributes[choice(ATTRIBUTES)];

		if (a->kinds & 1 << kind)
			write_one(folder, a);
	}
}

static void op_end(void)
{
	char folder[96];
	uint32_t kind = choice(4);

	snprintf(folder, sizeof(folder), ROOT "/%s/fuzz%u", kinds[kind], choice(3));
	feature(F_FABRIC + 4 + kind, rmdir(folder) ? errno : 0);
}

/* Some refuse what they have already. */
static void put(const char *file, const char *text)
{
	char path[160], now[64] = "";
	int fd;

	snprintf(path, sizeof(path), ROOT "/%s", file);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	if (read(fd, now, sizeof(now) - 1) < 0 || strncmp(now, text, strlen(text))) {
		if (pwrite(fd, text, strlen(text), 0) < 0)
			printf("%s: %s\n", path, strerror(errno));
	}
	close(fd);
}

/* Cables first: nodes are asked for. */
void fabric_back(void)
{
	char path[96];

	for (int kind = 3; kind >= 0; kind--)
		for (int i = 0; i < 3; i++) {
			snprintf(path, sizeof(path), ROOT "/%s/fuzz%d", kinds[kind], i);
			rmdir(path);
		}
	put("cables/hca1-1:hca2-1/errors", "0");
	put("cables/hca1-1:hca2-1/losses", "0");
	put("cables/hca1-1:hca2-1/delay", "0");
	put("cables/hca1-1:hca2-1/limit", "0");
	put("cables/hca1-1:hca2-1/plugged", "1");
	put("hcas/hca1/power", "1");
	put("hcas/hca2/power", "1");
}

const struct op fabric_ops[] = {
	{ "fabric.make", op_make, 4, OP_ROOT | OP_IB | OP_BACK },
	{ "fabric.change", op_change, 4, OP_ROOT | OP_IB | OP_BACK },
	{ "fabric.end", op_end, 2, OP_ROOT | OP_IB | OP_BACK },
	{ 0 }
};
