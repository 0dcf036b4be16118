// SPDX-License-Identifier: GPL-2.0
/* Methods of memory windows. */
#include "std.h"

UV_DEF_DESTROY(uv_def_mw, UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY,
	       UVERBS_ATTR_DESTROY_MW_HANDLE);
