/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the bytes of a stream to FPDUs. Nothing of an FPDU is looked at before
 * all of it has come and its CRC is right (RFC 5044 6.1), and nothing is copied
 * for that: what came in several pieces is held where it is.
 */
#ifndef IW_RX_H
#define IW_RX_H

#include <linux/skbuff.h>

#include "../soft/iter.h"
#include "wire.h"

struct iw_conn;

#define IW_RX_PIECES 20

/**
 * struct iw_frag - bytes of one skb
 * @skb: not owned here, or held in struct iw_rx
 * @offset: of the first byte
 * @bytes: how many
 */
struct iw_frag {
	struct sk_buff *skb;
	u32 offset;
	u32 bytes;
};

/**
 * struct iw_lb_fpdu - an FPDU of a loopback sender (loopback.c)
 * @head: header, beginning with the MPA length field
 * @bytes: bytes of @head
 * @from: payload in the memory of the sender; the copy advances it
 * @lost: the memory of the sender is gone; not an error of the receiver
 */
struct iw_lb_fpdu {
	const u8 *head;
	u32 bytes;
	struct soft_iter *from;
	bool lost;
};

/**
 * struct iw_fpdu - an FPDU
 * @piece: where its bytes are
 * @num: of @piece
 * @here: where they are instead, without padding and CRC; NULL: in @piece
 * @ulpdu: its length field
 */
struct iw_fpdu {
	const struct iw_frag *piece;
	u32 num;
	struct iw_lb_fpdu *here;
	u32 ulpdu;
};

/* A message of the untagged queue 0 on its way in. */
struct iw_rx_msg {
	bool busy;
	u64 wr_id;
	u32 room;
	u32 num_sge;
	struct ib_sge sge[16];
};

/**
 * struct iw_rx - the receive side of a stream; guarded by the socket's lock
 * @piece: pieces of an FPDU that is not complete yet
 * @num: entries of @piece in use
 * @have: bytes in all of @piece
 * @need: bytes of that FPDU; 0: its length field has not come
 * @ulpdu: its ULPDU length
 * @flat: @piece has one entry, an skb of this module with room for the whole FPDU
 * @crc: FPDUs have a CRC, which is checked
 * @stopped: further input is discarded
 * @rtr: the next FPDU is the RTR of the peer
 * @read_rtr: the READ sent as RTR has no response yet
 * @conn: the connection
 * @msn: next message sequence number, by DDP queue
 * @mo: next message offset in queue 0, bytes
 * @written: bytes of the current or last inbound WRITE
 * @write_over: that WRITE is complete
 * @msg: current message of queue 0
 * @fpdu: handles an FPDU with a correct CRC
 * @bad_crc: handles an FPDU with a wrong CRC
 * @fpdus: FPDUs received
 * @bytes: bytes of these FPDUs
 * @joined: those of @fpdus that came in several pieces
 * @counted: part of @fpdus, @bytes and @joined that the device's counters include
 */
struct iw_rx {
	struct iw_frag piece[IW_RX_PIECES];
	u32 num;
	u32 have;
	u32 need;
	u32 ulpdu;
	bool flat;
	bool crc;
	bool stopped;
	bool rtr;
	bool read_rtr;
	struct iw_conn *conn;
	u32 msn[IW_QNS];
	u32 mo;
	u32 written;
	bool write_over;
	struct iw_rx_msg msg;
	void (*fpdu)(struct iw_rx *rx, const struct iw_fpdu *view);
	void (*bad_crc)(struct iw_rx *rx);
	u64 fpdus;
	u64 bytes;
	u64 joined;
	struct {
		u64 fpdus;
		u64 bytes;
		u64 joined;
	} counted;
};

void iw_rx_begin(struct iw_rx *rx, bool crc);
void iw_rx_end(struct iw_rx *rx);
u32 iw_rx_input(struct iw_rx *rx, struct sk_buff *skb, u32 offset, u32 bytes);
void iw_rx_loopback(struct iw_rx *rx, struct iw_fpdu *view);

/* Parts of an FPDU; offsets count from its length field. */
bool iw_view_read(const struct iw_fpdu *view, u32 offset, void *to, u32 bytes);
enum soft_access_err iw_view_place(const struct iw_fpdu *view, u32 offset,
				   u32 bytes, struct soft_iter *to);

/* Has a loopback sender lost its memory? The sender ends the stream then. */
static inline bool iw_fpdu_src_fault(const struct iw_fpdu *view)
{
	return view->here && view->here->lost;
}

#endif /* IW_RX_H */
