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
 * struct iw_piece - bytes of one skb
 * @skb: not owned here, or held in struct iw_rx
 * @offset: of the first byte
 * @bytes: how many
 */
struct iw_piece {
	struct sk_buff *skb;
	u32 offset;
	u32 bytes;
};

/**
 * struct iw_here - an FPDU that an end of this host hands over (near.c)
 * @head: header, from the length field on
 * @bytes: of @head
 * @from: payload, in memory of the sender; moves on
 * @lost: that memory was not there: nobody is to blame here
 */
struct iw_here {
	const u8 *head;
	u32 bytes;
	struct soft_iter *from;
	bool lost;
};

/**
 * struct iw_view - an FPDU
 * @piece: where its bytes are
 * @num: of @piece
 * @here: where they are instead, without padding and CRC; NULL: in @piece
 * @ulpdu: its length field
 */
struct iw_view {
	const struct iw_piece *piece;
	u32 num;
	struct iw_here *here;
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
 * @piece: of the FPDU that has not come completely
 * @num: of @piece
 * @have: bytes in all of @piece
 * @need: bytes of that FPDU; 0: its length has not come
 * @ulpdu: what its length field says
 * @flat: there is one piece, ours, with room for all of it
 * @crc: CRCs are there and are checked
 * @stopped: nothing more is taken
 * @rtr: the first FPDU says that the peer is ready, no more
 * @read_rtr: an empty READ of ours has no answer
 * @conn: whose stream it is
 * @msn: of the next message, by queue
 * @mo: bytes of the message of queue 0
 * @written: bytes of the WRITE that is coming, or was the last one
 * @write_over: that one is complete
 * @msg: that message
 * @fpdu: what to do with an FPDU whose CRC is right
 * @bad_crc: what to do when one is wrong
 * @fpdus: that came
 * @bytes: of them
 * @joined: of them, those that came in several pieces
 * @counted: of these three, what the counters of the device have
 */
struct iw_rx {
	struct iw_piece piece[IW_RX_PIECES];
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
	void (*fpdu)(struct iw_rx *rx, const struct iw_view *view);
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
void iw_rx_here(struct iw_rx *rx, struct iw_view *view);

/* Parts of an FPDU; offsets count from its length field. */
bool iw_view_read(const struct iw_view *view, u32 offset, void *to, u32 bytes);
enum soft_fault iw_view_place(const struct iw_view *view, u32 offset,
			      u32 bytes, struct soft_iter *to);

/* Did iw_view_place() fail because of the sender? He ends the stream himself. */
static inline bool iw_view_lost(const struct iw_view *view)
{
	return view->here && view->here->lost;
}

#endif /* IW_RX_H */
