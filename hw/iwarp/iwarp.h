/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RDMA over TCP: devices, queues, and the two directions of a stream.
 *
 *	out:	verbs, sq, tx, fpdu, socket
 *	in:	socket, rx, rdmap, and from there region, rq, sq, cq
 *	around:	iw_cm, conn (MPA start-up), the stream above, conn (the end)
 *
 * Locks, outermost first:
 *
 * iw_lock (mutex)
 *	list of devices, iw_dev.registered; writers of iw_dev.ndev. Inside rtnl.
 * ports_lock (mutex, cm_listen.c)
 *	sockets that listen.
 * iw_conn.lock (mutex)
 *	the life of a connection: state, cm_id, start-up frames, the socket's
 *	pointer. Held when events go to the iWARP CM, which queues them.
 * iw_listeners_lock (mutex)
 *	who listens by which socket.
 * iw_tx.lock (mutex)
 *	the send side of a stream: what is being built, what waits for the
 *	socket. Only tried for by those who post: who has it goes on for them.
 * the socket's own lock
 *	the receive side of a stream, struct iw_rx. Callbacks of the socket hold
 *	it, in softirq or as its owner; an end of this host that sends to it does,
 *	and has the iw_tx.lock of its own, but no other socket's (near.c).
 *	sk_user_data is a connection as long as its stream is attached, and is
 *	changed under it (iw_conn_attach()).
 * iw_qp.lock (spinlock, irqsave)
 *	state of a queue pair, slots of its send queue, its receive queue, READs
 *	of the peer.
 * iw_srq.lock (spinlock, irqsave)
 *	consumer side of a shared receive queue, producer side of a kernel one.
 * iw_cq.lock (spinlock, irqsave)
 *	producer side of a completion queue, consumer side of a kernel one. No
 *	consumer is called with it.
 */
#ifndef IW_IWARP_H
#define IW_IWARP_H

#include <linux/interrupt.h>
#include <linux/net.h>
#include <linux/workqueue.h>
#include <net/sock.h>
#include <rdma/ib_verbs.h>
#include <rdma/iw_cm.h>
#include <rdma/siw-abi.h>

#include "../soft/ident.h"
#include "../soft/soft.h"
#include "rx.h"
#include "stats.h"
#include "term.h"
#include "wire.h"

enum {
	IW_MAX_PD	= 1 << 16,
	IW_MAX_CQ	= 1 << 16,
	IW_MAX_MR	= 1 << 19,
	IW_MAX_SRQ	= 1 << 16,
	IW_MAX_QP	= 1 << 16,
	IW_MAX_QP_WR	= 1 << 15,
	IW_MAX_SGE	= 16,		/* of kernel consumers; libsiw has 6 */
	IW_MAX_CQE	= 1 << 20,
	IW_MAX_SRQ_WR	= 1 << 17,
	IW_MAX_DEPTH	= 128,		/* READs under way, each direction */
	IW_MAX_INLINE	= SIW_MAX_INLINE,
	IW_MAX_FAST_PAGES = 512,
	IW_SQ_BATCH	= 64,		/* completions under one lock */
};

#define IW_MAX_MSG_BYTES	(1U << 31)

struct iw_stats {
	u64 count[IW_STAT_NUM];
};

/**
 * struct iw_dev - a device
 * @soft: keys, and the core's part
 * @entry: (iw_lock) of the list of devices
 * @ndev: its network device; NULL when that is gone. Readers: RCU
 * @held: the same, referenced until the device is freed
 * @registered: (iw_lock) the core knows it
 * @up: (iw_lock) what the core was told last
 * @downs: (iw_lock) times that it was told that the port is down
 * @announced: the log has a line that it came
 * @guid: its node GUID
 * @gid: the only one: the MAC of @held, or a number made of its name
 * @qps: number -> struct iw_qp
 * @next_qpn: where the search for a free number begins
 * @stats: counters, per CPU
 * @end: unregisters, on behalf of the notifier
 * @reap: takes it out of the list when the core has let go of it
 */
struct iw_dev {
	struct soft_dev soft;
	struct list_head entry;
	struct net_device __rcu *ndev;
	struct net_device *held;
	bool registered;
	bool up;
	u32 downs;
	bool announced;
	struct soft_guid guid;
	union ib_gid gid;
	struct xarray qps;
	u32 next_qpn;
	struct iw_stats __percpu *stats;
	struct work_struct end;
	struct work_struct reap;
};

static inline struct iw_dev *to_iw_dev(struct ib_device *ib)
{
	return container_of(ib, struct iw_dev, soft.ib);
}

static inline void iw_count_add(struct iw_dev *dev, enum iw_stat stat, u64 n)
{
	this_cpu_add(dev->stats->count[stat], n);
}

static inline void iw_count(struct iw_dev *dev, enum iw_stat stat)
{
	iw_count_add(dev, stat, 1);
}

/*
 * What has come since the last call goes to the counters, once for all that TCP had. With
 * the socket's lock.
 */
static inline void iw_rx_count(struct iw_dev *dev, struct iw_rx *rx)
{
	iw_count_add(dev, IW_STAT_RX_FPDUS, rx->fpdus - rx->counted.fpdus);
	iw_count_add(dev, IW_STAT_RX_BYTES, rx->bytes - rx->counted.bytes);
	iw_count_add(dev, IW_STAT_RX_JOINED, rx->joined - rx->counted.joined);
	rx->counted.fpdus = rx->fpdus;
	rx->counted.bytes = rx->bytes;
	rx->counted.joined = rx->joined;
}

/* ---- rings that libsiw maps (ring.c) ------------------------------------------ */

/**
 * struct iw_ring - elements with a flag each that says whose it is
 * @mem: elements, then whatever else fits; hostile where @map is set
 * @map: of a program's ring; NULL: kernel memory
 * @num: elements, a power of 2
 * @bytes: of an element
 * @next: elements that the kernel has used ever
 */
struct iw_ring {
	void *mem;
	struct soft_map *map;
	u32 num;
	u32 bytes;
	u32 next;
};

int iw_ring_alloc(struct iw_ring *ring, u32 num, u32 bytes, u32 extra,
		  struct ib_ucontext *ucontext, u64 *key);
void iw_ring_free(struct iw_ring *ring);

static inline void *iw_ring_at(const struct iw_ring *ring, u32 index)
{
	return ring->mem + (size_t)(index & (ring->num - 1)) * ring->bytes;
}

/* ---- completion queues (cq.c) ------------------------------------------------- */

/**
 * struct iw_cq - completion queue
 * @ib: of the core
 * @ring: struct siw_cqe and, behind them, struct siw_cq_ctrl; of the kernel
 *	  struct ib_wc
 * @lock: see the head of this file
 * @cons: (kernel) completions taken ever
 * @armed: (kernel) what the consumer waits for
 * @overrun: a completion was lost: IB_EVENT_CQ_ERR was sent
 * @notify: (lock) calls of the consumer
 */
struct iw_cq {
	struct ib_cq ib;
	struct iw_ring ring;
	spinlock_t lock;
	u32 cons;
	u8 armed;
	bool overrun;
	struct soft_notify notify;
};

static inline struct iw_cq *to_iw_cq(struct ib_cq *ib)
{
	return container_of(ib, struct iw_cq, ib);
}

void iw_cq_post(struct iw_cq *cq, const struct ib_wc *wc, bool solicited);
bool iw_cq_post_send(struct iw_cq *cq, const struct ib_wc *wc);
bool iw_cq_is_empty(const struct iw_cq *cq);
void iw_cq_forget(struct iw_cq *cq, const struct ib_qp *qp);

/* ---- receive queues (rq.c, srq.c) --------------------------------------------- */

/**
 * struct iw_recv - a receive request, out of its ring
 * @wr_id: the consumer's
 * @num_sge: of @sge
 * @length: bytes of all of them
 * @sge: where the message goes
 */
struct iw_recv {
	u64 wr_id;
	u32 num_sge;
	u32 length;
	struct ib_sge sge[IW_MAX_SGE];
};

/**
 * struct iw_rq - a receive queue
 * @ring: of a program struct siw_rqe, of the kernel struct iw_rqe
 * @post: (kernel) requests posted ever
 * @max_sge: of a request
 */
struct iw_rq {
	struct iw_ring ring;
	u32 post;
	u32 max_sge;
};

/**
 * struct iw_srq - shared receive queue
 * @ib: of the core
 * @rq: the queue
 * @lock: see the head of this file
 * @max_wr: requests that fit
 * @limit: (lock) say so when fewer are left; 0: no more
 * @limit_work: says so
 */
struct iw_srq {
	struct ib_srq ib;
	struct iw_rq rq;
	spinlock_t lock;
	u32 max_wr;
	u32 limit;
	struct work_struct limit_work;
};

static inline struct iw_srq *to_iw_srq(struct ib_srq *ib)
{
	return container_of(ib, struct iw_srq, ib);
}

int iw_rq_alloc(struct iw_rq *rq, u32 max_wr, u32 max_sge,
		struct ib_ucontext *ucontext, u64 *key);
int iw_rq_take(struct iw_rq *rq, struct iw_recv *recv);
int iw_rq_add(struct iw_rq *rq, const struct ib_recv_wr *wr);
bool iw_rq_below(const struct iw_rq *rq, u32 limit);
int iw_srq_take(struct iw_srq *srq, struct iw_recv *recv);

/* ---- queue pairs --------------------------------------------------------------- */

/* RFC 5040 and the verbs of the RDMA consortium, 6.2 */
enum iw_qp_state {
	IW_IDLE,
	IW_RTS,
	IW_CLOSING,
	IW_TERMINATE,
	IW_ERROR,
	IW_QP_STATES,
};

enum iw_slot_state {
	IW_SLOT_POSTED,		/* nothing of it was built */
	IW_SLOT_BUILT,		/* all of it was built, or is being */
	IW_SLOT_ASKED,		/* a READ whose answer has not come */
	IW_SLOT_DONE,
};

/**
 * struct iw_slot - a work request of the send queue
 * @wr_id: the consumer's
 * @opcode: enum ib_wr_opcode
 * @flags: enum ib_send_flags
 * @state: enum iw_slot_state
 * @status: enum ib_wc_status, known before its turn, or when it is done
 * @num_sge: of @sge
 * @rkey: of RDMA; of what is to be invalidated
 * @raddr: of RDMA
 * @length: bytes of the message
 * @got: (READ) bytes of the answer so far
 * @msn: (READ, atomic) of the request
 * @imm: (WRITE_WITH_IMM)
 * @mr: (REG_MR)
 * @access: (REG_MR)
 * @sge: local memory
 * @data: inline
 * @sink: (atomic) the only one of @sge
 * @operand: (atomic) to add, or to compare with
 * @swap: (atomic)
 */
struct iw_slot {
	u64 wr_id;
	u8 opcode;
	u8 state;
	u8 status;
	u8 num_sge;
	u32 flags;
	u32 rkey;
	u32 length;
	u64 raddr;
	union {
		struct {
			u32 got;
			u32 msn;
		};
		__be32 imm;
		struct {
			struct ib_mr *mr;
			int access;
		};
	};
	union {
		DECLARE_FLEX_ARRAY(struct ib_sge, sge);
		DECLARE_FLEX_ARRAY(u8, data);
		struct {
			struct ib_sge sink;
			u64 operand;
			u64 swap;
		};
	};
};

/**
 * struct iw_sq - send queue; guarded by iw_qp.lock
 * @ring: (program) struct siw_sqe
 * @slots: requests, out of the consumer's reach
 * @num: of @slots, a power of 2
 * @stride: bytes of a slot
 * @max_sge: of a request
 * @una: oldest slot that is not complete
 * @next: the one whose turn to be sent it is
 * @head: behind the newest
 * @reads: READs and atomics without an answer
 * @ord: how many of them there may be
 * @flushing: somebody flushes, and this many of a program at most; 0: nobody
 * @failed: a request was flushed that had not been done
 * @hold: completions of @una and on that find the CQ full. Their requests are done
 *
 *	una  <=  next  <=  head  <=  una + num
 */
struct iw_sq {
	struct iw_ring ring;
	void *slots;
	u32 num;
	u32 stride;
	u32 max_sge;
	u32 una;
	u32 next;
	u32 head;
	u32 reads;
	u32 ord;
	u32 flushing;
	bool failed;
	struct soft_hold hold;
};

/**
 * struct iw_ask - a READ or an atomic of the peer, not answered
 * @atomic: it is one
 * @op: (@atomic) enum iw_atomic_op
 * @id: (@atomic) what the answer says
 * @sink_stag: where the answer goes, in the peer's words
 * @sink_to: likewise
 * @add_swap: (@atomic)
 * @add_swap_mask: (@atomic)
 * @compare: (@atomic)
 * @compare_mask: (@atomic)
 * @source_stag: our key
 * @source_to: address of the first byte, as that key counts
 * @size: bytes
 */
struct iw_ask {
	bool atomic;
	u8 op;
	union {
		u32 sink_stag;
		u32 id;
	};
	u32 source_stag;
	u32 size;
	u64 source_to;
	union {
		u64 sink_to;
		u64 add_swap;
	};
	u64 add_swap_mask;
	u64 compare;
	u64 compare_mask;
};

/**
 * struct iw_asks - READs and atomics of the peer; guarded by iw_qp.lock
 * @ring: @num of them
 * @num: IRD
 * @head: asked ever
 * @tail: answers that are built
 */
struct iw_asks {
	struct iw_ask *ring;
	u32 num;
	u32 head;
	u32 tail;
};

#define IW_TX_VECS 16

enum iw_tx_kind { IW_TX_NONE, IW_TX_SLOT, IW_TX_IMM, IW_TX_ANSWER };

/**
 * struct iw_tx - the send side of a stream; guarded by @lock
 * @lock: see the head of this file
 * @wanted: bit 0: look again, somebody has something to send
 * @work: sends where the poster may not, and when the socket has room again
 * @left: when a doorbell was left to @work; ns, without a lock
 * @page: where FPDUs are built; those before @used belong to the socket
 * @page_bytes: of @page
 * @used: of @page
 * @vec: bytes that are built, and that the socket has not taken
 * @first: of @vec
 * @num: of @vec, from 0
 * @sock: where to; NULL: there is no stream
 * @far: socket of the other end, if FPDUs may go there directly (near.c)
 * @near: receive side of the other end, while its socket is locked by us
 * @near_bytes: of FPDUs that went there since it is
 * @near_total: of all that went there
 * @built: slots up to here are in @vec completely, or left already
 * @sent: slots up to here have left
 * @crc: put a CRC in
 * @max_ulpdu: payload and header that fit
 * @msn: of the next message, by queue
 * @kind: what the message in progress is
 * @from: bytes of the message in progress
 * @hdr: how it goes on
 * @offset: bytes of it that are built
 * @length: bytes of it
 * @answers: it is the turn of an answer
 */
struct iw_tx {
	struct mutex lock;
	unsigned long wanted;
	struct work_struct work;
	u64 left;
	struct page *page;
	u32 page_bytes;
	u32 used;
	struct bio_vec vec[IW_TX_VECS];
	u32 first;
	u32 num;
	struct socket *sock;
	struct sock *far;
	struct iw_rx *near;
	u32 near_bytes;
	u64 near_total;
	u32 built;
	u32 sent;
	bool crc;
	u32 max_ulpdu;
	u32 msn[IW_QNS];
	enum iw_tx_kind kind;
	struct soft_iter from;
	struct iw_tx_hdr {
		u8 rdmap;
		bool tagged;
		u32 stag;	/* or the ULP word */
		u64 to;
		u32 qn;
		u32 msn;
	} hdr;
	u32 offset;
	u32 length;
	bool answers;
};

/**
 * struct iw_qp - queue pair
 * @ib: of the core
 * @refs: who may call in: the connection, the iWARP CM
 * @handed: of @refs, those that the iWARP CM has got and not asked for yet
 * @released: completed by the last of @refs
 * @lock: see the head of this file
 * @state: (lock)
 * @ib_state: (lock) what the consumer has made of IW_IDLE
 * @access: (lock) what a peer may do, besides his key; 0: whatever the key says
 * @conn: (lock) its connection, referenced
 * @barred: (lock) it gets none any more
 * @sig_all: every request has a completion
 * @sq: send queue
 * @rq: receive queue, without @srq
 * @srq: shared receive queue
 * @asks: READs of the peer
 * @term: (lock) what ends the stream; the first one counts
 * @has_term: (lock) there is one
 * @events: BIT(enum ib_event_type) that @event_work is to tell of
 * @event_work: tells the consumer of them
 * @tx: send side of the stream
 * @rx: receive side of the stream; the socket's lock
 */
struct iw_qp {
	struct ib_qp ib;
	refcount_t refs;
	atomic_t handed;
	struct completion released;
	spinlock_t lock;
	enum iw_qp_state state;
	enum ib_qp_state ib_state;
	int access;
	struct iw_conn *conn;
	bool barred;
	bool sig_all;
	struct iw_sq sq;
	struct iw_rq rq;
	struct iw_srq *srq;
	struct iw_asks asks;
	struct iw_term_msg term;
	bool has_term;
	unsigned long events;
	struct work_struct event_work;
	struct iw_tx tx;
	struct iw_rx rx;
};

static inline struct iw_qp *to_iw_qp(struct ib_qp *ib)
{
	return container_of(ib, struct iw_qp, ib);
}

static inline struct iw_dev *iw_qp_dev(const struct iw_qp *qp)
{
	return to_iw_dev(qp->ib.device);
}

static inline struct soft_mem *iw_qp_mem(const struct iw_qp *qp)
{
	return &iw_qp_dev(qp)->soft.mem;
}

static inline bool iw_slot_is_atomic(const struct iw_slot *slot)
{
	return slot->opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
	       slot->opcode == IB_WR_ATOMIC_FETCH_AND_ADD;
}

/* What is wrong with its SGEs, whose bytes become its length. */
static inline u8 iw_slot_add_up(struct iw_slot *slot)
{
	u64 total = 0;
	u32 i;

	for (i = 0; i < slot->num_sge; i++)
		total += slot->sge[i].length;
	slot->length = total;
	return total > IW_MAX_MSG_BYTES ? IB_WC_LOC_LEN_ERR : IB_WC_SUCCESS;
}

static inline struct iw_slot *iw_slot_at(const struct iw_sq *sq, u32 index)
{
	return sq->slots + (size_t)(index & (sq->num - 1)) * sq->stride;
}

static inline void iw_qp_get(struct iw_qp *qp)
{
	refcount_inc(&qp->refs);
}

/* Any context. */
static inline void iw_qp_put(struct iw_qp *qp)
{
	if (refcount_dec_and_test(&qp->refs))
		complete(&qp->released);
}

/* qp_fail.c */
void iw_qp_tell_conn(struct iw_qp *qp);
void iw_qp_fail(struct iw_qp *qp, enum iw_term what,
		const struct iw_term_msg *about);
void iw_qp_hear(struct iw_qp *qp, bool tell);
void iw_qp_events_init(struct iw_qp *qp);
void iw_qp_event(struct iw_qp *qp, enum ib_event_type type);

/* conn_qp.c */
void iw_qp_flush(struct iw_qp *qp);

/* sq.c */
int iw_sq_alloc(struct iw_qp *qp, const struct ib_qp_init_attr *init,
		struct ib_ucontext *ucontext, u64 *key);
void iw_sq_free(struct iw_sq *sq);
bool iw_sq_take_user(struct iw_qp *qp);
void iw_sq_init(struct iw_sq *sq);
bool iw_sq_complete(struct iw_qp *qp);
void iw_sq_flush(struct iw_qp *qp);
void iw_slot_done(struct iw_qp *qp, struct iw_slot *slot, u8 status);
struct iw_slot *iw_sq_find_read(struct iw_qp *qp,
				bool (*fits)(const struct iw_slot *slot,
					     const void *arg),
				const void *arg);
bool iw_sq_claim_flush(struct iw_qp *qp);
bool iw_sq_flush_some(struct iw_qp *qp);

/* post.c */
int iw_post_send(struct ib_qp *ib, const struct ib_send_wr *wr,
		 const struct ib_send_wr **bad);

/* recv.c */
int iw_post_recv(struct ib_qp *ib, const struct ib_recv_wr *wr,
		 const struct ib_recv_wr **bad);
int iw_qp_take_recv(struct iw_qp *qp, struct iw_recv *recv);
void iw_recv_done(struct iw_qp *qp, u64 wr_id, u8 status, u32 bytes,
		  u32 *invalidated, bool solicited);
void iw_recv_imm(struct iw_qp *qp, u64 wr_id, u32 bytes, __be32 imm,
		 bool solicited);
void iw_rq_flush(struct iw_qp *qp);

/* bell.c */
void iw_bell_user(struct iw_qp *qp);

/* tx.c, fpdu.c */
void iw_tx_init(struct iw_qp *qp);
void iw_tx_exit(struct iw_qp *qp);
void iw_tx_run(struct iw_qp *qp);
bool iw_tx_idle(struct iw_qp *qp);
u32 iw_fpdu_header(const struct iw_tx *tx, u8 *to, u32 bytes, bool last);
u32 iw_fpdu_payload(const struct iw_tx *tx);
int iw_fpdu_build(struct iw_qp *qp, struct iw_tx *tx);
int iw_fpdu_control(struct iw_qp *qp, const void *fpdu, u32 bytes);
int iw_tx_push(struct iw_qp *qp);
void iw_tx_drop(struct iw_tx *tx);

/* near.c */
bool iw_near_begin(struct iw_qp *qp);
u32 iw_near_end(struct iw_qp *qp);
int iw_near_build(struct iw_qp *qp);
void iw_near_control(struct iw_qp *qp, const void *fpdu, u32 bytes);

/**
 * iw_tx_control - an FPDU that is there already, to where those of messages go now
 * @qp: queue pair; tx.lock is held
 * @fpdu: from the length on, which is not set
 * @bytes: of @fpdu
 *
 * Context: process, may sleep. Return: 0, -ENOSPC or -ENOMEM.
 */
static inline int iw_tx_control(struct iw_qp *qp, const void *fpdu, u32 bytes)
{
	if (!qp->tx.near)
		return iw_fpdu_control(qp, fpdu, bytes);
	iw_near_control(qp, fpdu, bytes);
	return 0;
}

/* tx_control.c */
int iw_tx_rtr(struct iw_qp *qp, u16 how);
void iw_tx_terminate(struct iw_qp *qp);

/* atomic_tx.c, atomic.c */
int iw_atomic_ask(struct iw_qp *qp, const struct iw_slot *slot);
int iw_imm_send(struct iw_qp *qp, const struct iw_slot *slot);
u64 iw_atomic_outcome(const struct iw_ask *ask, u64 was);
int iw_atomic_answer(struct iw_qp *qp, const struct iw_ask *ask);

/* rx.c, rdmap.c */
void iw_rdmap_rx(struct iw_rx *rx, const struct iw_view *view);
void iw_rdmap_bad_crc(struct iw_rx *rx);

/* crc.c */
void iw_crc_choose(char *name, size_t size);
void iw_crc_end(void);
u32 iw_crc(u32 crc, const void *bytes, u32 length);

/* What the files with ops give to the device. */
extern const struct ib_device_ops iw_verbs_ops;
extern const struct ib_device_ops iw_cq_ops;
extern const struct ib_device_ops iw_qp_ops;
extern const struct ib_device_ops iw_srq_ops;
extern const struct ib_device_ops iw_cm_ops;
extern const struct ib_device_ops iw_stats_ops;

/* wq.c */
extern struct workqueue_struct *iw_wq;
int iw_wq_init(void);
void iw_wq_exit(void);
void iw_tx_kick(struct iw_qp *qp);

/* dev.c */
extern struct mutex iw_lock;
extern struct list_head iw_devices;
void iw_dev_init(struct iw_dev *dev);
void iw_unregister(struct iw_dev *dev);
void iw_dev_reap(struct iw_dev *dev);
int iw_devs_init(void);
void iw_devs_exit(void);

/* netdev.c */
int iw_attach(struct iw_dev *dev, struct net_device *ndev);
void iw_detach(struct iw_dev *dev);
bool iw_publish(struct iw_dev *dev);
struct net_device *iw_get_ndev(struct iw_dev *dev);
struct net *iw_get_net(struct iw_dev *dev);
int iw_netdev_init(void);
void iw_netdev_exit(void);

/* cm_listen.c */
int iw_create_listen(struct iw_cm_id *cm_id, int backlog);
int iw_destroy_listen(struct iw_cm_id *cm_id);

#endif /* IW_IWARP_H */
