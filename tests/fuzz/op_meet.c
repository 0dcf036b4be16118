// SPDX-License-Identifier: GPL-2.0
/*
 * Connections by rdma_cm that come about: between two ids of one file and, with iWARP, with a
 * peer out of TCP. What is left of them other operations use.
 */
#include "cma_raw.h"

#include "choice.h"
#include "meet.h"
#include "op.h"
#include "pass.h"

#define EVENTS	10

static char response[4096] __attribute__((aligned(8)));
static uint16_t space = RDMA_PS_TCP;

static int say(int fd, uint32_t number, uint32_t id, const char *ip)
{
	struct cma_world w = {
		.local = ip, .group = "239.1.2.3", .port = 7000, .from = fd, .response = response,
	};
	struct cma_packet p;
	int ret;

	cma_build(&p, cma_find(number), &w, id);
	if (number == CMA(CREATE_ID))
		p.create_id.ps = space;
	if (number == CMA(BIND))
		cma_ip(&p.bind.addr, ip, 7000);
	if (number == CMA(CONNECT))
		p.connect.conn_param.qp_num = uverbs_new_qp();
	if (number == CMA(ACCEPT))
		p.accept.conn_param.qp_num = uverbs_new_qp();
	if (!choice(40))
		p.body[choice(cma_find(number)->size)] = choice(256);
	ret = cma_send(fd, &p);
	feature(F_MEET + number % 32, ret);
	return ret;
}

static uint32_t new_id(int fd)
{
	uint32_t id = ~0u;

	if (!say(fd, CMA(CREATE_ID), 0, "10.0.0.1"))
		memcpy(&id, response, sizeof(id));
	return id;
}

static void listen_here(int fd)
{
	uint32_t id = new_id(fd);

	if (!say(fd, CMA(BIND), id, "10.0.0.1"))
		say(fd, CMA(LISTEN), id, "10.0.0.1");
}

/* Return: whether a connection has come about. */
static bool go_on(int fd, const struct rdma_ucm_event_resp *event, bool peer_takes)
{
	switch (event->event) {
	case EV_ADDR_RESOLVED:
		say(fd, CMA(RESOLVE_ROUTE), event->id, NULL);
		break;
	case EV_ROUTE_RESOLVED:
		say(fd, CMA(CONNECT), event->id, NULL);
		if (peer_takes)
			iwarp_take();
		break;
	case EV_CONNECT_REQUEST:
		say(fd, CMA(ACCEPT), event->id, NULL);
		break;
	case EV_CONNECT_RESPONSE:
		say(fd, CMA(ACCEPT), event->id, NULL);
		break;
	case EV_ESTABLISHED:
		return true;
	}
	return false;
}

static void op_meet(void)
{
	enum { HERE, CALLED, CALLS } way = strcmp(world.driver, "iwarp") ? HERE : choice(3);
	struct rdma_ucm_event_resp event;
	uint32_t left = way == HERE ? 2 : 1;
	int fd = ucma_file();
	struct pollfd ready = { fd, POLLIN, 0 };

	if (way != CALLS)
		listen_here(fd);
	if (way == CALLED)
		iwarp_call();
	else
		say(fd, CMA(RESOLVE_IP), new_id(fd), way == HERE ? "10.0.0.1" : "10.0.0.3");
	for (int n = 0; left && n < EVENTS && poll(&ready, 1, 50) == 1; n++) {
		if (say(fd, CMA(GET_EVENT), 0, NULL))
			break;
		memcpy(&event, response, sizeof(event));
		feature(F_MEET + 32 + event.event, way);
		ucma_keep(event.id);
		left -= go_on(fd, &event, way == CALLS);
	}
	feature(F_MEET + 60 + way, left);
}

/* A group of a datagram's id, which it leaves or takes along. */
static void op_join(void)
{
	int fd = ucma_file();
	struct pollfd ready = { fd, POLLIN, 0 };
	uint32_t id, group = ~0u;

	space = choice(4) ? RDMA_PS_UDP : RDMA_PS_IPOIB;
	id = new_id(fd);
	space = RDMA_PS_TCP;
	ucma_keep(id);
	say(fd, CMA(BIND_IP), id, "10.0.0.1");
	for (uint32_t n = 1 + choice(2); n; n--)
		if (!say(fd, choice(2) ? CMA(JOIN_MCAST) : CMA(JOIN_IP_MCAST), id, "10.0.0.1"))
			memcpy(&group, response, sizeof(group));
	for (int n = 0; n < 3 && poll(&ready, 1, 20) == 1; n++)
		say(fd, CMA(GET_EVENT), 0, NULL);
	if (choice(3))
		say(fd, CMA(LEAVE_MCAST), group, NULL);
	if (!choice(3))
		say(fd, CMA(DESTROY_ID), id, NULL);
}

const struct op meet_ops[] = {
	{ "meet.connect", op_meet, 8, 0 },
	{ "meet.join", op_join, 3, 0 },
	{ 0 }
};
