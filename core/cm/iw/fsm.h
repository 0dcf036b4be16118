/* SPDX-License-Identifier: GPL-2.0 */
/* The states of an iWARP CM id and what moves them. Facts only, no device. */
#ifndef OFED_CM_IW_TABLE_H
#define OFED_CM_IW_TABLE_H

#include <linux/types.h>

enum ofed_iw_state {
	IW_IDLE,	/* new, or over */
	IW_OPENING,	/* listen: the driver has not agreed yet */
	IW_LISTEN,	/* the driver listens */
	IW_CALLING,	/* connect: the driver will report how it went */
	IW_CALLED,	/* a request waits for the client's answer */
	IW_ANSWERING,	/* accept: the driver will report how it went */
	IW_OPEN,	/* connected */
	IW_CLOSING,	/* one side has begun to disconnect */
	IW_GONE,	/* destroyed by its client; others may hold it */
	IW_NUM_STATES
};

enum ofed_iw_input {
	/* Calls of the client. */
	IW_DO_LISTEN,
	IW_DO_CONNECT,
	IW_DO_ACCEPT,
	IW_DO_REJECT,
	IW_DO_DISCONNECT,
	IW_DO_DESTROY,
	/* The driver has agreed to listen. */
	IW_DO_LISTENING,
	/* The driver has refused the call that moved the id. */
	IW_DO_FAILED,
	/* Events of the driver. */
	IW_UP_REQUEST,
	IW_UP_REPLY,		/* connected */
	IW_UP_REFUSED,		/* a reply with an error */
	IW_UP_ESTABLISHED,
	IW_UP_DISCONNECT,
	IW_UP_CLOSE,
	IW_NUM_INPUTS
};

enum ofed_iw_fsm_result {
	IW_REFUSE,	/* -EINVAL; nothing moves */
	IW_IGNORE,	/* success; nothing moves */
	IW_WAIT,	/* not before the driver has reported or answered */
	IW_GO,		/* move */
	IW_NOTIFY,	/* move, and tell the client */
};

/**
 * struct ofed_iw_step - what an input does in a state
 * @result: whether to move
 * @next: state to move to; the old one, unless @result moves
 */
struct ofed_iw_step {
	enum ofed_iw_fsm_result result;
	enum ofed_iw_state next;
};

struct ofed_iw_step ofed_iw_step(enum ofed_iw_state state,
				 enum ofed_iw_input input);
bool ofed_iw_may_init_qp(enum ofed_iw_state state);

#endif /* OFED_CM_IW_TABLE_H */
