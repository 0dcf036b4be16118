// SPDX-License-Identifier: GPL-2.0
/* What there is in the tree of every device that has the driver for it. */
#include "uapi.h"

static const struct uv_type * const std_types[] = {
	&uv_type_pd, &uv_type_comp, &uv_type_cq, &uv_type_qp, &uv_type_srq,
	&uv_type_ah, &uv_type_mr, &uv_type_mw, &uv_type_flow, &uv_type_xrcd,
	&uv_type_rwq, &uv_type_wq, &uv_type_async, &uv_type_flow_action,
	&uv_type_dm, &uv_type_counters,
	COMPAT_DMAH(&uv_type_dmah) COMPAT_COMP_CNTR(&uv_type_comp_cntr)
	COMPAT_MMAP_DMABUF(&uv_type_dmabuf)
};

static const struct uapi_definition std_defs[] = {
	UAPI_DEF_CHAIN(uv_def_device),
	UAPI_DEF_CHAIN(uv_def_pd),
	UAPI_DEF_CHAIN(uv_def_comp),
	UAPI_DEF_CHAIN(uv_def_cq),
	UAPI_DEF_CHAIN(uv_def_qp),
	UAPI_DEF_CHAIN(uv_def_srq),
	UAPI_DEF_CHAIN(uv_def_ah),
	UAPI_DEF_CHAIN(uv_def_mr),
	UAPI_DEF_CHAIN(uv_def_mw),
	UAPI_DEF_CHAIN(uv_def_flow),
	UAPI_DEF_CHAIN(uv_def_xrcd),
	UAPI_DEF_CHAIN(uv_def_rwq),
	UAPI_DEF_CHAIN(uv_def_wq),
	UAPI_DEF_CHAIN(uv_def_flow_action),
	UAPI_DEF_CHAIN(uv_def_dm),
	UAPI_DEF_CHAIN(uv_def_counters),
	UAPI_DEF_CHAIN(uv_def_async),
	COMPAT_DMAH(UAPI_DEF_CHAIN(uv_def_dmah))
	COMPAT_COMP_CNTR(UAPI_DEF_CHAIN(uv_def_comp_cntr))
	COMPAT_PORT_SPEED(UAPI_DEF_CHAIN(uv_def_port_speed))
	COMPAT_BUFFERS(UAPI_DEF_CHAIN(uv_def_buffers))
	COMPAT_SRQ_BUFFER(UAPI_DEF_CHAIN(uv_def_srq_buffer))
	COMPAT_UCAPS(UAPI_DEF_CHAIN(uv_def_ucaps))
	COMPAT_MMAP_DMABUF(UAPI_DEF_CHAIN(uv_def_dmabuf))
	{}
};

/**
 * uv_api_of - build the tree of a device
 * @ib_dev: the device
 *
 * Return: as uv_api_build().
 */
struct uv_api *uv_api_of(struct ib_device *ib_dev)
{
	static const struct uv_api_core core = {
		.types = std_types,
		.num_types = ARRAY_SIZE(std_types),
		.defs = std_defs,
		.legacy = uv_legacy_cmds,
		.num_legacy = ARRAY_SIZE(uv_legacy_cmds),
		.extended = uv_extended_cmds,
		.num_extended = ARRAY_SIZE(uv_extended_cmds),
	};

	return uv_api_build(ib_dev, &core);
}
