/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State x input of a communication id (IBA vol. 1, 12.9). Facts only: nothing
 * here knows of messages' bytes, locks or memory.
 */
#ifndef OFED_CM_TABLE_H
#define OFED_CM_TABLE_H

#include <rdma/ib_cm.h>

#define CM_STATES (IB_CM_SIDR_REQ_RCVD + 1)
#define CM_LAP_STATES (IB_CM_MRA_LAP_RCVD + 1)

/* What can happen to an id. */
enum cm_input {
	/* calls of the consumer */
	CM_CALL_LISTEN,
	CM_CALL_REQ,
	CM_CALL_REP,
	CM_CALL_RTU,
	CM_CALL_DREQ,
	CM_CALL_DREP,
	CM_CALL_REJ,
	CM_CALL_MRA,
	CM_CALL_SIDR_REQ,
	CM_CALL_SIDR_REP,
	CM_CALL_EST,		/* ib_cm_notify(IB_EVENT_COMM_EST) */
	CM_CALL_MIG,		/* ib_cm_notify(IB_EVENT_PATH_MIG) */
	CM_CALL_DESTROY,
	/* messages of the peer */
	CM_RX_REQ,
	CM_RX_MRA_REQ,		/* MessageMRAed says REQ, REP, or LAP */
	CM_RX_MRA_REP,
	CM_RX_MRA_LAP,
	CM_RX_REJ,
	CM_RX_REJ_STALE,	/* reason 10: the peer still has a connection */
	CM_RX_REP,
	CM_RX_RTU,
	CM_RX_DREQ,
	CM_RX_DREP,
	CM_RX_SIDR_REQ,
	CM_RX_SIDR_REP,
	CM_RX_LAP,
	CM_RX_APR,
	/* time */
	CM_TIMEOUT,		/* no answer to the last of the retries */
	CM_TIMEWAIT_END,
	CM_INPUTS
};

/* What an input leads to. */
enum cm_fsm_result {
	CM_REFUSED,	/* a call gets -EINVAL; a message is dropped */
	CM_GO,		/* the id moves to another state */
	CM_DUPLICATE,	/* a message seen before: counted and dropped */
	CM_REPEAT,	/* the same, and the last answer is sent again */
	CM_STALE,	/* a REQ for a connection in TimeWait: REJ, reason 10 */
	CM_CONNECTED,	/* a call comes late: -EISCONN */
	CM_ASK_LAP,	/* cm_fsm_lap_step() decides */
};

/* The message that goes out with a move that the consumer did not ask for. */
enum cm_final_msg {
	CM_SEND_NOTHING,
	CM_SEND_REJ_TIMEOUT,
	CM_SEND_REJ_CONSUMER,
	CM_SEND_DREQ,
	CM_SEND_DREP,
	CM_SEND_SIDR_REJECT,
};

#define CM_NO_EVENT 0xff

/**
 * struct cm_fsm_step - one cell
 * @result: enum cm_fsm_result; the rest counts with CM_GO alone
 * @next: enum ib_cm_state
 * @raise: enum ib_cm_event_type for the consumer, or CM_NO_EVENT
 * @send: enum cm_final_msg
 */
struct cm_fsm_step {
	u8 result;
	u8 next;
	u8 raise;
	u8 send;
};

/**
 * cm_fsm_step - look up a cell
 * @state: state of the id
 * @input: what happens
 *
 * Return: the cell, never NULL; it says CM_REFUSED for a state or input that
 * does not exist.
 */
const struct cm_fsm_step *cm_fsm_step(enum ib_cm_state state, enum cm_input input);

/**
 * cm_fsm_lap_step - look up a cell of the alternate path's table
 * @lap_state: of an established connection
 * @input: CM_CALL_MRA, CM_CALL_MIG, CM_RX_LAP or CM_RX_APR
 *
 * Return: as cm_fsm_step(); @next is an enum ib_cm_lap_state.
 */
const struct cm_fsm_step *cm_fsm_lap_step(enum ib_cm_lap_state lap_state,
					  enum cm_input input);

/**
 * cm_fsm_errno - the errno of a call that the state does not allow
 * @step: its cell, of another result than CM_GO
 *
 * Return: -EISCONN if the connection is established already, else -EINVAL.
 */
int cm_fsm_errno(const struct cm_fsm_step *step);

/* Passive states before the connection is up; a peer can fill them. */
static inline bool cm_state_half_open(enum ib_cm_state state)
{
	return state == IB_CM_REQ_RCVD || state == IB_CM_MRA_REQ_SENT ||
	       state == IB_CM_REP_SENT || state == IB_CM_MRA_REP_RCVD ||
	       state == IB_CM_SIDR_REQ_RCVD;
}

#endif /* OFED_CM_TABLE_H */
