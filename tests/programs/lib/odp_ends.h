/* SPDX-License-Identifier: GPL-2.0 */
/* Two queue pairs of one device, and memory on demand that they reach: for odp_traffic. */
#ifndef ODP_ENDS_H
#define ODP_ENDS_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <infiniband/verbs.h>

#define PAGE	4096UL
#define BYTES	(64 * PAGE)
#define RIGHTS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
		 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define NEED(x)								\
	do {								\
		if (!(x)) {						\
			fprintf(stderr, "%s: %s\n", #x, strerror(errno)); \
			exit(3);					\
		}							\
	} while (0)

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *ends[2];
static enum ibv_qp_type type = IBV_QPT_RC;
static int gid_index;
static union ibv_gid gid;

/* A range of memory and its region; the keys of an implicit one are good for both. */
struct mem {
	unsigned char *at;
	struct ibv_mr *mr;
};

static struct mem from, to;

/* ---- objects ------------------------------------------------------------------------ */

static struct ibv_qp *make_qp(void)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = type, .sq_sig_all = 1,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16,
			 .max_send_sge = 2, .max_recv_sge = 2 },
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1,
				    .qp_access_flags = RIGHTS };
	struct ibv_qp *qp = ibv_create_qp(pd, &init);
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	NEED(qp);
	attr.qkey = 0x11111111;
	mask |= type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	if (type == IBV_QPT_UC)
		attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
	NEED(!ibv_modify_qp(qp, &attr, mask));
	return qp;
}

static struct ibv_ah_attr way(void)
{
	return (struct ibv_ah_attr) {
		.is_global = 1, .port_num = 1,
		.grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 4 },
	};
}

static void connect_qp(struct ibv_qp *qp, uint32_t dest)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = dest,
		.max_dest_rd_atomic = 4, .min_rnr_timer = 1, .ah_attr = way(),
		.timeout = 14, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 4,
	};
	int rtr = IBV_QP_STATE, rts = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (type != IBV_QPT_UD)
		rtr |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (type == IBV_QPT_RC) {
		rtr |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
		rts |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
		       IBV_QP_MAX_QP_RD_ATOMIC;
	}
	NEED(!ibv_modify_qp(qp, &attr, rtr));
	attr.qp_state = IBV_QPS_RTS;
	NEED(!ibv_modify_qp(qp, &attr, rts));
}

static void reconnect(enum ibv_qp_type new_type)
{
	struct ibv_wc wc;
	int i;

	for (i = 0; i < 2; i++)
		if (ends[i])
			NEED(!ibv_destroy_qp(ends[i]));
	while (ibv_poll_cq(cq, 1, &wc) > 0)
		;
	type = new_type;
	for (i = 0; i < 2; i++)
		ends[i] = make_qp();
	for (i = 0; i < 2; i++)
		connect_qp(ends[i], ends[!i]->qp_num);
}

static unsigned char *map(int flags)
{
	int fd = -1;
	void *at;

	if (flags & MAP_SHARED) {
		fd = memfd_create("odp", 0);
		NEED(fd >= 0 && !ftruncate(fd, BYTES));
	} else {
		flags |= MAP_ANONYMOUS;
	}
	at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, flags, fd, 0);
	NEED(at != MAP_FAILED);
	if (fd >= 0)
		close(fd);
	return at;
}

static struct mem new_mem(int flags)
{
	struct mem m = { .at = map(flags) };

	m.mr = ibv_reg_mr(pd, m.at, BYTES, RIGHTS | IBV_ACCESS_ON_DEMAND);
	NEED(m.mr);
	return m;
}

static void drop(struct mem *m)
{
	NEED(!ibv_dereg_mr(m->mr));
	munmap(m->at, BYTES);
}

static void renew(int flags)
{
	if (from.mr)
		drop(&from);
	if (to.mr)
		drop(&to);
	from = new_mem(flags);
	to = new_mem(flags);
}

static void gone(struct mem *m)
{
	NEED(!madvise(m->at, BYTES, MADV_DONTNEED));
}

/* ---- messages ----------------------------------------------------------------------- */

static int wait_wc(struct ibv_wc *wc)
{
	int n, tries = 0;

	while (!(n = ibv_poll_cq(cq, 1, wc)))
		if (++tries > 200000)
			return -1;
		else if (tries > 1000)
			usleep(100);
	NEED(n == 1);
	return wc->status;
}

/* @length bytes at @offset of @from, to or from the same place of @to. Its status, or -1. */
static int request(enum ibv_wr_opcode opcode, uint32_t offset, uint32_t length)
{
	struct ibv_sge sge = { (uintptr_t)from.at + offset, length, from.mr->lkey };
	struct ibv_send_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = opcode };
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	wr.wr.rdma.remote_addr = (uintptr_t)to.at + offset;
	wr.wr.rdma.rkey = to.mr->rkey;
	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = (uintptr_t)to.at + offset;
		wr.wr.atomic.rkey = to.mr->rkey;
		wr.wr.atomic.compare_add = 5;
	}
	NEED(!ibv_post_send(ends[0], &wr, &bad));
	return wait_wc(&wc);
}

static void receive(uint32_t offset, uint32_t length)
{
	struct ibv_sge sge = { (uintptr_t)to.at + offset, length, to.mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = 2, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	NEED(!ibv_post_recv(ends[1], &wr, &bad));
}

/* Statuses of both completions in one number: that of the send, and 100 times the other. */
static int send_one(uint32_t offset, uint32_t length)
{
	struct ibv_sge sge = { (uintptr_t)from.at + offset, length, from.mr->lkey };
	struct ibv_send_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1,
				  .opcode = IBV_WR_SEND };
	struct ibv_send_wr *bad;
	int i, status = 0;
	struct ibv_wc wc;

	receive(offset, length);
	NEED(!ibv_post_send(ends[0], &wr, &bad));
	for (i = 0; i < 2; i++) {
		int one = wait_wc(&wc);

		if (one < 0)
			return -1;
		status += wc.wr_id == 2 ? 100 * one : one;
	}
	return status;
}

static void fill(unsigned char *at, uint32_t length, uint32_t seed)
{
	uint32_t i;

	for (i = 0; i < length; i++) {
		seed = seed * 1664525 + 1013904223;
		at[i] = seed >> 24;
	}
}

static int same(uint32_t offset, uint32_t length)
{
	return !memcmp(from.at + offset, to.at + offset, length);
}

/* No completion tells that an unreliable WRITE has arrived. */
static int arrives(uint32_t offset, uint32_t length)
{
	int tries = 0;

	while (!same(offset, length))
		if (++tries > 1000)
			return 0;
		else
			usleep(5000);
	return 1;
}

static int zeros(const unsigned char *at, uint32_t length)
{
	while (length--)
		if (*at++)
			return 0;
	return 1;
}

#endif /* ODP_ENDS_H */
