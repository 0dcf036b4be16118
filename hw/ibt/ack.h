/* SPDX-License-Identifier: GPL-2.0 */
/* Answers without payload. With resp.lock held. */
#ifndef IBT_ACK_H
#define IBT_ACK_H

#include "msg.h"
#include "opcode.h"

struct ibt_path;
struct ibt_pkt;
struct ibt_qp;
struct ibt_resp;
struct sk_buff;

/* Packets without AckReq after which an ACK is sent all the same. */
#define IBT_ACK_EVERY		32

/* AETH syndrome that says @verdict (RNR: with the QP's timer). */
u8 ibt_resp_syndrome(const struct ibt_qp *qp, enum ibt_exec_status verdict);
/* Fields of a response that do not depend on what it says; @pkt is all zero. */
void ibt_resp_header(const struct ibt_qp *qp, const struct ibt_path *path,
		     struct ibt_pkt *pkt, enum ibt_verb verb, u8 place,
		     u32 psn);
void ibt_resp_ack(struct ibt_qp *qp, u32 psn);
/* Tell @verdict of the request at @psn, with its consequences. */
void ibt_resp_nak(struct ibt_qp *qp, u32 psn, enum ibt_exec_status verdict);
void ibt_resp_gap(struct ibt_qp *qp, u32 psn, u32 packets);
/* A request was refused by @syndrome. */
void ibt_resp_trace(const struct ibt_qp *qp, u32 psn, u8 syndrome);
void ibt_resp_ack_init(struct ibt_resp *resp);
/* Send what is owed. False: there is no memory still, or it may not leave yet. */
bool ibt_resp_send_pending_ack(struct ibt_qp *qp);
/* An answer with @psn has left, of whatever kind. */
void ibt_resp_ack_sent(struct ibt_resp *resp, u32 psn);
/* The answer of @request, an atomic or ATOMIC WRITE. @skb: of ibt_tx_alloc(),
 * consumed.
 */
void ibt_resp_atomic(struct ibt_qp *qp, struct ibt_path *path,
		     struct sk_buff *skb, const struct ibt_pkt *request,
		     u64 original);

#endif /* IBT_ACK_H */
