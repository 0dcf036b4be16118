/* SPDX-License-Identifier: GPL-2.0 */
/* What administrators set over netlink and others obey. */
#ifndef OFED_NLDEV_H
#define OFED_NLDEV_H

#include <linux/types.h>

/**
 * ofed_privileged_qkey_allowed - may any process use a controlled Q_Key?
 *
 * A Q_Key with its top bit set is controlled: without this, user space needs
 * CAP_NET_RAW to set one in a QP. Context: any.
 * Return: true if "rdma system set privileged-qkey on" was done.
 */
bool ofed_privileged_qkey_allowed(void);

#endif /* OFED_NLDEV_H */
