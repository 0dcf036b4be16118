/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OFED_CM_SERVICE_H
#define OFED_CM_SERVICE_H

#include <rdma/ib_sa.h>

struct rdma_ucm_ib_service;
struct sa_service_rec;

int cma_service_wanted(const struct rdma_ucm_ib_service *ibs, struct sa_service_rec *rec,
		       ib_sa_comp_mask *mask);

#endif /* OFED_CM_SERVICE_H */
