// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of the READs and atomics that were answered, for the case that the
 * answer got lost (IBA 9.7.5.1.5). ATOMIC WRITE and FLUSH are atomics here, that
 * found nothing. As many as the peer may have outstanding are kept: older ones can not
 * be asked again. Lookups go from the newest to the oldest, so that after a turn
 * of the PSN circle the right one is found first.
 */
#include <linux/slab.h>

#include "opcode.h"
#include "pkt.h"
#include "resp_res.h"
#include "resp.h"

/* Entry number @age, 0 being the newest. */
static struct ibt_resp_res *ibt_entry_at(const struct ibt_resp *resp, u32 age)
{
	u32 i = resp->replay_next + resp->num_replay - 1 - age;

	return &resp->replay[i % resp->num_replay];
}

/* Is @psn one of the packets of @entry? */
static bool ibt_replay_covers(const struct ibt_resp_res *entry, u32 psn)
{
	return ibt_psn_diff(psn, entry->first_psn) >= 0 &&
	       ibt_psn_diff(psn, entry->last_psn) <= 0;
}

int ibt_replay_alloc(struct ibt_resp_res **ring, u32 entries)
{
	*ring = NULL;
	if (!entries)
		return 0;
	*ring = kcalloc(entries, sizeof(**ring), GFP_KERNEL_ACCOUNT);
	return *ring ? 0 : -ENOMEM;
}

struct ibt_resp_res *ibt_replay_swap(struct ibt_resp *resp,
				     struct ibt_resp_res *ring, u32 entries)
{
	u32 keep = min(resp->replay_used, entries);
	struct ibt_resp_res *old = resp->replay;
	u32 i;

	resp->parked = 0;
	for (i = 0; i < keep; i++) {
		ring[keep - 1 - i] = *ibt_entry_at(resp, i);
		resp->parked += ibt_entry_at(resp, i)->parked.active;
	}
	resp->replay = ring;
	resp->num_replay = entries;
	resp->replay_used = keep;
	resp->replay_next = keep == entries ? 0 : keep;
	return old;
}

void ibt_replay_clear(struct ibt_resp *resp)
{
	ibt_replay_unpark_all(resp);
	resp->replay_next = 0;
	resp->replay_used = 0;
}

void ibt_replay_add(struct ibt_resp *resp, const struct ibt_resp_res *entry)
{
	struct ibt_resp_res *oldest = &resp->replay[resp->replay_next];

	if (!resp->num_replay)
		return;
	if (resp->replay_used == resp->num_replay)
		resp->parked -= oldest->parked.active;
	*oldest = *entry;
	resp->replay_next = (resp->replay_next + 1) % resp->num_replay;
	resp->replay_used = min(resp->replay_used + 1, resp->num_replay);
}

/* @pkt may ask for the whole or for the part from some packet on, but for nothing
 * that was not asked for under these PSNs the first time.
 */
static bool ibt_is_part(const struct ibt_resp_res *entry, const struct ibt_pkt *pkt,
			u32 mtu)
{
	u32 last = ibt_psn_add(pkt->psn,
			       ibt_packets(pkt->dma_length, mtu) - 1);
	u64 skipped;

	if (entry->rkey != pkt->rkey || !ibt_replay_covers(entry, last))
		return false;
	skipped = pkt->va - entry->va;
	return skipped <= entry->length &&
	       pkt->dma_length <= entry->length - skipped;
}

struct ibt_resp_res *ibt_resp_res_lookup(const struct ibt_resp *resp, u32 psn)
{
	u32 i;

	for (i = 0; i < resp->replay_used; i++)
		if (ibt_replay_covers(ibt_entry_at(resp, i), psn))
			return ibt_entry_at(resp, i);
	return NULL;
}

struct ibt_resp_res *ibt_replay_read(const struct ibt_resp *resp,
				     const struct ibt_pkt *pkt, u32 mtu)
{
	struct ibt_resp_res *entry = ibt_resp_res_lookup(resp, pkt->psn);

	if (!entry || entry->verb != IBT_READ || !ibt_is_part(entry, pkt, mtu))
		return NULL;
	return entry;
}

const struct ibt_resp_res *ibt_replay_atomic(const struct ibt_resp *resp,
					     const struct ibt_pkt *pkt)
{
	const struct ibt_resp_res *entry = ibt_resp_res_lookup(resp, pkt->psn);

	if (!entry || entry->verb != pkt->op->verb || entry->va != pkt->va ||
	    entry->rkey != pkt->rkey)
		return NULL;
	return entry;
}

void ibt_resp_res_defer(struct ibt_resp *resp, struct ibt_resp_res *entry,
			const struct ibt_read_resp *reading)
{
	resp->parked += !entry->parked.active;
	entry->parked = *reading;
}

bool ibt_resp_res_next_deferred(struct ibt_resp *resp, struct ibt_read_resp *reading)
{
	struct ibt_resp_res *entry;
	u32 i;

	for (i = resp->parked ? resp->replay_used : 0; i; i--) {
		entry = ibt_entry_at(resp, i - 1);
		if (!entry->parked.active)
			continue;
		*reading = entry->parked;
		entry->parked.active = false;
		resp->parked--;
		return true;
	}
	return false;
}

void ibt_replay_unpark_all(struct ibt_resp *resp)
{
	struct ibt_read_resp none;

	while (ibt_resp_res_next_deferred(resp, &none))
		;
	ibt_read_part_clear(&resp->parts);
}

bool ibt_replay_due_before(const struct ibt_resp *resp, u32 psn)
{
	const struct ibt_read_resp *parked;
	u32 i;

	for (i = 0; i < resp->replay_used; i++) {
		parked = &ibt_entry_at(resp, i)->parked;
		if (parked->active && ibt_psn_diff(parked->psn, psn) < 0)
			return true;
	}
	return false;
}

bool ibt_replay_unfinished(const struct ibt_resp *resp)
{
	const struct ibt_read_resp *parked;

	if (!resp->parked)
		return false;
	parked = &ibt_entry_at(resp, 0)->parked;
	return parked->active && !parked->again;
}

/*
 * An ACK that goes past a READ or atomic tells the requester that its answer is
 * lost (IBA 9.7.5.1.4), and it would ask for that once more. So an ACK for an
 * older request stops in front of it.
 */
u32 ibt_replay_ack_psn(const struct ibt_resp *resp, u32 psn)
{
	u32 upto = ibt_psn_add(resp->psn, IBT_PSN_MASK);
	u32 i;

	for (i = 0; i < resp->replay_used; i++) {
		const struct ibt_resp_res *entry = ibt_entry_at(resp, i);

		/* Of this turn of the circle, and behind the duplicate? */
		if (ibt_psn_diff(entry->first_psn, psn) <= 0 ||
		    ibt_psn_diff(entry->first_psn, resp->psn) >= 0)
			break;
		upto = ibt_psn_add(entry->first_psn, IBT_PSN_MASK);
	}
	return upto;
}
