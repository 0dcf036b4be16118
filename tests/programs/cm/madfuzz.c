// SPDX-License-Identifier: GPL-2.0
/*
 * Management datagrams that no honest host sends, to QP1 of a port: good ones of
 * every class, and what mutation makes of them.
 *
 * madfuzz serve ADDRESS PORT TARGET
 *	Accept, refuse and forget what comes to PORT of both port spaces, and
 *	connect to that of TARGET all the while. Until SIGTERM.
 * madfuzz fuzz DEVICE ADDRESS PEER-DEVICE PEER-ADDRESS PORT INTERFACE N SEED BYTES
 *	N datagrams from ADDRESS to PEER-ADDRESS, the longest of BYTES (256 to 1024).
 *
 * The ids of conversations about PORT are read from INTERFACE, and used: that is
 * how the fuzzer gets into states behind the first. Others' stay unknown to it,
 * and must not notice. What arrives is seen in PEER-DEVICE's counters, where each
 * message of the CM that is whole has to appear, whatever it says.
 */
#include <net/if.h>
#include <signal.h>
#include <sys/socket.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include "cma_raw.h"
#include "mad_odd.h"

#define BURST		31	/* and one that is waited for */
#define ROOM		128	/* for answers */
#define HELD		64
#define SECONDS		10	/* until a datagram counts as lost */

#define NEED(x) do { if (!(x)) { printf("FAIL set-up: %s: %s\n", #x, strerror(errno)); exit(1); } } while (0)

/* ---- the targets ------------------------------------------------ */

static volatile sig_atomic_t stopped;
static uint32_t response;
static struct cma_world world = { .response = &response };
static uint32_t held[HELD];	/* ids plus one */
static long events_seen[16];
static int cma;

static void stop(int number)
{
	(void)number;
	stopped = 1;
}

static uint32_t new_id(uint16_t space)
{
	struct cma_packet p;

	cma_build(&p, cma_find(CMA(CREATE_ID)), &world, 0);
	p.create_id.ps = space;
	NEED(!(errno = cma_send(cma, &p)));
	return response;
}

static void destroy(uint32_t id)
{
	cma_issue(cma, CMA(DESTROY_ID), &world, id);
}

/* The oldest gives way. */
static void keep(uint32_t id)
{
	static unsigned int next;
	uint32_t *slot = &held[next++ % HELD];

	if (*slot)
		destroy(*slot - 1);
	*slot = id + 1;
}

static void drop(uint32_t id)
{
	int i;

	for (i = 0; i < HELD; i++)
		if (held[i] == id + 1) {
			held[i] = 0;
			destroy(id);
		}
}

static void listen_to(uint16_t space, const char *address, uint16_t port)
{
	uint32_t id = new_id(space);
	struct cma_packet p;

	cma_build(&p, cma_find(CMA(BIND)), &world, id);
	cma_ip(&p.bind.addr, address, port);
	NEED(!(errno = cma_send(cma, &p)));
	cma_build(&p, cma_find(CMA(LISTEN)), &world, id);
	p.listen.backlog = 256;
	NEED(!(errno = cma_send(cma, &p)));
}

static void requested(uint32_t id)
{
	uint32_t n = R(20);

	keep(id);
	if (n < 13)
		cma_issue(cma, CMA(ACCEPT), &world, id);
	else if (n < 15)
		cma_issue(cma, CMA(REJECT), &world, id);
	else if (n < 17)
		drop(id);
}

static void act(const struct rdma_ucm_event_resp *event)
{
	struct cma_packet p;

	events_seen[event->event % 16]++;
	switch (event->event) {
	case EV_ADDR_RESOLVED:
		cma_issue(cma, CMA(RESOLVE_ROUTE), &world, event->id);
		break;
	case EV_ROUTE_RESOLVED:
		cma_issue(cma, CMA(CONNECT), &world, event->id);
		break;
	case EV_CONNECT_REQUEST:
		requested(event->id);
		break;
	case EV_CONNECT_RESPONSE:
		if (R(4) == 0)
			break;
		cma_build(&p, cma_find(CMA(ACCEPT)), &world, event->id);
		p.accept.conn_param.valid = 0;
		cma_send(cma, &p);
		break;
	case EV_ESTABLISHED:
		if (R(4) == 0)
			cma_issue(cma, CMA(DISCONNECT), &world, event->id);
		break;
	default:
		drop(event->id);
	}
}

static void call(const char *target, uint16_t port)
{
	uint32_t id = new_id(R(4) ? RDMA_PS_TCP : RDMA_PS_UDP);
	struct cma_packet p;

	keep(id);
	cma_build(&p, cma_find(CMA(RESOLVE_ADDR)), &world, id);
	cma_ip(&p.resolve_addr.dst_addr, target, port);
	cma_send(cma, &p);
}

static int serve(const char *address, uint16_t port, const char *target)
{
	struct pollfd ready = { .events = POLLIN };
	struct rdma_ucm_event_resp event;
	long calls = 0;
	int i;

	NEED((cma = open(CMA_DEV, O_RDWR | O_CLOEXEC | O_NONBLOCK)) >= 0);
	ready.fd = cma;
	signal(SIGTERM, stop);
	seed = getpid();
	world.local = address;
	listen_to(RDMA_PS_TCP, address, port);
	listen_to(RDMA_PS_UDP, address, port);
	while (!stopped) {
		if (poll(&ready, 1, 20) != 1 || !R(16)) {
			call(target, port);
			calls++;
		} else if (!cma_event(cma, &event)) {
			act(&event);
		}
	}
	printf("%ld calls;", calls);
	for (i = 0; i < 16; i++)
		if (events_seen[i])
			printf(" event %d: %ld", i, events_seen[i]);
	printf("\n");
	return 0;
}

/* ---- what is known of conversations ---------------------------------------------------- */

static long learnt;
static int sniffer;

static struct mad_names *find_known(uint32_t ours, uint32_t theirs)
{
	int i;

	for (i = 0; i < KNOWN; i++)
		if ((ours && known[i].ours == ours) || (theirs && known[i].theirs == theirs))
			return &known[i];
	return NULL;
}

/* Is it about one of the targets? Both know the port. */
static bool about_port(const uint8_t *mad, int service)
{
	return (mad_get(mad, service, 8) & 0xffff) == here.port;
}

/*
 * A message of others: the numbers of its sender and of its receiver. To the
 * peer it goes in our name, for the address is all that it knows of us.
 */
static void overhear(const uint8_t *mad, bool to_peer)
{
	uint32_t sender = mad_get(mad, CM_OURS, 4), other = mad_get(mad, CM_THEIRS, 4);
	uint16_t attr = mad_get(mad, MAD_ATTR, 2);
	struct mad_names *n;

	if (mad[MAD_CLASS] != 7)
		return;
	if ((attr == CM_REQ && about_port(mad, REQ_SERVICE)) ||
	    (attr == CM_SIDR_REQ && about_port(mad, SIDR_SERVICE))) {
		n = new_known();
		n->tid = mad_get(mad, MAD_TID, 8);
		*(to_peer ? &n->ours : &n->theirs) = sender;
		if (attr == CM_REQ)
			*(to_peer ? &n->qpn : &n->their_qpn) = mad_get(mad, REQ_QPN, 3);
		return;
	}
	if (attr != CM_REP && attr != CM_MRA)
		return;
	n = to_peer ? find_known(0, other) : find_known(other, 0);
	if (!n || (to_peer ? n->ours : n->theirs))
		return;
	*(to_peer ? &n->ours : &n->theirs) = sender;
	if (attr == CM_REP)
		*(to_peer ? &n->qpn : &n->their_qpn) = mad_get(mad, REP_QPN, 3);
	learnt++;
}

/* Frames of Ethernet, IPv4 and UDP, and in them UD SEND without immediate data. */
static void overhear_all(void)
{
	static uint8_t frame[2048];
	ssize_t n;

	while ((n = recv(sniffer, frame, sizeof(frame), MSG_DONTWAIT)) > 0) {
		if (n < 62 + MAD_SIZE || mad_get(frame, 12, 2) != 0x0800 ||
		    mad_get(frame, 47, 3) != 1)
			continue;
		/* Our own come from another number. */
		if (mad_get(frame, 59, 3) == 1)
			overhear(frame + 62, !memcmp(frame + 30, here.peer.raw + 12, 4));
	}
}

static void open_sniffer(const char *interface)
{
	struct sock_filter only_ud[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 42),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x64, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 2048),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = { 4, only_ud };
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int size = 4 << 20;

	NEED((sniffer = socket(AF_PACKET, SOCK_RAW, 0)) >= 0);
	NEED(!setsockopt(sniffer, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)));
	setsockopt(sniffer, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	NEED(at.sll_ifindex = if_nametoindex(interface));
	NEED(!bind(sniffer, (struct sockaddr *)&at, sizeof(at)));
}

/* ---- out and in ------------------------------------------------------------------------- */

struct slot {
	struct mad mad;
	uint8_t grh[40], answer[MAD_MOST];
};

static struct ibv_qp *qp;
static struct ibv_cq *sends, *answers;
static struct ibv_mr *mr;
static struct ibv_ah *ah;
static struct slot *slots;
static char counters[128];
static long expected[CM_KINDS], counted[CM_KINDS], lost, whole, answered[256];

static long counter(int kind)
{
	static const char *const names[CM_KINDS] = {
		"req", "mra", "rej", "rep", "rtu", "dreq", "drep", "sidr_req", "sidr_rep",
		"lap", "apr",
	};
	char path[192], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/%s", counters, names[kind]);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0) {
		printf("FAIL %s: %s\n", path, strerror(errno));
		exit(1);
	}
	close(fd);
	return atol(text);
}

/* Has the CM to count it? What it says does not matter. */
static int kind_of(const struct mad *m, bool to_qp0)
{
	uint16_t attr = mad_get(m->bytes, MAD_ATTR, 2);

	if (to_qp0 || m->length != MAD_SIZE || m->bytes[MAD_BASE] != 1 ||
	    m->bytes[MAD_CLASS] != 7 || m->bytes[MAD_VERSION] != 2 ||
	    m->bytes[MAD_METHOD] != 3 || attr < CM_REQ || attr > CM_LAST)
		return -1;
	return attr - CM_REQ;
}

static void post(struct slot *s, bool to_qp0)
{
	struct ibv_sge sge = { (uintptr_t)s->mad.bytes, s->mad.length, mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .send_flags = IBV_SEND_SIGNALED,
		.opcode = R(50) ? IBV_WR_SEND : IBV_WR_SEND_WITH_IMM,
		.wr.ud = { ah, !to_qp0, MAD_QKEY },
	};
	int kind = kind_of(&s->mad, to_qp0);

	if (kind >= 0) {
		expected[kind]++;
		whole++;
	}
	NEED(!(errno = ibv_post_send(qp, &wr, &bad)));
}

static void receive(int slot)
{
	struct ibv_sge sge = { (uintptr_t)slots[slot].grh,
			       sizeof(slots->grh) + sizeof(slots->answer), mr->lkey };
	struct ibv_recv_wr *bad, wr = { .wr_id = slot, .sg_list = &sge, .num_sge = 1 };

	NEED(!(errno = ibv_post_recv(qp, &wr, &bad)));
}

static void complete(int n)
{
	time_t end = time(NULL) + PAIR_SECONDS;
	struct ibv_wc wc;

	while (n) {
		int got = ibv_poll_cq(sends, 1, &wc);

		if (got < 0 || (got && wc.status) || time(NULL) > end) {
			printf("FAIL send: %s\n", got ? ibv_wc_status_str(wc.status) : "never done");
			exit(1);
		}
		n -= got;
		if (!got)
			sched_yield();
	}
	while (ibv_poll_cq(answers, 1, &wc) == 1) {
		NEED(!wc.status);
		answered[slots[wc.wr_id].answer[MAD_CLASS]]++;
		overhear(slots[wc.wr_id].answer, false);
		receive(wc.wr_id);
	}
}

/*
 * The last of a burst is an APR, which no other program sends: when that has come, so
 * have those in front of it.
 */
static void wait_for_last(long at)
{
	const int apr = CM_APR - CM_REQ;
	time_t end = time(NULL) + SECONDS;
	static int in_a_row;
	long missing;

	while ((missing = expected[apr] - (counter(apr) - counted[apr])) > 0) {
		if (time(NULL) <= end) {
			usleep(200);
			continue;
		}
		lost += missing;
		counted[apr] -= missing;
		if (++in_a_row < 3)
			return;
		printf("FAIL nothing arrives any more, %ld datagrams before the end\n", at);
		exit(1);
	}
	in_a_row = 0;
}

static void burst(int n, long left)
{
	struct mad_names unused = { .ours = rng(&seed), .theirs = rng(&seed) };
	int i, times;

	for (i = 0; i < n; i++) {
		struct mad *m = &slots[i].mad;

		if (R(10) < 7)
			cm_datagram(m);
		else
			other_datagram(m);
		for (times = R(3) ? R(4) : 0; times > 0; times--)
			mutate(m);
		post(&slots[i], !R(100));
	}
	mad_cm(&slots[n].mad, CM_APR, &here, &unused, 0);
	post(&slots[n], false);
	complete(n + 1);
	wait_for_last(left);
	overhear_all();
}

static void open_qp(const char *device, const char *own, const char *peer)
{
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = 2 * ROOM, .max_recv_wr = 2 * ROOM, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = MAD_QKEY };
	struct ibv_ah_attr to = {
		.is_global = 1, .port_num = 1, .grh = { .hop_limit = 64 },
	};
	int i;

	NEED(ctx = open_named(device));
	NEED((i = gid_of(ctx, own, 2, &here.own)) >= 0);
	to.grh.sgid_index = i;
	make_gid(peer, &here.peer);
	to.grh.dgid = here.peer;
	here.guid = be64toh(ibv_get_device_guid(ctx->device));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(sends = ibv_create_cq(ctx, 2 * ROOM, NULL, NULL, 0));
	NEED(answers = ibv_create_cq(ctx, 2 * ROOM, NULL, NULL, 0));
	NEED(slots = calloc(ROOM, sizeof(*slots)));
	NEED(mr = ibv_reg_mr(pd, slots, ROOM * sizeof(*slots), IBV_ACCESS_LOCAL_WRITE));
	init.send_cq = sends;
	init.recv_cq = answers;
	NEED(qp = ibv_create_qp(pd, &init));
	NEED(!(errno = ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				     IBV_QP_QKEY)));
	a.qp_state = IBV_QPS_RTR;
	NEED(!(errno = ibv_modify_qp(qp, &a, IBV_QP_STATE)));
	a.qp_state = IBV_QPS_RTS;
	NEED(!(errno = ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN)));
	NEED(ah = ibv_create_ah(pd, &to));
	for (i = 0; i < ROOM; i++)
		receive(i);
}

/* All that had to be counted is counted, but for the few that datagrams lose. */
static int verdict(long n)
{
	long grown, all = 0, answers_seen = 0;
	int i, failures = 0;

	for (i = 0; i < CM_KINDS; i++) {
		grown = counter(i) - counted[i];
		all += expected[i];
		/* Those of others are counted too, hence more is fine. */
		if (grown >= expected[i] - expected[i] / 100 - 3 - lost)
			continue;
		printf("FAIL attribute %#x: %ld of %ld arrived\n", CM_REQ + i, grown, expected[i]);
		failures++;
	}
	for (i = 0; i < 256; i++)
		answers_seen += answered[i];
	printf("%ld datagrams, %ld of them whole messages of the CM (%ld at the end of a burst), %ld lost\n",
	       n, whole, expected[CM_APR - CM_REQ], lost);
	printf("%ld answers to us, %ld of them of the CM; %ld ids learnt\n", answers_seen,
	       answered[7], learnt);
	if (lost > n / 1000 + 1) {
		printf("FAIL too many are lost\n");
		failures++;
	}
	if (n >= 2000 && !learnt) {
		printf("FAIL no conversation has got beyond its first message\n");
		failures++;
	}
	return failures ? 1 : 0;
}

static int fuzz(char **arg)
{
	long n = atol(arg[6]), left;
	int i;

	seed = strtoull(arg[7], NULL, 0);
	longest = atoi(arg[8]);
	NEED(longest >= MAD_SIZE && longest <= MAD_MOST);
	here.port = atoi(arg[4]);
	printf("seed %llu\n", (unsigned long long)seed);
	snprintf(counters, sizeof(counters), "/sys/class/infiniband/%.64s/ports/1/cm_rx_msgs",
		 arg[2]);
	open_qp(arg[0], arg[1], arg[3]);
	open_sniffer(arg[5]);
	for (i = 0; i < CM_KINDS; i++)
		counted[i] = counter(i);
	for (left = n; left > 0; left -= BURST + 1)
		burst(left > BURST ? BURST : left - 1, left);
	return verdict(n);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 5 && !strcmp(argv[1], "serve"))
		return serve(argv[2], atoi(argv[3]), argv[4]);
	if (argc == 11 && !strcmp(argv[1], "fuzz"))
		return fuzz(argv + 2);
	fprintf(stderr, "usage: madfuzz serve ADDRESS PORT TARGET\n"
		"       madfuzz fuzz DEVICE ADDRESS PEER-DEVICE PEER-ADDRESS PORT INTERFACE N SEED BYTES\n");
	return 2;
}
