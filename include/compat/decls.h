/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that the headers of some kernels do not declare: those that 7.x has no more, and two
 * that it has anew. They are built for all, and exported where they are declared. Included by the
 * files that have them, behind the headers with their types. Drop the first when 7.x is the oldest
 * kernel.
 */
#ifndef OFED_COMPAT_DECLS_H
#define OFED_COMPAT_DECLS_H

#include <linux/stdarg.h>
#include <rdma/ib_cm.h>
#include <rdma/ib_pack.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

struct ib_user_path_rec;
struct rdma_cm_id;
struct sa_path_rec;

#ifndef COMPAT_HAVE_IBDEV_PRINTK
__printf(3, 4) __cold
void ibdev_printk(const char *level, const struct ib_device *ibdev, const char *format, ...);
#endif

#ifndef COMPAT_HAVE_DEVICE_GET_BY_NAME
struct ib_device *ib_device_get_by_name(const char *name, enum rdma_driver_id driver_id);
#endif

#ifndef COMPAT_HAVE_RESIZE_CQ
int ib_resize_cq(struct ib_cq *cq, int cqe);
#endif

#ifndef COMPAT_HAVE_FIND_EXACT_PKEY
int ib_find_exact_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index);
#endif

#ifndef COMPAT_HAVE_UD_HEADER_UNPACK
int ib_ud_header_unpack(void *buf, struct ib_ud_header *header);
#endif

#ifndef COMPAT_HAVE_PATH_REC_FROM_USER
void ib_copy_path_rec_from_user(struct sa_path_rec *dst, struct ib_user_path_rec *src);
#endif

#ifndef COMPAT_HAVE_RES_TO_ID
struct rdma_cm_id *rdma_res_to_id(struct rdma_restrack_entry *res);
#endif

#ifndef COMPAT_HAVE_RESTRICT_NODE_TYPE
int rdma_restrict_node_type(struct rdma_cm_id *id, u8 node_type);
#endif

#ifndef COMPAT_HAVE_UMEM_GET
struct ib_umem *ib_umem_get(struct ib_device *device, unsigned long addr, size_t size, int access);
#endif

#ifdef COMPAT_HAVE_PREPARE_CM_MRA
#define IB_CM_MRA_FLAG_DELAY 0x80
int ib_send_cm_mra(struct ib_cm_id *cm_id, u8 service_timeout, const void *private_data,
		   u8 private_data_len);
#else
int ib_prepare_cm_mra(struct ib_cm_id *cm_id);
#endif

#endif /* OFED_COMPAT_DECLS_H */
