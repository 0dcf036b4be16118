// SPDX-License-Identifier: GPL-2.0
/* Work requests: queued, then completed as the state of the QP says. */
#include <linux/module.h>
#include <linux/slab.h>

#include "ofed_testdev.h"

int td_wrq_init(struct td_wrq *q, u32 size, u32 max_sge)
{
	memset(q, 0, sizeof(*q));
	q->max_sge = max_sge;
	if (!size)
		return 0;
	q->wr = kvcalloc(size, sizeof(*q->wr), GFP_KERNEL_ACCOUNT);
	if (!q->wr)
		return -ENOMEM;
	q->size = size;
	return 0;
}

void td_wrq_free(struct td_wrq *q)
{
	kvfree(q->wr);
	q->wr = NULL;
}

int td_wrq_add(struct td_wrq *q, const struct td_wr *wr)
{
	if (q->count == q->size)
		return -ENOMEM;
	q->wr[(q->head + q->count++) % q->size] = *wr;
	return 0;
}

bool td_wrq_take(struct td_wrq *q, struct td_wr *wr)
{
	if (!q->count)
		return false;
	*wr = q->wr[q->head];
	q->head = (q->head + 1) % q->size;
	q->count--;
	return true;
}

/* Context: any, with or without the lock of @qp. */
void td_qp_complete(struct td_qp *qp, bool recv, const struct td_wr *wr,
		    enum ib_wc_status status)
{
	struct td_cq *cq = recv ? qp->rcq : qp->scq;
	struct ib_wc wc = {
		.wr_id = wr->wr_id,
		.status = status,
		.opcode = wr->opcode,
		.byte_len = wr->byte_len,
		.qp = &qp->ib,
		.port_num = 1,
	};

	if (!cq || (!wr->signaled && status == IB_WC_SUCCESS))
		return;
	td_cq_push(cq, &wc, recv);
}

static void td_run_queue(struct td_qp *qp, bool recv, enum ib_wc_status status)
{
	struct td_wrq *q = recv ? &qp->rq : &qp->sq;
	struct td_wr wr;

	while (td_wrq_take(q, &wr))
		td_qp_complete(qp, recv, &wr, status);
}

/* Complete what can be completed now. */
void td_qp_run(struct td_qp *qp)
{
	bool hold = READ_ONCE(to_td(qp->ib.device)->hold);

	lockdep_assert_held(&qp->lock);
	switch (qp->state) {
	case IB_QPS_RESET:
	case IB_QPS_INIT:
		break;
	case IB_QPS_ERR:
		td_run_queue(qp, false, IB_WC_WR_FLUSH_ERR);
		td_run_queue(qp, true, IB_WC_WR_FLUSH_ERR);
		break;
	case IB_QPS_SQE:
		td_run_queue(qp, false, IB_WC_WR_FLUSH_ERR);
		break;
	case IB_QPS_RTS:
		if (!hold)
			td_run_queue(qp, false, IB_WC_SUCCESS);
		fallthrough;
	case IB_QPS_RTR:
	case IB_QPS_SQD:
		if (!hold && qp->auto_recv)
			td_run_queue(qp, true, IB_WC_SUCCESS);
		break;
	}
}

/* Which completion a request gets, and on which types it is legal. */
static const struct {
	bool valid;
	enum ib_wc_opcode wc;
	u32 types;
} td_send_opcodes[] = {
#define RELIABLE (BIT(IB_QPT_RC) | BIT(IB_QPT_XRC_INI))
#define CONNECTED (RELIABLE | BIT(IB_QPT_UC))
#define EVERY (CONNECTED | BIT(IB_QPT_UD) | BIT(IB_QPT_GSI) | \
	       BIT(IB_QPT_SMI) | BIT(IB_QPT_RAW_PACKET))
	[IB_WR_RDMA_WRITE] = { true, IB_WC_RDMA_WRITE, CONNECTED },
	[IB_WR_RDMA_WRITE_WITH_IMM] = { true, IB_WC_RDMA_WRITE, CONNECTED },
	[IB_WR_SEND] = { true, IB_WC_SEND, EVERY },
	[IB_WR_SEND_WITH_IMM] = { true, IB_WC_SEND, EVERY },
	[IB_WR_SEND_WITH_INV] = { true, IB_WC_SEND, CONNECTED },
	[IB_WR_RDMA_READ] = { true, IB_WC_RDMA_READ, RELIABLE },
	[IB_WR_RDMA_READ_WITH_INV] = { true, IB_WC_RDMA_READ, RELIABLE },
	[IB_WR_ATOMIC_CMP_AND_SWP] = { true, IB_WC_COMP_SWAP, RELIABLE },
	[IB_WR_ATOMIC_FETCH_AND_ADD] = { true, IB_WC_FETCH_ADD, RELIABLE },
	[IB_WR_BIND_MW] = { true, IB_WC_BIND_MW, CONNECTED },
	[IB_WR_LOCAL_INV] = { true, IB_WC_LOCAL_INV, CONNECTED },
	[IB_WR_REG_MR] = { true, IB_WC_REG_MR, CONNECTED },
#undef RELIABLE
#undef CONNECTED
#undef EVERY
};

static u32 td_sge_bytes(const struct ib_sge *sge, int count)
{
	u32 bytes = 0;

	while (count--)
		bytes += sge++->length;
	return bytes;
}

static int td_send_wr(struct td_qp *qp, const struct ib_send_wr *send,
		      struct td_wr *wr)
{
	enum ib_qp_type type = qp->ib.qp_type;

	if (send->opcode >= ARRAY_SIZE(td_send_opcodes) ||
	    !td_send_opcodes[send->opcode].valid ||
	    type >= IB_QPT_MAX ||
	    !(td_send_opcodes[send->opcode].types & BIT(type)))
		return -EINVAL;
	if (send->num_sge < 0 || send->num_sge > qp->sq.max_sge)
		return -EINVAL;
	if (type == IB_QPT_UD && !ud_wr(send)->ah)
		return -EINVAL;
	wr->wr_id = send->wr_id;
	wr->opcode = td_send_opcodes[send->opcode].wc;
	wr->byte_len = td_sge_bytes(send->sg_list, send->num_sge);
	wr->signaled = qp->sig_all || send->send_flags & IB_SEND_SIGNALED;
	return 0;
}

int td_recv_wr(const struct ib_recv_wr *recv, u32 max_sge, struct td_wr *wr)
{
	if (recv->num_sge < 0 || recv->num_sge > max_sge)
		return -EINVAL;
	wr->wr_id = recv->wr_id;
	wr->opcode = IB_WC_RECV;
	wr->byte_len = td_sge_bytes(recv->sg_list, recv->num_sge);
	wr->signaled = true;
	return 0;
}

static int td_post_send(struct ib_qp *ibqp, const struct ib_send_wr *send,
			const struct ib_send_wr **bad)
{
	struct td_qp *qp = to_td_qp(ibqp);
	int ret = td_fault(ibqp->device, post_send);
	unsigned long flags;
	struct td_wr wr;

	spin_lock_irqsave(&qp->lock, flags);
	if (!ret && qp->state < IB_QPS_RTS)
		ret = -EINVAL;
	while (send && !ret) {
		ret = td_send_wr(qp, send, &wr);
		if (!ret)
			ret = td_wrq_add(&qp->sq, &wr);
		if (ret)
			break;
		atomic64_inc(&to_td(ibqp->device)->sent);
		td_qp_run(qp);
		send = send->next;
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	if (ret)
		*bad = send;
	return ret;
}

static int td_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *recv,
			const struct ib_recv_wr **bad)
{
	struct td_qp *qp = to_td_qp(ibqp);
	int ret = td_fault(ibqp->device, post_recv);
	unsigned long flags;
	struct td_wr wr;

	spin_lock_irqsave(&qp->lock, flags);
	if (!ret && (qp->state == IB_QPS_RESET || qp->srq))
		ret = -EINVAL;
	while (recv && !ret) {
		ret = td_recv_wr(recv, qp->rq.max_sge, &wr);
		if (!ret)
			ret = td_wrq_add(&qp->rq, &wr);
		if (ret)
			break;
		atomic64_inc(&to_td(ibqp->device)->received);
		td_qp_run(qp);
		recv = recv->next;
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	if (ret)
		*bad = recv;
	return ret;
}

const struct ib_device_ops td_post_ops = {
	.post_send = td_post_send,
	.post_recv = td_post_recv,
};
