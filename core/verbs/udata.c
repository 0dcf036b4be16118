// SPDX-License-Identifier: GPL-2.0
/*
 * The driver's part of a command, as 7.x has it: a program may be older or newer than the driver. A
 * request may be longer than the driver knows if the rest is zero, and may be shorter if it has what
 * the first driver wanted; of a response the program gets as much as it has room for, and zeroes
 * behind it.
 */
#include <linux/uaccess.h>
#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

/**
 * _ib_copy_validate_udata_in - copy the driver's part of a request
 * @udata: of the command
 * @req: where to; what the program does not give is zero. NULL with @kernel_size 0
 * @kernel_size: bytes of @req
 * @minimum_size: bytes that each program gives
 *
 * Drivers call it through ib_copy_validate_udata_in(). Context: process, may sleep.
 *
 * Return: 0, -EINVAL (too short), -EOPNOTSUPP (more than the driver knows, and not zero), -EFAULT.
 */
int _ib_copy_validate_udata_in(struct ib_udata *udata, void *req, size_t kernel_size,
			       size_t minimum_size)
{
	int ret;

	if (udata->inlen < minimum_size)
		return ofed_refuse_call(-EINVAL, "uverbs: %zu bytes for the driver, which wants %zu",
					udata->inlen, minimum_size);
	ret = copy_struct_from_user(req, kernel_size, udata->inbuf, udata->inlen);
	if (ret == -E2BIG)
		return ofed_refuse_call(-EOPNOTSUPP,
					"uverbs: more than the %zu bytes that the driver knows",
					kernel_size);
	return ret;
}
OFED_EXPORT(_ib_copy_validate_udata_in);

/**
 * _ib_copy_validate_udata_cm_fail - a request has flags that the driver does not know
 * @udata: of the command
 * @req_cm: comp_mask of the request
 * @valid_cm: flags that the driver knows
 *
 * Context: any. Return: -EOPNOTSUPP.
 */
int _ib_copy_validate_udata_cm_fail(struct ib_udata *udata, u64 req_cm, u64 valid_cm)
{
	return ofed_refuse_call(-EOPNOTSUPP, "uverbs: comp_mask 0x%llx, of which the driver knows 0x%llx",
				req_cm, valid_cm);
}
OFED_EXPORT(_ib_copy_validate_udata_cm_fail);

/**
 * _ib_respond_udata - the driver's part of a response
 * @udata: of the command
 * @src: the response
 * @len: bytes of it
 *
 * Drivers call it through ib_respond_udata(). Context: process, may sleep.
 *
 * Return: 0, -EFAULT.
 */
int _ib_respond_udata(struct ib_udata *udata, const void *src, size_t len)
{
	size_t copied = min(len, udata->outlen);

	if (copy_to_user(udata->outbuf, src, copied) ||
	    clear_user(udata->outbuf + copied, udata->outlen - copied))
		return -EFAULT;
	return 0;
}
OFED_EXPORT(_ib_respond_udata);
