/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rdma_cm: connections between IP addresses, over the IB CM or the iWARP CM
 * (<rdma/rdma_cm.h>, <ofed/cma.h>). It may use every folder of core/: nldev, the
 * two CMs, and those below them.
 *
 * Files, the lowest first: state.c (state x move, pure), sockaddr.c and hdr.c
 * (addresses and the private data that carries them, pure), dev_list.c (the
 * devices), res.c, event.c (moves and events of an id), qp.c, option.c,
 * service_rec.c (pure), device.c (which device has an address), bind.c (port spaces), neigh.c
 * (neighbours that are watched), listener.c (the listens there are), mcast.c,
 * end.c (the end of an id), netdev.c (interfaces and neighbours that change),
 * id.c (making an id), match.c (finds the listener of a request), ib.c, sidr.c,
 * request.c (IB requests), iw.c (events and messages of each CM), addr.c,
 * service.c, route.c, listen.c, connect.c (calls that choose between the CMs), configfs.c,
 * cma.c (start, devices that come and go).
 *
 * Locks, the outermost first:
 *
 *   cma_id.handler_mutex
 *	Held while the handler of the consumer runs, and over every change that
 *	must not cross such a run. Of two ids, that of a listening id is taken
 *	before that of a connection it is asked for.
 *   cma_listen_mutex
 *	While wildcard listens and devices are brought together. Its holder
 *	waits for no handler, so it is never held while a listen is ended.
 *   cma_mutex
 *	Guards the list of devices, which ids and listeners a device has, the
 *	port tables, and the lists of wildcard and of multicast ids. The rtnl is
 *	not taken under it.
 *   cma_id.qp_mutex
 *	Guards pub.qp and makes one of the steps of a QP transition.
 *   cma_id.lock
 *	Guards the state of an id, its bits and its options. Innermost.
 *   neigh_lock (neigh.c)
 *	Guards the table of watched neighbours. Innermost.
 */
#ifndef OFED_CM_CMA_H
#define OFED_CM_CMA_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <ofed/restrack.h>
#include <rdma/ib_cm.h>
#include <rdma/iw_cm.h>
#include <rdma/rdma_cm.h>

#include "state.h"

int ofed_cma_init(void);
void ofed_cma_exit(void);

/* As code of IBA vol. 1 ch. 12.7.34: 4.096 us << 20, about four seconds. */
#define CMA_CM_TIMEOUT 20
#define CMA_CM_RETRIES 15
/* RoCE has no subnet manager that would tell: 4.096 us << 16, 268 ms. */
#define CMA_ROCE_LIFETIME 16
/* Counts of REQ and REP that are three bits wide. */
#define CMA_MAX_3BIT 7

struct cma_dev;
struct cma_id;

/**
 * struct cma_res - a line of 'rdma resource show cm_id'
 * @tracked: entry of the device's table
 * @id: the id that it describes; a wildcard listen has one line for each device
 */
struct cma_res {
	struct ofed_tracked tracked;
	struct cma_id *id;
};

/**
 * struct cma_step - the one query an id has under way
 * @work: brings the answer to the consumer
 * @finish: called with the handler_mutex held; fills the event, or returns
 *	    false when the consumer does not wait for the answer any more
 * @status: 0 or an errno, handed to @finish
 *
 * There is one, since the state machine allows one query at a time. Written
 * by the thread that brings the query to its end, before @work is queued.
 */
struct cma_step {
	struct work_struct work;
	bool (*finish)(struct cma_id *id, int status,
		       struct rdma_cm_event *event);
	int status;
};

/**
 * struct cma_id - a communication identifier
 * @pub: what the consumer sees
 * @res: its line in the table of resources, once it has a device
 * @refs: one of the owner, and one of each thread or query that may still call
 *	  the handler. Destruction waits for them
 * @unused: done when @refs is zero
 * @handler_mutex: held while the handler runs, see "Locks" above
 * @qp_mutex: guards pub.qp and QP transitions, see "Locks" above
 * @lock: guards changes of @state, and the bits and values from @tos on
 * @state: enum cma_state; read by READ_ONCE() where a moment's truth will do
 * @cdev: device, NULL before one is known; set once, under cma_mutex
 * @on_dev: in cdev->ids; cma_mutex
 * @port: owners of the local port, or NULL; cma_mutex
 * @on_port: in port->owners; cma_mutex
 * @on_any: in the list of wildcard listens; cma_mutex
 * @any_seq: place in that list, which is in order of it
 * @listeners: struct cma_listener, one for each device; cma_mutex
 * @backlog: of rdma_listen()
 * @ib: connection, of a device with the IB CM
 * @iw: the same of an iWARP device. Set with the handler_mutex held
 * @step: query under way
 * @sa_query: SA query of paths or of services, for its cancellation
 * @sa_query_id: and its number
 * @found_src: local address that the route to the destination has
 * @wish_if: interface that the consumer's address names, or 0
 * @mcast: struct cma_mcast, the groups joined; cma_mutex
 * @end_work: destruction after a group's handler has asked for it: it waits for
 *	      that handler, so it can not run within
 * @end_was: state that @end_work ends
 * @moved_work: reports that the interface has another address
 * @on_neigh: in the table of neighbours to watch; neigh_lock
 * @watched: is in that table; neigh_lock
 * @seq_num: first PSN that the peer shall send
 * @qp_num: number of the QP, made by rdma_create_qp() or by the consumer
 * @qkey: Q_Key, 0 as long as it is not known
 * @srq: the QP takes receives from a shared queue
 * @memcg: memory cgroup of the program, charged for what requests bring it; NULL for ids of
 *	   the kernel and for those that a request has brought
 * @owner: user of the program, counted for requests that are not connected yet; NULL as @memcg
 * @ece: enhanced connection establishment, of the local side
 * @tos: type of service, ...
 * @tos_set: ... when this is set; or else that of the port
 * @ack_timeout: local ACK timeout, ...
 * @ack_timeout_set: ... when this is set; or else what the CM says
 * @min_rnr: minimum RNR NAK timer, ...
 * @min_rnr_set: ... when this is set; or else what the CM says
 * @reuse: shares its port with others that have this set, until it listens
 * @afonly: has nothing to do with the other IP family
 * @afonly_set: the consumer said so, not the namespace
 * @node_type: enum rdma_node_type of the devices it may have, RDMA_NODE_UNSPECIFIED for all; set
 *	       before it has an address
 */
struct cma_id {
	struct rdma_cm_id pub;
	struct cma_res res;

	refcount_t refs;
	struct completion unused;
	/* Orders the calls of the handler. */
	struct mutex handler_mutex;
	/* Guards pub.qp. */
	struct mutex qp_mutex;
	/* Guards what is listed above. */
	spinlock_t lock;
	enum cma_state state;

	struct cma_dev *cdev;
	struct list_head on_dev;
	struct cma_port *port;
	struct hlist_node on_port;

	struct list_head on_any;
	u64 any_seq;
	struct list_head listeners;
	int backlog;

	union {
		struct ib_cm_id *ib;
		struct iw_cm_id *iw;
	};
	struct cma_step step;
	struct ib_sa_query *sa_query;
	int sa_query_id;
	struct sockaddr_in6 found_src;
	int wish_if;

	struct list_head mcast;
	struct work_struct end_work;
	enum cma_state end_was;
	struct work_struct moved_work;
	struct hlist_node on_neigh;
	bool watched;

	u32 seq_num;
	u32 qp_num;
	u32 qkey;
	bool srq;
	struct mem_cgroup *memcg;
	struct ofed_cm_owner *owner;
	struct rdma_ucm_ece ece;
	u8 tos;
	u8 ack_timeout;
	u8 min_rnr;
	bool tos_set : 1;
	bool ack_timeout_set : 1;
	bool min_rnr_set : 1;
	bool reuse : 1;
	bool afonly : 1;
	bool afonly_set : 1;
	u8 node_type;
};

static inline struct cma_id *cma_id_of(struct rdma_cm_id *pub)
{
	return container_of(pub, struct cma_id, pub);
}

static inline struct sockaddr *cma_src(struct cma_id *id)
{
	return (struct sockaddr *)&id->pub.route.addr.src_addr;
}

static inline struct sockaddr *cma_dst(struct cma_id *id)
{
	return (struct sockaddr *)&id->pub.route.addr.dst_addr;
}

static inline struct rdma_dev_addr *cma_l2(struct cma_id *id)
{
	return &id->pub.route.addr.dev_addr;
}

static inline struct net *cma_net(struct cma_id *id)
{
	return id->pub.route.addr.dev_addr.net;
}

static inline sa_family_t cma_family(struct cma_id *id)
{
	return cma_src(id)->sa_family;
}

static inline enum cma_state cma_state_of(struct cma_id *id)
{
	return READ_ONCE(id->state);
}

/*
 * NULL before there is one. A reader that sees the device sees the id's port as
 * well, even without a lock.
 */
static inline struct ib_device *cma_device(const struct cma_id *id)
{
	/* Pairs with the one that sets it, after the port. */
	return smp_load_acquire(&id->pub.device);
}

/* Which CM carries the connections of an id; neither, without a device. */
static inline bool cma_uses_ib(const struct cma_id *id)
{
	struct ib_device *device = cma_device(id);

	return device && rdma_cap_ib_cm(device, id->pub.port_num);
}

static inline bool cma_uses_iw(const struct cma_id *id)
{
	struct ib_device *device = cma_device(id);

	return device && rdma_cap_iw_cm(device, id->pub.port_num);
}

static inline bool cma_on_roce(const struct cma_id *id)
{
	struct ib_device *device = cma_device(id);

	return device && rdma_protocol_roce(device, id->pub.port_num);
}

/* May an id have a device of this type? */
static inline bool cma_takes_node(const struct cma_id *id, u8 node_type)
{
	return id->node_type == RDMA_NODE_UNSPECIFIED || id->node_type == node_type;
}

/**
 * struct cma_port_config - what configfs sets for a port
 * @gid_type: enum ib_gid_type of RoCE connections that have the choice
 * @tos: type of service of ids that set none
 */
struct cma_port_config {
	u8 gid_type;
	u8 tos;
};

/**
 * struct cma_dev - a device
 * @list: in cma_devices; cma_mutex
 * @seq: place in that list, which is in order of it
 * @device: the device
 * @refs: one of the list, one of each id and listener, one of each thread that
 *	  uses the device
 * @unused: done when @refs is zero
 * @ids: ids that have the device; cma_mutex
 * @listeners: struct cma_listener; cma_mutex
 * @closing: takes no more ids of programs; cma_mutex
 * @gone: takes no more of both; cma_mutex
 * @ports: one for each port, from rdma_start_port() on
 */
struct cma_dev {
	struct list_head list;
	u64 seq;
	struct ib_device *device;
	refcount_t refs;
	struct completion unused;
	struct list_head ids;
	struct list_head listeners;
	bool closing;
	bool gone;
	struct cma_port_config ports[];
};

static inline struct cma_port_config *cma_port_config(struct cma_dev *cdev,
						      u32 port)
{
	return &cdev->ports[port - rdma_start_port(cdev->device)];
}

/**
 * struct cma_listener - one id listening on one device
 * @id: the id, referenced
 * @cdev: the device, referenced
 * @on_id: in id->listeners; cma_mutex
 * @on_dev: in cdev->listeners; cma_mutex. The thread that takes the listener
 *	    off both lists ends it
 * @ib: listen of the IB CM, shared with others of the same service id
 * @iw: or of the iWARP CM
 * @res: line in the table of resources, for a wildcard listen
 */
struct cma_listener {
	struct cma_id *id;
	struct cma_dev *cdev;
	struct list_head on_id;
	struct list_head on_dev;
	union {
		struct ib_cm_id *ib;
		struct iw_cm_id *iw;
	};
	struct cma_res res;
};

/* dev_list.c */
extern struct workqueue_struct *cma_wq;
extern struct ib_sa_client cma_sa_client;
extern struct mutex cma_mutex;
extern struct mutex cma_listen_mutex;

extern struct list_head cma_devices;

struct cma_dev *cma_dev_next(u64 *seq);
struct cma_dev *cma_dev_of_locked(const struct ib_device *device);
struct cma_dev *cma_dev_by_name(const char *name);
void cma_dev_put(struct cma_dev *cdev);
void cma_for_each_id(void (*fn)(struct cma_id *id, void *ctx), void *ctx);

static inline void cma_id_get(struct cma_id *id)
{
	refcount_inc(&id->refs);
}

/* Context: any. */
static inline void cma_id_put(struct cma_id *id)
{
	if (refcount_dec_and_test(&id->refs))
		complete(&id->unused);
}

/* event.c */
int cma_move(struct cma_id *id, enum cma_move move);
int cma_move_from(struct cma_id *id, enum cma_move move);
int cma_report(struct cma_id *id, struct rdma_cm_event *event);
void cma_end_later(struct cma_id *id);
void cma_step_start(struct cma_id *id, int status,
		    bool (*finish)(struct cma_id *id, int status,
				   struct rdma_cm_event *event));

/* end.c */
void cma_report_unlock_put(struct cma_id *id, struct rdma_cm_event *event);
void cma_end(struct cma_id *id, enum cma_state was);
void cma_end_unlock(struct cma_id *id);
int cma_finish_callback(struct cma_id *id, int ret);
void cma_id_removed_put(struct cma_id *id);

/* id.c */
struct cma_id *cma_id_child(struct cma_id *parent);

/*
 * For memory of a request to @listener, with its cgroup active. A peer repeats a request that
 * there is no memory for, so no process is killed for it.
 */
static inline gfp_t cma_request_gfp(const struct cma_id *listener)
{
	return listener->memcg ? GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN : GFP_KERNEL;
}

/* sockaddr.c: all of it pure. */
bool cma_is_zero(const struct sockaddr *addr);
bool cma_is_loopback(const struct sockaddr *addr);
bool cma_is_any(const struct sockaddr *addr);
bool cma_same_address(const struct sockaddr *a, const struct sockaddr *b);
bool cma_is_link_local(const struct sockaddr *addr);
void cma_copy_address(struct sockaddr *to, const struct sockaddr *from);
void cma_set_loopback(struct sockaddr *addr);
__be16 cma_port_of(const struct sockaddr *addr);
void cma_set_port(struct sockaddr *addr, __be16 port);
__be64 cma_service_id(enum rdma_ucm_port_space ps, const struct sockaddr *addr);
enum rdma_ucm_port_space cma_space_of_service(__be64 service_id);
__be16 cma_port_of_service(__be64 service_id);
void cma_mgid_ib(const struct sockaddr *addr, const u8 *broadcast,
		 enum rdma_ucm_port_space ps, union ib_gid *mgid);
void cma_mgid_roce(const struct sockaddr *addr, enum ib_gid_type type,
		   union ib_gid *mgid);

/* hdr.c: all of it pure. */
#define CMA_HDR_SIZE 36
size_t cma_hdr_room(sa_family_t family);
int cma_hdr_build(void *data, const struct sockaddr *src,
		  const struct sockaddr *dst);
int cma_hdr_parse(const void *data, __be64 service_id, struct sockaddr *local,
		  struct sockaddr *remote);
void *cma_private_data(struct cma_id *id, const struct rdma_conn_param *param,
		       u8 limit, u8 *length);

/* bind.c */

/**
 * struct cma_claim - what an id wants of a port, or has
 * @src: local address
 * @dst: remote address, of family AF_UNSPEC when there is none
 * @reuse: would share the port
 * @afonly: has nothing to do with the other IP family
 */
struct cma_claim {
	const struct sockaddr *src;
	const struct sockaddr *dst;
	bool reuse;
	bool afonly;
};

int cma_claims_clash(const struct cma_claim *mine,
		     const struct cma_claim *theirs);
bool cma_claims_apart(const struct cma_claim *mine,
		      const struct cma_claim *theirs);
int cma_select_space(enum rdma_ucm_port_space ps, struct sockaddr *addr,
		     enum rdma_ucm_port_space *space);
int cma_port_acquire(struct cma_id *id);
int cma_port_make_unique(struct cma_id *id);
void cma_port_release(struct cma_id *id);
struct hlist_head *cma_port_owners_locked(struct net *net,
					  enum rdma_ucm_port_space space,
					  __be16 port);
int cma_bind_within(struct cma_id *id, const struct sockaddr *src,
		    const struct sockaddr *dst);
int cma_ports_init(void);
void cma_ports_exit(void);

/* device.c */
int cma_device_by_source(struct cma_id *id);
int cma_device_for_loopback(struct cma_id *id);
bool cma_has_choice(struct cma_id *id);
int cma_device_by_ib_path(struct cma_id *id);
int cma_device_of_request(struct cma_id *id, struct ib_device *device,
			  u32 port, const struct ib_gid_attr *sgid_attr,
			  const union ib_gid *sgid);
int cma_device_of_listener(struct cma_id *id, struct cma_dev *cdev);
void cma_device_detach(struct cma_id *id);
void cma_device_release(struct cma_id *id);
int cma_resolve_source(struct cma_id *id);
struct net_device *cma_netdev(struct cma_id *id);

/* listen.c */
void cma_listen_on_new_device(struct cma_dev *cdev, struct list_head *doomed);

/* listener.c */
bool cma_link_listener(struct cma_listener *listener);
void cma_free_listener(struct cma_listener *listener);
void cma_end_listeners(struct list_head *doomed);
void cma_listeners_off_device(struct cma_dev *cdev);
void cma_unlisten(struct cma_id *id);

/**
 * struct cma_request - the service, the requester and the way of a request
 * @device: device
 * @port: its port
 * @pkey: P_Key of the path
 * @service_id: service asked for
 * @local_gid: local GID that the peer names, or NULL
 * @sgid_attr: the same from the table, for RoCE
 * @local: address and port that the peer wants; AF_IB when it names none
 * @remote: its own
 * @ndev: interface that the request is for, referenced; NULL for AF_IB
 * @ifindex: of @ndev when the request was read
 */
struct cma_request {
	struct ib_device *device;
	u32 port;
	u16 pkey;
	__be64 service_id;
	const union ib_gid *local_gid;
	const struct ib_gid_attr *sgid_attr;
	struct sockaddr_storage local;
	struct sockaddr_storage remote;
	struct net_device *ndev;
	int ifindex;
};

/* match.c */
int cma_match_address(const struct sockaddr *bound, bool afonly,
		      const struct sockaddr *local,
		      const struct sockaddr *remote);
struct cma_id *cma_find_listener(const struct cma_request *req);

/* request.c */
int cma_ib_request(struct ib_cm_id *cm_id, const struct ib_cm_event *event);
int cma_offer(struct cma_id *listen, struct cma_id *conn,
	      struct rdma_cm_event *event);

#if IS_ENABLED(CONFIG_KUNIT)
void cma_put_ib_address(struct sockaddr_storage *to, const union ib_gid *gid,
			u16 pkey, __be64 service_id);
bool cma_still_there(const struct cma_request *req, const struct net *net);
int cma_do_accept_request(struct cma_id *listen, const struct cma_request *req,
			  struct ib_cm_id *cm_id, const struct ib_cm_event *ib_event);
#endif

/* ib.c */
int cma_ib_event(struct ib_cm_id *cm_id, const struct ib_cm_event *event);
int cma_ib_start(struct cma_id *id, ib_cm_handler handler,
		 int (*send)(struct ib_cm_id *cm_id, void *req), void *req);
int cma_ib_connect(struct cma_id *id, struct rdma_conn_param *param);
int cma_ib_accept(struct cma_id *id, struct rdma_conn_param *param);
int cma_ib_ready(struct cma_id *id, struct rdma_conn_param *param);

/* sidr.c */
int cma_sidr_event(struct ib_cm_id *cm_id, const struct ib_cm_event *event);
int cma_sidr_connect(struct cma_id *id, struct rdma_conn_param *param);
int cma_sidr_accept(struct cma_id *id, struct rdma_conn_param *param);
int cma_sidr_reject(struct cma_id *id, const void *data, u8 length);

/* iw.c */
int cma_iw_listen(struct cma_listener *listener);
int cma_iw_connect(struct cma_id *id, struct rdma_conn_param *param);
int cma_iw_accept(struct cma_id *id, struct rdma_conn_param *param);

/* qp.c */
int cma_qp_to_rtr(struct cma_id *id, const struct rdma_conn_param *param);
int cma_qp_to_rts(struct cma_id *id, const struct rdma_conn_param *param);
int cma_qp_to_error(struct cma_id *id);
int cma_set_qkey(struct cma_id *id, u32 qkey);
int cma_default_qkey(struct cma_id *id);

/* mcast.c */
void cma_mcast_leave_all(struct cma_id *id);

/* netdev.c */
int cma_netdev_init(void);
void cma_netdev_exit(void);
void cma_netdev_init_id(struct cma_id *id);

/* neigh.c */
struct neighbour;
bool cma_has_path(struct cma_id *id);
void cma_queue_held(struct cma_id *id, struct work_struct *work);
void cma_neigh_update(struct neighbour *neigh);
void cma_watch(struct cma_id *id);
void cma_unwatch(struct cma_id *id);

/* configfs.c */
int cma_configfs_init(void);
void cma_configfs_exit(void);

/* res.c */
void cma_res_start(void);
void cma_res_init(struct cma_res *res, struct cma_id *id);
void cma_res_add(struct cma_res *res, struct ib_device *device);
void cma_res_hide(struct cma_res *res);
void cma_res_show(struct cma_res *res);
void cma_res_forget(struct cma_res *res);
void cma_res_del(struct cma_res *res);

#endif /* OFED_CM_CMA_H */
