/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ids of the iWARP CM: iwcm.c has the calls of the client, id.c the life of
 * an id, event.c the path of the driver's events to the client, fsm.c the states.
 */
#ifndef OFED_CM_IW_ID_H
#define OFED_CM_IW_ID_H

#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/iw_cm.h>

#include "fsm.h"

/**
 * struct ofed_iw_event - an event of the driver
 * @entry: in iw_id.events or iw_id.spare
 * @event: as the driver gave it; its private data is in @data
 * @qp: QP that the event has parted from the id, with the id's reference
 * @data: private data
 */
struct ofed_iw_event {
	struct list_head entry;
	struct iw_cm_event event;
	struct ib_qp *qp;
	u8 data[U8_MAX];
};

/*
 * What can wait for the client of one connection: a reply or an ESTABLISHED,
 * and the end; the third is in the worker's hand. A new connection on the same
 * id drops what waits.
 */
#define OFED_IW_CONN_EVENTS 3

/**
 * struct ofed_iw_store - places for events, allocated at once
 * @next: those that were allocated before
 * @events: the places
 */
struct ofed_iw_store {
	struct ofed_iw_store *next;
	struct ofed_iw_event events[];
};

/**
 * struct iw_id - an id
 * @id: the public part; its fields are the client's until a call takes them
 * @refs: one of the client's, one of the queued @work, those of the driver
 * @owner: a program's id that this one belongs to, or NULL: see ofed_iw_set_owner()
 * @memcg: of a listener: memory cgroup of the program, charged for what requests bring, or NULL;
 *	   see ofed_iw_set_memcg()
 * @mapping: of the port mapper, or NULL; set by the thread that connects or
 *	     listens; the thread that exchanges it for NULL ends the mapping
 * @lock: guards all below but @waiters and @work; drivers take it in any context
 * @state: see fsm.h
 * @qp: QP of the connection, with a reference of the driver's kind, or NULL
 * @events: for the client, oldest first
 * @spare: unused places of @store
 * @places: number of all places
 * @store: what to free at the end
 * @queued: @work is queued or runs, and will look at @events
 * @runner: thread that brings an event to the client, or NULL
 * @waiters: threads that wait for @state or @runner to change
 * @work: brings @events to the client
 */
struct iw_id {
	struct iw_cm_id id;
	refcount_t refs;
	const struct rdma_restrack_entry *owner;
	struct mem_cgroup *memcg;
	struct ofed_iw_mapping *mapping;

	/* See above for what it guards. */
	spinlock_t lock;
	enum ofed_iw_state state;
	struct ib_qp *qp;
	struct list_head events;
	struct list_head spare;
	unsigned int places;
	struct ofed_iw_store *store;
	bool queued;
	struct task_struct *runner;
	wait_queue_head_t waiters;
	struct work_struct work;
};

static inline struct iw_id *to_iw_id(struct iw_cm_id *cm_id)
{
	return container_of(cm_id, struct iw_id, id);
}

/* id.c */
struct iw_id *ofed_iw_id_new(struct ib_device *device, iw_cm_handler handler,
			     void *context, gfp_t gfp);
int ofed_iw_id_room(struct iw_id *id, unsigned int events, gfp_t gfp);
void ofed_iw_id_get(struct iw_id *id);
void ofed_iw_id_put(struct iw_id *id);
void ofed_iw_id_destroy(struct iw_id *id);
void ofed_iw_put_qp(struct iw_id *id, struct ib_qp *qp);
int iwcm_move(struct iw_id *id, enum ofed_iw_input input,
	      enum ofed_iw_state *from);
int iwcm_move_when_reported(struct iw_id *id, enum ofed_iw_input input,
			    enum ofed_iw_state *from)
	__acquires(&id->lock);
struct ib_qp *iwcm_part(struct iw_id *id);
int iwcm_qp_to(struct ib_qp *qp, enum ib_qp_state state);

/* iwcm.c */
void ofed_iw_set_owner(struct iw_cm_id *cm_id,
		       const struct rdma_restrack_entry *owner);
void ofed_iw_set_memcg(struct iw_cm_id *cm_id, struct mem_cgroup *memcg);

/* event.c */
int ofed_iw_events_init(void);
void ofed_iw_events_exit(void);
int ofed_iw_event(struct iw_cm_id *cm_id, struct iw_cm_event *event);
void ofed_iw_events_drop(struct iw_id *id);
void ofed_iw_events_work(struct work_struct *work);

#if IS_ENABLED(CONFIG_KUNIT)
extern struct workqueue_struct *iw_wq;
#endif

#endif /* OFED_CM_IW_ID_H */
