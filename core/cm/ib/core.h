/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the InfiniBand CM share.
 *
 * Locks, outermost first; none is held while a consumer is called:
 *   cm_id.lock		  one id (taken with interrupts off)
 *     cm_listeners_lock, cm_sidr_lock, cm_peers_lock	never nested
 *     cm_dev.timewait_lock
 *     the MAD layer's
 * Two ids are never locked at a time.
 *
 * Contexts: a message comes in by the MAD layer's handler, which only queues
 * it. One worker per port takes messages of known connections in their order
 * and never waits; what has to wait (for a neighbour's address) runs on
 * cm_addr_wq. Events are queued on their id, and the id's own worker calls the
 * consumer: one call at a time per id, in order, and never from inside a call
 * that the consumer made. A reply to a message that matches no id runs on
 * cm_unmatched_wq, so that it delays nothing else.
 */
#ifndef OFED_CM_CORE_H
#define OFED_CM_CORE_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/ib_cm.h>

#include "msg.h"
#include "fsm.h"

/*
 * Messages of one port that wait for a worker, or for the delivery of their
 * event: messages of known connections; messages that need an address first,
 * from possibly made-up senders; and replies to messages that match no id.
 */
#define CM_MESSAGES_MOST 4096
#define CM_NEEDS_ADDR_MOST 2048
#define CM_UNMATCHED_MOST 256
/*
 * How many of the second kind are worked on at a time, for one port: each may
 * wait for a neighbour that does not exist, and the other ports shall not.
 */
#define CM_ADDR_AT_A_TIME 64
/* Requests of one listener that wait for the consumer to take their event. */
#define CM_PENDING_MOST 1024
/*
 * Passive ids that are not connected yet: of all listeners, and of one (or of
 * those few that share a bucket). Those of one user: see owner.c.
 */
#define CM_HALF_OPEN_MOST 16384
#define CM_HALF_OPEN_ONE 4096
#define CM_HALF_OPEN_BUCKETS 64

/*
 * Most that a peer's wishes count, exponents: 65 s for TimeWait and for an MRA,
 * 8 s until an unanswered REP is repeated. Memory is held so long.
 */
#define CM_PEER_TIME_MOST 24
#define CM_PEER_REPLY_MOST 21
/* Remote ends of one device in TimeWait; the oldest makes room. */
#define CM_TIMEWAIT_MOST 65536

/* What cm_port.waiting counts; see the limits above. */
enum cm_queue {
	CM_ORDERED,
	CM_NEEDS_ADDR,
	CM_UNMATCHED,
	CM_QUEUES
};

enum cm_counter {
	CM_TX_MESSAGES,
	CM_TX_RETRIES,
	CM_RX_MESSAGES,
	CM_RX_DUPLICATES,
	CM_COUNTERS
};

/**
 * struct cm_port - a port that has a CM
 * @dev: the device
 * @num: number of the port
 * @hi_tid: upper half of transaction ids
 * @agent: NULL before the port's CM starts and after it stops; a sender reads
 *	   it and posts within one RCU read-side section
 * @lock: guards @messages, @addr_queue and @addr_running
 * @messages: of known connections, in the order of their arrival
 * @work: takes @messages
 * @addr_queue: messages that need an address, and wait for their turn
 * @addr_running: how many have it
 * @waiting: struct cm_rx of this port that exist, by enum cm_queue
 * @counters: see stats.c
 */
struct cm_port {
	struct cm_dev *dev;
	u32 num;
	u32 hi_tid;
	struct ib_mad_agent __rcu *agent;
	spinlock_t lock;
	struct list_head messages;
	struct work_struct work;
	struct list_head addr_queue;
	u32 addr_running;
	atomic_t waiting[CM_QUEUES];
	atomic_long_t counters[CM_COUNTERS][CM_ATTRS];
};

/**
 * struct cm_dev - a device with at least one such port
 * @device: valid until the CM's remove() returns, or until cm_device_put()
 * @ref: ids, connections in TimeWait, and the list of devices
 * @node: in the list of devices
 * @self: what messages say of the device
 * @messages: number of struct cm_rx that exist; remove() waits until it is 0
 * @quiet: woken when @messages or @timewaits come to 0
 * @timewait_lock: guards @timewait, @ended, @timewaits and @dying
 * @timewait: struct cm_peer, the oldest first
 * @ended: peers taken from @timewait early, until their work has run
 * @timewaits: how many are in both
 * @dying: TimeWait ends at once
 * @ports: how many there are
 * @port: by number, from rdma_start_port()
 */
struct cm_dev {
	struct ib_device *device;
	struct kref ref;
	struct list_head node;
	struct cm_self self;
	atomic_t messages;
	wait_queue_head_t quiet;
	spinlock_t timewait_lock;
	struct list_head timewait;
	struct list_head ended;
	u32 timewaits;
	bool dying;
	u32 ports;
	struct cm_port port[];
};

/**
 * struct cm_dest - where messages go
 * @port: port to send by, NULL for nowhere
 * @ah: address vector, with a reference on its GID entry
 * @pkey_index: partition
 */
struct cm_dest {
	struct cm_port *port;
	struct rdma_ah_attr ah;
	u16 pkey_index;
};

/**
 * struct cm_av - a path of a connection
 * @to: destination
 * @timeout: local ACK timeout
 * @data_lid: LID that data goes to, 0 when it is the one in @to
 */
struct cm_av {
	struct cm_dest to;
	u8 timeout;
	u16 data_lid;
};

/**
 * struct cm_peer - the remote end of a connection
 * @by_comm: in the tree of (remote comm id, remote CA GUID)
 * @by_qpn: in the tree of (remote QPN, remote CA GUID)
 * @listed: it is in both; guarded with the trees by cm_peers_lock
 * @remote_id: key
 * @guid: key
 * @qpn: key
 * @local_id: the id that it is of
 * @dev: device, referenced while in TimeWait
 * @node: in cm_dev.timewait or cm_dev.ended
 * @work: ends TimeWait
 *
 * In TimeWait it outlives its id, so that the remote QP is not accepted for a
 * new connection before packets of the old one are gone (12.9.8.4).
 */
struct cm_peer {
	struct rb_node by_comm;
	struct rb_node by_qpn;
	bool listed;
	__be32 remote_id;
	__be64 guid;
	u32 qpn;
	__be32 local_id;
	struct cm_dev *dev;
	struct list_head node;
	struct delayed_work work;
};

/**
 * struct cm_event - an event on its way to the consumer
 * @node: in cm_id.events; empty when not under way
 * @event: what the consumer gets
 * @listener: referenced until the consumer has taken a request, or NULL
 * @message: that it came with, or NULL; freed with the event
 */
struct cm_event {
	struct list_head node;
	struct ib_cm_event event;
	struct cm_id *listener;
	struct cm_rx *message;
};

/**
 * struct cm_rx - a received message
 * @port: port it came in by
 * @wc: the MAD layer's, given back at the end
 * @mad: its bytes, or those of the answer to it
 * @node: in cm_port.messages or cm_port.addr_queue
 * @work: on cm_addr_wq or cm_unmatched_wq
 * @event: the event that it makes
 * @path: paths that the event refers to
 * @queue: which of cm_port.waiting counts it
 */
struct cm_rx {
	struct cm_port *port;
	struct ib_mad_recv_wc *wc;
	union cm_mad *mad;
	struct list_head node;
	struct work_struct work;
	struct cm_event event;
	struct sa_path_rec path[2];
	enum cm_queue queue;
};

/**
 * struct cm_saved_reply - the last reply, for a peer that did not get it
 * @attr: which message, CM_ATTRS for none
 * @timeout: of an MRA
 * @len: bytes of @data
 * @data: private data
 */
struct cm_saved_reply {
	enum cm_attr attr;
	u8 timeout;
	u8 len;
	u8 data[IB_CM_RTU_PRIVATE_DATA_SIZE];
};

/**
 * struct cm_sidr_key - what makes a service id request a repeated one
 * @device: device it came in by
 * @gid: of the sender, zero without a GRH
 * @request_id: the sender's
 * @lid: of the sender
 * @port: it came in by
 */
struct cm_sidr_key {
	const struct ib_device *device;
	union ib_gid gid;
	__be32 request_id;
	u32 lid;
	u32 port;
};

/**
 * struct cm_id - a communication id
 * @id: the consumer's part
 * @dev: device, NULL when it has no CM
 * @refs: one of the creator, and one of each thread that found it in a table
 * @gone: completed when @refs becomes zero
 * @lock: guards all that follows, and state, lap_state and remote_id in @id
 * @events: struct cm_event
 * @running: @work is queued or runs, and holds a reference
 * @dying: no more events
 * @unplugged: the device is gone
 * @half_open: bucket that counts it as such, or -1
 * @owner: user that it is counted for as such, or NULL
 * @loaded: the consumer has asked for the alternate path of a LAP
 * @work: calls the consumer
 * @failure: event of a request that got no answer
 * @established: event of ib_cm_notify()
 * @wait_over: event of the end of TimeWait
 * @av: primary path
 * @alt_av: alternate path
 * @reply: where answers go on the passive side: back where the request came
 *	   from. @reply.port is NULL on the active side, which uses @av
 * @request: MAD that is repeated until it is answered
 * @peer: remote end, before TimeWait
 * @timewait: remote end in TimeWait; to compare, not to follow
 * @peer_gid: source GID of the message that carried the peer's communication id
 * @has_peer_gid: @peer_gid identifies the peer, see cm_rx_source()
 * @saved_reply: the last reply
 * @tid: transaction
 * @timeout_ms: until a request is repeated
 * @max_retries: how often it is
 * @qp_type: type of the QP
 * @local_qpn: the QP
 * @remote_qpn: the peer's
 * @sq_psn: first PSN that is sent
 * @rq_psn: first PSN that is expected
 * @pkey: partition
 * @path_mtu: enum ib_mtu
 * @responder_resources: RDMA reads that the peer may have under way
 * @initiator_depth: RDMA reads that the local side may have under way
 * @retry_count: transport retries
 * @rnr_retry_count: RNR retries
 * @target_ack_delay: of the peer
 * @listening: in the tree of listeners, guarded by cm_listeners_lock
 * @shares: ib_cm_insert_listen() calls that share it, same guard; 0 when it is
 *	    not shared
 * @memcg: of a listener: memory cgroup of the program, referenced, or NULL
 * @payer: @memcg, or that above it which all have in common that share the listener, or NULL:
 *	   charged for what requests bring; written under the same guard
 * @pending: requests of a listener that are not taken yet
 * @sidr: in the tree of service id requests, guarded by cm_sidr_lock
 * @sidr_key: its key there
 * @sidr_listed: it is there
 */
struct cm_id {
	struct ib_cm_id id;
	struct cm_dev *dev;
	refcount_t refs;
	struct completion gone;
	spinlock_t lock;

	struct list_head events;
	bool running;
	bool dying;
	bool unplugged;
	int half_open;
	struct ofed_cm_owner *owner;
	bool loaded;
	struct work_struct work;
	struct cm_event failure;
	struct cm_event established;
	struct cm_event wait_over;

	struct cm_av av;
	struct cm_av alt_av;
	struct cm_dest reply;
	struct ib_mad_send_buf *request;
	struct cm_peer *peer;
	struct cm_peer *timewait;
	union ib_gid peer_gid;
	bool has_peer_gid;
	struct cm_saved_reply saved_reply;

	__be64 tid;
	u32 timeout_ms;
	u8 max_retries;
	enum ib_qp_type qp_type;
	u32 local_qpn;
	u32 remote_qpn;
	u32 sq_psn;
	u32 rq_psn;
	__be16 pkey;
	u8 path_mtu;
	u8 responder_resources;
	u8 initiator_depth;
	u8 retry_count;
	u8 rnr_retry_count;
	u8 target_ack_delay;

	struct rb_node listening;
	u32 shares;
	struct mem_cgroup *memcg;
	struct mem_cgroup *payer;
	atomic_t pending;
	struct rb_node sidr;
	struct cm_sidr_key sidr_key;
	bool sidr_listed;
};

static inline struct cm_id *to_cm_id(struct ib_cm_id *id)
{
	return container_of(id, struct cm_id, id);
}

/* Runs the handlers of consumers, which may sleep without limit. */
extern struct workqueue_struct *cm_wq;
/* The ordered part of receiving, and the end of TimeWait: never wait. */
extern struct workqueue_struct *cm_rx_wq;
/* Messages that need an address first. */
extern struct workqueue_struct *cm_addr_wq;
/* Answers without an id, which need an address, too. */
extern struct workqueue_struct *cm_unmatched_wq;

/* device.c: devices; client.c adds and removes them */
struct cm_dev *cm_dev_get(struct ib_device *device);
void cm_dev_put(struct cm_dev *dev);
struct cm_port *cm_dev_port(struct cm_dev *dev, u32 port_num);
bool cm_device_get(struct cm_dev *dev);
void cm_device_put(struct cm_dev *dev);
void cm_dev_add(struct cm_dev *dev);
void cm_dev_del(struct cm_dev *dev);

/* id.c: ids */
struct cm_id *cm_id_new(struct ib_device *device, ib_cm_handler handler,
			void *context, gfp_t gfp);
struct cm_id *cm_id_find(__be32 local_id);
void cm_id_destroy(struct cm_id *id, bool quietly);
void cm_ids_unplug(struct cm_dev *dev);
void cm_ids_init(void);
void cm_ids_exit(void);

static inline void cm_id_hold(struct cm_id *id)
{
	refcount_inc(&id->refs);
}

static inline void cm_id_put(struct cm_id *id)
{
	if (refcount_dec_and_test(&id->refs))
		complete(&id->gone);
}

/* After cm_id_request(): the request is that of the state which begins. */
static inline void cm_id_wait(struct cm_id *id, enum ib_cm_state next)
{
	lockdep_assert_held(&id->lock);
	id->id.state = next;
}

/* av.c: where to */
int cm_av_from_path(struct cm_dev *dev, struct sa_path_rec *path,
		    const struct ib_gid_attr *sgid_attr, struct cm_av *av);
int cm_dest_from_rx(const struct cm_rx *rx, struct cm_dest *dest);
bool cm_rx_source(const struct cm_rx *rx, union ib_gid *gid);
void cm_dest_drop(struct cm_dest *dest);
bool cm_same_address(const struct rdma_ah_attr *a,
		     const struct rdma_ah_attr *b);
void cm_id_drop_paths(struct cm_id *id);

/* state.c: moves */
void cm_id_move(struct cm_id *id, enum ib_cm_state next);
bool cm_half_open_begin(struct cm_id *id, __be64 service_id);

/* owner.c: owners of passive ids that are not connected yet */
bool cm_owner_begin(struct cm_id *id, struct ofed_cm_owner *owner, int room);
void cm_owner_end(struct cm_id *id);

/* peer.c: remote ends */
enum cm_fresh { CM_FRESH, CM_SEEN, CM_QP_IN_USE };
enum cm_fresh cm_peer_list(struct cm_peer *peer, __be32 remote_id, __be64 guid,
			   u32 qpn, __be32 *other);
void cm_peer_unlist(struct cm_peer *peer);
void cm_peer_free(struct cm_peer *peer);
bool cm_peer_find(__be32 remote_id, __be64 guid, __be32 *local_id);
void cm_timewait_begin(struct cm_id *id);
void cm_timewait_flush(struct cm_dev *dev);
void cm_timewait_done(struct cm_peer *peer);

/* timewait.c: its end */
struct cm_peer *cm_peer_new(__be32 local_id, gfp_t gfp);

/* listener.c: the table of listeners */
struct cm_id *cm_listener_get(struct ib_device *device, __be64 service_id);
int cm_listener_add(struct cm_id *id, __be64 service_id);
struct cm_id *cm_listener_add_shared(struct cm_id *id, __be64 service_id);
bool cm_listener_remove(struct cm_id *id);

static inline void cm_listener_put(struct cm_id *listener)
{
	atomic_dec(&listener->pending);
	cm_id_put(listener);
}

/* listen.c */
struct cm_id *cm_request_id(const struct cm_id *listener, bool connects);

/* send.c: sending */
int cm_transmit(const struct cm_dest *dest, u32 remote_qpn,
		const union cm_mad *mad);
int cm_id_reply(struct cm_id *id, const union cm_mad *mad);
const struct cm_fsm_step *cm_id_may_request(const struct cm_id *id, enum cm_input input);
int cm_id_request(struct cm_id *id, const union cm_mad *mad, u32 timeout_ms);
void cm_id_cancel(struct cm_id *id);
void cm_id_address(struct cm_id *id, struct rdma_ah_attr *ah);
void cm_id_msg_ids(const struct cm_id *id, struct cm_msg_ids *ids);
__be64 cm_id_tid(const struct cm_id *id);
void cm_buf_free(struct ib_mad_send_buf *buf);

/* send_done.c */
void cm_mad_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc);

/* id_send.c: messages of an id */
enum cm_msg_kind cm_id_msg_kind(const struct cm_id *id);
void cm_build_id_dreq(struct cm_id *id, union cm_mad *mad, const void *data,
		      u8 len);
int cm_id_send_drep(struct cm_id *id, __be64 tid, const void *data, u8 len);
int cm_id_send_mra(struct cm_id *id, enum cm_msg_kind what, u8 timeout,
		   const void *data, u8 len);
int cm_id_send_sidr_rep(struct cm_id *id, const struct ib_cm_sidr_rep_param *param);
int cm_id_send_rej(struct cm_id *id, const struct cm_rej_info *info);
void cm_id_send_final(struct cm_id *id, enum cm_final_msg msg);
void cm_resend_reply(struct cm_id *id, __be64 tid);
void cm_save_reply(struct cm_id *id, enum cm_attr attr, u8 timeout,
		   const void *data, u8 len);

/* rx.c: received messages */
struct cm_rx *cm_rx_new(struct cm_port *port, struct ib_mad_recv_wc *wc,
			enum cm_queue queue);
void cm_rx_free(struct cm_rx *rx);
u16 cm_rx_pkey(const struct cm_rx *rx);
void cm_rx_count_duplicate(const struct cm_rx *rx);

/* rx_step.c: what they do to an id */
struct cm_id *cm_rx_id(const struct cm_rx *rx);
const struct cm_fsm_step *cm_rx_step(struct cm_rx *rx, struct cm_id *id,
				     enum cm_input input);
bool cm_rx_fits(const struct cm_rx *rx, const struct cm_id *id);
void cm_rx_finish(struct cm_rx *rx, struct cm_id *id,
		  const struct cm_fsm_step *step);
bool cm_rx_reply(struct cm_rx *rx, const union cm_mad *mad);
bool cm_rx_reject(struct cm_rx *rx, const struct cm_dest *to,
		  enum ib_cm_rej_reason reason, const void *ari, u8 ari_len);

/* recv.c: receiving */
void cm_mad_received(struct ib_mad_agent *agent, struct ib_mad_send_buf *send,
		     struct ib_mad_recv_wc *wc);
void cm_port_work(struct work_struct *work);

/* Handlers; true when the event, or the answer, keeps the message. */
bool cm_rx_req(struct cm_rx *rx);		/* req.c, may sleep */
bool cm_rx_rep(struct cm_rx *rx);		/* req.c */
bool cm_rx_sidr_req(struct cm_rx *rx);		/* sidr.c, may sleep */
bool cm_rx_sidr_rep(struct cm_rx *rx);		/* sidr.c */
bool cm_rx_lap(struct cm_rx *rx);		/* lap_recv.c */

/* event.c: events */
static inline void cm_event_init(struct cm_event *ev)
{
	INIT_LIST_HEAD(&ev->node);
	ev->listener = NULL;
	ev->message = NULL;
}

void cm_event_post(struct cm_id *id, struct cm_event *ev);
void cm_event_post_own(struct cm_id *id, struct cm_event *ev,
		       enum ib_cm_event_type type, enum ib_wc_status status);
void cm_event_done(struct cm_event *ev);

/* lap.c: alternate paths */
int cm_lap_migrated(struct cm_id *id);
void cm_lap_reply(struct cm_id *id);

/* sidr_table.c: service id requests that wait */
void cm_sidr_key_make(struct cm_sidr_key *key, const struct cm_rx *rx);
bool cm_sidr_known(const struct cm_sidr_key *key);
bool cm_sidr_list(struct cm_id *id);
void cm_sidr_forget(struct cm_id *id);

static inline void cm_count(struct cm_port *port, enum cm_counter counter,
			    enum cm_attr attr, unsigned int n)
{
	if (attr < CM_ATTRS)
		atomic_long_add(n, &port->counters[counter][attr]);
}

/* stats.c: the files of the counters */
struct cm_port *ofed_cm_port_of(struct ib_device *device, u32 port_num);
extern const struct attribute_group *cm_port_groups[];

#if IS_ENABLED(CONFIG_KUNIT)
extern atomic_t cm_half_open_all;		/* state.c */
struct ofed_cm_owner *cm_owner_get(kuid_t uid);	/* owner.c */
extern struct rb_root cm_peers_by_comm;		/* peer.c */
extern struct rb_root cm_peers_by_qpn;
#endif

#endif /* OFED_CM_CORE_H */
