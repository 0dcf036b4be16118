// SPDX-License-Identifier: GPL-2.0
/*
 * A CQ of iWARP tells of each completion: the command that would change that is refused. No
 * library has it for such a device, but any program can make the call.
 *
 * usage: iw_modify_cq DEVICE
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "innocent.h"
#include "raw_command.h"
#include "verdict.h"

int main(int argc, char **argv)
{
	struct ib_uverbs_ex_modify_cq cmd = { .attr_mask = 1, .attr = { 0xffff, 0xffff } };
	struct ibv_context *ctx = open_named(argc == 2 ? argv[1] : "");
	struct ibv_cq *cq = ctx ? ibv_create_cq(ctx, 10, NULL, NULL, 0) : NULL;

	if (!cq)
		return 2;
	cmd.cq_handle = cq->handle;
	EXPECT("moderation is refused", -RV_EXT_QUIET(ctx->cmd_fd, MODIFY_CQ, cmd), EOPNOTSUPP);
	EXPECT("the CQ is whole", ibv_req_notify_cq(cq, 0), 0);
	EXPECT("and goes", ibv_destroy_cq(cq), 0);
	return verdict();
}
