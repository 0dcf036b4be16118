// SPDX-License-Identifier: GPL-2.0
/*
 * MADs that programs write. The file knows of each until it is sent, or answered,
 * or has timed out; then it goes to the queue, to be read.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "trace.h"
#include "umad.h"

/* A copy of what the program wrote. */
struct message {
	struct ib_user_mad_hdr hdr;
	size_t length;
	union {
		void *data;
		struct ib_mad_hdr *mad;
		struct ib_rmpp_mad *rmpp;
	};
};

static int umad_read_header(const struct umad_file *file, struct message *msg,
			    const char __user *buf, size_t count,
			    size_t hdr_size)
{
	/* Any MAD has so much, and all of it is looked at. */
	if (count < hdr_size + IB_MGMT_RMPP_HDR)
		return umad_refuse(file, -EINVAL,
				   "write of %zu bytes, headers have %zu", count,
				   hdr_size + IB_MGMT_RMPP_HDR);
	memset(msg, 0, sizeof(*msg));
	if (copy_from_user(&msg->hdr, buf, hdr_size))
		return -EFAULT;
	msg->length = count - hdr_size;
	if (msg->hdr.id >= UMAD_AGENTS)
		return umad_refuse(file, -EINVAL, "there is no agent %u", msg->hdr.id);
	return 0;
}

/* At the most, headers and the last segment filled up. */
static size_t umad_cost_of(const struct message *msg)
{
	return 2 * msg->length + sizeof(struct umad_packet) + PAGE_SIZE / 4;
}

static struct umad_packet *umad_packet_new(struct umad_file *file,
					   const struct message *msg)
{
	const size_t cost = umad_cost_of(msg);
	struct umad_packet *packet = NULL;

	if (atomic_long_add_return(cost, &file->sends_cost) <= UMAD_SENDS_MOST)
		packet = kzalloc(sizeof(*packet), GFP_KERNEL_ACCOUNT);
	if (!packet) {
		atomic_long_sub(cost, &file->sends_cost);
		return NULL;
	}
	packet->file = file;
	packet->cost = cost;
	packet->hdr = msg->hdr;
	return packet;
}

/* The end of a send: it is in no list. */
void umad_send_free(struct umad_packet *packet)
{
	atomic_long_sub(packet->cost, &packet->file->sends_cost);
	kfree(packet);
}

static struct ib_ah *umad_make_ah(const struct umad_agent *agent,
				  struct ib_user_mad_hdr *hdr)
{
	struct ib_mad_agent *mad = agent->mad;
	struct rdma_ah_attr av = {
		.type = rdma_ah_find_type(mad->device, mad->port_num),
	};

	rdma_ah_set_port_num(&av, mad->port_num);
	rdma_ah_set_dlid(&av, be16_to_cpu(hdr->lid));
	rdma_ah_set_sl(&av, hdr->sl);
	rdma_ah_set_path_bits(&av, hdr->path_bits);
	if (hdr->grh_present) {
		rdma_ah_set_grh(&av, NULL, be32_to_cpu(hdr->flow_label),
				hdr->gid_index, hdr->hop_limit,
				hdr->traffic_class);
		rdma_ah_set_dgid_raw(&av, hdr->gid);
	}
	return rdma_create_user_ah(mad->qp->pd, &av, NULL);
}

/* Whether the MAD layer is to cut the message. */
static bool umad_is_transfer(const struct umad_agent *agent,
			     const struct message *msg)
{
	return ib_mad_kernel_rmpp_agent(agent->mad) &&
	       ib_is_mad_class_rmpp(msg->mad->mgmt_class) &&
	       msg->rmpp->rmpp_hdr.rmpp_rtime_flags & IB_MGMT_RMPP_FLAG_ACTIVE;
}

/* The RMPP header of a transfer is the MAD layer's, and there already. */
static void umad_fill_transfer(struct ib_mad_send_buf *buf,
			       const struct message *msg)
{
	const void *from = msg->data + buf->hdr_len;
	size_t left = msg->length - buf->hdr_len;
	int number;

	memcpy(buf->mad, msg->data, IB_MGMT_MAD_HDR);
	memcpy(buf->mad + IB_MGMT_RMPP_HDR, msg->data + IB_MGMT_RMPP_HDR,
	       buf->hdr_len - IB_MGMT_RMPP_HDR);
	for (number = 1; left; number++) {
		const size_t n = min_t(size_t, left, buf->seg_size);

		memcpy(ib_get_rmpp_segment(buf, number), from, n);
		from += n;
		left -= n;
	}
}

static struct ib_mad_send_buf *umad_make_buf(const struct umad_agent *agent,
					     const struct message *msg)
{
	const int hdr_len = ib_get_mad_data_offset(msg->mad->mgmt_class);
	const bool transfer = umad_is_transfer(agent, msg);
	struct ib_mad_send_buf *buf;

	if (msg->length < hdr_len)
		return umad_refuse(agent->file, ERR_PTR(-EINVAL),
				   "%zu bytes, the header of class 0x%02x has %d",
				   msg->length, msg->mad->mgmt_class, hdr_len);
	buf = ib_create_send_mad(agent->mad, be32_to_cpu(msg->hdr.qpn),
				 msg->hdr.pkey_index, transfer, hdr_len,
				 msg->length - hdr_len, GFP_KERNEL_ACCOUNT,
				 msg->mad->base_version);
	if (IS_ERR(buf))
		return buf;
	if (transfer)
		umad_fill_transfer(buf, msg);
	else
		memcpy(buf->mad, msg->data, msg->length);
	return buf;
}

static void umad_free_buf(struct ib_mad_send_buf *buf)
{
	rdma_destroy_ah(buf->ah, RDMA_DESTROY_AH_SLEEPABLE);
	ib_free_send_mad(buf);
}

/*
 * The upper half of a request's TID is the agent's, which directs the response
 * to it. A response keeps the requester's TID.
 */
static void umad_set_tid(const struct umad_agent *agent, struct ib_mad_hdr *mad)
{
	if (!ib_response_mad(mad))
		mad->tid = cpu_to_be64((u64)agent->mad->hi_tid << 32 |
				       lower_32_bits(be64_to_cpu(mad->tid)));
}

/* Answers are the same if they go to the same place. */
static bool umad_same_place(const struct ib_user_mad_hdr *a,
			    const struct ib_user_mad_hdr *b)
{
	if (!a->grh_present != !b->grh_present)
		return false;
	return a->grh_present ? !memcmp(a->gid, b->gid, sizeof(a->gid)) :
				a->lid == b->lid;
}

/* Could the MAD layer, or an answer, take the one for the other? */
static bool umad_alike(const struct umad_packet *a, const struct umad_packet *b)
{
	const bool answers = ib_response_mad(&a->mad_hdr);

	return a->mad_hdr.tid == b->mad_hdr.tid &&
	       a->mad_hdr.mgmt_class == b->mad_hdr.mgmt_class &&
	       answers == (bool)ib_response_mad(&b->mad_hdr) &&
	       (!answers || umad_same_place(&a->hdr, &b->hdr));
}

static int umad_enlist(struct umad_packet *packet)
{
	const u32 key = lower_32_bits(be64_to_cpu(packet->mad_hdr.tid));
	struct umad_file *file = packet->file;
	const struct umad_packet *other;
	int ret = 0;

	spin_lock(&file->sends_lock);
	hash_for_each_possible(file->sends, other, by_tid, key)
		if (umad_alike(packet, other))
			ret = umad_refuse(file, -EINVAL, "a MAD of TID 0x%08x is under way", key);
	if (!ret)
		hash_add(file->sends, &packet->by_tid, key);
	spin_unlock(&file->sends_lock);
	return ret;
}

static void umad_unlist(struct umad_packet *packet)
{
	spin_lock(&packet->file->sends_lock);
	hash_del(&packet->by_tid);
	spin_unlock(&packet->file->sends_lock);
}

/* On success @packet, with @buf, is not the caller's any more. */
static int umad_post(struct umad_packet *packet, struct ib_mad_send_buf *buf)
{
	int ret;

	packet->mad_hdr = *(struct ib_mad_hdr *)buf->mad;
	buf->context[0] = packet;
	/* Theirs are signed. */
	buf->timeout_ms = min_t(u32, packet->hdr.timeout_ms, INT_MAX);
	buf->retries = min_t(u32, packet->hdr.retries, INT_MAX);
	ret = umad_enlist(packet);
	if (ret)
		return ret;
	ret = ib_post_send_mad(buf, NULL);
	if (ret)
		umad_unlist(packet);
	return ret;
}

static int umad_send(struct umad_agent *agent, struct umad_packet *packet,
		     struct message *msg)
{
	struct ib_mad_send_buf *buf;
	struct ib_ah *ah;
	int ret;

	ah = umad_make_ah(agent, &msg->hdr);
	if (IS_ERR(ah))
		return PTR_ERR(ah);
	buf = umad_make_buf(agent, msg);
	if (IS_ERR(buf)) {
		rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
		return PTR_ERR(buf);
	}
	buf->ah = ah;
	umad_set_tid(agent, buf->mad);
	ret = umad_post(packet, buf);
	if (ret)
		umad_free_buf(buf);
	return ret;
}

/* By the agent that the message names, if there is one. */
static int umad_send_by_number(struct umad_file *file, struct umad_packet *packet,
			       struct message *msg)
{
	const u32 number = array_index_nospec(msg->hdr.id, UMAD_AGENTS);
	struct umad_agent *agent;
	int ret;

	down_read(&file->agents_lock);
	agent = file->agents[number];
	if (agent) {
		umad_trace_write(file, &msg->hdr, msg->mad);
		ret = umad_send(agent, packet, msg);
	} else {
		ret = umad_refuse(file, -EIO, "there is no agent %u", number);
	}
	up_read(&file->agents_lock);
	return ret;
}

/**
 * umad_write - send a MAD
 * @filp: umadN
 * @buf: struct ib_user_mad; shorter by the P_Key index unless that is enabled
 * @count: of headers and all data
 * @pos: unused
 *
 * Return: @count; -EINVAL (too short for its class, too long for one that is not
 * a transfer, no such number, no address, or a MAD like it is under way), -EFAULT,
 * -EIO (no such agent; the device is gone), -ENOMEM, an errno of
 * rdma_create_user_ah() or ib_post_send_mad().
 */
ssize_t umad_write(struct file *filp, const char __user *buf, size_t count,
		   loff_t *pos)
{
	struct umad_file *file = filp->private_data;
	const size_t hdr_size = umad_hdr_size(file);
	struct umad_packet *packet;
	struct message msg;
	int ret;

	ret = umad_read_header(file, &msg, buf, count, hdr_size);
	if (ret)
		return ret;
	/* First it is counted, then it takes memory. */
	packet = umad_packet_new(file, &msg);
	if (!packet)
		return -ENOMEM;
	msg.data = vmemdup_user(buf + hdr_size, msg.length);
	if (IS_ERR(msg.data)) {
		ret = PTR_ERR(msg.data);
	} else {
		ret = umad_send_by_number(file, packet, &msg);
		kvfree(msg.data);
	}
	if (ret)
		umad_send_free(packet);
	return ret ?: count;
}

/* Handler: a send has come to its end. */
void umad_sent(struct ib_mad_agent *mad, struct ib_mad_send_wc *wc)
{
	struct umad_packet *packet = wc->send_buf->context[0];

	umad_unlist(packet);
	umad_free_buf(wc->send_buf);
	if (wc->status == IB_WC_RESP_TIMEOUT_ERR || packet->lost)
		umad_queue_timeout(packet);
	else
		umad_send_free(packet);
}
