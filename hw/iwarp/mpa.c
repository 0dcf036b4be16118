// SPDX-License-Identifier: GPL-2.0
/* Start-up frames of MPA: RFC 5044 7.1, RFC 6581. Pure functions. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "mpa.h"

static const u8 *iw_key_of(bool reply)
{
	return reply ? IW_MPA_KEY_REP : IW_MPA_KEY_REQ;
}

static void iw_put_enhanced(const struct iw_mpa_frame *frame, u8 *to)
{
	u16 ird = min_t(u16, frame->ird, IW_MPA_DEPTH_UNKNOWN);
	u16 ord = min_t(u16, frame->ord, IW_MPA_DEPTH_UNKNOWN);
	struct iw_mpa_enhanced words;

	if (frame->p2p) {
		ird |= IW_MPA_IRD_P2P;
		if (frame->rtr & IW_RTR_SEND)
			ird |= IW_MPA_IRD_RTR_SEND;
		if (frame->rtr & IW_RTR_WRITE)
			ord |= IW_MPA_ORD_RTR_WRITE;
		if (frame->rtr & IW_RTR_READ)
			ord |= IW_MPA_ORD_RTR_READ;
	}
	words.ird = cpu_to_be16(ird);
	words.ord = cpu_to_be16(ord);
	memcpy(to, &words, sizeof(words));
}

/**
 * iw_mpa_build - a frame as bytes
 * @frame: what it says; its private data fits
 * @pd: private data
 * @to: filled in, with room for IW_MPA_MAX_FRAME
 *
 * Return: bytes.
 */
u32 iw_mpa_build(const struct iw_mpa_frame *frame, const void *pd, u8 *to)
{
	u32 words = frame->enhanced ? sizeof(struct iw_mpa_enhanced) : 0;
	struct iw_mpa_hdr hdr = {
		.flags = (frame->crc ? IW_MPA_CRC : 0) |
			 (frame->markers ? IW_MPA_MARKERS : 0) |
			 (frame->reject ? IW_MPA_REJECT : 0) |
			 (frame->enhanced ? IW_MPA_ENHANCED : 0),
		.rev = frame->rev,
		.pd_length = cpu_to_be16(words + frame->pd_bytes),
	};

	memcpy(hdr.key, iw_key_of(frame->reply), sizeof(hdr.key));
	memcpy(to, &hdr, sizeof(hdr));
	if (words)
		iw_put_enhanced(frame, to + sizeof(hdr));
	if (frame->pd_bytes)
		memcpy(to + sizeof(hdr) + words, pd, frame->pd_bytes);
	return sizeof(hdr) + words + frame->pd_bytes;
}

/**
 * iw_mpa_frame_bytes - how long a frame is
 * @header: the first bytes of it, sizeof(struct iw_mpa_hdr)
 * @reply: a reply is due, otherwise a request
 *
 * Return: bytes of all of it; -EPROTO (no such frame), -EMSGSIZE (too much
 * private data).
 */
int iw_mpa_frame_bytes(const u8 *header, bool reply)
{
	struct iw_mpa_hdr hdr;
	u32 pd;

	memcpy(&hdr, header, sizeof(hdr));
	if (memcmp(hdr.key, iw_key_of(reply), sizeof(hdr.key)))
		return -EPROTO;
	pd = be16_to_cpu(hdr.pd_length);
	if (pd > IW_MPA_MAX_PD)
		return -EMSGSIZE;
	return sizeof(hdr) + pd;
}

static void iw_take_enhanced(struct iw_mpa_frame *frame, const u8 *from)
{
	struct iw_mpa_enhanced words;
	u16 ird, ord;

	memcpy(&words, from, sizeof(words));
	ird = be16_to_cpu(words.ird);
	ord = be16_to_cpu(words.ord);
	frame->ird = ird & IW_MPA_DEPTH_MASK;
	frame->ord = ord & IW_MPA_DEPTH_MASK;
	frame->p2p = ird & IW_MPA_IRD_P2P;
	frame->rtr = (ird & IW_MPA_IRD_RTR_SEND ? IW_RTR_SEND : 0) |
		     (ord & IW_MPA_ORD_RTR_WRITE ? IW_RTR_WRITE : 0) |
		     (ord & IW_MPA_ORD_RTR_READ ? IW_RTR_READ : 0);
}

/**
 * iw_mpa_parse - read a frame
 * @frame: filled in
 * @from: as many bytes as iw_mpa_frame_bytes() says
 * @reply: a reply is due, otherwise a request
 * @pd: its private data
 *
 * Return: 0; -EPROTO (no such frame, or one that contradicts itself),
 * -EPROTONOSUPPORT (a revision that is not known; @frame is filled in).
 */
int iw_mpa_parse(struct iw_mpa_frame *frame, const u8 *from, bool reply,
		 const u8 **pd)
{
	int bytes = iw_mpa_frame_bytes(from, reply);
	struct iw_mpa_hdr hdr;

	if (bytes < 0)
		return bytes;
	memcpy(&hdr, from, sizeof(hdr));
	*frame = (struct iw_mpa_frame){
		.reply = reply,
		.reject = hdr.flags & IW_MPA_REJECT,
		.crc = hdr.flags & IW_MPA_CRC,
		.markers = hdr.flags & IW_MPA_MARKERS,
		/* Reserved, and not looked at, in revision 1. */
		.enhanced = hdr.rev > 1 && hdr.flags & IW_MPA_ENHANCED,
		.rev = hdr.rev,
		.pd_bytes = bytes - sizeof(hdr),
	};
	*pd = from + sizeof(hdr);
	if (!frame->rev || frame->rev > 2)
		return -EPROTONOSUPPORT;
	if (!reply && frame->reject)
		return -EPROTO;
	if (!frame->enhanced)
		return 0;
	if (frame->pd_bytes < sizeof(struct iw_mpa_enhanced))
		return -EPROTO;
	iw_take_enhanced(frame, *pd);
	*pd += sizeof(struct iw_mpa_enhanced);
	frame->pd_bytes -= sizeof(struct iw_mpa_enhanced);
	return 0;
}

/* The cheapest RTR indication that both sides support. */
static u8 iw_choose_rtr(u8 offered)
{
	if (offered & IW_RTR_WRITE)
		return IW_RTR_WRITE;
	if (offered & IW_RTR_READ)
		return IW_RTR_READ;
	return offered & IW_RTR_SEND;
}

/**
 * iw_mpa_answer - accept a request
 * @reply: filled in, but for the private data
 * @terms: filled in
 * @request: the request
 * @ird: inbound READs that this side accepts at a time
 * @ord: outbound READs that this side issues at a time, at most
 * @crc: this side wants CRCs
 *
 * RFC 6581 9.2: the ORD of a side does not exceed the IRD of its peer.
 */
void iw_mpa_answer(struct iw_mpa_frame *reply, struct iw_mpa_terms *terms,
		   const struct iw_mpa_frame *request, u32 ird, u32 ord,
		   bool crc)
{
	*terms = (struct iw_mpa_terms){
		.crc = crc || request->crc,
		.ird = ird,
		.ord = ord,
	};
	*reply = (struct iw_mpa_frame){
		.reply = true,
		.crc = terms->crc,
		.enhanced = request->enhanced,
		.rev = request->rev,
	};
	if (!request->enhanced)
		return;
	if (request->ird != IW_MPA_DEPTH_UNKNOWN)
		terms->ord = min_t(u32, ord, request->ird);
	reply->ird = ird;
	reply->ord = terms->ord;
	terms->rtr = request->p2p ? iw_choose_rtr(request->rtr) : IW_RTR_NONE;
	terms->p2p = terms->rtr != IW_RTR_NONE;
	reply->p2p = terms->p2p;
	reply->rtr = terms->rtr;
}

/**
 * iw_mpa_agree - terms of a connection, of the own request and the peer's reply
 * @terms: filled in
 * @request: sent by this side
 * @reply: not a rejection
 * @max_ird: inbound READs that this side accepts at a time, at most
 *
 * Return: 0; -EPROTO (a revision or a mode that the request did not offer),
 * -EOPNOTSUPP (markers), -ENOBUFS (the ORD of the peer exceeds @max_ird).
 */
int iw_mpa_agree(struct iw_mpa_terms *terms, const struct iw_mpa_frame *request,
		 const struct iw_mpa_frame *reply, u32 max_ird)
{
	*terms = (struct iw_mpa_terms){
		.crc = request->crc || reply->crc,
		.ird = request->ird,
		.ord = request->ord,
	};
	if (reply->markers)
		return -EOPNOTSUPP;
	if (reply->rev > request->rev || (reply->enhanced && !request->enhanced))
		return -EPROTO;
	if (!reply->enhanced)
		return 0;
	if (reply->ird != IW_MPA_DEPTH_UNKNOWN)
		terms->ord = min_t(u32, terms->ord, reply->ird);
	if (reply->ord != IW_MPA_DEPTH_UNKNOWN)
		terms->ird = max_t(u32, terms->ird, reply->ord);
	if (terms->ird > max_ird)
		return -ENOBUFS;
	if (!reply->p2p)
		return 0;
	terms->rtr = request->p2p ? iw_choose_rtr(reply->rtr & request->rtr) :
		IW_RTR_NONE;
	terms->p2p = terms->rtr != IW_RTR_NONE;
	return terms->p2p ? 0 : -EPROTO;
}
