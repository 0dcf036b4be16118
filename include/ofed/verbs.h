/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Verbs with an owner in user space. <rdma/ib_verbs.h> has the kernel
 * flavours of these; ofed_uverbs needs the same checks, the same use counts
 * and the same accounting, plus a uobject and driver data.
 *
 * Context of all of them: process, may sleep. @udata, where a driver gets one,
 * sits in a uverbs_attr_bundle (design.md section 2).
 */
#ifndef OFED_VERBS_H
#define OFED_VERBS_H

#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>

struct ib_dmah;
#include <rdma/uverbs_ioctl.h>

struct ib_pd *ofed_alloc_user_pd(struct ib_device *device,
				 struct ib_uobject *uobject,
				 struct ib_udata *udata);

struct ib_cq *ofed_create_user_cq(struct ib_device *device,
				  const struct ib_cq_init_attr *attr,
				  ib_comp_handler comp_handler,
				  void (*event_handler)(struct ib_event *,
							void *),
				  void *cq_context,
				  struct ib_ucq_object *uobject,
				  struct uverbs_attr_bundle *attrs);

struct ib_qp *ofed_create_user_qp(struct ib_device *device, struct ib_pd *pd,
				  struct ib_qp_init_attr *attr,
				  struct ib_uqp_object *uobject,
				  struct ib_udata *udata);

/* A page of the region is a page of the memory: both ranges begin at the same offset of one. */
static inline int ofed_mr_check_offset(const struct ib_device *device, u64 start,
				       u64 virt_addr)
{
	if (!((start ^ virt_addr) & ~PAGE_MASK))
		return 0;
	return ofed_refuse(device, -EINVAL,
			   "the region at 0x%llx and its memory at 0x%llx differ within the page",
			   virt_addr, start);
}

static inline int ofed_mr_check_access(struct ib_device *device, unsigned int flags)
{
	int ret = ib_check_mr_access(device, flags);

	if (!ret)
		return 0;
	return ofed_refuse(device, ret, "access flags 0x%x of a region", flags);
}

struct ib_mr *ofed_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
			       u64 virt_addr, int access,
			       struct ib_dmah *dmah, struct ib_uobject *uobject,
			       struct ib_udata *udata);
struct ib_mr *ofed_rereg_user_mr(struct ib_mr *mr, int flags, u64 start,
				 u64 length, u64 virt_addr, int access,
				 struct ib_pd *new_pd, struct ib_udata *udata);

struct ib_mr *ofed_reg_dmabuf_mr(struct ib_pd *pd, u64 offset, u64 length,
				 u64 iova, int fd, int access,
				 struct ib_dmah *dmah, struct ib_uobject *uobject,
				 struct uverbs_attr_bundle *attrs);
struct ib_mr *ofed_reg_dm_mr(struct ib_pd *pd, struct ib_dm *dm,
			     struct ib_dm_mr_attr *attr,
			     struct ib_uobject *uobject,
			     struct uverbs_attr_bundle *attrs);

struct ib_mw *ofed_alloc_user_mw(struct ib_pd *pd, enum ib_mw_type type,
				 struct ib_uobject *uobject,
				 struct ib_udata *udata);
int ofed_dealloc_mw(struct ib_mw *mw);

struct ib_wq *ofed_create_user_wq(struct ib_pd *pd,
				  struct ib_wq_init_attr *attr,
				  struct ib_uwq_object *uobject,
				  struct ib_udata *udata);
int ofed_modify_wq(struct ib_wq *wq, struct ib_wq_attr *attr, u32 mask,
		   struct ib_udata *udata);

struct ib_rwq_ind_table *
ofed_create_rwq_ind_table(struct ib_device *device,
			  struct ib_rwq_ind_table_init_attr *attr,
			  struct ib_uobject *uobject, struct ib_udata *udata);
int ofed_destroy_rwq_ind_table(struct ib_rwq_ind_table *table);

int ofed_resize_user_cq(struct ib_cq *cq, int cqe, struct ib_udata *udata);
int ofed_modify_user_srq(struct ib_srq *srq, struct ib_srq_attr *attr,
			 enum ib_srq_attr_mask mask, struct ib_udata *udata);

void ofed_end_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid);

/* Of objects that a driver does not destroy: hidden at once, freed at last. */
void ofed_hide_qp(struct ib_qp *qp);
void ofed_forget_qp(struct ib_qp *qp);
void ofed_forget_ah(struct ib_ah *ah);
void ofed_forget_xrcd(struct ib_xrcd *xrcd);
void ofed_forget_rwq_ind_table(struct ib_rwq_ind_table *table);

#endif /* OFED_VERBS_H */
