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
	if (world.peer && !rv_find(world.peer, &dev))
		memcpy(world.gid[1], dev.gid, 16);
	setup_device.driver_id = !strcmp(world.driver, "iwarp") ? 18 :
		!strncmp(world.device, "testdev", 7) ? 0x7e57 : 14;
	setup_device.index = index_of(world.device);
}

/* Frames come from the other end of the wire, and IP of any kind from there. */
static void open_sockets(void)
{
	int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), there;
	char path[128];

	snprintf(path, sizeof(path), "/run/netns/%s", world.netns);
	there = open(path, O_RDONLY | O_CLOEXEC);
	if (there < 0 || setns(there, 0))
		return;
	world.packet_fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	world.peer_index = if_nametoindex(world.interface);
	if (setns(here, 0))
		exit(2);
	close(here);
	close(there);
}

void setup_input(void)
{
	char path[128];

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
