// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <linux/netlink.h>

#include "../programs/lib/raw_command.h"
#include "op.h"
#include "setup.h"

struct setup_device setup_device;

static uint32_t index_of(const char *name)
{
	char command[128];
	unsigned int index = 0;
	FILE *answer;

	snprintf(command, sizeof(command), "rdma dev show %s 2>/dev/null", name);
	answer = popen(command, "r");
	if (answer && fscanf(answer, "%u:", &index) != 1)
		index = 0;
	if (answer)
		pclose(answer);
	return index;
}

static uint8_t ip_index(void)
{
	char path[128], text[64];
	uint8_t gid[16];

	for (int i = 0; i < 16; i++) {
		snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gids/%d",
			 world.device, i);
		if (!rv_read_file(path, text, sizeof(text)))
			continue;
		rv_parse_gid(text, gid);
		snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gid_attrs/types/%d",
			 world.device, i);
		if (!memcmp(gid, world.gid[2], 16) && rv_read_file(path, text, sizeof(text)) &&
		    !strcmp(text, "RoCE v2"))
			return i;
	}
	return 0;
}

void setup_find(void)
{
	struct rv_device dev = {};
	int i;

	for (i = 0; i < 100 && rv_find(world.device, &dev); i++)
		usleep(50000);
	if (i == 100) {
		fprintf(stderr, "no device '%s'\n", world.device);
		exit(2);
	}
	snprintf(setup_device.node, sizeof(setup_device.node), "%s", dev.node);
	setup_device.ethernet = dev.ethernet && strcmp(world.driver, "iwarp");
	memcpy(setup_device.gid, dev.gid, 16);
	memcpy(world.gid[0], dev.gid, 16);
	/* The peer of a wire is in another namespace: its address is known. */
	memcpy(world.gid[1], "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\3", 16);
	memcpy(world.gid[2], "\0\0\0\0\0\0\0\0\0\0\xff\xff\x0a\0\0\1", 16);
	setup_device.ip_index = ip_index();
	setup_device.peer_node[0] = '\0';
	if (world.peer && !rv_find(world.peer, &dev)) {
		snprintf(setup_device.peer_node, sizeof(setup_device.peer_node), "%s", dev.node);
		if (!strcmp(world.driver, "ib"))
			memcpy(world.gid[1], dev.gid, 16);
	}
	setup_device.driver_id = !strcmp(world.driver, "iwarp") ? 18 :
		!strncmp(world.device, "testdev", 7) ? 0x7e57 : 14;
	setup_device.index = index_of(world.device);
}

/* The process is in the other namespace then. Return: a descriptor of the one before, or -1. */
static int go_there(void)
{
	int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), there;
	char path[128];

	snprintf(path, sizeof(path), "/run/netns/%s", world.netns);
	there = open(path, O_RDONLY | O_CLOEXEC);
	if (there < 0 || setns(there, 0)) {
		close(here);
		here = -1;
	}
	close(there);
	return here;
}

static void go_back(int here)
{
	if (setns(here, 0))
		exit(2);
	close(here);
}

static int listener(void)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(7000) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (!bind(fd, (struct sockaddr *)&any, sizeof(any)) && !listen(fd, 16))
		return fd;
	close(fd);
	return -1;
}

/* Frames come from the other end of the wire, IP of any kind, and a peer out of TCP is there. */
static void open_sockets(void)
{
	int here = go_there();

	if (here < 0)
		return;
	world.packet_fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	world.peer_index = if_nametoindex(world.interface);
	if (!strcmp(world.driver, "iwarp"))
		world.listen_fd = listener();
	go_back(here);
}

static void open_tcp(void)
{
	int here = go_there();

	if (here < 0)
		return;
	for (int i = 0; i < 4; i++)
		world.tcp_fd[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	go_back(here);
}

static void enter_cgroup(void)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", world.cgroup);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) < 0)
		perror(path);
	close(fd);
}

void setup_input(void)
{
	char path[128];

	if (world.cgroup)
		enter_cgroup();
	if (!strcmp(world.driver, "iwarp"))
		open_tcp();
	if (strcmp(world.driver, "ib"))
		return;
	snprintf(path, sizeof(path), "/sys/kernel/debug/ofed_ib/%s/1", world.device);
	world.inject_fd = open(path, O_WRONLY | O_CLOEXEC);
}

void setup_open(void)
{
	setup_find();
	if (world.netns && world.interface)
		open_sockets();
}
