// SPDX-License-Identifier: GPL-2.0
/* Methods of tables of work queues. */
#include "std.h"

UV_DEF_DESTROY(uv_def_rwq, UVERBS_OBJECT_RWQ_IND_TBL,
	       UVERBS_METHOD_RWQ_IND_TBL_DESTROY,
	       UVERBS_ATTR_DESTROY_RWQ_IND_TBL_HANDLE);
