// SPDX-License-Identifier: GPL-2.0
/*
 * Options of an id.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <rdma/rdma_cm_ib.h>

#include "ucma.h"

/* An option of level ID: a byte or an int, and what it sets. */
static int ucma_set_of_id(struct rdma_cm_id *cm_id, u32 name, const void *value,
			  size_t size)
{
	const bool small = name == RDMA_OPTION_ID_TOS ||
			   name == RDMA_OPTION_ID_ACK_TIMEOUT;

	if (name > RDMA_OPTION_ID_ACK_TIMEOUT)
		return -ENOSYS;
	if (size != (small ? sizeof(u8) : sizeof(int)))
		return -EINVAL;

	switch (name) {
	case RDMA_OPTION_ID_TOS:
		rdma_set_service_type(cm_id, *(const u8 *)value);
		return 0;
	case RDMA_OPTION_ID_ACK_TIMEOUT:
		return rdma_set_ack_timeout(cm_id, *(const u8 *)value);
	case RDMA_OPTION_ID_REUSEADDR:
		return rdma_set_reuseaddr(cm_id, !!*(const int *)value);
	case RDMA_OPTION_ID_AFONLY:
		return rdma_set_afonly(cm_id, !!*(const int *)value);
	}
	return -ENOSYS;
}

/* The record for both directions, which is the one that rdma_cm can use. */
static const struct ib_path_rec_data *
ucma_usable_path(const struct ib_path_rec_data *data, size_t size)
{
	const u32 wanted = IB_PATH_GMP | IB_PATH_PRIMARY |
			   IB_PATH_BIDIRECTIONAL;
	size_t i;

	if (size % sizeof(*data))
		return NULL;
	for (i = 0; i < size / sizeof(*data); i++)
		if (data[i].flags == wanted)
			return &data[i];
	return NULL;
}

static int ucma_set_path(struct rdma_cm_id *cm_id,
			 const struct ib_path_rec_data *data)
{
	struct sa_path_rec path = { .rec_type = SA_PATH_REC_TYPE_IB };
	struct sa_path_rec opa;

	ib_sa_unpack_path((void *)data->path_rec, &path);
	if (!rdma_cap_opa_ah(cm_id->device, cm_id->port_num))
		return rdma_set_ib_path(cm_id, &path);
	sa_convert_path_ib_to_opa(&opa, &path);
	return rdma_set_ib_path(cm_id, &opa);
}

/* The path stands for RESOLVE_ROUTE, and is answered like that. */
static int ucma_set_of_ib(struct rdma_cm_id *cm_id, u32 name, const void *value,
			  size_t size)
{
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_ROUTE_RESOLVED };
	const struct ib_path_rec_data *data;
	int ret;

	if (name != RDMA_OPTION_IB_PATH)
		return -ENOSYS;
	data = ucma_usable_path(value, size);
	/* Its port is there when it is. */
	if (!data || !smp_load_acquire(&cm_id->device))
		return -EINVAL;
	ret = ucma_set_path(cm_id, data);
	if (ret)
		return ret;
	rdma_lock_handler(cm_id);
	ret = ucma_handler(cm_id, &event);
	rdma_unlock_handler(cm_id);
	return ret;
}

/* Whether the id is there; a value that is wrong as well comes second. */
static int ucma_look_at_id(struct ucma_call *call)
{
	struct ucma_id *id = ucma_id_get(call->file, call->req.set_option.id);

	if (IS_ERR(id))
		return PTR_ERR(id);
	ucma_id_put(id);
	return 0;
}

int ucma_set_option(struct ucma_call *call)
{
	const struct rdma_ucm_set_option *req = &call->req.set_option;
	struct ucma_id *id;
	void *value;
	int ret;

	if (req->optlen > KMALLOC_MAX_SIZE)
		return -EINVAL;
	ret = ucma_look_at_id(call);
	if (ret)
		return ret;
	value = vmemdup_user(u64_to_user_ptr(req->optval), req->optlen);
	if (IS_ERR(value))
		return PTR_ERR(value);

	id = ucma_id_enter(call->file, req->id,
			   req->level == RDMA_OPTION_IB ? UCMA_ASKS : UCMA_ANY_ID);
	ret = PTR_ERR_OR_ZERO(id);
	if (ret)
		goto out;
	ret = -ENOSYS;
	if (req->level == RDMA_OPTION_ID)
		ret = ucma_set_of_id(id->cm_id, req->optname, value, req->optlen);
	else if (req->level == RDMA_OPTION_IB)
		ret = ucma_set_of_ib(id->cm_id, req->optname, value, req->optlen);
	ucma_id_leave(id);
out:
	kvfree(value);
	return ret;
}
