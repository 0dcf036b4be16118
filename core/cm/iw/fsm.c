// SPDX-License-Identifier: GPL-2.0
/*
 * State x input of the iWARP CM. What is not in the table is refused.
 *
 * The state moves when the driver reports, not when the client hears of it. So
 * a destroy that waits for a report never waits for the queue that brings
 * events to clients, on which the destroy may run itself.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "fsm.h"

#define REFUSE		{ IW_REFUSE, 0 }
#define IGNORE		{ IW_IGNORE, 0 }
#define WAIT		{ IW_WAIT, 0 }
#define GO(state)	{ IW_GO, IW_ ## state }
#define NOTIFY(state)	{ IW_NOTIFY, IW_ ## state }

static const struct ofed_iw_step steps[IW_NUM_STATES][IW_NUM_INPUTS] = {
	[IW_IDLE] = {
		[IW_DO_LISTEN]		= GO(OPENING),
		[IW_DO_CONNECT]		= GO(CALLING),
		/* A connection that is over is disconnected. */
		[IW_DO_DISCONNECT]	= IGNORE,
		[IW_DO_DESTROY]		= GO(GONE),
		/* The driver has reported the failure and returned it, too. */
		[IW_DO_FAILED]		= IGNORE,
		[IW_UP_DISCONNECT]	= IGNORE,
		[IW_UP_CLOSE]		= IGNORE,
	},
	[IW_OPENING] = {
		[IW_DO_DESTROY]		= WAIT,
		[IW_DO_LISTENING]	= GO(LISTEN),
		[IW_DO_FAILED]		= GO(IDLE),
		/* Peers may be faster than the driver's return. */
		[IW_UP_REQUEST]		= NOTIFY(OPENING),
	},
	[IW_LISTEN] = {
		[IW_DO_DESTROY]		= GO(GONE),
		[IW_UP_REQUEST]		= NOTIFY(LISTEN),
	},
	[IW_CALLING] = {
		[IW_DO_DISCONNECT]	= WAIT,
		[IW_DO_DESTROY]		= WAIT,
		[IW_DO_FAILED]		= GO(IDLE),
		[IW_UP_REPLY]		= NOTIFY(OPEN),
		[IW_UP_REFUSED]		= NOTIFY(IDLE),
		[IW_UP_DISCONNECT]	= IGNORE,
		[IW_UP_CLOSE]		= NOTIFY(IDLE),
	},
	[IW_CALLED] = {
		[IW_DO_ACCEPT]		= GO(ANSWERING),
		[IW_DO_REJECT]		= GO(IDLE),
		/* Not connected yet: the answer is still owed. */
		[IW_DO_DISCONNECT]	= IGNORE,
		[IW_DO_DESTROY]		= GO(GONE),
		/* The peer has gone; the driver says so to the answer. */
		[IW_UP_DISCONNECT]	= IGNORE,
		[IW_UP_CLOSE]		= IGNORE,
	},
	[IW_ANSWERING] = {
		[IW_DO_DISCONNECT]	= WAIT,
		[IW_DO_DESTROY]		= WAIT,
		[IW_DO_FAILED]		= GO(IDLE),
		[IW_UP_ESTABLISHED]	= NOTIFY(OPEN),
		[IW_UP_DISCONNECT]	= IGNORE,
		[IW_UP_CLOSE]		= NOTIFY(IDLE),
	},
	[IW_OPEN] = {
		[IW_DO_DISCONNECT]	= GO(CLOSING),
		[IW_DO_DESTROY]		= GO(GONE),
		[IW_DO_FAILED]		= GO(IDLE),
		[IW_UP_DISCONNECT]	= GO(CLOSING),
		[IW_UP_CLOSE]		= NOTIFY(IDLE),
	},
	[IW_CLOSING] = {
		/* The peer was first, or the client calls again. */
		[IW_DO_DISCONNECT]	= IGNORE,
		[IW_DO_DESTROY]		= GO(GONE),
		[IW_DO_FAILED]		= GO(IDLE),
		[IW_UP_DISCONNECT]	= IGNORE,
		[IW_UP_CLOSE]		= NOTIFY(IDLE),
	},
	[IW_GONE] = {
		[IW_DO_FAILED]		= IGNORE,
		[IW_UP_REPLY]		= IGNORE,
		[IW_UP_REFUSED]		= IGNORE,
		[IW_UP_ESTABLISHED]	= IGNORE,
		[IW_UP_DISCONNECT]	= IGNORE,
		[IW_UP_CLOSE]		= IGNORE,
	},
};

/**
 * ofed_iw_step - look up what an input does
 * @state: state of the id
 * @input: what happens
 *
 * Return: the step; IW_REFUSE for anything that does not exist.
 */
struct ofed_iw_step ofed_iw_step(enum ofed_iw_state state,
				 enum ofed_iw_input input)
{
	struct ofed_iw_step step = REFUSE;

	if ((unsigned int)state < IW_NUM_STATES &&
	    (unsigned int)input < IW_NUM_INPUTS)
		step = steps[state][input];
	if (step.result < IW_GO)
		step.next = state;
	return step;
}

/**
 * ofed_iw_may_init_qp - ask whether a QP can be prepared for a connection
 * @state: state of the id
 *
 * Return: true before and while it is connected.
 */
bool ofed_iw_may_init_qp(enum ofed_iw_state state)
{
	return state <= IW_OPEN && state != IW_OPENING && state != IW_LISTEN;
}
