// SPDX-License-Identifier: GPL-2.0
/* What an administrator writes to sysfs, configfs and debugfs, and a device that goes. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* An interface of the wire goes down, or gets another MTU or address. */
static void op_interface(void)
{
	static const char *const commands[] = {
		"ip link set eth0 down; ip link set eth0 up",
		"ip addr del 10.0.0.1/24 dev eth0; ip addr add 10.0.0.1/24 dev eth0",
		"ip addr add 10.0.0.9/24 dev eth0; ip addr del 10.0.0.9/24 dev eth0",
		"ip link set eth0 mtu 600; ip link set eth0 mtu 1500",
	};
	char line[256];

	snprintf(line, sizeof(line),
		 "{ %s; ip neigh replace 10.0.0.3 lladdr 02:00:00:00:00:02 dev eth0; } 2>/dev/null",
		 commands[choice(4)]);
	feature(F_ADMIN + 7, system(line) & 127);
}

const struct op admin_ops[] = {
	{ "admin.sysfs", op_sysfs, 2, OP_ROOT },
	{ "admin.debugfs", op_debugfs, 1, OP_ROOT },
	{ "admin.configfs", op_configfs, 2, OP_ROOT },
	{ "admin.power", op_power, 2, OP_ROOT | OP_IB },
	{ "admin.interface", op_interface, 1, OP_ROOT | OP_ROCE | OP_IWARP },
	{ 0 }
};
