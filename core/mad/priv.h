/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside the MAD layer (IBA vol. 1 chapter 13).
 *
 * A device with MADs has, per port: a PD, one CQ, QP1, and on InfiniBand QP0.
 * Agents are the consumers; a struct mad_send is what they post, a struct
 * mad_recv what they are given.
 *
 *   ib_post_send_mad -> mad_send_list -> mad_transmit -> send queue of a mad_qp
 *        handler   <-  mad_send_list  <-  mad_sent    <- its completion
 *   mad_rx_buf -> mad_recv_packet -> smi, process_mad -> agent (by TID or registration)
 *                                       |-> rmpp_receive -> mad_deliver
 *                                       `-> mad_reply (a work item)
 *
 * Handlers are called from work items (of the port's CQ, of the agent, of local
 * SMPs), without a lock held.
 *
 * Locks; none is taken inside another, but the spinlocks work_lock and
 * mad_agent.lock inside the mutex rmpp_lock:
 *   mad_port.table_lock	guards mad_port.table; process context
 *   mad_agent.lock		guards dying, and sends with the state of each
 *				send; any context
 *   mad_agent.rmpp_lock	guards the list of reassemblies; a mutex
 *   mad_qp.lock		guards what is posted and what waits; any context
 *   mad_port.work_lock		guards replies and locals; any context
 */
#ifndef OFED_CORE_MAD_PRIV_H
#define OFED_CORE_MAD_PRIV_H

#include <linux/completion.h>
#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_mad.h>

#include "trace.h"
#include "rmpp.h"

#define MAD_TID_BITS	6
/* Received MADs that one agent's consumer may keep; what is more is dropped. */
#define MAD_QUOTA	65536

/* wq.c: one work queue for agent timers, replies, local SMPs and restarts of QPs. */

extern struct workqueue_struct *mad_wq;
int mad_wq_init(void);
void mad_wq_exit(void);

/* class.c: what the class of a MAD says. */

struct mad_port;

/* What both sides of a MAD's address are, as far as a match needs it. */
struct mad_peer {
	bool grh;
	u8 path_bits;		/* own, without GRH */
	bool directed;		/* by a directed route: nothing below counts */
	u32 lid;		/* the other's, without GRH */
	union ib_gid own, far;	/* with GRH */
};

bool mad_class_is_smp(u8 mgmt_class);
bool mad_class_has_oui(u8 mgmt_class);
bool mad_valid(const struct ib_mad_hdr *hdr, u32 qp_num, size_t length,
	       bool opa);
size_t mad_full_size(const struct mad_port *port, u8 base_version);
bool mad_peer_match(const struct mad_peer *sent, bool sent_is_response,
		    const struct mad_peer *got, bool got_is_response, u8 lmc);

/* dispatch_table.c: the takers of unsolicited MADs. */

/**
 * struct mad_reg - the unsolicited MADs that an agent wants
 * @node: in mad_table.regs
 * @mgmt_class: class
 * @version: of the class
 * @oui: of vendor classes 0x30 to 0x4f, else 0
 * @methods: without the bit that says "response"
 */
struct mad_reg {
	struct list_head node;
	u8 mgmt_class;
	u8 version;
	u32 oui;
	DECLARE_BITMAP(methods, IB_MGMT_MAX_METHODS);
};

struct mad_table {
	struct list_head regs;
};

void mad_table_init(struct mad_table *table);
int mad_reg_set(struct mad_reg *reg, const struct ib_mad_reg_req *req);
int mad_table_add(struct mad_table *table, struct mad_reg *reg);
void mad_table_del(struct mad_reg *reg);
struct mad_reg *mad_table_find(const struct mad_table *table,
			       const struct ib_mad_hdr *hdr);

/* send_list.c: what becomes of the sends of an agent. */

struct mad_send_list {
	struct list_head live;
	struct list_head finished;
	struct rb_root_cached timers;
	DECLARE_HASHTABLE(by_tid, MAD_TID_BITS);
};

/**
 * struct mad_send - a MAD to send
 * @buf: the consumer's part
 * @agent: holds a reference on it
 * @node: in sends.live, or in sends.finished
 * @by_tid: in sends.by_tid, until the outcome is decided
 * @timer: in sends.timers
 * @deadline: of the timer
 * @timeout: for the response, in jiffies; 0 when none is waited for
 * @tid: as it was posted
 * @retries: that one window or request may take
 * @retries_left: of them
 * @resends: how often the segments without ACK were sent again, since the latest
 *	     retry or ACK
 * @status: outcome
 * @vendor_err: outcome
 * @posted: between ib_post_send_mad() and the handler
 * @timed: @timer is in the tree
 * @flying: a send queue has it, or a thread is about to give it to one
 * @busy: its response is with the receive handler
 * @decided: @status is final
 * @held: the timer ends a delay of the fault hook
 * @lost: the fault hook says that it was sent, and it never will
 * @again: send it once more when it is sent
 * @out: state of an RMPP transfer; unused unless @chunks
 * @segment: number of the segment that flies
 * @chunks: (may be NULL) pages of segment data
 * @segs_per_chunk: how many segments a page holds
 * @pad: unused bytes of the last segment
 * @local: goes to the own port's SMA, not to the QP
 * @image: what goes out
 * @image_len: how much of it
 * @cqe: of the work request
 * @wr: the work request
 * @sge: of the work request
 * @queue: in mad_qp.posted, mad_qp.waiting or mad_port.locals
 * @flushes: how often the QP gave it back unsent
 *
 * agent->lock guards what is between @node and @chunks while @posted; from
 * @chunks on it belongs to the thread that sets @flying.
 */
struct mad_send {
	struct ib_mad_send_buf buf;
	struct mad_agent *agent;

	struct list_head node;
	struct hlist_node by_tid;
	struct rb_node timer;
	unsigned long deadline;
	unsigned long timeout;
	__be64 tid;
	int retries;
	int retries_left;
	u8 resends;
	enum ib_wc_status status;
	u32 vendor_err;
	bool posted;
	bool timed;
	bool flying;
	bool busy;
	bool decided;
	bool held;
	bool lost;
	bool again;
	struct rmpp_out out;
	u32 segment;

	void **chunks;
	u32 segs_per_chunk;
	u32 pad;
	bool local;
	void *image;
	u32 image_len;
	struct ib_cqe cqe;
	struct ib_ud_wr wr;
	struct ib_sge sge;
	struct list_head queue;
	u8 flushes;
};

/* What the caller of a mad_send_list function has to do next. */
enum mad_action {
	MAD_NOTHING,
	MAD_FINISH,		/* call the handler: it is out of the list */
	MAD_TRANSMIT,		/* flying: hand it to a send queue */
	MAD_TRANSMIT_NEXT,	/* the same, the next segment */
	MAD_TRANSMIT_NOW,	/* the same, the fault hook has seen it */
	MAD_SAY_SENT,		/* flying: pretend that it was sent */
};

static inline bool mad_send_is_rmpp(const struct mad_send *send)
{
	return send->chunks;
}

void mad_sends_init(struct mad_send_list *sends);
enum mad_action mad_sends_post(struct mad_send_list *sends, struct mad_send *send,
			       unsigned long timeout, int retries);
void mad_sends_progress(struct mad_send_list *sends, struct mad_send *send,
			unsigned long now);
bool mad_sends_unpost(struct mad_send_list *sends, struct mad_send *send);
bool mad_sends_decide(struct mad_send_list *sends, struct mad_send *send,
		      enum ib_wc_status status, u32 vendor_err);
void mad_sends_settle(struct mad_send_list *sends, struct mad_send *send);
enum mad_action mad_sends_take(struct mad_send *send);
void mad_sends_wait(struct mad_send_list *sends, struct mad_send *send,
		    unsigned long deadline);
enum mad_action mad_sends_sent(struct mad_send_list *sends, struct mad_send *send,
			       enum ib_wc_status status, u32 vendor_err,
			       unsigned long now);
enum mad_action mad_sends_acked(struct mad_send_list *sends, struct mad_send *send,
				enum rmpp_reply reply, unsigned long now);
void mad_sends_hold(struct mad_send_list *sends, struct mad_send *send, bool lost,
		    unsigned long deadline);
int mad_sends_modify(struct mad_send_list *sends, struct mad_send *send,
		     unsigned long timeout, unsigned long now);
void mad_sends_flush(struct mad_send_list *sends);
struct mad_send *mad_sends_find(struct mad_send_list *sends,
				const struct ib_mad_hdr *got,
				bool (*match)(const struct mad_send *send,
					      const void *ctx),
				const void *ctx);
enum mad_action mad_sends_due(struct mad_send_list *sends, unsigned long now,
			      struct mad_send **send);
bool mad_sends_delay(const struct mad_send_list *sends, unsigned long now,
		     unsigned long *delay);

/* agent.c */

/* Counts the received MADs of an agent; outlives it. */
struct mad_quota {
	refcount_t refs;
	atomic_t held;
};

struct mad_agent {
	struct ib_mad_agent pub;
	struct ib_mad_agent_private traced;
	struct mad_port *port;
	struct mad_qp *qp;
	struct mad_reg reg;
	bool registered;
	refcount_t refs;
	struct completion gone;
	struct mad_quota *quota;

	/* Guards dying, armed, armed_for, sends, and what is in it. */
	spinlock_t lock;
	bool dying;
	bool armed;		/* work is due, at armed_for at the latest */
	unsigned long armed_for;
	struct mad_send_list sends;
	struct delayed_work work;

	/* Guards transfers and num_transfers. */
	struct mutex rmpp_lock;
	struct list_head transfers;
	unsigned int num_transfers;
	struct delayed_work rmpp_work;
};

static inline struct mad_agent *to_mad_agent(struct ib_mad_agent *pub)
{
	return container_of(pub, struct mad_agent, pub);
}

/* Give a reference back; mad_agent_destroy() waits for the last one. Any context. */
static inline void mad_agent_put(struct mad_agent *agent)
{
	if (refcount_dec_and_test(&agent->refs))
		complete(&agent->gone);
}

static inline struct mad_send *to_mad_send(struct ib_mad_send_buf *buf)
{
	return container_of(buf, struct mad_send, buf);
}

struct mad_agent *mad_agent_create(struct mad_qp *qp, u8 rmpp_version,
				   ib_mad_send_handler send_handler,
				   ib_mad_recv_handler recv_handler,
				   void *context, u32 flags);
void mad_agent_destroy(struct mad_agent *agent);
struct mad_agent *mad_agent_find(struct mad_qp *qp,
				 const struct ib_mad_hdr *hdr);

/* qp.c: the QPs of a port. */

/* A receive buffer, mapped as long as the QP lives. */
struct mad_rx_buf {
	struct ib_cqe cqe;
	struct mad_qp *qp;
	void *buf;
	u64 dma;
	bool posted;		/* mad_qp.lock */
};

enum mad_qp_state {
	MAD_QP_DOWN,		/* not yet, or no more */
	MAD_QP_UP,
	MAD_QP_BROKEN,		/* in Error, to be restarted; sends wait */
	MAD_QP_LOST,		/* that failed, and is tried again; sends fail */
};

/**
 * struct mad_qp_ops - what a QP does with the MADs that come back from it
 * @received: a valid MAD has come in, which is the callee's from now on
 * @sent: a send is over, and the callee's from now on
 *
 * Both are called in process context without a lock held.
 */
struct mad_qp_ops {
	void (*received)(struct mad_qp *q, struct mad_recv *recv);
	void (*sent)(struct mad_send *send, enum ib_wc_status status,
		     u32 vendor_err);
};

struct mad_qp {
	struct mad_port *port;
	struct ib_qp *qp;
	const struct mad_qp_ops *ops;
	struct mad_agent *reply_agent;
	u32 num_rx_bufs;
	u32 max_sends;
	struct mad_rx_buf *rx_bufs;

	/* Guards state, num_posted, posted, waiting, and mad_rx_buf.posted. */
	spinlock_t lock;
	enum mad_qp_state state;
	u32 num_posted;
	struct list_head posted;
	struct list_head waiting;
	struct delayed_work restart;
	struct delayed_work repost;
};

struct mad_qp *mad_qp_create(struct mad_port *port, enum ib_qp_type type,
			     const struct mad_qp_ops *ops);
int mad_qp_start(struct mad_qp *q);
void mad_qp_stop(struct mad_qp *q);
void mad_qp_free(struct mad_qp *q);
int mad_qp_send(struct mad_qp *q, struct mad_send *send);
u32 mad_qp_num_cqes(const struct ib_device *device);
/* Module parameters. */
extern int mad_send_queue_size;
extern int mad_recv_queue_size;

/* port.c: ports. */

struct mad_port {
	struct ib_device *device;
	u32 num;
	size_t mad_size;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct mad_qp *qp[2];	/* QP0 (may be NULL), QP1 */
	struct ib_mad *reply;	/* of process_mad; for the CQ's work item */

	/* Guards table. */
	spinlock_t table_lock;
	struct mad_table table;

	/* Guards closing, replies, error_replies, num_replies and locals. */
	spinlock_t work_lock;
	bool closing;
	struct list_head replies;
	struct list_head error_replies;
	unsigned int num_replies;
	struct work_struct reply_work;
	struct list_head locals;
	struct work_struct local_work;
};

struct mad_port *mad_port_find(struct ib_device *device, u32 num);

/* send.c */

void mad_sent(struct mad_send *send, enum ib_wc_status status, u32 vendor_err);
void mad_do_action(struct mad_send *send, enum mad_action next);
void mad_agent_arm(struct mad_agent *agent);
void mad_agent_work(struct work_struct *work);
int mad_local_check(struct mad_send *send);

/* buf.c */

/**
 * struct mad_recv - a received MAD, or a segment of one
 * @pub: what the consumer gets; wc points to @wc
 * @wc: copy of the completion
 * @quota: (may be NULL) charged for it
 * @size: bytes of @mad that came; behind them, zeros up to pub.mad_seg_size
 * @grh: header it came with, if @wc says so
 * @mad: the MAD
 */
struct mad_recv {
	struct ib_mad_recv_wc pub;
	struct ib_wc wc;
	struct mad_quota *quota;
	size_t size;
	struct ib_grh grh;
	u8 mad[] __aligned(8);
};

/* Is it a packet of an RMPP transfer? */
static inline bool mad_is_active_rmpp(const struct mad_recv *recv)
{
	const struct ib_rmpp_mad *mad = (const void *)recv->mad;

	return ib_is_mad_class_rmpp(mad->mad_hdr.mgmt_class) &&
	       mad->rmpp_hdr.rmpp_rtime_flags & IB_MGMT_RMPP_FLAG_ACTIVE;
}

static inline struct ib_mad_hdr *mad_recv_hdr(struct mad_recv *recv)
{
	return (struct ib_mad_hdr *)recv->mad;
}

struct mad_recv *mad_recv_alloc(const struct ib_wc *wc,
				const struct ib_grh *grh, const void *mad,
				size_t size, size_t room);
void mad_recv_free(struct mad_recv *recv);
bool mad_recv_charge(struct mad_recv *recv, struct mad_quota *quota);
struct mad_quota *mad_quota_alloc(void);
void mad_quota_put(struct mad_quota *quota);
void *mad_send_segment(const struct mad_send *send, u32 number);
void rmpp_compose(struct mad_send *send);

/* recv.c */

void mad_dispatch(struct mad_qp *q, struct mad_recv *recv);
void mad_route(struct mad_qp *q, struct mad_recv *recv, bool send_error);
void mad_hand_to(struct mad_agent *agent, struct mad_recv *recv);

/* deliver.c */

void mad_deliver(struct mad_agent *agent, struct mad_recv *recv);
struct mad_send *mad_find_send(struct mad_agent *agent,
			       const struct mad_recv *recv);
void mad_recv_peer(const struct mad_port *port, const struct mad_recv *recv,
		   struct mad_peer *peer);

/* reply.c: replies to what was received. */

void mad_reply(struct mad_port *port, const struct mad_recv *recv,
	       const void *mad, size_t size, u16 pkey_index);
void mad_send_error_reply(struct mad_port *port, struct mad_recv *recv);
void mad_reply_work(struct work_struct *work);
int mad_reply_open(struct mad_qp *q);
void mad_reply_close(struct mad_port *port);

/* local_smp.c: SMPs that this port sends to itself. */

void mad_local_work(struct work_struct *work);

/* rmpp_send.c */

void rmpp_control(struct mad_agent *agent, struct mad_recv *recv);
void rmpp_reply(struct mad_agent *agent, const struct mad_recv *recv, u8 type,
		u8 status, u32 segment, u32 window);

/* rmpp_recv.c: mad_agent.transfers. */

void rmpp_receive(struct mad_agent *agent, struct mad_recv *recv);
void rmpp_recv_work(struct work_struct *work);
void rmpp_recv_flush(struct mad_agent *agent);
void rmpp_recv_drop(struct mad_agent *agent, const struct mad_recv *like);

#endif /* OFED_CORE_MAD_PRIV_H */
