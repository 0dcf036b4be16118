/* SPDX-License-Identifier: GPL-2.0 */
/* Completion queues. */
#ifndef OFED_SOFT_CQ_H
#define OFED_SOFT_CQ_H

#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <rdma/ib_verbs.h>

#include "notify.h"
#include "ring.h"

/* Room that librxe steps over, however much of it is a struct ib_uverbs_wc. */
#define SOFT_USER_CQE_BYTES 64
/* Of an element with struct ofed_cqe_tm. */
#define SOFT_USER_TM_CQE_BYTES 128

/**
 * struct soft_cq - completion queue
 * @cq: of the core
 * @ring: struct ib_uverbs_wc for user space, struct ib_wc for the kernel
 * @lock: guards the rest; no consumer is called with it
 * @armed: 0, or what the consumer waits for (enum ib_cq_notify_flags)
 * @resizing: one resize at a time
 * @overrun: a completion was lost: IB_EVENT_CQ_ERR was sent
 * @timed: completions for user space have struct ofed_cqe_time
 * @tm: they have struct ofed_cqe_tm
 * @most: (lock) completions that the consumer is told of at once, 0: of each
 * @held: (lock) of these, how many there are
 * @patience: (lock) microseconds that the first of them waits for the others
 * @late: it has
 * @notify: (lock) calls of the consumer
 */
struct soft_cq {
	struct ib_cq cq;
	struct soft_ring ring;
	spinlock_t lock;
	struct mutex resizing;
	u8 armed;
	bool overrun;
	bool timed;
	bool tm;
	u16 most;
	u16 held;
	u16 patience;
	struct hrtimer late;
	struct soft_notify notify;
};

static inline struct soft_cq *to_soft_cq(struct ib_cq *cq)
{
	return container_of(cq, struct soft_cq, cq);
}

/* What becomes of a completion. */
enum soft_cq_put {
	SOFT_CQ_ADDED,
	SOFT_CQ_LOST,		/* the CQ is in error */
	SOFT_CQ_FULL,		/* a program's: there is room when it has polled */
};

/**
 * struct soft_tm_wc - what a completion of tag matching has in addition
 * @tag: of the message
 * @app_ctx: word of the sending application
 * @flags: SOFT_WC_TM_*
 */
struct soft_tm_wc {
	u64 tag;
	u32 app_ctx;
	u32 flags;
};

/*
 * IBV_WC_TM_* of <infiniband/verbs.h>; the kernel has no such flags, opcodes and statuses.
 * The opcodes of operations come one after the other, from SOFT_WC_TM_ADD on, as those of
 * enum ofed_tm_opcode.
 */
#define SOFT_WC_TM_SYNC_REQ	BIT(4)
#define SOFT_WC_TM_MATCH	BIT(5)
#define SOFT_WC_TM_DATA_VALID	BIT(6)

#define SOFT_WC_TM_ADD		((enum ib_wc_opcode)(IB_WC_RECV_RDMA_WITH_IMM + 1))
#define SOFT_WC_TM_RECV		((enum ib_wc_opcode)(SOFT_WC_TM_ADD + 3))
#define SOFT_WC_TM_NO_TAG	((enum ib_wc_opcode)(SOFT_WC_TM_ADD + 4))

#define SOFT_WC_TM_ERR		((enum ib_wc_status)(IB_WC_GENERAL_ERR + 1))
#define SOFT_WC_TM_RNDV_INCOMPLETE	((enum ib_wc_status)(IB_WC_GENERAL_ERR + 2))

bool soft_cq_post(struct soft_cq *cq, const struct ib_wc *wc, bool solicited);
bool soft_cq_post_tm(struct soft_cq *cq, const struct ib_wc *wc, const struct soft_tm_wc *tm,
		     bool solicited);
enum soft_cq_put soft_cq_post_wqe(struct soft_cq *cq, const struct ib_wc *wc,
				  bool solicited, struct soft_ring *sq);
bool soft_cq_notify_inline(const struct ib_wc *wc);
/* Had the consumer taken all a moment ago? Any context. */
bool soft_cq_is_empty(struct soft_cq *cq);
void soft_cq_clean_qp(struct soft_cq *cq, const struct ib_qp *qp);

/* the verbs */
int soft_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		   struct compat_op_attrs *attrs);
int soft_pre_destroy_cq(struct ib_cq *ibcq);
int soft_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int soft_resize_cq(struct ib_cq *ibcq, compat_cqe cqe, struct ib_udata *udata);
int soft_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc);
int soft_peek_cq(struct ib_cq *ibcq, int wanted);
int soft_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);

/* for cq_moderation.c, and that for cq.c */
bool soft_cq_notify(struct soft_cq *cq, bool now);
void soft_cq_moderation_init(struct soft_cq *cq);
bool soft_cq_moderate(struct soft_cq *cq);
int soft_modify_cq(struct ib_cq *ibcq, u16 count, u16 period);

#endif /* OFED_SOFT_CQ_H */
