// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that no honest device sends, from another namespace, as IPv4, IPv6 and
 * Ethertype 0x8915, while verified messages run between the two devices.
 *
 * usage: pkt_fuzz DEVICE INTERFACE PEER-DEVICE PEER-INTERFACE PEER-NETNS N SEED
 *
 * DEVICE has 10.0.0.1 and fd00::1, PEER-DEVICE 10.0.0.2; we send from 10.0.0.3
 * and fd00::3 of PEER-INTERFACE, the peer of queue pairs that are there to be
 * hit. Those may fail, and what they were given may change: the regions that
 * the peer may write, the buffers that wait. All other bytes around and between
 * must not, and the messages of the two devices must not notice.
 *
 * The length and the meaning of each opcode are typed here once more, from IBA
 * vol. 1 table 38: the driver's table is not to be believed by its own test.
 */
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <linux/if_packet.h>

#include "innocent.h"
#include "pkt_frame.h"

#define ARENA		(256 << 10)
#define BUFFER		2048		/* of a receive, and where a READ lands */
#define BUFFER_STEP	2368		/* an odd distance: gaps in between */
#define BUFFERS		32
#define BURST		16
#define NO_PEER		0xabcdef	/* the peer of those that are hit */
#define QKEY		0x11111111

enum service { RC, UC, UD, SERVICES };
#define PER_NET		8		/* 4 RC, 2 UC, 2 UD */

struct target {
	struct ibv_qp *qp;
	struct ibv_cq *cq;
	enum net net;
	enum service service;
	uint32_t rq_psn;	/* what comes next */
	uint32_t sq_psn;	/* of the first request that waits for us */
	int receives;
};

static const char *ours[NETS] = { "10.0.0.1", "fd00::1", "10.0.0.1" };
static const char *theirs[NETS] = { "10.0.0.3", "fd00::3", "10.0.0.3" };
static int our_index[NETS];

static struct ibv_context *ctx;
static struct ibv_pd *pd, *other_pd;
static struct target targets[NETS * PER_NET];
#define TARGETS (sizeof(targets) / sizeof(targets[0]))
static struct ibv_mr *writable, *readable, *local, *foreign;
static uint8_t *arena;
static struct pair pair;
static volatile bool done;
static int failures;
static long sent[2], recycled, received, answered, refused, unsent;
static uint8_t macs[2][6];
static int packet_fd, raw_fd, peer_ifindex;

#define NEED(x) do { if (!(x)) { printf("FAIL set-up: %s: %s\n", #x, strerror(errno)); exit(1); } } while (0)

/* ---- memory ------------------------------------------------------------------- */

/* Not at a page's edge; the gaps have a pattern that has to stay. */
#define WRITABLE_AT	(16 << 10 | 0x123)
#define READABLE_AT	(64 << 10 | 0x777)
#define LOCAL_AT	(96 << 10 | 0x0b1)
#define FOREIGN_AT	(208 << 10 | 0x345)
#define REGION		(24 << 10 | 0x21)
#define LOCAL_REGION	(BUFFERS * BUFFER_STEP + 64)

static uint8_t pattern(uint32_t i)
{
	return (i * 131 + 7) ^ (i >> 8);
}

static uint8_t *buffer(int i)
{
	return arena + LOCAL_AT + 32 + i * BUFFER_STEP;
}

static bool may_change(uint32_t i)
{
	if (i >= WRITABLE_AT && i < WRITABLE_AT + REGION)
		return true;
	if (i < LOCAL_AT + 32 || i >= LOCAL_AT + 32 + BUFFERS * BUFFER_STEP)
		return false;
	return (i - LOCAL_AT - 32) % BUFFER_STEP < BUFFER;
}

static void check_memory(void)
{
	uint32_t i, wrong = 0;

	for (i = 0; i < ARENA; i++) {
		if (arena[i] == pattern(i) || may_change(i))
			continue;
		if (!wrong++)
			printf("FAIL byte %#x of the arena has changed\n", i);
		arena[i] = pattern(i);
	}
	if (wrong) {
		printf("FAIL %u bytes have changed\n", wrong);
		failures++;
	}
}

static uint32_t changed(uint32_t at, uint32_t length)
{
	uint32_t i, n = 0;

	for (i = at; i < at + length; i++)
		n += arena[i] != pattern(i);
	return n;
}

static void register_memory(void)
{
	uint32_t i;

	arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(arena != MAP_FAILED);
	for (i = 0; i < ARENA; i++)
		arena[i] = pattern(i);
	NEED(writable = ibv_reg_mr(pd, arena + WRITABLE_AT, REGION, RIGHTS));
	NEED(readable = ibv_reg_mr(pd, arena + READABLE_AT, REGION, IBV_ACCESS_REMOTE_READ));
	NEED(local = ibv_reg_mr(pd, arena + LOCAL_AT, LOCAL_REGION, IBV_ACCESS_LOCAL_WRITE));
	NEED(foreign = ibv_reg_mr(other_pd, arena + FOREIGN_AT, REGION, RIGHTS));
}

/* ---- queue pairs that are hit ----------------------------------------------------- */

static void receive_more(struct target *t)
{
	for (; t->receives < 8; t->receives++) {
		struct ibv_sge sge = { (uintptr_t)buffer(R(BUFFERS)), BUFFER, local->lkey };
		struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

		/* Some are too short. */
		if (!R(4))
			sge.length = R(BUFFER);
		if (ibv_post_recv(t->qp, &wr, &bad))
			break;
	}
}

/* Requests that only this program can answer. */
static void ask(struct target *t)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_SEND, IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WR_RDMA_WRITE,
	};
	int i;

	for (i = 0; i < 4 && t->service == RC; i++) {
		struct ibv_sge sge = { (uintptr_t)buffer(R(BUFFERS)), BUFFER, local->lkey };
		struct ibv_send_wr *bad, wr = {
			.opcode = opcodes[R(4)], .sg_list = &sge, .num_sge = 1,
			.send_flags = IBV_SEND_SIGNALED, .wr.rdma = { 0x1000, 0x1234 },
		};

		if (wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
			sge.length = 8;
			wr.wr.atomic = (typeof(wr.wr.atomic)){ 0x1000, 1, 0, 0x1234 };
		}
		if (ibv_post_send(t->qp, &wr, &bad))
			break;
	}
}

static void recycle(struct target *t)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_RESET };
	struct ibv_wc wc[8];

	NEED(!(errno = ibv_modify_qp(t->qp, &a, IBV_QP_STATE)));
	while (ibv_poll_cq(t->cq, 8, wc) > 0)
		;
	t->rq_psn = R(2) ? R(1 << 24) : (0xfffff8 + R(16)) & 0xffffff;
	t->sq_psn = R(2) ? R(1 << 24) : (0xfffff8 + R(16)) & 0xffffff;
	NEED(!(errno = qp_ready(t->qp, our_index[t->net], &their_gid[t->net], NO_PEER,
				t->rq_psn, t->sq_psn, 20)));
	t->receives = 0;
	receive_more(t);
	ask(t);
	recycled++;
}

static void target_open(struct target *t, int i)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	struct ibv_qp_init_attr init = {
		.cap = { .max_send_wr = 8, .max_recv_wr = 16, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	t->net = i / PER_NET;
	t->service = i % PER_NET < 4 ? RC : i % PER_NET < 6 ? UC : UD;
	NEED(t->cq = ibv_create_cq(ctx, 64, NULL, NULL, 0));
	init.send_cq = t->cq;
	init.recv_cq = t->cq;
	init.qp_type = types[t->service];
	NEED(t->qp = ibv_create_qp(pd, &init));
	recycle(t);
}

/* What became of it since last time. */
static void look_after(struct target *t)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a = { 0 };
	struct ibv_wc wc[8];
	int i, n;

	while ((n = ibv_poll_cq(t->cq, 8, wc)) > 0)
		for (i = 0; i < n; i++) {
			if (wc[i].status != IBV_WC_SUCCESS) {
				refused++;
			} else if (wc[i].opcode & IBV_WC_RECV) {
				received++;
				t->receives--;
			} else {
				answered++;
			}
		}
	NEED(!(errno = ibv_query_qp(t->qp, &a, IBV_QP_STATE | IBV_QP_RQ_PSN | IBV_QP_SQ_PSN, &init)));
	t->rq_psn = a.rq_psn;
	if (a.qp_state != IBV_QPS_RTS || !R(32))
		recycle(t);
	else
		receive_more(t);
}

/* ---- packets ---------------------------------------------------------------------- */

/* Near what is registered, at its edges more often than not. */
static uint64_t some_address(void)
{
	static const uint32_t at[] = { WRITABLE_AT, WRITABLE_AT, WRITABLE_AT, READABLE_AT, LOCAL_AT,
		FOREIGN_AT };
	uint64_t a = (uintptr_t)arena + at[R(6)];

	switch (R(12)) {
	case 0:	return a + REGION - R(64);
	case 1:	return a - R(32);
	case 2:	return a + REGION + R(4096);
	case 3:	return (uint64_t)rng(&seed) << 32 | rng(&seed);
	case 4:	return -(uint64_t)R(4096);
	default: return (a + R(REGION - 2048)) & (R(2) ? ~7ULL : ~0ULL);
	}
}

static uint32_t some_key(void)
{
	const uint32_t keys[] = { writable->rkey, readable->rkey, local->rkey, local->lkey,
		foreign->rkey, pair.side[0].mr->rkey };

	switch (R(12)) {
	case 0:	return rng(&seed);
	case 1:	return keys[R(6)] ^ 1U << R(32);
	case 2:	return R(4) ? keys[R(6)] : 0;
	case 3: return keys[R(6)];
	default: return writable->rkey;
	}
}

static uint32_t some_length(uint32_t payload)
{
	static const uint32_t odd[] = { 0, 1, 1023, 1024, 1025, 4096, REGION, 0x7fffffff,
		0x80000000, 0x80000001, 0xffffffff };

	return R(6) ? payload : odd[R(11)];
}

/* Bits of 'kind': what an opcode's packet has (RC, UC and XRC by their low bits). */
enum { RETH = 1, AETH = 2, ATOMIC = 4, ORIGINAL = 8, IMM = 16, IETH = 32, DATA = 64, FULL = 128 };

static const uint8_t kinds[32] = {
	[0x00] = DATA | FULL, [0x01] = DATA | FULL, [0x02] = DATA, [0x03] = DATA | IMM,
	[0x04] = DATA, [0x05] = DATA | IMM,
	[0x06] = DATA | FULL | RETH, [0x07] = DATA | FULL, [0x08] = DATA, [0x09] = DATA | IMM,
	[0x0a] = DATA | RETH, [0x0b] = DATA | RETH | IMM, [0x0c] = RETH,
	[0x0d] = DATA | FULL | AETH, [0x0e] = DATA | FULL, [0x0f] = DATA | AETH,
	[0x10] = DATA | AETH, [0x11] = AETH, [0x12] = AETH | ORIGINAL,
	[0x13] = ATOMIC, [0x14] = ATOMIC, [0x16] = DATA | IETH, [0x17] = DATA | IETH,
	[0x1c] = RETH, [0x1d] = RETH | DATA,
};

static uint8_t some_opcode(enum service service)
{
	static const uint8_t base[] = { 0x00, 0x20, 0x60 };
	static const uint8_t datagram[] = { 0x04, 0x05 };

	if (!R(4))
		return rng(&seed);	/* another service's, a reserved one */
	if (service == UD)
		return base[UD] | datagram[R(2)];
	/* Whole messages and their answers more often: they change nothing else. */
	if (R(2))
		return base[service] | (uint8_t[]){ 4, 5, 0xa, 0xb, 0xc, 0x13, 0x14, 0x11, 0x12, 0x10 }
			[R(service == RC ? 10 : 4)];
	return base[service] | R(0x18);
}

static void put_headers(struct packet *p, uint8_t opcode, uint32_t payload)
{
	uint8_t kind = kinds[opcode & 0x1f];

	if ((opcode & 0xe0) == 0xa0)
		put(p, rng(&seed), 4);		/* XRCETH */
	if ((opcode & 0xe0) == 0x60) {
		put(p, R(4) ? QKEY : rng(&seed), 4);
		put(p, R(4) ? 1 + R(100) : rng(&seed), 4);
	}
	if (kind & (RETH | ATOMIC)) {
		put(p, some_address(), 8);
		put(p, some_key(), 4);
	}
	if (kind & RETH)
		put(p, kind & DATA ? some_length(payload) : some_length(R(3000)), 4);
	if (kind & ATOMIC) {
		put(p, rng(&seed), 8);
		put(p, rng(&seed), 8);
	}
	if (kind & AETH) {
		put(p, R(3) ? 0x1f : rng(&seed), 1);
		put(p, R(8) ? R(8) : rng(&seed), 3);
	}
	if (kind & ORIGINAL)
		put(p, rng(&seed), 8);
	if (kind & IMM)
		put(p, rng(&seed), 4);
	if (kind & IETH)
		put(p, some_key(), 4);
}

static uint32_t some_psn(struct target *t, bool response)
{
	uint32_t next = response ? t->sq_psn : t->rq_psn;

	switch (R(10)) {
	case 0:	return rng(&seed);
	case 1:	return next - 1 - R(4);
	case 2:	return next + 1 + R(4);
	case 3:	return next + (1 << 23) - 2 + R(4);
	default: return response ? next + R(9) : next;
	}
}

static uint32_t some_qpn(struct target *t)
{
	switch (R(20)) {
	case 0:	return pair.side[0].qp->qp_num;
	case 1:	return targets[R(TARGETS)].qp->qp_num + R(3);
	case 2:	return (uint32_t[]){ 0, 1, 0xffffff, 0x7fffff }[R(4)];
	case 3:	return rng(&seed);
	default: return t->qp->qp_num;
	}
}

static void honest(struct packet *p, struct target *t)
{
	uint8_t opcode = some_opcode(t->service), kind = kinds[opcode & 0x1f], low = opcode & 0x1f;
	uint32_t payload = 0, psn = some_psn(t, low >= 0x0d && low <= 0x12), i;
	uint8_t pad;

	if (kind & DATA)
		payload = kind & FULL && R(4) ? 1024 : R(4) ? R(1025) : R(5000);
	pad = -payload & 3;
	p->length = 0;
	put(p, opcode, 1);
	put(p, (R(8) ? 0x40 : R(256) & 0xf0) | pad << 4, 1);
	p->bytes[1] &= ~(0x30 ^ pad << 4);
	put(p, R(16) ? 0xffff : rng(&seed), 2);
	put(p, R(16) ? 0 : rng(&seed), 1);
	put(p, some_qpn(t), 3);
	put(p, R(2) ? 0x80 : R(256), 1);
	put(p, psn, 3);
	put_headers(p, opcode, payload);
	for (i = 0; i < payload; i++)
		p->bytes[p->length++] = i ^ psn;
	put(p, 0, pad);
	put(p, 0, 4);	/* ICRC */
	/* As it should be taken: the next may follow it. */
	if (psn == t->rq_psn && t->service != UD && R(2))
		t->rq_psn = (t->rq_psn + 1) & 0xffffff;
}

/* ---- on the wire -------------------------------------------------------------------- */

static void transmit(uint8_t *frame, uint32_t ip_bytes, enum net net, const struct packet *p)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_ifindex = peer_ifindex, .sll_halen = 6 };
	struct sockaddr_in to4 = { .sin_family = AF_INET };
	uint32_t n = 14 + ip_bytes + p->length;
	ssize_t ret;

	memcpy(frame, macs[0], 6);
	memcpy(frame + 6, macs[1], 6);
	put16(frame + 12, net == V4 ? 0x0800 : net == V6 ? 0x86dd : 0x8915);
	memcpy(frame + 14 + ip_bytes, p->bytes, p->length);
	if (net == V4 && R(4) == 0) {
		memcpy(&to4.sin_addr, our_gid[V4].raw + 12, 4);
		ret = sendto(raw_fd, frame + 14, n - 14, 0, (struct sockaddr *)&to4, sizeof(to4));
	} else {
		ret = sendto(packet_fd, frame, n, 0, (struct sockaddr *)&to, sizeof(to));
	}
	/* A lie may be seen through by our own stack, a queue may be full. */
	unsent += ret < 0;
}

static void one(struct target *t)
{
	static uint8_t frame[9200];
	bool good = R(2);
	struct packet p;
	uint32_t ip_bytes, c, i;

	do {
		honest(&p, t);
	} while (p.length > 4096 + 64);
	for (i = R(4); i > 0 && R(4); i--)
		mutate(&p);
	ip_bytes = make_ip(frame + 14, t->net, p.length);
	if (p.length >= 16) {
		c = icrc(frame + 14, t->net, &p);
		if (!good)
			c ^= R(4) ? 1U << R(32) : 1 + R(0x7fffffff);
		for (i = 0; i < 4; i++)
			p.bytes[p.length - 4 + i] = c >> 8 * i;
	}
	/* A right one from the right sender is not ours to send to the innocent. */
	if (!R(12))
		lie(frame + 14, t->net, p.length);
	transmit(frame, ip_bytes, t->net, &p);
	sent[good]++;
}

/* To the innocent, in its peer's name, with everything right but the ICRC. */
static void forge(void)
{
	static uint8_t frame[9200];
	struct target innocent = { .qp = pair.side[0].qp, .net = V4 };
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a = { 0 };
	struct packet p;
	uint32_t ip_bytes, c, i;

	ibv_query_qp(innocent.qp, &a, IBV_QP_RQ_PSN | IBV_QP_SQ_PSN, &init);
	innocent.rq_psn = a.rq_psn;
	innocent.sq_psn = a.sq_psn - R(4);
	do {
		honest(&p, &innocent);
	} while (p.length > 1024 + 64);
	ip_bytes = make_ip(frame + 14, V4, p.length);
	frame[14 + 15] = 2;
	put16(frame + 14 + 10, 0);
	put16(frame + 14 + 10, ~sum_up(0, frame + 14, 20));
	c = icrc(frame + 14, V4, &p) ^ 1U << R(32);
	for (i = 0; i < 4; i++)
		p.bytes[p.length - 4 + i] = c >> 8 * i;
	transmit(frame, ip_bytes, V4, &p);
	sent[0]++;
}

/* ---- set-up ---------------------------------------------------------------------------- */

static void mac_of(int fd, const char *name, uint8_t *mac)
{
	struct ifreq r = { 0 };

	snprintf(r.ifr_name, sizeof(r.ifr_name), "%s", name);
	NEED(!ioctl(fd, SIOCGIFHWADDR, &r));
	memcpy(mac, r.ifr_hwaddr.sa_data, 6);
}

static void open_sockets(const char *interface, const char *peer, const char *netns)
{
	int here, there, fd, on = 1, size = 1 << 20;
	char path[64];

	NEED((fd = socket(AF_INET, SOCK_DGRAM, 0)) >= 0);
	mac_of(fd, interface, macs[0]);
	close(fd);
	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	NEED((here = open("/proc/self/ns/net", O_RDONLY)) >= 0);
	NEED((there = open(path, O_RDONLY)) >= 0);
	NEED(!setns(there, 0));
	NEED((packet_fd = socket(AF_PACKET, SOCK_RAW, 0)) >= 0);
	NEED((raw_fd = socket(AF_INET, SOCK_RAW, IPPROTO_RAW)) >= 0);
	setsockopt(raw_fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on));
	setsockopt(packet_fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	mac_of(raw_fd, peer, macs[1]);
	peer_ifindex = if_nametoindex(peer);
	NEED(!setns(here, 0));
	close(here);
	close(there);
}

static void *innocent_thread(void *arg)
{
	enum pair_result result = PAIR_OK;

	(void)arg;
	while (!done && !result)
		result = pair_step(&pair);
	return (void *)(uintptr_t)result;
}

static void expect(const char *what, bool right)
{
	if (right)
		return;
	printf("FAIL %s\n", what);
	failures++;
}

static void verdict(long n, pthread_t innocent)
{
	void *result;
	int i;

	done = true;
	pthread_join(innocent, &result);
	expect("innocent messages", !result && pair.messages);
	for (i = 0; i < 20 && !result; i++)
		expect("innocent messages afterwards", !pair_step(&pair));
	check_memory();
	printf("%ld packets with a right ICRC, %ld with a wrong one, %ld not sent; %ld restarts\n",
	       sent[1], sent[0], unsent, recycled);
	expect("most packets are sent", unsent < n / 4);
	printf("%ld received, %ld answered, %ld failed, %u bytes written; %ld innocent messages\n",
	       received, answered, refused, changed(WRITABLE_AT, REGION), pair.messages);
	if (n < 5000)
		return;
	/* Otherwise nothing was tested. */
	expect("forged messages are received", received);
	expect("forged answers are believed", answered);
	expect("forged requests fail queue pairs", refused);
	expect("forged WRITEs are written", changed(WRITABLE_AT, REGION));
}

int main(int argc, char **argv)
{
	pthread_t innocent;
	long n, i;
	size_t t;
	int net;

	if (argc < 8) {
		fprintf(stderr, "usage: pkt_fuzz DEVICE INTERFACE PEER-DEVICE PEER-INTERFACE NETNS N SEED\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	n = atol(argv[6]);
	seed = atol(argv[7]);
	pair.seed = seed + 1;
	crc_init();
	open_sockets(argv[2], argv[4], argv[5]);
	NEED(pair_open(&pair, argv[1], "10.0.0.1", argv[3], "10.0.0.2"));
	NEED(ctx = open_named(argv[1]));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(other_pd = ibv_alloc_pd(ctx));
	for (net = 0; net < NETS; net++) {
		NEED((our_index[net] = gid_of(ctx, ours[net], net == V1 ? 1 : 2, &our_gid[net])) >= 0);
		make_gid(theirs[net], &their_gid[net]);
	}
	register_memory();
	for (t = 0; t < TARGETS; t++)
		target_open(&targets[t], t);
	NEED(!pthread_create(&innocent, NULL, innocent_thread, NULL));

	for (i = 0; i < n;) {
		struct target *target = &targets[R(TARGETS)];
		int k;

		look_after(target);
		for (k = 0; k < BURST && i < n; k++, i++)
			if (R(16))
				one(target);
			else
				forge();
		if (i % 4096 < BURST)
			check_memory();
	}
	verdict(n, innocent);
	printf("%d failed\n", failures);
	return failures ? 1 : 0;
}
