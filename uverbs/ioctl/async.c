// SPDX-License-Identifier: GPL-2.0
/*
 * The method that opens an event file. All of them hear of the device and its
 * ports; the first is that of objects that name none.
 */
#include "std.h"

static int UVERBS_HANDLER(UVERBS_METHOD_ASYNC_EVENT_ALLOC)(
	struct uverbs_attr_bundle *attrs)
{
	const u16 id = UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE;
	struct uv_async_file *async = uv_attr_async(attrs, id);

	uv_queue_init(&async->queue);
	uv_file_offer_async(attrs->ufile, async);
	/* Nothing fails from here on. */
	uv_async_start(async, async->uobj.context->device);
	uverbs_finalize_uobj_create(attrs, id);
	return 0;
}

DECLARE_UVERBS_NAMED_METHOD(UVERBS_METHOD_ASYNC_EVENT_ALLOC,
	UVERBS_ATTR_FD(UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE,
		       UVERBS_OBJECT_ASYNC_EVENT, UVERBS_ACCESS_NEW,
		       UA_MANDATORY));

DECLARE_UVERBS_GLOBAL_METHODS(UVERBS_OBJECT_ASYNC_EVENT,
	&UVERBS_METHOD(UVERBS_METHOD_ASYNC_EVENT_ALLOC));

UV_DEF(uv_def_async, UVERBS_OBJECT_ASYNC_EVENT);
