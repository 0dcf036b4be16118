/* SPDX-License-Identifier: GPL-2.0 */
/* XRC and RC by hand: rings of struct rxe_queue_buf, and the objects that have them. */
#ifndef XRC_RAW_H
#define XRC_RAW_H

#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_user_rxe.h>

#include "raw_command.h"

#define NEED(x) do { if (!(x)) { perror(#x); exit(2); } } while (0)
#define DO(x)								\
	do {								\
		int _ret = (x);						\
									\
		if (_ret) {						\
			fprintf(stderr, "%s: %s\n", #x, strerror(-_ret)); \
			exit(2);					\
		}							\
	} while (0)
#define AREA (64 << 10)
#define PSN 0xfffff0
#define ALL_RIGHTS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
		    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

static struct rv_device device;
static uint8_t gid[16];
static int gid_index;
/* Of the queue pairs that are connected from now on. */
static int qp_rights = ALL_RIGHTS;

/* ---- rings --------------------------------------------------------------- */

static struct rxe_queue_buf *map_ring(int fd, const struct mminfo *info)
{
	void *ring = mmap(NULL, info->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, info->offset);

	NEED(ring != MAP_FAILED);
	return ring;
}

static void *slot_at(struct rxe_queue_buf *q, uint32_t index)
{
	return q->data + ((size_t)(index & q->index_mask) << q->log2_elem_size);
}

static void *free_slot(struct rxe_queue_buf *q)
{
	uint32_t next = (q->producer_index + 1) & q->index_mask;

	NEED(next != __atomic_load_n(&q->consumer_index, __ATOMIC_ACQUIRE));
	return slot_at(q, q->producer_index);
}

static void produce(struct rxe_queue_buf *q)
{
	__atomic_store_n(&q->producer_index, (q->producer_index + 1) & q->index_mask,
			 __ATOMIC_RELEASE);
}

static bool poll_ring(struct rxe_queue_buf *q, struct ib_uverbs_wc *wc)
{
	if (__atomic_load_n(&q->producer_index, __ATOMIC_ACQUIRE) == q->consumer_index)
		return false;
	memcpy(wc, slot_at(q, q->consumer_index), sizeof(*wc));
	__atomic_store_n(&q->consumer_index, (q->consumer_index + 1) & q->index_mask,
			 __ATOMIC_RELEASE);
	return true;
}

static void doze(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
}

/* Status of the next completion; -1: none within ten seconds. */
static int wait_ring(struct rxe_queue_buf *q, struct ib_uverbs_wc *wc)
{
	for (int left = 50000; left; left--) {
		if (poll_ring(q, wc))
			return wc->status;
		doze();
	}
	return -1;
}

/* ---- objects ------------------------------------------------------------- */

struct host {
	int fd, async_fd;
	uint32_t pd[2];
	uint32_t xrcd;
};

struct queue {			/* a CQ */
	uint32_t handle;
	struct rxe_queue_buf *ring;
};

struct shared {			/* an SRQ with a CQ of its own, and memory to receive into */
	uint32_t handle, number;
	struct rxe_queue_buf *ring;
	struct queue cq;
	uint8_t *area;
	uint32_t lkey;
};

struct region {
	uint32_t handle, lkey, rkey;
};

struct pair {			/* one end */
	uint32_t handle, number;
	struct rxe_queue_buf *sq;
};

static void open_host(struct host *h, int pds)
{
	struct ib_uverbs_get_context cmd = {};
	struct ib_uverbs_get_context_resp resp = {};

	NEED((h->fd = open(device.node, O_RDWR | O_CLOEXEC)) >= 0);
	DO(RV(h->fd, GET_CONTEXT, cmd, resp));
	h->async_fd = resp.async_fd;
	NEED(!fcntl(h->async_fd, F_SETFL, O_NONBLOCK));
	for (int i = 0; i < pds; i++) {
		struct ib_uverbs_alloc_pd pd = {};
		struct ib_uverbs_alloc_pd_resp answer = {};

		DO(RV(h->fd, ALLOC_PD, pd, answer));
		h->pd[i] = answer.pd_handle;
	}
}

static inline uint32_t open_domain(struct host *h, int file, int flags)
{
	struct ib_uverbs_open_xrcd cmd = { .fd = file, .oflags = flags };
	struct ib_uverbs_open_xrcd_resp resp = {};

	DO(RV(h->fd, OPEN_XRCD, cmd, resp));
	return resp.xrcd_handle;
}

static struct queue make_cq(struct host *h, uint32_t cqe)
{
	struct ib_uverbs_create_cq cmd = { .cqe = cqe, .comp_channel = -1 };
	struct {
		struct ib_uverbs_create_cq_resp base;
		struct rxe_create_cq_resp driver;
	} resp = {};

	DO(RV(h->fd, CREATE_CQ, cmd, resp));
	return (struct queue){ resp.base.cq_handle, map_ring(h->fd, &resp.driver.mi) };
}

static int register_mr(struct host *h, uint32_t pd, void *at, int rights, struct region *mr)
{
	struct ib_uverbs_reg_mr cmd = {
		.start = (uintptr_t)at, .length = AREA, .hca_va = (uintptr_t)at,
		.pd_handle = pd, .access_flags = rights,
	};
	struct ib_uverbs_reg_mr_resp resp = {};
	int ret = RV(h->fd, REG_MR, cmd, resp);

	*mr = (struct region){ resp.mr_handle, resp.lkey, resp.rkey };
	return ret;
}

static struct region make_mr(struct host *h, uint32_t pd, void *at)
{
	struct region mr;

	DO(register_mr(h, pd, at, ALL_RIGHTS, &mr));
	return mr;
}

static inline int rereg(struct host *h, struct region *mr, int flags, void *at, uint64_t va,
		 int rights, uint32_t pd)
{
	struct ib_uverbs_rereg_mr cmd = {
		.mr_handle = mr->handle, .flags = flags, .start = (uintptr_t)at,
		.length = AREA, .hca_va = va, .pd_handle = pd, .access_flags = rights,
	};
	struct ib_uverbs_rereg_mr_resp resp = {};
	int ret = RV(h->fd, REREG_MR, cmd, resp);

	if (!ret) {
		mr->lkey = resp.lkey;
		mr->rkey = resp.rkey;
	}
	return ret;
}

static uint8_t *new_area(void)
{
	uint8_t *area = mmap(NULL, AREA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(area != MAP_FAILED);
	return area;
}

static inline struct shared make_srq(struct host *h, uint32_t pd, int type, uint32_t xrcd, uint32_t cqe)
{
	struct shared s = { .cq = make_cq(h, cqe), .area = new_area() };
	struct ib_uverbs_create_xsrq cmd = {
		.srq_type = type, .pd_handle = pd, .max_wr = 15, .max_sge = 2,
		.xrcd_handle = xrcd, .cq_handle = s.cq.handle,
	};
	struct {
		struct ib_uverbs_create_srq_resp base;
		struct rxe_create_srq_resp driver;
	} resp = {};

	DO(RV(h->fd, CREATE_XSRQ, cmd, resp));
	s.handle = resp.base.srq_handle;
	s.number = type == IBV_SRQT_XRC ? resp.base.srqn : resp.driver.srq_num;
	s.ring = map_ring(h->fd, &resp.driver.mi);
	s.lkey = make_mr(h, pd, s.area).lkey;
	return s;
}

static struct pair make_qp(struct host *h, int type, uint32_t domain, uint32_t cq)
{
	struct ib_uverbs_create_qp cmd = {
		.pd_handle = domain, .send_cq_handle = cq, .recv_cq_handle = cq,
		.max_send_wr = 15, .max_send_sge = 2, .sq_sig_all = 1, .qp_type = type,
	};
	struct {
		struct ib_uverbs_create_qp_resp base;
		struct rxe_create_qp_resp driver;
	} resp = {};
	struct pair p = {};

	DO(RV(h->fd, CREATE_QP, cmd, resp));
	p.handle = resp.base.qp_handle;
	p.number = resp.base.qpn;
	if (type != RV_XRC_TGT)
		p.sq = map_ring(h->fd, &resp.driver.sq_mi);
	return p;
}

static void doorbell(struct host *h, const struct pair *p)
{
	/* As librxe rings it: no requests in it, and the size of its own struct. */
	struct ib_uverbs_post_send cmd = { .qp_handle = p->handle, .wqe_size = 128 };
	struct ib_uverbs_post_send_resp resp = {};

	DO(RV(h->fd, POST_SEND, cmd, resp));
}

static void destroy_qp(struct host *h, struct pair *p)
{
	struct ib_uverbs_destroy_qp cmd = { .qp_handle = p->handle };
	struct ib_uverbs_destroy_qp_resp resp = {};

	if (p->handle || p->number)
		DO(RV(h->fd, DESTROY_QP, cmd, resp));
	*p = (struct pair){};
}

static void connect_qp(struct host *h, struct pair *p, int type, uint32_t peer, const uint8_t *to)
{
	struct ib_uverbs_modify_qp cmd = {
		.qp_handle = p->handle, .attr_mask = RV_STATE | RV_PKEY | RV_PORT | RV_ACCESS,
		.qp_state = RV_INIT, .port_num = 1, .qp_access_flags = qp_rights,
		.path_mtu = IBV_MTU_1024, .dest_qp_num = peer, .rq_psn = PSN, .sq_psn = PSN,
		.max_rd_atomic = 4, .max_dest_rd_atomic = 4, .min_rnr_timer = 1,
		.timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
		.dest = { .is_global = 1, .sgid_index = gid_index, .hop_limit = 64, .port_num = 1 },
	};

	memcpy(cmd.dest.dgid, to, 16);
	DO(RV_QUIET(h->fd, MODIFY_QP, cmd));
	cmd.qp_state = RV_RTR;
	cmd.attr_mask = RV_STATE | RV_AV | RV_MTU | RV_DEST_QPN | RV_RQ_PSN;
	if (type != RV_XRC_INI)
		cmd.attr_mask |= RV_DEST_RD_ATOMIC | RV_MIN_RNR;
	DO(RV_QUIET(h->fd, MODIFY_QP, cmd));
	if (type == RV_XRC_TGT)
		return;
	cmd.qp_state = RV_RTS;
	cmd.attr_mask = RV_STATE | RV_TIMEOUT | RV_RETRY | RV_RNR | RV_SQ_PSN | RV_RD_ATOMIC;
	DO(RV_QUIET(h->fd, MODIFY_QP, cmd));
}

/* The device, and its address by @gid_index. */
static void choose_device(const char *name)
{
	char path[128], text[64];

	DO(rv_find(name, &device));
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gids/%d", name, gid_index);
	NEED(rv_read_file(path, text, sizeof(text)));
	rv_parse_gid(text, gid);
}

#endif
