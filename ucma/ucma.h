/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ofed_ucma: rdma_cm for programs. Each open of the node is a file with ids of
 * its own, and a queue of the events of all of them.
 *
 * Locks, from the outside inwards:
 *   ucma_id.busy	one command at a time on an id
 *   rdma_lock_handler	of the id: one event at a time; guards uid and has_uid
 *   ucma_moves		held for reading by a thread that goes from an id to its
 *			file or touches a queue, for writing by a thread that
 *			moves an id: so two files never have to be locked at
 *			once
 *   ucma_file.lock	ids and events of the file, and of each id of it: the
 *			lists events and mcasts and the counts of events
 *   xa_lock		of ucma_ids and ucma_mcasts: what a number stands for
 *
 * Events that a program does not read are bounded. Requests are by the backlog,
 * events of groups by the groups; of all others an id has UCMA_UNREAD_MOST at the
 * most: with that many it is not asked to cause more (RESOLVE_*, SET_OPTION of a
 * path, WRITE_CM_EVENT: -ENOBUFS), and repeated events that the network causes are dropped. All
 * of them but the first few are charged to the memory cgroup of the opener, and so are all
 * requests with the ids that they bring.
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
#include <compat/ucma.h>
#include <rdma/rdma_cm.h>

#include "request.h"

/**
 * struct ucma_file - an open of the node
 * @lock: guards what is said above
 * @ids: ids that the program knows
 * @events: events that it has not read, oldest first
 * @wait: readers and pollers of @events
 * @memcg: memory cgroup of the opener; charged for the events
 */
struct ucma_file {
	struct mutex lock; /* see the top */
	struct list_head ids;
	struct list_head events;
	wait_queue_head_t wait;
	struct mem_cgroup *memcg;
};

/**
 * struct ucma_id - an rdma_cm_id of a program
 * @number: its name, unique among all files
 * @refs: commands in progress, and one until the cm_id is to go
 * @idle: @refs has come to zero
 * @ended: bit 0 is set by the thread that ends the cm_id
 * @unplug: ends the cm_id when its device goes
 * @cm_id: valid as long as a reference is held
 * @busy: one command at a time
 * @file: owner; ucma_moves
 * @in_file: node of ucma_file.ids; not there before the program has read of it
 * @events: events for it that were not read, oldest first
 * @mcasts: groups it has joined
 * @uid: the program's name for it
 * @has_uid: the program has named it, so it is ready for events
 * @events_read: what the program has to acknowledge before it forgets the id
 * @requests: connection requests among @events
 * @backlog: how many of them there may be
 * @unread: those among @events that are neither requests nor of groups
 */
struct ucma_id {
	u32 number;
	refcount_t refs;
	struct completion idle;
	unsigned long ended;
	struct work_struct unplug;
	struct rdma_cm_id *cm_id;
	struct mutex busy; /* see the top */

	struct ucma_file *file;
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
#define UCMA_UNREAD_MOST 256

/**
 * struct ucma_mcast - a multicast group that an id has joined
 * @number: its name, unique among all files
 * @events_read: as of an id
 * @uid: the program's name for it
 * @id: the id
 * @in_id: node of ucma_id.mcasts
 * @addr: the group
 */
struct ucma_mcast {
	u32 number;
	u32 events_read;
	u64 uid;
	struct ucma_id *id;
	struct list_head in_id;
	struct sockaddr_storage addr;
};

/**
 * struct ucma_event - an event that was not read
 * @in_file: node of ucma_file.events
 * @of_id: node of ucma_id.events
 * @id: the id that it is for
 * @mcast: the group that it is for, or NULL
 * @request: the new id of a connection request, or NULL; only this event refers
 *	     to it until the event is read
 * @resp: what the program will read
 */
struct ucma_event {
	struct list_head in_file;
	struct list_head of_id;
	struct ucma_id *id;
	struct ucma_mcast *mcast;
	struct ucma_id *request;
	struct rdma_ucm_event_resp resp;
};

#define UCMA_NEW_REQUEST(number, name) UCMA_REQUEST(name)

union ucma_request {
	UCMA_REQUESTS(UCMA_REQUEST)
	COMPAT_UCMA_COMMANDS(UCMA_NEW_REQUEST)
};

/**
 * struct ucma_call - a command in progress
 * @file: where it was written to
 * @nonblock: that is O_NONBLOCK
 * @out_len: room for the response
 * @req: the request; what the program did not send is zero
 */
struct ucma_call {
	struct ucma_file *file;
	bool nonblock;
	u16 out_len;
	union ucma_request req;
};

/* What a command wants of its id: bits. */
enum ucma_need {
	UCMA_ANY_ID = 0,
	UCMA_BOUND_ID = BIT(0),	/* it has a device */
	UCMA_ASKS = BIT(1),	/* there is room for the event that answers */
};

extern struct rw_semaphore ucma_moves;
extern const struct file_operations ucma_fops;

/* main.c: the largest backlog a listener can have. */
unsigned int ucma_max_backlog(void);

/* ids.c */
struct ucma_id *ucma_id_new(struct ucma_file *file, gfp_t gfp);
void ucma_id_discard(struct ucma_id *id);
void ucma_id_publish(struct ucma_id *id);
struct ucma_id *ucma_id_get(struct ucma_file *file, u32 number);
void ucma_id_put(struct ucma_id *id);
struct ucma_id *ucma_id_enter(struct ucma_file *file, u32 number,
			      enum ucma_need need);
void ucma_id_leave(struct ucma_id *id);
struct ucma_id *ucma_id_claim(struct ucma_file *file, u32 number);
bool ucma_id_is_of(struct ucma_id *id, struct ucma_file *file);
u32 ucma_id_destroy(struct ucma_id *id);
void ucma_id_unplug(struct ucma_id *id);

/* event.c */
int ucma_handler(struct rdma_cm_id *cm_id, struct rdma_cm_event *event);
struct ucma_event *ucma_event_alloc(struct ucma_id *id);
void ucma_enqueue(struct ucma_event *event, struct ucma_id *id);
int ucma_event_read(struct ucma_file *file, void __user *to, size_t room);
void ucma_event_free(struct ucma_event *event);
void ucma_events_move(struct ucma_id *id, struct ucma_file *file);

/* write.c */
ssize_t ucma_write(struct file *filp, const char __user *buf, size_t count,
		   loff_t *pos);

/**
 * ucma_reply - give a response to the program
 * @to: address in the program, as it was sent
 * @resp: the response
 * @size: bytes of it
 *
 * Context: no reference to an id and no lock held.
 * Return: 0 or -EFAULT.
 */
static inline int ucma_reply(u64 to, const void *resp, size_t size)
{
	return copy_to_user(u64_to_user_ptr(to), resp, size) ? -EFAULT : 0;
}

/* cmd_mcast.c */
void ucma_mcasts_free(struct ucma_id *id);

/* Commands. Return: 0 or a negative errno. */
int ucma_create_id(struct ucma_call *call);
int ucma_destroy_id(struct ucma_call *call);
int ucma_migrate_id(struct ucma_call *call);
int ucma_get_event(struct ucma_call *call);
int ucma_bind_ip(struct ucma_call *call);
int ucma_bind(struct ucma_call *call);
int ucma_resolve_ip(struct ucma_call *call);
int ucma_resolve_addr(struct ucma_call *call);
int ucma_resolve_route(struct ucma_call *call);
int ucma_listen(struct ucma_call *call);
int ucma_connect(struct ucma_call *call);
int ucma_accept(struct ucma_call *call);
int ucma_reject(struct ucma_call *call);
int ucma_disconnect(struct ucma_call *call);
int ucma_notify(struct ucma_call *call);
int ucma_init_qp_attr(struct ucma_call *call);
int ucma_query(struct ucma_call *call);
int ucma_query_route(struct ucma_call *call);
int ucma_set_option(struct ucma_call *call);
int ucma_join_ip_mcast(struct ucma_call *call);
int ucma_join_mcast(struct ucma_call *call);
int ucma_leave_mcast(struct ucma_call *call);
/* cmd_service.c, cmd_event.c: where the kernel has them. */
int ucma_resolve_ib_service(struct ucma_call *call);
int ucma_query_services(struct ucma_call *call);
int ucma_write_cm_event(struct ucma_call *call);

#if IS_ENABLED(CONFIG_KUNIT)
void ucma_event_was_read(struct ucma_event *event);
s64 ucma_join(struct ucma_file *file, struct rdma_ucm_join_mcast *req, u8 join_state);
int ucma_leave(struct ucma_file *file, u32 number, u32 *events_read);
#endif

#endif /* OFED_UCMA_H */
