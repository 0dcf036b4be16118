// SPDX-License-Identifier: GPL-2.0
/*
 * The send side of a stream: choose the next message, build it and pass it to the
 * socket until that has no room. The write_space callback of the socket continues
 * then; no thread sleeps until there is room.
 */
#include <linux/memcontrol.h>
#include <linux/sched.h>
#include <net/tcp.h>

#include "../soft/mr.h"
#include "conn.h"
#include "qp.h"
#include "tx.h"

/* Bytes that are built before the socket gets them. */
#define BATCH_BYTES (64U << 10)
/* Batches of a call of iw_tx_run(); the work sends the rest. */
#define BATCHES	16

/* Bytes of the current batch, built or passed to a loopback peer. */
static u32 iw_bytes_built(const struct iw_tx *tx)
{
	u32 i, bytes = tx->near ? tx->near_bytes : 0;

	for (i = tx->first; i < tx->num; i++)
		bytes += tx->vec[i].bv_len;
	return bytes;
}

/* ---- which message is next -------------------------------------------------------- */

/* READs and atomics: they have an answer. */
static bool iw_tx_asks(const struct iw_wqe *wqe)
{
	return wqe->opcode == IB_WR_RDMA_READ ||
	       wqe->opcode == IB_WR_RDMA_READ_WITH_INV ||
	       iw_wqe_is_atomic(wqe);
}

/* NULL: nothing was posted, or what was has to wait for answers. */
static struct iw_wqe *iw_next_wqe(struct iw_qp *qp)
{
	struct iw_sq *sq = &qp->sq;
	struct iw_wqe *wqe;

	lockdep_assert_held(&qp->lock);
	if (sq->next == sq->head &&
	    (!sq->ring.map || !iw_sq_take_user(qp)))
		return NULL;
	wqe = iw_wqe_at(sq, sq->next);
	if (wqe->flags & IB_SEND_FENCE && sq->reads)
		return NULL;
	/* With an ORD of 0 there never is an answer to wait for. */
	if (iw_tx_asks(wqe) && sq->ord && sq->reads >= sq->ord)
		return NULL;
	return wqe;
}

/* Requests that are carried out here and now; the others: false. */
static bool iw_tx_local(struct iw_qp *qp, struct iw_wqe *wqe)
{
	enum soft_access_err fault;
	u8 status = IB_WC_SUCCESS;

	if (wqe->opcode == IB_WR_LOCAL_INV) {
		fault = soft_region_invalidate(iw_qp_mem(qp), qp->ib.pd,
					       qp->ib.qp_num, wqe->rkey, false);
		if (fault != SOFT_OK)
			status = IB_WC_LOC_PROT_ERR;
	} else if (wqe->opcode == IB_WR_REG_MR) {
		if (soft_region_register(wqe->mr, qp->ib.pd, wqe->rkey,
					 wqe->access))
			status = IB_WC_MW_BIND_ERR;
	} else {
		return false;
	}
	iw_wqe_done(qp, wqe, status);
	return true;
}

static void iw_begin_answer(struct iw_qp *qp, const struct iw_irrq_entry *ask)
{
	struct iw_tx *tx = &qp->tx;
	enum soft_access_err fault = SOFT_OK;

	tx->kind = IW_TX_ANSWER;
	tx->offset = 0;
	tx->length = ask->size;
	tx->hdr = (struct iw_tx_hdr){
		.rdmap = IW_RDMAP_READ_RESP,
		.tagged = true,
		.stag = ask->sink_stag,
		.to = ask->sink_to,
	};
	if (ask->size)
		fault = soft_iter_remote(&tx->from, iw_qp_mem(qp), qp->ib.pd,
					 qp->ib.qp_num, ask->source_stag,
					 ask->source_to, ask->size,
					 IB_ACCESS_REMOTE_READ);
	else
		soft_iter_bytes(&tx->from, NULL, 0);
	/* It was there when it was asked for. */
	if (fault != SOFT_OK)
		iw_qp_fail(qp, iw_term_of_fault(fault, false), NULL);
}

static u8 iw_rdmap_of(const struct iw_wqe *wqe)
{
	bool solicited = wqe->flags & IB_SEND_SOLICITED;

	if (wqe->opcode == IB_WR_RDMA_WRITE ||
	    wqe->opcode == IB_WR_RDMA_WRITE_WITH_IMM)
		return IW_RDMAP_WRITE;
	if (wqe->opcode == IB_WR_SEND_WITH_INV)
		return solicited ? IW_RDMAP_SEND_SE_INV : IW_RDMAP_SEND_INV;
	return solicited ? IW_RDMAP_SEND_SE : IW_RDMAP_SEND;
}

static void iw_source_of(struct iw_qp *qp, struct iw_wqe *wqe,
			 struct soft_iter *from)
{
	if (wqe->flags & IB_SEND_INLINE)
		soft_iter_bytes(from, wqe->data, wqe->length);
	else
		soft_iter_list(from, iw_qp_mem(qp), qp->ib.pd, wqe->sge,
			       wqe->num_sge, 0);
}

/* RFC 5040 3.2.3: an answer brings nothing but what it was asked for. */
static int iw_tx_ask(struct iw_qp *qp, struct iw_wqe *wqe)
{
	struct iw_tx *tx = &qp->tx;
	struct iw_read_req req = {
		.hdr = {
			.ddp = IW_DDP_VERSION | IW_DDP_LAST,
			.rdmap = IW_RDMAP_VERSION | IW_RDMAP_READ_REQ,
			.qn = cpu_to_be32(IW_QN_READ_REQ),
			.msn = cpu_to_be32(wqe->msn),
		},
		.size = cpu_to_be32(wqe->length),
		.source_stag = cpu_to_be32(wqe->rkey),
		.source_to = cpu_to_be64(wqe->raddr),
	};

	if (wqe->num_sge) {
		req.sink_stag = cpu_to_be32(wqe->sge[0].lkey);
		req.sink_to = cpu_to_be64(wqe->sge[0].addr);
	}
	tx->kind = IW_TX_NONE;
	return iw_tx_control(qp, &req, sizeof(req));
}

/* Begin the message of a WQE that iw_claim_wqe() has returned. */
static int iw_begin_wqe(struct iw_qp *qp, struct iw_wqe *wqe)
{
	struct iw_tx *tx = &qp->tx;

	if (iw_wqe_is_atomic(wqe))
		return iw_atomic_ask(qp, wqe);
	if (iw_tx_asks(wqe))
		return iw_tx_ask(qp, wqe);
	tx->kind = IW_TX_SLOT;
	tx->offset = 0;
	tx->length = wqe->length;
	tx->hdr = (struct iw_tx_hdr){
		.rdmap = iw_rdmap_of(wqe),
		.tagged = iw_rdmap_of(wqe) == IW_RDMAP_WRITE,
		.stag = wqe->opcode == IB_WR_SEND ? 0 : wqe->rkey,
		.to = wqe->raddr,
		.qn = IW_QN_SEND,
	};
	if (!tx->hdr.tagged)
		tx->hdr.msn = tx->msn[IW_QN_SEND]++;
	iw_source_of(qp, wqe, &tx->from);
	return soft_iter_check(&tx->from) == SOFT_OK ? 0 : -EFAULT;
}

/* What is wrong with a request before anything of it is sent. */
static u8 iw_tx_refuse(struct iw_qp *qp, struct iw_wqe *wqe)
{
	struct soft_iter to;

	if (wqe->status != IB_WC_SUCCESS || !iw_tx_asks(wqe))
		return wqe->status;
	if (!qp->sq.ord)
		return IB_WC_LOC_QP_OP_ERR;
	soft_iter_list(&to, iw_qp_mem(qp), qp->ib.pd, wqe->sge, wqe->num_sge,
		       IB_ACCESS_LOCAL_WRITE);
	return soft_iter_check(&to) == SOFT_OK ? IB_WC_SUCCESS :
		IB_WC_LOC_PROT_ERR;
}

static void iw_wqe_fails(struct iw_qp *qp, struct iw_wqe *wqe, u8 status)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	iw_wqe_done(qp, wqe, status);
	spin_unlock_irqrestore(&qp->lock, flags);
	qp->tx.kind = IW_TX_NONE;
	iw_qp_fail(qp, IW_TERM_LOCAL_CATASTROPHIC, NULL);
}

/*
 * Take the next WQE, under the lock: from now on it is sent, or fails. A READ
 * is marked before its answer can come.
 */
static struct iw_wqe *iw_claim_wqe(struct iw_qp *qp)
{
	struct iw_wqe *wqe;

	while ((wqe = iw_next_wqe(qp)) && wqe->status == IB_WC_SUCCESS &&
	       iw_tx_local(qp, wqe)) {
		qp->sq.next++;
		if (wqe->status != IB_WC_SUCCESS)
			break;
		/* Behind nothing that waits for the socket it has left, too. */
		if (qp->tx.sent == qp->tx.built)
			qp->tx.sent = qp->sq.next;
		qp->tx.built = qp->sq.next;
		if (iw_sq_complete(qp))
			iw_tx_kick(qp);
	}
	if (!wqe || wqe->state == IW_SLOT_DONE)
		return wqe;
	qp->sq.next++;
	wqe->state = IW_SLOT_BUILT;
	wqe->status = iw_tx_refuse(qp, wqe);
	if (wqe->status == IB_WC_SUCCESS && iw_tx_asks(wqe)) {
		wqe->state = IW_WQE_READ_PENDING;
		wqe->msn = qp->tx.msn[IW_QN_READ_REQ]++;
		wqe->got = 0;
		qp->sq.reads++;
	}
	return wqe;
}

static bool iw_irrq_pop(struct iw_qp *qp, struct iw_irrq_entry *ask)
{
	struct iw_irrq *asks = &qp->asks;

	if (asks->head == asks->tail)
		return false;
	*ask = asks->ring[asks->tail++ % asks->num];
	return true;
}

/* Return: 1: a message begins, or is complete already; 0: nothing to do. */
static int iw_next_message(struct iw_qp *qp)
{
	struct iw_tx *tx = &qp->tx;
	struct iw_wqe *wqe = NULL;
	struct iw_irrq_entry ask;
	unsigned long flags;
	bool answer = false;
	int ret;

	spin_lock_irqsave(&qp->lock, flags);
	if (qp->state == IW_RTS || qp->state == IW_CLOSING) {
		tx->answers = !tx->answers;
		answer = tx->answers && iw_irrq_pop(qp, &ask);
		if (!answer)
			wqe = iw_claim_wqe(qp);
		if (!answer && !wqe)
			answer = iw_irrq_pop(qp, &ask);
	}
	spin_unlock_irqrestore(&qp->lock, flags);

	if (answer && ask.atomic)
		return iw_atomic_answer(qp, &ask);
	if (answer) {
		iw_begin_answer(qp, &ask);
		return 1;
	}
	if (!wqe)
		return 0;
	if (wqe->status != IB_WC_SUCCESS) {
		iw_wqe_fails(qp, wqe, wqe->status);
		return 0;
	}
	ret = iw_begin_wqe(qp, wqe);
	if (ret == -EFAULT)
		iw_wqe_fails(qp, wqe, IB_WC_LOC_PROT_ERR);
	else if (ret)
		iw_qp_fail(qp, IW_TERM_LOCAL_CATASTROPHIC, NULL);
	else if (iw_tx_asks(wqe))
		tx->built = qp->sq.next;
	return !ret;
}

/* ---- FPDUs ------------------------------------------------------------------------- */

/* Behind a WRITE. Return: as iw_build_some(). */
static bool iw_build_imm(struct iw_qp *qp)
{
	struct iw_tx *tx = &qp->tx;
	int ret;

	ret = iw_imm_send(qp, iw_wqe_at(&qp->sq, qp->sq.next - 1));
	if (ret == -ENOSPC)
		return false;
	if (ret) {
		iw_qp_fail(qp, IW_TERM_LOCAL_CATASTROPHIC, NULL);
		return false;
	}
	tx->built = qp->sq.next;
	tx->kind = IW_TX_NONE;
	return true;
}

/* What follows the last FPDU of the message in progress. */
static void iw_end_message(struct iw_qp *qp)
{
	struct iw_tx *tx = &qp->tx;
	const struct iw_wqe *wqe = iw_wqe_at(&qp->sq, qp->sq.next - 1);

	soft_iter_end(&tx->from);
	if (tx->kind == IW_TX_SLOT && wqe->opcode == IB_WR_RDMA_WRITE_WITH_IMM) {
		tx->kind = IW_TX_IMM;
		return;
	}
	if (tx->kind == IW_TX_SLOT)
		tx->built = qp->sq.next;
	tx->kind = IW_TX_NONE;
}

/* The message in progress: false when no more of it, or of others, can be built. */
static bool iw_build_some(struct iw_qp *qp)
{
	struct iw_tx *tx = &qp->tx;
	struct iw_wqe *wqe;
	int ret;

	if (tx->kind == IW_TX_IMM)
		return iw_build_imm(qp);
	ret = tx->near ? iw_loopback_send_fpdu(qp) : iw_fpdu_build(qp, tx);
	if (ret == -ENOSPC)
		return false;
	if (ret == -EFAULT && tx->kind == IW_TX_SLOT) {
		wqe = iw_wqe_at(&qp->sq, qp->sq.next - 1);
		iw_wqe_fails(qp, wqe, IB_WC_LOC_PROT_ERR);
		return false;
	}
	if (ret) {
		iw_qp_fail(qp, IW_TERM_LOCAL_CATASTROPHIC, NULL);
		return false;
	}
	if (tx->offset == tx->length)
		iw_end_message(qp);
	return true;
}

/* As much as goes to the socket, or the other end, at once. */
static void iw_build_batch(struct iw_qp *qp)
{
	struct iw_tx *tx = &qp->tx;

	while (iw_bytes_built(tx) < BATCH_BYTES && tx->num < IW_TX_VECS) {
		if (tx->kind == IW_TX_NONE && iw_next_message(qp) <= 0)
			return;
		if (READ_ONCE(qp->has_term))
			return;
		if (tx->kind != IW_TX_NONE && !iw_build_some(qp))
			return;
	}
}

static void iw_complete_done(struct iw_qp *qp)
{
	unsigned long flags;
	bool more;

	do {
		spin_lock_irqsave(&qp->lock, flags);
		more = iw_sq_complete(qp);
		spin_unlock_irqrestore(&qp->lock, flags);
	} while (more);
}

/* All that was built has left: what was posted up to @built is done. */
static void iw_batch_left(struct iw_qp *qp)
{
	struct iw_tx *tx = &qp->tx;
	struct iw_wqe *wqe;
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	for (; tx->sent != tx->built; tx->sent++) {
		wqe = iw_wqe_at(&qp->sq, tx->sent);
		if (wqe->state == IW_SLOT_BUILT)
			wqe->state = IW_SLOT_DONE;
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	iw_complete_done(qp);
}

/**
 * iw_tx_push - give the socket what is built
 * @qp: queue pair; tx.lock is held
 *
 * Context: process, may sleep for the socket's lock only.
 * Return: 0: it has all; -EAGAIN: it will call when it has room; another errno
 * of the socket.
 */
int iw_tx_push(struct iw_qp *qp)
{
	struct iw_tx *tx = &qp->tx;
	struct sock *sk = tx->sock->sk;
	struct bio_vec *vec;
	int ret = 0;

	lockdep_assert_held(&tx->lock);
	lock_sock(sk);
	while (tx->first < tx->num) {
		vec = &tx->vec[tx->first];
		ret = compat_tcp_send_page(sk, vec->bv_page, vec->bv_offset,
					   vec->bv_len,
					   tx->first + 1 < tx->num);
		if (ret <= 0)
			break;
		vec->bv_offset += ret;
		vec->bv_len -= ret;
		ret = 0;
		if (vec->bv_len)
			continue;
		put_page(vec->bv_page);
		tx->first++;
	}
	release_sock(sk);
	iw_count(iw_qp_dev(qp), IW_STAT_TX_BATCHES);
	if (ret == -EAGAIN)
		iw_count(iw_qp_dev(qp), IW_STAT_TX_STALLED);
	if (tx->first < tx->num)
		return ret ?: -EAGAIN;
	tx->first = 0;
	tx->num = 0;
	return 0;
}

/* False: there is nothing, or the socket has no room. */
static bool iw_send_batch(struct iw_qp *qp)
{
	struct iw_tx *tx = &qp->tx;
	bool near = iw_loopback_begin(qp);

	iw_build_batch(qp);
	if (near)
		return iw_loopback_end(qp);
	return tx->num != tx->first && !iw_tx_push(qp);
}

/*
 * Send batches until nothing more can be built. A batch that has left frees WQEs, which
 * are filled from the ring of a program that rings no doorbell for them any more. A peer
 * can keep this going by READ requests, so it ends with the stream, and after @batches.
 * Return: false if @batches are used up.
 */
static bool iw_run_locked(struct iw_qp *qp, int *batches)
{
	struct iw_tx *tx = &qp->tx;

	lockdep_assert_held(&tx->lock);
	while (tx->sock && READ_ONCE(qp->state) < IW_TERMINATE) {
		if (!iw_send_batch(qp))
			break;
		iw_batch_left(qp);
		cond_resched();
		if (!--*batches)
			return false;
	}
	return true;
}

/**
 * iw_tx_run - send all that is pending
 * @qp: queue pair
 *
 * If another thread holds tx.lock, that thread sends it. After BATCHES batches the
 * work sends the rest. Context: process, may sleep.
 */
void iw_tx_run(struct iw_qp *qp)
{
	struct iw_tx *tx = &qp->tx;
	int batches = BATCHES;
	bool over = true;

	set_bit(0, &tx->wanted);
	do {
		/*
		 * Pairs with the barrier below: either the lock holder sees the
		 * bit, or this thread finds the lock free.
		 */
		smp_mb();
		if (!mutex_trylock(&tx->lock))
			return;
		while (over && test_and_clear_bit(0, &tx->wanted))
			over = iw_run_locked(qp, &batches);
		mutex_unlock(&tx->lock);
		/* Pairs with the barrier above. */
		smp_mb();
	} while (over && test_bit(0, &tx->wanted));
	if (!over)
		iw_tx_kick(qp);
	if (READ_ONCE(qp->state) == IW_CLOSING)
		iw_qp_notify_conn(qp);
}

/* It is queued also when a caller of iw_sq_complete() has left WQEs to be completed. */
static void iw_tx_work(struct work_struct *work)
{
	struct iw_qp *qp = container_of(work, struct iw_qp, tx.work);

	iw_complete_done(qp);
	/* Continue a flush that has found the CQ full. */
	iw_sq_flush(qp);
	iw_tx_run(qp);
}

/**
 * iw_tx_idle - is all sent, and are all READs and atomics answered?
 * @qp: queue pair
 *
 * Context: process, may sleep.
 */
bool iw_tx_idle(struct iw_qp *qp)
{
	struct iw_tx *tx = &qp->tx;
	bool idle;

	mutex_lock(&tx->lock);
	spin_lock_irq(&qp->lock);
	idle = tx->kind == IW_TX_NONE && tx->first == tx->num &&
	       !qp->sq.reads && !iw_next_wqe(qp) &&
	       qp->asks.head == qp->asks.tail;
	spin_unlock_irq(&qp->lock);
	iw_tx_unlock(qp);
	return idle;
}

/* @user: a program has the queue pair, and pays for its page. */
void iw_tx_init(struct iw_qp *qp, bool user)
{
	mutex_init(&qp->tx.lock);
	qp->tx.payer = user ? get_mem_cgroup_from_mm(current->mm) : NULL;
	INIT_WORK(&qp->tx.work, iw_tx_work);
}

/* Nothing kicks any more but the timer of the send queue. */
void iw_tx_exit(struct iw_qp *qp)
{
	timer_shutdown_sync(&qp->sq.hold.timer);
	cancel_work_sync(&qp->tx.work);
	mutex_lock(&qp->tx.lock);
	iw_tx_drop(&qp->tx);
	mutex_unlock(&qp->tx.lock);
	mutex_destroy(&qp->tx.lock);
	mem_cgroup_put(qp->tx.payer);
}
