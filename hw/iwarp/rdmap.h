/* SPDX-License-Identifier: GPL-2.0 */
/* Messages that come in: what the files that receive them have between them. */
#ifndef IW_RDMAP_H
#define IW_RDMAP_H

#include "iwarp.h"

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

static inline u32 iw_payload_of(const struct iw_view *view, u32 header)
{
	return view->ulpdu + IW_MPA_LENGTH_BYTES - header;
}

/* rdmap.c */
void iw_refuse(struct iw_qp *qp, const struct iw_view *view,
	       const union iw_hdr *hdr, enum iw_term what);
bool iw_qp_allows(const struct iw_qp *qp, int right);
enum iw_term iw_check_turn(const struct iw_qp *qp, const union iw_hdr *hdr,
			   enum iw_ddp_queue queue);
enum iw_term iw_begin_recv(struct iw_qp *qp);
struct iw_slot *iw_oldest_ask(struct iw_qp *qp);
void iw_answered(struct iw_qp *qp, struct iw_slot *slot, u8 status);
void iw_take_ask(struct iw_qp *qp, const struct iw_view *view,
		 const union iw_hdr *hdr, const struct iw_ask *ask,
		 enum iw_term what);

/* atomic.c */
void iw_rx_atomic_req(struct iw_qp *qp, const struct iw_view *view,
		      const union iw_hdr *hdr);
void iw_rx_atomic_resp(struct iw_qp *qp, const struct iw_view *view,
		       const union iw_hdr *hdr);
void iw_rx_imm(struct iw_qp *qp, const struct iw_view *view,
	       const union iw_hdr *hdr);

#endif /* IW_RDMAP_H */
