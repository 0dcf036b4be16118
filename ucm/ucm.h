/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ofed_ucm: the InfiniBand CM for programs. Each device with a CM has a node ucmN. Each open of it
 * is a file, with ids of its own and a queue of their events.
 *
 * Locks, from the outside inwards:
 *   ucm_device.lock	a device comes and goes, and its files
 *   ucm_file.lock	one command at a time, but for those that read an event; an id that is
 *			found stays, and so does the device
 *   ucm_file.queue_lock  events, and what an id has of them; the CM's handler takes this one alone
 *   xa_lock		of ucm_file.ids: what a number stands for
 * An id ends with the first two held, and waits for its handler to return.
 *
 * Memory of the program is touched with no lock held, or by a copy that waits for no page: a fault
 * takes as long as the program likes, and the removal of a device waits for locks.
 *
 * A file has UCM_IDS_MOST ids at the most, an id UCM_UNREAD_MOST events that are not read, of which
 * a peer can cause one half without the program, and a listener UCM_REQUESTS_MOST requests. All are
 * charged to the memory cgroup of the opener.
 */
#ifndef OFED_UCM_H
#define OFED_UCM_H

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <ofed/refuse.h>
#include <rdma/ib_cm.h>
#include <rdma/ib_user_verbs.h>
#include <uapi/ofed/ib_user_cm.h>

#define UCM_IDS_MOST 16384
#define UCM_UNREAD_MOST 256
#define UCM_REQUESTS_MOST 128

/* The longest that messages have: IBA vol. 1, 12.6. */
#define UCM_DATA_MOST IB_CM_RTU_PRIVATE_DATA_SIZE
#define UCM_INFO_MOST IB_CM_REJ_ARI_LENGTH
/* Paths of a request: the primary and the alternate. */
#define UCM_PATHS 2

/**
 * struct ucm_device - a device with its node
 * @dev: ucmN; its release frees this
 * @cdev: of the node
 * @number: the N
 * @lock: guards what follows
 * @ib_dev: NULL when it is gone. A holder of the lock of a file that is not dead may use it, too
 * @files: opens of the node
 */
struct ucm_device {
	struct device dev;
	struct cdev cdev;
	int number;

	struct mutex lock; /* see the top */
	struct ib_device *ib_dev;
	struct list_head files;
};

/**
 * struct ucm_file - an open of a node
 * @device: of it; held by the open node
 * @node: in ucm_device.files
 * @memcg: memory cgroup of the opener
 * @lock: see the top
 * @ids: by number; a NULL that is stored reserves one
 * @queue_lock: guards @events; @dead is changed under @lock as well
 * @events: struct ucm_event, the oldest first
 * @dead: the device is gone, or the file is closed
 * @wait: readers and pollers of @events
 */
struct ucm_file {
	struct ucm_device *device;
	struct list_head node;
	struct mem_cgroup *memcg;
	struct mutex lock; /* see the top */
	struct xarray ids;

	struct mutex queue_lock; /* see the top */
	struct list_head events;
	bool dead;
	wait_queue_head_t wait;
};

/**
 * struct ucm_id - a communication id of a program
 * @number: the program's name for it, in its file
 * @file: owner
 * @cm_id: the CM's; its context is this
 * @dying: in the list of those that end with another one
 * @events: struct ucm_event, not read; this and all below under ucm_file.queue_lock
 * @uid: what events call it
 * @named: the program has said @uid; an id that came with a request has no events before
 * @events_read: what the program has to acknowledge before it forgets the id
 * @unread: those among @events that are no requests
 * @requests: those that are
 */
struct ucm_id {
	u32 number;
	struct ucm_file *file;
	struct ib_cm_id *cm_id;
	struct list_head dying;

	struct list_head events;
	u64 uid;
	bool named;
	u32 events_read;
	u32 unread;
	u32 requests;
};

/**
 * struct ucm_event - an event that was not read
 * @in_file: node of ucm_file.events
 * @of_id: node of ucm_id.events
 * @id: the id that it is for
 * @request: the new id of a request, or NULL; only this event refers to it until it is read
 * @resp: what the program will read
 * @data_len: bytes of private data
 * @info_len: bytes of additional information
 * @bytes: both, one behind the other
 */
struct ucm_event {
	struct list_head in_file;
	struct list_head of_id;
	struct ucm_id *id;
	struct ucm_id *request;
	struct ib_ucm_event_resp resp;
	u8 data_len;
	u8 info_len;
	u8 bytes[UCM_DATA_MOST + UCM_INFO_MOST];
};

union ucm_request {
	struct ib_ucm_create_id create_id;
	struct ib_ucm_destroy_id destroy_id;
	struct ib_ucm_attr_id attr_id;
	struct ib_ucm_listen listen;
	struct ib_ucm_notify notify;
	struct ib_ucm_req req;
	struct ib_ucm_rep rep;
	struct ib_ucm_private_data private_data;
	struct ib_ucm_info info;
	struct ib_ucm_mra mra;
	struct ib_ucm_sidr_req sidr_req;
	struct ib_ucm_sidr_rep sidr_rep;
	struct ib_ucm_event_get event_get;
	struct ib_ucm_init_qp_attr init_qp_attr;
};

union ucm_response {
	struct ib_ucm_create_id_resp create_id;
	struct ib_ucm_destroy_id_resp destroy_id;
	struct ib_ucm_attr_id_resp attr_id;
	struct ib_uverbs_qp_attr qp_attr;
};

/**
 * struct ucm_call - a command in progress
 * @file: where it was written to
 * @nonblock: that is O_NONBLOCK
 * @req: the request
 * @data: private data of it
 * @data_len: bytes of @data
 * @info: additional information of it
 * @info_len: bytes of @info
 * @path: paths of it, the primary first
 * @paths: which of them it has, bits
 * @resp: out: the response
 */
struct ucm_call {
	struct ucm_file *file;
	bool nonblock;
	union ucm_request req;
	u8 data[UCM_DATA_MOST];
	u8 data_len;
	u8 info[UCM_INFO_MOST];
	u8 info_len;
	struct ib_user_path_rec path[UCM_PATHS];
	u8 paths;
	union ucm_response resp;
};

/* Why a call on @file is refused. Its device may be gone; its node is there. */
#define ucm_refuse(file, ret, format, ...) \
	ofed_refuse_node(&(file)->device->dev, ret, format, ##__VA_ARGS__)

/* main.c */
extern struct class ucm_class;
dev_t ucm_dev_of(int number);

/* device.c */
struct ucm_device *ucm_device_new(struct ib_device *ib_dev, int number);
int ucm_device_publish(struct ucm_device *device);
void ucm_device_remove(struct ucm_device *device);

/* file.c */
extern const struct file_operations ucm_fops;
void ucm_file_end(struct ucm_file *file);

/* ids.c */
struct ucm_id *ucm_id_new(struct ucm_file *file, gfp_t gfp);
void ucm_id_discard(struct ucm_id *id);
void ucm_id_publish(struct ucm_id *id);
struct ucm_id *ucm_id_find(struct ucm_file *file, u32 number);
u32 ucm_id_end(struct ucm_id *id);

/* event.c */
int ucm_handler(struct ib_cm_id *cm_id, const struct ib_cm_event *event);
void ucm_event_free(struct ucm_event *event);
void ucm_id_name(struct ucm_id *id, u64 uid);

/* read.c */
int ucm_read(struct ucm_call *call);
__poll_t ucm_poll(struct file *filp, struct poll_table_struct *table);

/* write.c */
ssize_t ucm_write(struct file *filp, const char __user *buf, size_t count, loff_t *pos);

/*
 * Commands, with the file locked; @id is NULL for the one that makes an id. Return: 0 or a negative
 * errno.
 */
int ucm_create_id(struct ucm_id *id, struct ucm_call *call);
int ucm_destroy_id(struct ucm_id *id, struct ucm_call *call);
int ucm_attr_id(struct ucm_id *id, struct ucm_call *call);
int ucm_init_qp_attr(struct ucm_id *id, struct ucm_call *call);
int ucm_listen(struct ucm_id *id, struct ucm_call *call);
int ucm_notify(struct ucm_id *id, struct ucm_call *call);
int ucm_send_req(struct ucm_id *id, struct ucm_call *call);
int ucm_send_rep(struct ucm_id *id, struct ucm_call *call);
int ucm_send_rtu(struct ucm_id *id, struct ucm_call *call);
int ucm_send_dreq(struct ucm_id *id, struct ucm_call *call);
int ucm_send_drep(struct ucm_id *id, struct ucm_call *call);
int ucm_send_rej(struct ucm_id *id, struct ucm_call *call);
int ucm_send_mra(struct ucm_id *id, struct ucm_call *call);
int ucm_send_sidr_req(struct ucm_id *id, struct ucm_call *call);
int ucm_send_sidr_rep(struct ucm_id *id, struct ucm_call *call);

#endif /* OFED_UCM_H */
