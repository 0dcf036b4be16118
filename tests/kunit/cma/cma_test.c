// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: what of it needs no device. States, the header in the private data,
 * ports, service ids, which id gets a request, multicast GIDs.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/string.h>
#include <rdma/ib.h>

#include "core/cm/rdma/cma.h"

union test_addr {
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_ib ib;
};

#define SA(addr) ((struct sockaddr *)&(addr))

static union test_addr ipv4(u32 ip, u16 port)
{
	return (union test_addr) {
		.in.sin_family = AF_INET,
		.in.sin_addr.s_addr = htonl(ip),
		.in.sin_port = htons(port),
	};
}

/* fd00::@low */
static union test_addr ipv6(u32 low, u16 port)
{
	union test_addr addr = {
		.in6.sin6_family = AF_INET6,
		.in6.sin6_port = htons(port),
	};

	if (low) {
		addr.in6.sin6_addr.s6_addr32[0] = htonl(0xfd000000);
		addr.in6.sin6_addr.s6_addr32[3] = htonl(low);
	}
	return addr;
}

static union test_addr ib_service(u64 sid, u64 mask)
{
	return (union test_addr) {
		.ib.sib_family = AF_IB,
		.ib.sib_sid = cpu_to_be64(sid),
		.ib.sib_sid_mask = cpu_to_be64(mask),
	};
}

#define IP_A 0xc0a80101
#define IP_B 0xc0a80102

/*
 * States: each move from each state. The table is spelt out a second time, in
 * the other direction: for each state, what may happen in it.
 */
static int expected_next(enum cma_state from, enum cma_move move)
{
	if (move == CMA_M_DESTROY)
		return from == CMA_S_DESTROYING ? -EINVAL : CMA_S_DESTROYING;
	if (from == CMA_S_DESTROYING || from == CMA_S_DEVICE_REMOVAL)
		return -EINVAL;
	if (move == CMA_M_REMOVE)
		return CMA_S_DEVICE_REMOVAL;
	switch (from) {
	case CMA_S_IDLE:
		return move == CMA_M_BIND ? CMA_S_ADDR_BOUND :
		       move == CMA_M_REQUESTED ? CMA_S_CONNECT : -EINVAL;
	case CMA_S_ADDR_BOUND:
		return move == CMA_M_UNBIND ? CMA_S_IDLE :
		       move == CMA_M_LISTEN ? CMA_S_LISTEN :
		       move == CMA_M_ADDR_ASK ? CMA_S_ADDR_QUERY :
		       move == CMA_M_SERVICE_ASK ? CMA_S_BOUND_SERVICE_QUERY : -EINVAL;
	case CMA_S_BOUND_SERVICE_QUERY:
		return move == CMA_M_SERVICE_END ? CMA_S_ADDR_BOUND : -EINVAL;
	case CMA_S_RESOLVED_SERVICE_QUERY:
		return move == CMA_M_SERVICE_END ? CMA_S_ADDR_RESOLVED : -EINVAL;
	case CMA_S_LISTEN:
		return move == CMA_M_UNLISTEN ? CMA_S_ADDR_BOUND : -EINVAL;
	case CMA_S_ADDR_QUERY:
		return move == CMA_M_ADDR_KNOWN ? CMA_S_ADDR_RESOLVED :
		       move == CMA_M_ADDR_FAIL ? CMA_S_ADDR_BOUND : -EINVAL;
	case CMA_S_ADDR_RESOLVED:
		return move == CMA_M_ROUTE_ASK ? CMA_S_ROUTE_QUERY :
		       move == CMA_M_SERVICE_ASK ? CMA_S_RESOLVED_SERVICE_QUERY :
		       move == CMA_M_ROUTE_GIVEN ? CMA_S_ROUTE_RESOLVED :
						   -EINVAL;
	case CMA_S_ROUTE_QUERY:
		return move == CMA_M_ROUTE_KNOWN ? CMA_S_ROUTE_RESOLVED :
		       move == CMA_M_ROUTE_FAIL ? CMA_S_ADDR_RESOLVED : -EINVAL;
	case CMA_S_ROUTE_RESOLVED:
		return move == CMA_M_CONNECT ? CMA_S_CONNECT :
		       move == CMA_M_ROUTE_TAKEN ? CMA_S_ADDR_RESOLVED :
						   -EINVAL;
	case CMA_S_CONNECT:
		return move == CMA_M_CONNECT_FAIL ? CMA_S_ROUTE_RESOLVED :
		       move == CMA_M_DISCONNECT ? CMA_S_DISCONNECT : -EINVAL;
	default:
		return -EINVAL;
	}
}

static void states_test(struct kunit *test)
{
	int from, move;

	for (from = 0; from < CMA_STATES; from++)
		for (move = 0; move < CMA_MOVES; move++)
			KUNIT_EXPECT_EQ_MSG(test, cma_next_state(from, move),
					    expected_next(from, move),
					    "state %d, move %d", from, move);
}

/* The numbers that iproute2 has names for; every other one is shown as one of them. */
static void state_numbers_test(struct kunit *test)
{
	int state;

	for (state = 0; state <= CMA_S_DESTROYING; state++)
		KUNIT_EXPECT_EQ(test, (int)cma_shown_state(state), state);
	KUNIT_EXPECT_EQ(test, cma_shown_state(CMA_S_BOUND_SERVICE_QUERY), CMA_S_ADDR_BOUND);
	KUNIT_EXPECT_EQ(test, cma_shown_state(CMA_S_RESOLVED_SERVICE_QUERY), CMA_S_ADDR_RESOLVED);
	KUNIT_EXPECT_EQ(test, CMA_S_IDLE, 0);
	KUNIT_EXPECT_EQ(test, CMA_S_ROUTE_RESOLVED, 4);
	KUNIT_EXPECT_EQ(test, CMA_S_CONNECT, 5);
	KUNIT_EXPECT_EQ(test, CMA_S_ADDR_BOUND, 7);
	KUNIT_EXPECT_EQ(test, CMA_S_LISTEN, 8);
	KUNIT_EXPECT_EQ(test, CMA_S_DESTROYING, 10);
}

static void ib_events_test(struct kunit *test)
{
	int event, state;
	bool taken;

	for (event = IB_CM_REQ_ERROR; event <= IB_CM_SIDR_REP_RECEIVED; event++)
		for (state = 0; state < CMA_STATES; state++) {
			taken = event == IB_CM_TIMEWAIT_EXIT ?
				state == CMA_S_DISCONNECT :
				state == CMA_S_CONNECT;
			KUNIT_EXPECT_EQ(test, cma_takes_ib_event(state, event),
					taken);
		}
}

/* Private data: bytes as in annex A11, byte for byte. */
static const u8 golden_ipv4[CMA_HDR_SIZE] = {
	0x00, 0x40, 0x12, 0x34,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 192, 168, 1, 1,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 192, 168, 1, 2,
};

static const u8 golden_ipv6[CMA_HDR_SIZE] = {
	0x00, 0x60, 0xfe, 0xdc,
	0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0a,
	0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0b, 0x0c,
};

static void hdr_build_test(struct kunit *test)
{
	union test_addr src4 = ipv4(IP_A, 0x1234), dst4 = ipv4(IP_B, 7174);
	union test_addr src6 = ipv6(0x0a, 0xfedc), dst6 = ipv6(0xb0c, 7174);
	union test_addr ib = ib_service(RDMA_IB_IP_PS_TCP, U64_MAX);
	u8 data[CMA_HDR_SIZE + 1];

	memset(data, 0xee, sizeof(data));
	KUNIT_EXPECT_EQ(test, cma_hdr_build(data, SA(src4), SA(dst4)), 0);
	KUNIT_EXPECT_EQ(test, memcmp(data, golden_ipv4, CMA_HDR_SIZE), 0);
	KUNIT_EXPECT_EQ(test, data[CMA_HDR_SIZE], 0xee);
	KUNIT_EXPECT_EQ(test, cma_hdr_build(data, SA(src6), SA(dst6)), 0);
	KUNIT_EXPECT_EQ(test, memcmp(data, golden_ipv6, CMA_HDR_SIZE), 0);

	KUNIT_EXPECT_EQ(test, cma_hdr_build(data, SA(src4), SA(dst6)), -EINVAL);
	KUNIT_EXPECT_EQ(test, cma_hdr_build(data, SA(ib), SA(ib)), -EINVAL);
	KUNIT_EXPECT_EQ(test, cma_hdr_room(AF_IB), (size_t)0);
	KUNIT_EXPECT_EQ(test, cma_hdr_room(AF_INET), (size_t)36);
	KUNIT_EXPECT_EQ(test, cma_hdr_room(AF_INET6), (size_t)36);
}

static void hdr_parse_test(struct kunit *test)
{
	union test_addr src4 = ipv4(IP_A, 0x1234), dst4 = ipv4(IP_B, 7174);
	union test_addr src6 = ipv6(0x0a, 0xfedc), dst6 = ipv6(0xb0c, 7174);
	__be64 sid = cpu_to_be64(RDMA_IB_IP_PS_TCP | 7174);
	struct sockaddr_storage local, remote;
	struct sockaddr *l = (struct sockaddr *)&local;
	struct sockaddr *r = (struct sockaddr *)&remote;

	KUNIT_EXPECT_EQ(test, cma_hdr_parse(golden_ipv4, sid, l, r), 0);
	KUNIT_EXPECT_EQ(test, memcmp(l, &dst4, sizeof(dst4.in)), 0);
	KUNIT_EXPECT_EQ(test, memcmp(r, &src4, sizeof(src4.in)), 0);
	KUNIT_EXPECT_EQ(test, cma_hdr_parse(golden_ipv6, sid, l, r), 0);
	KUNIT_EXPECT_EQ(test, memcmp(l, &dst6, sizeof(dst6.in6)), 0);
	KUNIT_EXPECT_EQ(test, memcmp(r, &src6, sizeof(src6.in6)), 0);
}

/* Every pair of the first two bytes. */
static void hdr_malformed_test(struct kunit *test)
{
	__be64 sid = cpu_to_be64(RDMA_IB_IP_PS_TCP | 7174);
	struct sockaddr_storage local, remote;
	u8 data[CMA_HDR_SIZE];
	int first, second, want;

	memcpy(data, golden_ipv4, sizeof(data));
	for (first = 0; first < 256; first++)
		for (second = 0; second < 256; second++) {
			data[0] = first;
			data[1] = second;
			if (first)
				want = -EINVAL;
			else if (second >> 4 == 4 || second >> 4 == 6)
				want = 0;
			else
				want = -EAFNOSUPPORT;
			KUNIT_EXPECT_EQ(test, want,
					cma_hdr_parse(data, sid,
						      (void *)&local,
						      (void *)&remote));
		}
}

/* Ports: which ids may share one. */
enum { ADDR_ANY4, ADDR_A4, ADDR_B4, ADDR_ANY6, ADDR_A6, ADDR_LO4, ADDRS };

static union test_addr bound_addr(int which)
{
	switch (which) {
	case ADDR_A4:
		return ipv4(IP_A, 1000);
	case ADDR_B4:
		return ipv4(IP_B, 1000);
	case ADDR_LO4:
		return ipv4(INADDR_LOOPBACK, 1000);
	case ADDR_ANY6:
		return ipv6(0, 1000);
	case ADDR_A6:
		return ipv6(0x0a, 1000);
	default:
		return ipv4(INADDR_ANY, 1000);
	}
}

static bool is_v6(int which)
{
	return which == ADDR_ANY6 || which == ADDR_A6;
}

static bool is_for_all(int which)
{
	return which == ADDR_ANY4 || which == ADDR_ANY6 || which == ADDR_LO4;
}

/* @bits: reuse of either, afonly of either. */
static int expected_clash(int a, int b, int bits)
{
	if ((bits & 3) == 3)
		return 0;
	if ((bits & 12) == 12 && is_v6(a) != is_v6(b))
		return 0;
	if (is_for_all(a) || is_for_all(b))
		return -EADDRNOTAVAIL;
	return a == b ? -EADDRINUSE : 0;
}

static void ports_clash_test(struct kunit *test)
{
	struct cma_claim mine = { }, theirs = { };
	union test_addr x, y;
	int a, b, bits, got, want;

	for (a = 0; a < ADDRS; a++)
		for (b = 0; b < ADDRS; b++)
			for (bits = 0; bits < 16; bits++) {
				x = bound_addr(a);
				y = bound_addr(b);
				mine.src = SA(x);
				mine.reuse = bits & 1;
				mine.afonly = bits & 4;
				theirs.src = SA(y);
				theirs.reuse = bits & 2;
				theirs.afonly = bits & 8;
				got = cma_claims_clash(&mine, &theirs);
				want = expected_clash(a, b, bits);
				KUNIT_EXPECT_EQ_MSG(test, got, want,
						    "%d %d %x", a, b, bits);
			}
}

static bool apart(union test_addr *src1, union test_addr *dst1,
		  union test_addr *src2, union test_addr *dst2)
{
	struct cma_claim mine = { .src = SA(*src1), .dst = SA(*dst1) };
	struct cma_claim theirs = { .src = SA(*src2), .dst = SA(*dst2) };

	return cma_claims_apart(&mine, &theirs);
}

static void ports_apart_test(struct kunit *test)
{
	union test_addr any = ipv4(0, 0), a = ipv4(IP_A, 0), b = ipv4(IP_B, 0);
	union test_addr peer = ipv4(0x0a000001, 80);
	union test_addr same_peer_other_port = ipv4(0x0a000001, 81);
	union test_addr other_peer = ipv4(0x0a000002, 80);
	union test_addr other = { };

	KUNIT_EXPECT_FALSE(test, apart(&any, &peer, &any, &peer));
	KUNIT_EXPECT_FALSE(test, apart(&any, &peer, &a, &peer));
	KUNIT_EXPECT_TRUE(test, apart(&a, &peer, &b, &peer));
	KUNIT_EXPECT_TRUE(test, apart(&any, &peer, &any, &same_peer_other_port));
	KUNIT_EXPECT_TRUE(test, apart(&any, &peer, &any, &other_peer));
	KUNIT_EXPECT_FALSE(test, apart(&any, &peer, &any, &other));
	KUNIT_EXPECT_FALSE(test, apart(&a, &other, &a, &peer));
	KUNIT_EXPECT_FALSE(test, apart(&any, &any, &any, &peer));
}

/* Service ids. */
static void service_id_test(struct kunit *test)
{
	union test_addr tcp = ipv4(IP_A, 7174), udp = ipv6(0x0a, 65535);
	union test_addr ib = ib_service(0x1122334455667788, U64_MAX);
	__be64 sid;

	sid = cma_service_id(RDMA_PS_TCP, SA(tcp));
	KUNIT_EXPECT_EQ(test, be64_to_cpu(sid), 0x0000000001061c06ULL);
	KUNIT_EXPECT_EQ(test, cma_space_of_service(sid), RDMA_PS_TCP);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(cma_port_of_service(sid)), 7174);

	sid = cma_service_id(RDMA_PS_UDP, SA(udp));
	KUNIT_EXPECT_EQ(test, be64_to_cpu(sid), 0x000000000111ffffULL);
	sid = cma_service_id(RDMA_PS_IPOIB, SA(tcp));
	KUNIT_EXPECT_EQ(test, be64_to_cpu(sid), 0x0000000000021c06ULL);
	KUNIT_EXPECT_EQ(test, cma_space_of_service(sid), RDMA_PS_IPOIB);
	sid = cma_service_id(RDMA_PS_IB, SA(tcp));
	KUNIT_EXPECT_EQ(test, be64_to_cpu(sid), 0x00000000013f1c06ULL);

	sid = cma_service_id(RDMA_PS_IB, SA(ib));
	KUNIT_EXPECT_EQ(test, be64_to_cpu(sid), 0x1122334455667788ULL);
}

static void ib_port_test(struct kunit *test)
{
	union test_addr addr;

	/* A port outside of the mask is none. */
	addr = ib_service(RDMA_IB_IP_PS_TCP | 7174, RDMA_IB_IP_PS_MASK);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(cma_port_of(SA(addr))), 0);
	addr = ib_service(RDMA_IB_IP_PS_TCP | 7174, U64_MAX);
	KUNIT_EXPECT_EQ(test, be16_to_cpu(cma_port_of(SA(addr))), 7174);

	addr = ib_service(RDMA_IB_IP_PS_UDP | 1, RDMA_IB_IP_PS_MASK);
	cma_set_port(SA(addr), cpu_to_be16(0xabcd));
	KUNIT_EXPECT_EQ(test, be64_to_cpu(addr.ib.sib_sid),
			RDMA_IB_IP_PS_UDP | 0xabcd);
	KUNIT_EXPECT_EQ(test, be64_to_cpu(addr.ib.sib_sid_mask), U64_MAX);
}

static void ib_space_test(struct kunit *test)
{
	static const struct {
		enum rdma_ucm_port_space ps;
		u64 sid, mask;
		int ret;
		enum rdma_ucm_port_space space;
		u64 completed;
	} rows[] = {
		/* What librdmacm asks with whether there is AF_IB at all. */
		{ RDMA_PS_IB, RDMA_IB_IP_PS_TCP, RDMA_IB_IP_PS_MASK,
		  0, RDMA_PS_TCP, RDMA_IB_IP_PS_TCP },
		{ RDMA_PS_IB, 0, 0, 0, RDMA_PS_IB, RDMA_IB_IP_PS_IB },
		{ RDMA_PS_TCP, 0, 0, 0, RDMA_PS_TCP, RDMA_IB_IP_PS_TCP },
		{ RDMA_PS_UDP, 99, 0xffff, 0, RDMA_PS_UDP,
		  RDMA_IB_IP_PS_UDP | 99 },
		{ RDMA_PS_TCP, RDMA_IB_IP_PS_UDP | 7, U64_MAX,
		  -EPROTONOSUPPORT },
		{ RDMA_PS_IPOIB, 0, 0, -EPROTONOSUPPORT },
		{ RDMA_PS_IB, 0xdead0000, U64_MAX, -EPROTONOSUPPORT },
	};
	enum rdma_ucm_port_space space;
	union test_addr addr;
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		addr = ib_service(rows[i].sid, rows[i].mask);
		ret = cma_select_space(rows[i].ps, SA(addr), &space);
		KUNIT_EXPECT_EQ_MSG(test, ret, rows[i].ret, "row %d", i);
		if (ret)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, space, rows[i].space, "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, be64_to_cpu(addr.ib.sib_sid),
				    rows[i].completed, "row %d", i);
	}
	addr = ipv4(IP_A, 1);
	KUNIT_EXPECT_EQ(test, cma_select_space(RDMA_PS_IPOIB, SA(addr), &space),
			0);
	KUNIT_EXPECT_EQ(test, cma_select_space(0x77, SA(addr), &space),
			-EPROTONOSUPPORT);
}

/* Which id gets a request: the more exact, the higher. */
static void match_test(struct kunit *test)
{
	union test_addr any4 = ipv4(0, 1), any6 = ipv6(0, 1);
	union test_addr lo = ipv4(INADDR_LOOPBACK, 1);
	union test_addr a = ipv4(IP_A, 1), b = ipv4(IP_B, 1);
	union test_addr a6 = ipv6(0x0a, 1), b6 = ipv6(0x0b, 1);
	union test_addr ib = ib_service(RDMA_IB_IP_PS_TCP | 1, U64_MAX);
	int exact, any, other;

	exact = cma_match_address(SA(a), true, SA(a), SA(b));
	any = cma_match_address(SA(any4), true, SA(a), SA(b));
	other = cma_match_address(SA(any6), false, SA(a), SA(b));
	KUNIT_EXPECT_GT(test, exact, any);
	KUNIT_EXPECT_GT(test, any, other);
	KUNIT_EXPECT_GT(test, other, 0);
	KUNIT_EXPECT_EQ(test, cma_match_address(SA(any6), true, SA(a), SA(b)),
			0);
	KUNIT_EXPECT_EQ(test, cma_match_address(SA(any4), false, SA(a6),
						SA(b6)), 0);
	KUNIT_EXPECT_EQ(test, cma_match_address(SA(b), true, SA(a), SA(b)), 0);
	KUNIT_EXPECT_EQ(test, cma_match_address(SA(a6), false, SA(a6), SA(b6)),
			exact);
	KUNIT_EXPECT_EQ(test, cma_match_address(SA(b6), false, SA(a6), SA(b6)),
			0);
	/* 127.0.0.1 is not for the neighbours. */
	KUNIT_EXPECT_EQ(test, cma_match_address(SA(lo), true, SA(a), SA(b)), 0);
	KUNIT_EXPECT_GT(test, cma_match_address(SA(lo), true, SA(a), SA(a)), 0);
	/* Families of addresses that have nothing to do with each other. */
	KUNIT_EXPECT_EQ(test, cma_match_address(SA(any6), false, SA(ib),
						SA(ib)), 0);
	KUNIT_EXPECT_EQ(test, cma_match_address(SA(ib), false, SA(a), SA(b)),
			0);
	KUNIT_EXPECT_GT(test, cma_match_address(SA(ib), false, SA(ib), SA(ib)),
			0);
}

/* Multicast GIDs. */
static const u8 ipoib_broadcast[20] = {
	0x00, 0xff, 0xff, 0xff, 0xff, 0x12, 0x40, 0x1b, 0x80, 0x01,
	0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
};

static void set_bytes(struct kunit *test, void *to, const char *hex)
{
	KUNIT_ASSERT_EQ(test, hex2bin(to, hex, 16), 0);
}

static void expect_gid(struct kunit *test, const union ib_gid *gid,
		       const char *want)
{
	u8 bytes[16];

	KUNIT_ASSERT_EQ(test, hex2bin(bytes, want, sizeof(bytes)), 0);
	KUNIT_EXPECT_EQ_MSG(test, memcmp(gid, bytes, sizeof(bytes)), 0,
			    "%pI6 is not %s", gid, want);
}

static void mgid_ib_test(struct kunit *test)
{
	union test_addr v4 = ipv4(0xe1020304, 0), any = ipv4(0, 0);
	union test_addr v6 = ipv6(0, 0), ib = ib_service(0, 0);
	union ib_gid gid;

	cma_mgid_ib(SA(v4), ipoib_broadcast, RDMA_PS_IPOIB, &gid);
	expect_gid(test, &gid, "ff12401b800100000000000001020304");
	cma_mgid_ib(SA(v4), ipoib_broadcast, RDMA_PS_UDP, &gid);
	expect_gid(test, &gid, "ff124001800100000000000001020304");

	set_bytes(test, &v6.in6.sin6_addr, "ff0e0102030405060708090a0b0c0d0e");
	cma_mgid_ib(SA(v6), ipoib_broadcast, RDMA_PS_IPOIB, &gid);
	expect_gid(test, &gid, "ff12601b800105060708090a0b0c0d0e");
	cma_mgid_ib(SA(v6), ipoib_broadcast, RDMA_PS_UDP, &gid);
	expect_gid(test, &gid, "ff126001800105060708090a0b0c0d0e");

	/* Made by the subnet administrator: as it is. */
	set_bytes(test, &v6.in6.sin6_addr, "ff15a01b030405060708090a0b0c0d0e");
	cma_mgid_ib(SA(v6), ipoib_broadcast, RDMA_PS_UDP, &gid);
	expect_gid(test, &gid, "ff15a01b030405060708090a0b0c0d0e");

	set_bytes(test, &ib.ib.sib_addr, "ff120000000000000000000000000042");
	cma_mgid_ib(SA(ib), ipoib_broadcast, RDMA_PS_UDP, &gid);
	expect_gid(test, &gid, "ff120000000000000000000000000042");
	cma_mgid_ib(SA(any), ipoib_broadcast, RDMA_PS_UDP, &gid);
	expect_gid(test, &gid, "00000000000000000000000000000000");
}

static void mgid_roce_test(struct kunit *test)
{
	union test_addr v4 = ipv4(0xe1020304, 0), v6 = ipv6(0, 0);
	union test_addr any = ipv6(0, 0);
	union ib_gid gid;

	cma_mgid_roce(SA(v4), IB_GID_TYPE_ROCE_UDP_ENCAP, &gid);
	expect_gid(test, &gid, "00000000000000000000ffffe1020304");
	cma_mgid_roce(SA(v4), IB_GID_TYPE_ROCE, &gid);
	expect_gid(test, &gid, "ff0e0000000000000000ffffe1020304");

	set_bytes(test, &v6.in6.sin6_addr, "ff0e0102030405060708090a0b0c0d0e");
	cma_mgid_roce(SA(v6), IB_GID_TYPE_ROCE_UDP_ENCAP, &gid);
	expect_gid(test, &gid, "ff0e0102030405060708090a0b0c0d0e");
	cma_mgid_roce(SA(v6), IB_GID_TYPE_ROCE, &gid);
	expect_gid(test, &gid, "ff0e0102030405060708090a0b0c0d0e");
	cma_mgid_roce(SA(any), IB_GID_TYPE_ROCE, &gid);
	expect_gid(test, &gid, "00000000000000000000000000000000");
}

static void same_address_test(struct kunit *test)
{
	union test_addr a = ipv4(IP_A, 1), a2 = ipv4(IP_A, 2);
	union test_addr a6 = ipv6(0x0a, 1), ll = ipv6(1, 1), ll2;

	KUNIT_EXPECT_TRUE(test, cma_same_address(SA(a), SA(a2)));
	KUNIT_EXPECT_FALSE(test, cma_same_address(SA(a), SA(a6)));
	/* fe80::1 on one interface is not that on another one. */
	ll.in6.sin6_addr.s6_addr32[0] = htonl(0xfe800000);
	ll2 = ll;
	ll.in6.sin6_scope_id = 2;
	KUNIT_EXPECT_FALSE(test, cma_same_address(SA(ll), SA(ll2)));
	ll2.in6.sin6_scope_id = 2;
	KUNIT_EXPECT_TRUE(test, cma_same_address(SA(ll), SA(ll2)));
	/* Elsewhere the number means nothing. */
	a6.in6.sin6_scope_id = 2;
	ll = a6;
	ll.in6.sin6_scope_id = 3;
	KUNIT_EXPECT_TRUE(test, cma_same_address(SA(a6), SA(ll)));
}

static struct kunit_case cma_cases[] = {
	KUNIT_CASE(states_test),
	KUNIT_CASE(state_numbers_test),
	KUNIT_CASE(ib_events_test),
	KUNIT_CASE(hdr_build_test),
	KUNIT_CASE(hdr_parse_test),
	KUNIT_CASE(hdr_malformed_test),
	KUNIT_CASE(ports_clash_test),
	KUNIT_CASE(ports_apart_test),
	KUNIT_CASE(service_id_test),
	KUNIT_CASE(ib_port_test),
	KUNIT_CASE(ib_space_test),
	KUNIT_CASE(match_test),
	KUNIT_CASE(mgid_ib_test),
	KUNIT_CASE(mgid_roce_test),
	KUNIT_CASE(same_address_test),
	{ }
};

static struct kunit_suite cma_suite = {
	.name = "ofed_cma",
	.test_cases = cma_cases,
};

kunit_test_suite(cma_suite);

MODULE_DESCRIPTION("KUnit tests of rdma_cm");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
