// SPDX-License-Identifier: GPL-2.0
/* Completion channels have no methods, but may get some of a driver. */
#include "std.h"

const struct uapi_definition uv_def_comp[] = {
	DECLARE_UVERBS_OBJECT(UVERBS_OBJECT_COMP_CHANNEL),
	{},
};
