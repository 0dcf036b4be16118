/* SPDX-License-Identifier: GPL-2.0 */
/* What a client with a character device tells netlink about it. */
#ifndef OFED_CLIENT_H
#define OFED_CLIENT_H

#include <linux/device.h>
#include <linux/skbuff.h>
#include <rdma/ib_verbs.h>

/**
 * struct ib_client_nl_info - one answer to RDMA_NLDEV_CMD_GET_CHARDEV
 * @nl_msg: reply under construction, for attributes of the client's own;
 *	    NULL when only the device node is wanted
 * @cdev: out: the class device of the node, with a reference
 * @port: in: port number, or -1 when the asker named none
 * @abi: out: ABI number of the node
 *
 * <rdma/ib_verbs.h> names this struct without a body; stock clients (ib_umad)
 * fill it, so the layout is ABI.
 */
struct ib_client_nl_info {
	struct sk_buff *nl_msg;
	struct device *cdev;
	u32 port;
	u64 abi;
};

#endif /* OFED_CLIENT_H */
