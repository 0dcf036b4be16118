/* SPDX-License-Identifier: GPL-2.0 */
/* Connections: a TCP socket from its first frame to its last. */
#ifndef IW_CONN_H
#define IW_CONN_H

#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>
#include <net/sock.h>
#include <rdma/iw_cm.h>

#include "conn_states.h"
#include "mpa.h"

struct iw_dev;
struct iw_listener;
struct iw_qp;
struct iw_rx;

/* What has happened, for the work to find. */
enum {
	IW_CONN_TIMED_OUT,
	IW_CONN_READY,
	IW_CONN_FAILED,
	IW_CONN_HEARD,
};

/* Callbacks of a socket before iw_conn_attach(). */
struct iw_callbacks {
	void (*data_ready)(struct sock *sk);
	void (*state_change)(struct sock *sk);
	void (*write_space)(struct sock *sk);
	void (*error_report)(struct sock *sk);
};

/**
 * struct iw_conn - a connection
 * @refs: 1 of the socket until it is released, 1 of the queue pair, 1 of the
 *	  iWARP CM between a request and its answer, 1 of each work that is queued
 * @lock: guards all of this but @what, @stream, @silent, @asker, @near and @far
 * @entry: in the list of all connections
 * @asker: (IW_C_ASKING) in the list of connections that have sent a request
 * @near: the peer is a connection of this module; set by iw_conn_look_near()
 * @far: socket of the peer, referenced, if TCP between both stays on this host; set
 *	 together with @near
 * @state: enum iw_conn_state
 * @what: pending events, bits IW_CONN_*
 * @work: handles @what and the state of the socket
 * @timer: timeout of @state
 * @sock: the socket; NULL in IW_C_DEAD
 * @saved: callbacks of @sock before iw_conn_attach()
 * @stream: receive side of the stream; NULL before the stream is open; guarded by the
 *	    socket's lock
 * @listener: (IW_C_HEARING) listener that gets the request, referenced
 * @silent: (IW_C_HEARING) in @listener's list of such
 * @cm_id: id of the iWARP CM, referenced
 * @qp: queue pair, referenced
 * @own: MPA request or reply of this side
 * @peer: MPA request or reply of the peer
 * @terms: result of the MPA negotiation
 * @status: 0, or the errno that ended the connection
 * @moved: (IW_C_CLOSING) bytes that TCP had carried at the last check
 * @deadline: (IW_C_CLOSING) jiffies; the connection is reset then, unless @moved
 *	      grows before
 * @fin_sent: this side has sent a FIN
 * @owes: an ESTABLISHED event to the iWARP CM is pending
 * @have: bytes of @frame that were received
 * @frame: MPA frame of the peer; before it arrives, private data to be sent
 * @pd: private data, a pointer into @frame or NULL
 */
struct iw_conn {
	refcount_t refs;
	struct mutex lock;
	struct list_head entry;
	struct list_head asker;
	bool near;
	struct sock *far;
	enum iw_conn_state state;
	unsigned long what;
	struct work_struct work;
	struct delayed_work timer;
	struct socket *sock;
	struct iw_callbacks saved;
	struct iw_rx *stream;
	struct iw_listener *listener;
	struct list_head silent;
	struct iw_cm_id *cm_id;
	struct iw_qp *qp;
	struct iw_mpa_frame own;
	struct iw_mpa_frame peer;
	struct iw_mpa_terms terms;
	int status;
	u64 moved;
	unsigned long deadline;
	bool fin_sent;
	bool owes;
	u32 have;
	u8 frame[IW_MPA_MAX_FRAME];
	const u8 *pd;
};

/* The connection that has a socket, which is locked; or NULL. */
static inline struct iw_conn *iw_conn_of(struct sock *sk)
{
	return rcu_dereference_protected(__sk_user_data(sk),
					 lockdep_sock_is_held(sk));
}

/**
 * iw_conn_rx_of - the receive side behind a socket
 * @sk: it, locked; a connection's, or one that was
 *
 * Return: it, as long as the socket is locked; NULL: there is none any more.
 */
static inline struct iw_rx *iw_conn_rx_of(struct sock *sk)
{
	struct iw_conn *conn = iw_conn_of(sk);

	return conn ? conn->stream : NULL;
}

/* conn.c: those that there are, and how one is told of what happens */
void iw_conns_add(struct iw_conn *conn);
void iw_conns_del(struct iw_conn *conn);
struct iw_conn *iw_conns_first(void);
void iw_conn_get(struct iw_conn *conn);
void iw_conn_put(struct iw_conn *conn);
void iw_conn_kick(struct iw_conn *conn);
void iw_conn_post_event(struct iw_conn *conn, int what);
void iw_conn_ready(struct iw_conn *conn);
void iw_conn_arm(struct iw_conn *conn, unsigned long delay);

/* conn_near.c: both ends on this host */
void iw_conn_set_pending(struct iw_conn *conn, bool asks);
void iw_conn_look_near(struct iw_conn *conn);

/* conn_sock.c: the socket */
void iw_conn_attach(struct iw_conn *conn, const struct iw_callbacks *saved);
void iw_conn_detach(struct iw_conn *conn);
void iw_conn_set_stream(struct iw_conn *conn, struct iw_rx *rx);
void iw_conn_read(struct iw_conn *conn);
void iw_conn_release(struct iw_conn *conn, bool reset);

/* conn_frame.c: start-up frames */
int iw_conn_send(struct iw_conn *conn, const void *bytes, u32 length);
int iw_conn_read_frame(struct iw_conn *conn, bool reply);
void iw_conn_fill_refusal(struct iw_conn *conn, u32 pd_bytes);
void iw_conn_refuse(struct iw_conn *conn);

/* conn_qp.c: with its queue pair */
int iw_conn_link(struct iw_conn *conn, struct iw_qp *qp);
int iw_conn_open_qp(struct iw_conn *conn);
void iw_conn_start_qp(struct iw_conn *conn);
void iw_conn_unlink_qp(struct iw_conn *conn);

/* conn_fsm.c: what happens, and what is done about it */
int iw_conn_event(struct iw_conn *conn, enum iw_conn_event event);
int iw_conn_call(struct iw_conn *conn, enum iw_conn_event event);
void iw_conn_abort(struct iw_conn *conn);
void iw_conn_process(struct iw_conn *conn);

/* conn_life.c */
struct iw_conn *iw_conn_new(enum iw_conn_state state);
void iw_conns_end(void);

/* Of TCP and the start-up frames; of the peer's end behind a Terminate or rejection. */
#define IW_SETUP_TIME	(10 * HZ)
#define IW_DRAIN_TIME	(5 * HZ)
/* Until bytes for which there was no memory are looked at again. */
#define IW_RETRY_TIME	max(HZ / 20, 1)

#endif /* IW_CONN_H */
