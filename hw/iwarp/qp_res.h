/* SPDX-License-Identifier: GPL-2.0 */
/* The state of a queue pair, as netlink tells it. */
#ifndef OFED_IW_QP_RES_H
#define OFED_IW_QP_RES_H

struct ib_device_ops;
extern const struct ib_device_ops iw_res_ops;

#endif /* OFED_IW_QP_RES_H */
