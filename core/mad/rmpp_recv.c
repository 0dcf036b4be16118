// SPDX-License-Identifier: GPL-2.0
/*
 * RMPP transfers that agents receive. A transfer lives from its first segment
 * until some time after the last one, to acknowledge that again if need be.
 *
 * The memory that a peer can make this layer hold is bounded: transfers per
 * agent, segments of one unsolicited transfer, and all received MADs of an
 * agent by its quota. Responses are only taken while their request waits; then
 * unsolicited transfers are dropped to make room for them.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "priv.h"

#define MAX_TRANSFERS	256
/* Segments at most: of a response to a local request, of other transfers. */
#define MOST_ASKED	(MAD_QUOTA / 2)
#define MOST_UNASKED	4096
/* A transfer may pause for so long; a complete one is remembered for so long. */
#define PAUSE_LIMIT	(40 * HZ)
#define MEMORY		(10 * HZ)
#define SWEEP_PERIOD	(5 * HZ)

/* What all segments of a transfer have in common. Compared as bytes. */
struct transfer_key {
	union ib_gid sgid;
	__be64 tid;
	u32 slid;
	u32 src_qp;
	u8 base_version;	/* says how long a segment is */
	u8 mgmt_class;
	u8 class_version;
	u8 method;
	u8 grh;
};

/**
 * struct transfer - a transfer that is being received, or was
 * @node: in mad_agent.transfers
 * @key: what all its segments have in common
 * @in: its state
 * @asked: it is the response to a local request
 * @deadline: when it is given up
 */
struct transfer {
	struct list_head node;
	struct transfer_key key;
	struct rmpp_in in;
	bool asked;
	unsigned long deadline;
};

static void rmpp_make_key(const struct mad_agent *agent,
			  const struct mad_recv *recv, struct transfer_key *key)
{
	const struct ib_mad_hdr *hdr = (const void *)recv->mad;
	struct mad_peer peer;

	mad_recv_peer(agent->port, recv, &peer);
	memset(key, 0, sizeof(*key));
	key->sgid = peer.far;
	key->tid = hdr->tid;
	key->slid = recv->wc.slid;
	key->src_qp = recv->wc.src_qp;
	key->base_version = hdr->base_version;
	key->mgmt_class = hdr->mgmt_class;
	key->class_version = hdr->class_version;
	key->method = hdr->method;
	key->grh = peer.grh;
}

static struct transfer *rmpp_find(struct mad_agent *agent,
				  const struct transfer_key *key)
{
	struct transfer *transfer;

	lockdep_assert_held(&agent->rmpp_lock);
	list_for_each_entry(transfer, &agent->transfers, node)
		if (!memcmp(&transfer->key, key, sizeof(*key)))
			return transfer;
	return NULL;
}

static void rmpp_drop(struct mad_agent *agent, struct transfer *transfer)
{
	struct ib_mad_recv_buf *buf, *next;

	list_for_each_entry_safe(buf, next, &transfer->in.segments, list)
		mad_recv_free(container_of(buf, struct mad_recv,
					   pub.recv_buf));
	list_del(&transfer->node);
	agent->num_transfers--;
	kfree(transfer);
}

/* Drop a transfer, and tell its sender so. */
static void rmpp_give_up(struct mad_agent *agent, struct transfer *transfer, u8 type,
			 u8 status)
{
	struct mad_recv *any =
		list_first_entry_or_null(&transfer->in.segments,
					 struct mad_recv, pub.recv_buf.list);

	if (any)
		rmpp_reply(agent, any, type, status, 0, 0);
	rmpp_drop(agent, transfer);
}

/*
 * At the limit, the oldest complete transfer is dropped. If none is complete, a
 * response to a local request (@asked) replaces an unsolicited transfer.
 */
static bool rmpp_make_room(struct mad_agent *agent, bool asked)
{
	struct transfer *transfer;

	lockdep_assert_held(&agent->rmpp_lock);
	if (agent->num_transfers < MAX_TRANSFERS)
		return true;
	list_for_each_entry(transfer, &agent->transfers, node)
		if (transfer->in.complete) {
			rmpp_drop(agent, transfer);
			return true;
		}
	if (!asked)
		return false;
	list_for_each_entry(transfer, &agent->transfers, node)
		if (!transfer->asked) {
			rmpp_give_up(agent, transfer, IB_MGMT_RMPP_TYPE_STOP,
				     IB_MGMT_RMPP_STATUS_RESX);
			return true;
		}
	return false;
}

static struct transfer *rmpp_begin(struct mad_agent *agent,
				   const struct transfer_key *key, bool asked)
{
	struct transfer *transfer;

	if (!rmpp_make_room(agent, asked))
		return NULL;
	transfer = kmalloc(sizeof(*transfer), GFP_KERNEL);
	if (!transfer)
		return NULL;
	transfer->key = *key;
	transfer->asked = asked;
	transfer->deadline = jiffies + PAUSE_LIMIT;
	/* A window is a part of the receive buffers, which others use too. */
	rmpp_in_init(&transfer->in, max_t(u32, agent->qp->num_rx_bufs / 8, 1),
		     asked ? MOST_ASKED : MOST_UNASKED);
	list_add_tail(&transfer->node, &agent->transfers);
	agent->num_transfers++;
	queue_delayed_work(mad_wq, &agent->rmpp_work, SWEEP_PERIOD);
	return transfer;
}

/* Make one of the segments of a complete transfer; returns the first. */
static struct mad_recv *rmpp_assemble(struct transfer *transfer)
{
	struct mad_recv *first =
		list_first_entry(&transfer->in.segments, struct mad_recv,
				 pub.recv_buf.list);
	const u8 class = mad_recv_hdr(first)->mgmt_class;

	first->pub.mad_len = rmpp_in_length(&transfer->in,
					    ib_get_mad_data_offset(class),
					    first->pub.mad_seg_size -
					    IB_MGMT_RMPP_HDR);
	list_splice_init(&transfer->in.segments, &first->pub.rmpp_list);
	return first;
}

/* What becomes of a segment, and what its sender is told. */
struct reaction {
	u8 type;
	u8 status;
	u32 segment;
	u32 window;
	bool drop;
	bool news;
	struct mad_recv *whole;
};

/*
 * Returns with @recv in the transfer, or with how->drop set; with how->news when
 * the transfer has come forward and goes on.
 */
static void rmpp_add_segment(struct mad_agent *agent, struct transfer *transfer,
			     struct mad_recv *recv, struct reaction *how)
{
	const u8 class = mad_recv_hdr(recv)->mgmt_class;
	struct rmpp_in *in = &transfer->in;
	enum rmpp_verdict verdict;

	list_del_init(&recv->pub.recv_buf.list);
	verdict = rmpp_in_add(in, &recv->pub.recv_buf,
			      ib_get_mad_data_offset(class) -
			      IB_MGMT_RMPP_HDR,
			      recv->pub.mad_seg_size - IB_MGMT_RMPP_HDR,
			      &how->status);
	how->segment = in->got;
	how->window = in->window;
	switch (verdict) {
	case RMPP_COMPLETE:
		how->whole = rmpp_assemble(transfer);
		transfer->deadline = jiffies + MEMORY;
		how->type = IB_MGMT_RMPP_TYPE_ACK;
		break;
	case RMPP_KEEP_ACK:
		how->type = IB_MGMT_RMPP_TYPE_ACK;
		fallthrough;
	case RMPP_KEEP:
		how->news = true;
		transfer->deadline = jiffies + PAUSE_LIMIT;
		break;
	case RMPP_DROP_ACK:
		how->type = IB_MGMT_RMPP_TYPE_ACK;
		fallthrough;
	case RMPP_DROP:
		how->drop = true;
		break;
	case RMPP_ABORT:
		how->type = IB_MGMT_RMPP_TYPE_ABORT;
		how->segment = 0;
		how->window = 0;
		how->drop = true;
		rmpp_drop(agent, transfer);
		break;
	}
}

/* Is it an answer that is waited for? */
static bool rmpp_is_awaited(struct mad_agent *agent, const struct mad_recv *recv)
{
	bool awaited;

	spin_lock_irq(&agent->lock);
	awaited = mad_find_send(agent, recv);
	spin_unlock_irq(&agent->lock);
	return awaited;
}

/*
 * The rest of an answer has more time to come in. Only what is new counts: a peer
 * that says the same again and again does not answer.
 */
static void rmpp_more_time(struct mad_agent *agent, const struct mad_recv *recv)
{
	struct mad_send *send;

	lockdep_assert_held(&agent->rmpp_lock);
	spin_lock_irq(&agent->lock);
	send = mad_find_send(agent, recv);
	if (send)
		mad_sends_progress(&agent->sends, send, jiffies);
	spin_unlock_irq(&agent->lock);
}

static void rmpp_take_data(struct mad_agent *agent, struct mad_recv *recv)
{
	const struct ib_rmpp_mad *mad = (const void *)recv->mad;
	const bool response = ib_response_mad(&mad->mad_hdr);
	const bool awaited = response && rmpp_is_awaited(agent, recv);
	struct reaction how = {};
	struct transfer *transfer;
	struct transfer_key key;

	rmpp_make_key(agent, recv, &key);
	mutex_lock(&agent->rmpp_lock);
	transfer = rmpp_find(agent, &key);
	/* A window begins as 1, so nothing can be in front of the first. */
	if (!transfer && mad->rmpp_hdr.seg_num == cpu_to_be32(1) &&
	    (awaited || !response))
		transfer = rmpp_begin(agent, &key, response);
	if (transfer && response && !awaited && !transfer->in.complete) {
		/* Its request has timed out, or was cancelled. */
		rmpp_drop(agent, transfer);
		transfer = NULL;
	}
	if (transfer)
		rmpp_add_segment(agent, transfer, recv, &how);
	else
		how.drop = true;
	/* Still locked: it may be in the list of the transfer. */
	if (how.news && response)
		rmpp_more_time(agent, recv);
	if (how.type)
		rmpp_reply(agent, recv, how.type, how.status, how.segment,
			   how.window);
	mutex_unlock(&agent->rmpp_lock);

	if (how.drop)
		mad_recv_free(recv);
	if (how.whole)
		mad_deliver(agent, how.whole);
}

/**
 * rmpp_receive - an RMPP packet has come in
 * @agent: kept by the caller; does RMPP
 * @recv: one packet, charged, its flag ACTIVE set; not the caller's any more
 *
 * Context: process; no lock held.
 */
void rmpp_receive(struct mad_agent *agent, struct mad_recv *recv)
{
	const struct ib_rmpp_hdr *hdr =
		&((struct ib_rmpp_mad *)recv->mad)->rmpp_hdr;
	const u8 status = rmpp_check(hdr, agent->pub.rmpp_version);

	if (status) {
		/* Two sides that refuse each other's packets must not loop. */
		if (hdr->rmpp_type != IB_MGMT_RMPP_TYPE_STOP &&
		    hdr->rmpp_type != IB_MGMT_RMPP_TYPE_ABORT)
			rmpp_reply(agent, recv, IB_MGMT_RMPP_TYPE_ABORT,
				   status, 0, 0);
		mad_recv_free(recv);
	} else if (hdr->rmpp_type == IB_MGMT_RMPP_TYPE_DATA) {
		rmpp_take_data(agent, recv);
	} else {
		rmpp_control(agent, recv);
	}
}

/* The sender of a transfer has given it up. */
void rmpp_recv_drop(struct mad_agent *agent, const struct mad_recv *like)
{
	struct transfer *transfer;
	struct transfer_key key;

	rmpp_make_key(agent, like, &key);
	mutex_lock(&agent->rmpp_lock);
	transfer = rmpp_find(agent, &key);
	if (transfer && !transfer->in.complete)
		rmpp_drop(agent, transfer);
	mutex_unlock(&agent->rmpp_lock);
}

/* Drops transfers that have passed their deadline. */
void rmpp_recv_work(struct work_struct *work)
{
	struct mad_agent *agent = container_of(to_delayed_work(work),
					       struct mad_agent, rmpp_work);
	struct transfer *transfer, *next;

	mutex_lock(&agent->rmpp_lock);
	list_for_each_entry_safe(transfer, next, &agent->transfers, node)
		if (time_after_eq(jiffies, transfer->deadline))
			rmpp_give_up(agent, transfer, IB_MGMT_RMPP_TYPE_ABORT,
				     IB_MGMT_RMPP_STATUS_T2L);
	if (!list_empty(&agent->transfers))
		queue_delayed_work(mad_wq, &agent->rmpp_work, SWEEP_PERIOD);
	mutex_unlock(&agent->rmpp_lock);
}

/* At the end of an agent, when look-ups do not find it any more. */
void rmpp_recv_flush(struct mad_agent *agent)
{
	struct transfer *transfer, *next;

	mutex_lock(&agent->rmpp_lock);
	list_for_each_entry_safe(transfer, next, &agent->transfers, node)
		rmpp_drop(agent, transfer);
	mutex_unlock(&agent->rmpp_lock);
}
