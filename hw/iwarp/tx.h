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
struct iw_wqe;

/**
 * struct iw_irrq_entry - an inbound READ or atomic without a response; an entry of the IRRQ
 * @atomic: true: an atomic; false: a READ
 * @op: (@atomic) enum iw_atomic_op
 * @id: (@atomic) request identifier, returned in the response
 * @sink_stag: (READ) data sink STag of the peer
 * @sink_to: (READ) data sink tagged offset
 * @add_swap: (@atomic) value to add or to swap in
 * @add_swap_mask: (@atomic) mask of @add_swap
 * @compare: (@atomic) value to compare with
 * @compare_mask: (@atomic) mask of @compare
 * @source_stag: data source STag, a local key
 * @source_to: data source tagged offset
 * @size: (READ) bytes
 */
struct iw_irrq_entry {
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
 * struct iw_irrq - inbound READ queue (IRRQ, RFC 5040); guarded by iw_qp.lock
 * @ring: @num entries
 * @num: IRD
 * @head: requests received, not masked
 * @tail: requests with a response in progress or built, not masked
 */
struct iw_irrq {
	struct iw_irrq_entry *ring;
	u32 num;
	u32 head;
	u32 tail;
};

#define IW_TX_VECS 16

enum iw_tx_kind { IW_TX_NONE, IW_TX_SLOT, IW_TX_IMM, IW_TX_ANSWER };

/**
 * struct iw_tx - the send side of a stream; guarded by @lock
 * @lock: guards all members but @wanted, @work and @left. A poster uses
 *	  mutex_trylock(): if that fails, the holder sends its WQEs. A holder that
 *	  sends none releases it by iw_tx_unlock(), unless the stream is over
 * @wanted: bit 0: messages are pending; set before @lock is tried
 * @work: sends for callers that may not sleep, and when the socket has room again
 * @left: time at which a doorbell was left to @work, ns; a hint, no lock
 * @page: page for new FPDUs; the socket may use its bytes below @used
 * @payer: memory cgroup of the program that has the queue pair, referenced; NULL: none
 * @page_bytes: bytes of @page
 * @used: bytes of @page in use
 * @vec: built FPDUs that the socket has not taken
 * @first: first entry of @vec that the socket has not taken completely
 * @num: entries of @vec, counted from 0
 * @sock: socket of the stream; NULL: there is no stream
 * @far: socket of the peer, if FPDUs may bypass TCP (loopback.c)
 * @near: receive side of the peer, while the sender has locked @far
 * @near_bytes: bytes of FPDUs passed to @near since @far is locked
 * @near_total: bytes of FPDUs that have bypassed TCP in all
 * @built: index behind the last WQE with all of its FPDUs built
 * @sent: index behind the last WQE with all of its FPDUs taken by the socket
 * @crc: FPDUs have a CRC
 * @max_ulpdu: bytes of header and payload of an FPDU, at most
 * @msn: next message sequence number, by DDP queue
 * @kind: kind of the message in progress
 * @from: payload of the message in progress
 * @hdr: header fields of its next FPDU
 * @offset: bytes of the message that are built
 * @length: bytes of the message
 * @answers: toggled for each message: a response goes before a WQE if set
 */
struct iw_tx {
	struct mutex lock;
	unsigned long wanted;
	struct work_struct work;
	u64 left;
	struct page *page;
	struct mem_cgroup *payer;
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
void iw_tx_init(struct iw_qp *qp, bool user);
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

/* loopback.c */
bool iw_loopback_begin(struct iw_qp *qp);
u32 iw_loopback_end(struct iw_qp *qp);
int iw_loopback_send_fpdu(struct iw_qp *qp);
void iw_loopback_send_ctrl(struct iw_qp *qp, const void *fpdu, u32 bytes);

/* atomic_tx.c, atomic_rx.c */
int iw_atomic_ask(struct iw_qp *qp, const struct iw_wqe *wqe);
int iw_imm_send(struct iw_qp *qp, const struct iw_wqe *wqe);
u64 iw_atomic_outcome(const struct iw_irrq_entry *ask, u64 was);
int iw_atomic_answer(struct iw_qp *qp, const struct iw_irrq_entry *ask);

#endif /* OFED_IW_TX_H */
