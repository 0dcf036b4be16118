// SPDX-License-Identifier: GPL-2.0
/*
 * Long MADs: those of Omni-Path have base version 0x80 and up to 2 KiB. From one port to another
 * by umadN of both, as requests, responses, transfers of RMPP and SMPs.
 *
 * usage: opa_mad DEVICE GID PEER GID [ib]
 *   ib  the ports are of InfiniBand alone: there is no long MAD
 */
#include "umad_ends.h"

#define OPA_VERSION	0x80
#define OPA_MAD		2048
#define EMA_CLASS	0x34	/* a vendor's, with an OUI */
#define TRANSFER	10000
#define SMP_LID		0x01
#define SMP_DIRECTED	0x81
#define DIRECTED_BACK	0x8000

static const uint8_t ema_oui[3] = { 0x00, 0x06, 0x6a };

static uint8_t pattern(uint32_t i, uint8_t seed)
{
	return i * 7 + i / 256 + seed;
}

/* All behind the header of the class. */
static void fill(struct u_record *r, size_t begin, size_t end, uint8_t seed)
{
	size_t i;

	for (i = begin; i < end; i++)
		r->bytes[i] = pattern(i, seed);
}

static size_t differ(const struct u_record *r, size_t begin, size_t end, uint8_t seed)
{
	size_t i, bad = 0;

	for (i = begin; i < end; i++)
		bad += r->bytes[i] != pattern(i, seed);
	return bad;
}

static int opa_agent(int fd, uint8_t class, uint64_t methods, int rmpp, int qpn)
{
	struct ib_user_mad_reg_req2 req = u_wish(class, methods, rmpp);
	int err;

	req.qpn = qpn;
	req.mgmt_class_version = OPA_VERSION;
	req.oui = ema_oui[0] << 16 | ema_oui[1] << 8 | ema_oui[2];
	if (class < 0x30)
		req.oui = 0;
	err = u_register2(fd, &req);
	return err ? -err : (int)req.id;
}

static void begin(int rmpp)
{
	client = u_open(&here, O_NONBLOCK);
	server = u_open(&there, O_NONBLOCK);
	client_agent = u_agent(client, 0, 0, rmpp, 0);
	server_agent = opa_agent(server, EMA_CLASS, 1 << U_GET | 1 << U_SET, rmpp, 1);
}

static void compose_opa(size_t length, uint8_t seed)
{
	compose(client_agent, EMA_CLASS, U_SET);
	out.mad.base_version = OPA_VERSION;
	out.mad.class_version = OPA_VERSION;
	memcpy(out.mad.oui, ema_oui, 3);
	out.hdr.timeout_ms = 10000;
	fill(&out, U_VENDOR_HDR, length, seed);
}

/* A request of @length bytes, and a response of @back. */
static void talk(const char *what, size_t length, size_t back)
{
	printf("%s\n", what);
	compose_opa(length, 1);
	EXPECT("a request", u_send(client, &out, length), 0);
	EXPECT("comes", u_receive(server, &in, sizeof(in)), 64 + (int)length);
	EXPECT("length", in.hdr.length, 64 + length);
	EXPECT("base version", in.mad.base_version, OPA_VERSION);
	EXPECT("wrong bytes", differ(&in, U_VENDOR_HDR, length, 1), 0);
	fill(&in, U_VENDOR_HDR, back, 2);
	EXPECT("a response", answer(back), 0);
	EXPECT("comes back", u_receive(client, &in, sizeof(in)), 64 + (int)back);
	EXPECT("wrong bytes of it", differ(&in, U_VENDOR_HDR, back, 2), 0);
	EXPECT("method", in.mad.method, U_SET | U_RESP);
}

static void lengths(void)
{
	begin(0);
	talk("2 KiB both ways", OPA_MAD, OPA_MAD);
	/* Neither is filled up. */
	talk("272 bytes, and 64", 272, 64);
	talk("256 bytes", U_MAD, U_MAD);
	compose_opa(OPA_MAD, 1);
	EXPECT("a byte too many", u_send(client, &out, OPA_MAD + 1), EINVAL);
	compose_opa(OPA_MAD, 1);
	EXPECT("2 KiB", u_send(client, &out, OPA_MAD), 0);
	EXPECT("room for 256 bytes of it", u_receive(server, &in, 64 + U_MAD), -EINVAL);
	EXPECT("is read afterwards", u_receive(server, &in, 64 + OPA_MAD), 64 + OPA_MAD);
	end_talk();
}

/* MADs of InfiniBand keep their length at such a port. */
static void short_ones(void)
{
	begin_talk(0, 0);
	compose(client_agent, U_VENDOR, U_GET);
	EXPECT("2 KiB of base version 1", u_send(client, &out, OPA_MAD), EINVAL);
	EXPECT("256 bytes of it", u_send(client, &out, U_MAD), 0);
	EXPECT("come", u_receive(server, &in, sizeof(in)), 64 + U_MAD);
	end_talk();
}

static long packets_sent(void)
{
	char line[64] = "0";

	u_read_line(line, sizeof(line),
		    "/sys/class/infiniband/%s/ports/%d/counters/port_xmit_packets", here.device, 1);
	return atol(line);
}

/* Segments are as long as a MAD: five are enough. Of 256 bytes it takes 47. */
static void transfer(void)
{
	long before;

	begin(1);
	compose_opa(TRANSFER, 3);
	out.mad.rmpp_version = 1;
	out.mad.rmpp_type = RMPP_DATA;
	out.mad.rmpp_flags = 1;
	before = packets_sent();
	EXPECT("a transfer", u_send(client, &out, TRANSFER), 0);
	EXPECT("comes", u_receive(server, &in, sizeof(in)), 64 + TRANSFER);
	EXPECT("wrong bytes of the transfer", differ(&in, U_VENDOR_HDR, TRANSFER, 3), 0);
	EXPECT("in few packets", packets_sent() - before < 30, 1);
	end_talk();
}

/* ---- SMPs: the lid-routed, and those with a route of their own, of one hop --------------- */

static void compose_smp(uint8_t class)
{
	compose_opa(OPA_MAD, 4);
	out.hdr.qpn = 0;
	out.hdr.qkey = 0;
	out.hdr.grh_present = 0;
	out.mad.mgmt_class = class;
	out.mad.method = U_GET;
	if (class != SMP_DIRECTED)
		return;
	out.hdr.lid = 0xffff;
	out.bytes[6] = 0;		/* hop pointer */
	out.bytes[7] = 1;		/* hops */
	memset(out.bytes + 32, 0xff, 8);	/* no part by LID */
	memset(out.bytes + 40, 0, 128);	/* both paths */
	out.bytes[40 + 1] = 1;
}

static void smp(const char *what, uint8_t class, size_t data)
{
	printf("%s\n", what);
	client = u_open(&here, O_NONBLOCK);
	server = u_open(&there, O_NONBLOCK);
	client_agent = opa_agent(client, class, 0, 0, 0);
	server_agent = opa_agent(server, class, 1 << U_GET, 0, 0);
	EXPECT("an agent of QP0", server_agent >= 0 && client_agent >= 0, 1);
	compose_smp(class);
	EXPECT("an SMP", u_send(client, &out, OPA_MAD), 0);
	EXPECT("comes", u_receive(server, &in, sizeof(in)), 64 + OPA_MAD);
	EXPECT("wrong bytes", differ(&in, data, OPA_MAD, 4), 0);
	if (class == SMP_DIRECTED) {
		EXPECT("the port of the way back", in.bytes[104 + 1], 1);
		in.mad.status |= htons(DIRECTED_BACK);
	}
	in.mad.method |= U_RESP;
	in.hdr.id = server_agent;
	in.hdr.qkey = 0;
	fill(&in, data, OPA_MAD, 5);
	EXPECT("a response", u_send(server, &in, OPA_MAD), 0);
	EXPECT("comes back", u_receive(client, &in, sizeof(in)), 64 + OPA_MAD);
	EXPECT("wrong bytes of it", differ(&in, data, OPA_MAD, 5), 0);
	end_talk();
}

/* No long MAD leaves, and none of their version is taken. */
static void ib_alone(void)
{
	begin(0);
	compose_opa(OPA_MAD, 1);
	EXPECT("2 KiB", u_send(client, &out, OPA_MAD), EINVAL);
	compose_opa(U_MAD, 1);
	EXPECT("256 bytes of base version 0x80", u_send(client, &out, U_MAD), 0);
	EXPECT("do not come", u_ready(server, 1000), 0);
	end_talk();
}

int main(int argc, char **argv)
{
	if (!world_init(argc, argv))
		return 2;
	if (argc > 5) {
		ib_alone();
		return verdict();
	}
	lengths();
	short_ones();
	transfer();
	smp("SMPs by LID", SMP_LID, 64);
	smp("SMPs by a directed route", SMP_DIRECTED, 176);
	return verdict();
}
