/* SPDX-License-Identifier: GPL-2.0 */
/* What both parts of the R/W API use: its transfers (rw.c), its QPs (rw_qp.c). */
#ifndef OFED_CORE_RW_H
#define OFED_CORE_RW_H

#include <rdma/ib_verbs.h>

/* Module parameter: registered memory for every transfer. */
extern bool ofed_rw_force_mr;

u32 ofed_rw_region_pages(const struct ib_device *device, bool integrity);

#endif /* OFED_CORE_RW_H */
