/* SPDX-License-Identifier: GPL-2.0 */
/* The states of an id of the CM, and how a case brings one of its own there. */
#ifndef CMA_STATES_H
#define CMA_STATES_H

#include "cma_raw.h"

enum state {
	FRESH, BOUND, LISTENING, PENDING, ADDR, ROUTE, CONNECTING, REQUEST,
	CONNECTED, UDP, MCAST, OTHERS, STATES
};

static const char *const state_name[STATES] = {
	"fresh", "bound", "listening", "resolving", "resolved", "routed",
	"connecting", "request", "connected", "UDP", "member", "another file's",
};

/* In which state each command is in place. */
static const enum state place[] = {
	[CMA(RESOLVE_ROUTE)] = ADDR, [CMA(QUERY_ROUTE)] = ROUTE,
	[CMA(CONNECT)] = ROUTE, [CMA(LISTEN)] = BOUND, [CMA(ACCEPT)] = REQUEST,
	[CMA(REJECT)] = REQUEST, [CMA(DISCONNECT)] = CONNECTED,
	[CMA(INIT_QP_ATTR)] = ROUTE, [CMA(GET_EVENT)] = PENDING,
	[CMA(NOTIFY)] = CONNECTED, [CMA(JOIN_IP_MCAST)] = UDP,
	[CMA(LEAVE_MCAST)] = MCAST, [CMA(MIGRATE_ID)] = OTHERS,
	[CMA(QUERY)] = ROUTE, [CMA(JOIN_MCAST)] = UDP,
};

/* A case: its id, on one of two files, and a peer for connections. */
static struct client {
	int fd, other, peer;
	int owner;		/* file of the id */
	uint32_t id, mcast, listener, active;
	uint16_t port;
} u;

static char response[4096] __attribute__((aligned(8)));
static int option[1024];
static struct cma_world world = {
	.local = "10.0.0.1", .group = "239.1.2.3",
	.response = response, .option = option,
};

static inline void must(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(err));
	exit(2);
}

static inline int open_file(void)
{
	int fd = open(CMA_DEV, O_RDWR | O_CLOEXEC | O_NONBLOCK);

	must(fd < 0 ? errno : 0, CMA_DEV);
	return fd;
}

static inline uint32_t answer(void)
{
	uint32_t id;

	memcpy(&id, response, sizeof(id));
	return id;
}

static inline uint32_t create(int fd, uint16_t ps)
{
	struct cma_packet p;

	cma_build(&p, cma_find(CMA(CREATE_ID)), &world, 0);
	p.create_id.ps = ps;
	must(cma_send(fd, &p), "CREATE_ID");
	return answer();
}

static inline void step(int fd, uint32_t number, uint32_t id)
{
	must(cma_issue(fd, number, &world, id), cma_find(number)->name);
}

static inline uint32_t wait_for(int fd, uint32_t wanted)
{
	struct rdma_ucm_event_resp event;

	must(cma_event(fd, &event), "GET_EVENT");
	if (event.event != wanted) {
		fprintf(stderr, "event %u with status %d, not %u\n",
			event.event, (int)event.status, wanted);
		exit(2);
	}
	return event.id;
}

static inline void resolve(int fd, uint32_t id, enum state to)
{
	world.port = u.port;
	step(fd, CMA(RESOLVE_ADDR), id);
	wait_for(fd, EV_ADDR_RESOLVED);
	if (to == ADDR)
		return;
	step(fd, CMA(RESOLVE_ROUTE), id);
	wait_for(fd, EV_ROUTE_RESOLVED);
}

static inline void listen_on(int fd, uint32_t id)
{
	struct rdma_ucm_query_addr_resp *resp = (void *)response;
	struct sockaddr_in addr;

	step(fd, CMA(BIND), id);
	step(fd, CMA(LISTEN), id);
	step(fd, CMA(QUERY), id);
	memcpy(&addr, &resp->src_addr, sizeof(addr));
	u.port = ntohs(addr.sin_port);
}

static inline void request(void)
{
	u.listener = u.id;
	listen_on(u.fd, u.listener);
	u.active = create(u.peer, RDMA_PS_TCP);
	resolve(u.peer, u.active, ROUTE);
	step(u.peer, CMA(CONNECT), u.active);
	u.id = wait_for(u.fd, EV_CONNECT_REQUEST);
}

static inline void connection(void)
{
	struct cma_packet p;

	request();
	step(u.fd, CMA(ACCEPT), u.id);
	wait_for(u.peer, EV_CONNECT_RESPONSE);
	cma_build(&p, cma_find(CMA(ACCEPT)), &world, u.active);
	p.accept.conn_param.valid = 0;
	must(cma_send(u.peer, &p), "ACCEPT by the active side");
	wait_for(u.fd, EV_ESTABLISHED);
}

static inline void membership(void)
{
	step(u.fd, CMA(BIND), u.id);
	step(u.fd, CMA(JOIN_MCAST), u.id);
	u.mcast = answer();
	wait_for(u.fd, EV_MULTICAST_JOIN);
}

static inline void wait_until_pending(void)
{
	struct pollfd ready = { .fd = u.fd, .events = POLLIN };

	step(u.fd, CMA(RESOLVE_ADDR), u.id);
	must(poll(&ready, 1, 5000) == 1 ? 0 : ETIMEDOUT, "poll");
}

static inline void bring(enum state state)
{
	const int udp = state == UDP || state == MCAST;

	memset(&u, 0, sizeof(u));
	u.fd = open_file();
	u.other = open_file();
	u.peer = open_file();
	u.owner = state == OTHERS ? u.other : u.fd;
	u.port = 7171;
	world.from = u.other;
	world.port = u.port;
	memset(option, 0, sizeof(option));
	u.id = create(u.owner, udp ? RDMA_PS_UDP : RDMA_PS_TCP);
	if (state == BOUND || state == UDP)
		step(u.fd, CMA(BIND), u.id);
	else if (state == LISTENING)
		listen_on(u.fd, u.id);
	else if (state == PENDING)
		wait_until_pending();
	else if (state == ADDR || state == ROUTE)
		resolve(u.fd, u.id, state);
	else if (state == REQUEST || state == CONNECTING)
		request();
	else if (state == CONNECTED)
		connection();
	else if (state == MCAST)
		membership();
	if (state == CONNECTING) {
		u.id = u.active;
		u.owner = u.peer;
	}
}

#endif /* CMA_STATES_H */
