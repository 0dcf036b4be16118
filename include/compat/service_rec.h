/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types of services, which 6.17 brought, for the KUnit tests of older kernels: the files that use
 * them are no part of the modules there. Forced upon the objects of these tests. Drop when 7.x
 * is the oldest kernel.
 */
#ifndef OFED_COMPAT_SERVICE_REC_H
#define OFED_COMPAT_SERVICE_REC_H

#include <linux/types.h>
#include <rdma/ib_sa.h>

#ifndef COMPAT_HAVE_SERVICE_REC
struct sa_service_rec {
	__be64 id;
	__u8 gid[16];
	__be16 pkey;
	__u8 reserved[2];
	__be32 lease;
	__u8 key[16];
	__u8 name[64];
	__u8 data_8[16];
	__be16 data_16[8];
	__be32 data_32[4];
	__be64 data_64[2];
};

int ib_sa_service_rec_get(struct ib_sa_client *client, struct ib_device *device, u32 port_num,
			  struct sa_service_rec *rec, ib_sa_comp_mask comp_mask,
			  unsigned long timeout_ms, gfp_t gfp_mask,
			  void (*callback)(int status, struct sa_service_rec *resp,
					   unsigned int num_services, void *context),
			  void *context, struct ib_sa_query **sa_query);
void ib_sa_pack_service(struct sa_service_rec *rec, void *attribute);
void ib_sa_unpack_service(void *attribute, struct sa_service_rec *rec);

enum {
	RDMA_USER_CM_IB_SERVICE_FLAG_ID = 1 << 0,
	RDMA_USER_CM_IB_SERVICE_FLAG_NAME = 1 << 1,
};

struct rdma_ucm_ib_service {
	__aligned_u64 service_id;
	__u8 service_name[64];
	__u32 flags;
	__u32 reserved;
};
#endif

#endif /* OFED_COMPAT_SERVICE_REC_H */
