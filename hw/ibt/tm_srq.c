// SPDX-License-Identifier: GPL-2.0
/*
 * Shared receive queues of tag matching: creation, and the operations by which a program adds
 * tagged buffers, cancels them, and says how far it is (tag_match.h). An operation is a command of
 * the program, and is done when the command returns. tm_recv.c matches messages.
 */
#include <linux/slab.h>
#include <ofed/refuse.h>
#include <uapi/ofed/ofed_user_verbs.h>

#include "../soft/context.h"
#include "../soft/cq.h"
#include "../soft/ring.h"
#include "limits.h"
#include "rq.h"
#include "srq.h"
#include "tag_match.h"
#include "tm_srq.h"

static_assert(OFED_TM_MAX_SGE == IBT_TAG_MAX_SGE);
static_assert(sizeof(struct ofed_tm_sge) == sizeof(struct ib_sge));

/**
 * ibt_tm_srq_check - may an SRQ of tag matching be created?
 * @ib: device
 * @init: what is asked for
 * @udata: of the program
 *
 * Context: process. Return: 0; -EOPNOTSUPP: not by this consumer; -EINVAL.
 */
int ibt_tm_srq_check(const struct ib_device *ib, const struct ib_srq_init_attr *init,
		     struct ib_udata *udata)
{
	u32 tags = init->ext.tag_matching.max_num_tags;

	if (!udata || !(to_soft_ucontext(soft_udata_context(udata))->features &
			OFED_FEATURE_TAG_MATCHING))
		return ofed_refuse(ib, -EOPNOTSUPP, "an SRQ of tag matching without libofed");
	if (!init->ext.cq)
		return ofed_refuse(ib, -EINVAL, "an SRQ of tag matching without cq");
	if (!tags)
		return ofed_refuse(ib, -EINVAL, "max_num_tags: 0");
	return ofed_exceeds(ib, "max_num_tags", tags, OFED_TM_MAX_TAGS) ? -EINVAL : 0;
}

/**
 * ibt_tm_srq_create - make an SRQ one of tag matching
 * @srq: new SRQ
 * @init: as checked
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM.
 */
int ibt_tm_srq_create(struct ibt_srq *srq, const struct ib_srq_init_attr *init)
{
	int ret;

	INIT_LIST_HEAD(&srq->untold);
	srq->tags = kzalloc(sizeof(*srq->tags), GFP_KERNEL_ACCOUNT);
	if (!srq->tags)
		return -ENOMEM;
	ret = ibt_tags_init(srq->tags, init->ext.tag_matching.max_num_tags);
	if (ret) {
		kfree(srq->tags);
		srq->tags = NULL;
	}
	return ret;
}

/**
 * ibt_tm_srq_destroy - free the tags of an SRQ
 * @srq: SRQ, of any type, that no queue pair uses any more
 *
 * Context: process, may sleep.
 */
void ibt_tm_srq_destroy(struct ibt_srq *srq)
{
	if (!srq->tags)
		return;
	ibt_tags_destroy(srq->tags);
	kfree(srq->tags);
	srq->tags = NULL;
}

/* What the program says, copied and checked. */
static int ibt_tm_read_tag(const struct ib_device *ib, const struct ofed_tm_op *op,
			   struct ibt_tag *tag)
{
	u64 total = 0;
	u32 i;

	*tag = (struct ibt_tag){
		.tag = op->tag,
		.mask = op->mask,
		.wr_id = op->recv_wr_id,
		.handle = op->handle,
		.num_sge = op->num_sge,
	};
	if (ofed_exceeds(ib, "num_sge of a tagged buffer", op->num_sge, IBT_TAG_MAX_SGE))
		return -EINVAL;
	for (i = 0; i < op->num_sge; i++) {
		tag->sge[i].addr = op->sge[i].addr;
		tag->sge[i].length = op->sge[i].length;
		tag->sge[i].lkey = op->sge[i].lkey;
		total += op->sge[i].length;
	}
	if (total > IBT_MAX_MSG_BYTES)
		return ofed_refuse(ib, -EINVAL, "a tagged buffer of %llu bytes", total);
	tag->length = total;
	return 0;
}

static int ibt_tm_read_op(const struct ib_device *ib, struct ib_udata *udata,
			  struct ofed_tm_op *op)
{
	int ret;

	if (!udata || ofed_too_short(ib, "tag operation", udata->inlen, sizeof(*op)))
		return -EINVAL;
	ret = ib_copy_from_udata(op, udata, sizeof(*op));
	if (ret)
		return ret;
	if (op->opcode > OFED_TM_SYNC || op->flags & ~(OFED_TM_SIGNALED | OFED_TM_HANDLED) ||
	    op->reserved)
		return ofed_refuse(ib, -EINVAL, "tag operation %u with flags 0x%x, reserved 0x%x",
				   op->opcode, op->flags, op->reserved);
	return 0;
}

/* -ENOENT: a message has taken the buffer that is to be cancelled. */
static int ibt_tm_do_op(struct ibt_tags *tags, const struct ofed_tm_op *op,
			const struct ibt_tag *tag)
{
	if (op->flags & OFED_TM_HANDLED)
		ibt_tags_sync(tags, op->handled);
	switch (op->opcode) {
	case OFED_TM_ADD:
		return ibt_tags_add(tags, tag);
	case OFED_TM_DEL:
		return ibt_tags_del(tags, op->handle) ? 0 : -ENOENT;
	default:
		return 0;
	}
}

/* False: the CQ has no room. */
static bool ibt_tm_report(struct ibt_srq *srq, const struct ofed_tm_op *op, bool failed)
{
	const struct ib_wc wc = {
		.wr_id = op->wr_id,
		.status = failed ? SOFT_WC_TM_ERR : IB_WC_SUCCESS,
		.opcode = SOFT_WC_TM_ADD + op->opcode,
	};
	const struct soft_tm_wc tm = {
		.flags = ibt_tags_in_sync(srq->tags) ? 0 : SOFT_WC_TM_SYNC_REQ,
	};

	if (!failed && !(op->flags & OFED_TM_SIGNALED))
		return true;
	return soft_cq_post_tm(srq->cq, &wc, &tm, true);
}

/**
 * ibt_tm_srq_op - an operation on the tags of an SRQ
 * @srq: SRQ of tag matching
 * @udata: struct ofed_tm_op
 * @told: out, false: its completion had no room
 *
 * The completion of a buffer that is added comes before that of the message that takes it.
 *
 * Context: process, may sleep. Return: 0; -EINVAL; -ENOMEM: there are as many tags as the SRQ
 * can have; -EFAULT.
 */
int ibt_tm_srq_op(struct ibt_srq *srq, struct ib_udata *udata, bool *told)
{
	const struct ib_device *ib = srq->ib.device;
	struct ofed_tm_op op;
	struct ibt_tag tag;
	unsigned long flags;
	int ret;

	*told = true;
	ret = ibt_tm_read_op(ib, udata, &op);
	if (!ret && op.opcode == OFED_TM_ADD)
		ret = ibt_tm_read_tag(ib, &op, &tag);
	if (ret)
		return ret;
	spin_lock_irqsave(&srq->lock, flags);
	if (srq->error) {
		ret = -EINVAL;
	} else {
		ret = ibt_tm_do_op(srq->tags, &op, &tag);
		if (!ret || ret == -ENOENT)
			*told = ibt_tm_report(srq, &op, ret);
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	return ret == -ENOENT ? 0 : ret;
}
