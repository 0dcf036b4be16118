/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frame of a write() command: headers in, lengths out. Pure arithmetic
 * over values that were copied from user space already.
 */
#ifndef OFED_UVERBS_FRAME_H
#define OFED_UVERBS_FRAME_H

#include <linux/types.h>
#include <rdma/ib_user_verbs.h>

struct uverbs_attr_bundle;

#define UV_NEEDS_MAX 2

/**
 * struct uv_cmd - one write() command
 * @run: the command; its return value is that of write(), 0 meaning "all of it"
 * @req_size: bytes of request that must be there, headers not counted
 * @resp_size: bytes of response that must fit
 * @extended: framed by both headers, in units of 8 bytes. Those of the core
 *	      have no @req_size and @resp_size: a short request or response is
 *	      that of an older program
 * @has_resp: (legacy) the request begins with the address of the response
 * @has_udata: (legacy) what exceeds @req_size and @resp_size is the driver's
 * @of_driver: it ends with the device
 * @object: what a device must have, as UVERBS_OBJECT_x; of a driver's own object
 *	    it is the number in its key
 * @needs: offsets in struct ib_device_ops of what a device must have; 0 is none
 *
 * All zero stands for a command that a device does not have. It has legacy
 * framing and no sizes, whatever its number.
 */
struct uv_cmd {
	int (*run)(struct uverbs_attr_bundle *attrs);
	u16 req_size;
	u16 resp_size;
	u8 extended:1;
	u8 has_resp:1;
	u8 has_udata:1;
	u8 of_driver:1;
	u8 object;
	u16 needs[UV_NEEDS_MAX];
};

/**
 * struct uv_frame - where the parts of a command lie
 * @start: bytes of headers
 * @core_in: bytes of request behind the headers
 * @drv_in: bytes of driver's request behind that
 * @core_out: bytes of response
 * @drv_out: bytes of driver's response behind that
 */
struct uv_frame {
	u32 start;
	u32 core_in;
	u32 drv_in;
	u32 core_out;
	u32 drv_out;
};

/**
 * uv_frame_parse - judge the headers of a command
 * @cmd: what the command wants
 * @hdr: first header
 * @ex: second header, of an extended @cmd
 * @count: bytes written, headers included
 * @frame: out
 *
 * Return: 0, -EINVAL (word counts and @count or response do not go together),
 * -ENOSPC (request or response shorter than it has to be).
 */
int uv_frame_parse(const struct uv_cmd *cmd,
		   const struct ib_uverbs_cmd_hdr *hdr,
		   const struct ib_uverbs_ex_cmd_hdr *ex, size_t count,
		   struct uv_frame *frame);

#endif /* OFED_UVERBS_FRAME_H */
