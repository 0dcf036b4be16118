// SPDX-License-Identifier: GPL-2.0
/* State x event of a connection. What is not in the table changes nothing. */
#include "conn_states.h"

#define ROW(event, to, what) \
	[IW_E_##event] = { .next = IW_C_##to, .act = IW_A_##what }

static const struct iw_conn_step table[IW_C_STATES][IW_C_EVENTS] = {
	[IW_C_TCP] = {
		ROW(UP, ASKING, SEND_REQUEST),
		ROW(FIN, DEAD, GIVE_UP),
		ROW(RESET, DEAD, GIVE_UP),
		ROW(TIMEOUT, DEAD, GIVE_UP),
		ROW(CLOSE, DEAD, GIVE_UP),
		ROW(ABORT, DEAD, GIVE_UP),
	},
	[IW_C_ASKING] = {
		ROW(REPLY, OPEN, OPEN),
		ROW(REJECTION, DEAD, GIVE_UP),
		ROW(BAD_FRAME, DEAD, GIVE_UP),
		ROW(FIN, DEAD, GIVE_UP),
		ROW(RESET, DEAD, GIVE_UP),
		ROW(TIMEOUT, DEAD, GIVE_UP),
		ROW(CLOSE, DEAD, GIVE_UP),
		ROW(ABORT, DEAD, GIVE_UP),
	},
	[IW_C_HEARING] = {
		ROW(REQUEST, ASKED, ASK),
		ROW(BAD_FRAME, DEAD, DROP),
		ROW(FIN, DEAD, DROP),
		ROW(RESET, DEAD, DROP),
		ROW(TIMEOUT, DEAD, DROP),
		ROW(ABORT, DEAD, DROP),
	},
	[IW_C_ASKED] = {
		ROW(ACCEPT, OPEN, ACCEPT),
		ROW(ACCEPT_P2P, READYING, ACCEPT),
		ROW(REJECT, DRAIN, REJECT),
		ROW(FIN, LOST, NONE),
		ROW(RESET, LOST, NONE),
		ROW(ABORT, LOST, NONE),
	},
	[IW_C_LOST] = {
		ROW(ACCEPT, DEAD, DROP),
		ROW(ACCEPT_P2P, DEAD, DROP),
		ROW(REJECT, DEAD, DROP),
	},
	[IW_C_READYING] = {
		ROW(READY, OPEN, ESTABLISHED),
		ROW(FAILED, DRAIN, TERMINATE),
		ROW(HEARD, DRAIN, FLUSH),
		ROW(FIN, DEAD, LATE_END),
		ROW(RESET, DEAD, LATE_END),
		ROW(TIMEOUT, DEAD, LATE_END),
		ROW(CLOSE, DEAD, LATE_END),
		ROW(ABORT, DEAD, LATE_END),
	},
	[IW_C_OPEN] = {
		ROW(CLOSE, CLOSING, CLOSE),
		ROW(FAILED, DRAIN, TERMINATE),
		ROW(HEARD, DRAIN, FLUSH),
		ROW(FIN, DEAD, END),
		ROW(RESET, DEAD, END),
		ROW(ABORT, DEAD, ABORT),
	},
	[IW_C_CLOSING] = {
		ROW(SENT, CLOSING, FIN),
		ROW(FAILED, DRAIN, TERMINATE),
		ROW(HEARD, DRAIN, FLUSH),
		ROW(FIN, DEAD, END),
		ROW(RESET, DEAD, END),
		ROW(TIMEOUT, DEAD, ABORT),
		ROW(LEAVE, DRAIN, FLUSH),
		ROW(ABORT, DEAD, ABORT),
	},
	[IW_C_DRAIN] = {
		ROW(FIN, DEAD, DROP),
		ROW(RESET, DEAD, DROP),
		ROW(TIMEOUT, DEAD, DROP),
		ROW(ABORT, DEAD, DROP),
	},
};

/**
 * iw_conn_step - what to do about an event
 * @state: of the connection
 * @event: what happened
 *
 * Return: the state from then on, and what to do. IW_A_REFUSE: nothing, and
 * the state stays.
 */
struct iw_conn_step iw_conn_step(enum iw_conn_state state,
				 enum iw_conn_event event)
{
	struct iw_conn_step step = table[state][event];

	if (step.act == IW_A_REFUSE)
		step.next = state;
	return step;
}
