// SPDX-License-Identifier: GPL-2.0
/*
 * Work requests by system call. What the user wrote is copied once, into one
 * block that holds the kernel's requests and all their SGEs; the numbers of
 * both are bounded by the bytes that were written.
 */
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "cmd.h"

union send_wr {
	struct ib_send_wr wr;
	struct ib_rdma_wr rdma;
	struct ib_atomic_wr atomic;
	struct ib_ud_wr ud;
};

/**
 * struct post - a list of requests in the making
 * @reader: at the SGEs
 * @count: requests
 * @sge_count: SGEs in all
 * @sges_used: SGEs that requests have taken
 * @wrs: what the user wrote, @stride bytes apart
 * @stride: bytes of one of them
 * @sges: copied
 */
struct post {
	struct uv_reader reader;
	u32 count;
	u32 sge_count;
	u32 sges_used;
	const void __user *wrs;
	u32 stride;
	struct ib_sge *sges;
};

/* @min: bytes of a request that are looked at; more belong to the user. */
static int uv_post_begin(struct post *post, u32 count, u32 sge_count, u32 stride,
			 size_t min)
{
	size_t wr_bytes, sge_bytes;
	const void __user *from;
	int ret;

	post->count = count;
	post->sge_count = sge_count;
	post->stride = stride;
	if (stride < min ||
	    check_mul_overflow((size_t)count, (size_t)stride, &wr_bytes) ||
	    check_mul_overflow((size_t)sge_count, sizeof(struct ib_uverbs_sge),
			       &sge_bytes))
		return -EINVAL;
	post->wrs = uv_read_ptr(&post->reader, wr_bytes);
	if (IS_ERR(post->wrs))
		return PTR_ERR(post->wrs);
	from = uv_read_ptr(&post->reader, sge_bytes);
	if (IS_ERR(from))
		return PTR_ERR(from);
	ret = uv_read_end(&post->reader);
	if (ret)
		return ret;
	/* A size without requests, as of a doorbell, but not just any. */
	if (stride > KMALLOC_MAX_SIZE)
		return -ENOMEM;
	if (!sge_count)
		return 0;

	static_assert(sizeof(struct ib_sge) == sizeof(struct ib_uverbs_sge));
	post->sges = kvmalloc(sge_bytes, GFP_KERNEL_ACCOUNT);
	if (!post->sges)
		return -ENOMEM;
	if (copy_from_user(post->sges, from, sge_bytes)) {
		kvfree(post->sges);
		return -EFAULT;
	}
	return 0;
}

static void uv_post_end(struct post *post)
{
	kvfree(post->sges);
}

static int uv_post_take_sges(struct post *post, u32 num, struct ib_sge **sges)
{
	if (num > post->sge_count - post->sges_used)
		return -EINVAL;
	*sges = num ? post->sges + post->sges_used : NULL;
	post->sges_used += num;
	return 0;
}

/* 1 for the first; 0 when @at is in none of them. */
static u32 uv_wr_number(const void *at, const void *first, size_t size)
{
	return at ? (at - first) / size + 1 : 0;
}

static int uv_ud_from_user(const struct ib_uverbs_send_wr *from,
			   struct ib_ud_wr *to, struct uverbs_attr_bundle *attrs)
{
	struct ib_ah *ah;

	if (from->opcode != IB_WR_SEND && from->opcode != IB_WR_SEND_WITH_IMM)
		return -EINVAL;
	ah = uv_read_obj(struct ib_ah, &uv_type_ah, from->wr.ud.ah, attrs);
	if (IS_ERR(ah))
		return PTR_ERR(ah);
	to->ah = ah;
	to->remote_qpn = from->wr.ud.remote_qpn;
	to->remote_qkey = from->wr.ud.remote_qkey;
	return 0;
}

static int uv_remote_from_user(const struct ib_uverbs_send_wr *from,
			       union send_wr *to)
{
	switch (from->opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		to->rdma.remote_addr = from->wr.rdma.remote_addr;
		to->rdma.rkey = from->wr.rdma.rkey;
		return 0;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		to->atomic.remote_addr = from->wr.atomic.remote_addr;
		to->atomic.compare_add = from->wr.atomic.compare_add;
		to->atomic.swap = from->wr.atomic.swap;
		to->atomic.rkey = from->wr.atomic.rkey;
		return 0;
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_SEND_WITH_INV:
		return 0;
	default:
		return -EINVAL;
	}
}

static int uv_send_from_user(struct post *post, u32 i, bool is_ud,
			     union send_wr *to, struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_send_wr from;
	int ret;

	if (copy_from_user(&from, post->wrs + (size_t)i * post->stride,
			   sizeof(from)))
		return -EFAULT;
	ret = uv_post_take_sges(post, from.num_sge, &to->wr.sg_list);
	if (ret)
		return ret;
	to->wr.wr_id = from.wr_id;
	to->wr.num_sge = from.num_sge;
	to->wr.opcode = from.opcode;
	to->wr.send_flags = from.send_flags;
	if (from.opcode == IB_WR_SEND_WITH_INV)
		to->wr.ex.invalidate_rkey = from.ex.invalidate_rkey;
	else
		to->wr.ex.imm_data = from.ex.imm_data;
	return is_ud ? uv_ud_from_user(&from, &to->ud, attrs) :
		       uv_remote_from_user(&from, to);
}

static void uv_put_ahs(union send_wr *wrs, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		if (wrs[i].ud.ah)
			uv_put_read(wrs[i].ud.ah->uobject);
}

static int uv_send_list(struct ib_qp *qp, struct post *post, u32 *bad,
			struct uverbs_attr_bundle *attrs)
{
	const bool is_ud = qp->qp_type == IB_QPT_UD;
	const struct ib_send_wr *bad_wr = NULL;
	union send_wr *wrs;
	int ret = 0;
	u32 i;

	wrs = kvcalloc(post->count, sizeof(*wrs), GFP_KERNEL_ACCOUNT);
	if (!wrs)
		return -ENOMEM;
	for (i = 0; i < post->count && !ret; i++) {
		ret = uv_send_from_user(post, i, is_ud, &wrs[i], attrs);
		if (i)
			wrs[i - 1].wr.next = &wrs[i].wr;
	}
	if (!ret) {
		ret = qp->device->ops.post_send(qp->real_qp, &wrs[0].wr,
						&bad_wr);
		if (ret)
			*bad = uv_wr_number(bad_wr, wrs, sizeof(*wrs));
	}
	if (is_ud)
		uv_put_ahs(wrs, post->count);
	kvfree(wrs);
	return ret;
}

/*
 * Drivers with queues in user memory take a request without WRs as a doorbell;
 * its wqe_size is that of the library's own struct. Nothing says so outright,
 * but a driver that has programs post receives by command has its queues in the
 * kernel. Its post_send may look at the first WR unseen, as rdmavt's does, and
 * has nothing to do.
 */
static int uv_ring(struct ib_qp *qp, const struct ib_uverbs_device *dev)
{
	const struct ib_send_wr *bad_wr = NULL;

	if (uv_has_command(dev, IB_USER_VERBS_CMD_POST_RECV))
		return 0;
	return qp->device->ops.post_send(qp->real_qp, NULL, &bad_wr);
}

int uv_post_send(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_post_send_resp resp = {};
	struct ib_uverbs_post_send cmd;
	struct post post = {};
	struct ib_qp *qp;
	int ret, err;

	ret = uv_read_start(&post.reader, attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	ret = uv_post_begin(&post, cmd.wr_count, cmd.sge_count, cmd.wqe_size,
			    sizeof(struct ib_uverbs_send_wr));
	if (ret)
		return ret;
	qp = uv_read_obj(struct ib_qp, &uv_type_qp, cmd.qp_handle, attrs);
	if (IS_ERR(qp)) {
		ret = PTR_ERR(qp);
		goto out_end;
	}

	ret = cmd.wr_count ? uv_send_list(qp, &post, &resp.bad_wr, attrs) :
			     uv_ring(qp, attrs->ufile->device);
	uv_put_qp(qp);
	err = uv_reply(attrs, &resp, sizeof(resp));
	if (err)
		ret = err;
out_end:
	uv_post_end(&post);
	return ret;
}

/* For kvfree(), linked. */
static struct ib_recv_wr *uv_recv_list(struct post *post)
{
	struct ib_uverbs_recv_wr from;
	struct ib_recv_wr *wrs;
	int ret = 0;
	u32 i;

	if (!post->count)
		return NULL;
	wrs = kvcalloc(post->count, sizeof(*wrs), GFP_KERNEL_ACCOUNT);
	if (!wrs)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < post->count; i++) {
		ret = copy_from_user(&from,
				     post->wrs + (size_t)i * post->stride,
				     sizeof(from)) ? -EFAULT :
			uv_post_take_sges(post, from.num_sge, &wrs[i].sg_list);
		if (ret)
			break;
		wrs[i].wr_id = from.wr_id;
		wrs[i].num_sge = from.num_sge;
		if (i)
			wrs[i - 1].next = &wrs[i];
	}
	if (!ret)
		return wrs;
	kvfree(wrs);
	return ERR_PTR(ret);
}

/* @uobj is a QP, or with @to_srq an SRQ. */
static int uv_recv_post(struct ib_uobject *uobj, bool to_srq, struct post *post,
			struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_post_recv_resp resp = {};
	const struct ib_recv_wr *bad_wr = NULL;
	struct ib_srq *srq = uobj->object;
	struct ib_qp *qp = uobj->object;
	struct ib_recv_wr *wrs;
	int ret, err;

	wrs = uv_recv_list(post);
	if (IS_ERR(wrs))
		return PTR_ERR(wrs);
	if (to_srq)
		ret = srq->device->ops.post_srq_recv(srq, wrs, &bad_wr);
	else
		ret = qp->device->ops.post_recv(qp->real_qp, wrs, &bad_wr);
	if (ret)
		resp.bad_wr = uv_wr_number(bad_wr, wrs, sizeof(*wrs));
	kvfree(wrs);
	err = uv_reply(attrs, &resp, sizeof(resp));
	return err ?: ret;
}

/* Both commands have one layout, but for the type of object. */
static int uv_do_post_recv(const struct uv_type *type,
			   struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_post_recv cmd;
	struct ib_uobject *uobj;
	struct post post = {};
	int ret;

	ret = uv_read_start(&post.reader, attrs, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	ret = uv_post_begin(&post, cmd.wr_count, cmd.sge_count, cmd.wqe_size,
			    sizeof(struct ib_uverbs_recv_wr));
	if (ret)
		return ret;
	uobj = uv_get_read(type, cmd.qp_handle, attrs);
	if (IS_ERR(uobj)) {
		ret = PTR_ERR(uobj);
	} else {
		ret = uv_recv_post(uobj, type == &uv_type_srq, &post, attrs);
		uv_put_read(uobj);
	}
	uv_post_end(&post);
	return ret;
}

int uv_post_recv(struct uverbs_attr_bundle *attrs)
{
	return uv_do_post_recv(&uv_type_qp, attrs);
}

int uv_post_srq_recv(struct uverbs_attr_bundle *attrs)
{
	static_assert(sizeof(struct ib_uverbs_post_srq_recv) ==
		      sizeof(struct ib_uverbs_post_recv));
	static_assert(offsetof(struct ib_uverbs_post_srq_recv, srq_handle) ==
		      offsetof(struct ib_uverbs_post_recv, qp_handle));
	return uv_do_post_recv(&uv_type_srq, attrs);
}
