/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The call that tells the kernel module of requests in a send queue. */
#ifndef LIB_DOORBELL_H
#define LIB_DOORBELL_H

#include <errno.h>
#include <unistd.h>

#include <infiniband/driver.h>

/* A command without requests: they are in the queue. Returns 0 or an errno. */
static inline int lib_ring_doorbell(struct ibv_qp *qp)
{
	struct ib_uverbs_post_send_resp resp;
	struct ibv_post_send cmd = {
		.hdr = {
			.command = IB_USER_VERBS_CMD_POST_SEND,
			.in_words = sizeof(cmd) / 4,
			.out_words = sizeof(resp) / 4,
		},
		.response = (uintptr_t)&resp,
		.qp_handle = qp->handle,
		.wqe_size = sizeof(struct ib_uverbs_send_wr),
	};
	ssize_t done = write(qp->context->cmd_fd, &cmd, sizeof(cmd));

	if (done == sizeof(cmd))
		return 0;
	return done < 0 ? errno : EIO;
}

#endif /* LIB_DOORBELL_H */
