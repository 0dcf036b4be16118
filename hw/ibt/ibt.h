/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The InfiniBand transport engine: what its files share.
 *
 * verbs -> sq -> requester -> hdr -> link.xmit -> wire
 *       -> link rx -> rx -> responder | completer -> cq
 *
 * Locks, outermost first. Softirqs are disabled under all but the mutexes.
 *
 * ibt_qp.attr_lock (mutex)
 *	one modify, query or teardown at a time; guards ibt_qp.attr.
 * ibt_sq.lock (spinlock, bh)
 *	everything of the send side: slots in flight, requester, completer,
 *	their timers. Held while packets are built and given to the link.
 * ibt_resp.lock (spinlock, bh)
 *	everything of the receive side. May be taken inside the sq.lock of
 *	another queue pair, or of the same: never the other way round.
 * ibt_srq.resizing (mutex)
 *	one resize at a time; the other two are taken inside of it.
 * ibt_srq.lock (spinlock, irqsave)
 *	the consumer side of a shared receive queue, its limit.
 * ibt_sq.post_lock, ibt_rq.post_lock (spinlock, irqsave)
 *	the producer side of a kernel queue: post_send and post_recv may come
 *	from anywhere, with interrupts disabled too.
 * ibt_qp.path_lock (spinlock, irqsave)
 *	which path a queue pair uses.
 * ibt_route.lock (spinlock, irqsave; ah.c)
 *	which path an address handle uses.
 * ibt_port.room_lock (spinlock, irqsave; room.c)
 *	queue pairs that wait for the link.
 * ibt_dev.crowd_lock (spinlock, bh; mcast.c)
 *	multicast packets that wait for the work; not inside another lock.
 * ibt_dev.groups_lock (mutex)
 *	one attach or detach of multicast at a time; not inside another lock.
 * then those of hw/soft.
 *
 * A kernel consumer is never called with any of them held: completions are announced
 * by the CQ's tasklet, events by the work of the queue pair. A program may be woken at
 * once, by the handler of ib_uverbs, whose locks are inside all of these.
 */
#ifndef IBT_H
#define IBT_H

#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rhashtable.h>
#include <linux/sizes.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "../soft/ident.h"
#include "../soft/soft.h"
#include "link.h"
#include "opcode.h"
#include "pkt.h"
#include "stats.h"

/* Limits of every device of the engine. */
enum {
	IBT_MAX_PD		= 1 << 16,
	IBT_MAX_CQ		= 1 << 16,
	IBT_MAX_MR		= 1 << 19,
	IBT_MAX_MW		= 1 << 19,
	IBT_MAX_SRQ		= 1 << 16,
	IBT_MAX_QP		= 1 << 16,
	IBT_MAX_QP_WR		= 1 << 14,
	IBT_MAX_SGE		= 32,
	IBT_MAX_INLINE		= 512,
	IBT_MAX_RD_ATOMIC	= 128,
	IBT_MAX_CQE		= (1 << 20) - 1,
	IBT_MAX_SRQ_WR		= 1 << 15,
	IBT_MAX_AH		= 1 << 16,
	IBT_MAX_MCAST_QP	= 1 << 12,	/* of one group */
	IBT_MAX_GROUPS		= 1 << 13,
	IBT_MAX_MEMBERS		= 1 << 18,	/* of all groups */
	IBT_MAX_PKEYS		= 64,
	IBT_MAX_FAST_PAGES	= 512,
	IBT_MIN_QPN		= 16,
};
#define IBT_MAX_MSG_BYTES	(1U << 31)
/* Received packets that a device keeps for later: memory of all of them. */
#define IBT_MAX_QUEUED_BYTES	(64 << 20)

/* What became of a request at the responder. */
enum ibt_verdict {
	IBT_DONE,
	IBT_RNR,		/* no receive request */
	IBT_SEQ,		/* PSN ahead of its turn */
	IBT_BAD_REQUEST,	/* NAK: invalid request */
	IBT_NO_ACCESS,		/* NAK: remote access error */
	IBT_OP_ERROR,		/* NAK: remote operational error */
	IBT_DROP,		/* nothing is said */
};

/* Which key of a datagram is not the receiver's. */
enum ibt_ud_fault {
	IBT_UD_OK,
	IBT_UD_PKEY,
	IBT_UD_QKEY,
};

/**
 * struct ibt_port - a port of a device
 * @dev: whose
 * @num: from 1
 * @special: of QP0 and QP1, RCU
 * @pkeys: the P_Key table; entry 0 is 0xffff until somebody changes it
 * @num_pkeys: entries
 * @cap_mask: PortInfo.CapabilityMask
 * @bad_pkeys: violation counter of query_port
 * @bad_qkeys: likewise
 * @downs: times that it went down
 * @generation: paths that were resolved before it changed are checked anew
 * @room_lock: see above; guards all that follows
 * @room_seq: times that ibt_tx_room() was called
 * @full: somebody waits for the next such call
 * @waiting: (sq.waiting of) queue pairs that wait for ibt_tx_room()
 * @answering: (resp.waiting of) queue pairs whose answers wait for it
 * @room_work: wakes them, after the first few
 */
struct ibt_port {
	struct ibt_dev *dev;
	u32 num;
	struct ibt_life __rcu *special[2];
	u16 pkeys[IBT_MAX_PKEYS];
	u16 num_pkeys;
	u32 cap_mask;
	atomic_t bad_pkeys;
	atomic_t bad_qkeys;
	atomic_t downs;
	atomic_t generation;
	spinlock_t room_lock;
	u32 room_seq;
	bool full;
	struct list_head waiting;
	struct list_head answering;
	struct work_struct room_work;
};

/**
 * struct ibt_stats - counters, as one CPU has them
 * @count: since the device was made
 */
struct ibt_stats {
	u64 count[IBT_STAT_NUM];
};

/**
 * struct ibt_dev - a device
 * @soft: first; @soft.ib is the core's
 * @link: its kind of link
 * @qps: QPN -> struct ibt_life of a queue pair
 * @ahs: number -> struct ibt_route of an address handle of user space
 * @srqs: number -> struct ibt_life of a shared receive queue
 * @next_qpn: where the search for a free number begins
 * @next_ah: likewise
 * @next_srq: likewise
 * @groups: multicast groups (mcast.c)
 * @num_groups: of them
 * @num_members: attachments to all of them
 * @groups_lock: one attach or detach at a time
 * @crowd: packets for large groups, @num_crowd of them
 * @num_crowd: see there
 * @crowd_lock: guards both
 * @crowd_work: delivers them
 * @queued: bytes of received packets that wait, of IBT_MAX_QUEUED_BYTES
 * @queues: what was too much for the context it came up in
 * @lanes: runs that wait for another processor (rx_steer.c), @num_lanes of them
 * @num_lanes: a power of 2, or 0: none
 * @busy_lanes: that have packets
 * @stats: per CPU
 * @fault: injection (fault.c), NULL: none
 * @priv: the link's
 * @sys_image_guid: of the system it is a part of; 0: of itself
 * @num_ports: entries of @ports
 * @ports: port 1 is the first
 */
struct ibt_dev {
	struct soft_dev soft;
	const struct ibt_link_ops *link;
	struct xarray qps;
	struct xarray ahs;
	struct xarray srqs;
	u32 next_qpn;
	u32 next_ah;
	u32 next_srq;
	struct rhashtable groups;
	u32 num_groups;
	u32 num_members;
	struct mutex groups_lock;
	struct list_head crowd;
	u32 num_crowd;
	spinlock_t crowd_lock;
	struct work_struct crowd_work;
	atomic_t queued;
	struct soft_task_queues queues;
	struct ibt_lane *lanes;
	u32 num_lanes;
	atomic_t busy_lanes;
	struct ibt_stats __percpu *stats;
	struct ibt_fault *fault;
	void *priv;
	__be64 sys_image_guid;
	u32 num_ports;
	struct ibt_port ports[];
};

static inline struct ibt_dev *to_ibt_dev(struct ib_device *ib)
{
	return container_of(ib, struct ibt_dev, soft.ib);
}

static inline void ibt_count_more(struct ibt_dev *dev, enum ibt_stat stat,
				  u32 more)
{
	this_cpu_add(dev->stats->count[stat], more);
}

static inline void ibt_count(struct ibt_dev *dev, enum ibt_stat stat)
{
	ibt_count_more(dev, stat, 1);
}

/* Before a received packet of so many bytes is kept for later. False: drop it. */
static inline bool ibt_queue_charge(struct ibt_dev *dev, u32 bytes)
{
	if (atomic_add_return(bytes, &dev->queued) <= IBT_MAX_QUEUED_BYTES)
		return true;
	atomic_sub(bytes, &dev->queued);
	return false;
}

static inline void ibt_queue_uncharge(struct ibt_dev *dev, u32 bytes)
{
	atomic_sub(bytes, &dev->queued);
}

/**
 * struct ibt_life - references to an object that is found by number (life.c)
 * @refs: 1 until its destruction, 1 of each who found it
 * @unused: the last is gone
 * @of: the object; whoever has no reference must not touch it
 * @rcu: those who look may find this when the object is no more
 */
struct ibt_life {
	refcount_t refs;
	struct completion unused;
	void *of;
	struct rcu_head rcu;
};

struct ibt_life *ibt_life_new(void *of);
void *ibt_life_find(struct xarray *table, u32 number);
void ibt_life_put(struct ibt_life *life);
void ibt_life_wait(struct ibt_life *life);
void ibt_life_end(struct ibt_life *life);

/* Under RCU, or for a work or timer of the object itself. False: it is ending. */
static inline bool ibt_life_get(struct ibt_life *life)
{
	return refcount_inc_not_zero(&life->refs);
}

/**
 * struct ibt_rq - requests to receive: of one QP, or of an SRQ
 * @ring: of struct rxe_recv_wqe
 * @post_lock: see above
 * @max_wr: that may be posted at once
 * @max_sge: of each
 */
struct ibt_rq {
	struct soft_ring ring;
	spinlock_t post_lock;
	u32 max_wr;
	u32 max_sge;
};

/**
 * struct ibt_recv - one of them, copied and checked
 * @wr_id: of the consumer
 * @length: bytes that there is room for
 * @num_sge: entries of @sge that mean something
 * @room: entries of @sge
 * @sge: where
 */
struct ibt_recv {
	u64 wr_id;
	u32 length;
	u32 num_sge;
	u32 room;
	struct ib_sge sge[];
};

/**
 * struct ibt_srq - shared receive queue
 * @ib: of the core; first
 * @rq: its requests
 * @lock: see above
 * @limit: raise IB_EVENT_SRQ_LIMIT_REACHED when fewer are left; 0: never
 * @number: in ibt_dev.srqs
 * @error: nothing can be taken from it anymore
 * @xrc_cq: (XRC) where its completions go
 * @life: references
 * @resizing: one resize at a time; outside of @lock
 * @events: IB_EVENT_* bits to raise, by @work
 * @work: raises them
 */
struct ibt_srq {
	struct ib_srq ib;
	struct ibt_rq rq;
	spinlock_t lock;
	u32 limit;
	u32 number;
	bool error;
	struct soft_cq *xrc_cq;
	struct ibt_life *life;
	struct mutex resizing;
	unsigned long events;
	struct work_struct work;
};

struct ibt_ucontext {
	struct ib_ucontext ib;
};

struct ibt_xrcd {
	struct ib_xrcd ib;
};

#include "sq.h"		/* struct ibt_sq: send side */
#include "resp.h"	/* struct ibt_resp: receive side */

/**
 * struct ibt_qp - queue pair
 * @ib: of the core; first
 * @life: references
 * @attr_lock: see above
 * @attr: as modify_qp left it; qp_state is not kept here. Written with attr_lock
 *	  held; what migration exchanges (ah_attr, port_num, pkey_index, timeout
 *	  and their alternates) with path_lock held too. Its addresses have
 *	  references on their GIDs. Numbers are read without a lock.
 * @cap: what both queues can do
 * @state: as modify_qp or ibt_qp_fail() set it; each side also keeps its own
 * @transport: which opcodes it speaks (UD: QP0 and QP1 too)
 * @mtu: path MTU in bytes (1 << 31 is no MTU: UD)
 * @flow: for the link's choice among several ways
 * @path_lock: guards @path down to @alt_left, and @flow
 * @path: connected QPs, from RTR on, referenced
 * @alt: the alternate one, or NULL
 * @path_gen: generation of the port when @path was resolved
 * @mig_state: path migration state; may be peeked at without the lock, like
 * @migrations: how many there were, and like
 * @alt_left: @alt is the path that the latest migration left: a peer that has not
 *	      heard of it still uses it
 * @sig_all: every send is signaled
 * @offload: (UD) its consumer leaves checksums and IB_WR_LSO to the link
 * @flushed: (attr_lock) the error state was entered and both sides are flushed
 * @send_cq: where completions of sends go, NULL: it has none
 * @recv_cq: those of receives; NULL: XRC
 * @srq: NULL: own receive queue
 * @events: IB_EVENT_* bits to raise, by @work
 * @work: raises events and finishes a move to the error state
 * @rq: own receive queue
 * @sq: send side
 * @resp: receive side
 */
struct ibt_qp {
	struct ib_qp ib;
	struct ibt_life *life;
	struct mutex attr_lock;
	struct ib_qp_attr attr;
	struct ib_qp_cap cap;
	enum ib_qp_state state;
	enum ibt_transport transport;
	u32 mtu;
	u32 flow;
	spinlock_t path_lock;
	struct ibt_path *path;
	struct ibt_path *alt;
	int path_gen;
	enum ib_mig_state mig_state;
	u32 migrations;
	bool alt_left;
	bool sig_all;
	bool offload;
	bool flushed;
	struct soft_cq *send_cq;
	struct soft_cq *recv_cq;
	struct ibt_srq *srq;
	unsigned long events;
	struct work_struct work;
	struct ibt_rq rq;
	struct ibt_sq sq;
	struct ibt_resp resp;
};

static inline struct ibt_qp *to_ibt_qp(struct ib_qp *ib)
{
	return container_of(ib, struct ibt_qp, ib);
}

static inline struct ibt_dev *ibt_qp_dev(const struct ibt_qp *qp)
{
	return to_ibt_dev(qp->ib.device);
}

/* Go on with what waits, from a work: at once, or after @delay. resp.lock held. */
static inline void ibt_resp_later(struct ibt_qp *qp, unsigned long delay)
{
	lockdep_assert_held(&qp->resp.lock);
	if (delay)
		mod_delayed_work(ibt_qp_dev(qp)->queues.any, &qp->resp.work, delay);
	else
		soft_task_queue(&qp->resp.task);
}

/* User space may have posted receives in the error state. Any context. */
static inline void ibt_resp_poke(struct ibt_qp *qp)
{
	if (READ_ONCE(qp->resp.state) == IB_QPS_ERR && qp->rq.ring.buf &&
	    soft_ring_ready(&qp->rq.ring))
		soft_task_queue(&qp->resp.task);
}

/* ---- qp_table.c --------------------------------------------------------------------- */

/* By number, with a reference, or NULL. */
struct ibt_qp *ibt_qp_find(struct ibt_dev *dev, u32 qpn);
/* QP0 or QP1 of a port, with a reference, or NULL. */
struct ibt_qp *ibt_special_find(struct ibt_port *port, u32 qpn);
/* From here on packets find it, by a number that it gets here; from there on they do not. */
int ibt_qp_publish(struct ibt_qp *qp, u32 port_num);
void ibt_qp_unpublish(struct ibt_qp *qp);
/* For a work or timer of the QP itself: false when it is being destroyed. */
bool ibt_qp_get(struct ibt_qp *qp);
void ibt_qp_put(struct ibt_qp *qp);

static inline bool ibt_qp_is_special(const struct ibt_qp *qp)
{
	return qp->ib.qp_type == IB_QPT_GSI || qp->ib.qp_type == IB_QPT_SMI;
}

/* ---- qp.c, qp_event.c --------------------------------------------------------------- */

void ibt_qps_exit(struct ibt_dev *dev);
/* Any context, any lock: raise an affiliated event from the QP's work. */
void ibt_qp_event(struct ibt_qp *qp, enum ib_event_type event);
/* Any context, any lock: to the error state, with @event unless it is -1. Both
 * sides are flushed by the QP's work; a side may flush itself at once.
 */
void ibt_qp_fail(struct ibt_qp *qp, int event);

/* ---- pkey.c ------------------------------------------------------------------------- */

/* Does @pkey of a packet match entry @index of the table? IBA 10.9.1. */
bool ibt_pkey_ok(const struct ibt_port *port, u16 index, u16 pkey);
/* Index of an entry that @pkey matches, or -1 (QP1 takes them all). */
int ibt_pkey_find(const struct ibt_port *port, u16 pkey);

/* ---- path.c, apm.c ------------------------------------------------------------------ */

/* Path of the address @av, with a reference, or ERR_PTR: as of link.path_resolve. */
struct ibt_path *ibt_path_resolve(struct ibt_dev *dev,
				  const struct rdma_ah_attr *av, gfp_t gfp);
/* For the link's choice among several ways: the label of the address; without one, the
 * same from both ends. UD has no peer.
 */
u32 ibt_qp_flow(const struct ibt_qp *qp);
/* Path in use, with a reference, resolved anew when it is stale; or NULL. */
struct ibt_path *ibt_qp_path(struct ibt_qp *qp);
/* If armed: use the alternate path from now on, IBA 17.2.8. Any context. False
 * when there is no armed one.
 */
bool ibt_qp_migrate(struct ibt_qp *qp);
/* MigReq of a good packet that came for @qp, by the alternate path or the one in
 * use, IBA 17.2.8. Softirqs disabled, none of its locks held; cheap.
 */
void ibt_qp_mig_seen(struct ibt_qp *qp, bool migrated, bool alternate);

/* ---- sq.c: the producer's side and life of the send side -------------------------- */

int ibt_sq_create(struct ibt_qp *qp, const struct ib_qp_cap *cap,
		  struct ib_ucontext *ucontext, struct mminfo *info);
void ibt_sq_destroy(struct ibt_qp *qp);		/* nobody has a reference */
int ibt_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad);	/* op; NULL: doorbell */
/* modify_qp: @state as of now, attributes are in place. Process context. */
void ibt_sq_set_state(struct ibt_qp *qp, enum ib_qp_state state);
/* modify_qp from SQE to RTS, before that. Process context. */
int ibt_sq_resume(struct ibt_qp *qp);
/* All that is queued completes with IB_WC_WR_FLUSH_ERR. */
void ibt_sq_flush(struct ibt_qp *qp);

/* ---- completer.c ------------------------------------------------------------------- */

/* What can be sent when a response has been received. */
enum ibt_send_more {
	IBT_SEND_NOTHING,
	IBT_SEND_HERE,		/* in the receiver's context */
	IBT_SEND_MUCH,		/* by another processor, if one is free; else here */
	IBT_SEND_QUEUED,	/* by the next round: one is running */
};

/* A response packet for @qp. Does not consume @skb. Softirq. */
enum ibt_send_more ibt_completer(struct ibt_qp *qp, const struct ibt_pkt *pkt,
				 struct sk_buff *skb);

/* ---- rx_steer.c ---------------------------------------------------------------------- */

int ibt_lanes_init(struct ibt_dev *dev);
void ibt_lanes_exit(struct ibt_dev *dev);
/* With fewer bytes one is done before another wakes. */
#define IBT_LANES_LEAST	SZ_8K

/* Is a message of so many bytes worth a trip to another processor, if there is one? */
static inline bool ibt_lanes_worth(const struct ibt_dev *dev, u32 bytes)
{
	return dev->num_lanes && bytes >= IBT_LANES_LEAST;
}

/* Receive @skb, which is consumed: a run of packets of @size, or 0: one. */
void ibt_rx_now(struct ibt_port *port, struct sk_buff *skb, u32 size,
		const struct ibt_rx_meta *meta);

/* ---- rx_skb.c, resp_queue.c, ud.c, exec.c ---------------------------------------------- */

int ibt_resp_create(struct ibt_qp *qp);
void ibt_resp_destroy(struct ibt_qp *qp);
/* modify_qp, before anything is changed: 0 or -ENOMEM. May sleep. */
int ibt_resp_reserve(struct ibt_qp *qp, u32 max_dest_rd_atomic);
void ibt_resp_set_state(struct ibt_qp *qp, enum ib_qp_state state);
void ibt_resp_flush(struct ibt_qp *qp);
/* A reference to @skb, or to a copy of the packet @pkt of it alone, or NULL. */
struct sk_buff *ibt_rx_keep(struct sk_buff *skb, const struct ibt_pkt *pkt);
/* A request packet for a connected @qp. Does not consume @skb. Softirq. */
void ibt_responder(struct ibt_qp *qp, const struct ibt_pkt *pkt,
		   struct sk_buff *skb, const struct ibt_rx_meta *meta);
/* A datagram for @qp: SEND_ONLY, with or without immediate. @from: its payload. */
void ibt_ud_receive(struct ibt_qp *qp, const struct ibt_pkt *pkt,
		    struct soft_iter *from, const struct ibt_rx_meta *meta);
/* The same, but a key that is wrong is only told. */
enum ibt_ud_fault ibt_ud_try(struct ibt_qp *qp, const struct ibt_pkt *pkt,
			     struct soft_iter *from,
			     const struct ibt_rx_meta *meta);
/* Count @fault of a packet. */
void ibt_ud_refused(struct ibt_port *port, enum ibt_ud_fault fault,
		    const struct ibt_pkt *pkt, const struct ibt_rx_meta *meta);
void ibt_rx_bad_key(struct ibt_port *port, bool qkey, const struct ibt_pkt *pkt,
		    const struct ibt_rx_meta *meta);
/* To every QP of the group meta->dgid; @pkt, @skb stay the caller's. Softirq. */
void ibt_mcast_receive(struct ibt_port *port, const struct ibt_pkt *pkt,
		       struct sk_buff *skb, const struct ibt_rx_meta *meta);

/**
 * struct ibt_msg - a request, however it came
 * @verb: IBT_SEND, _WRITE, _READ, _CMP_SWAP, _FETCH_ADD, _ATOMIC_WRITE, _FLUSH
 * @extra: 0, IBT_IMM (@imm), IBT_IETH (@inv_rkey)
 * @solicited: the peer's consumer is to be woken
 * @imm: immediate data
 * @inv_rkey: key that the peer is to invalidate
 * @va: address at the peer, of all but a SEND
 * @rkey: its key
 * @placement: (FLUSH) IB_FLUSH_GLOBAL, IB_FLUSH_PERSISTENT; @selectivity: IB_FLUSH_RANGE,
 *	       IB_FLUSH_MR
 * @length: of WRITE, READ, ATOMIC WRITE and FLUSH; of a SEND, if not @whole: so much is
 *	    known to come
 * @whole: it comes straight from the requester: @length is known at once
 * @swap_add: of an atomic; of an ATOMIC WRITE the eight bytes, in the order of memory
 * @compare: of CMP_SWAP
 * @srqn: (XRC) number of the shared receive queue
 */
struct ibt_msg {
	enum ibt_verb verb;
	u16 extra;
	bool solicited;
	bool whole;
	__be32 imm;
	u32 inv_rkey;
	u8 placement;
	u8 selectivity;
	u64 va;
	u32 rkey;
	u32 length;
	u64 swap_add;
	u64 compare;
	u32 srqn;
};

/*
 * Execution at the responder, by packets (responder.c) and without them
 * (local.c). resp.lock of @qp is held. begin: checks the state, the rights, the
 * receive request; data: places bytes, any number of times; end: completes the
 * receive request if there is one. After anything but IBT_DONE (or IBT_RNR)
 * the message in progress is given up; the caller fails the QP if the
 * specification wants it to: ibt_exec_failed(). Only IBT_DROP of data leaves it as
 * it was before: the same bytes may come again.
 */
enum ibt_verdict ibt_exec_begin(struct ibt_qp *qp, const struct ibt_msg *msg);
enum ibt_verdict ibt_exec_data(struct ibt_qp *qp, struct soft_iter *from,
			       u32 length);
enum ibt_verdict ibt_exec_end(struct ibt_qp *qp, const struct ibt_msg *msg);
/* @from: where the answer is; the caller ends it, resp.lock no longer needed. */
enum ibt_verdict ibt_exec_read(struct ibt_qp *qp, const struct ibt_msg *msg,
			       struct soft_iter *from);
/* ATOMIC WRITE and FLUSH too, which have no original: 0. */
enum ibt_verdict ibt_exec_atomic(struct ibt_qp *qp, const struct ibt_msg *msg,
				 u64 *original);
/* What IBA 9.9.3 says happens to the responder's own QP after @verdict. */
void ibt_exec_failed(struct ibt_qp *qp, enum ibt_verdict verdict);
/* A message of @packets packets was executed without them: PSN, MSN follow. */
void ibt_resp_advance(struct ibt_qp *qp, u32 packets);
/* AETH syndrome that says @verdict (RNR: with the QP's timer). */
u8 ibt_resp_syndrome(const struct ibt_qp *qp, enum ibt_verdict verdict);

/* rq.c: a request to receive, copied out of the ring and checked. resp.lock held.
 * IBT_DONE, IBT_RNR (none), IBT_OP_ERROR (malformed: completed in error),
 * IBT_BAD_REQUEST (less than @bytes fit: it stays in the ring).
 */
enum ibt_verdict ibt_rq_take(struct ibt_qp *qp, struct ibt_srq *srq,
			     struct ibt_recv *recv, u32 bytes);
int ibt_rq_create(struct ibt_rq *rq, u32 max_wr, u32 max_sge,
		  struct ib_ucontext *ucontext, struct mminfo *info);
void ibt_rq_destroy(struct ibt_rq *rq);
int ibt_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad);
int ibt_post_srq_recv(struct ib_srq *ib, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad);

/* ---- room.c: queue pairs that wait for the link; any context ------------------------ */

void ibt_room_init(struct ibt_port *port);
/* xmit() said -EAGAIN, when room_seq was @seq: wait on @line, which is one of the
 * port's. False: there has been room since, and @entry is on no list.
 */
bool ibt_room_wait(struct ibt_port *port, struct list_head *line,
		   struct list_head *entry, u32 seq);
void ibt_room_leave(struct ibt_port *port, struct list_head *entry);

/* ---- order.c ------------------------------------------------------------------------ */

/* May packets be sent on this processor? False: on @cpu, which is this one else. */
bool ibt_order_ok(const struct ibt_port *port, int *cpu, bool late);

/* ---- tx.c --------------------------------------------------------------------------- */

/* Room for headers, @length bytes of payload at skb->data, their pad (zeroed) and
 * the ICRC. NULL: no memory.
 */
struct sk_buff *ibt_tx_alloc(const struct ibt_path *path, u32 length,
			     gfp_t gfp);
/* Headers, ICRC, fault injection, link. @pkt: pad is filled in. Consumes @skb.
 * 0 or -EAGAIN as of link.xmit.
 */
int ibt_tx(struct ibt_path *path, struct sk_buff *skb, struct ibt_pkt *pkt,
	   u32 flow);

/* ---- xmit.c ------------------------------------------------------------------------- */

/* link.xmit and its counters: for finished packets, @packets of them in @skb, of
 * @bytes in all.
 */
int ibt_tx_link(struct ibt_path *path, struct sk_buff *skb, u32 packets,
		u32 bytes);

/* ---- run.c: packets to one peer that leave together ------------------------------ */

/**
 * struct ibt_run - packets to one peer that leave as one skb
 * @path: where they go; the caller has a reference
 * @skb: has their headers of the link, and their bytes in page fragments
 * @pages: those fragments, compound pages
 * @num_pages: of them
 * @in_page: packets in each
 * @page_bytes: of each
 * @most: packets there is room for
 * @packets: that are in it
 * @size: bytes of each from BTH to ICRC, but for the last, that has
 * @last: which is not longer
 */
struct ibt_run {
	struct ibt_path *path;
	struct sk_buff *skb;
	struct page *pages[MAX_SKB_FRAGS];
	u32 num_pages;
	u32 in_page;
	u32 page_bytes;
	u32 most;
	u32 packets;
	u32 size;
	u32 last;
};

/**
 * struct ibt_rest - of a message whose next packets are to be sent
 * @next: opcode of the packet that is next, in
 * @middle: those behind it, and
 * @end: the last, as the table has them
 * @left: bytes
 * @mtu: in each packet but the last
 */
struct ibt_rest {
	const struct ibt_opcode *next;
	const struct ibt_opcode *middle;
	const struct ibt_opcode *end;
	u32 left;
	u32 mtu;
};

/* Room for packets of @rest that can leave together by @path, @most of them at most.
 * False: the next is to be sent alone; nothing was begun.
 */
bool ibt_run_begin(struct ibt_run *run, struct ibt_path *path,
		   const struct ibt_rest *rest, u32 most);
/* The same for @most messages of one packet each, of @length bytes. */
bool ibt_run_begin_equal(struct ibt_run *run, struct ibt_path *path,
			 const struct ibt_opcode *op, u32 length, u32 most);
/* Where the payload of the next goes, whose headers are those of @op. */
u8 *ibt_run_room(const struct ibt_run *run, const struct ibt_opcode *op);
/* It is there. @pkt: as of ibt_tx(). */
void ibt_run_add(struct ibt_run *run, struct ibt_pkt *pkt, u32 length);
/* The last one that was added asks for an answer. */
void ibt_run_ask(const struct ibt_run *run);
/* Send what was added; the end of the run. 0 or -EAGAIN as of link.xmit. */
int ibt_run_tx(struct ibt_run *run, u32 flow);
/* Memory that was kept. */
void ibt_runs_exit(void);

/* ---- fault.c: deterministic drop, duplicate, reorder, corrupt ------------------------ */

int ibt_fault_init(struct ibt_dev *dev);
void ibt_fault_exit(struct ibt_dev *dev);
/* What ibt_tx() sends through while injection is on. @bth: offset of the BTH. */
int ibt_fault_tx(struct ibt_path *path, struct sk_buff *skb, u32 bth);

/* ---- ah.c ------------------------------------------------------------------------------ */

struct ibt_route;

/* Where a user's address handle of @pd leads, referenced, or NULL. Any context. */
struct ibt_route *ibt_ah_route(struct ibt_dev *dev, struct ib_pd *pd,
			       u32 number);
/* The same of an address handle of the kernel; never NULL. */
struct ibt_route *ibt_ah_route_of(struct ib_ah *ah);
void ibt_route_put(struct ibt_route *route);	/* any context; NULL is fine */
/* Path of it now, referenced; NULL: there is none. Softirqs are disabled,
 * interrupts are not.
 */
struct ibt_path *ibt_route_path(struct ibt_route *route);

/* ---- srq.c ----------------------------------------------------------------------------- */

static inline struct ibt_srq *to_ibt_srq(struct ib_srq *ib)
{
	return container_of(ib, struct ibt_srq, ib);
}

struct ibt_srq *ibt_srq_find(struct ibt_dev *dev, u32 number);	/* referenced */
void ibt_srq_put(struct ibt_srq *srq);
/* Any context, srq->lock may be held: raise @event from the work. */
void ibt_srq_event(struct ibt_srq *srq, enum ib_event_type event);

/* ---- ops, by file ---------------------------------------------------------------------- */

extern const struct ib_device_ops ibt_verbs_ops;	/* verbs.c */
extern const struct ib_device_ops ibt_qp_ops;		/* qp.c */
extern const struct ib_device_ops ibt_ah_ops;		/* ah.c */
extern const struct ib_device_ops ibt_srq_ops;		/* srq.c */
extern const struct ib_device_ops ibt_mcast_ops;	/* mcast.c */
extern const struct ib_device_ops ibt_stats_ops;	/* stats.c */

/* ---- between verbs.c, qp.c, qp_attr.c, mcast.c ------------------------------------------ */

/* State as a consumer is told: a stopped send side shows as SQE. */
enum ib_qp_state ibt_qp_shown_state(struct ibt_qp *qp);
int ibt_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata);
int ibt_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init);
/* Both sides into the state of @qp, in the right order. attr_lock held. */
void ibt_qp_apply_state(struct ibt_qp *qp);
/* Paths are given back. attr_lock held, or nobody else knows @qp. */
void ibt_qp_drop_paths(struct ibt_qp *qp);
int ibt_groups_init(struct ibt_dev *dev);
void ibt_groups_exit(struct ibt_dev *dev);

extern bool ibt_early;	/* module parameter: see early.c */
extern struct dentry *ibt_debugfs;	/* folder of the module (fault.c) */

#endif /* IBT_H */
