/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The receive side of a queue pair, and what its files share.
 *
 * rx.c -> responder.c -> exec.c (memory, receive requests)
 *                     -> ack.c, read_reply.c (answers)
 *                     -> replay.c (answers of duplicates)
 *      -> ud.c
 *
 * No SRQ stays referenced between two packets: a peer that dies in the middle of
 * a message must not keep anybody from destroying it. (A region may: references
 * to it delay nothing, and rights are checked with every copy.)
 */
#ifndef IBT_RESP_H
#define IBT_RESP_H

struct ibt_qp;
struct ibt_port;
struct ibt_srq;
struct ibt_msg;
struct ibt_recv;

/*
 * Request packets that wait behind a READ answer, at most; a READ among them looks for a copy
 * of itself there.
 */
#define IBT_MAX_BACKLOG		4096
/* Request packets that wait for resp.lock, at most. */
#define IBT_MAX_INBOX		128
/* Packets of a READ answer that leave in one go. */
#define IBT_READ_BURST		32
/* Packets without AckReq after which an ACK is sent all the same. */
#define IBT_ACK_EVERY		32

/**
 * struct ibt_inflight - the message in progress, SEND or WRITE
 * @active: there is one
 * @taking: it has, or wants, a receive request
 * @verb: which
 * @length: WRITE: bytes it is to have; SEND: bytes that there is room for
 * @placed: bytes that have come
 * @va, @rkey: WRITE: where they go
 * @srqn: XRC
 */
struct ibt_inflight {
	bool active;
	bool taking;
	u8 verb;
	u32 length;
	u32 placed;
	u64 va;
	u32 rkey;
	u32 srqn;
};

/**
 * struct ibt_reading - a READ answer on its way
 * @active: there is one; requests wait in ibt_resp.backlog
 * @again: of a duplicate, after the whole of it had been sent
 * @first: nothing of it has been sent
 * @psn: of the next packet
 * @va, @rkey, @left: bytes to be sent
 * @srqn: XRC
 */
struct ibt_reading {
	bool active;
	bool again;
	bool first;
	u32 psn;
	u64 va;
	u32 rkey;
	u32 left;
	u32 srqn;
};

/**
 * struct ibt_replay - what answers a duplicate READ or atomic (IBA 9.7.5.1.5)
 * @verb: IBT_READ, IBT_CMP_SWAP, IBT_FETCH_ADD, IBT_ATOMIC_WRITE or IBT_FLUSH
 * @first_psn, @last_psn: of the answer
 * @va, @rkey, @length: READ: what may be asked again, with full checks
 * @original: atomic: the value that was found
 * @parked: READ: an answer, or the rest of one, that is to be sent when those before
 *	    it are
 */
struct ibt_replay {
	u8 verb;
	u32 first_psn;
	u32 last_psn;
	u64 va;
	u32 rkey;
	u32 length;
	u64 original;
	struct ibt_reading parked;
};

/**
 * struct ibt_inbox - requests that do not wait for resp.lock
 * @skbs: in the order in which they came; has a lock of its own, which is innermost
 */
struct ibt_inbox {
	struct sk_buff_head skbs;
};

/**
 * struct ibt_resp - receive side
 * @lock: guards all of it (see ibt.h), but for @waiting and @room_port
 * @state: of this side; peeked at without the lock by those who post
 * @psn: expected next
 * @msn: messages completed
 * @op: of the latest packet of a message that goes on; NULL: the next is a first
 * @local: the sender, while a message of its comes without packets and in parts
 * @established: IB_EVENT_COMM_EST was raised
 * @nak_sent: the peer was told to come again with @psn; until then, silence
 * @owed: an answer that there was no memory for, or an ACK that waits for @ack_tasklet:
 *	  @owed_syndrome, @owed_psn
 * @ack_tasklet: sends what is owed when the softirq has received all there is
 * @acks_merged: ACKs that have been put off for it: 0, 1, or 2 for more
 * @acks_at_once: so many of those to come are not
 * @ack_pause: how many that were when one was last put off for nothing
 * @told: the failure was told by a receive completion
 * @mig_refused: IB_EVENT_PATH_MIG_ERR was raised since the last modify. Set
 *		 without the lock, by xchg()
 * @unacked: packets since the last ACK
 * @has_recv: what is in @recv was taken from its queue and is not completed
 * @recv_srqn: (XRC) of which SRQ
 * @cur: message in progress
 * @to: where the rest of @cur goes
 * @reading: READ answer in progress: the oldest of those that are due
 * @parked: READ answers in @replay that are due
 * @waiting_reads: READs in @backlog
 * @backlog: requests behind a READ in progress
 * @dropped: there was no room for one of these, with @dropped_psn: the first
 * @inbox: requests that came while a round of @task has @lock
 * @replay: ring of @num_replay entries, @replay_next is overwritten next
 * @num_replay: what attr.max_dest_rd_atomic promised
 * @replay_used: entries that mean something
 * @room_port: @waiting is, or was, on its list
 * @waiting: (its room_lock) in ibt_port.answering
 * @flush_delay: until the ring of a user is looked at again, in the error state
 * @flush_turns: pieces of the ring that were flushed since the latest delay
 * @task: goes on with what did not fit, or had no memory
 * @work: calls it, after a delay
 * @cpu: where packets of a READ answer were sent last, or SOFT_NO_CPU
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
	bool has_recv;
	u8 owed_syndrome;
	u8 unacked;
	u32 owed_psn;
	struct tasklet_struct ack_tasklet;
	u8 acks_merged;
	u8 acks_at_once;
	u8 ack_pause;
	u32 recv_srqn;
	struct ibt_inflight cur;
	struct ibt_reading reading;
	struct soft_iter to;
	u32 parked;
	u32 waiting_reads;
	struct sk_buff_head backlog;
	bool dropped;
	u32 dropped_psn;
	struct ibt_inbox inbox;
	struct ibt_replay *replay;
	u32 num_replay;
	u32 replay_next;
	u32 replay_used;
	struct ibt_port *room_port;
	struct list_head waiting;
	unsigned long flush_delay;
	u32 flush_turns;
	struct soft_task task;
	struct delayed_work work;
	int cpu;
	struct ibt_recv *recv;
};

/* May requests be executed? */
static inline bool ibt_resp_receives(enum ib_qp_state state)
{
	return state == IB_QPS_RTR || state == IB_QPS_RTS ||
	       state == IB_QPS_SQD || state == IB_QPS_SQE;
}

/* ---- responder.c: resp.lock held ---------------------------------------------- */

/* Go on with what waits: a round of resp.task. */
enum soft_task_left ibt_resp_go_on(struct ibt_qp *qp);
/* A request; nothing that came before it lies in the inbox. resp.lock held. */
void ibt_resp_receive(struct ibt_qp *qp, const struct ibt_pkt *pkt,
		      struct sk_buff *skb);

/* ---- backlog.c: resp.lock held ------------------------------------------------- */

/* One more, or it is dropped. The caller keeps a reference to @skb of its own. */
void ibt_backlog_add(struct ibt_qp *qp, const struct ibt_pkt *pkt,
		     struct sk_buff *skb);
/* The first, or NULL. */
struct sk_buff *ibt_backlog_take(struct ibt_qp *qp);
/* Is it a READ more than the peer may have outstanding? */
bool ibt_backlog_excess(struct sk_buff *skb);
/* It was taken, and could not be answered. */
void ibt_backlog_put_back(struct ibt_qp *qp, struct sk_buff *skb);
void ibt_backlog_purge(struct ibt_qp *qp);

/* ---- resp_queue.c -------------------------------------------------------------- */

void ibt_inbox_init(struct ibt_inbox *box);
/* False: the caller waits for resp.lock, which is not held. Softirqs disabled. */
bool ibt_inbox_put(struct ibt_qp *qp, const struct ibt_pkt *pkt,
		   struct sk_buff *skb);
/* What lies there comes before what else is received. */
void ibt_inbox_take(struct ibt_qp *qp);

/* ---- exec.c: resp.lock held ---------------------------------------------------- */

/* May a message with @psn be executed now without packets? */
bool ibt_resp_ready(const struct ibt_qp *qp, u32 psn);
/* Forget what is in progress. */
void ibt_resp_stop(struct ibt_qp *qp);
/* What a WRITE_LAST_WITH_IMMEDIATE needs, before its bytes are placed. */
enum ibt_verdict ibt_exec_reserve(struct ibt_qp *qp);
/* The message in progress is given up. A receive request stays for the next. */
void ibt_exec_abort(struct ibt_qp *qp);

/* ---- rq.c: resp.lock held ------------------------------------------------------- */

/* The SRQ in which receive requests of @qp are; XRC: the one of number @srqn, with
 * a reference, if @qp may use it. NULL: its own queue, or (XRC) none.
 */
struct ibt_srq *ibt_rq_srq(struct ibt_qp *qp, u32 srqn);
void ibt_rq_srq_put(struct ibt_qp *qp, struct ibt_srq *srq);	/* NULL is fine */
/* Fills in what all receive completions have. */
void ibt_rq_complete(struct ibt_qp *qp, struct ibt_srq *srq, struct ib_wc *wc,
		     bool solicited);
/* The receive request that was taken completes in error. */
void ibt_rq_error(struct ibt_qp *qp, struct ibt_srq *srq,
		  enum ib_wc_status status);
/* Flush at most @budget of what is posted. True: there is more. */
bool ibt_rq_flush_some(struct ibt_qp *qp, u32 budget);
/* As after creation. */
void ibt_rq_reset(struct ibt_qp *qp);
/* What was taken and not filled is not lost to those who share its queue. */
void ibt_rq_release(struct ibt_qp *qp);

/* ---- ack.c: resp.lock held -------------------------------------------------------- */

/* Fields of a response that do not depend on what it says. */
void ibt_resp_header(const struct ibt_qp *qp, const struct ibt_path *path,
		     struct ibt_pkt *pkt, enum ibt_verb verb, u8 place,
		     u32 psn);
void ibt_resp_ack(struct ibt_qp *qp, u32 psn);
/* Tell @verdict of the request at @psn, with its consequences. */
void ibt_resp_refuse(struct ibt_qp *qp, u32 psn, enum ibt_verdict verdict);
void ibt_resp_ack_init(struct ibt_resp *resp);
/* Send what is owed. False: still no memory. */
bool ibt_resp_pay(struct ibt_qp *qp);
/* An answer with @psn has left, of whatever kind. */
void ibt_resp_told(struct ibt_resp *resp, u32 psn);
/* The answer of @request, an atomic or ATOMIC WRITE. @skb: of ibt_tx_alloc(),
 * consumed.
 */
void ibt_resp_atomic(struct ibt_qp *qp, struct ibt_path *path,
		     struct sk_buff *skb, const struct ibt_pkt *request,
		     u64 original);

/* ---- read_reply.c: resp.lock held --------------------------------------------------- */

enum ibt_progress {
	IBT_FINISHED,
	IBT_MORE,	/* the budget is spent */
	IBT_WAIT,	/* the work will be woken */
	IBT_ELSEWHERE,	/* resp.cpu is to send it */
};

/* The answer of the READ request @pkt is to be sent. */
void ibt_read_begin(struct ibt_qp *qp, const struct ibt_pkt *pkt);
/* It is @pkt, all of @entry or a part, that is to be sent once more. */
void ibt_read_again(struct ibt_qp *qp, struct ibt_replay *entry,
		    const struct ibt_pkt *pkt);
/* Send at most @budget packets of it. @late: resp.cpu was to send it, and has not. */
enum ibt_progress ibt_read_go(struct ibt_qp *qp, int *budget, bool late);

/* ---- replay.c: resp.lock held, but for the first -------------------------------------- */

/* Memory for @entries; the older ones stay if they fit. NULL: none needed. */
int ibt_replay_alloc(struct ibt_replay **ring, u32 entries);
/* Use @ring from now on; returns the one to be freed. */
struct ibt_replay *ibt_replay_swap(struct ibt_resp *resp,
				   struct ibt_replay *ring, u32 entries);
void ibt_replay_clear(struct ibt_resp *resp);
void ibt_replay_add(struct ibt_resp *resp, const struct ibt_replay *entry);
/* The READ that @pkt asks for again. NULL: there was no such. */
struct ibt_replay *ibt_replay_read(const struct ibt_resp *resp,
				   const struct ibt_pkt *pkt, u32 mtu);
/* The newest entry that has @psn, or NULL. */
struct ibt_replay *ibt_replay_at(const struct ibt_resp *resp, u32 psn);
/* READ answers that are due: one more, the oldest, none. */
void ibt_replay_park(struct ibt_resp *resp, struct ibt_replay *entry,
		     const struct ibt_reading *reading);
bool ibt_replay_unpark(struct ibt_resp *resp, struct ibt_reading *reading);
void ibt_replay_unpark_all(struct ibt_resp *resp);
/* The answer of the newest request has not been sent to its end, and is parked. */
bool ibt_replay_unfinished(const struct ibt_resp *resp);
const struct ibt_replay *ibt_replay_atomic(const struct ibt_resp *resp,
					   const struct ibt_pkt *pkt);
/* The latest PSN that an ACK for a duplicate at @psn may name. */
u32 ibt_replay_ack_psn(const struct ibt_resp *resp, u32 psn);

#endif /* IBT_RESP_H */
