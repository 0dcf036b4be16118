// SPDX-License-Identifier: GPL-2.0
/*
 * MADs that programs read: what was received, and requests that have timed out.
 */
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/ib_cache.h>

#include "trace.h"
#include "umad.h"

/* ---- into the queue --------------------------------------------------------- */

static void umad_queue_wake(struct umad_file *file)
{
	wake_up_interruptible(&file->wait);
}

/* A send with a time limit ends here if the program has to know. */
void umad_queue_timeout(struct umad_packet *packet)
{
	struct umad_file *file = packet->file;

	packet->hdr.status = ETIMEDOUT;
	spin_lock(&file->queue_lock);
	list_add_tail(&packet->node, &file->queue);
	spin_unlock(&file->queue_lock);
	umad_queue_wake(file);
}

static bool umad_queue_received(struct umad_packet *packet, bool asked)
{
	const size_t most = asked ? UMAD_UNREAD_MOST : UMAD_UNREAD_MOST / 2;
	struct umad_file *file = packet->file;
	bool room;

	spin_lock(&file->queue_lock);
	room = file->queue_cost + packet->cost <= most;
	if (room) {
		file->queue_cost += packet->cost;
		list_add_tail(&packet->node, &file->queue);
	}
	spin_unlock(&file->queue_lock);
	if (room)
		umad_queue_wake(file);
	return room;
}

static void umad_packet_free(struct umad_packet *packet)
{
	if (!packet->recv) {
		umad_send_free(packet);
		return;
	}
	ib_free_recv_mad(packet->recv);
	kfree(packet);
}

/* At the close of a file. */
void umad_queue_drop(struct umad_file *file)
{
	struct umad_packet *packet, *next;

	list_for_each_entry_safe(packet, next, &file->queue, node)
		umad_packet_free(packet);
	INIT_LIST_HEAD(&file->queue);
}

static enum rdma_network_type umad_roce_type(const struct ib_wc *wc,
					     const struct ib_grh *grh)
{
	if (wc->wc_flags & IB_WC_WITH_NETWORK_HDR_TYPE)
		return wc->network_hdr_type;
	if (ib_get_rdma_header_version((const void *)grh) == 4)
		return RDMA_NETWORK_IPV4;
	return grh->next_hdr == IPPROTO_UDP ? RDMA_NETWORK_IPV6 :
					      RDMA_NETWORK_ROCE_V1;
}

static void umad_set_grh_words(struct ib_user_mad_hdr *hdr, const struct ib_grh *grh)
{
	const u32 word = be32_to_cpu(grh->version_tclass_flow);

	hdr->hop_limit = grh->hop_limit;
	hdr->traffic_class = word >> 20;
	hdr->flow_label = cpu_to_be32(word & 0xfffff);
}

/*
 * ib_init_ah_attr_from_wc() would wait for the neighbour, and delay all MADs of
 * the port. The neighbour is looked up when the program sends an answer.
 */
static int umad_set_roce_grh(struct ib_user_mad_hdr *hdr,
			     const struct ib_mad_agent *mad, const struct ib_wc *wc,
			     const struct ib_grh *grh)
{
	const union rdma_network_hdr *net = (const void *)grh;
	const enum rdma_network_type type = umad_roce_type(wc, grh);
	const struct ib_gid_attr *gid;
	union ib_gid from, to;
	int ret;

	ret = ib_get_gids_from_rdma_hdr(net, type, &from, &to);
	if (ret)
		return ret;
	gid = rdma_find_gid_by_port(mad->device, &to,
				    ib_network_to_gid_type(type),
				    mad->port_num, NULL);
	if (IS_ERR(gid))
		return PTR_ERR(gid);
	hdr->gid_index = gid->index;
	rdma_put_gid_attr(gid);
	memcpy(hdr->gid, from.raw, sizeof(hdr->gid));
	if (type == RDMA_NETWORK_IPV4) {
		hdr->hop_limit = net->roce4grh.ttl;
		hdr->traffic_class = net->roce4grh.tos;
	} else {
		umad_set_grh_words(hdr, grh);
	}
	return 0;
}

static int umad_set_ib_grh(struct ib_user_mad_hdr *hdr,
			   const struct ib_mad_agent *mad, const struct ib_wc *wc,
			   const struct ib_grh *grh)
{
	const struct ib_global_route *route;
	struct rdma_ah_attr av;
	int ret;

	ret = ib_init_ah_attr_from_wc(mad->device, mad->port_num, wc, grh, &av);
	if (ret)
		return ret;
	route = rdma_ah_read_grh(&av);
	hdr->gid_index = route->sgid_index;
	hdr->hop_limit = route->hop_limit;
	hdr->traffic_class = route->traffic_class;
	hdr->flow_label = cpu_to_be32(route->flow_label);
	memcpy(hdr->gid, route->dgid.raw, sizeof(hdr->gid));
	rdma_destroy_ah_attr(&av);
	return 0;
}

/* The sender's address, so that the same header can be used for an answer. */
static int umad_set_sender(struct ib_user_mad_hdr *hdr,
			   const struct ib_mad_agent *mad,
			   const struct ib_mad_recv_wc *recv)
{
	const struct ib_grh *grh = recv->recv_buf.grh;
	const struct ib_wc *wc = recv->wc;

	hdr->qpn = cpu_to_be32(wc->src_qp);
	hdr->lid = ib_lid_be16(wc->slid);
	hdr->sl = wc->sl;
	hdr->path_bits = wc->dlid_path_bits;
	hdr->pkey_index = wc->pkey_index;
	hdr->grh_present = !!(wc->wc_flags & IB_WC_GRH);
	if (!hdr->grh_present)
		return 0;
	return rdma_protocol_roce(mad->device, mad->port_num) ?
	       umad_set_roce_grh(hdr, mad, wc, grh) : umad_set_ib_grh(hdr, mad, wc, grh);
}

/* Return: whether the program will read of it; else @recv is still the caller's. */
static bool umad_take(struct ib_mad_agent *mad, struct ib_mad_recv_wc *recv,
		      bool asked)
{
	const struct umad_agent *agent = mad->context;
	struct umad_packet *packet = kzalloc(sizeof(*packet), GFP_KERNEL);

	if (!packet)
		return false;
	packet->file = agent->file;
	packet->recv = recv;
	/* The core has each segment in memory of its own, somewhat longer. */
	packet->cost = sizeof(*packet) + 2 * (IB_MGMT_MAD_SIZE + recv->mad_len);
	packet->hdr.id = agent->number;
	if (!umad_set_sender(&packet->hdr, mad, recv) &&
	    umad_queue_received(packet, asked))
		return true;
	kfree(packet);
	return false;
}

/* Handler: a MAD for an agent. */
void umad_received(struct ib_mad_agent *mad, struct ib_mad_send_buf *buf,
		   struct ib_mad_recv_wc *wc)
{
	if (umad_take(mad, wc, buf))
		return;
	/* Its send is told next. */
	if (buf)
		((struct umad_packet *)buf->context[0])->lost = true;
	ib_free_recv_mad(wc);
}

/* ---- out of the queue ------------------------------------------------------- */

/* Return: the oldest, which is not in the queue any more; -EIO, -EAGAIN. */
static struct umad_packet *umad_take_first(struct umad_file *file)
{
	struct umad_packet *packet;

	spin_lock(&file->queue_lock);
	packet = list_first_entry_or_null(&file->queue, struct umad_packet,
					  node);
	if (file->dead)
		packet = ERR_PTR(-EIO);
	else if (!packet)
		packet = ERR_PTR(-EAGAIN);
	else
		list_del(&packet->node);
	spin_unlock(&file->queue_lock);
	return packet;
}

/* It could not be read. Others may have seen an empty queue in the meantime. */
static void umad_put_back(struct umad_packet *packet)
{
	struct umad_file *file = packet->file;

	spin_lock(&file->queue_lock);
	list_add(&packet->node, &file->queue);
	spin_unlock(&file->queue_lock);
	umad_queue_wake(file);
}

static void umad_read_done(struct umad_packet *packet)
{
	struct umad_file *file = packet->file;

	if (packet->recv) {
		spin_lock(&file->queue_lock);
		file->queue_cost -= packet->cost;
		spin_unlock(&file->queue_lock);
	}
	umad_packet_free(packet);
}

/* Return: bytes, or an errno, and then it was not read. */
static ssize_t umad_give_timeout(const struct umad_packet *packet, char __user *buf,
				 size_t count, size_t hdr_size)
{
	if (count < hdr_size + IB_MGMT_MAD_HDR)
		return -EINVAL;
	if (copy_to_user(buf, &packet->hdr, hdr_size) ||
	    copy_to_user(buf + hdr_size, &packet->mad_hdr, IB_MGMT_MAD_HDR))
		return -EFAULT;
	return hdr_size + IB_MGMT_MAD_HDR;
}

/* The segments behind the first have their headers again, which are left out. */
static int umad_give_segments(const struct ib_mad_recv_wc *recv, char __user *buf,
			      size_t left)
{
	const u8 class = recv->recv_buf.mad->mad_hdr.mgmt_class;
	const size_t skip = ib_get_mad_data_offset(class);
	const struct ib_mad_recv_buf *segment = &recv->recv_buf;

	list_for_each_entry_continue(segment, &recv->rmpp_list, list) {
		const size_t n = min(left, recv->mad_seg_size - skip);

		if (copy_to_user(buf, (void *)segment->mad + skip, n))
			return -EFAULT;
		buf += n;
		left -= n;
		if (!left)
			break;
	}
	return left ? -EIO : 0;
}

/*
 * The same. A transfer for which there is no room shows its length and its first
 * segment.
 */
static ssize_t umad_give_received(struct umad_packet *packet, char __user *buf,
				  size_t count, size_t hdr_size)
{
	const struct ib_mad_recv_wc *recv = packet->recv;
	const size_t length = recv->mad_len;
	const size_t first = min(length, recv->mad_seg_size);
	int ret = 0;

	if (count < hdr_size + first)
		return -EINVAL;
	packet->hdr.length = hdr_size + length;
	if (copy_to_user(buf, &packet->hdr, hdr_size) ||
	    copy_to_user(buf + hdr_size, recv->recv_buf.mad, first))
		return -EFAULT;
	if (count < hdr_size + length)
		return -ENOSPC;
	if (length > first)
		ret = umad_give_segments(recv, buf + hdr_size + first,
					 length - first);
	return ret ?: hdr_size + length;
}

/**
 * umad_read - read what was received, or has timed out
 * @filp: umadN
 * @buf: out: struct ib_user_mad; shorter by the P_Key index unless that is enabled
 * @count: room, for one of them
 * @pos: unused
 *
 * Return: bytes read; -EINVAL (no room for headers and first segment), -ENOSPC (no
 * room for all segments; hdr.length tells how much it takes), -EFAULT: nothing was
 * taken; -EAGAIN (nothing there), -ERESTARTSYS, -EIO (the device is gone).
 */
ssize_t umad_read(struct file *filp, char __user *buf, size_t count,
		  loff_t *pos)
{
	struct umad_file *file = filp->private_data;
	const size_t hdr_size = umad_hdr_size(file);
	struct umad_packet *packet;
	ssize_t ret;

	if (count < hdr_size)
		return umad_refuse(file, -EINVAL,
				   "read of %zu bytes, the header has %zu", count,
				   hdr_size);
	while (IS_ERR(packet = umad_take_first(file))) {
		ret = PTR_ERR(packet);
		if (ret != -EAGAIN || filp->f_flags & O_NONBLOCK)
			return ret;
		ret = wait_event_interruptible(file->wait,
					       !list_empty(&file->queue) ||
					       READ_ONCE(file->dead));
		if (ret)
			return ret;
	}

	ret = packet->recv ? umad_give_received(packet, buf, count, hdr_size) :
			     umad_give_timeout(packet, buf, count, hdr_size);
	if (ret < 0) {
		umad_put_back(packet);
		return umad_refuse(file, ret, "read of %zu bytes: %zd", count, ret);
	}
	umad_trace_read(file, packet);
	umad_read_done(packet);
	return ret;
}

__poll_t umad_poll(struct file *filp, struct poll_table_struct *table)
{
	struct umad_file *file = filp->private_data;
	__poll_t mask = EPOLLOUT | EPOLLWRNORM;

	poll_wait(filp, &file->wait, table);
	spin_lock(&file->queue_lock);
	if (file->dead)
		mask = EPOLLERR;
	else if (!list_empty(&file->queue))
		mask |= EPOLLIN | EPOLLRDNORM;
	spin_unlock(&file->queue_lock);
	return mask;
}
