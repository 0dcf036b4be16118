/* SPDX-License-Identifier: GPL-2.0 */
/* rdma_cm, as ofed_ucma sees it besides <rdma/rdma_cm.h>. */
#ifndef OFED_CMA_H
#define OFED_CMA_H

#include <rdma/rdma_cm.h>

void ofed_cma_leave(struct rdma_cm_id *id, const void *context);
void ofed_cma_close_to_programs(struct ib_device *device);

#endif /* OFED_CMA_H */
