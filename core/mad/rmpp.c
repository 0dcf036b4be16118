// SPDX-License-Identifier: GPL-2.0
/*
 * RMPP, both ends as plain state (IBA vol. 1 section 13.6). The caller locks.
 *
 * A transfer is cut into segments, numbered from 1. The sender may send up to
 * the receiver's window, which begins as 1 and is moved by ACKs; each ACK says
 * up to where all has arrived. Segments may come in any order and more than
 * once; what is beyond the window is not kept.
 */
#include <kunit/visibility.h>
#include <linux/list.h>
#include <linux/minmax.h>

#include "rmpp.h"

void rmpp_out_init(struct rmpp_out *out, u32 segments)
{
	*out = (struct rmpp_out) {
		.segments = segments,
		.window = 1,
		.next = 1,
	};
}
EXPORT_SYMBOL_IF_KUNIT(rmpp_out_init);

/* The segment to send now, or 0 when it is the other side's turn. */
u32 rmpp_out_next(const struct rmpp_out *out)
{
	return out->next <= min(out->window, out->segments) ? out->next : 0;
}
EXPORT_SYMBOL_IF_KUNIT(rmpp_out_next);

void rmpp_out_sent(struct rmpp_out *out)
{
	out->highest = max(out->highest, out->next);
	out->next++;
}
EXPORT_SYMBOL_IF_KUNIT(rmpp_out_sent);

/* No ACK came: send again what has not been acknowledged. */
void rmpp_out_rewind(struct rmpp_out *out)
{
	out->next = out->acked + 1;
}
EXPORT_SYMBOL_IF_KUNIT(rmpp_out_rewind);

bool rmpp_out_done(const struct rmpp_out *out)
{
	return out->acked == out->segments;
}
EXPORT_SYMBOL_IF_KUNIT(rmpp_out_done);

/**
 * rmpp_out_ack - take an ACK
 * @out: transfer
 * @segment: up to which all has arrived
 * @window: new end of the window
 * @status: out, with RMPP_REFUSED: status of the ABORT (13.6.2.3, table 124)
 *
 * Return: what it means.
 */
enum rmpp_reply rmpp_out_ack(struct rmpp_out *out, u32 segment, u32 window,
			     u8 *status)
{
	if (window < segment) {
		*status = IB_MGMT_RMPP_STATUS_W2S;
		return RMPP_REFUSED;
	}
	if (segment > out->highest) {
		*status = IB_MGMT_RMPP_STATUS_S2B;
		return RMPP_REFUSED;
	}
	if (segment < out->acked || window < out->window ||
	    (segment == out->acked && window == out->window))
		return RMPP_OLD;

	out->acked = segment;
	out->window = window;
	/* After a rewind, what was missing may have arrived after all. */
	out->next = max(out->next, segment + 1);
	return rmpp_out_done(out) ? RMPP_ALL_ACKED : RMPP_PROGRESS;
}
EXPORT_SYMBOL_IF_KUNIT(rmpp_out_ack);

/**
 * rmpp_out_header - fill the RMPP header of a segment
 * @hdr: with its version and type
 * @segment: its number
 * @segments: of the transfer
 * @segment_bytes: payload of a full segment, class header included
 * @pad: bytes of the last one that are none
 *
 * The first one tells the length of all, the last one its own (13.6.2.1).
 */
void rmpp_out_header(struct ib_rmpp_hdr *hdr, u32 segment, u32 segments,
		     u32 segment_bytes, u32 pad)
{
	u8 flags = IB_MGMT_RMPP_FLAG_ACTIVE;
	u32 length = 0;

	if (segment == 1) {
		flags |= IB_MGMT_RMPP_FLAG_FIRST;
		length = segments * segment_bytes - pad;
	}
	if (segment == segments) {
		flags |= IB_MGMT_RMPP_FLAG_LAST;
		length = segment_bytes - pad;
	}
	ib_set_rmpp_flags(hdr, flags);
	hdr->rmpp_status = IB_MGMT_RMPP_STATUS_SUCCESS;
	hdr->seg_num = cpu_to_be32(segment);
	hdr->paylen_newwin = cpu_to_be32(length);
}
EXPORT_SYMBOL_IF_KUNIT(rmpp_out_header);

/**
 * rmpp_check - check the header of a received RMPP packet
 * @hdr: header, its flag ACTIVE set
 * @version: the RMPP version in use
 *
 * Return: 0, or the status of the ABORT to send.
 */
u8 rmpp_check(const struct ib_rmpp_hdr *hdr, u8 version)
{
	if (hdr->rmpp_version != version)
		return IB_MGMT_RMPP_STATUS_UNV;

	switch (hdr->rmpp_type) {
	case IB_MGMT_RMPP_TYPE_DATA:
	case IB_MGMT_RMPP_TYPE_ACK:
		return hdr->rmpp_status ? IB_MGMT_RMPP_STATUS_BAD_STATUS : 0;
	case IB_MGMT_RMPP_TYPE_STOP:
		return hdr->rmpp_status == IB_MGMT_RMPP_STATUS_RESX ? 0 :
		       IB_MGMT_RMPP_STATUS_BAD_STATUS;
	case IB_MGMT_RMPP_TYPE_ABORT:
		return hdr->rmpp_status >= IB_MGMT_RMPP_STATUS_ABORT_MIN &&
		       hdr->rmpp_status <= IB_MGMT_RMPP_STATUS_ABORT_MAX ?
		       0 : IB_MGMT_RMPP_STATUS_BAD_STATUS;
	}
	return IB_MGMT_RMPP_STATUS_BADT;
}
EXPORT_SYMBOL_IF_KUNIT(rmpp_check);

/**
 * rmpp_in_init - begin to receive
 * @in: transfer
 * @step: segments per window
 * @most: segments that are taken; a longer transfer is aborted
 */
void rmpp_in_init(struct rmpp_in *in, u32 step, u32 most)
{
	INIT_LIST_HEAD(&in->segments);
	in->got = 0;
	/* The sender begins with one (13.6.6.2). */
	in->window = 1;
	in->step = step;
	in->last = 0;
	in->most = most;
	in->complete = false;
}
EXPORT_SYMBOL_IF_KUNIT(rmpp_in_init);

static struct ib_rmpp_hdr *rmpp_header_of(const struct ib_mad_recv_buf *buf)
{
	return &((struct ib_rmpp_mad *)buf->mad)->rmpp_hdr;
}

static u32 rmpp_number_of(const struct ib_mad_recv_buf *buf)
{
	return be32_to_cpu(rmpp_header_of(buf)->seg_num);
}

/* 0, or the status to abort with. */
static u8 rmpp_segment_error(const struct rmpp_in *in,
			     const struct ib_mad_recv_buf *buf, u32 class_bytes,
			     u32 segment_bytes)
{
	const u8 flags = ib_get_rmpp_flags(rmpp_header_of(buf));
	const u32 length = be32_to_cpu(rmpp_header_of(buf)->paylen_newwin);
	const bool last = flags & IB_MGMT_RMPP_FLAG_LAST;
	const u32 number = rmpp_number_of(buf);

	if (!number || (number == 1) != !!(flags & IB_MGMT_RMPP_FLAG_FIRST))
		return IB_MGMT_RMPP_STATUS_BAD_SEG;
	/* Two ends, or something behind the end. */
	if (in->last && (number > in->last || last != (number == in->last)))
		return IB_MGMT_RMPP_STATUS_BAD_SEG;
	if (number > in->most)
		return IB_MGMT_RMPP_STATUS_UNSPEC;
	if (!last)
		return 0;
	if (length < class_bytes || length > segment_bytes)
		return IB_MGMT_RMPP_STATUS_BAD_LEN;
	if (!list_empty(&in->segments) &&
	    number < rmpp_number_of(list_last_entry(&in->segments,
						    struct ib_mad_recv_buf, list)))
		return IB_MGMT_RMPP_STATUS_BAD_SEG;
	return 0;
}

/* False when it is there already. */
static bool rmpp_insert(struct rmpp_in *in, struct ib_mad_recv_buf *buf)
{
	struct ib_mad_recv_buf *before;
	u32 number = rmpp_number_of(buf);

	/* Most come in order: look from the end. */
	list_for_each_entry_reverse(before, &in->segments, list) {
		if (rmpp_number_of(before) == number)
			return false;
		if (rmpp_number_of(before) < number)
			break;
	}
	list_add(&buf->list, &before->list);
	return true;
}

/* Count what is there without a gap; @buf was added just now. */
static void rmpp_advance(struct rmpp_in *in, struct ib_mad_recv_buf *buf)
{
	if (rmpp_number_of(buf) != in->got + 1)
		return;
	list_for_each_entry_from(buf, &in->segments, list) {
		if (rmpp_number_of(buf) != in->got + 1)
			break;
		in->got++;
	}
}

/**
 * rmpp_in_add - take a DATA packet
 * @in: transfer
 * @buf: the packet; rmpp_check() has passed it, and its MAD is whole. It is in
 *	 in->segments afterwards unless the verdict is a drop or an abort
 * @class_bytes: class header behind the RMPP header
 * @segment_bytes: payload of a full segment, class header included
 * @status: out, with RMPP_ABORT: status of the ABORT
 *
 * Return: what to do.
 */
enum rmpp_verdict rmpp_in_add(struct rmpp_in *in, struct ib_mad_recv_buf *buf,
			      u32 class_bytes, u32 segment_bytes, u8 *status)
{
	const u32 number = rmpp_number_of(buf);

	/* The segments of a complete transfer belong to the consumer. */
	if (in->complete)
		return number && number <= in->got ? RMPP_DROP_ACK : RMPP_DROP;

	*status = rmpp_segment_error(in, buf, class_bytes, segment_bytes);
	if (*status)
		return RMPP_ABORT;
	if (number <= in->got)
		return RMPP_DROP_ACK;
	if (number > in->window || !rmpp_insert(in, buf))
		return RMPP_DROP;

	if (ib_get_rmpp_flags(rmpp_header_of(buf)) & IB_MGMT_RMPP_FLAG_LAST)
		in->last = number;
	rmpp_advance(in, buf);
	if (in->last && in->got == in->last) {
		in->complete = true;
		in->window = max(in->window, in->got);
		return RMPP_COMPLETE;
	}
	if (in->got < in->window)
		return RMPP_KEEP;
	in->window = in->got + in->step;
	return RMPP_KEEP_ACK;
}
EXPORT_SYMBOL_IF_KUNIT(rmpp_in_add);

/**
 * rmpp_in_length - length of a received transfer
 * @in: complete
 * @header_bytes: from the start of a MAD to the data of its class
 * @segment_bytes: payload of a full segment, class header included
 *
 * Return: bytes of one header, and of all data.
 */
int rmpp_in_length(const struct rmpp_in *in, u32 header_bytes,
		   u32 segment_bytes)
{
	const struct ib_mad_recv_buf *last =
		list_last_entry(&in->segments, struct ib_mad_recv_buf, list);
	u32 pad = segment_bytes - be32_to_cpu(rmpp_header_of(last)->paylen_newwin);
	u32 data = segment_bytes + IB_MGMT_RMPP_HDR - header_bytes;

	return header_bytes + in->got * data - pad;
}
EXPORT_SYMBOL_IF_KUNIT(rmpp_in_length);
