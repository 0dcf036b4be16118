// SPDX-License-Identifier: GPL-2.0
/* Methods of XRC domains. */
#include "std.h"

UV_DEF_DESTROY(uv_def_xrcd, UVERBS_OBJECT_XRCD, UVERBS_METHOD_XRCD_DESTROY,
	       UVERBS_ATTR_DESTROY_XRCD_HANDLE);
