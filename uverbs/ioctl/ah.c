// SPDX-License-Identifier: GPL-2.0
/* Methods of address handles. */
#include "std.h"

UV_DEF_DESTROY(uv_def_ah, UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY,
	       UVERBS_ATTR_DESTROY_AH_HANDLE);
