/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What devices of either kind do by a command alone. */
#ifndef LIB_COMMON_H
#define LIB_COMMON_H

#include <infiniband/driver.h>

int lib_query_device_ex(struct ibv_context *context,
			const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t attr_size);
int lib_query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr);
struct ibv_mr *lib_alloc_null_mr(struct ibv_pd *pd);
int lib_dereg_mr(struct verbs_mr *mr);
struct ibv_mr *lib_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
				 uint64_t iova, int fd, int access);
int lib_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		 struct ibv_qp_init_attr *init);
int lib_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask);
int lib_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr);
int lib_create_qp(struct ibv_context *context, struct verbs_qp *qp,
		  struct ibv_qp_init_attr_ex *attr, struct ib_uverbs_create_qp_resp *resp,
		  size_t resp_size);
void lib_init_attr_ex(struct ibv_qp_init_attr_ex *ex, struct ibv_pd *pd,
		      const struct ibv_qp_init_attr *attr);

#endif /* LIB_COMMON_H */
