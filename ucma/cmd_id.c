// SPDX-License-Identifier: GPL-2.0
/*
 * Commands that make, end and move an id.
 */
#include <linux/file.h>
#include <linux/fs.h>

#include "ucma.h"

/* The type of QP that connections of a port space have. */
static int ucma_qp_type_of(const struct rdma_ucm_create_id *req)
{
	switch (req->ps) {
	case RDMA_PS_TCP:
		return IB_QPT_RC;
	case RDMA_PS_IPOIB:
	case RDMA_PS_UDP:
		return IB_QPT_UD;
	case RDMA_PS_IB:
		return req->qp_type;
	}
	return -EINVAL;
}

int ucma_create_id(struct ucma_call *call)
{
	const struct rdma_ucm_create_id *req = &call->req.create_id;
	struct rdma_ucm_create_id_resp resp = {};
	const int qp_type = ucma_qp_type_of(req);
	struct rdma_cm_id *cm_id;
	struct ucma_id *id;
	int ret;

	if (qp_type < 0)
		return qp_type;
	id = ucma_id_new(call->file, GFP_KERNEL_ACCOUNT);
	if (!id)
		return -ENOMEM;
	id->uid = req->uid;
	id->has_uid = true;
	cm_id = rdma_create_user_id(ucma_handler, id, req->ps, qp_type);
	if (IS_ERR(cm_id)) {
		ucma_id_discard(id);
		return PTR_ERR(cm_id);
	}
	id->cm_id = cm_id;

	resp.id = id->number;
	ret = ucma_reply(req->response, &resp, sizeof(resp));
	if (ret) {
		ucma_id_destroy(id);
		return ret;
	}
	guard(rwsem_read)(&ucma_moves);
	guard(mutex)(&call->file->lock);
	ucma_id_publish(id);
	return 0;
}

int ucma_destroy_id(struct ucma_call *call)
{
	const struct rdma_ucm_destroy_id *req = &call->req.destroy_id;
	struct rdma_ucm_destroy_id_resp resp = {};
	struct ucma_id *id = ucma_id_claim(call->file, req->id);

	if (IS_ERR(id))
		return PTR_ERR(id);
	resp.events_reported = ucma_id_destroy(id);
	return ucma_reply(req->response, &resp, sizeof(resp));
}

/*
 * Move @id with its events; the caller has a reference to it. Meanwhile no
 * other thread goes from an id to its file or reads either queue: ucma_moves is
 * held for writing.
 */
static int ucma_move(struct ucma_id *id, struct ucma_file *from, struct ucma_file *to,
		     u32 *events_read)
{
	guard(rwsem_write)(&ucma_moves);
	/*
	 * A thread that destroys @id has already looked up its file. And if @id
	 * was moved on from @from, the close of its new file may be destroying
	 * it: of the files that it may be in, only @from is known to be open.
	 */
	if (!ucma_id_is_of(id, from))
		return -ENOENT;
	ucma_events_move(id, to);
	list_move_tail(&id->in_file, &to->ids);
	id->file = to;
	*events_read = id->events_read;
	return 0;
}

int ucma_migrate_id(struct ucma_call *call)
{
	const struct rdma_ucm_migrate_id *req = &call->req.migrate_id;
	struct rdma_ucm_migrate_resp resp = {};
	struct file *from = fget(req->fd);
	struct ucma_id *id;
	int ret = -EINVAL;

	if (!from)
		return -ENOENT;
	if (from->f_op != &ucma_fops)
		goto out;
	id = ucma_id_get(from->private_data, req->id);
	ret = PTR_ERR_OR_ZERO(id);
	if (ret)
		goto out;
	ret = ucma_move(id, from->private_data, call->file, &resp.events_reported);
	ucma_id_put(id);
out:
	fput(from);
	return ret ?: ucma_reply(req->response, &resp, sizeof(resp));
}
