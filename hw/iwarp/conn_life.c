// SPDX-License-Identifier: GPL-2.0
/* Connections: how they begin, and that none outlives the module. */
#include <linux/slab.h>

#include "conn.h"

static void iw_conn_work(struct work_struct *work)
{
	struct iw_conn *conn = container_of(work, struct iw_conn, work);

	mutex_lock(&conn->lock);
	iw_conn_process(conn);
	mutex_unlock(&conn->lock);
	iw_conn_put(conn);
}

static void iw_conn_timer(struct work_struct *work)
{
	struct iw_conn *conn = container_of(work, struct iw_conn, timer.work);

	iw_conn_post_event(conn, IW_CONN_TIMED_OUT);
	iw_conn_put(conn);
}

/**
 * iw_conn_new - a connection without a socket
 * @state: to begin with
 *
 * Context: process, may sleep. Return: it, with the socket's reference, or NULL.
 */
struct iw_conn *iw_conn_new(enum iw_conn_state state)
{
	struct iw_conn *conn = kzalloc(sizeof(*conn), GFP_KERNEL_ACCOUNT);

	if (!conn)
		return NULL;
	refcount_set(&conn->refs, 1);
	mutex_init(&conn->lock);
	INIT_WORK(&conn->work, iw_conn_work);
	INIT_DELAYED_WORK(&conn->timer, iw_conn_timer);
	INIT_LIST_HEAD(&conn->asker);
	INIT_LIST_HEAD(&conn->silent);
	conn->state = state;
	iw_conns_add(conn);
	return conn;
}

/**
 * iw_conns_end - release what still waits for a peer
 *
 * No device and no listener is left. Context: process, may sleep.
 */
void iw_conns_end(void)
{
	struct iw_conn *conn;

	while ((conn = iw_conns_first())) {
		iw_conn_call(conn, IW_E_ABORT);
		iw_conn_put(conn);
	}
}
