// SPDX-License-Identifier: GPL-2.0
/* write(): from the frame of a command to its handler and back. */
#include <linux/sched.h>
#include <rdma/ib.h>

#include "ioctl/uapi.h"

static void uv_set_in(struct ib_udata *udata, const void __user *buf, size_t len)
{
	udata->inbuf = len ? buf : NULL;
	udata->inlen = len;
}

static void uv_set_out(struct ib_udata *udata, u64 response, size_t len)
{
	udata->outbuf = len ? u64_to_user_ptr(response) : NULL;
	udata->outlen = len;
}

static void uv_set_buffers(struct uverbs_attr_bundle *attrs,
			   const struct uv_frame *frame, const char __user *buf,
			   u64 response)
{
	buf += frame->start;
	uv_set_in(&attrs->ucore, buf, frame->core_in);
	uv_set_in(&attrs->driver_udata, buf + frame->core_in, frame->drv_in);
	uv_set_out(&attrs->ucore, response, frame->core_out);
	uv_set_out(&attrs->driver_udata, response + frame->core_out,
		   frame->drv_out);
}

/* Where the response goes. Legacy requests begin with it. */
static int uv_get_response(const struct uv_cmd *cmd,
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

static int uv_get_headers(const struct ib_uverbs_device *dev, const char __user *buf,
			  size_t count, struct ib_uverbs_cmd_hdr *hdr,
			  struct ib_uverbs_ex_cmd_hdr *ex,
			  const struct uv_cmd **cmd)
{
	if (count < sizeof(*hdr))
		return -EINVAL;
	if (copy_from_user(hdr, buf, sizeof(*hdr)))
		return -EFAULT;
	*cmd = uv_cmd_find(dev, hdr->command);
	if (IS_ERR(*cmd))
		return PTR_ERR(*cmd);
	if (!(*cmd)->extended)
		return 0;

	if (count < sizeof(*hdr) + sizeof(*ex))
		return -EINVAL;
	return copy_from_user(ex, buf + sizeof(*hdr), sizeof(*ex)) ? -EFAULT :
								    0;
}

/* As uv_write(), of a caller that may. */
static noinline ssize_t uv_write_command(struct ib_uverbs_file *file, const char __user *buf,
					 size_t count)
{
	struct uverbs_attr_bundle attrs = { .ufile = file };
	struct ib_uverbs_ex_cmd_hdr ex = {};
	struct ib_uverbs_cmd_hdr hdr;
	const struct uv_cmd *cmd;
	struct uv_frame frame;
	u64 response;
	int ret;

	ret = uv_get_headers(file->device, buf, count, &hdr, &ex, &cmd);
	if (ret)
		return uv_refuse(file, ret, "%zu bytes are no command", count);
	ret = uv_frame_parse(cmd, &hdr, &ex, count, &frame);
	if (ret)
		return uv_refuse(file, ret, "command 0x%x: %zu bytes, headers of %u words in and %u out",
				 hdr.command, count, hdr.in_words, hdr.out_words);
	ret = uv_get_response(cmd, &ex, &frame, buf, &response);
	if (ret)
		return ret;

	uv_set_buffers(&attrs, &frame, buf, response);
	scoped_guard(srcu, &file->device->srcu)
		ret = uv_cmd_run(cmd, &attrs);
	return ret ?: count;
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
	bool rang;
	int ret;

	/* Data of a process with more rights could be made to name memory. */
	if (!ib_safe_file_access(filp)) {
		pr_err_once("%s[%d] writes to a uverbs device with other credentials than it was opened with\n",
			    current->comm, task_tgid_vnr(current));
		return -EACCES;
	}
	if (count == UV_BELL_BYTES) {
		scoped_guard(srcu, &file->device->srcu)
			rang = uv_bell_ring(file, buf, &ret);
		if (rang)
			return ret ?: count;
	}
	return uv_write_command(file, buf, count);
}
