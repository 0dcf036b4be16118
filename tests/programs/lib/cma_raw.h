/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rdma_cm by hand: commands by write(), a table of them, and ids that are
 * brought to a state with nothing but commands. A connection needs no queue pair
 * here: the CM takes any number for one.
 */
#ifndef CMA_RAW_H
#define CMA_RAW_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <rdma/rdma_user_cm.h>

#include "../../../ucma/request.h"

#define CMA_DEV "/dev/infiniband/rdma_cm"
#define CMA(x) RDMA_USER_CM_CMD_##x
#define CMA_AF_IB 27

/* Numbers of enum rdma_cm_event_type, which is no uapi. */
enum {
	EV_ADDR_RESOLVED = 0, EV_ROUTE_RESOLVED = 2, EV_CONNECT_REQUEST = 4,
	EV_CONNECT_RESPONSE = 5, EV_ESTABLISHED = 9, EV_DEVICE_REMOVAL = 11,
	EV_MULTICAST_JOIN = 12,
};

/*
 * A command: its request, its response, and where in the request lie the id and
 * the address of the response (-1: it has none).
 */
struct cma_command {
	const char *name;
	uint32_t number;
	uint16_t size, out;
	int16_t id, response;
};

#define S(s) sizeof(struct rdma_ucm_##s)
#define AT(s, f) offsetof(struct rdma_ucm_##s, f)

static const struct cma_command cma_commands[] = {
	{ "CREATE_ID", CMA(CREATE_ID), S(create_id), 4,
	  -1, AT(create_id, response) },
	{ "DESTROY_ID", CMA(DESTROY_ID), S(destroy_id), 4,
	  AT(destroy_id, id), 0 },
	{ "BIND_IP", CMA(BIND_IP), S(bind_ip), 0, AT(bind_ip, id), -1 },
	{ "RESOLVE_IP", CMA(RESOLVE_IP), S(resolve_ip), 0,
	  AT(resolve_ip, id), -1 },
	{ "RESOLVE_ROUTE", CMA(RESOLVE_ROUTE), S(resolve_route), 0, 0, -1 },
	{ "QUERY_ROUTE", CMA(QUERY_ROUTE), S(query), S(query_route_resp),
	  AT(query, id), 0 },
	{ "CONNECT", CMA(CONNECT), S(connect), 0, AT(connect, id), -1 },
	{ "LISTEN", CMA(LISTEN), S(listen), 0, 0, -1 },
	{ "ACCEPT", CMA(ACCEPT), S(accept), 0, AT(accept, id), -1 },
	{ "REJECT", CMA(REJECT), S(reject), 0, 0, -1 },
	{ "DISCONNECT", CMA(DISCONNECT), S(disconnect), 0, 0, -1 },
	{ "INIT_QP_ATTR", CMA(INIT_QP_ATTR), S(init_qp_attr),
	  sizeof(struct ib_uverbs_qp_attr), AT(init_qp_attr, id), 0 },
	{ "GET_EVENT", CMA(GET_EVENT), S(get_event), S(event_resp), -1, 0 },
	{ "SET_OPTION", CMA(SET_OPTION), S(set_option), 0,
	  AT(set_option, id), -1 },
	{ "NOTIFY", CMA(NOTIFY), S(notify), 0, 0, -1 },
	{ "JOIN_IP_MCAST", CMA(JOIN_IP_MCAST), S(join_ip_mcast), 4,
	  AT(join_ip_mcast, id), 0 },
	{ "LEAVE_MCAST", CMA(LEAVE_MCAST), S(destroy_id), 4,
	  AT(destroy_id, id), 0 },
	{ "MIGRATE_ID", CMA(MIGRATE_ID), S(migrate_id), 4,
	  AT(migrate_id, id), 0 },
	{ "QUERY", CMA(QUERY), S(query), S(query_addr_resp), AT(query, id), 0 },
	{ "BIND", CMA(BIND), S(bind), 0, 0, -1 },
	{ "RESOLVE_ADDR", CMA(RESOLVE_ADDR), S(resolve_addr), 0, 0, -1 },
	{ "JOIN_MCAST", CMA(JOIN_MCAST), S(join_mcast), 4,
	  AT(join_mcast, id), 0 },
};
#define CMA_COMMANDS (sizeof(cma_commands) / sizeof(cma_commands[0]))

#undef S
#undef AT

static inline const struct cma_command *cma_find(uint32_t number)
{
	size_t i;

	for (i = 0; i < CMA_COMMANDS; i++)
		if (cma_commands[i].number == number)
			return &cma_commands[i];
	abort();
}

/* A command in memory. */
struct cma_packet {
	struct rdma_ucm_cmd_hdr hdr;
	union {
		UCMA_REQUESTS(UCMA_REQUEST)
		uint8_t body[512];
	};
};

static inline size_t cma_length(const struct cma_command *c)
{
	return sizeof(struct rdma_ucm_cmd_hdr) + c->size;
}

/* Return: 0 or the errno. */
static inline int cma_put(int fd, const void *data, size_t length)
{
	ssize_t n = write(fd, data, length);

	if (n < 0)
		return errno;
	return (size_t)n == length ? 0 : EIO;
}

static inline int cma_send(int fd, const struct cma_packet *p)
{
	return cma_put(fd, p, sizeof(p->hdr) + p->hdr.in);
}

static inline void cma_set_id(struct cma_packet *p, const struct cma_command *c,
			      uint32_t id)
{
	if (c->id >= 0)
		memcpy(p->body + c->id, &id, sizeof(id));
}

static inline void cma_set_response(struct cma_packet *p,
				    const struct cma_command *c, uint64_t to)
{
	if (c->response >= 0)
		memcpy(p->body + c->response, &to, sizeof(to));
}

static inline void cma_ip(void *to, const char *text, uint16_t port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
				    .sin_port = htons(port) };

	inet_pton(AF_INET, text, &addr.sin_addr);
	memcpy(to, &addr, sizeof(addr));
}

/*
 * No two alike: a number that the host has heard of from the same host is that of
 * a stale connection, and is refused.
 */
static inline uint32_t cma_qp_num(void)
{
	static uint32_t next;

	return (getpid() * 251 + __atomic_add_fetch(&next, 1, __ATOMIC_RELAXED)) & 0xffffff;
}

static inline void cma_fill_conn(struct rdma_ucm_conn_param *param)
{
	param->valid = 1;
	param->qp_num = cma_qp_num();
	param->responder_resources = 1;
	param->initiator_depth = 1;
	param->retry_count = 7;
	param->rnr_retry_count = 7;
}

/* Where a command's addresses point to, and which files it is about. */
struct cma_world {
	const char *local, *group;
	uint16_t port;		/* of a listener, or 0 */
	int from;		/* file that MIGRATE_ID takes the id from */
	void *response;
	int *option;
};

/* The arguments of commands that name an address. */
static inline void cma_build_addr(struct cma_packet *p, const struct cma_command *c,
				  const struct cma_world *w)
{
	switch (c->number) {
	case CMA(BIND_IP):
		cma_ip(&p->bind_ip.addr, w->local, 0);
		break;
	case CMA(BIND):
		p->bind.addr_size = sizeof(struct sockaddr_in);
		cma_ip(&p->bind.addr, w->local, 0);
		break;
	case CMA(RESOLVE_IP):
		p->resolve_ip.timeout_ms = 2000;
		cma_ip(&p->resolve_ip.dst_addr, w->local, w->port);
		break;
	case CMA(RESOLVE_ADDR):
		p->resolve_addr.timeout_ms = 2000;
		p->resolve_addr.dst_size = sizeof(struct sockaddr_in);
		cma_ip(&p->resolve_addr.dst_addr, w->local, w->port);
		break;
	case CMA(JOIN_IP_MCAST):
		p->join_ip_mcast.uid = 3;
		cma_ip(&p->join_ip_mcast.addr, w->group, 0);
		break;
	case CMA(JOIN_MCAST):
		p->join_mcast.uid = 3;
		p->join_mcast.addr_size = sizeof(struct sockaddr_in);
		cma_ip(&p->join_mcast.addr, w->group, 0);
		break;
	}
}

/* The well-formed command on @id. */
static inline void cma_build(struct cma_packet *p, const struct cma_command *c,
			     const struct cma_world *w, uint32_t id)
{
	memset(p, 0, sizeof(*p));
	p->hdr = (struct rdma_ucm_cmd_hdr){ c->number, c->size, c->out };
	cma_set_id(p, c, id);
	cma_set_response(p, c, (uintptr_t)w->response);
	cma_build_addr(p, c, w);
	switch (c->number) {
	case CMA(CREATE_ID):
		p->create_id.uid = 1;
		p->create_id.ps = RDMA_PS_TCP;
		break;
	case CMA(RESOLVE_ROUTE):
		p->resolve_route.timeout_ms = 2000;
		break;
	case CMA(CONNECT):
		cma_fill_conn(&p->connect.conn_param);
		break;
	case CMA(LISTEN):
		p->listen.backlog = 8;
		break;
	case CMA(ACCEPT):
		p->accept.uid = 2;
		cma_fill_conn(&p->accept.conn_param);
		break;
	case CMA(INIT_QP_ATTR):
		p->init_qp_attr.qp_state = 1;
		break;
	case CMA(SET_OPTION):
		p->set_option.optval = (uintptr_t)w->option;
		p->set_option.optname = RDMA_OPTION_ID_TOS;
		p->set_option.optlen = 1;
		break;
	case CMA(NOTIFY):
		p->notify.event = 4;
		break;
	case CMA(MIGRATE_ID):
		p->migrate_id.fd = w->from;
		break;
	}
}

static inline int cma_issue(int fd, uint32_t number, const struct cma_world *w,
			    uint32_t id)
{
	struct cma_packet p;

	cma_build(&p, cma_find(number), w, id);
	return cma_send(fd, &p);
}

/* Return: 0, or ETIMEDOUT after five seconds without an event. */
static inline int cma_event(int fd, struct rdma_ucm_event_resp *event)
{
	struct cma_world w = { .response = event };
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	memset(event, 0, sizeof(*event));
	if (poll(&ready, 1, 5000) != 1)
		return ETIMEDOUT;
	return cma_issue(fd, CMA(GET_EVENT), &w, 0);
}

#endif /* CMA_RAW_H */
