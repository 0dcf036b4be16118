/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The reliable multi-packet transaction protocol (IBA vol. 1 section 13.6):
 * both ends of a transfer as plain state, without a device or a clock.
 */
#ifndef OFED_CORE_RMPP_H
#define OFED_CORE_RMPP_H

#include <rdma/ib_mad.h>

/**
 * struct rmpp_out - a transfer that is sent (13.6.6)
 * @segments: in all, 1 or more
 * @acked: the other side has all up to this one
 * @window: the last that it takes now
 * @next: the one to send next
 * @highest: the last that was ever sent
 */
struct rmpp_out {
	u32 segments;
	u32 acked;
	u32 window;
	u32 next;
	u32 highest;
};

enum rmpp_reply {
	RMPP_OLD,		/* says nothing new */
	RMPP_PROGRESS,
	RMPP_ALL_ACKED,
	RMPP_REFUSED,		/* makes no sense: abort */
};

void rmpp_out_init(struct rmpp_out *out, u32 segments);
u32 rmpp_out_next(const struct rmpp_out *out);
void rmpp_out_sent(struct rmpp_out *out);
void rmpp_out_rewind(struct rmpp_out *out);
bool rmpp_out_done(const struct rmpp_out *out);
enum rmpp_reply rmpp_out_ack(struct rmpp_out *out, u32 segment, u32 window,
			     u8 *status);
void rmpp_out_header(struct ib_rmpp_hdr *hdr, u32 segment, u32 segments,
		     u32 segment_bytes, u32 pad);

/**
 * struct rmpp_in - a transfer that is received (13.6.5)
 * @segments: struct ib_mad_recv_buf, in order of their numbers
 * @got: all up to this one are here
 * @window: the last segment that is accepted now
 * @step: by which the window is moved
 * @last: number of the last segment, 0 while it is not known
 * @most: segments that are taken at all
 * @complete: @segments are there; later they belong to the consumer
 */
struct rmpp_in {
	struct list_head segments;
	u32 got;
	u32 window;
	u32 step;
	u32 last;
	u32 most;
	bool complete;
};

enum rmpp_verdict {
	RMPP_DROP,		/* the segment is of no use */
	RMPP_DROP_ACK,		/* the same, but its sender missed the ACK */
	RMPP_KEEP,
	RMPP_KEEP_ACK,		/* the window has moved */
	RMPP_COMPLETE,		/* that was the last one; ACK it */
	RMPP_ABORT,
};

u8 rmpp_check(const struct ib_rmpp_hdr *hdr, u8 version);
void rmpp_in_init(struct rmpp_in *in, u32 step, u32 most);
enum rmpp_verdict rmpp_in_add(struct rmpp_in *in, struct ib_mad_recv_buf *buf,
			      u32 class_bytes, u32 segment_bytes, u8 *status);
int rmpp_in_length(const struct rmpp_in *in, u32 header_bytes,
		   u32 segment_bytes);

#endif /* OFED_CORE_RMPP_H */
