/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The receive side of a queue pair: state and life.
 *
 * rx.c -> responder.c -> exec.c (memory, receive requests)
 *                     -> ack.c, read_resp.c (answers)
 *                     -> resp_res.c (answers of duplicates)
 *      -> ud_recv.c
 *
 * No SRQ stays referenced between two packets: a peer that dies in the middle of
 * a message must not keep the SRQ from being destroyed. (A region may: references
 * to it delay nothing, and rights are checked with every copy.)
 */
#ifndef IBT_RESP_H
#define IBT_RESP_H

#include <linux/interrupt.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "../soft/flush.h"
#include "../soft/iter.h"
#include "../soft/mr_table.h"
#include "../soft/pager.h"
#include "../soft/task.h"
#include "ooo.h"
#include "read_part.h"
#include "resp_res.h"
#include "resp_queue.h"
#include "tm_wire.h"

struct ibt_opcode;
struct ibt_port;
struct ibt_qp;
struct ibt_recv;

/**
 * struct ibt_resp_msg - the message in progress, SEND or WRITE
 * @active: there is one
 * @taking: it has, or wants, a receive request
 * @only: it has no more bytes than a packet
 * @headed: (tag matching) what takes it is known
 * @verb: which
 * @length: WRITE: bytes it is to have; SEND: bytes that there is room for
 * @placed: bytes that have come
 * @va, @rkey: WRITE: where they go
 * @srqn: XRC
 */
struct ibt_resp_msg {
	bool active;
	bool taking;
	bool only;
	bool headed;
	u8 verb;
	u32 length;
	u32 placed;
	u64 va;
	u32 rkey;
	u32 srqn;
};

/**
 * struct ibt_tm_recv - the message in progress, if a shared receive queue matches tags
 * @kind: what has taken it, IBT_TM_NONE: nothing yet
 * @untold: (srq->lock; expected) in srq->untold, while its match has no completion
 * @wr_id: (expected) of the buffer
 * @fetch: (expected) the responder fetches the data that it asks to fetch
 * @hdr: its first bytes
 */
struct ibt_tm_recv {
	enum ibt_tm_kind {
		IBT_TM_NONE,
		IBT_TM_EXPECTED,	/* a tagged buffer */
		IBT_TM_UNEXPECTED,	/* a receive request, for lack of a buffer that fits */
		IBT_TM_NO_TAG,		/* a receive request, as it has no tag */
	} kind;
	struct list_head untold;
	u64 wr_id;
	bool fetch;
	struct ibt_tm_hdr hdr;
};

/**
 * struct ibt_resp - receive side
 * @lock: guards all of it, but for @waiting and @tx_wait_port
 * @state: of this side; posters peek at it without the lock
 * @psn: expected next
 * @msn: messages completed
 * @op: of the latest packet of a message that goes on; NULL: the next is a first
 * @local: the sender, while a message of its comes without packets and in parts
 * @established: IB_EVENT_COMM_EST was raised
 * @nak_sent: the peer was told to come again with @psn; until then, silence
 * @owed: an answer that there was no memory for, or an ACK that waits for @ack_tasklet:
 *	  @pending_syndrome, @pending_psn
 * @ack_tasklet: sends the pending answer when the softirq has received all there is
 * @coalesced_acks: ACKs that have been put off for it: 0, 1, or 2 for more
 * @immediate_acks_left: so many of those to come are not
 * @coalesce_backoff: how many that were when one was last put off for nothing
 * @told: the failure was told by a receive completion
 * @mig_refused: IB_EVENT_PATH_MIG_ERR was raised since the last modify. Set
 *		 without the lock, by xchg()
 * @unacked: packets since the last ACK
 * @has_rwqe: what is in @recv was taken from its queue and is not completed
 * @recv_srqn: (XRC) of which SRQ
 * @cur: message in progress
 * @tm: which tag @cur has
 * @to: where the rest of @cur goes
 * @flushing: FLUSH in progress, the request that is expected next
 * @reading: READ answer in progress: the oldest of those that are due
 * @parked: READ answers in @replay that are due
 * @parts: of READ answers, that are due before those in @replay
 * @waiting_reads: READs in @backlog
 * @ooo: requests behind a gap
 * @backlog: requests behind a READ in progress
 * @dropped: there was no room for one of these, with @dropped_psn: the first
 * @inbox: requests that came while a round of @task has @lock
 * @replay: ring of @num_replay entries, @replay_next is overwritten next
 * @num_replay: what attr.max_dest_rd_atomic promised
 * @replay_used: entries that mean something
 * @look: latest look at the link, which the marks of @replay are from
 * @tx_wait_port: @waiting is, or was, on its list
 * @waiting: (its tx_wait_lock) in ibt_port.answering
 * @flush_delay: until the ring of a user is looked at again, in the error state
 * @flush_turns: pieces of the ring that were flushed since the latest delay
 * @task: goes on with what did not fit, or had no memory
 * @work: calls it, after a delay
 * @cpu: where the answer of a READ or atomic was sent last, or SOFT_NO_CPU: nothing has to
 *	 stay behind it
 * @late: (a round of @task) @cpu was to send, and has not begun
 * @pager: brings in what requests read or write
 * @write_key: rkey of WRITEs in one piece
 * @recv_key: lkey of receive requests of SENDs in one piece
 */
struct ibt_resp {
	spinlock_t lock;
	enum ib_qp_state state;
	u32 psn;
	u32 msn;
	const struct ibt_opcode *op;
	struct ibt_qp *local;
	bool established;
	bool nak_sent;
	bool owed;
	bool told;
	bool mig_refused;
	bool has_rwqe;
	u8 pending_syndrome;
	u8 unacked;
	u32 pending_psn;
	struct tasklet_struct ack_tasklet;
	u8 coalesced_acks;
	u8 immediate_acks_left;
	u8 coalesce_backoff;
	u32 recv_srqn;
	struct ibt_resp_msg cur;
	struct ibt_tm_recv tm;
	struct soft_flush_part flushing;
	struct ibt_read_resp reading;
	struct soft_iter to;
	u32 parked;
	struct ibt_read_parts parts;
	u32 waiting_reads;
	struct ibt_ooo ooo;
	struct sk_buff_head backlog;
	bool dropped;
	u32 dropped_psn;
	struct ibt_resp_queue inbox;
	struct ibt_resp_res *replay;
	u32 num_replay;
	u32 replay_next;
	u32 replay_used;
	struct ibt_answer_look look;
	struct ibt_port *tx_wait_port;
	struct list_head waiting;
	unsigned long flush_delay;
	u32 flush_turns;
	struct soft_task task;
	struct delayed_work work;
	int cpu;
	bool late;
	struct soft_pager pager;
	struct ibt_recv *recv;
	struct soft_key_cache write_key;
	struct soft_key_cache recv_key;
};

/* READ answers, and parts of such, that have not been sent to their end. */
static inline u32 ibt_resp_reads_due(const struct ibt_resp *resp)
{
	return resp->reading.active + resp->parked + resp->parts.num;
}

/* A round leaves all to @resp->cpu. */
static inline enum soft_task_left ibt_resp_elsewhere(struct ibt_resp *resp)
{
	WRITE_ONCE(resp->task.cpu, resp->cpu);
	return SOFT_TASK_ELSEWHERE;
}

/* May requests be executed? */
static inline bool ibt_resp_receives(enum ib_qp_state state)
{
	return state == IB_QPS_RTR || state == IB_QPS_RTS ||
	       state == IB_QPS_SQD || state == IB_QPS_SQE;
}

int ibt_resp_create(struct ibt_qp *qp);
void ibt_resp_destroy(struct ibt_qp *qp);
/* modify_qp, before anything is changed: 0 or -ENOMEM. May sleep. */
int ibt_resp_reserve(struct ibt_qp *qp, u32 max_dest_rd_atomic);
void ibt_resp_set_state(struct ibt_qp *qp, enum ib_qp_state state);
void ibt_resp_flush(struct ibt_qp *qp);

#endif /* IBT_RESP_H */
