// SPDX-License-Identifier: GPL-2.0
/* A driver's part of an answer about an object. */
#include <linux/export.h>
#include <net/netlink.h>
#include <rdma/rdma_netlink.h>

#include "res.h"

/**
 * soft_fill_res - append the details of an object
 * @msg: answer
 * @put: appends them by rdma_nl_put_driver_u32() and the like; 0, or an errno when there is no
 *	 room
 * @of: the object
 *
 * Context: that of @put.
 *
 * Return: 0, or -EMSGSIZE: @msg is as it was.
 */
int soft_fill_res(struct sk_buff *msg,
		  int (*put)(struct sk_buff *msg, void *of), void *of)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);

	if (!table)
		return -EMSGSIZE;
	if (put(msg, of)) {
		nla_nest_cancel(msg, table);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, table);
	return 0;
}
EXPORT_SYMBOL_GPL(soft_fill_res);
