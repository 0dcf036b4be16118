/* SPDX-License-Identifier: GPL-2.0 */
/* Two files of umad, of which one asks and the other answers. */
#ifndef UMAD_ENDS_H
#define UMAD_ENDS_H

#include "umad_world.h"

/* The file that answers, and that which asks. */
static int server, client, server_agent, client_agent;
static uint8_t talk_class = U_VENDOR;

static inline void begin_talk(int rmpp, uint32_t flags)
{
	client = u_open(&here, O_NONBLOCK);
	server = u_open(&there, O_NONBLOCK);
	client_agent = u_agent(client, 0, 0, rmpp && !flags, 0);
	server_agent = u_agent(server, U_VENDOR,
			       1 << U_GET | 1 << U_SET | 1 << U_SEND, rmpp, flags);
}

static inline void end_talk(void)
{
	close(client);
	close(server);
}

static inline int ask(uint8_t method, int timeout, size_t length)
{
	compose(client_agent, talk_class, method);
	out.hdr.timeout_ms = timeout;
	return u_send(client, &out, length);
}

/* What is in 'in' goes back as an answer. */
static inline int answer(size_t length)
{
	in.mad.method |= U_RESP;
	in.hdr.id = server_agent;
	in.hdr.qkey = htonl(U_QKEY);
	return u_send(server, &in, length);
}

static inline void header_came(const char *end, const struct u_end *from, int id)
{
	printf("header at the %s\n", end);
	EXPECT("id", in.hdr.id, id);
	EXPECT("status", in.hdr.status, 0);
	EXPECT("timeout", in.hdr.timeout_ms, 0);
	EXPECT("length", in.hdr.length, 64 + U_MAD);
	EXPECT("QP", ntohl(in.hdr.qpn), 1);
	EXPECT("Q_Key", in.hdr.qkey, 0);
	EXPECT("GRH", in.hdr.grh_present, 1);
	EXPECT("traffic class", in.hdr.traffic_class, 5);
	EXPECT("P_Key", in.hdr.pkey_index, 0);
	EXPECT("GID of the sender", memcmp(in.hdr.gid, from->gid, 16), 0);
	EXPECT("reserved", !memcmp(in.hdr.reserved, "\0\0\0\0\0\0", 6), 1);
}

#endif /* UMAD_ENDS_H */
