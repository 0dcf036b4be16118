// SPDX-License-Identifier: GPL-2.0
/* How a device comes by its ops. */
#include "device.h"

/*
 * From device_group on, every member of struct ib_device_ops is one machine
 * word: a pointer to a function or an array, or the size of an object.
 */
#define OPS_FIRST_WORD (offsetof(struct ib_device_ops, device_group) /	\
			sizeof(unsigned long))
#define OPS_WORDS (sizeof(struct ib_device_ops) / sizeof(unsigned long))
static_assert(offsetof(struct ib_device_ops, device_group) %
	      sizeof(unsigned long) == 0);

/**
 * ib_set_device_ops - give a device the ops of its driver
 * @dev: device, not yet registered
 * @ops: ops to add; those that @dev has already stay
 *
 * Context: any; the caller serialises.
 */
void ib_set_device_ops(struct ib_device *dev, const struct ib_device_ops *ops)
{
	const unsigned long *from = (const unsigned long *)ops;
	unsigned long *to = (unsigned long *)&dev->ops;
	size_t i;

	if (ops->driver_id != RDMA_DRIVER_UNKNOWN) {
		WARN_ON(dev->ops.driver_id != RDMA_DRIVER_UNKNOWN &&
			dev->ops.driver_id != ops->driver_id);
		dev->ops.driver_id = ops->driver_id;
	}
	if (ops->owner) {
		WARN_ON(dev->ops.owner && dev->ops.owner != ops->owner);
		dev->ops.owner = ops->owner;
	}
	if (ops->uverbs_abi_ver)
		dev->ops.uverbs_abi_ver = ops->uverbs_abi_ver;
	dev->ops.uverbs_no_driver_id_binding |=
		ops->uverbs_no_driver_id_binding;
	compat_robust_udata_set(dev, ops);

	for (i = OPS_FIRST_WORD; i < OPS_WORDS; i++)
		if (!to[i])
			to[i] = from[i];
}
OFED_EXPORT(ib_set_device_ops);

/*
 * A device without all of these can not serve kernel consumers (usnic serves
 * user space alone).
 */
bool ofed_has_kernel_verbs(const struct ib_device_ops *ops)
{
	return ops->query_device && ops->query_port && ops->alloc_pd &&
	       ops->dealloc_pd && ops->create_qp && ops->modify_qp &&
	       ops->destroy_qp && ops->post_send && ops->post_recv &&
	       ops->create_cq && ops->destroy_cq && ops->poll_cq &&
	       ops->req_notify_cq && ops->get_dma_mr && ops->reg_user_mr &&
	       ops->dereg_mr && ops->get_port_immutable;
}
