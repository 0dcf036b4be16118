/* SPDX-License-Identifier: GPL-2.0 */
/* The state of a queue pair, as netlink tells it. */
#ifndef IBT_QP_RES_H
#define IBT_QP_RES_H

struct ib_device_ops;
extern const struct ib_device_ops ibt_res_ops;

#endif /* IBT_QP_RES_H */
