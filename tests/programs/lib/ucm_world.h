/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two ports of this host, each with ucmN of its device, and what passes between them. Queue pairs
 * are numbers: the CM does not ask whether they are there. It takes a number that has a connection
 * for a peer that was born again, so that each is used once.
 */
#ifndef UCM_WORLD_H
#define UCM_WORLD_H

#include <poll.h>
#include <sys/mman.h>

#include "../../examples/ibcm/ibcm.h"
#include "verdict.h"

#define PAGE 4096
/* Longer than all retries of a message; a debug kernel is slow. */
#define SECONDS 60

struct end {
	const char *device;
	struct ibv_context *verbs;
	int gid_index;
	union ibv_gid gid;
	uint16_t lid;
	int fd;
};

static struct end here, there;
/* Of the last request, and of the last reply. */
static uint32_t asking_qpn = 0x100, replying_qpn = 0x80100;
/* Two pages, the second of which cannot be touched; one that can only be read. */
static char *edge, *read_only;

static inline void end_init(struct end *e, char **word)
{
	struct ibv_port_attr port;

	e->device = word[0];
	e->gid_index = atoi(word[1]);
	TRY(e->verbs = ibcm_verbs(e->device));
	TRY(!ibv_query_port(e->verbs, 1, &port));
	TRY(!ibv_query_gid(e->verbs, 1, e->gid_index, &e->gid));
	e->lid = port.lid;
	TRY((e->fd = ibcm_open(e->device, 0)) >= 0);
}

/* Of the words of a program: DEVICE GID-INDEX PEER GID-INDEX. */
static inline bool world_init(int argc, char **argv)
{
	if (argc < 5) {
		fprintf(stderr, "usage: %s DEVICE GID-INDEX PEER GID-INDEX [WORD...]\n", argv[0]);
		return false;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	end_init(&here, argv + 1);
	end_init(&there, argv + 3);
	edge = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(edge + PAGE, PAGE, PROT_NONE);
	read_only = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return true;
}

static inline struct ib_user_path_rec path_to(const struct end *from, const struct end *to)
{
	return ibcm_path(from->verbs, from->gid_index, &to->gid, to->lid);
}

/* The next event, which is of @type; its errno else. */
static inline int next_event(int fd, uint32_t type, struct ibcm_event *event)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int err;

	memset(event, 0, sizeof(*event));
	if (poll(&p, 1, SECONDS * 1000) != 1)
		return ETIMEDOUT;
	err = ibcm_event(fd, event);
	if (!err && event->resp.event != type)
		printf("     event %u, not %u\n", event->resp.event, type);
	return err ?: event->resp.event == type ? 0 : EPROTO;
}

static inline bool is_silent(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return !poll(&p, 1, 0);
}

static inline int request(uint32_t id, uint64_t service, struct ib_user_path_rec *path,
			  const void *data, uint8_t len)
{
	struct ib_ucm_req req = {
		.id = id, .qpn = ++asking_qpn, .qp_type = IBV_QPT_RC, .psn = 0x1111, .sid = htobe64(service),
		.data = (uintptr_t)data, .len = len, .primary_path = (uintptr_t)path,
		.responder_resources = 3, .initiator_depth = 4, .flow_control = 1,
		.remote_cm_response_timeout = 18, .local_cm_response_timeout = 18,
		.retry_count = 6, .rnr_retry_count = 5, .max_cm_retries = 7,
	};

	return IBCM(here.fd, SEND_REQ, req, 0);
}

static inline int reply(uint32_t id, uint64_t uid, const void *data, uint8_t len)
{
	struct ib_ucm_rep rep = {
		.uid = uid, .id = id, .qpn = ++replying_qpn, .psn = 0x2222, .data = (uintptr_t)data,
		.len = len, .responder_resources = 4, .initiator_depth = 3, .flow_control = 1,
		.rnr_retry_count = 2,
	};

	return IBCM(there.fd, SEND_REP, rep, 0);
}

/* ---- a connection ----------------------------------------------------------------- */

struct pair {
	uint32_t listener, active, passive;
};

/* Both ends are connected, and have read of it. Their events call them 1 and 2, the listener 3. */
static inline bool connect_pair(struct pair *p, uint64_t service)
{
	struct ib_user_path_rec path = path_to(&here, &there);
	struct ibcm_event event;

	if (ibcm_create(there.fd, 3, &p->listener) || ibcm_listen(there.fd, p->listener, service) ||
	    ibcm_create(here.fd, 1, &p->active) || request(p->active, service, &path, NULL, 0) ||
	    next_event(there.fd, IBCM_REQ_RECEIVED, &event))
		return false;
	p->passive = event.resp.id;
	return !reply(p->passive, 2, NULL, 0) && !next_event(here.fd, IBCM_REP_RECEIVED, &event) &&
	       !ibcm_private(here.fd, IB_USER_CM_CMD_SEND_RTU, p->active, NULL, 0) &&
	       !next_event(there.fd, IBCM_RTU_RECEIVED, &event);
}

static inline bool destroy_pair(const struct pair *p)
{
	return !ibcm_destroy(here.fd, p->active, NULL) & !ibcm_destroy(there.fd, p->passive, NULL) &
	       !ibcm_destroy(there.fd, p->listener, NULL);
}

#endif /* UCM_WORLD_H */
