/* SPDX-License-Identifier: GPL-2.0 */
/* What a connection does about what happens to it. */
#ifndef IW_CONN_STATES_H
#define IW_CONN_STATES_H

#include <linux/types.h>

enum iw_conn_state {
	IW_C_TCP,		/* connecting: TCP does */
	IW_C_ASKING,		/* the request is out */
	IW_C_HEARING,		/* accepted by TCP: a request is due */
	IW_C_ASKED,		/* the iWARP CM has the request */
	IW_C_LOST,		/* the same, but the peer has gone */
	IW_C_READYING,		/* the reply is out: "ready to receive" is due */
	IW_C_OPEN,
	IW_C_CLOSING,		/* this side has ended, or will when all is sent */
	IW_C_DRAIN,		/* without queue pair: until the peer ends */
	IW_C_DEAD,		/* without socket */
	IW_C_STATES,
};

enum iw_conn_event {
	IW_E_UP,		/* TCP is connected */
	IW_E_REQUEST,
	IW_E_REPLY,
	IW_E_REJECTION,
	IW_E_BAD_FRAME,
	IW_E_ACCEPT,		/* call of the iWARP CM */
	IW_E_ACCEPT_P2P,	/* the same, and the peer is to say that it is ready */
	IW_E_REJECT,		/* call of the iWARP CM */
	IW_E_READY,
	IW_E_CLOSE,		/* the consumer disconnects */
	IW_E_SENT,		/* nothing is left to be sent */
	IW_E_FAILED,		/* the stream went wrong here: Terminate */
	IW_E_HEARD,		/* the peer's Terminate */
	IW_E_FIN,		/* the peer has ended, and all of it was read */
	IW_E_RESET,		/* TCP is no more */
	IW_E_TIMEOUT,
	IW_E_LEAVE,		/* queue pair goes, and nothing is left to be sent */
	IW_E_ABORT,		/* queue pair, device or module go */
	IW_C_EVENTS,
};

enum iw_conn_act {
	IW_A_REFUSE,		/* not now: nothing changes */
	IW_A_NONE,
	IW_A_SEND_REQUEST,
	IW_A_OPEN,		/* stream, CONNECT_REPLY */
	IW_A_ASK,		/* CONNECT_REQUEST */
	IW_A_ACCEPT,		/* reply, stream; ESTABLISHED unless READYING */
	IW_A_REJECT,		/* reply that says no; end this side */
	IW_A_ESTABLISHED,
	IW_A_GIVE_UP,		/* CONNECT_REPLY with the reason; release */
	IW_A_DROP,		/* release */
	IW_A_CLOSE,		/* queue pair takes no more; end when all is sent */
	IW_A_FIN,		/* end this side */
	IW_A_TERMINATE,		/* Terminate, flush, CLOSE; end this side */
	IW_A_FLUSH,		/* flush, CLOSE; end this side */
	IW_A_END,		/* flush, CLOSE; release */
	IW_A_LATE_END,		/* ESTABLISHED, and then as above */
	IW_A_ABORT,		/* flush, CLOSE; release with a reset */
};

struct iw_conn_step {
	u8 next;
	u8 act;
};

struct iw_conn_step iw_conn_step(enum iw_conn_state state,
				 enum iw_conn_event event);

#endif /* IW_CONN_STATES_H */
