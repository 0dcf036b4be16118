// SPDX-License-Identifier: GPL-2.0
/* Requests of commands, copied from a program, and their responses. */
#include <linux/uaccess.h>

#include "uverbs.h"

/* The end of a request that is longer than the kernel knows must be zero. */
static int uv_check_rest(const void __user *rest, size_t size)
{
	/* The core allocates memory to look at nothing, too. */
	return !size || ib_is_buffer_cleared(rest, size) ? 0 : -EOPNOTSUPP;
}

/**
 * uv_request - copy the request of a command of fixed length
 * @attrs: of the command
 * @req: out; what an older program did not send reads as 0
 * @size: of @req
 *
 * Return: 0, -EFAULT, -EOPNOTSUPP (longer than @size, and not with zeroes).
 */
int uv_request(struct uverbs_attr_bundle *attrs, void *req, size_t size)
{
	const struct ib_udata *in = &attrs->ucore;
	size_t got = min(in->inlen, size);

	if (copy_from_user(req, in->inbuf, got))
		return -EFAULT;
	memset(req + got, 0, size - got);
	if (in->inlen <= got || !uv_check_rest(in->inbuf + got, in->inlen - got))
		return 0;
	return uv_refuse(attrs->ufile, -EOPNOTSUPP,
			 "a request of %zu bytes, of which %zu are known", in->inlen, got);
}

/**
 * uv_reply - copy the response of a command
 * @attrs: of the command
 * @resp: the response; a program that gave less room gets less of it
 * @size: of @resp
 *
 * Return: 0 or -EFAULT.
 */
int uv_reply(struct uverbs_attr_bundle *attrs, const void *resp, size_t size)
{
	const struct ib_udata *out = &attrs->ucore;
	size_t put = min(out->outlen, size);

	if (copy_to_user(out->outbuf, resp, put) ||
	    clear_user(out->outbuf + put, out->outlen - put))
		return -EFAULT;
	return 0;
}

/* What goes into response_length of an extended command. */
u32 uv_reply_length(struct uverbs_attr_bundle *attrs, size_t size)
{
	return min(attrs->ucore.outlen, size);
}

/**
 * uv_read_start - begin to read a request of variable length
 * @reader: to be initialised
 * @attrs: of the command
 * @req: out: the fixed part
 * @size: of @req
 *
 * Return: 0, -ENOSPC (shorter), -EFAULT.
 */
int uv_read_start(struct uv_reader *reader, struct uverbs_attr_bundle *attrs,
		  void *req, size_t size)
{
	reader->at = attrs->ucore.inbuf;
	reader->left = attrs->ucore.inlen;
	return uv_read(reader, req, size);
}

int uv_read(struct uv_reader *reader, void *to, size_t size)
{
	const void __user *from = uv_read_ptr(reader, size);

	if (IS_ERR(from))
		return PTR_ERR(from);
	return copy_from_user(to, from, size) ? -EFAULT : 0;
}

/* The next @size bytes, to be copied later, or -ENOSPC. */
const void __user *uv_read_ptr(struct uv_reader *reader, size_t size)
{
	const void __user *from = reader->at;

	if (size > reader->left)
		return (const void __user *)ERR_PTR(-ENOSPC);
	reader->at += size;
	reader->left -= size;
	return from;
}

int uv_read_end(struct uv_reader *reader)
{
	return uv_check_rest(reader->at, reader->left);
}
