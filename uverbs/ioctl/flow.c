// SPDX-License-Identifier: GPL-2.0
/* Methods of steering rules. */
#include "std.h"

UV_DEF_DESTROY(uv_def_flow, UVERBS_OBJECT_FLOW, UVERBS_METHOD_FLOW_DESTROY,
	       UVERBS_ATTR_DESTROY_FLOW_HANDLE);
