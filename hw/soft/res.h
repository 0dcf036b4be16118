/* SPDX-License-Identifier: GPL-2.0 */
/* A driver's part of an answer about an object (RDMA_NLDEV_ATTR_DRIVER). */
#ifndef OFED_SOFT_RES_H
#define OFED_SOFT_RES_H

struct sk_buff;

int soft_fill_res(struct sk_buff *msg,
		  int (*put)(struct sk_buff *msg, void *of), void *of);

#endif /* OFED_SOFT_RES_H */
