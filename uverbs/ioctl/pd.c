// SPDX-License-Identifier: GPL-2.0
/* Methods of protection domains. */
#include "std.h"

UV_DEF_DESTROY(uv_def_pd, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY,
	       UVERBS_ATTR_DESTROY_PD_HANDLE);
