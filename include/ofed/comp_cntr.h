/* SPDX-License-Identifier: GPL-2.0 */
/* Completion counters, where the kernel has them. */
#ifndef OFED_COMP_CNTR_H
#define OFED_COMP_CNTR_H

#include <linux/types.h>

struct ib_comp_cntr;
struct ib_device;
struct ib_qp;
struct ib_uobject;
struct uverbs_attr_bundle;

struct ib_comp_cntr *ofed_create_comp_cntr(struct ib_device *device, struct ib_uobject *uobject,
					   struct uverbs_attr_bundle *attrs);
int ofed_destroy_comp_cntr(struct ib_comp_cntr *cntr);
int ofed_qp_attach_comp_cntr(struct ib_qp *qp, struct ib_comp_cntr *cntr, u32 op_mask);
void ofed_qp_put_cntrs(struct ib_qp *qp);

#endif /* OFED_COMP_CNTR_H */
