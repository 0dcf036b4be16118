/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/infiniband/umadN as a program without a library sees it. */
#ifndef UMAD_RAW_H
#define UMAD_RAW_H

#include <arpa/inet.h>
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <rdma/ib_user_mad.h>

#define U_MAX_AGENTS	32
#define U_MAD		256
#define U_HDR		24	/* common header */
#define U_VENDOR	0x30	/* of a class with an OUI, and with RMPP */
#define U_VENDOR_OLD	0x09	/* of one without both */
#define U_VENDOR_HDR	40	/* common, RMPP and OUI */
#define U_GET		0x01
#define U_SET		0x02
#define U_SEND		0x03
#define U_RESP		0x80
#define U_QKEY		0x80010000

enum { RMPP_DATA = 1, RMPP_ACK = 2, RMPP_STOP = 3, RMPP_ABORT = 4 };

struct u_mad {
	uint8_t base_version, mgmt_class, class_version, method;
	uint16_t status, class_specific;
	uint64_t tid;
	uint16_t attr_id, resv;
	uint32_t attr_mod;
	uint8_t rmpp_version, rmpp_type, rmpp_flags, rmpp_status;
	uint32_t rmpp_segment, rmpp_length;
	uint8_t oui_reserved, oui[3];
	uint8_t data[216];
};

/* With room for the longest that the programs send. */
#define U_ROOM	(1 << 20)
struct u_record {
	struct ib_user_mad_hdr hdr;
	union {
		struct u_mad mad;
		uint8_t bytes[U_ROOM];
	};
};

_Static_assert(sizeof(struct ib_user_mad_hdr) == 64, "layout");
_Static_assert(sizeof(struct ib_user_mad_hdr_old) == 56, "layout");
_Static_assert(sizeof(struct u_mad) == U_MAD, "layout");

static const uint8_t u_oui[3] = { 0x00, 0x14, 0x05 };

/* As errno: 0, or what went wrong. */
#define U_ERR(call) ((call) < 0 ? errno : 0)

static inline int u_open_node(const char *kind, int number, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/infiniband/%s%d", kind, number);
	return open(path, flags | O_CLOEXEC);
}

static inline int u_register2(int fd, struct ib_user_mad_reg_req2 *req)
{
	return U_ERR(ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, req));
}

static inline int u_register(int fd, struct ib_user_mad_reg_req *req)
{
	return U_ERR(ioctl(fd, IB_USER_MAD_REGISTER_AGENT, req));
}

static inline int u_unregister(int fd, uint32_t id)
{
	return U_ERR(ioctl(fd, IB_USER_MAD_UNREGISTER_AGENT, &id));
}

/* A request for @class; unsolicited ones by @methods. */
static inline struct ib_user_mad_reg_req2 u_wish(uint8_t class, uint64_t methods,
						 int rmpp)
{
	struct ib_user_mad_reg_req2 req = {
		.id = ~0u,
		.qpn = 1,
		.mgmt_class = class,
		.mgmt_class_version = 1,
		.method_mask = { methods },
		.oui = u_oui[0] << 16 | u_oui[1] << 8 | u_oui[2],
		.rmpp_version = rmpp,
	};

	return req;
}

/* Return: the id, or minus an errno. */
static inline int u_agent(int fd, uint8_t class, uint64_t methods, int rmpp,
			  uint32_t flags)
{
	struct ib_user_mad_reg_req2 req = u_wish(class, methods, rmpp);
	int err;

	req.flags = flags;
	err = u_register2(fd, &req);
	return err ? -err : (int)req.id;
}

/* A port: its node, LID (of Ethernet: 0), and a GID of its. */
struct u_end {
	const char *device;
	int node;
	uint16_t lid;
	uint8_t gid[16];
	int gid_index;
};

static inline bool u_read_line(char *line, size_t size, const char *format,
			       const char *a, int b)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), format, a, b);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(line, size, f))
		line[0] = 0;
	line[strcspn(line, "\n")] = 0;
	fclose(f);
	return true;
}

static inline const char *u_gid_type(struct u_end *end)
{
	char line[64];

	if (!u_read_line(line, sizeof(line), "/sys/class/infiniband/%s/ports/%d/link_layer",
			 end->device, 1) || strcmp(line, "InfiniBand"))
		return "RoCE v2";
	if (u_read_line(line, sizeof(line), "/sys/class/infiniband/%s/ports/%d/lid",
			end->device, 1))
		end->lid = strtoul(line, NULL, 0);
	return "IB/RoCE v1";
}

/*
 * @gid as inet_pton() knows it, on Ethernet one of RoCE version 2. Return: whether there
 * is one.
 */
static inline bool u_end_find(struct u_end *end, const char *device,
			      const char *gid)
{
	const char *type;
	char line[64];
	uint8_t raw[16];
	int i;

	end->device = device;
	end->lid = 0;
	type = u_gid_type(end);
	end->node = end->gid_index = -1;
	inet_pton(AF_INET6, gid, end->gid);
	for (i = 0; i < 64; i++)
		if (u_read_line(line, sizeof(line),
				"%s/umad%d/ibdev", "/sys/class/infiniband_mad", i) &&
		    !strcmp(line, device))
			end->node = i;
	for (i = 0; i < 64; i++)
		if (u_read_line(line, sizeof(line),
				"/sys/class/infiniband/%s/ports/1/gids/%d", device, i) &&
		    inet_pton(AF_INET6, line, raw) == 1 &&
		    !memcmp(raw, end->gid, 16) &&
		    u_read_line(line, sizeof(line),
				"/sys/class/infiniband/%s/ports/1/gid_attrs/types/%d",
				device, i) && !strcmp(line, type))
			end->gid_index = i;
	return end->node >= 0 && end->gid_index >= 0;
}

static inline int u_open(const struct u_end *end, int flags)
{
	return u_open_node("umad", end->node, O_RDWR | flags);
}

/* A MAD of agent @id of @from to @to. */
static inline void u_compose(struct u_record *r, const struct u_end *from,
			     const struct u_end *to, int id, uint8_t class,
			     uint8_t method, uint32_t tid)
{
	memset(&r->hdr, 0, sizeof(r->hdr));
	memset(&r->mad, 0, sizeof(r->mad));
	r->hdr.id = id;
	r->hdr.qpn = htonl(1);
	r->hdr.qkey = htonl(U_QKEY);
	r->hdr.lid = htons(to->lid);
	r->hdr.grh_present = 1;
	r->hdr.gid_index = from->gid_index;
	r->hdr.hop_limit = 64;
	memcpy(r->hdr.gid, to->gid, 16);
	r->mad.base_version = 1;
	r->mad.mgmt_class = class;
	r->mad.class_version = 1;
	r->mad.method = method;
	r->mad.tid = htobe64(tid);
	r->mad.attr_id = htons(0x77);
	if (class >= 0x30)
		memcpy(r->mad.oui, u_oui, 3);
}

static inline uint32_t u_tid(const struct u_record *r)
{
	return be64toh(r->mad.tid);
}

static inline uint32_t u_tid_high(const struct u_record *r)
{
	return be64toh(r->mad.tid) >> 32;
}

/* Return: what write() does with @length bytes of MAD, as an errno. */
static inline int u_send(int fd, const struct u_record *r, size_t length)
{
	ssize_t n = write(fd, r, sizeof(r->hdr) + length);

	return n < 0 ? errno : n == (ssize_t)(sizeof(r->hdr) + length) ? 0 : -1;
}

static inline bool u_ready(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1 && p.revents & POLLIN;
}

/* Return: bytes read, or minus an errno; -ETIME if there are none for a while. */
static inline int u_receive(int fd, struct u_record *r, size_t room)
{
	ssize_t n;

	if (!u_ready(fd, 20000))
		return -ETIME;
	n = read(fd, r, room);
	return n < 0 ? -errno : n;
}

#endif /* UMAD_RAW_H */
