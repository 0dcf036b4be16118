/* SPDX-License-Identifier: GPL-2.0 */
/* Queue pairs. */
#ifndef OFED_IW_QP_H
#define OFED_IW_QP_H

#include <linux/completion.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "dev.h"
#include "rq.h"
#include "rx.h"
#include "sq.h"
#include "term.h"
#include "tx.h"

struct iw_conn;

/* RFC 5040 and the verbs of the RDMA consortium, 6.2 */
enum iw_qp_state {
	IW_IDLE,
	IW_RTS,
	IW_CLOSING,
	IW_TERMINATE,
	IW_ERROR,
	IW_QP_STATES,
};

/**
 * struct iw_qp - queue pair
 * @ib: the core's part
 * @refs: 1 of the verbs object, 1 of the connection, 1 of each reference that the
 *	  iWARP CM holds
 * @handed: references of get_qp() that add_ref() has not taken over yet
 * @released: completed when the last of @refs is dropped
 * @lock: guards @sq, @rq, @asks, and the members marked (lock)
 * @state: (lock) state of the protocol
 * @ib_state: (lock) state that the consumer has set while @state is IW_IDLE
 * @access: (lock) IB_ACCESS_REMOTE_* that a peer needs besides the key; 0: the key alone
 *	    decides
 * @conn: (lock) its connection, referenced
 * @barred: (lock) no connection may be linked any more
 * @sig_all: all WQEs are signaled
 * @sq: send queue
 * @rq: receive queue; not used with @srq
 * @srq: shared receive queue, or NULL
 * @asks: inbound READs and atomics (IRRQ)
 * @term: (lock) first error of the stream, the contents of the Terminate
 * @has_term: (lock) @term is valid
 * @events: pending events, BIT(enum ib_event_type)
 * @event_work: reports @events to the consumer
 * @tx: send side of the stream
 * @rx: receive side of the stream; the socket's lock
 */
struct iw_qp {
	struct ib_qp ib;
	refcount_t refs;
	atomic_t handed;
	struct completion released;
	spinlock_t lock;
	enum iw_qp_state state;
	enum ib_qp_state ib_state;
	int access;
	struct iw_conn *conn;
	bool barred;
	bool sig_all;
	struct iw_sq sq;
	struct iw_rq rq;
	struct iw_srq *srq;
	struct iw_irrq asks;
	struct iw_term_msg term;
	bool has_term;
	unsigned long events;
	struct work_struct event_work;
	struct iw_tx tx;
	struct iw_rx rx;
};

static inline struct iw_qp *to_iw_qp(struct ib_qp *ib)
{
	return container_of(ib, struct iw_qp, ib);
}

static inline struct iw_dev *iw_qp_dev(const struct iw_qp *qp)
{
	return to_iw_dev(qp->ib.device);
}

static inline struct soft_mem *iw_qp_mem(const struct iw_qp *qp)
{
	return &iw_qp_dev(qp)->soft.mem;
}

static inline void iw_qp_get(struct iw_qp *qp)
{
	refcount_inc(&qp->refs);
}

/* Any context. */
static inline void iw_qp_put(struct iw_qp *qp)
{
	if (refcount_dec_and_test(&qp->refs))
		complete(&qp->released);
}

/**
 * iw_tx_control - an FPDU that is there already, to where those of messages go now
 * @qp: queue pair; tx.lock is held
 * @fpdu: from the length on, which is not set
 * @bytes: of @fpdu
 *
 * Context: process, may sleep. Return: 0, -ENOSPC or -ENOMEM.
 */
static inline int iw_tx_control(struct iw_qp *qp, const void *fpdu, u32 bytes)
{
	if (!qp->tx.near)
		return iw_fpdu_control(qp, fpdu, bytes);
	iw_loopback_send_ctrl(qp, fpdu, bytes);
	return 0;
}

/**
 * iw_tx_unlock - release tx.lock, which was taken for another purpose than to send
 * @qp: queue pair; tx.lock is held
 *
 * A poster that found the lock taken has left its WQEs to the holder: a work sends them.
 * Context: process.
 */
static inline void iw_tx_unlock(struct iw_qp *qp)
{
	mutex_unlock(&qp->tx.lock);
	/* Pairs with iw_tx_run() and iw_leave_to_other(), which set the bit first. */
	smp_mb();
	if (test_bit(0, &qp->tx.wanted))
		iw_tx_kick(qp);
}

/*
 * What has come since the last call goes to the counters, once for all that TCP had. With
 * the socket's lock.
 */
static inline void iw_rx_count(struct iw_dev *dev, struct iw_rx *rx)
{
	iw_count_add(dev, IW_STAT_RX_FPDUS, rx->fpdus - rx->counted.fpdus);
	iw_count_add(dev, IW_STAT_RX_BYTES, rx->bytes - rx->counted.bytes);
	iw_count_add(dev, IW_STAT_RX_JOINED, rx->joined - rx->counted.joined);
	rx->counted.fpdus = rx->fpdus;
	rx->counted.bytes = rx->bytes;
	rx->counted.joined = rx->joined;
}

/* qp.c */
extern const struct ib_device_ops iw_qp_ops;

/* qp.c: its connection, referenced, or NULL. Process context. */
struct iw_conn *iw_qp_conn(struct iw_qp *qp);

/* qp_fail.c */
void iw_qp_notify_conn(struct iw_qp *qp);
void iw_qp_fail(struct iw_qp *qp, enum iw_term what,
		const struct iw_term_msg *about);
void iw_qp_llp_closed(struct iw_qp *qp, bool tell);
void iw_qp_events_init(struct iw_qp *qp);
void iw_qp_event(struct iw_qp *qp, enum ib_event_type type);

/* conn_qp.c */
void iw_qp_flush(struct iw_qp *qp);

/* post.c */
int iw_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
		 const struct ib_send_wr **bad);

/* doorbell.c */
void iw_doorbell_user(struct iw_qp *qp);

/* recv.c */
int iw_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr,
		 const struct ib_recv_wr **bad);
int iw_qp_take_recv(struct iw_qp *qp, struct iw_recv *recv);
void iw_recv_done(struct iw_qp *qp, u64 wr_id, u8 status, u32 bytes,
		  u32 *invalidated, bool solicited);
void iw_recv_imm(struct iw_qp *qp, u64 wr_id, u32 bytes, __be32 imm,
		 bool solicited);
void iw_rq_flush(struct iw_qp *qp);

#endif /* OFED_IW_QP_H */
