// SPDX-License-Identifier: GPL-2.0
/*
 * FPDUs become messages: DDP (RFC 5041) and RDMAP (RFC 5040). Everything of a
 * header is checked before any byte is placed; what does not fit ends the stream
 * with a Terminate that says why.
 */
#include <net/sock.h>

#include "conn.h"
#include "iwarp.h"
#include "rdmap.h"

/**
 * iw_term_of_fault - what RFC 5040 calls what is wrong with a key
 * @fault: that
 * @tagged: a tagged segment named it: DDP's error, RFC 5041 6.2
 */
enum iw_term iw_term_of_fault(enum soft_fault fault, bool tagged)
{
	switch (fault) {
	case SOFT_NO_KEY:
		return tagged ? IW_TERM_DDP_STAG : IW_TERM_RDMAP_STAG;
	case SOFT_NO_RANGE:
		return tagged ? IW_TERM_DDP_BOUNDS : IW_TERM_RDMAP_BOUNDS;
	default:
		/* DDP knows no rights. */
		return IW_TERM_RDMAP_ACCESS;
	}
}

static struct iw_qp *qp_of(struct iw_rx *rx)
{
	return container_of(rx, struct iw_qp, rx);
}

/*
 * The stream ends with a Terminate about the segment that @hdr began. If it is the
 * sender who has no such memory any more, he says so.
 */
void iw_refuse(struct iw_qp *qp, const struct iw_view *view,
	       const union iw_hdr *hdr, enum iw_term what)
{
	struct iw_term_msg term = { .length = view->ulpdu };
	const u8 *ddp = hdr->bytes + IW_MPA_LENGTH_BYTES;

	if (iw_view_lost(view))
		return;
	term.ddp_bytes = *ddp & IW_DDP_TAGGED ?
		sizeof(hdr->tagged) - IW_MPA_LENGTH_BYTES :
		sizeof(hdr->untagged) - IW_MPA_LENGTH_BYTES;
	memcpy(term.ddp, ddp, term.ddp_bytes);
	if ((hdr->tagged.rdmap & IW_RDMAP_OPCODE_MASK) == IW_RDMAP_READ_REQ &&
	    view->ulpdu >= sizeof(hdr->read) - IW_MPA_LENGTH_BYTES) {
		term.read = true;
		memcpy(term.request, hdr->bytes + sizeof(hdr->untagged),
		       sizeof(term.request));
	}
	iw_qp_fail(qp, what, &term);
}

/*
 * What the queue pair lets a peer do, besides the key. Consumers who leave that to
 * librdmacm give it no right at all, and expect to be written to: so nothing means
 * that it was not said, and who says something is held to that.
 */
bool iw_qp_allows(const struct iw_qp *qp, int right)
{
	int access = READ_ONCE(qp->access);

	return !access || access & right;
}

/* ---- tagged -------------------------------------------------------------------- */

static void rx_write(struct iw_qp *qp, const struct iw_view *view,
		     const union iw_hdr *hdr)
{
	u32 bytes = iw_payload_of(view, sizeof(hdr->tagged));
	enum soft_fault fault;
	struct soft_iter to;

	if (qp->rx.write_over)
		qp->rx.written = 0;
	qp->rx.written += bytes;
	qp->rx.write_over = hdr->tagged.ddp & IW_DDP_LAST;
	/* RFC 5040 5.1: an empty WRITE has no key. */
	if (!bytes)
		return;
	if (be64_to_cpu(hdr->tagged.to) > U64_MAX - bytes) {
		iw_refuse(qp, view, hdr, IW_TERM_DDP_WRAP);
		return;
	}
	if (!iw_qp_allows(qp, IB_ACCESS_REMOTE_WRITE)) {
		iw_refuse(qp, view, hdr, IW_TERM_RDMAP_ACCESS);
		return;
	}
	fault = soft_iter_remote(&to, iw_qp_mem(qp), qp->ib.pd, qp->ib.qp_num,
				 be32_to_cpu(hdr->tagged.stag),
				 be64_to_cpu(hdr->tagged.to), bytes,
				 IB_ACCESS_REMOTE_WRITE);
	if (fault == SOFT_OK)
		fault = iw_view_place(view, sizeof(hdr->tagged), bytes, &to);
	soft_iter_end(&to);
	if (fault != SOFT_OK)
		iw_refuse(qp, view, hdr, iw_term_of_fault(fault, true));
}

/* Is this what the oldest READ waits for? */
static bool fits_read(const struct iw_slot *slot, const union iw_hdr *hdr,
		      u32 bytes, bool last)
{
	u32 stag = slot->num_sge ? slot->sge[0].lkey : 0;
	u64 to = slot->num_sge ? slot->sge[0].addr : 0;

	if (bytes > slot->length - slot->got)
		return false;
	if (last && slot->got + bytes != slot->length)
		return false;
	if (!slot->length)
		return true;
	return be32_to_cpu(hdr->tagged.stag) == stag &&
	       be64_to_cpu(hdr->tagged.to) == to + slot->got;
}

void iw_answered(struct iw_qp *qp, struct iw_slot *slot, u8 status)
{
	unsigned long flags;
	bool more;

	/* RFC 7306 and the verbs: the key of the sink ends with the answer. */
	if (status == IB_WC_SUCCESS &&
	    slot->opcode == IB_WR_RDMA_READ_WITH_INV && slot->num_sge)
		soft_region_invalidate(iw_qp_mem(qp), qp->ib.pd, qp->ib.qp_num,
				       slot->sge[0].lkey, false);
	spin_lock_irqsave(&qp->lock, flags);
	iw_slot_done(qp, slot, status);
	more = iw_sq_complete(qp);
	spin_unlock_irqrestore(&qp->lock, flags);
	if (more)
		iw_tx_kick(qp);
}

/*
 * The slot stays: a READ is completed by its answer alone, or by a flush, which
 * does not begin before the stream is detached from this side.
 */
static struct iw_slot *find_ask(struct iw_qp *qp,
				bool (*fits)(const struct iw_slot *slot,
					     const void *arg),
				const void *arg)
{
	struct iw_slot *slot;
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	slot = iw_sq_find_read(qp, fits, arg);
	spin_unlock_irqrestore(&qp->lock, flags);
	return slot;
}

static bool any(const struct iw_slot *slot, const void *arg)
{
	return true;
}

/* Answers come in the order of the requests. */
struct iw_slot *iw_oldest_ask(struct iw_qp *qp)
{
	return find_ask(qp, any, NULL);
}

static void rx_read_resp(struct iw_qp *qp, const struct iw_view *view,
			 const union iw_hdr *hdr)
{
	u32 bytes = iw_payload_of(view, sizeof(hdr->tagged));
	bool last = hdr->tagged.ddp & IW_DDP_LAST;
	enum soft_fault fault = SOFT_OK;
	struct iw_slot *slot;
	struct soft_iter to;

	/* The READ that said that we are ready. */
	if (qp->rx.read_rtr && !bytes && last) {
		qp->rx.read_rtr = false;
		return;
	}
	slot = iw_oldest_ask(qp);
	if (!slot || iw_slot_is_atomic(slot)) {
		iw_refuse(qp, view, hdr, IW_TERM_RDMAP_OPCODE);
		return;
	}
	if (!fits_read(slot, hdr, bytes, last)) {
		iw_refuse(qp, view, hdr, IW_TERM_DDP_BOUNDS);
		return;
	}
	soft_iter_list(&to, iw_qp_mem(qp), qp->ib.pd, slot->sge, slot->num_sge,
		       IB_ACCESS_LOCAL_WRITE);
	soft_iter_skip(&to, slot->got);
	fault = iw_view_place(view, sizeof(hdr->tagged), bytes, &to);
	soft_iter_end(&to);
	if (iw_view_lost(view))
		return;
	if (fault != SOFT_OK) {
		iw_answered(qp, slot, IB_WC_LOC_PROT_ERR);
		iw_refuse(qp, view, hdr, IW_TERM_LOCAL_CATASTROPHIC);
		return;
	}
	slot->got += bytes;
	if (!last)
		return;
	iw_answered(qp, slot, IB_WC_SUCCESS);
	/* One that had to wait for it may go. */
	iw_tx_kick(qp);
}

/* ---- untagged -------------------------------------------------------------------- */

/* RFC 5041 5.3: one message after the other, one segment after the other. */
enum iw_term iw_check_turn(const struct iw_qp *qp, const union iw_hdr *hdr,
			   enum iw_ddp_queue queue)
{
	if (be32_to_cpu(hdr->untagged.qn) != queue)
		return IW_TERM_DDP_QN;
	if (be32_to_cpu(hdr->untagged.msn) != qp->rx.msn[queue])
		return IW_TERM_DDP_MSN_RANGE;
	if (be32_to_cpu(hdr->untagged.mo) !=
	    (queue == IW_QN_SEND ? qp->rx.mo : 0))
		return IW_TERM_DDP_MO;
	return 0;
}

enum iw_term iw_begin_recv(struct iw_qp *qp)
{
	struct iw_rx_msg *msg = &qp->rx.msg;
	struct iw_recv recv;
	int ret;

	ret = iw_qp_take_recv(qp, &recv);
	if (ret == -ENOENT) {
		iw_count(iw_qp_dev(qp), IW_STAT_NO_BUFFER);
		return IW_TERM_DDP_NO_BUFFER;
	}
	if (ret) {
		iw_recv_done(qp, recv.wr_id, IB_WC_LOC_LEN_ERR, 0, NULL, false);
		return IW_TERM_LOCAL_CATASTROPHIC;
	}
	msg->busy = true;
	msg->wr_id = recv.wr_id;
	msg->room = recv.length;
	msg->num_sge = recv.num_sge;
	memcpy(msg->sge, recv.sge, recv.num_sge * sizeof(recv.sge[0]));
	return 0;
}

static enum iw_term recv_fails(struct iw_qp *qp, u8 status, enum iw_term what)
{
	qp->rx.msg.busy = false;
	iw_recv_done(qp, qp->rx.msg.wr_id, status, 0, NULL, false);
	return what;
}

static enum iw_term place_recv(struct iw_qp *qp, const struct iw_view *view,
			       u32 bytes)
{
	struct iw_rx_msg *msg = &qp->rx.msg;
	enum soft_fault fault;
	struct soft_iter to;

	if (bytes > msg->room - qp->rx.mo)
		return recv_fails(qp, IB_WC_LOC_LEN_ERR, IW_TERM_DDP_TOO_LONG);
	soft_iter_list(&to, iw_qp_mem(qp), qp->ib.pd, msg->sge, msg->num_sge,
		       IB_ACCESS_LOCAL_WRITE);
	soft_iter_skip(&to, qp->rx.mo);
	fault = iw_view_place(view, sizeof(struct iw_untagged), bytes, &to);
	soft_iter_end(&to);
	if (iw_view_lost(view))
		return IW_TERM_LOCAL_CATASTROPHIC;
	if (fault != SOFT_OK)
		return recv_fails(qp, IB_WC_LOC_PROT_ERR,
				  IW_TERM_LOCAL_CATASTROPHIC);
	qp->rx.mo += bytes;
	return 0;
}

static enum iw_term end_recv(struct iw_qp *qp, const union iw_hdr *hdr)
{
	u8 opcode = hdr->untagged.rdmap & IW_RDMAP_OPCODE_MASK;
	bool solicited = opcode == IW_RDMAP_SEND_SE ||
			 opcode == IW_RDMAP_SEND_SE_INV;
	bool invalidate = opcode == IW_RDMAP_SEND_INV ||
			  opcode == IW_RDMAP_SEND_SE_INV;
	u32 key = be32_to_cpu(hdr->untagged.ulp);
	u32 bytes = qp->rx.mo;

	if (invalidate &&
	    soft_region_invalidate(iw_qp_mem(qp), qp->ib.pd, qp->ib.qp_num, key,
				   true) != SOFT_OK)
		return recv_fails(qp, IB_WC_REM_INV_REQ_ERR,
				  IW_TERM_RDMAP_NO_INVALIDATE);
	qp->rx.msg.busy = false;
	qp->rx.mo = 0;
	qp->rx.msn[IW_QN_SEND]++;
	iw_recv_done(qp, qp->rx.msg.wr_id, IB_WC_SUCCESS, bytes,
		     invalidate ? &key : NULL, solicited);
	return 0;
}

static void rx_send(struct iw_qp *qp, const struct iw_view *view,
		    const union iw_hdr *hdr)
{
	u32 bytes = iw_payload_of(view, sizeof(hdr->untagged));
	enum iw_term what = iw_check_turn(qp, hdr, IW_QN_SEND);

	if (!what && !qp->rx.msg.busy)
		what = iw_begin_recv(qp);
	if (!what)
		what = place_recv(qp, view, bytes);
	if (!what && hdr->untagged.ddp & IW_DDP_LAST)
		what = end_recv(qp, hdr);
	if (what)
		iw_refuse(qp, view, hdr, what);
}

/* RFC 5040 5.2: what is wrong with a READ before it gets a place. */
static enum iw_term check_ask(struct iw_qp *qp, const struct iw_ask *ask)
{
	enum soft_fault fault;
	struct soft_iter from;

	if (!ask->size)
		return 0;
	if (ask->source_to > U64_MAX - ask->size)
		return IW_TERM_RDMAP_WRAP;
	if (!iw_qp_allows(qp, IB_ACCESS_REMOTE_READ))
		return IW_TERM_RDMAP_ACCESS;
	fault = soft_iter_remote(&from, iw_qp_mem(qp), qp->ib.pd, qp->ib.qp_num,
				 ask->source_stag, ask->source_to, ask->size,
				 IB_ACCESS_REMOTE_READ);
	soft_iter_end(&from);
	return fault == SOFT_OK ? 0 : iw_term_of_fault(fault, false);
}

static bool add_ask(struct iw_qp *qp, const struct iw_ask *ask)
{
	struct iw_asks *asks = &qp->asks;
	unsigned long flags;
	bool room;

	spin_lock_irqsave(&qp->lock, flags);
	room = asks->head - asks->tail < asks->num;
	if (room)
		asks->ring[asks->head++ % asks->num] = *ask;
	spin_unlock_irqrestore(&qp->lock, flags);
	return room;
}

/* A READ or an atomic gets its place, unless @what is wrong with it. */
void iw_take_ask(struct iw_qp *qp, const struct iw_view *view,
		 const union iw_hdr *hdr, const struct iw_ask *ask,
		 enum iw_term what)
{
	/* More than the IRD: RFC 5040 6.6.1. */
	if (!what && !add_ask(qp, ask))
		what = IW_TERM_DDP_NO_BUFFER;
	if (what) {
		iw_refuse(qp, view, hdr, what);
		return;
	}
	qp->rx.msn[IW_QN_READ_REQ]++;
	iw_tx_kick(qp);
}

static void rx_read_req(struct iw_qp *qp, const struct iw_view *view,
			const union iw_hdr *hdr)
{
	const struct iw_ask ask = {
		.sink_stag = be32_to_cpu(hdr->read.sink_stag),
		.sink_to = be64_to_cpu(hdr->read.sink_to),
		.source_stag = be32_to_cpu(hdr->read.source_stag),
		.source_to = be64_to_cpu(hdr->read.source_to),
		.size = be32_to_cpu(hdr->read.size),
	};
	enum iw_term what = iw_check_turn(qp, hdr, IW_QN_READ_REQ);

	if (!what && (!(hdr->untagged.ddp & IW_DDP_LAST) ||
		      iw_payload_of(view, sizeof(hdr->read))))
		what = IW_TERM_DDP_TOO_LONG;
	if (!what)
		what = check_ask(qp, &ask);
	iw_take_ask(qp, view, hdr, &ask, what);
}

/*
 * Is it this READ that the peer blames? The message sequence number of the segment says
 * so; who sends the request alone may have updated it to where he stopped, but where it
 * ends stays the same (RFC 5040 4.8).
 */
static bool blames(const struct iw_slot *slot, const void *arg)
{
	const struct iw_term_msg *term = arg;
	union iw_hdr about = {};
	u32 size;
	u64 to;

	memcpy(about.bytes + IW_MPA_LENGTH_BYTES, term->ddp, sizeof(term->ddp));
	memcpy(about.bytes + sizeof(about.untagged), term->request,
	       sizeof(term->request));
	if (term->ddp_bytes)
		return !(about.read.hdr.ddp & IW_DDP_TAGGED) &&
		       be32_to_cpu(about.read.hdr.qn) == IW_QN_READ_REQ &&
		       be32_to_cpu(about.read.hdr.msn) == slot->msn;
	size = be32_to_cpu(about.read.size);
	to = slot->num_sge ? slot->sge[0].addr : 0;
	return be32_to_cpu(about.read.source_stag) == slot->rkey &&
	       be64_to_cpu(about.read.source_to) + size ==
	       slot->raddr + slot->length &&
	       be64_to_cpu(about.read.sink_to) + size == to + slot->length;
}

/* The peer says why he goes. If it was a READ or atomic of ours, that one fails. */
static void rx_terminate(struct iw_qp *qp, const struct iw_view *view,
			 const union iw_hdr *hdr)
{
	u32 bytes = min_t(u32, iw_payload_of(view, sizeof(hdr->untagged)),
			  IW_TERM_MAX_BYTES);
	u8 payload[IW_TERM_MAX_BYTES];
	struct iw_slot *slot;
	struct iw_term_msg term;

	iw_count(iw_qp_dev(qp), IW_STAT_RX_TERM);
	if (!iw_view_read(view, sizeof(hdr->untagged), payload, bytes) ||
	    !iw_term_parse(&term, payload, bytes))
		term = (struct iw_term_msg){};
	slot = term.read || term.ddp_bytes ? find_ask(qp, blames, &term) : NULL;
	if (slot)
		iw_answered(qp, slot, term.what >> 8 == IW_TERM_RDMAP_STAG >> 8 ?
			  IB_WC_REM_ACCESS_ERR : IB_WC_REM_OP_ERR);
	iw_qp_hear(qp, !slot);
}

/* ---- dispatch -------------------------------------------------------------------- */

struct op {
	bool tagged;
	u8 header;
	void (*rx)(struct iw_qp *qp, const struct iw_view *view,
		   const union iw_hdr *hdr);
};

static const struct op ops[IW_RDMAP_OPCODES] = {
	[IW_RDMAP_WRITE]	= { true, sizeof(struct iw_tagged), rx_write },
	[IW_RDMAP_READ_REQ]	= { false, sizeof(struct iw_read_req), rx_read_req },
	[IW_RDMAP_READ_RESP]	= { true, sizeof(struct iw_tagged), rx_read_resp },
	[IW_RDMAP_SEND]		= { false, sizeof(struct iw_untagged), rx_send },
	[IW_RDMAP_SEND_INV]	= { false, sizeof(struct iw_untagged), rx_send },
	[IW_RDMAP_SEND_SE]	= { false, sizeof(struct iw_untagged), rx_send },
	[IW_RDMAP_SEND_SE_INV]	= { false, sizeof(struct iw_untagged), rx_send },
	[IW_RDMAP_TERMINATE]	= { false, sizeof(struct iw_untagged), rx_terminate },
	[IW_RDMAP_IMM]		= { false, sizeof(struct iw_imm), iw_rx_imm },
	[IW_RDMAP_IMM_SE]	= { false, sizeof(struct iw_imm), iw_rx_imm },
	[IW_RDMAP_ATOMIC_REQ]	= { false, sizeof(struct iw_atomic_req), iw_rx_atomic_req },
	[IW_RDMAP_ATOMIC_RESP]	= { false, sizeof(struct iw_atomic_resp), iw_rx_atomic_resp },
};

static enum iw_term check(const struct iw_view *view, const union iw_hdr *hdr)
{
	u8 opcode = hdr->tagged.rdmap & IW_RDMAP_OPCODE_MASK;
	bool tagged = hdr->tagged.ddp & IW_DDP_TAGGED;

	if ((hdr->tagged.ddp & IW_DDP_VERSION_MASK) != IW_DDP_VERSION)
		return tagged ? IW_TERM_DDP_TAGGED_VERSION :
			IW_TERM_DDP_UNTAGGED_VERSION;
	if ((hdr->tagged.rdmap & IW_RDMAP_VERSION_MASK) != IW_RDMAP_VERSION)
		return IW_TERM_RDMAP_VERSION;
	if (!ops[opcode].rx || ops[opcode].tagged != tagged)
		return IW_TERM_RDMAP_OPCODE;
	/* Too short for its own header; no code says so. */
	if (view->ulpdu + IW_MPA_LENGTH_BYTES < ops[opcode].header)
		return IW_TERM_RDMAP_OPERATION;
	return 0;
}

/* The first FPDU of the one who connected; an empty SEND takes no request. */
static bool is_rtr(struct iw_qp *qp, const struct iw_view *view,
		   const union iw_hdr *hdr)
{
	u8 opcode = hdr->tagged.rdmap & IW_RDMAP_OPCODE_MASK;

	qp->rx.rtr = false;
	iw_conn_ready(qp->rx.conn);
	if (opcode != IW_RDMAP_SEND || iw_payload_of(view, sizeof(hdr->untagged)) ||
	    iw_check_turn(qp, hdr, IW_QN_SEND))
		return false;
	qp->rx.msn[IW_QN_SEND]++;
	return true;
}

/**
 * iw_rdmap_rx - an FPDU has come
 * @rx: receive side of the stream; the socket's lock is held
 * @view: the FPDU, whose CRC is right
 *
 * Context: softirq, or the owner of the socket.
 */
void iw_rdmap_rx(struct iw_rx *rx, const struct iw_view *view)
{
	struct iw_qp *qp = qp_of(rx);
	union iw_hdr hdr = {};
	enum iw_term what;

	if (READ_ONCE(qp->has_term)) {
		rx->stopped = true;
		return;
	}
	iw_view_read(view, 0, hdr.bytes,
		     min_t(u32, sizeof(hdr), IW_MPA_LENGTH_BYTES + view->ulpdu));
	what = check(view, &hdr);
	if (what) {
		iw_count(iw_qp_dev(qp), IW_STAT_RX_MALFORMED);
		iw_refuse(qp, view, &hdr, what);
		return;
	}
	if (rx->rtr && is_rtr(qp, view, &hdr))
		return;
	ops[hdr.tagged.rdmap & IW_RDMAP_OPCODE_MASK].rx(qp, view, &hdr);
}

/**
 * iw_rdmap_bad_crc - an FPDU has come whose CRC is wrong
 * @rx: receive side of the stream
 *
 * RFC 5044 8: nothing in it means anything. Context: as iw_rdmap_rx().
 */
void iw_rdmap_bad_crc(struct iw_rx *rx)
{
	iw_count(iw_qp_dev(qp_of(rx)), IW_STAT_RX_CRC);
	iw_qp_fail(qp_of(rx), IW_TERM_MPA_CRC, NULL);
}
