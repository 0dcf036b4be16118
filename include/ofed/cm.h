/* SPDX-License-Identifier: GPL-2.0 */
/* What ofed_ucm needs besides <rdma/ib_cm.h> and <rdma/ib_marshall.h>, on each kernel. */
#ifndef OFED_CM_H
#define OFED_CM_H

#include <rdma/ib_cm.h>

struct ib_user_path_rec;
struct mem_cgroup;

int ofed_cm_listen(struct ib_cm_id *cm_id, __be64 service_id, struct mem_cgroup *memcg);

int ofed_cm_send_mra(struct ib_cm_id *cm_id, u8 service_timeout, const void *private_data,
		     u8 private_data_len);

/* In ofed_uverbs. */
void ofed_path_rec_from_user(struct sa_path_rec *dst, struct ib_user_path_rec *src);

#endif /* OFED_CM_H */
