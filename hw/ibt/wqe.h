/* SPDX-License-Identifier: GPL-2.0 */
/* Work requests of the send side: what opcodes mean, and what is copied of each request. */
#ifndef IBT_WQE_H
#define IBT_WQE_H

#include <rdma/ib_verbs.h>

#include "../soft/iter.h"
#include "../soft/mw.h"
#include "opcode.h"
#include "pkt.h"

struct ibt_qp;
struct ibt_av;
struct soft_piece;

/* How a work request is carried out. */
enum ibt_wr_kind {
	IBT_WR_NONE,		/* there is no such request */
	IBT_WR_DATA,		/* SEND, WRITE: bytes go out */
	IBT_WR_RD_ATOMIC,		/* READ, atomics: bytes come back; FLUSH: none do */
	IBT_WR_ATOMIC_WRITE,		/* ATOMIC WRITE: bytes go out, an answer comes */
	IBT_WR_LOCAL_OP,		/* LOCAL_INV, REG_MR, BIND_MW: nothing goes out */
};

/**
 * struct ibt_wr_info - facts of an enum ib_wr_opcode
 * @kind: enum ibt_wr_kind
 * @verb, @extra: of the message it makes
 * @transports: BIT(enum ibt_transport) that have it
 * @kernel_only: not from a user's ring
 * @user_only: the kernel has no request for it
 * @wc: enum ib_wc_opcode of its completion
 */
struct ibt_wr_info {
	u8 kind;
	u8 verb;
	u16 extra;
	u8 transports;
	bool kernel_only;
	bool user_only;
	u8 wc;
};

/* Opcodes from this one on do not exist. The one before is of no request. */
#define IBT_WR_INFOS	64

extern const struct ibt_wr_info ibt_wr_infos[IBT_WR_INFOS];

/* Total: opcodes that do not exist have kind IBT_WR_NONE. */
static inline const struct ibt_wr_info *ibt_wr_info(u32 opcode)
{
	return &ibt_wr_infos[min_t(u32, opcode, IBT_WR_INFOS - 1)];
}

/*
 * No ACK ends it, but an answer of its own, which the peer keeps ready: so it is
 * one of the max_rd_atomic that may be outstanding.
 */
static inline bool ibt_wr_has_response(const struct ibt_wr_info *info)
{
	return info->kind == IBT_WR_RD_ATOMIC || info->kind == IBT_WR_ATOMIC_WRITE;
}

enum ibt_wqe_state {
	IBT_WQE_POSTED,	/* not sent, or not wholly */
	IBT_WQE_SENT,		/* an answer is awaited */
	IBT_WQE_DONE,		/* status is final */
};

/**
 * struct ibt_wqe - a work request in the kernel's hands, copied and checked
 * @status: IB_WC_SUCCESS as long as nothing is wrong with it. A request that was
 *	    malformed waits for its turn with its status set
 * @num_sge: entries of @sge
 * @numbered: it has PSNs. Requests that stay here (REG_MR, ...) never have
 * @begun: (READ) a packet of its response has come
 * @counted: (READ, atomic, ATOMIC WRITE, FLUSH) it is one of sq.rd_atomic
 * @length: bytes of the message
 * @flush.length: (IB_WR_FLUSH) bytes at the peer; the message has none
 * @first_psn, @last_psn: its packets, once they are numbered (READ: of the answer)
 * @ud.route: referenced; its path is asked for when it is sent
 * @ud.header: (IB_WR_LSO) of each of its packets, @ud.header_bytes of it, in memory that
 *	       belongs to the consumer, as the memory of the SGEs does
 * @ud.mss: (IB_WR_LSO) bytes of payload behind it, in each packet but the last
 * @reg.mr: region of the consumer
 * @sge: or @data when @is_inline
 */
struct ibt_wqe {
	u64 wr_id;
	u32 opcode;		/* enum ib_wr_opcode */
	u32 flags;		/* IB_SEND_* */
	u8 state;
	u8 status;		/* enum ib_wc_status */
	u8 num_sge;
	bool is_inline;
	bool numbered;
	bool counted;
	bool begun;
	u32 length;
	u32 first_psn;
	u32 last_psn;
	union {
		__be32 imm;
		u32 inv_rkey;
	};
	union {
		struct {
			u64 remote_addr;
			u32 rkey;
			u32 srqn;	/* XRC */
		} rdma;
		struct {
			u64 remote_addr;
			u64 compare_add;
			u64 swap;
			u32 rkey;
			u32 srqn;
		} atomic;
		struct {
			u64 remote_addr;
			u32 rkey;
			u32 length;
			u8 placement;
			u8 selectivity;
		} flush;
		struct {
			struct ibt_av *route;
			u32 qpn;
			u32 qkey;
			u16 pkey_index;
			u16 mss;
			u32 header_bytes;
			const void *header;
		} ud;
		struct {
			struct ib_mr *mr;
			u32 key;
			int access;
		} reg;
		struct soft_bind bind;
	};
	union {
		DECLARE_FLEX_ARRAY(struct ib_sge, sge);
		DECLARE_FLEX_ARRAY(u8, data);
	};
};

static inline u32 ibt_wqe_npkts(const struct ibt_wqe *wqe)
{
	return ibt_psn_ahead(wqe->last_psn, wqe->first_psn) + 1;
}

/* Is the packet with @psn one of its packets? */
static inline bool ibt_wqe_has_psn(const struct ibt_wqe *wqe, u32 psn)
{
	return wqe->numbered && ibt_psn_ahead(psn, wqe->first_psn) < ibt_wqe_npkts(wqe);
}

/* With sq.lock held. */

void ibt_wqe_assign_psn(struct ibt_qp *qp, struct ibt_wqe *wqe);
void ibt_wqe_src_iter(struct ibt_qp *qp, const struct ibt_wqe *wqe,
		      struct soft_iter *it);
void ibt_wqe_dst_iter(struct ibt_qp *qp, const struct ibt_wqe *wqe,
		      struct soft_iter *it);
bool ibt_wqe_piece(struct ibt_qp *qp, const struct ibt_wqe *wqe, struct soft_piece *from);
enum soft_access_err ibt_wqe_check_sge(struct ibt_qp *qp, const struct ibt_wqe *wqe,
				       const struct ibt_wr_info *info);

#endif /* IBT_WQE_H */
