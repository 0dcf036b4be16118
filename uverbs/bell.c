// SPDX-License-Identifier: GPL-2.0
/*
 * Doorbells: POST_SEND without requests, by which a program tells that there are some in its
 * ring. A program makes this call for each message, so it has a way past the general one. What is
 * not exactly a doorbell, or is going to fail, goes the general way, which tells why.
 */
#include <linux/build_bug.h>
#include <linux/uaccess.h>

#include "ioctl/uapi.h"

/* The call as words of 8 bytes: its header, and struct ib_uverbs_post_send. */
union uv_bell {
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		u64 response;
		u32 qp_handle;
		u32 wr_count;
		u32 sge_count;
		u32 wqe_size;
	};
	u64 words[UV_BELL_BYTES / sizeof(u64)];
};

static_assert(sizeof(union uv_bell) == UV_BELL_BYTES);
static_assert(sizeof(struct ib_uverbs_cmd_hdr) + sizeof(struct ib_uverbs_post_send) ==
	      UV_BELL_BYTES);
static_assert(offsetof(union uv_bell, qp_handle) - offsetof(union uv_bell, response) ==
	      offsetof(struct ib_uverbs_post_send, qp_handle));
static_assert(offsetof(union uv_bell, wqe_size) - offsetof(union uv_bell, response) ==
	      offsetof(struct ib_uverbs_post_send, wqe_size));

static bool uv_bell_copy(union uv_bell *bell, const u64 __user *from)
{
	if (!user_read_access_begin(from, UV_BELL_BYTES))
		return false;
	unsafe_get_user(bell->words[0], &from[0], fault);
	unsafe_get_user(bell->words[1], &from[1], fault);
	unsafe_get_user(bell->words[2], &from[2], fault);
	unsafe_get_user(bell->words[3], &from[3], fault);
	user_read_access_end();
	return true;

fault:
	user_read_access_end();
	return false;
}

/* As uv_frame_parse() and uv_post_send() would have it. */
static bool uv_bell_is_proper(const union uv_bell *bell)
{
	return bell->hdr.command == IB_USER_VERBS_CMD_POST_SEND &&
	       bell->hdr.in_words * 4 == UV_BELL_BYTES &&
	       bell->hdr.out_words * 4 == sizeof(struct ib_uverbs_post_send_resp) &&
	       !bell->wr_count && !bell->sge_count &&
	       bell->wqe_size >= sizeof(struct ib_uverbs_send_wr) &&
	       bell->wqe_size <= PAGE_SIZE;
}

/*
 * Not where the command is a driver's, nor of a driver that has no queues in user memory
 * (cmd/post.c).
 */
static bool uv_has_bells(const struct ib_uverbs_device *dev)
{
	const struct uv_api *api = dev->api;

	return api->legacy[IB_USER_VERBS_CMD_POST_SEND] ==
	       &uv_legacy_cmds[IB_USER_VERBS_CMD_POST_SEND] &&
	       !api->legacy[IB_USER_VERBS_CMD_POST_RECV];
}

/**
 * uv_bell_ring - ring, if that is what a program asks for
 * @file: open uverbs device; its srcu is held
 * @buf: UV_BELL_BYTES of command
 * @ret: out, if it rang: 0, -EFAULT (the response), or the errno of the driver
 *
 * Return: false: nothing was done, and the command is to be run.
 */
bool uv_bell_ring(struct ib_uverbs_file *file, const char __user *buf, int *ret)
{
	const struct ib_send_wr *bad_wr = NULL;
	struct ib_uobject *uobj;
	union uv_bell bell;
	struct ib_qp *qp;

	if (!uv_has_bells(file->device) ||
	    !uv_bell_copy(&bell, (const u64 __user *)buf) || !uv_bell_is_proper(&bell))
		return false;
	uobj = uv_try_get_read(&uv_type_qp, bell.qp_handle, file);
	if (!uobj)
		return false;
	qp = uobj->object;
	*ret = qp->device->ops.post_send(qp->real_qp, NULL, &bad_wr);
	uv_put_read(uobj);
	if (put_user(0, (u32 __user *)u64_to_user_ptr(bell.response)))
		*ret = -EFAULT;
	return true;
}
