/* SPDX-License-Identifier: GPL-2.0 */
/* Datagrams that are received. */
#ifndef IBT_UD_RECV_H
#define IBT_UD_RECV_H

struct ibt_pkt;
struct ibt_port;
struct ibt_qp;
struct ibt_rx_meta;
struct soft_iter;

/* Which key of a datagram is not the receiver's. */
enum ibt_ud_fault {
	IBT_UD_OK,
	IBT_UD_PKEY,
	IBT_UD_QKEY,
};

/* A datagram for @qp: SEND_ONLY, with or without immediate. @from: its payload. */
void ibt_ud_receive(struct ibt_qp *qp, const struct ibt_pkt *pkt,
		    struct soft_iter *from, const struct ibt_rx_meta *meta);
/* The same, but a key that is wrong is only told. */
enum ibt_ud_fault ibt_ud_try(struct ibt_qp *qp, const struct ibt_pkt *pkt,
			     struct soft_iter *from,
			     const struct ibt_rx_meta *meta);
/* Count @fault of a packet. */
void ibt_ud_refused(struct ibt_port *port, enum ibt_ud_fault fault,
		    const struct ibt_pkt *pkt, const struct ibt_rx_meta *meta);

#endif /* IBT_UD_RECV_H */
