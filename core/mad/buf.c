// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of MADs: what consumers fill to send, and what they are given. Each
 * send keeps its agent; a received MAD only the agent's quota, so it may be
 * freed after the agent has gone.
 */
#include <linux/export.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <ofed/refuse.h>

#include "priv.h"

/* Agents with this do RMPP in user space, and send single packets. */
static bool mad_agent_does_rmpp(const struct mad_agent *agent)
{
	return agent->pub.rmpp_version &&
	       !(agent->pub.flags & IB_MAD_USER_RMPP);
}

/**
 * ib_mad_kernel_rmpp_agent - does the MAD layer do RMPP for an agent?
 * @agent: agent
 *
 * Context: any. Return: nonzero if it does.
 */
int ib_mad_kernel_rmpp_agent(const struct ib_mad_agent *agent)
{
	return mad_agent_does_rmpp(container_of(agent, struct mad_agent, pub));
}
OFED_EXPORT(ib_mad_kernel_rmpp_agent);

static void mad_free_segments(struct mad_send *send)
{
	u32 i, chunks;

	if (!send->chunks)
		return;
	chunks = DIV_ROUND_UP(send->buf.seg_count, send->segs_per_chunk);
	for (i = 0; i < chunks; i++)
		kfree(send->chunks[i]);
	kfree(send->chunks);
}

/* The array and its pages; on failure mad_free_segments() undoes it. */
static int mad_alloc_segments(struct mad_send *send, gfp_t gfp)
{
	struct ib_mad_send_buf *buf = &send->buf;
	u32 i, chunks;

	send->segs_per_chunk = PAGE_SIZE / buf->seg_size;
	chunks = DIV_ROUND_UP(buf->seg_count, send->segs_per_chunk);
	send->chunks = kcalloc(chunks, sizeof(*send->chunks),
			       gfp | __GFP_NOWARN);
	if (!send->chunks)
		return -ENOMEM;
	for (i = 0; i < chunks; i++) {
		send->chunks[i] = kzalloc(PAGE_SIZE, gfp | __GFP_NOWARN);
		if (!send->chunks[i])
			return -ENOMEM;
	}
	return 0;
}

static int mad_setup_rmpp(struct mad_send *send, size_t mad_size, gfp_t gfp)
{
	struct ib_mad_send_buf *buf = &send->buf;
	struct ib_rmpp_mad *mad = buf->mad;

	buf->seg_size = mad_size - buf->hdr_len;
	buf->seg_rmpp_size = mad_size - IB_MGMT_RMPP_HDR;
	/* A transfer without data is one empty segment. */
	buf->seg_count = max(DIV_ROUND_UP(buf->data_len, buf->seg_size), 1);
	send->pad = buf->seg_count * buf->seg_size - buf->data_len;

	mad->rmpp_hdr.rmpp_version = send->agent->pub.rmpp_version;
	mad->rmpp_hdr.rmpp_type = IB_MGMT_RMPP_TYPE_DATA;
	mad->rmpp_hdr.paylen_newwin = cpu_to_be32(buf->hdr_len -
						  IB_MGMT_RMPP_HDR +
						  buf->data_len);
	ib_set_rmpp_resptime(&mad->rmpp_hdr, IB_MGMT_RMPP_NO_RESPTIME);
	ib_set_rmpp_flags(&mad->rmpp_hdr, IB_MGMT_RMPP_FLAG_ACTIVE);
	return mad_alloc_segments(send, gfp);
}

/* Only what fits into one packet, or what RMPP can cut. */
static bool mad_lengths_ok(const struct mad_agent *agent, bool rmpp_active,
			   int hdr_len, int data_len, size_t mad_size)
{
	if (hdr_len < IB_MGMT_MAD_HDR || data_len < 0 || hdr_len > mad_size)
		return false;
	if (!rmpp_active)
		return data_len <= mad_size - hdr_len;
	/* The rest keeps seg_count * seg_size, and all on the wire, an int. */
	return mad_agent_does_rmpp(agent) && hdr_len >= IB_MGMT_RMPP_HDR &&
	       mad_size - hdr_len >= IB_MGMT_MAD_SIZE / 2 &&
	       data_len <= INT_MAX / 4;
}

static void mad_free_send(struct mad_send *send)
{
	mad_free_segments(send);
	if (send->image != send->buf.mad)
		kfree(send->image);
	kfree(send->buf.mad);
	kfree(send);
}

static struct mad_send *mad_alloc_send(struct mad_agent *agent, bool rmpp_active,
				       int hdr_len, int data_len, size_t mad_size,
				       gfp_t gfp)
{
	struct mad_send *send = kzalloc(sizeof(*send), gfp);

	if (!send)
		return NULL;
	send->agent = agent;
	send->buf.mad_agent = &agent->pub;
	send->buf.hdr_len = hdr_len;
	send->buf.data_len = data_len;
	INIT_LIST_HEAD(&send->node);
	INIT_LIST_HEAD(&send->queue);
	INIT_HLIST_NODE(&send->by_tid);

	send->buf.mad = kzalloc(rmpp_active ? hdr_len : mad_size, gfp);
	send->image = rmpp_active ? kzalloc(mad_size, gfp) : send->buf.mad;
	if (!send->buf.mad || !send->image ||
	    (rmpp_active && mad_setup_rmpp(send, mad_size, gfp))) {
		mad_free_send(send);
		return NULL;
	}
	return send;
}

/**
 * ib_create_send_mad - allocate a MAD to send
 * @mad_agent: agent that will send it; kept until ib_free_send_mad()
 * @remote_qpn: QP to send it to
 * @pkey_index: P_Key to send it with, on QP1
 * @rmpp_active: it may be longer than a packet
 * @hdr_len: bytes of all headers: common, RMPP, class
 * @data_len: bytes of data behind them
 * @gfp_mask: how to allocate
 * @base_version: of the MAD; Omni-Path ports have one with longer packets
 *
 * Headers and padding are 0, but for the RMPP header of an RMPP transfer. The
 * caller fills the headers (send_buf->mad), then the data: behind them, or with
 * @rmpp_active into ib_get_rmpp_segment(); and send_buf->ah, timeout_ms,
 * retries. Context: any that @gfp_mask permits.
 * Return: the buffer, or -EINVAL (lengths; RMPP, but the agent has none),
 * -ENOMEM.
 */
struct ib_mad_send_buf *ib_create_send_mad(struct ib_mad_agent *mad_agent,
					   u32 remote_qpn, u16 pkey_index,
					   int rmpp_active, int hdr_len,
					   int data_len, gfp_t gfp_mask,
					   u8 base_version)
{
	struct mad_agent *agent = to_mad_agent(mad_agent);
	const size_t mad_size = mad_full_size(agent->port, base_version);
	struct mad_send *send;

	if (!mad_lengths_ok(agent, rmpp_active, hdr_len, data_len, mad_size))
		return ofed_refuse(mad_agent->device, ERR_PTR(-EINVAL),
				   "a MAD of %d + %d bytes, RMPP %d, does not fit",
				   hdr_len, data_len, rmpp_active);
	send = mad_alloc_send(agent, rmpp_active, hdr_len, data_len, mad_size,
			      gfp_mask);
	if (!send)
		return ERR_PTR(-ENOMEM);

	/* Those of InfiniBand always are of full size. */
	send->image_len = mad_size == IB_MGMT_MAD_SIZE || rmpp_active ?
			  mad_size : hdr_len + data_len;
	send->wr.remote_qpn = remote_qpn;
	send->wr.pkey_index = pkey_index;
	refcount_inc(&agent->refs);
	return &send->buf;
}
OFED_EXPORT(ib_create_send_mad);

/**
 * ib_free_send_mad - free a MAD of ib_create_send_mad()
 * @send_buf: not posted, or handed to the send handler since
 *
 * Context: any.
 */
void ib_free_send_mad(struct ib_mad_send_buf *send_buf)
{
	struct mad_send *send = to_mad_send(send_buf);
	struct mad_agent *agent = send->agent;

	if (WARN_ON_ONCE(send->posted))
		return;
	mad_free_send(send);
	mad_agent_put(agent);
}
OFED_EXPORT(ib_free_send_mad);

void *mad_send_segment(const struct mad_send *send, u32 number)
{
	u32 index = number - 1;

	return send->chunks[index / send->segs_per_chunk] +
	       index % send->segs_per_chunk * send->buf.seg_size;
}

/**
 * rmpp_compose - build the packet of the next segment to send
 * @send: flying; so the caller alone uses its image
 */
void rmpp_compose(struct mad_send *send)
{
	struct ib_mad_send_buf *buf = &send->buf;
	struct ib_rmpp_mad *packet = send->image;

	/* Each segment has all the headers (13.6.2). */
	memcpy(send->image, buf->mad, buf->hdr_len);
	memcpy(send->image + buf->hdr_len,
	       mad_send_segment(send, send->segment), buf->seg_size);
	rmpp_out_header(&packet->rmpp_hdr, send->segment, buf->seg_count,
			buf->seg_rmpp_size, send->pad);
}

/**
 * ib_get_rmpp_segment - find the data of a segment
 * @send_buf: buffer, created for RMPP
 * @seg_num: number of the segment, 1 to seg_count
 *
 * Context: any.
 * Return: send_buf->seg_size bytes, or NULL when there is no such segment.
 */
void *ib_get_rmpp_segment(struct ib_mad_send_buf *send_buf, int seg_num)
{
	struct mad_send *send = to_mad_send(send_buf);

	if (seg_num < 1 || seg_num > send_buf->seg_count)
		return NULL;
	return mad_send_segment(send, seg_num);
}
OFED_EXPORT(ib_get_rmpp_segment);

struct mad_quota *mad_quota_alloc(void)
{
	struct mad_quota *quota = kzalloc(sizeof(*quota), GFP_KERNEL);

	if (quota)
		refcount_set(&quota->refs, 1);
	return quota;
}

void mad_quota_put(struct mad_quota *quota)
{
	if (refcount_dec_and_test(&quota->refs))
		kfree(quota);
}

/*
 * A consumer that does not free what it gets is given no more. Unsolicited MADs
 * get half of the quota: responses need the other half.
 */
bool mad_recv_charge(struct mad_recv *recv, struct mad_quota *quota)
{
	const int limit = ib_response_mad(mad_recv_hdr(recv)) ? MAD_QUOTA :
								MAD_QUOTA / 2;

	if (atomic_inc_return(&quota->held) > limit) {
		atomic_dec(&quota->held);
		return false;
	}
	refcount_inc(&quota->refs);
	recv->quota = quota;
	return true;
}

/**
 * mad_recv_alloc - copy a received MAD
 * @wc: its completion
 * @grh: (may be NULL) the 40 bytes in front of it
 * @mad: the MAD
 * @size: its length
 * @room: what to make of it, with zeros: readers look at all of that
 *
 * The receive buffers themselves are never given away: with memory or without,
 * they are posted again at once.
 */
struct mad_recv *mad_recv_alloc(const struct ib_wc *wc,
				const struct ib_grh *grh, const void *mad,
				size_t size, size_t room)
{
	struct mad_recv *recv;

	recv = kmalloc(struct_size(recv, mad, room), GFP_KERNEL | __GFP_NOWARN);
	if (!recv)
		return NULL;

	memset(&recv->pub, 0, sizeof(recv->pub));
	recv->quota = NULL;
	recv->size = size;
	recv->wc = *wc;
	recv->wc.wr_id = 0;
	if (grh)
		recv->grh = *grh;
	else
		memset(&recv->grh, 0, sizeof(recv->grh));
	memcpy(recv->mad, mad, size);
	memset(recv->mad + size, 0, room - size);

	recv->pub.wc = &recv->wc;
	recv->pub.recv_buf.grh = &recv->grh;
	recv->pub.recv_buf.mad = (struct ib_mad *)recv->mad;
	recv->pub.mad_len = size;
	recv->pub.mad_seg_size = room;
	INIT_LIST_HEAD(&recv->pub.rmpp_list);
	list_add(&recv->pub.recv_buf.list, &recv->pub.rmpp_list);
	return recv;
}

/* One MAD, whatever list it was in. */
void mad_recv_free(struct mad_recv *recv)
{
	if (recv->quota) {
		atomic_dec(&recv->quota->held);
		mad_quota_put(recv->quota);
	}
	kfree(recv);
}

/**
 * ib_free_recv_mad - free a received MAD
 * @mad_recv_wc: as it was given to the receive handler; its agent may be gone
 *
 * Context: any.
 */
void ib_free_recv_mad(struct ib_mad_recv_wc *mad_recv_wc)
{
	struct ib_mad_recv_buf *buf, *next;
	LIST_HEAD(segments);

	/* The head of the list lies in one of its members. */
	list_splice_init(&mad_recv_wc->rmpp_list, &segments);
	list_for_each_entry_safe(buf, next, &segments, list)
		mad_recv_free(container_of(buf, struct mad_recv,
					   pub.recv_buf));
}
OFED_EXPORT(ib_free_recv_mad);
