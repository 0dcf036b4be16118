// SPDX-License-Identifier: GPL-2.0
/*
 * The states of a queue pair: which moves are legal, and which attributes each
 * move needs and takes (IBA vol. 1 section 10.3.1 and table 91, XRC from annex
 * A14, raw packet QPs as Linux defines them).
 *
 * One table says it all. A row covers a set of QP types and a set of states to
 * come from; a move that no row covers is illegal.
 */
#include <rdma/ib_verbs.h>

#define T(type)		BIT(IB_QPT_##type)
#define S(state)	BIT(IB_QPS_##state)

#define XRC		(T(XRC_INI) | T(XRC_TGT))
#define CONNECTED	(T(RC) | T(UC) | XRC)
#define MANAGEMENT	(T(SMI) | T(GSI))
#define DATAGRAM	(T(UD) | MANAGEMENT)
#define EVERY_TYPE	(CONNECTED | DATAGRAM | T(RAW_PACKET))
/* Types with a send queue that can fail alone: nothing is acknowledged. */
#define UNACKED		(T(UC) | DATAGRAM | T(RAW_PACKET))
/* Types that answer requests of an acknowledged service. */
#define RESPONDS	(T(RC) | T(XRC_TGT))
/* Types that make requests of an acknowledged service. */
#define REQUESTS	(T(RC) | T(XRC_INI))

/* What a connection may change while it runs. */
#define LIVE		(IB_QP_CUR_STATE | IB_QP_ACCESS_FLAGS | \
			 IB_QP_ALT_PATH | IB_QP_PATH_MIG_STATE)
/* Where the peer is. */
#define PEER		(IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | \
			 IB_QP_RQ_PSN)
/* How long to wait and how often to try. */
#define PATIENCE	(IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY)
/* What may be changed of a connection while its send queue is drained. */
#define DRAINED		(IB_QP_AV | IB_QP_ALT_PATH | IB_QP_ACCESS_FLAGS | \
			 IB_QP_PKEY_INDEX | IB_QP_PATH_MIG_STATE)

struct qp_move {
	u16 types;
	u8 from;		/* S() of all states this row starts in */
	u8 to;
	u32 needs;
	u32 takes;
};

static const struct qp_move moves[] = {
	/*
	 * Out of any state. A QP in Reset has nothing that could be in error,
	 * so it has to be initialised before it can be.
	 */
	{ EVERY_TYPE, 0x7f, IB_QPS_RESET },
	{ EVERY_TYPE, 0x7f & ~S(RESET), IB_QPS_ERR },

	{ CONNECTED, S(RESET), IB_QPS_INIT,
	  IB_QP_PORT | IB_QP_PKEY_INDEX | IB_QP_ACCESS_FLAGS },
	{ T(UD), S(RESET), IB_QPS_INIT,
	  IB_QP_PORT | IB_QP_PKEY_INDEX | IB_QP_QKEY },
	{ MANAGEMENT, S(RESET), IB_QPS_INIT, IB_QP_PKEY_INDEX | IB_QP_QKEY },
	{ T(RAW_PACKET), S(RESET), IB_QPS_INIT, IB_QP_PORT },

	{ CONNECTED, S(INIT), IB_QPS_INIT, 0,
	  IB_QP_PORT | IB_QP_PKEY_INDEX | IB_QP_ACCESS_FLAGS },
	{ T(UD), S(INIT), IB_QPS_INIT, 0,
	  IB_QP_PORT | IB_QP_PKEY_INDEX | IB_QP_QKEY },
	{ MANAGEMENT, S(INIT), IB_QPS_INIT, 0, IB_QP_PKEY_INDEX | IB_QP_QKEY },
	{ T(RAW_PACKET), S(INIT), IB_QPS_INIT },

	{ RESPONDS, S(INIT), IB_QPS_RTR,
	  PEER | IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER,
	  IB_QP_ALT_PATH | IB_QP_ACCESS_FLAGS | IB_QP_PKEY_INDEX },
	{ T(UC) | T(XRC_INI), S(INIT), IB_QPS_RTR, PEER,
	  IB_QP_ALT_PATH | IB_QP_ACCESS_FLAGS | IB_QP_PKEY_INDEX },
	{ DATAGRAM, S(INIT), IB_QPS_RTR, 0, IB_QP_PKEY_INDEX | IB_QP_QKEY },
	{ T(RAW_PACKET), S(INIT), IB_QPS_RTR },

	{ T(RC), S(RTR), IB_QPS_RTS,
	  IB_QP_SQ_PSN | PATIENCE | IB_QP_MAX_QP_RD_ATOMIC,
	  LIVE | IB_QP_MIN_RNR_TIMER },
	{ T(XRC_INI), S(RTR), IB_QPS_RTS,
	  IB_QP_SQ_PSN | PATIENCE | IB_QP_MAX_QP_RD_ATOMIC, LIVE },
	{ T(XRC_TGT), S(RTR), IB_QPS_RTS, IB_QP_SQ_PSN | IB_QP_TIMEOUT,
	  LIVE | IB_QP_MIN_RNR_TIMER },
	{ T(UC), S(RTR), IB_QPS_RTS, IB_QP_SQ_PSN, LIVE },
	{ DATAGRAM, S(RTR), IB_QPS_RTS, IB_QP_SQ_PSN,
	  IB_QP_CUR_STATE | IB_QP_QKEY },
	{ T(RAW_PACKET), S(RTR) | S(RTS), IB_QPS_RTS, 0, IB_QP_RATE_LIMIT },

	{ RESPONDS, S(RTS) | S(SQD), IB_QPS_RTS, 0,
	  LIVE | IB_QP_MIN_RNR_TIMER },
	{ T(UC) | T(XRC_INI), S(RTS) | S(SQD), IB_QPS_RTS, 0, LIVE },
	{ DATAGRAM, S(RTS) | S(SQD) | S(SQE), IB_QPS_RTS, 0,
	  IB_QP_CUR_STATE | IB_QP_QKEY },
	{ T(UC), S(SQE), IB_QPS_RTS, 0,
	  IB_QP_CUR_STATE | IB_QP_ACCESS_FLAGS },
	{ T(RAW_PACKET), S(SQD) | S(SQE), IB_QPS_RTS },

	{ CONNECTED | DATAGRAM, S(RTS), IB_QPS_SQD, 0,
	  IB_QP_EN_SQD_ASYNC_NOTIFY },
	{ T(RAW_PACKET), S(RTS) | S(SQD), IB_QPS_SQD },

	{ T(RC), S(SQD), IB_QPS_SQD, 0,
	  DRAINED | IB_QP_PORT | PATIENCE | IB_QP_MAX_QP_RD_ATOMIC |
	  IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER },
	{ T(XRC_INI), S(SQD), IB_QPS_SQD, 0,
	  DRAINED | IB_QP_PORT | PATIENCE | IB_QP_MAX_QP_RD_ATOMIC },
	{ T(XRC_TGT), S(SQD), IB_QPS_SQD, 0,
	  DRAINED | IB_QP_PORT | IB_QP_TIMEOUT |
	  IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER },
	{ T(UC), S(SQD), IB_QPS_SQD, 0, DRAINED },
	{ DATAGRAM, S(SQD), IB_QPS_SQD, 0, IB_QP_PKEY_INDEX | IB_QP_QKEY },
};

/* States that a consumer may claim the QP to be in (Modify Queue Pair). */
#define CLAIMABLE (S(RTR) | S(RTS) | S(SQD) | S(SQE))

static const struct qp_move *qp_find_move(enum ib_qp_state from,
					  enum ib_qp_state to,
					  enum ib_qp_type type)
{
	const struct qp_move *move;

	for (move = moves; move < moves + ARRAY_SIZE(moves); move++)
		if (move->to == to && move->from & BIT(from) &&
		    move->types & BIT(type))
			return move;
	return NULL;
}

/**
 * ib_modify_qp_is_ok - is this a legal move with legal attributes?
 * @cur_state: state the QP is in
 * @next_state: state it shall go to
 * @type: type of the QP
 * @mask: attributes that come with the request; IB_QP_STATE is always fine
 *
 * IBA vol. 1 table 91. Context: any.
 * Return: true if the move exists for @type, @mask has everything the move
 * needs and nothing that it does not take.
 */
bool ib_modify_qp_is_ok(enum ib_qp_state cur_state, enum ib_qp_state next_state,
			enum ib_qp_type type, enum ib_qp_attr_mask mask)
{
	const struct qp_move *move;

	BUILD_BUG_ON(sizeof(move->types) * BITS_PER_BYTE < IB_QPT_MAX);

	if ((unsigned int)cur_state > IB_QPS_ERR ||
	    (unsigned int)next_state > IB_QPS_ERR ||
	    (unsigned int)type >= IB_QPT_MAX)
		return false;
	if ((mask & IB_QP_CUR_STATE) && !(BIT(cur_state) & CLAIMABLE))
		return false;

	move = qp_find_move(cur_state, next_state, type);
	if (!move || move->needs & ~mask)
		return false;
	return !(mask & ~(move->needs | move->takes | IB_QP_STATE));
}
OFED_EXPORT(ib_modify_qp_is_ok);
