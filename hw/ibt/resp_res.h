/* SPDX-License-Identifier: GPL-2.0 */
/* What answers duplicate READs and atomics. With resp.lock held, but for the first function. */
#ifndef IBT_RESP_RES_H
#define IBT_RESP_RES_H

#include <linux/types.h>

#include "held.h"

struct ibt_pkt;
struct ibt_resp;

/**
 * struct ibt_read_resp - a READ answer on its way
 * @active: there is one; requests wait in ibt_resp.backlog
 * @again: of a duplicate, after the whole of it had been sent
 * @part: of a duplicate, of which the requester lacks this alone
 * @first: nothing of it has been sent
 * @psn: of the next packet
 * @va, @rkey, @left: bytes to be sent
 * @srqn: XRC
 */
struct ibt_read_resp {
	bool active;
	bool again;
	bool part;
	bool first;
	u32 psn;
	u64 va;
	u32 rkey;
	u32 left;
	u32 srqn;
};

/**
 * struct ibt_resp_res - what answers a duplicate READ or atomic (IBA 9.7.5.1.5)
 * @verb: IBT_READ, IBT_CMP_SWAP, IBT_FETCH_ADD, IBT_ATOMIC_WRITE or IBT_FLUSH
 * @first_psn, @last_psn: of the answer
 * @va, @rkey, @length: READ: what may be asked again, with full checks
 * @original: atomic: the value that was found
 * @parked: READ: an answer, or the rest of one, that is to be sent when those before
 *	    it are
 * @mark: READ: where its answer was in the queue of this host
 */
struct ibt_resp_res {
	u8 verb;
	u32 first_psn;
	u32 last_psn;
	u64 va;
	u32 rkey;
	u32 length;
	u64 original;
	struct ibt_read_resp parked;
	struct ibt_answer_mark mark;
};

/* Memory for @entries; the older ones stay if they fit. NULL: none needed. */
int ibt_replay_alloc(struct ibt_resp_res **ring, u32 entries);
/* Use @ring from now on; returns the one to be freed. */
struct ibt_resp_res *ibt_replay_swap(struct ibt_resp *resp,
				     struct ibt_resp_res *ring, u32 entries);
void ibt_replay_clear(struct ibt_resp *resp);
void ibt_replay_add(struct ibt_resp *resp, const struct ibt_resp_res *entry);
/* The READ that @pkt asks for again. NULL: there was no such. */
struct ibt_resp_res *ibt_replay_read(const struct ibt_resp *resp,
				     const struct ibt_pkt *pkt, u32 mtu);
/* The newest entry that has @psn, or NULL. */
struct ibt_resp_res *ibt_resp_res_lookup(const struct ibt_resp *resp, u32 psn);
/* READ answers that are due: one more, the oldest, none. */
void ibt_resp_res_defer(struct ibt_resp *resp, struct ibt_resp_res *entry,
			const struct ibt_read_resp *reading);
bool ibt_resp_res_next_deferred(struct ibt_resp *resp, struct ibt_read_resp *reading);
void ibt_replay_unpark_all(struct ibt_resp *resp);
/* The answer of the newest request has not been sent to its end, and is parked. */
bool ibt_replay_unfinished(const struct ibt_resp *resp);
/* A READ answer that has not been sent to its end has PSNs before @psn, and is parked. */
bool ibt_replay_due_before(const struct ibt_resp *resp, u32 psn);
const struct ibt_resp_res *ibt_replay_atomic(const struct ibt_resp *resp,
					     const struct ibt_pkt *pkt);
/* The latest PSN that an ACK for a duplicate at @psn may name. */
u32 ibt_replay_ack_psn(const struct ibt_resp *resp, u32 psn);

#endif /* IBT_RESP_RES_H */
