// SPDX-License-Identifier: GPL-2.0
/*
 * Commands: the frame, and the table.
 */
#include <linux/fs.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>
#include <rdma/ib.h>

#include "ucm.h"

/* Each of these has one layout for programs of 32 and of 64 bits. */
static_assert(sizeof(struct ib_ucm_cmd_hdr) == 8);
static_assert(sizeof(struct ib_ucm_listen) == 24);
static_assert(sizeof(struct ib_ucm_private_data) == 16);
static_assert(sizeof(struct ib_ucm_req) == 64);
static_assert(sizeof(struct ib_ucm_rep) == 40);
static_assert(sizeof(struct ib_ucm_info) == 32);
static_assert(sizeof(struct ib_ucm_mra) == 16);
static_assert(sizeof(struct ib_ucm_sidr_req) == 40);
static_assert(sizeof(struct ib_ucm_sidr_rep) == 40);
static_assert(sizeof(struct ib_ucm_event_get) == 32);
static_assert(sizeof(struct ib_ucm_attr_id_resp) == 24);
static_assert(sizeof(struct ib_user_path_rec) == 64);
static_assert(sizeof(struct ib_ucm_event_resp) == 192);

/* Members of the request that a command has: bits. */
enum ucm_has {
	UCM_HAS_ID = BIT(0),
	UCM_HAS_DATA = BIT(1),
	UCM_HAS_INFO = BIT(2),
	UCM_HAS_PATH = BIT(3),
	UCM_HAS_ALTERNATE = BIT(4),
};

/**
 * struct ucm_cmd - a command
 * @run: the command, or NULL: there is none
 * @in_size: bytes of the request
 * @out_size: bytes of the response
 * @has: what the request has; where, the offsets below tell
 * @id: the number of an id
 * @response: address for the response
 * @data: address of private data
 * @data_len: how much there is
 * @info: address of additional information
 * @info_len: how much there is
 * @path: addresses of paths
 */
struct ucm_cmd {
	int (*run)(struct ucm_id *id, struct ucm_call *call);
	u8 in_size;
	u8 out_size;
	u8 has;
	u8 id;
	u8 response;
	u8 data;
	u8 data_len;
	u8 info;
	u8 info_len;
	u8 path[UCM_PATHS];
};

#define AT(type, member) offsetof(struct ib_ucm_##type, member)
#define REQUEST(type) .in_size = sizeof(struct ib_ucm_##type)
#define RESPONSE(type, resp) \
	.out_size = sizeof(struct resp), .response = AT(type, response)
#define ON_ID(type, more) REQUEST(type), .id = AT(type, id), .has = UCM_HAS_ID | (more)
#define DATA(type, len) .data = AT(type, data), .data_len = AT(type, len)
#define INFO(type) .info = AT(type, info), .info_len = AT(type, info_len)
#define PRIVATE(name) \
	{ name, ON_ID(private_data, UCM_HAS_DATA), DATA(private_data, len) }

/* The kernel's CM has no call for SEND_LAP and SEND_APR. */
static const struct ucm_cmd commands[] = {
	[IB_USER_CM_CMD_CREATE_ID] = {
		ucm_create_id, REQUEST(create_id), RESPONSE(create_id, ib_ucm_create_id_resp),
	},
	[IB_USER_CM_CMD_DESTROY_ID] = {
		ucm_destroy_id, ON_ID(destroy_id, 0), RESPONSE(destroy_id, ib_ucm_destroy_id_resp),
	},
	[IB_USER_CM_CMD_ATTR_ID] = {
		ucm_attr_id, ON_ID(attr_id, 0), RESPONSE(attr_id, ib_ucm_attr_id_resp),
	},
	[IB_USER_CM_CMD_LISTEN] = { ucm_listen, ON_ID(listen, 0) },
	[IB_USER_CM_CMD_NOTIFY] = { ucm_notify, ON_ID(notify, 0) },
	[IB_USER_CM_CMD_SEND_REQ] = {
		ucm_send_req, ON_ID(req, UCM_HAS_DATA | UCM_HAS_PATH | UCM_HAS_ALTERNATE),
		DATA(req, len), .path = { AT(req, primary_path), AT(req, alternate_path) },
	},
	[IB_USER_CM_CMD_SEND_REP] = { ucm_send_rep, ON_ID(rep, UCM_HAS_DATA), DATA(rep, len) },
	[IB_USER_CM_CMD_SEND_RTU] = PRIVATE(ucm_send_rtu),
	[IB_USER_CM_CMD_SEND_DREQ] = PRIVATE(ucm_send_dreq),
	[IB_USER_CM_CMD_SEND_DREP] = PRIVATE(ucm_send_drep),
	[IB_USER_CM_CMD_SEND_REJ] = {
		ucm_send_rej, ON_ID(info, UCM_HAS_DATA | UCM_HAS_INFO), DATA(info, data_len),
		INFO(info),
	},
	[IB_USER_CM_CMD_SEND_MRA] = { ucm_send_mra, ON_ID(mra, UCM_HAS_DATA), DATA(mra, len) },
	[IB_USER_CM_CMD_SEND_SIDR_REQ] = {
		ucm_send_sidr_req, ON_ID(sidr_req, UCM_HAS_DATA | UCM_HAS_PATH),
		DATA(sidr_req, len), .path = { AT(sidr_req, path) },
	},
	[IB_USER_CM_CMD_SEND_SIDR_REP] = {
		ucm_send_sidr_rep, ON_ID(sidr_rep, UCM_HAS_DATA | UCM_HAS_INFO),
		DATA(sidr_rep, data_len), INFO(sidr_rep),
	},
	[IB_USER_CM_CMD_EVENT] = {
		/* Without an id, and without the lock. */
		.in_size = sizeof(struct ib_ucm_event_get),
		.out_size = sizeof(struct ib_ucm_event_resp),
	},
	[IB_USER_CM_CMD_INIT_QP_ATTR] = {
		ucm_init_qp_attr, ON_ID(init_qp_attr, 0),
		RESPONSE(init_qp_attr, ib_uverbs_qp_attr),
	},
};

/* ---- a request ------------------------------------------------------------------ */

static u64 ucm_u64_at(const struct ucm_call *call, u8 at)
{
	u64 value;

	memcpy(&value, (const u8 *)&call->req + at, sizeof(value));
	return value;
}

static u32 ucm_u32_at(const struct ucm_call *call, u8 at)
{
	u32 value;

	memcpy(&value, (const u8 *)&call->req + at, sizeof(value));
	return value;
}

/* Bytes in the program that the request points to. Return: how many, -EINVAL or -EFAULT. */
static int ucm_read_bytes(struct ucm_call *call, u8 *to, size_t most, u8 at, u8 len_at)
{
	const u8 len = ((const u8 *)&call->req)[len_at];

	if (len > most)
		return ucm_refuse(call->file, -EINVAL, "%u bytes for a message, %zu are the most",
				  len, most);
	return copy_from_user(to, u64_to_user_ptr(ucm_u64_at(call, at)), len) ? -EFAULT : len;
}

static int ucm_read_path(struct ucm_call *call, u32 which, u8 at)
{
	const u64 from = ucm_u64_at(call, at);

	if (!from)
		return 0;
	call->paths |= BIT(which);
	return copy_from_user(&call->path[which], u64_to_user_ptr(from),
			      sizeof(call->path[which])) ? -EFAULT : 0;
}

/* All that the program has for the command, so that none of it is read with a lock held. */
static int ucm_read_parts(const struct ucm_cmd *cmd, struct ucm_call *call)
{
	int ret = 0;

	if (cmd->has & UCM_HAS_DATA) {
		ret = ucm_read_bytes(call, call->data, sizeof(call->data), cmd->data,
				     cmd->data_len);
		if (ret < 0)
			return ret;
		call->data_len = ret;
	}
	if (cmd->has & UCM_HAS_INFO) {
		ret = ucm_read_bytes(call, call->info, sizeof(call->info), cmd->info,
				     cmd->info_len);
		if (ret < 0)
			return ret;
		call->info_len = ret;
	}
	ret = 0;
	if (cmd->has & UCM_HAS_PATH)
		ret = ucm_read_path(call, 0, cmd->path[0]);
	if (!ret && cmd->has & UCM_HAS_ALTERNATE)
		ret = ucm_read_path(call, 1, cmd->path[1]);
	return ret;
}

/* ---- a command -------------------------------------------------------------------- */

static int ucm_run(const struct ucm_cmd *cmd, struct ucm_call *call)
{
	struct ucm_id *id = NULL;
	u32 number;

	guard(mutex)(&call->file->lock);
	if (call->file->dead)
		return -EIO;
	if (cmd->has & UCM_HAS_ID) {
		number = ucm_u32_at(call, cmd->id);
		id = ucm_id_find(call->file, number);
		if (!id)
			return ucm_refuse(call->file, -ENOENT, "there is no id %u", number);
	}
	return cmd->run(id, call);
}

/* The program could not be told of its new id. */
static void ucm_undo_create(struct ucm_call *call)
{
	struct ucm_id *id;

	guard(mutex)(&call->file->lock);
	id = ucm_id_find(call->file, call->resp.create_id.id);
	if (id)
		ucm_id_end(id);
}

static int ucm_do(const struct ucm_cmd *cmd, struct ucm_call *call)
{
	int ret;

	if (cmd == &commands[IB_USER_CM_CMD_EVENT])
		return ucm_read(call);
	ret = ucm_read_parts(cmd, call);
	if (!ret)
		ret = ucm_run(cmd, call);
	if (ret || !cmd->out_size)
		return ret;
	if (!copy_to_user(u64_to_user_ptr(ucm_u64_at(call, cmd->response)), &call->resp,
			  cmd->out_size))
		return 0;
	if (cmd->run == ucm_create_id)
		ucm_undo_create(call);
	return -EFAULT;
}

/* The command of a header, or NULL: the kernel's CM has none for it. */
static const struct ucm_cmd *ucm_cmd_of(const struct ib_ucm_cmd_hdr *hdr)
{
	const struct ucm_cmd *cmd = &commands[array_index_nospec(hdr->cmd, ARRAY_SIZE(commands))];

	return cmd->in_size ? cmd : NULL;
}

/**
 * ucm_write - a command
 * @filp: the node
 * @buf: struct ib_ucm_cmd_hdr and the request
 * @count: bytes of both, or more
 * @pos: unused
 *
 * Return: @count; -EACCES (written with other credentials than opened with), -EINVAL (no such
 * command, or less than it has), -ENOSYS (SEND_LAP, SEND_APR), -ENOSPC (no room for the response),
 * -EFAULT, -EIO (the device is gone), -ENOENT (no such id), or the command's own.
 */
ssize_t ucm_write(struct file *filp, const char __user *buf, size_t count, loff_t *pos)
{
	struct ucm_call call = {
		.file = filp->private_data,
		.nonblock = filp->f_flags & O_NONBLOCK,
	};
	const struct ucm_cmd *cmd;
	struct ib_ucm_cmd_hdr hdr;
	int ret;

	/* Or a program with more rights could be made to write for another. */
	if (!ib_safe_file_access(filp))
		return -EACCES;
	if (count < sizeof(hdr))
		return -EINVAL;
	if (copy_from_user(&hdr, buf, sizeof(hdr)))
		return -EFAULT;
	if (hdr.cmd >= ARRAY_SIZE(commands) || count - sizeof(hdr) < hdr.in)
		return ucm_refuse(call.file, -EINVAL, "command %u, %u of %zu bytes", hdr.cmd,
				  hdr.in, count);
	cmd = ucm_cmd_of(&hdr);
	if (!cmd)
		return -ENOSYS;
	if (hdr.in < cmd->in_size)
		return ucm_refuse(call.file, -EINVAL, "command %u: %u bytes, it has %u", hdr.cmd,
				  hdr.in, cmd->in_size);
	if (hdr.out < cmd->out_size)
		return ucm_refuse(call.file, -ENOSPC, "command %u: the response has %u bytes",
				  hdr.cmd, cmd->out_size);
	if (copy_from_user(&call.req, buf + sizeof(hdr), cmd->in_size))
		return -EFAULT;

	ret = ucm_do(cmd, &call);
	if (ret)
		return ucm_refuse(call.file, ret, "command %u refused: %d", hdr.cmd, ret);
	return count;
}
