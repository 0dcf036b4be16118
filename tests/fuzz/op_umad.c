// SPDX-License-Identifier: GPL-2.0
/* Files of umad and issm: agents, datagrams and answers between the device and its peer. */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <rdma/ib_user_mad.h>

#include "choice.h"
#include "op.h"
#include "setup.h"

#define FILES	3
#define ROOM	4096

static int files[FILES];
static struct {
	struct ib_user_mad_hdr hdr;
	uint8_t mad[ROOM];
} out, in;

static int node_of(const char *device)
{
	char path[64], name[64] = "";
	FILE *f;

	for (int i = 0; i < 16; i++) {
		snprintf(path, sizeof(path), "/sys/class/infiniband_mad/umad%d/ibdev", i);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fscanf(f, "%63s", name) != 1)
			name[0] = '\0';
		fclose(f);
		if (device && !strcmp(name, device))
			return i;
	}
	return 0;
}

static int open_node(const char *kind, const char *device)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/infiniband/%s%d", kind, node_of(device));
	return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

/* The last one is the peer's, if that is here. */
static int *file_of(int i)
{
	int *fd = &files[i];

	if (!*fd) {
		*fd = open_node("umad", i == 2 ? world.peer : world.device);
		feature(F_UMAD, *fd < 0);
		if (choice(4))
			ioctl(*fd, IB_USER_MAD_ENABLE_PKEY, 0);
		world_keep_fd(dup(*fd));
	}
	return fd;
}

static int *file(void)
{
	return file_of(choice(4) ? 0 : choice(FILES));
}

static uint8_t class(void)
{
	static const uint8_t classes[] = { 0x30, 0x31, 0x09, 0x04, 0x03, 0x07, 0x01, 0x81 };

	return choice(12) ? classes[choice(8)] : choice(256);
}

static void op_register(void)
{
	int *fd = file();
	struct ib_user_mad_reg_req2 req = {
		.qpn = choice(6) ? 1 : choice(3), .mgmt_class = choice(3) ? class() : 0,
		.mgmt_class_version = 1 + choice(2), .oui = choice(2) ? 0x001405 : choice_odd(),
		.rmpp_version = choice(3), .flags = choice(4) ? 0 : choice_odd(),
	};
	struct ib_user_mad_reg_req old = {
		.qpn = req.qpn, .mgmt_class = req.mgmt_class,
		.mgmt_class_version = req.mgmt_class_version, .oui = { 0, 0x14, 5 },
		.rmpp_version = req.rmpp_version,
	};

	req.method_mask[0] = old.method_mask[0] = choice(2) ? 1u << choice(16) : choice_odd();
	if (!choice(8))
		req.method_mask[1] = old.method_mask[3] = choice_odd();
	if (choice(2))
		feature(F_UMAD + 1, ioctl(*fd, IB_USER_MAD_REGISTER_AGENT2, &req) ? errno : 0);
	else
		feature(F_UMAD + 2, ioctl(*fd, IB_USER_MAD_REGISTER_AGENT, &old) ? errno : 0);
}

/* An agent here and one at the other end, of a class that both know. */
static void op_set(void)
{
	static const uint8_t classes[] = { 0x30, 0x31, 0x09, 0x04, 0x03 };
	uint8_t of = classes[choice(5)];

	for (int i = 0; i < FILES; i += 2) {
		struct ib_user_mad_reg_req2 req = {
			.qpn = 1, .mgmt_class = choice(4) ? of : 0,
			.mgmt_class_version = of == 3 ? 2 : 1, .oui = 0x001405,
			.rmpp_version = of == 3 || of >= 0x30 ? choice(2) : 0,
		};

		req.method_mask[0] = choice(2) ? 0x6 : 1u << choice(16);
		feature(F_UMAD + 40, ioctl(*file_of(i), IB_USER_MAD_REGISTER_AGENT2, &req) ?
			errno : 0);
	}
}

static void op_unregister(void)
{
	uint32_t id = choice(8) ? choice(4) : choice_odd();

	feature(F_UMAD + 3, ioctl(*file(), IB_USER_MAD_UNREGISTER_AGENT, &id) ? errno : 0);
}

/* ---- datagrams ---- */

static void header(void)
{
	struct ib_user_mad_hdr *h = &out.hdr;

	memset(h, 0, sizeof(*h));
	h->id = choice(3) ? 0 : choice(12) ? choice(4) : choice_odd();
	h->qpn = htonl(choice(12) ? 1 : choice_odd());
	h->qkey = htonl(choice(12) ? 0x80010000 : choice_odd());
	h->lid = htons(choice(6) ? 1 + choice(3) : choice_odd());
	h->grh_present = choice(4) ? strcmp(world.driver, "ib") != 0 : choice(2);
	h->gid_index = choice(2) ? setup_device.ip_index : choice(8) ? choice(4) : choice(256);
	h->hop_limit = 64;
	memcpy(h->gid, world.gid[choice(3)], 16);
	h->timeout_ms = choice(3) ? choice(40) : 0;
	h->retries = choice(6) ? choice(3) : choice_odd();
	h->pkey_index = choice(12) ? 0 : choice_odd();
}

/* A transfer of several segments, or a datagram that claims to be of one. */
static uint32_t rmpp(void)
{
	out.mad[24] = choice(12) ? 1 : choice(256);
	out.mad[25] = choice(3) ? 1 : choice(6);
	out.mad[26] = choice(3) ? 1 : choice(256);
	out.mad[31] = choice(3) ? 1 : choice(256);
	out.mad[35] = choice(256);
	out.mad[34] = choice(4);
	return choice(4) ? 40 + choice(2000) : 256;
}

static void op_send(void)
{
	static const uint8_t methods[] = { 1, 2, 3, 0x81, 5, 7, 0x12, 0x92 };
	static const uint16_t ids[] = {
		0x01, 0x02, 0x10, 0x11, 0x12, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1b, 0x20, 0x35,
		0x38, 0x77,
	};
	uint32_t length = 256;
	int fd = *file();

	header();
	memset(out.mad, 0, sizeof(out.mad));
	out.mad[0] = choice(24) ? 1 : choice(256);
	out.mad[1] = class();
	out.mad[2] = out.mad[1] == 3 || out.mad[1] == 7 ? 2 : 1;
	out.mad[3] = choice(12) ? methods[choice(8)] : choice(256);
	out.mad[15] = choice(8);
	out.mad[16] = choice(24) ? 0 : choice(256);
	out.mad[17] = choice(12) ? ids[choice(16)] : choice(256);
	out.mad[23] = choice(4);
	if (out.mad[1] >= 0x30)
		memcpy(out.mad + 37, "\0\x14\5", 3);
	if ((out.mad[1] == 3 || out.mad[1] >= 0x30) && choice(2))
		length = rmpp();
	if (out.mad[1] == 0x81) {
		memset(out.mad + 32, 0xff, 4);
		out.mad[6] = choice(4);
		out.mad[7] = choice(4);
		out.mad[129] = choice(4);
	}
	for (uint32_t n = choice(12); n; n--)
		out.mad[choice(256)] = choice(256);
	if (!choice(12))
		length = choice(ROOM);
	feature(F_UMAD + 4, write(fd, &out, sizeof(out.hdr) + length) < 0 ? errno : 0);
	feature(F_UMAD + 8 + out.mad[1] % 32, choice(1));
}

static void op_receive(void)
{
	int fd = *file();
	ssize_t n = read(fd, &in, choice(6) ? sizeof(in) : choice(512));

	feature(F_UMAD + 5, n < 0 ? errno : 0);
	if (n < (ssize_t)sizeof(in.hdr) + 24 || !choice(4))
		return;
	in.mad[3] |= 0x80;
	in.hdr.qkey = htonl(0x80010000);
	in.hdr.timeout_ms = 0;
	feature(F_UMAD + 6, write(fd, &in, sizeof(in.hdr) + (choice(4) ? 256 : choice(1500))) < 0);
}

static void op_issm(void)
{
	int fd = open_node("issm", world.device);

	feature(F_UMAD + 7, fd < 0);
	world_keep_fd(fd);
}

static void op_close(void)
{
	int *fd = file();

	close(*fd);
	*fd = 0;
}

const struct op umad_ops[] = {
	{ "umad.set", op_set, 5, OP_ROOT },
	{ "umad.register", op_register, 4, OP_ROOT },
	{ "umad.unregister", op_unregister, 1, OP_ROOT },
	{ "umad.send", op_send, 10, OP_ROOT },
	{ "umad.receive", op_receive, 5, OP_ROOT },
	{ "umad.issm", op_issm, 1, OP_ROOT },
	{ "umad.close", op_close, 1, OP_ROOT },
	{ 0 }
};
