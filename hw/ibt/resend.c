// SPDX-License-Identifier: GPL-2.0
/* Which packets the requester is to retransmit alone: pure arithmetic. */
#include <linux/minmax.h>

#include "pkt.h"
#include "resend.h"

static u32 ibt_resend_bit(u32 psn)
{
	return psn & (IBT_RESEND_SPAN - 1);
}

/* The PSN of the first bit of @map from @una on. */
static u32 ibt_resend_oldest(const unsigned long *map, u32 una)
{
	u32 from = ibt_resend_bit(una);
	u32 bit = find_next_bit(map, IBT_RESEND_SPAN, from);

	if (bit == IBT_RESEND_SPAN)
		bit = find_first_bit(map, IBT_RESEND_SPAN);
	return ibt_psn_add(una, ibt_resend_bit(bit - from));
}

/**
 * ibt_resend_reset - begin anew, for another connection
 * @rs: of a requester
 * @psn: next one that was never sent
 * @ask: it is worth knowing what the peer keeps
 *
 * Context: any.
 */
void ibt_resend_reset(struct ibt_resend *rs, u32 psn, bool ask)
{
	*rs = (struct ibt_resend){
		.peer = ask ? IBT_PEER_ASKED : IBT_PEER_DROPS,
		.marks = ask ? IBT_MARK_KEEPS : 0,
		.recover = psn,
		.probed = psn,
	};
}

/**
 * ibt_resend_learn - a response tells of the peer
 * @rs: of the requester
 * @marks: of the response
 *
 * Context: any.
 */
void ibt_resend_learn(struct ibt_resend *rs, u8 marks)
{
	if (rs->peer != IBT_PEER_ASKED)
		return;
	rs->peer = marks & IBT_MARK_KEEPS ? IBT_PEER_KEEPS : IBT_PEER_DROPS;
	rs->marks &= ~IBT_MARK_KEEPS;
}

/**
 * ibt_resend_add - packets are missing
 * @rs: of the requester
 * @una: oldest PSN without an answer
 * @first: PSN of the first missing packet
 * @end: PSN behind the last one
 *
 * Packets beyond the span are left out: the peer names them again. So are those that are here.
 *
 * Context: any.
 *
 * Return: one of them was not known to be missing.
 */
bool ibt_resend_add(struct ibt_resend *rs, u32 una, u32 first, u32 end)
{
	u32 from = ibt_psn_ahead(first, una);
	u32 upto = min_t(u32, ibt_psn_ahead(end, una), IBT_RESEND_SPAN);
	u16 before = rs->left;

	for (; from < upto; from++)
		if (!test_bit(ibt_resend_bit(una + from), rs->here))
			rs->left += !__test_and_set_bit(ibt_resend_bit(una + from), rs->missing);
	return rs->left != before;
}

/**
 * ibt_resend_remove - packets were retransmitted, or have an answer
 * @rs: of the requester
 * @first: PSN of the first of them
 * @end: PSN behind the last one
 *
 * Context: any.
 */
void ibt_resend_remove(struct ibt_resend *rs, u32 first, u32 end)
{
	u32 num = min_t(u32, ibt_psn_ahead(end, first), IBT_RESEND_SPAN);

	for (; rs->left && num; num--, first++)
		rs->left -= __test_and_clear_bit(ibt_resend_bit(first), rs->missing);
	if (!rs->left)
		rs->marks &= ~IBT_MARK_GAPS;
}

/**
 * ibt_resend_first - the oldest packet that is to be retransmitted
 * @rs: of the requester; left is not 0
 * @una: oldest PSN without an answer
 *
 * Context: any.
 *
 * Return: its PSN.
 */
u32 ibt_resend_first(const struct ibt_resend *rs, u32 una)
{
	return ibt_resend_oldest(rs->missing, una);
}

/**
 * ibt_resend_run - how many packets are missing in a row
 * @rs: of the requester
 * @una: oldest PSN without an answer
 * @psn: the first of them, within the span
 *
 * Context: any.
 *
 * Return: how many; U32_MAX: all to the end of the span, and maybe more.
 */
u32 ibt_resend_run(const struct ibt_resend *rs, u32 una, u32 psn)
{
	u32 end = ibt_psn_add(una, IBT_RESEND_SPAN), at = psn;

	while (at != end && test_bit(ibt_resend_bit(at), rs->missing))
		at = ibt_psn_add(at, 1);
	return at == end ? U32_MAX : ibt_psn_ahead(at, psn);
}

/**
 * ibt_resend_place - a packet of a READ response has come before its turn
 * @rs: of the requester
 * @una: oldest PSN without an answer
 * @psn: of the packet
 *
 * Context: any.
 *
 * Return: false: it is too far ahead to be noted, or was here already.
 */
bool ibt_resend_place(struct ibt_resend *rs, u32 una, u32 psn)
{
	u32 ahead = ibt_psn_ahead(psn, una);

	if (ahead >= IBT_RESEND_SPAN || __test_and_set_bit(ibt_resend_bit(psn), rs->here))
		return false;
	if (!rs->placed++ || ibt_psn_ahead(rs->top, una) <= ahead)
		rs->top = ibt_psn_add(psn, 1);
	ibt_resend_remove(rs, psn, ibt_psn_add(psn, 1));
	return true;
}

/**
 * ibt_resend_next_placed - the oldest packet that is here
 * @rs: of the requester; placed is not 0
 * @una: oldest PSN without an answer
 *
 * Context: any.
 *
 * Return: its PSN.
 */
u32 ibt_resend_next_placed(const struct ibt_resend *rs, u32 una)
{
	return ibt_resend_oldest(rs->here, una);
}

/**
 * ibt_resend_pass - a packet that is here has its turn
 * @rs: of the requester
 * @psn: of the packet
 *
 * Context: any.
 */
void ibt_resend_pass(struct ibt_resend *rs, u32 psn)
{
	rs->placed -= __test_and_clear_bit(ibt_resend_bit(psn), rs->here);
}

/**
 * ibt_resend_note - a READ request for a gap has been sent
 * @rs: of the requester
 * @psn: first packet of the gap
 * @end: behind the last one
 * @high: PSN of the next new request
 *
 * Of too many the oldest is left to the timers.
 *
 * Context: any.
 */
void ibt_resend_note(struct ibt_resend *rs, u32 psn, u32 end, u32 high)
{
	if (rs->num_asks == IBT_RESEND_ASKS) {
		rs->oldest_ask = (rs->oldest_ask + 1) % IBT_RESEND_ASKS;
		rs->num_asks--;
	}
	rs->asks[(rs->oldest_ask + rs->num_asks++) % IBT_RESEND_ASKS] =
		(struct ibt_resend_ask){ psn, end, high };
}

/* How many of the requests for gaps were sent before the one that @psn responds to. */
static u32 ibt_resend_asked_before(const struct ibt_resend *rs, u32 una, u32 psn)
{
	const struct ibt_resend_ask *ask;
	u32 i, before = 0;

	for (i = 0; i < rs->num_asks; i++) {
		ask = &rs->asks[(rs->oldest_ask + i) % IBT_RESEND_ASKS];
		if (ibt_psn_diff(psn, ask->high) >= 0)
			before = i + 1;
		else if (ibt_psn_diff(psn, ask->psn) >= 0 && ibt_psn_diff(psn, ask->end) < 0)
			before = i;
	}
	return before;
}

/**
 * ibt_resend_overtaken - requests for gaps that a response shows to be lost
 * @rs: of the requester
 * @una: oldest PSN without an answer
 * @psn: of a packet of a READ response that has come
 *
 * The responder serves READ requests in the order that they come in, but for those for gaps, which
 * it serves first. So what a response to a later request finds missing is lost, on its way or on
 * the way back, and it is missing once more.
 *
 * Context: any.
 *
 * Return: something is.
 */
bool ibt_resend_overtaken(struct ibt_resend *rs, u32 una, u32 psn)
{
	u32 lost = ibt_resend_asked_before(rs, una, psn);
	const struct ibt_resend_ask *ask;
	bool missing = false;

	for (; lost; lost--) {
		ask = &rs->asks[rs->oldest_ask];
		if (ibt_psn_diff(ask->end, una) > 0)
			missing |= ibt_resend_add(rs, una,
						  ibt_psn_diff(ask->psn, una) > 0 ?
						  ask->psn : una, ask->end);
		rs->oldest_ask = (rs->oldest_ask + 1) % IBT_RESEND_ASKS;
		rs->num_asks--;
	}
	return missing;
}
