/* SPDX-License-Identifier: GPL-2.0 */
/* The send side of a stream. */
#ifndef OFED_IW_TX_H
#define OFED_IW_TX_H

#include <linux/bvec.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/workqueue.h>

#include "../soft/iter.h"
#include "wire.h"

struct iw_qp;
struct iw_rx;
struct iw_slot;

/**
 * struct iw_ask - a READ or an atomic of the peer, not answered
 * @atomic: it is one
 * @op: (@atomic) enum iw_atomic_op
 * @id: (@atomic) what the answer says
 * @sink_stag: where the answer goes, in the peer's words
 * @sink_to: likewise
 * @add_swap: (@atomic)
 * @add_swap_mask: (@atomic)
 * @compare: (@atomic)
 * @compare_mask: (@atomic)
 * @source_stag: our key
 * @source_to: address of the first byte, as that key counts
 * @size: bytes
 */
struct iw_ask {
	bool atomic;
	u8 op;
	union {
		u32 sink_stag;
		u32 id;
	};
	u32 source_stag;
	u32 size;
	u64 source_to;
	union {
		u64 sink_to;
		u64 add_swap;
	};
	u64 add_swap_mask;
	u64 compare;
	u64 compare_mask;
};

/**
 * struct iw_asks - READs and atomics of the peer; guarded by iw_qp.lock
 * @ring: @num of them
 * @num: IRD
 * @head: asked ever
 * @tail: answers that are built
 */
struct iw_asks {
	struct iw_ask *ring;
	u32 num;
	u32 head;
	u32 tail;
};

#define IW_TX_VECS 16

enum iw_tx_kind { IW_TX_NONE, IW_TX_SLOT, IW_TX_IMM, IW_TX_ANSWER };

/**
 * struct iw_tx - the send side of a stream; guarded by @lock
 * @lock: guards the rest; only tried for by a poster: the one that has it goes on
 * @wanted: bit 0: look again, somebody has something to send
 * @work: sends where the poster may not, and when the socket has room again
 * @left: when a doorbell was left to @work; ns, without a lock
 * @page: where FPDUs are built; those before @used belong to the socket
 * @page_bytes: of @page
 * @used: of @page
 * @vec: bytes that are built, and that the socket has not taken
 * @first: of @vec
 * @num: of @vec, from 0
 * @sock: where to; NULL: there is no stream
 * @far: socket of the other end, if FPDUs may go there directly (near.c)
 * @near: receive side of the other end, while its socket is locked by us
 * @near_bytes: of FPDUs that went there since it is
 * @near_total: of all that went there
 * @built: slots up to here are in @vec completely, or left already
 * @sent: slots up to here have left
 * @crc: put a CRC in
 * @max_ulpdu: payload and header that fit
 * @msn: of the next message, by queue
 * @kind: what the message in progress is
 * @from: bytes of the message in progress
 * @hdr: how it goes on
 * @offset: bytes of it that are built
 * @length: bytes of it
 * @answers: it is the turn of an answer
 */
struct iw_tx {
	struct mutex lock;
	unsigned long wanted;
	struct work_struct work;
	u64 left;
	struct page *page;
	u32 page_bytes;
	u32 used;
	struct bio_vec vec[IW_TX_VECS];
	u32 first;
	u32 num;
	struct socket *sock;
	struct sock *far;
	struct iw_rx *near;
	u32 near_bytes;
	u64 near_total;
	u32 built;
	u32 sent;
	bool crc;
	u32 max_ulpdu;
	u32 msn[IW_QNS];
	enum iw_tx_kind kind;
	struct soft_iter from;
	struct iw_tx_hdr {
		u8 rdmap;
		bool tagged;
		u32 stag;	/* or the ULP word */
		u64 to;
		u32 qn;
		u32 msn;
	} hdr;
	u32 offset;
	u32 length;
	bool answers;
};

/* wq.c */
void iw_tx_kick(struct iw_qp *qp);

/* tx.c */
void iw_tx_init(struct iw_qp *qp);
void iw_tx_exit(struct iw_qp *qp);
void iw_tx_run(struct iw_qp *qp);
bool iw_tx_idle(struct iw_qp *qp);
int iw_tx_push(struct iw_qp *qp);

/* tx_control.c */
int iw_tx_rtr(struct iw_qp *qp, u16 how);
void iw_tx_terminate(struct iw_qp *qp);

/* fpdu.c */
u32 iw_fpdu_header(const struct iw_tx *tx, u8 *to, u32 bytes, bool last);
u32 iw_fpdu_payload(const struct iw_tx *tx);
int iw_fpdu_build(struct iw_qp *qp, struct iw_tx *tx);
int iw_fpdu_control(struct iw_qp *qp, const void *fpdu, u32 bytes);
void iw_tx_drop(struct iw_tx *tx);

/* near.c */
bool iw_near_begin(struct iw_qp *qp);
u32 iw_near_end(struct iw_qp *qp);
int iw_near_build(struct iw_qp *qp);
void iw_near_control(struct iw_qp *qp, const void *fpdu, u32 bytes);

/* atomic_tx.c, atomic.c */
int iw_atomic_ask(struct iw_qp *qp, const struct iw_slot *slot);
int iw_imm_send(struct iw_qp *qp, const struct iw_slot *slot);
u64 iw_atomic_outcome(const struct iw_ask *ask, u64 was);
int iw_atomic_answer(struct iw_qp *qp, const struct iw_ask *ask);

#endif /* OFED_IW_TX_H */
