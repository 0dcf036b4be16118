// SPDX-License-Identifier: GPL-2.0
/* Connections: those that there are, and how one is told of what happens. */
#include <linux/slab.h>

#include "conn.h"
#include "wq.h"

/* All that have a socket, for the end of the module. */
static DEFINE_SPINLOCK(conns_lock);
static LIST_HEAD(conns);

void iw_conns_add(struct iw_conn *conn)
{
	spin_lock(&conns_lock);
	list_add_tail(&conn->entry, &conns);
	spin_unlock(&conns_lock);
}

void iw_conns_del(struct iw_conn *conn)
{
	spin_lock(&conns_lock);
	list_del_init(&conn->entry);
	spin_unlock(&conns_lock);
}

/* Referenced; NULL: there is none. */
struct iw_conn *iw_conns_first(void)
{
	struct iw_conn *conn;

	spin_lock(&conns_lock);
	conn = list_first_entry_or_null(&conns, struct iw_conn, entry);
	if (conn)
		iw_conn_get(conn);
	spin_unlock(&conns_lock);
	return conn;
}

void iw_conn_get(struct iw_conn *conn)
{
	refcount_inc(&conn->refs);
}

/* Any context. */
void iw_conn_put(struct iw_conn *conn)
{
	if (refcount_dec_and_test(&conn->refs))
		kfree(conn);
}

/* Have the work look at it. Any context; the caller knows that @conn is there. */
void iw_conn_kick(struct iw_conn *conn)
{
	iw_conn_get(conn);
	if (!queue_work(iw_wq, &conn->work))
		iw_conn_put(conn);
}

void iw_conn_post_event(struct iw_conn *conn, int what)
{
	set_bit(what, &conn->what);
	iw_conn_kick(conn);
}

/* The peer is ready to receive. With the socket's lock. */
void iw_conn_ready(struct iw_conn *conn)
{
	iw_conn_post_event(conn, IW_CONN_READY);
}

/* From now on so much time is left; 0: for ever. */
void iw_conn_arm(struct iw_conn *conn, unsigned long delay)
{
	lockdep_assert_held(&conn->lock);
	if (!delay) {
		if (cancel_delayed_work(&conn->timer))
			iw_conn_put(conn);
		return;
	}
	iw_conn_get(conn);
	if (mod_delayed_work(iw_wq, &conn->timer, delay))
		iw_conn_put(conn);
}
