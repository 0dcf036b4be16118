// SPDX-License-Identifier: GPL-2.0
/*
 * write(): from the frame of a command to its handler and back. The two tables
 * at the end say which commands there can be, the tree of a device which it has.
 */
#include <linux/sched.h>
#include <rdma/ib.h>

#include "ioctl/uapi.h"

/* The end of a request that is longer than the kernel knows must be zero. */
static int check_rest(const void __user *rest, size_t size)
{
	return ib_is_buffer_cleared(rest, size) ? 0 : -EOPNOTSUPP;
}

/**
 * uv_request - copy the request of a command of fixed length
 * @attrs: of the command
 * @req: out; what an older program did not send reads as 0
 * @size: of @req
 *
 * Return: 0, -EFAULT, -EOPNOTSUPP (longer than @size, and not with zeroes).
 */
int uv_request(struct uverbs_attr_bundle *attrs, void *req, size_t size)
{
	const struct ib_udata *in = &attrs->ucore;
	size_t got = min(in->inlen, size);

	if (copy_from_user(req, in->inbuf, got))
		return -EFAULT;
	memset(req + got, 0, size - got);
	return in->inlen > got ? check_rest(in->inbuf + got, in->inlen - got) :
				 0;
}

/**
 * uv_reply - copy the response of a command
 * @attrs: of the command
 * @resp: the response; a program that gave less room gets less of it
 * @size: of @resp
 *
 * Return: 0 or -EFAULT.
 */
int uv_reply(struct uverbs_attr_bundle *attrs, const void *resp, size_t size)
{
	const struct ib_udata *out = &attrs->ucore;
	size_t put = min(out->outlen, size);

	if (copy_to_user(out->outbuf, resp, put) ||
	    clear_user(out->outbuf + put, out->outlen - put))
		return -EFAULT;
	return 0;
}

/* What goes into response_length of an extended command. */
u32 uv_reply_length(struct uverbs_attr_bundle *attrs, size_t size)
{
	return min(attrs->ucore.outlen, size);
}

/**
 * uv_read_start - begin to read a request of variable length
 * @reader: to be initialised
 * @attrs: of the command
 * @req: out: the fixed part
 * @size: of @req
 *
 * Return: 0, -ENOSPC (shorter), -EFAULT.
 */
int uv_read_start(struct uv_reader *reader, struct uverbs_attr_bundle *attrs,
		  void *req, size_t size)
{
	reader->at = attrs->ucore.inbuf;
	reader->left = attrs->ucore.inlen;
	return uv_read(reader, req, size);
}

int uv_read(struct uv_reader *reader, void *to, size_t size)
{
	const void __user *from = uv_read_ptr(reader, size);

	if (IS_ERR(from))
		return PTR_ERR(from);
	return copy_from_user(to, from, size) ? -EFAULT : 0;
}

/* The next @size bytes, to be copied later, or -ENOSPC. */
const void __user *uv_read_ptr(struct uv_reader *reader, size_t size)
{
	const void __user *from = reader->at;

	if (size > reader->left)
		return (const void __user *)ERR_PTR(-ENOSPC);
	reader->at += size;
	reader->left -= size;
	return from;
}

int uv_read_end(struct uv_reader *reader)
{
	return check_rest(reader->at, reader->left);
}

static void set_in(struct ib_udata *udata, const void __user *buf, size_t len)
{
	udata->inbuf = len ? buf : NULL;
	udata->inlen = len;
}

static void set_out(struct ib_udata *udata, u64 response, size_t len)
{
	udata->outbuf = len ? u64_to_user_ptr(response) : NULL;
	udata->outlen = len;
}

static void set_buffers(struct uverbs_attr_bundle *attrs,
			const struct uv_frame *frame, const char __user *buf,
			u64 response)
{
	buf += frame->start;
	set_in(&attrs->ucore, buf, frame->core_in);
	set_in(&attrs->driver_udata, buf + frame->core_in, frame->drv_in);
	set_out(&attrs->ucore, response, frame->core_out);
	set_out(&attrs->driver_udata, response + frame->core_out,
		frame->drv_out);
}

/* Where the response goes. Legacy requests begin with it. */
static int get_response(const struct uv_cmd *cmd,
			const struct ib_uverbs_ex_cmd_hdr *ex,
			const struct uv_frame *frame, const char __user *buf,
			u64 *response)
{
	size_t len = (size_t)frame->core_out + frame->drv_out;

	*response = 0;
	if (cmd->extended) {
		*response = ex->response;
		return access_ok(u64_to_user_ptr(ex->response), len) ? 0 :
								     -EFAULT;
	}
	if (cmd->has_resp &&
	    copy_from_user(response, buf + frame->start, sizeof(*response)))
		return -EFAULT;
	return 0;
}

/* An object that the command has made becomes the file's, or nothing. */
static void finish_object(struct uverbs_attr_bundle *attrs, int ret)
{
	if (!attrs->uobject)
		return;
	if (ret)
		uv_obj_abort(attrs->uobject, attrs);
	else
		uv_obj_commit(attrs->uobject);
}

/* The buffers of @attrs are set. */
static int cmd_run(const struct uv_cmd *cmd, struct uverbs_attr_bundle *attrs)
{
	int ret;

	if (!cmd->run)
		return -EOPNOTSUPP;
	if (cmd->of_driver && !uv_ib_dev(attrs->ufile->device))
		return -EIO;
	ret = cmd->run(attrs);
	ofed_umem_claim(&attrs->ufile->umems);
	finish_object(attrs, ret);
	return ret;
}

static const struct uv_cmd no_cmd;

/*
 * The frame of a command that a driver does not serve is judged first, unless
 * its number lies behind all that the driver does serve.
 */
static const struct uv_cmd *cmd_find(const struct uv_device *dev, u32 command)
{
	const u32 number = command & IB_USER_VERBS_CMD_COMMAND_MASK;
	const struct uv_api *api = dev->api;

	if (command & ~(IB_USER_VERBS_CMD_COMMAND_MASK |
			IB_USER_VERBS_CMD_FLAG_EXTENDED))
		return ERR_PTR(-EINVAL);
	if (command & IB_USER_VERBS_CMD_FLAG_EXTENDED)
		return number < api->num_extended ?
		       api->extended[number] ?: &no_cmd : ERR_PTR(-EOPNOTSUPP);
	return number < api->num_legacy ?
	       api->legacy[number] ?: &no_cmd : ERR_PTR(-EOPNOTSUPP);
}

/* Whether the device has a legacy command. */
bool uv_has_command(const struct uv_device *dev, u32 number)
{
	return dev->api->legacy[number];
}

/**
 * uv_command_invoke - run a write() command for ioctl()
 * @attrs: of the command, with both pairs of buffers
 * @command: its number, as in the header of a write()
 *
 * Return: 0, -EINVAL or -EOPNOTSUPP (no such command), -ENOSPC (request or
 * response shorter than it has to be), -EIO (unplugged), or the errno of the
 * command.
 */
int uv_command_invoke(struct uverbs_attr_bundle *attrs, u32 command)
{
	const struct uv_cmd *cmd = cmd_find(attrs->ufile->device, command);

	if (IS_ERR(cmd))
		return PTR_ERR(cmd);
	if (attrs->ucore.inlen < cmd->req_size ||
	    attrs->ucore.outlen < cmd->resp_size)
		return -ENOSPC;
	return cmd_run(cmd, attrs);
}

static int get_headers(const struct uv_device *dev, const char __user *buf,
		       size_t count, struct ib_uverbs_cmd_hdr *hdr,
		       struct ib_uverbs_ex_cmd_hdr *ex,
		       const struct uv_cmd **cmd)
{
	if (count < sizeof(*hdr))
		return -EINVAL;
	if (copy_from_user(hdr, buf, sizeof(*hdr)))
		return -EFAULT;
	*cmd = cmd_find(dev, hdr->command);
	if (IS_ERR(*cmd))
		return PTR_ERR(*cmd);
	if (!(*cmd)->extended)
		return 0;

	if (count < sizeof(*hdr) + sizeof(*ex))
		return -EINVAL;
	return copy_from_user(ex, buf + sizeof(*hdr), sizeof(*ex)) ? -EFAULT :
								    0;
}

/**
 * uv_write - one command
 * @filp: open uverbs device
 * @buf: command
 * @count: its length
 * @pos: unused
 *
 * Return: @count, or -EACCES (not the process that opened it, or with other
 * credentials), -EINVAL, -ENOSPC, -EFAULT or -EOPNOTSUPP for its frame, or the
 * errno of the command.
 */
ssize_t uv_write(struct file *filp, const char __user *buf, size_t count,
		 loff_t *pos)
{
	struct ib_uverbs_file *file = filp->private_data;
	struct uverbs_attr_bundle attrs = { .ufile = file };
	struct ib_uverbs_ex_cmd_hdr ex = {};
	struct ib_uverbs_cmd_hdr hdr;
	const struct uv_cmd *cmd;
	struct uv_frame frame;
	u64 response;
	int ret;

	/* Data of a process with more rights could be made to name memory. */
	if (!ib_safe_file_access(filp)) {
		pr_err_once("%s[%d] writes to a uverbs device with other credentials than it was opened with\n",
			    current->comm, task_tgid_vnr(current));
		return -EACCES;
	}
	ret = get_headers(file->device, buf, count, &hdr, &ex, &cmd);
	if (ret)
		return ret;
	ret = uv_frame_parse(cmd, &hdr, &ex, count, &frame);
	if (ret)
		return ret;
	ret = get_response(cmd, &ex, &frame, buf, &response);
	if (ret)
		return ret;

	set_buffers(&attrs, &frame, buf, response);
	scoped_guard(srcu, &file->device->srcu)
		ret = cmd_run(cmd, &attrs);
	return ret ?: count;
}

#define OP(op) offsetof(struct ib_device_ops, op)

#define REQ(type) .req_size = sizeof(struct type)
#define RESP(type) .resp_size = sizeof(struct type), .has_resp = 1
#define EXTENDED .extended = 1
#define OF(what) .object = UVERBS_OBJECT_##what
#define UDATA .has_udata = 1
#define NEEDS(...) .needs = { __VA_ARGS__ }

const struct uv_cmd uv_legacy_cmds[UVERBS_API_WRITE_KEY_NUM] = {
	[IB_USER_VERBS_CMD_GET_CONTEXT] = {
		uv_get_context, OF(DEVICE), REQ(ib_uverbs_get_context),
		RESP(ib_uverbs_get_context_resp), UDATA,
	},
	[IB_USER_VERBS_CMD_QUERY_DEVICE] = {
		uv_query_device, OF(DEVICE), REQ(ib_uverbs_query_device),
		RESP(ib_uverbs_query_device_resp),
	},
	[IB_USER_VERBS_CMD_QUERY_PORT] = {
		uv_query_port, OF(DEVICE), REQ(ib_uverbs_query_port),
		RESP(ib_uverbs_query_port_resp), NEEDS(OP(query_port)),
	},
	[IB_USER_VERBS_CMD_ALLOC_PD] = {
		uv_alloc_pd, OF(PD), REQ(ib_uverbs_alloc_pd),
		RESP(ib_uverbs_alloc_pd_resp), UDATA, NEEDS(OP(alloc_pd)),
	},
	[IB_USER_VERBS_CMD_DEALLOC_PD] = {
		uv_dealloc_pd, OF(PD), REQ(ib_uverbs_dealloc_pd),
	},
	[IB_USER_VERBS_CMD_CREATE_AH] = {
		uv_create_ah, OF(AH), REQ(ib_uverbs_create_ah),
		RESP(ib_uverbs_create_ah_resp), UDATA,
		NEEDS(OP(create_user_ah)),
	},
	[IB_USER_VERBS_CMD_DESTROY_AH] = {
		uv_destroy_ah, OF(AH), REQ(ib_uverbs_destroy_ah),
	},
	[IB_USER_VERBS_CMD_REG_MR] = {
		uv_reg_mr, OF(MR), REQ(ib_uverbs_reg_mr),
		RESP(ib_uverbs_reg_mr_resp), UDATA, NEEDS(OP(reg_user_mr)),
	},
	[IB_USER_VERBS_CMD_REREG_MR] = {
		uv_rereg_mr, OF(MR), REQ(ib_uverbs_rereg_mr),
		RESP(ib_uverbs_rereg_mr_resp), UDATA, NEEDS(OP(rereg_user_mr)),
	},
	[IB_USER_VERBS_CMD_DEREG_MR] = {
		uv_dereg_mr, OF(MR), REQ(ib_uverbs_dereg_mr),
	},
	[IB_USER_VERBS_CMD_ALLOC_MW] = {
		uv_alloc_mw, OF(MW), REQ(ib_uverbs_alloc_mw),
		RESP(ib_uverbs_alloc_mw_resp), UDATA, NEEDS(OP(alloc_mw)),
	},
	[IB_USER_VERBS_CMD_DEALLOC_MW] = {
		uv_dealloc_mw, OF(MW), REQ(ib_uverbs_dealloc_mw),
	},
	[IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL] = {
		uv_create_comp_channel, OF(COMP_CHANNEL),
		REQ(ib_uverbs_create_comp_channel),
		RESP(ib_uverbs_create_comp_channel_resp),
	},
	[IB_USER_VERBS_CMD_CREATE_CQ] = {
		uv_create_cq, OF(CQ), REQ(ib_uverbs_create_cq),
		RESP(ib_uverbs_create_cq_resp), UDATA, NEEDS(OP(create_cq)),
	},
	[IB_USER_VERBS_CMD_RESIZE_CQ] = {
		uv_resize_cq, OF(CQ), REQ(ib_uverbs_resize_cq),
		RESP(ib_uverbs_resize_cq_resp), UDATA, NEEDS(OP(resize_cq)),
	},
	[IB_USER_VERBS_CMD_POLL_CQ] = {
		uv_poll_cq, OF(CQ), REQ(ib_uverbs_poll_cq),
		RESP(ib_uverbs_poll_cq_resp), NEEDS(OP(poll_cq)),
	},
	[IB_USER_VERBS_CMD_REQ_NOTIFY_CQ] = {
		uv_req_notify_cq, OF(CQ), REQ(ib_uverbs_req_notify_cq),
		NEEDS(OP(req_notify_cq)),
	},
	[IB_USER_VERBS_CMD_DESTROY_CQ] = {
		uv_destroy_cq, OF(CQ), REQ(ib_uverbs_destroy_cq),
		RESP(ib_uverbs_destroy_cq_resp),
	},
	[IB_USER_VERBS_CMD_CREATE_QP] = {
		uv_create_qp, OF(QP), REQ(ib_uverbs_create_qp),
		RESP(ib_uverbs_create_qp_resp), UDATA, NEEDS(OP(create_qp)),
	},
	[IB_USER_VERBS_CMD_OPEN_QP] = {
		uv_open_qp, OF(XRCD), REQ(ib_uverbs_open_qp),
		RESP(ib_uverbs_create_qp_resp), UDATA,
	},
	[IB_USER_VERBS_CMD_QUERY_QP] = {
		uv_query_qp, OF(QP), REQ(ib_uverbs_query_qp),
		RESP(ib_uverbs_query_qp_resp), NEEDS(OP(query_qp)),
	},
	[IB_USER_VERBS_CMD_MODIFY_QP] = {
		uv_modify_qp, OF(QP), REQ(ib_uverbs_modify_qp),
		NEEDS(OP(modify_qp)),
	},
	[IB_USER_VERBS_CMD_DESTROY_QP] = {
		uv_destroy_qp, OF(QP), REQ(ib_uverbs_destroy_qp),
		RESP(ib_uverbs_destroy_qp_resp),
	},
	[IB_USER_VERBS_CMD_POST_SEND] = {
		uv_post_send, OF(QP), REQ(ib_uverbs_post_send),
		RESP(ib_uverbs_post_send_resp), NEEDS(OP(post_send)),
	},
	[IB_USER_VERBS_CMD_POST_RECV] = {
		uv_post_recv, OF(QP), REQ(ib_uverbs_post_recv),
		RESP(ib_uverbs_post_recv_resp), NEEDS(OP(post_recv)),
	},
	[IB_USER_VERBS_CMD_ATTACH_MCAST] = {
		uv_attach_mcast, OF(QP), REQ(ib_uverbs_attach_mcast),
		NEEDS(OP(attach_mcast), OP(detach_mcast)),
	},
	[IB_USER_VERBS_CMD_DETACH_MCAST] = {
		uv_detach_mcast, OF(QP), REQ(ib_uverbs_detach_mcast),
		NEEDS(OP(detach_mcast)),
	},
	[IB_USER_VERBS_CMD_CREATE_SRQ] = {
		uv_create_srq, OF(SRQ), REQ(ib_uverbs_create_srq),
		RESP(ib_uverbs_create_srq_resp), UDATA, NEEDS(OP(create_srq)),
	},
	[IB_USER_VERBS_CMD_CREATE_XSRQ] = {
		uv_create_xsrq, OF(SRQ), REQ(ib_uverbs_create_xsrq),
		RESP(ib_uverbs_create_srq_resp), UDATA, NEEDS(OP(create_srq)),
	},
	[IB_USER_VERBS_CMD_MODIFY_SRQ] = {
		uv_modify_srq, OF(SRQ), REQ(ib_uverbs_modify_srq), UDATA,
		NEEDS(OP(modify_srq)),
	},
	[IB_USER_VERBS_CMD_QUERY_SRQ] = {
		uv_query_srq, OF(SRQ), REQ(ib_uverbs_query_srq),
		RESP(ib_uverbs_query_srq_resp), NEEDS(OP(query_srq)),
	},
	[IB_USER_VERBS_CMD_DESTROY_SRQ] = {
		uv_destroy_srq, OF(SRQ), REQ(ib_uverbs_destroy_srq),
		RESP(ib_uverbs_destroy_srq_resp),
	},
	[IB_USER_VERBS_CMD_POST_SRQ_RECV] = {
		uv_post_srq_recv, OF(SRQ), REQ(ib_uverbs_post_srq_recv),
		RESP(ib_uverbs_post_srq_recv_resp), NEEDS(OP(post_srq_recv)),
	},
	[IB_USER_VERBS_CMD_OPEN_XRCD] = {
		uv_open_xrcd, OF(XRCD), REQ(ib_uverbs_open_xrcd),
		RESP(ib_uverbs_open_xrcd_resp), UDATA, NEEDS(OP(alloc_xrcd)),
	},
	[IB_USER_VERBS_CMD_CLOSE_XRCD] = {
		uv_close_xrcd, OF(XRCD), REQ(ib_uverbs_close_xrcd),
	},
};

const struct uv_cmd uv_extended_cmds[UVERBS_API_WRITE_KEY_NUM] = {
	[IB_USER_VERBS_EX_CMD_QUERY_DEVICE] = {
		uv_ex_query_device, OF(DEVICE), EXTENDED,
		NEEDS(OP(query_device)),
	},
	[IB_USER_VERBS_EX_CMD_CREATE_CQ] = {
		uv_ex_create_cq, OF(CQ), EXTENDED, NEEDS(OP(create_cq)),
	},
	[IB_USER_VERBS_EX_CMD_MODIFY_CQ] = {
		uv_ex_modify_cq, OF(CQ), EXTENDED, NEEDS(OP(modify_cq)),
	},
	[IB_USER_VERBS_EX_CMD_CREATE_QP] = {
		uv_ex_create_qp, OF(QP), EXTENDED, NEEDS(OP(create_qp)),
	},
	[IB_USER_VERBS_EX_CMD_MODIFY_QP] = {
		uv_ex_modify_qp, OF(QP), EXTENDED, NEEDS(OP(modify_qp)),
	},
	[IB_USER_VERBS_EX_CMD_CREATE_FLOW] = {
		uv_ex_create_flow, OF(FLOW), EXTENDED, NEEDS(OP(create_flow)),
	},
	[IB_USER_VERBS_EX_CMD_DESTROY_FLOW] = {
		uv_ex_destroy_flow, OF(FLOW), EXTENDED,
	},
	[IB_USER_VERBS_EX_CMD_CREATE_WQ] = {
		uv_ex_create_wq, OF(WQ), EXTENDED, NEEDS(OP(create_wq)),
	},
	[IB_USER_VERBS_EX_CMD_MODIFY_WQ] = {
		uv_ex_modify_wq, OF(WQ), EXTENDED, NEEDS(OP(modify_wq)),
	},
	[IB_USER_VERBS_EX_CMD_DESTROY_WQ] = {
		uv_ex_destroy_wq, OF(WQ), EXTENDED,
	},
	[IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL] = {
		uv_ex_create_rwq_ind_table, OF(RWQ_IND_TBL), EXTENDED,
		NEEDS(OP(create_rwq_ind_table)),
	},
	[IB_USER_VERBS_EX_CMD_DESTROY_RWQ_IND_TBL] = {
		uv_ex_destroy_rwq_ind_table, OF(RWQ_IND_TBL), EXTENDED,
	},
};
