// SPDX-License-Identifier: GPL-2.0
/* What an administrator writes to sysfs, configfs and debugfs, and a device that goes. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "choice.h"
#include "op.h"

#define NAMES	64

/* Return: number of names in a folder, in an order that is always the same. */
static int list(const char *folder, char names[NAMES][64])
{
	struct dirent **entry;
	int n = scandir(folder, &entry, NULL, alphasort), kept = 0;

	for (int i = 0; i < n; i++) {
		if (entry[i]->d_name[0] != '.' && kept < NAMES)
			snprintf(names[kept++], 64, "%.63s", entry[i]->d_name);
		free(entry[i]);
	}
	if (n >= 0)
		free(entry);
	return kept;
}

/* A file some floors below @folder; one that is no file is not written. */
static int open_below(const char *folder, int flags)
{
	char path[512], names[NAMES][64];
	int n;

	snprintf(path, sizeof(path), "%s", folder);
	for (int depth = 0; depth < 5; depth++) {
		n = list(path, names);
		if (!n)
			break;
		snprintf(path + strlen(path), sizeof(path) - strlen(path), "/%s",
			 names[choice(n)]);
	}
	return open(path, flags | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
}

static size_t words(char *text, size_t room)
{
	static const char *const known[] = {
		"0", "1", "-1", "2", "3", "65535", "4294967296", "on", "off", "reset", "hca1 1",
		"hca2 1", "sw1 1", "0x7fff", "100", "none",
	};
	size_t n;

	if (!choice(6)) {
		n = choice(200);
		memset(text, choice(256), n);
		return n;
	}
	snprintf(text, room, "%s%s", known[choice(16)], choice(4) ? "\n" : "");
	return strlen(text);
}

static void poke(uint32_t what, const char *folder)
{
	char text[256];
	int fd = open_below(folder, choice(2) ? O_RDONLY : O_RDWR);
	ssize_t n;

	if (fd < 0) {
		feature(F_ADMIN + what, errno);
		return;
	}
	if (choice(2))
		n = write(fd, text, words(text, sizeof(text)));
	else
		n = read(fd, text, sizeof(text));
	feature(F_ADMIN + what, n < 0 ? errno : 0);
	world_keep_fd(fd);
}

static void op_sysfs(void)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s%s", world.device,
		 choice(2) ? "/ports/1" : "");
	poke(0, path);
}

static void op_debugfs(void)
{
	static const char *const folders[] = {
		"/sys/kernel/debug/ofed_core", "/sys/kernel/debug/ofed_soft",
		"/sys/kernel/debug/ofed_roce", "/sys/kernel/debug/ofed_ib",
		"/sys/kernel/debug/ofed_iwarp", "/sys/kernel/debug/infiniband",
	};

	poke(1, folders[choice(6)]);
}

static void op_configfs(void)
{
	char path[128];
	bool rdma_cm = choice(2);

	if (rdma_cm) {
		snprintf(path, sizeof(path), "/sys/kernel/config/rdma_cm/%s", world.device);
		if (!choice(3))
			feature(F_ADMIN + 2, mkdir(path, 0755) ? errno : 0);
		if (!choice(4))
			feature(F_ADMIN + 3, rmdir(path) ? errno : 0);
		poke(4, "/sys/kernel/config/rdma_cm");
	} else {
		poke(5, "/sys/kernel/config/ofed_ib");
	}
}

/* A device that goes in the middle; that of the input mostly. */
static void op_power(void)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/config/ofed_ib/hcas/%s/power",
		 choice(3) ? world.device : world.peer);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	feature(F_ADMIN + 6, write(fd, choice(3) ? "0" : "1", 1) < 0 ? errno : 0);
	close(fd);
}

/* An interface of the wire changes and changes back, or stays so until the input is over. */
static void op_interface(void)
{
	static const char *const commands[][2] = {
		{ "ip link set eth0 down", "ip link set eth0 up" },
		{ "ip addr del 10.0.0.1/24 dev eth0", "ip addr add 10.0.0.1/24 dev eth0" },
		{ "ip addr add 10.0.0.9/24 dev eth0", "ip addr del 10.0.0.9/24 dev eth0" },
		{ "ip link set eth0 mtu 600", "ip link set eth0 mtu 1500" },
		{ "ip link set eth0 address 02:00:00:00:00:07",
		  "ip link set eth0 address 02:00:00:00:00:01" },
		{ "ip link add br7 type bridge && ip link set eth0 master br7 && ip link set br7 up",
		  "ip link del br7" },
		{ "ip link add link eth0 name eth0.5 type vlan id 5 && ip link set eth0.5 up && ip addr add 10.5.0.1/24 dev eth0.5",
		  "ip link del eth0.5" },
		{ "ip link set eth0 name eth7", "ip link set eth7 name eth0" },
		{ "ip netns add c; ip link set eth0 netns c",
		  "ip -n c link set eth0 netns 1; ip netns del c" },
		{ "tc qdisc add dev eth0 root netem loss 30% delay 2ms duplicate 20%",
		  "tc qdisc del dev eth0 root" },
		{ "ip -n b link set eth1 down", "ip -n b link set eth1 up" },
		{ "rdma dev set roce0 name roce7 || rdma dev set iwarp0 name iwarp7",
		  "rdma dev set roce7 name roce0 || rdma dev set iwarp7 name iwarp0" },
	};
	uint32_t i = choice(sizeof(commands) / sizeof(commands[0])), way = choice(4);
	char line[300];

	/* The whole of it, or one half. */
	snprintf(line, sizeof(line), "{ %s; %s; } >/dev/null 2>&1", way < 3 ? commands[i][0] : ":",
		 way > 1 ? commands[i][1] : ":");
	feature(F_ADMIN + 7, system(line) & 127);
	feature(F_ADMIN + 8 + i, way);
}

/* Modules go that nothing holds: first the devices, or not. */
static void op_unload(void)
{
	static const char *const modules[] = {
		"ofed_roce", "ofed_iwarp", "ofed_ucma", "ofed_umad", "ofed_uverbs", "ofed_soft",
		"ofed_core", "ofed_testdev",
	};
	char line[128];

	if (choice(2)) {
		snprintf(line, sizeof(line), "rdma link delete %s 2>/dev/null", world.device);
		feature(F_FAIL + 1, system(line) & 127);
	}
	for (uint32_t i = choice(8), n = 1 + choice(4); n; n--, i = (i + 1) % 8)
		feature(F_ADMIN + 20 + i, syscall(SYS_delete_module, modules[i], O_NONBLOCK) ?
			errno : 0);
}

const struct op admin_ops[] = {
	{ "admin.sysfs", op_sysfs, 2, OP_ROOT },
	{ "admin.debugfs", op_debugfs, 1, OP_ROOT },
	{ "admin.configfs", op_configfs, 2, OP_ROOT },
	{ "admin.power", op_power, 2, OP_ROOT | OP_IB },
	{ "admin.interface", op_interface, 2, OP_ROOT | OP_ROCE | OP_IWARP | OP_BACK },
	{ "admin.unload", op_unload, 1, OP_ROOT | OP_ROCE | OP_IWARP | OP_BACK },
	{ 0 }
};
