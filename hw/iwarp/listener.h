/* SPDX-License-Identifier: GPL-2.0 */
/* Ids of the iWARP CM that listen. */
#ifndef IW_LISTENER_H
#define IW_LISTENER_H

#include <linux/mutex.h>
#include <linux/refcount.h>
#include <rdma/iw_cm.h>

struct iw_conn;
struct iw_dev;
struct iw_port;

/* Lists of listeners and of their connections; iw_listener.cm_id. Inside of iw_conn.lock. */
extern struct mutex iw_listeners_lock;

/**
 * struct iw_listener - an id of the iWARP CM that listens
 * @refs: 1 of the CM, 1 of each connection without an MPA request
 * @entry: (iw_listeners_lock) in the list of the port
 * @port: (ports_lock) the port it listens on
 * @dev: its device; valid while @cm_id is set
 * @cm_id: (iw_listeners_lock) the id; NULL once it does not listen any more
 * @silent: (iw_listeners_lock) connections without an MPA request, the oldest first
 */
struct iw_listener {
	refcount_t refs;
	struct list_head entry;
	struct iw_port *port;
	struct iw_dev *dev;
	struct iw_cm_id *cm_id;
	struct list_head silent;
};

void iw_listener_put(struct iw_listener *listener);
void iw_listener_join(struct iw_listener *listener, struct iw_conn *conn);
void iw_listener_leave(struct iw_conn *conn);
int iw_listener_ask(struct iw_conn *conn, struct iw_cm_event *event);

#endif /* IW_LISTENER_H */
