// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Device memory: pages of the kernel, which this process maps. Copies are in words of 4 bytes,
 * as devices of hardware have it, so that a program that runs here runs there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <infiniband/cmd_ioctl.h>
#include <ofed/ofed_user_verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>

#include "dm.h"

#define WORD	4

/**
 * struct lib_dm - device memory
 * @base: of libibverbs
 * @at: where it is mapped
 * @length: bytes of it
 * @mapped: bytes of the mapping
 */
struct lib_dm {
	struct verbs_dm base;
	uint8_t *at;
	uint64_t length;
	size_t mapped;
};

static struct lib_dm *lib_dm_of(struct ibv_dm *ibv)
{
	return container_of(ibv, struct lib_dm, base.dm);
}

static bool lib_dm_has(const struct lib_dm *dm, uint64_t offset, size_t length)
{
	return offset % WORD == 0 && length % WORD == 0 && offset <= dm->length &&
	       length <= dm->length - offset;
}

static int lib_memcpy_to_dm(struct ibv_dm *ibv, uint64_t offset, const void *from, size_t length)
{
	struct lib_dm *dm = lib_dm_of(ibv);

	if (!lib_dm_has(dm, offset, length))
		return EFAULT;
	memcpy(dm->at + offset, from, length);
	return 0;
}

static int lib_memcpy_from_dm(void *to, struct ibv_dm *ibv, uint64_t offset, size_t length)
{
	const struct lib_dm *dm = lib_dm_of(ibv);

	if (!lib_dm_has(dm, offset, length))
		return EFAULT;
	memcpy(to, dm->at + offset, length);
	return 0;
}

/* Maps @dm from @offset of the device's file. */
static int lib_dm_map(struct lib_dm *dm, struct ibv_context *context, uint64_t offset,
		      uint64_t length)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	void *at;

	dm->length = length;
	dm->mapped = (length + page - 1) & ~(page - 1);
	at = mmap(NULL, dm->mapped, PROT_READ | PROT_WRITE, MAP_SHARED, context->cmd_fd, offset);
	if (at == MAP_FAILED)
		return errno;
	dm->at = at;
	dm->base.dm.context = context;
	dm->base.dm.memcpy_to_dm = lib_memcpy_to_dm;
	dm->base.dm.memcpy_from_dm = lib_memcpy_from_dm;
	return 0;
}

struct ibv_dm *lib_alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC, 1);
	uint64_t offset = 0;
	struct lib_dm *dm;
	int ret = EINVAL;

	if (attr->comp_mask)
		goto err;
	ret = ENOMEM;
	dm = calloc(1, sizeof(*dm));
	if (!dm)
		goto err;
	fill_attr_out_ptr(cmd, OFED_ATTR_ALLOC_DM_RESP_OFFSET, &offset);
	ret = ibv_cmd_alloc_dm(context, attr, &dm->base, cmd);
	if (ret)
		goto err_dm;
	ret = lib_dm_map(dm, context, offset, attr->length);
	if (!ret)
		return &dm->base.dm;
	ibv_cmd_free_dm(&dm->base);
err_dm:
	free(dm);
err:
	errno = ret;
	return NULL;
}

int lib_free_dm(struct ibv_dm *ibv)
{
	struct lib_dm *dm = lib_dm_of(ibv);
	int ret = ibv_cmd_free_dm(&dm->base);

	if (!ret)
		lib_unimport_dm(ibv);
	return ret;
}

/* Of a context that another process has opened, too. */
struct ibv_dm *lib_import_dm(struct ibv_context *context, uint32_t handle)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_DM, OFED_METHOD_DM_QUERY, 3);
	struct lib_dm *dm = calloc(1, sizeof(*dm));
	uint64_t offset = 0, length = 0;
	int ret = ENOMEM;

	if (!dm)
		goto err;
	fill_attr_in_obj(cmd, OFED_ATTR_QUERY_DM_HANDLE, handle);
	fill_attr_out_ptr(cmd, OFED_ATTR_QUERY_DM_RESP_OFFSET, &offset);
	fill_attr_out_ptr(cmd, OFED_ATTR_QUERY_DM_RESP_LENGTH, &length);
	ret = execute_ioctl(context, cmd);
	if (!ret)
		ret = lib_dm_map(dm, context, offset, length);
	if (!ret) {
		dm->base.handle = handle;
		dm->base.dm.handle = handle;
		return &dm->base.dm;
	}
	free(dm);
err:
	errno = ret;
	return NULL;
}

void lib_unimport_dm(struct ibv_dm *ibv)
{
	struct lib_dm *dm = lib_dm_of(ibv);

	munmap(dm->at, dm->mapped);
	free(dm);
}

struct ibv_mr *lib_reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *ibv, uint64_t offset,
			     size_t length, unsigned int access)
{
	struct verbs_mr *mr = calloc(1, sizeof(*mr));
	int ret;

	if (!mr)
		return NULL;
	ret = ibv_cmd_reg_dm_mr(pd, &lib_dm_of(ibv)->base, offset, length, access, mr, NULL);
	if (!ret)
		return &mr->ibv_mr;
	free(mr);
	errno = ret;
	return NULL;
}
