/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two RC queue pairs, each with a context of its own, on one device or two, and
 * messages between them of which every byte, and every byte around, is compared.
 * What runs beside a test that does its worst.
 */
#ifndef INNOCENT_H
#define INNOCENT_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <infiniband/verbs.h>

#define PAIR_MAX	(12 << 10)	/* of a message */
#define PAIR_GUARD	4096
#define PAIR_AREA	(PAIR_MAX + 2 * PAIR_GUARD)
#define PAIR_SECONDS	120		/* without a completion: it hangs */

/* One generator for all programs: a seed gives the same run again. */
static inline uint32_t rng(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z >> 32;
}

static inline uint32_t below(uint64_t *state, uint32_t n)
{
	return (uint64_t)rng(state) * n >> 32;
}

struct side {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *area;
	union ibv_gid gid;
	int gid_index;
};

/* BROKEN: a status, a refusal, a hang: a device that goes may cause it as well. */
enum pair_result { PAIR_OK, PAIR_WRONG, PAIR_STOPPED, PAIR_BROKEN };

struct pair {
	struct side side[2];
	uint8_t *before;
	uint64_t seed;
	long messages;
	bool (*stop)(void *arg);	/* asked while waiting; may be NULL */
	void *arg;
};

static inline struct ibv_context *open_named(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return ctx;
}

/* ibv_query_gid_ex() wants the interface too, which may be in another namespace. */
static inline int gid_version(struct ibv_context *ctx, int index)
{
	char path[160], type[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gid_attrs/types/%d",
		 ibv_get_device_name(ctx->device), index);
	file = fopen(path, "r");
	/* The entry may be empty: then reading fails. */
	if (file && !fgets(type, sizeof(type), file))
		type[0] = 0;
	if (file)
		fclose(file);
	return !strcmp(type, "RoCE v2\n") ? 2 : !strcmp(type, "IB/RoCE v1\n") ? 1 : 0;
}

static inline void make_gid(const char *address, union ibv_gid *gid)
{
	memset(gid, 0, sizeof(*gid));
	if (strchr(address, ':')) {
		inet_pton(AF_INET6, address, gid->raw);
	} else {
		memset(gid->raw + 10, 0xff, 2);
		inet_pton(AF_INET, address, gid->raw + 12);
	}
}

/* Index of an address, "10.0.0.1" or "fd00::1", for a version of RoCE; or -1. */
static inline int gid_of(struct ibv_context *ctx, const char *address, int version,
			 union ibv_gid *gid)
{
	struct ibv_port_attr port;
	union ibv_gid entry;
	int i;

	make_gid(address, gid);
	if (ibv_query_port(ctx, 1, &port))
		return -1;
	for (i = 0; i < port.gid_tbl_len; i++)
		if (!ibv_query_gid(ctx, 1, i, &entry) && !memcmp(&entry, gid, sizeof(*gid)) &&
		    gid_version(ctx, i) == version)
			return i;
	printf("%s: no GID of %s, version %d\n", ibv_get_device_name(ctx->device),
	       address, version);
	return -1;
}

#define RIGHTS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |	\
		IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

static inline bool side_open(struct side *s, const char *device, const char *address)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	s->ctx = open_named(device);
	if (!s->ctx)
		return false;
	s->gid_index = gid_of(s->ctx, address, 2, &s->gid);
	s->area = mmap(NULL, PAIR_AREA, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	s->pd = ibv_alloc_pd(s->ctx);
	s->channel = ibv_create_comp_channel(s->ctx);
	if (s->gid_index < 0 || s->area == MAP_FAILED || !s->pd || !s->channel)
		return false;
	s->cq = ibv_create_cq(s->ctx, 32, NULL, s->channel, 0);
	s->mr = ibv_reg_mr(s->pd, s->area + PAIR_GUARD, PAIR_MAX, RIGHTS);
	if (!s->cq || !s->mr) {
		printf("%s: no CQ or MR\n", device);
		return false;
	}
	init.send_cq = s->cq;
	init.recv_cq = s->cq;
	s->qp = ibv_create_qp(s->pd, &init);
	return s->qp;
}

/* InfiniBand: of the queue pair's own port, as both ends are there. Else 0. */
static inline uint16_t lid_of(struct ibv_qp *qp)
{
	struct ibv_port_attr port;

	if (ibv_query_port(qp->context, 1, &port) ||
	    port.link_layer != IBV_LINK_LAYER_INFINIBAND)
		return 0;
	return port.lid;
}

/* RESET or new to RTS. @timeout: exponent of the acknowledgement's. */
static inline int qp_ready(struct ibv_qp *qp, int gid_index, const union ibv_gid *dgid,
			   uint32_t dest_qpn, uint32_t rq_psn, uint32_t sq_psn, int timeout)
{
	bool rc = qp->qp_type == IBV_QPT_RC, ud = qp->qp_type == IBV_QPT_UD;
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 0x11111111,
		.qp_access_flags = RIGHTS & ~IBV_ACCESS_LOCAL_WRITE,
	};
	int ret;

	if (!rc && !ud)
		a.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	ret = ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
	if (ret)
		return ret;
	a = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = dest_qpn,
		.rq_psn = rq_psn, .max_dest_rd_atomic = 4, .min_rnr_timer = 1,
		.ah_attr = { .is_global = 1, .port_num = 1, .dlid = lid_of(qp),
			     .grh = { .dgid = *dgid, .sgid_index = gid_index, .hop_limit = 64 } },
	};
	ret = ibv_modify_qp(qp, &a, ud ? IBV_QP_STATE : IBV_QP_STATE | IBV_QP_AV |
			    IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			    (rc ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0));
	if (ret)
		return ret;
	a = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS, .timeout = timeout, .retry_cnt = 7, .rnr_retry = 7,
		.sq_psn = sq_psn, .max_rd_atomic = 4,
	};
	return ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN |
			     (rc ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			      IBV_QP_MAX_QP_RD_ATOMIC : 0));
}

static inline bool pair_open(struct pair *p, const char *device0, const char *address0,
			     const char *device1, const char *address1)
{
	struct side *s = p->side;
	int i;

	p->before = malloc(PAIR_AREA);
	if (!side_open(&s[0], device0, address0) || !side_open(&s[1], device1, address1))
		return false;
	for (i = 0; i < 2; i++) {
		int ret = qp_ready(s[i].qp, s[i].gid_index, &s[!i].gid, s[!i].qp->qp_num,
				   0xffff00, 0xffff00, 17);

		if (ret) {
			printf("queue pair of side %d does not connect\n", i);
			errno = ret;
			return false;
		}
	}
	return true;
}

static inline enum pair_result pair_wait(struct pair *p, struct side *s, const char *what)
{
	time_t end = time(NULL) + PAIR_SECONDS;
	struct ibv_wc wc;
	int n, spins = 0;

	while (!(n = ibv_poll_cq(s->cq, 1, &wc))) {
		if (++spins < 100) {
			sched_yield();
			continue;
		}
		spins = 0;
		if (p->stop && p->stop(p->arg))
			return PAIR_STOPPED;
		if (time(NULL) > end) {
			printf("innocent: %s: no completion\n", what);
			return PAIR_BROKEN;
		}
		usleep(200);
	}
	if (n == 1 && wc.status == IBV_WC_SUCCESS)
		return PAIR_OK;
	if (p->stop && p->stop(p->arg))
		return PAIR_STOPPED;
	printf("innocent: %s: %s\n", what, n == 1 ? ibv_wc_status_str(wc.status) : "poll");
	return PAIR_BROKEN;
}

/* The sum is at @b, and what was there before at @a. */
static inline enum pair_result pair_check_sum(const struct side *a, const struct side *b,
					      uint32_t at, uint64_t old)
{
	const uint64_t sum = old + 1;

	if (memcmp(b->area + at, &sum, 8)) {
		printf("FAIL innocent: FETCH_ADD: wrong sum\n");
		return PAIR_WRONG;
	}
	if (memcmp(a->area + at, &old, 8)) {
		printf("FAIL innocent: FETCH_ADD: wrong value\n");
		return PAIR_WRONG;
	}
	return PAIR_OK;
}

/* What is at @source is at @to, and all around it is as before. */
static inline enum pair_result pair_check(struct pair *p, const struct side *to,
					  const struct side *source, uint32_t at,
					  uint32_t size, const char *what)
{
	if (memcmp(to->area + at, source->area + at, size) ||
	    memcmp(to->area, p->before, at) ||
	    memcmp(to->area + at + size, p->before + at + size, PAIR_AREA - at - size)) {
		printf("FAIL innocent: %s of %u: wrong bytes\n", what, size);
		return PAIR_WRONG;
	}
	p->messages++;
	return PAIR_OK;
}

/* A message of random kind and size; it may take place only where it belongs. */
static inline enum pair_result pair_step(struct pair *p)
{
	static const struct { enum ibv_wr_opcode opcode; const char *name; } kinds[] = {
		{ IBV_WR_SEND, "SEND" }, { IBV_WR_RDMA_WRITE, "WRITE" },
		{ IBV_WR_RDMA_READ, "READ" }, { IBV_WR_ATOMIC_FETCH_AND_ADD, "FETCH_ADD" },
	};
	uint32_t kind = below(&p->seed, 4), size = below(&p->seed, PAIR_MAX - 64) + 1, i;
	uint32_t offset = below(&p->seed, 64) & ~7;
	uint32_t at = PAIR_GUARD + offset;
	int from = below(&p->seed, 2);
	struct side *a = &p->side[from], *b = &p->side[!from];
	bool read = kind >= 2;
	struct side *to = read ? a : b, *source = read ? b : a;
	struct ibv_sge sge = { (uintptr_t)a->area + at, kind == 3 ? (size = 8) : size, a->mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.opcode = kinds[kind].opcode, .sg_list = &sge, .num_sge = 1,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)b->area + at, b->mr->rkey },
	};
	enum pair_result result;
	uint64_t old;

	if (kind == 3)
		wr.wr.atomic = (typeof(wr.wr.atomic)){
			.remote_addr = (uintptr_t)b->area + at, .rkey = b->mr->rkey,
			.compare_add = 1,
		};
	for (i = 0; i < PAIR_AREA; i += 4) {
		*(uint32_t *)(a->area + i) = rng(&p->seed);
		*(uint32_t *)(b->area + i) = rng(&p->seed);
	}
	memcpy(p->before, to->area, PAIR_AREA);
	memcpy(&old, b->area + at, 8);
	if (!kind) {
		struct ibv_sge rsge = { (uintptr_t)b->area + at, size, b->mr->lkey };
		struct ibv_recv_wr *rbad, rwr = { .sg_list = &rsge, .num_sge = 1 };

		if (ibv_post_recv(b->qp, &rwr, &rbad))
			return PAIR_BROKEN;
	}
	errno = ibv_post_send(a->qp, &wr, &bad);
	if (errno) {
		if (p->stop && p->stop(p->arg))
			return PAIR_STOPPED;
		printf("innocent: post: %s\n", strerror(errno));
		return PAIR_BROKEN;
	}
	result = pair_wait(p, a, kinds[kind].name);
	if (!result && !kind)
		result = pair_wait(p, b, "RECV");
	if (result)
		return result;
	result = kind == 3 ? pair_check_sum(a, b, at, old) : PAIR_OK;
	/* What an atomic fetched is not there any more. */
	return result ?: pair_check(p, to, kind == 3 ? to : source, at, size, kinds[kind].name);
}

#endif /* INNOCENT_H */
