// SPDX-License-Identifier: GPL-2.0
/*
 * Commands: the frame, and the table.
 */
#include <linux/fs.h>
#include <linux/nospec.h>
#include <rdma/ib.h>

#include "ucma.h"

/**
 * struct ucma_cmd - a command
 * @run: the command
 * @in_size: bytes of the request
 * @in_min: the request may be shorter than that, but not than this; 0 means that
 *	    it never was, and is read whole whatever length the header says
 * @out_min: bytes of the response that must fit, if that is all to check
 */
struct ucma_cmd {
	int (*run)(struct ucma_call *call);
	u16 in_size;
	u16 in_min;
	u16 out_min;
};

#define REQUEST(type) .in_size = sizeof(struct rdma_ucm_##type)
#define RESPONSE(type) .out_min = sizeof(struct rdma_ucm_##type)
/* What follows the reserved word came later. */
#define GREW(type) \
	.in_min = offsetofend(struct rdma_ucm_##type, reserved)
/* A command that not every kernel has. */
#define NEW_COMMAND(number, name) \
	[RDMA_USER_CM_CMD_##number] = { ucma_##name, REQUEST(name) },

static const struct ucma_cmd commands[] = {
	[RDMA_USER_CM_CMD_CREATE_ID] = {
		ucma_create_id, REQUEST(create_id), RESPONSE(create_id_resp),
	},
	[RDMA_USER_CM_CMD_DESTROY_ID] = {
		ucma_destroy_id, REQUEST(destroy_id), RESPONSE(destroy_id_resp),
	},
	[RDMA_USER_CM_CMD_BIND_IP] = { ucma_bind_ip, REQUEST(bind_ip) },
	[RDMA_USER_CM_CMD_RESOLVE_IP] = { ucma_resolve_ip, REQUEST(resolve_ip) },
	[RDMA_USER_CM_CMD_RESOLVE_ROUTE] = {
		ucma_resolve_route, REQUEST(resolve_route),
	},
	[RDMA_USER_CM_CMD_QUERY_ROUTE] = {
		ucma_query_route, REQUEST(query),
		.out_min = offsetof(struct rdma_ucm_query_route_resp,
				    ibdev_index),
	},
	[RDMA_USER_CM_CMD_CONNECT] = {
		ucma_connect, REQUEST(connect), GREW(connect),
	},
	[RDMA_USER_CM_CMD_LISTEN] = { ucma_listen, REQUEST(listen) },
	[RDMA_USER_CM_CMD_ACCEPT] = {
		ucma_accept, REQUEST(accept), GREW(accept),
	},
	[RDMA_USER_CM_CMD_REJECT] = { ucma_reject, REQUEST(reject) },
	[RDMA_USER_CM_CMD_DISCONNECT] = { ucma_disconnect, REQUEST(disconnect) },
	[RDMA_USER_CM_CMD_INIT_QP_ATTR] = {
		ucma_init_qp_attr, REQUEST(init_qp_attr),
		.out_min = sizeof(struct ib_uverbs_qp_attr),
	},
	[RDMA_USER_CM_CMD_GET_EVENT] = {
		ucma_get_event, REQUEST(get_event),
		/* 32-bit programs once had no padding at its end. */
		.out_min = offsetof(struct rdma_ucm_event_resp, reserved),
	},
	[RDMA_USER_CM_CMD_SET_OPTION] = { ucma_set_option, REQUEST(set_option) },
	[RDMA_USER_CM_CMD_NOTIFY] = { ucma_notify, REQUEST(notify) },
	[RDMA_USER_CM_CMD_JOIN_IP_MCAST] = {
		ucma_join_ip_mcast, REQUEST(join_ip_mcast),
	},
	[RDMA_USER_CM_CMD_LEAVE_MCAST] = {
		ucma_leave_mcast, REQUEST(destroy_id), RESPONSE(destroy_id_resp),
	},
	[RDMA_USER_CM_CMD_MIGRATE_ID] = { ucma_migrate_id, REQUEST(migrate_id) },
	[RDMA_USER_CM_CMD_QUERY] = { ucma_query, REQUEST(query) },
	[RDMA_USER_CM_CMD_BIND] = { ucma_bind, REQUEST(bind) },
	[RDMA_USER_CM_CMD_RESOLVE_ADDR] = {
		ucma_resolve_addr, REQUEST(resolve_addr),
	},
	[RDMA_USER_CM_CMD_JOIN_MCAST] = { ucma_join_mcast, REQUEST(join_mcast) },
	COMPAT_UCMA_COMMANDS(NEW_COMMAND)
};

/* Read the request behind a header that is @in_len bytes of it long. */
static int ucma_read_request(const struct ucma_cmd *cmd, struct ucma_call *call,
			     const char __user *from, u16 in_len)
{
	size_t size = cmd->in_size;

	if (call->out_len < cmd->out_min)
		return -ENOSPC;
	if (in_len < cmd->in_min)
		return -EINVAL;
	if (cmd->in_min)
		size = min_t(size_t, size, in_len);
	memset(&call->req, 0, sizeof(call->req));
	return copy_from_user(&call->req, from, size) ? -EFAULT : 0;
}

/**
 * ucma_write - a command
 * @filp: the node
 * @buf: struct rdma_ucm_cmd_hdr and the request
 * @count: bytes of both, or more
 * @pos: unused
 *
 * Return: @count; -EACCES (written with other credentials than opened with),
 * -EINVAL (no such command, or less than the header says), -ENOSYS (a command
 * that never was), -EFAULT, -ENOSPC (no room for the response), or the command's
 * own.
 */
ssize_t ucma_write(struct file *filp, const char __user *buf, size_t count,
		   loff_t *pos)
{
	struct rdma_ucm_cmd_hdr hdr;
	const struct ucma_cmd *cmd;
	struct ucma_call call;
	int ret;

	/* Or a program with more rights could be made to write for another. */
	if (!ib_safe_file_access(filp))
		return -EACCES;
	if (count < sizeof(hdr))
		return -EINVAL;
	if (copy_from_user(&hdr, buf, sizeof(hdr)))
		return -EFAULT;
	if (hdr.cmd >= ARRAY_SIZE(commands) ||
	    count - sizeof(hdr) < hdr.in)
		return -EINVAL;
	cmd = &commands[array_index_nospec(hdr.cmd, ARRAY_SIZE(commands))];
	if (!cmd->run)
		return -ENOSYS;

	call.file = filp->private_data;
	call.nonblock = filp->f_flags & O_NONBLOCK;
	call.out_len = hdr.out;
	ret = ucma_read_request(cmd, &call, buf + sizeof(hdr), hdr.in);
	if (!ret)
		ret = cmd->run(&call);
	if (ret < 0)
		pr_debug("rdma_ucm: command %u refused: %d\n", hdr.cmd, ret);
	return ret ?: count;
}
