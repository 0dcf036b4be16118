/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OFED_UVERBS_FLOW_SPEC_H
#define OFED_UVERBS_FLOW_SPEC_H

#include <rdma/uverbs_std_types.h>

int uv_flow_spec(const struct ib_uverbs_flow_spec_hdr *user,
		 union ib_flow_spec *spec, struct ib_uflow_resources *resources,
		 struct uverbs_attr_bundle *attrs);
void uv_flow_resources_forget(struct ib_uflow_resources *uflow_res);

#endif /* OFED_UVERBS_FLOW_SPEC_H */
