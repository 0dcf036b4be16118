/* SPDX-License-Identifier: GPL-2.0 */
/* Messages that come in: what the files that receive them have between them. */
#ifndef IW_RDMAP_H
#define IW_RDMAP_H

#include "qp.h"

/* The longest header there is, from the length of MPA on. */
union iw_hdr {
	struct iw_tagged tagged;
	struct iw_untagged untagged;
	struct iw_read_req read;
	struct iw_atomic_req atomic;
	struct iw_atomic_resp original;
	struct iw_imm imm;
	u8 bytes[sizeof(struct iw_atomic_req)];
};

static inline u32 iw_payload_of(const struct iw_fpdu *view, u32 header)
{
	return view->ulpdu + IW_MPA_LENGTH_BYTES - header;
}

/* An FPDU that is its header and nothing else. */
static inline bool iw_hdr_is_all(const struct iw_fpdu *view,
				 const union iw_hdr *hdr, u32 header)
{
	return hdr->untagged.ddp & IW_DDP_LAST && !iw_payload_of(view, header);
}

/*
 * Does the queue pair grant @right to a peer? The key is checked besides. Consumers that
 * leave the access flags to librdmacm set none, and still expect inbound WRITEs. So no
 * flags mean no restriction, and any flag makes the flags binding.
 */
static inline bool iw_qp_allows(const struct iw_qp *qp, int right)
{
	int access = READ_ONCE(qp->access);

	return !access || access & right;
}

/* RFC 5041 5.3: one message after the other, one segment after the other. */
static inline enum iw_term iw_check_turn(const struct iw_qp *qp,
					 const union iw_hdr *hdr,
					 enum iw_ddp_queue queue)
{
	if (be32_to_cpu(hdr->untagged.qn) != queue)
		return IW_TERM_DDP_QN;
	if (be32_to_cpu(hdr->untagged.msn) != qp->rx.msn[queue])
		return IW_TERM_DDP_MSN_RANGE;
	if (be32_to_cpu(hdr->untagged.mo) !=
	    (queue == IW_QN_SEND ? qp->rx.mo : 0))
		return IW_TERM_DDP_MO;
	return 0;
}

/* rdmap.c */
void iw_rdmap_rx(struct iw_rx *rx, const struct iw_fpdu *view);
void iw_rdmap_bad_crc(struct iw_rx *rx);

/* refuse.c */
void iw_refuse(struct iw_qp *qp, const struct iw_fpdu *view,
	       const union iw_hdr *hdr, enum iw_term what);

/* irrq.c */
struct iw_wqe *iw_find_ask(struct iw_qp *qp,
			   bool (*fits)(const struct iw_wqe *wqe,
					const void *arg),
			   const void *arg);
struct iw_wqe *iw_oldest_ask(struct iw_qp *qp);
void iw_answered(struct iw_qp *qp, struct iw_wqe *wqe, u8 status);
void iw_irrq_add(struct iw_qp *qp, const struct iw_fpdu *view,
		 const union iw_hdr *hdr, const struct iw_irrq_entry *ask,
		 enum iw_term what);

void iw_rx_read_resp(struct iw_qp *qp, const struct iw_fpdu *view,
		     const union iw_hdr *hdr);
void iw_rx_read_req(struct iw_qp *qp, const struct iw_fpdu *view,
		    const union iw_hdr *hdr);

/* rx_send.c */
void iw_rx_send(struct iw_qp *qp, const struct iw_fpdu *view,
		const union iw_hdr *hdr);
void iw_rx_imm(struct iw_qp *qp, const struct iw_fpdu *view,
	       const union iw_hdr *hdr);

/* atomic_rx.c */
void iw_rx_atomic_req(struct iw_qp *qp, const struct iw_fpdu *view,
		      const union iw_hdr *hdr);
void iw_rx_atomic_resp(struct iw_qp *qp, const struct iw_fpdu *view,
		       const union iw_hdr *hdr);

#endif /* IW_RDMAP_H */
