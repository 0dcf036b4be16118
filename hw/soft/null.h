/* SPDX-License-Identifier: GPL-2.0 */
/* The null region of a device. */
#ifndef OFED_SOFT_NULL_H
#define OFED_SOFT_NULL_H

#include <rdma/uverbs_ioctl.h>

#include "mr_table.h"

struct soft_spot;

int soft_null_init(struct soft_mem *mem);
void soft_null_exit(struct soft_mem *mem);
void soft_null_spot(u64 want, bool write, struct soft_spot *spot);

/* What a program is told of it by ioctl(). */
extern const struct uapi_definition soft_null_defs[];

#endif /* OFED_SOFT_NULL_H */
