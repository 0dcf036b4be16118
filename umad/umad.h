/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ofed_umad: management datagrams (MADs) for programs. Each port that has them
 * has two nodes: umadN, each open of which is a file with agents of its own and
 * a queue of what they have received; and issmN, which says that a subnet
 * manager is here as long as it is open.
 *
 * Locks, from the outside inwards:
 *   umad_port.lock	a port comes and goes, its files, and the open of issmN
 *   umad_file.agents_lock  agents and dead; held for reading by a user of an
 *			agent or of the device, for writing by a thread that
 *			changes them
 *   umad_file.sends_lock  the sends that are under way
 *   umad_file.queue_lock  what is there to be read, and dead
 * The MAD layer calls its handlers with none of its locks held, and waits for
 * their return when an agent ends. So handlers take the two spinlocks alone.
 *
 * Memory of the program is touched with no lock held: a page fault there takes
 * as long as the program likes, and the removal of a device waits for locks.
 *
 * A file can hold UMAD_SENDS_MOST of sends (-ENOMEM beyond), and
 * UMAD_UNREAD_MOST of unread MADs. Of that, unsolicited MADs may fill one half;
 * they are dropped where there is no room. A response without room becomes a
 * time-out: that needs no room, since the send itself goes into the queue.
 */
#ifndef OFED_UMAD_H
#define OFED_UMAD_H

#include <linux/atomic.h>
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <ofed/refuse.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_user_mad.h>

/* Libraries have tables of that size. */
#define UMAD_AGENTS 32
#define UMAD_SENDS_MOST SZ_64M
#define UMAD_UNREAD_MOST SZ_64M

/**
 * struct umad_port - a port of a device, with its nodes
 * @dev: umadN; its release frees the port
 * @issm_dev: issmN, if @has_issm; holds a reference to @dev
 * @cdev: of umadN
 * @issm_cdev: of issmN
 * @node: in the list of its device
 * @number: the N
 * @port_num: which port it is
 * @has_issm: not every kernel has issmN for a port without subnet management
 * @lock: guards what follows
 * @ib_dev: NULL when it is gone. A holder of the agents_lock of a file that is
 *	    not dead may use it too
 * @files: opens of umadN
 * @issm_taken: issmN is open
 * @issm_wait: opens that wait for issmN to be closed
 */
struct umad_port {
	struct device dev;
	struct device issm_dev;
	struct cdev cdev;
	struct cdev issm_cdev;
	struct list_head node;
	int number;
	u32 port_num;
	bool has_issm;

	struct mutex lock; /* see the top */
	struct ib_device *ib_dev;
	struct list_head files;
	bool issm_taken;
	wait_queue_head_t issm_wait;
};

/**
 * struct umad_file - an open of umadN
 * @port: of it; held by the open node
 * @node: in umad_port.files
 * @agents_lock: guards @agents, @used, @pkey
 * @agents: by number
 * @used: it is too late to choose the layout of headers
 * @pkey: headers have a P_Key index
 * @sends_lock: guards @sends
 * @sends: struct umad_packet, posted, by the program's half of the TID
 * @sends_cost: of all sends, and of timed-out ones that were not read
 * @queue_lock: guards what follows; @dead is changed under @agents_lock as well
 * @queue: struct umad_packet, oldest first
 * @queue_cost: of the received ones in it
 * @dead: the device is gone
 * @wait: readers and pollers of @queue
 */
struct umad_file {
	struct umad_port *port;
	struct list_head node;

	struct rw_semaphore agents_lock; /* see the top */
	struct umad_agent *agents[UMAD_AGENTS];
	bool used;
	bool pkey;

	spinlock_t sends_lock; /* see the top */
	DECLARE_HASHTABLE(sends, 8);
	atomic_long_t sends_cost;

	spinlock_t queue_lock; /* see the top */
	struct list_head queue;
	size_t queue_cost;
	bool dead;
	wait_queue_head_t wait;
};

/**
 * struct umad_agent - an agent of a program
 * @file: the open that owns it
 * @number: the program's name for it
 * @mad: the MAD layer's; handlers may run before it is set
 */
struct umad_agent {
	struct umad_file *file;
	u32 number;
	struct ib_mad_agent *mad;
};

/**
 * struct umad_packet - a MAD on its way
 * @file: the open that owns it
 * @node: in umad_file.queue
 * @by_tid: in umad_file.sends
 * @cost: what it is counted as
 * @hdr: as the program has written it, or will read it
 * @lost: of a send: there was no room for its answer
 * @recv: (NULL: a send that has timed out) what was received
 * @mad_hdr: header of a send, as it went out
 */
struct umad_packet {
	struct umad_file *file;
	struct list_head node;
	struct hlist_node by_tid;
	size_t cost;
	struct ib_user_mad_hdr hdr;
	bool lost;
	struct ib_mad_recv_wc *recv;
	struct ib_mad_hdr mad_hdr;
};

/* Bytes of a header as the program has chosen it; the long one begins as the short. */
static inline size_t umad_hdr_size(const struct umad_file *file)
{
	return READ_ONCE(file->pkey) ? sizeof(struct ib_user_mad_hdr) :
				       sizeof(struct ib_user_mad_hdr_old);
}

/* Why a call on @file is refused. Its device may be gone; its node is there. */
#define umad_refuse(file, ret, format, ...) \
	ofed_refuse_node(&(file)->port->dev, ret, format, ##__VA_ARGS__)

/* main.c */
extern struct class umad_class;
dev_t umad_dev_of(int number, bool issm);

/* port.c */
struct umad_port *umad_port_new(struct ib_device *ib_dev, u32 port_num,
				int number);
int umad_port_publish(struct umad_port *port);
void umad_port_remove(struct umad_port *port);

/* file.c */
extern const struct file_operations umad_fops;
void umad_file_kill(struct umad_file *file);

/* agent.c */
int umad_agent_register(struct umad_file *file, void __user *arg);
int umad_agent_register2(struct umad_file *file, void __user *arg);
int umad_agent_unregister(struct umad_file *file, u32 number);
void umad_agents_end(struct umad_file *file);

/* send.c */
ssize_t umad_write(struct file *filp, const char __user *buf, size_t count,
		   loff_t *pos);
void umad_sent(struct ib_mad_agent *mad, struct ib_mad_send_wc *wc);
void umad_send_free(struct umad_packet *packet);

/* recv.c */
ssize_t umad_read(struct file *filp, char __user *buf, size_t count,
		  loff_t *pos);
__poll_t umad_poll(struct file *filp, struct poll_table_struct *table);
void umad_received(struct ib_mad_agent *mad, struct ib_mad_send_buf *buf,
		   struct ib_mad_recv_wc *wc);
void umad_queue_timeout(struct umad_packet *packet);
void umad_queue_drop(struct umad_file *file);

/* issm.c */
extern const struct file_operations umad_issm_fops;
void umad_issm_kill(struct umad_port *port);

#endif /* OFED_UMAD_H */
