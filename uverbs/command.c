// SPDX-License-Identifier: GPL-2.0
/*
 * Commands: which of them a device has, and how one is run. cmd/table.c says which there can
 * be, the tree of a device which it has.
 */
#include <linux/nospec.h>
#include <rdma/ib.h>

#include "ioctl/uapi.h"

/* An object that the command has made becomes the file's, or nothing. */
static void uv_finish_object(struct uverbs_attr_bundle *attrs, int ret)
{
	if (!attrs->uobject)
		return;
	if (ret)
		uv_uobj_abort(attrs->uobject, attrs);
	else
		uv_uobj_commit(attrs->uobject);
}

/* The buffers of @attrs are set. */
int uv_cmd_run(const struct uv_cmd *cmd, struct uverbs_attr_bundle *attrs)
{
	int ret;

	if (!cmd->run)
		return uv_refuse(attrs->ufile, -EOPNOTSUPP,
				 "a command that the device lacks");
	if (cmd->of_driver && !uv_ib_dev(attrs->ufile->device))
		return uv_refuse(attrs->ufile, -EIO, "the device is gone");
	ret = cmd->run(attrs);
	ofed_umem_claim(&to_uv_file(attrs->ufile)->umems);
	uv_finish_object(attrs, ret);
	return ret;
}

static const struct uv_cmd no_cmd;

/* @number is the program's, also where the processor only guesses the branch. */
static const struct uv_cmd *uv_cmd_at(const struct uv_cmd *const *cmds, u32 count, u32 number)
{
	if (number >= count)
		return ERR_PTR(-EOPNOTSUPP);
	return cmds[array_index_nospec(number, count)] ?: &no_cmd;
}

/*
 * The frame of a command that a driver does not serve is judged first, unless
 * its number lies behind all that the driver does serve.
 */
const struct uv_cmd *uv_cmd_find(const struct ib_uverbs_device *dev, u32 command)
{
	const u32 number = command & IB_USER_VERBS_CMD_COMMAND_MASK;
	const struct uv_api *api = dev->api;

	if (command & ~(IB_USER_VERBS_CMD_COMMAND_MASK |
			IB_USER_VERBS_CMD_FLAG_EXTENDED))
		return ERR_PTR(-EINVAL);
	if (command & IB_USER_VERBS_CMD_FLAG_EXTENDED)
		return uv_cmd_at(api->extended, api->num_extended, number);
	return uv_cmd_at(api->legacy, api->num_legacy, number);
}

/* Whether the device has a legacy command. */
bool uv_has_command(const struct ib_uverbs_device *dev, u32 number)
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
	const struct uv_cmd *cmd = uv_cmd_find(attrs->ufile->device, command);

	if (IS_ERR(cmd))
		return uv_refuse(attrs->ufile, PTR_ERR(cmd),
				 "there is no command 0x%x", command);
	if (attrs->ucore.inlen < cmd->req_size ||
	    attrs->ucore.outlen < cmd->resp_size)
		return uv_refuse(attrs->ufile, -ENOSPC,
				 "command 0x%x: %zu bytes in, %zu out, at least %u and %u",
				 command, attrs->ucore.inlen,
				 attrs->ucore.outlen, cmd->req_size,
				 cmd->resp_size);
	return uv_cmd_run(cmd, attrs);
}
