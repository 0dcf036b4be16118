// SPDX-License-Identifier: GPL-2.0
/* Ids of the iWARP CM that listen. */
#include <linux/slab.h>

#include "conn.h"
#include "listener.h"

DEFINE_MUTEX(iw_listeners_lock);

void iw_listener_put(struct iw_listener *listener)
{
	if (refcount_dec_and_test(&listener->refs))
		kfree(listener);
}

/**
 * iw_listener_join - a connection waits for its MPA request
 * @listener: gets the request; its reference is the connection's
 * @conn: connection; its lock is held
 *
 * Context: process, may sleep.
 */
void iw_listener_join(struct iw_listener *listener, struct iw_conn *conn)
{
	lockdep_assert_held(&conn->lock);
	conn->listener = listener;
	mutex_lock(&iw_listeners_lock);
	list_add_tail(&conn->silent, &listener->silent);
	mutex_unlock(&iw_listeners_lock);
}

/**
 * iw_listener_leave - the request has come, or will not
 * @conn: connection, maybe with a listener; its lock is held
 *
 * Context: process, may sleep.
 */
void iw_listener_leave(struct iw_conn *conn)
{
	struct iw_listener *listener = conn->listener;

	lockdep_assert_held(&conn->lock);
	if (!listener)
		return;
	mutex_lock(&iw_listeners_lock);
	list_del_init(&conn->silent);
	mutex_unlock(&iw_listeners_lock);
	conn->listener = NULL;
	iw_listener_put(listener);
}

/**
 * iw_listener_ask - pass a request to the iWARP CM id that listens
 * @conn: connection with a listener; its lock is held
 * @event: the request
 *
 * Context: process, may sleep.
 * Return: 0, -ECONNABORTED (the id does not listen any more), -ENOMEM (backlog is
 * full).
 */
int iw_listener_ask(struct iw_conn *conn, struct iw_cm_event *event)
{
	struct iw_cm_id *cm_id;
	int ret = -ECONNABORTED;

	mutex_lock(&iw_listeners_lock);
	cm_id = conn->listener->cm_id;
	if (cm_id)
		ret = cm_id->event_handler(cm_id, event);
	mutex_unlock(&iw_listeners_lock);
	return ret;
}
