/* SPDX-License-Identifier: GPL-2.0 */
/* What the iWARP CM asks of the driver. */
#ifndef OFED_IW_CM_H
#define OFED_IW_CM_H

#include <rdma/ib_verbs.h>
#include <rdma/iw_cm.h>

/* cm.c */
extern const struct ib_device_ops iw_cm_ops;

/* cm_listen.c */
int iw_create_listen(struct iw_cm_id *cm_id, int backlog);
int iw_destroy_listen(struct iw_cm_id *cm_id);

#endif /* OFED_IW_CM_H */
