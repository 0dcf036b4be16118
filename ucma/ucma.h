/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ofed_ucma: rdma_cm for programs. Each open of the node is a file with ids of
 * its own, and a queue of the events of all of them.
 *
 * Locks, from the outside inwards:
 *   ucm_id.busy	one command at a time on an id
 *   rdma_lock_handler	of the id: one event at a time; guards uid and has_uid
 *   ucm_moves		held for reading by a thread that goes from an id to its
 *			file or touches a queue, for writing by a thread that
 *			moves an id: so two files never have to be locked at
 *			once
 *   ucm_file.lock	ids and events of the file, and of each id of it: the
 *			lists events and mcasts and the counts of events
 *   xa_lock		of ucm_ids and ucm_mcasts: what a number stands for
 *
 * Events that a program does not read are bounded. Requests are by the backlog,
 * events of groups by the groups; of all others an id has UCM_UNREAD_MOST at the
 * most: with that many it is not asked to cause more (RESOLVE_*, SET_OPTION of a
 * path: -ENOBUFS), and repeated events that the network causes are dropped. All
 * of them but the first few are charged to the memory cgroup of the opener.
 *
 * Memory of the program is touched with no reference and no lock held. A page
 * fault there takes as long as the program likes, and the removal of a device
 * waits for references.
 */
#ifndef OFED_UCMA_H
#define OFED_UCMA_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/rwsem.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/rdma_cm.h>

/**
 * struct ucm_file - an open of the node
 * @lock: guards what is said above
 * @ids: ids that the program knows
 * @events: events that it has not read, oldest first
 * @wait: readers and pollers of @events
 * @memcg: memory cgroup of the opener; charged for the events
 */
struct ucm_file {
	struct mutex lock; /* see the top */
	struct list_head ids;
	struct list_head events;
	wait_queue_head_t wait;
	struct mem_cgroup *memcg;
};

/**
 * struct ucm_id - an rdma_cm_id of a program
 * @number: its name, unique among all files
 * @refs: commands in progress, and one until the cm_id is to go
 * @idle: @refs has come to zero
 * @ended: bit 0 is set by the thread that ends the cm_id
 * @unplug: ends the cm_id when its device goes
 * @cm_id: valid as long as a reference is held
 * @busy: one command at a time
 * @file: owner; ucm_moves
 * @in_file: node of ucm_file.ids; not there before the program has read of it
 * @events: events for it that were not read, oldest first
 * @mcasts: groups it has joined
 * @uid: the program's name for it
 * @has_uid: the program has named it, so it is ready for events
 * @events_read: what the program has to acknowledge before it forgets the id
 * @requests: connection requests among @events
 * @backlog: how many of them there may be
 * @unread: those among @events that are neither requests nor of groups
 */
struct ucm_id {
	u32 number;
	refcount_t refs;
	struct completion idle;
	unsigned long ended;
	struct work_struct unplug;
	struct rdma_cm_id *cm_id;
	struct mutex busy; /* see the top */

	struct ucm_file *file;
	struct list_head in_file;
	struct list_head events;
	struct list_head mcasts;

	u64 uid;
	bool has_uid;
	u32 events_read;
	u32 requests;
	u32 backlog;
	u32 unread;
};

/* More than any program lets wait that reads at all. */
#define UCM_UNREAD_MOST 256

/**
 * struct ucm_mcast - a multicast group that an id has joined
 * @number: its name, unique among all files
 * @events_read: as of an id
 * @uid: the program's name for it
 * @id: the id
 * @in_id: node of ucm_id.mcasts
 * @addr: the group
 */
struct ucm_mcast {
	u32 number;
	u32 events_read;
	u64 uid;
	struct ucm_id *id;
	struct list_head in_id;
	struct sockaddr_storage addr;
};

/**
 * struct ucm_event - an event that was not read
 * @in_file: node of ucm_file.events
 * @of_id: node of ucm_id.events
 * @id: the id that it is for
 * @mcast: the group that it is for, or NULL
 * @request: the new id of a connection request, or NULL; only this event refers
 *	     to it until the event is read
 * @resp: what the program will read
 */
struct ucm_event {
	struct list_head in_file;
	struct list_head of_id;
	struct ucm_id *id;
	struct ucm_mcast *mcast;
	struct ucm_id *request;
	struct rdma_ucm_event_resp resp;
};

union ucm_request {
	struct rdma_ucm_create_id create_id;
	struct rdma_ucm_destroy_id destroy_id;
	struct rdma_ucm_bind_ip bind_ip;
	struct rdma_ucm_resolve_ip resolve_ip;
	struct rdma_ucm_resolve_route resolve_route;
	struct rdma_ucm_query query;
	struct rdma_ucm_connect connect;
	struct rdma_ucm_listen listen;
	struct rdma_ucm_accept accept;
	struct rdma_ucm_reject reject;
	struct rdma_ucm_disconnect disconnect;
	struct rdma_ucm_init_qp_attr init_qp_attr;
	struct rdma_ucm_get_event get_event;
	struct rdma_ucm_set_option set_option;
	struct rdma_ucm_notify notify;
	struct rdma_ucm_join_ip_mcast join_ip_mcast;
	struct rdma_ucm_migrate_id migrate_id;
	struct rdma_ucm_bind bind;
	struct rdma_ucm_resolve_addr resolve_addr;
	struct rdma_ucm_join_mcast join_mcast;
};

/**
 * struct ucm_call - a command in progress
 * @file: where it was written to
 * @nonblock: that is O_NONBLOCK
 * @out_len: room for the response
 * @req: the request; what the program did not send is zero
 */
struct ucm_call {
	struct ucm_file *file;
	bool nonblock;
	u16 out_len;
	union ucm_request req;
};

/* What a command wants of its id: bits. */
enum ucm_need {
	UCM_ANY_ID = 0,
	UCM_BOUND_ID = BIT(0),	/* it has a device */
	UCM_ASKS = BIT(1),	/* there is room for the event that answers */
};

extern struct rw_semaphore ucm_moves;
extern const struct file_operations ucm_fops;

/* main.c: the largest backlog a listener can have. */
unsigned int ucm_max_backlog(void);

/* ids.c */
struct ucm_id *ucm_id_new(struct ucm_file *file);
void ucm_id_discard(struct ucm_id *id);
void ucm_id_publish(struct ucm_id *id);
struct ucm_id *ucm_id_get(struct ucm_file *file, u32 number);
void ucm_id_put(struct ucm_id *id);
struct ucm_id *ucm_id_enter(struct ucm_file *file, u32 number,
			    enum ucm_need need);
void ucm_id_leave(struct ucm_id *id);
struct ucm_id *ucm_id_claim(struct ucm_file *file, u32 number);
bool ucm_id_is_of(struct ucm_id *id, struct ucm_file *file);
u32 ucm_id_destroy(struct ucm_id *id);
void ucm_id_unplug(struct ucm_id *id);

/* event.c */
int ucm_handler(struct rdma_cm_id *cm_id, struct rdma_cm_event *event);
int ucm_event_read(struct ucm_file *file, void __user *to, size_t room);
void ucm_event_free(struct ucm_event *event);
void ucm_events_move(struct ucm_id *id, struct ucm_file *file);

/* write.c */
ssize_t ucm_write(struct file *filp, const char __user *buf, size_t count,
		  loff_t *pos);

/**
 * ucm_reply - give a response to the program
 * @to: address in the program, as it was sent
 * @resp: the response
 * @size: bytes of it
 *
 * Context: no reference to an id and no lock held.
 * Return: 0 or -EFAULT.
 */
static inline int ucm_reply(u64 to, const void *resp, size_t size)
{
	return copy_to_user(u64_to_user_ptr(to), resp, size) ? -EFAULT : 0;
}

/* cmd_mcast.c */
void ucm_mcasts_free(struct ucm_id *id);

/* Commands. Return: 0 or a negative errno. */
int ucm_create_id(struct ucm_call *call);
int ucm_destroy_id(struct ucm_call *call);
int ucm_migrate_id(struct ucm_call *call);
int ucm_get_event(struct ucm_call *call);
int ucm_bind_ip(struct ucm_call *call);
int ucm_bind(struct ucm_call *call);
int ucm_resolve_ip(struct ucm_call *call);
int ucm_resolve_addr(struct ucm_call *call);
int ucm_resolve_route(struct ucm_call *call);
int ucm_listen(struct ucm_call *call);
int ucm_connect(struct ucm_call *call);
int ucm_accept(struct ucm_call *call);
int ucm_reject(struct ucm_call *call);
int ucm_disconnect(struct ucm_call *call);
int ucm_notify(struct ucm_call *call);
int ucm_init_qp_attr(struct ucm_call *call);
int ucm_query(struct ucm_call *call);
int ucm_query_route(struct ucm_call *call);
int ucm_set_option(struct ucm_call *call);
int ucm_join_ip_mcast(struct ucm_call *call);
int ucm_join_mcast(struct ucm_call *call);
int ucm_leave_mcast(struct ucm_call *call);

#endif /* OFED_UCMA_H */
