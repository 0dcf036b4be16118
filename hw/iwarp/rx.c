// SPDX-License-Identifier: GPL-2.0
/*
 * Bytes of a stream become FPDUs, RFC 5044 4 and 6: length, CRC, and the whole
 * of it as a list of pieces. What comes in one skb, as it does if the peer lets
 * FPDUs and segments begin together, is never held.
 */
#include "crc.h"
#include "rx.h"

/* ---- parts of an FPDU ---------------------------------------------------------- */

static bool iw_read_piece(const struct iw_frag *piece, u32 skip, u8 *to, u32 bytes)
{
	return !skb_copy_bits(piece->skb, piece->offset + skip, to, bytes);
}

/* The header is all that there is to read. */
static bool iw_read_here(const struct iw_lb_fpdu *here, u32 offset, void *to, u32 bytes)
{
	u32 n = offset < here->bytes ? min(bytes, here->bytes - offset) : 0;

	memcpy(to, here->head + offset, n);
	return n == bytes;
}

/**
 * iw_view_read - copy a part of an FPDU
 * @view: the FPDU
 * @offset: of the first byte, from the length field
 * @to: where to
 * @bytes: how many; inside of the FPDU
 *
 * Context: any. Return: false when there are not so many.
 */
bool iw_view_read(const struct iw_fpdu *view, u32 offset, void *to, u32 bytes)
{
	u32 i, n;

	if (view->here)
		return iw_read_here(view->here, offset, to, bytes);
	for (i = 0; i < view->num && bytes; i++) {
		const struct iw_frag *piece = &view->piece[i];

		if (offset >= piece->bytes) {
			offset -= piece->bytes;
			continue;
		}
		n = min(bytes, piece->bytes - offset);
		if (!iw_read_piece(piece, offset, to, n))
			return false;
		to += n;
		bytes -= n;
		offset = 0;
	}
	return !bytes;
}

/* Bytes of one piece that lie side by side, one run after the other. */
typedef enum soft_access_err (*run_fn)(void *arg, const u8 *bytes, u32 length);

static enum soft_access_err iw_walk_piece(const struct iw_frag *piece, u32 skip,
					  u32 bytes, run_fn fn, void *arg)
{
	enum soft_access_err fault = SOFT_OK;
	struct skb_seq_state state;
	const u8 *at;
	u32 done = 0, n;

	skb_prepare_seq_read(piece->skb, piece->offset + skip,
			     piece->offset + skip + bytes, &state);
	while (done < bytes && fault == SOFT_OK) {
		n = skb_seq_read(done, &at, &state);
		if (!n)
			break;
		n = min(n, bytes - done);
		fault = fn(arg, at, n);
		done += n;
	}
	skb_abort_seq_read(&state);
	if (fault == SOFT_OK && done < bytes)
		fault = SOFT_ERR_BOUNDS;
	return fault;
}

static enum soft_access_err iw_rx_walk(const struct iw_fpdu *view, u32 offset, u32 bytes,
				       run_fn fn, void *arg)
{
	enum soft_access_err fault = SOFT_OK;
	u32 i, n;

	for (i = 0; i < view->num && bytes && fault == SOFT_OK; i++) {
		const struct iw_frag *piece = &view->piece[i];

		if (offset >= piece->bytes) {
			offset -= piece->bytes;
			continue;
		}
		n = min(bytes, piece->bytes - offset);
		fault = iw_walk_piece(piece, offset, n, fn, arg);
		bytes -= n;
		offset = 0;
	}
	/* It had said that it was longer. */
	if (fault == SOFT_OK && bytes)
		fault = SOFT_ERR_BOUNDS;
	return fault;
}

static enum soft_access_err iw_place_run(void *arg, const u8 *bytes, u32 length)
{
	struct soft_iter from;

	/* Only read from. */
	soft_iter_bytes(&from, (void *)bytes, length);
	return soft_iter_copy(arg, &from, length);
}

/* Copy all of the payload: the sender's cursor is at its first byte. */
static enum soft_access_err iw_place_here(struct iw_lb_fpdu *here, u32 bytes,
					  struct soft_iter *to)
{
	enum soft_access_err fault;

	if (!bytes)
		return SOFT_OK;
	fault = soft_iter_copy(to, here->from, bytes);
	if (fault != SOFT_OK)
		here->lost = soft_iter_check(here->from) != SOFT_OK;
	return fault;
}

/**
 * iw_view_place - copy a part of an FPDU to where it belongs
 * @view: the FPDU
 * @offset: of the first byte, from the length field
 * @bytes: how many; inside of the FPDU
 * @to: where they belong; moves on
 *
 * Context: any. Return: what soft_iter_copy() says; see iw_fpdu_src_fault().
 */
enum soft_access_err iw_view_place(const struct iw_fpdu *view, u32 offset,
				   u32 bytes, struct soft_iter *to)
{
	if (view->here)
		return iw_place_here(view->here, bytes, to);
	return iw_rx_walk(view, offset, bytes, iw_place_run, to);
}

static enum soft_access_err iw_crc_run(void *arg, const u8 *bytes, u32 length)
{
	u32 *crc = arg;

	*crc = iw_crc(*crc, bytes, length);
	return SOFT_OK;
}

/* RFC 5044 4.4: of everything in front of it, in the byte order of iSCSI. */
static bool iw_crc_is_right(const struct iw_fpdu *view)
{
	u32 covered = iw_fpdu_bytes(view->ulpdu) - IW_MPA_CRC_BYTES;
	u32 crc = ~0U;
	__le32 found;

	if (!iw_view_read(view, covered, &found, sizeof(found)))
		return false;
	iw_rx_walk(view, 0, covered, iw_crc_run, &crc);
	return found == cpu_to_le32(~crc);
}

/* ---- pieces --------------------------------------------------------------------- */

static void iw_drop_pieces(struct iw_rx *rx)
{
	while (rx->num)
		kfree_skb(rx->piece[--rx->num].skb);
	rx->have = 0;
	rx->need = 0;
	rx->flat = false;
}

struct store {
	struct sk_buff *skb;
	u32 at;
};

static enum soft_access_err iw_store_run(void *arg, const u8 *bytes, u32 length)
{
	struct store *to = arg;

	if (skb_store_bits(to->skb, to->at, bytes, length))
		return SOFT_ERR_BOUNDS;
	to->at += length;
	return SOFT_OK;
}

/*
 * Copy all pieces into one skb with room for the whole FPDU. This bounds the memory that
 * a peer can pin by an FPDU in many small segments.
 */
static bool iw_join_pieces(struct iw_rx *rx)
{
	const struct iw_fpdu view = { .piece = rx->piece, .num = rx->num };
	const u32 have = rx->have, need = rx->need;
	struct store to = {};
	int err;

	to.skb = alloc_skb_with_frags(0, need, 3, &err, GFP_ATOMIC | __GFP_NOWARN);
	if (!to.skb)
		return false;
	to.skb->len = need;
	to.skb->data_len = need;
	if (iw_rx_walk(&view, 0, have, iw_store_run, &to) != SOFT_OK) {
		kfree_skb(to.skb);
		return false;
	}
	iw_drop_pieces(rx);
	rx->piece[0] = (struct iw_frag){ .skb = to.skb, .bytes = have };
	rx->num = 1;
	rx->have = have;
	rx->need = need;
	rx->flat = true;
	return true;
}

static bool iw_rx_append(struct iw_rx *rx, const struct iw_frag *piece)
{
	struct store to = { .skb = rx->piece[0].skb, .at = rx->have };

	if (iw_walk_piece(piece, 0, piece->bytes, iw_store_run, &to) != SOFT_OK)
		return false;
	rx->piece[0].bytes += piece->bytes;
	rx->have += piece->bytes;
	return true;
}

static bool iw_rx_hold(struct iw_rx *rx, const struct iw_frag *piece)
{
	struct sk_buff *clone;

	/* The length is known: it takes two pieces at most to have that. */
	if (rx->num == IW_RX_PIECES && !rx->flat && !iw_join_pieces(rx))
		return false;
	if (rx->flat)
		return iw_rx_append(rx, piece);
	clone = skb_clone(piece->skb, GFP_ATOMIC | __GFP_NOWARN);
	if (!clone)
		return false;
	rx->piece[rx->num] = *piece;
	rx->piece[rx->num++].skb = clone;
	rx->have += piece->bytes;
	return true;
}

/* ---- FPDUs ---------------------------------------------------------------------- */

static u32 iw_ulpdu_of(const struct iw_fpdu *view)
{
	__be16 length = 0;

	iw_view_read(view, 0, &length, sizeof(length));
	return be16_to_cpu(length);
}

/* Its length is read once: a peer on this host may write to the page it sent. */
static void iw_rx_fpdu(struct iw_rx *rx, struct iw_fpdu *view, u32 ulpdu)
{
	view->ulpdu = ulpdu;
	rx->fpdus++;
	rx->bytes += iw_fpdu_bytes(view->ulpdu);
	if (rx->crc && !iw_crc_is_right(view))
		rx->bad_crc(rx);
	else
		rx->fpdu(rx, view);
}

/**
 * iw_rx_loopback - an FPDU that an end of this host hands over
 * @rx: receive side of a stream of which no FPDU is in progress
 * @view: the FPDU, with its length
 *
 * There is no CRC, as no wire was there. Context: as iw_rx_input().
 */
void iw_rx_loopback(struct iw_rx *rx, struct iw_fpdu *view)
{
	if (rx->stopped)
		return;
	rx->fpdus++;
	rx->bytes += iw_fpdu_bytes(view->ulpdu);
	rx->fpdu(rx, view);
}

/* An FPDU that lies in one skb; 0: it does not. */
static u32 iw_take_whole(struct iw_rx *rx, const struct iw_frag *piece)
{
	struct iw_fpdu view = { .piece = piece, .num = 1 };
	u32 need, ulpdu;

	if (rx->num || piece->bytes < IW_MPA_LENGTH_BYTES)
		return 0;
	ulpdu = iw_ulpdu_of(&view);
	need = iw_fpdu_bytes(ulpdu);
	if (need > piece->bytes)
		return 0;
	iw_rx_fpdu(rx, &view, ulpdu);
	return need;
}

static void iw_set_length(struct iw_rx *rx, const struct iw_fpdu *view)
{
	rx->ulpdu = iw_ulpdu_of(view);
	rx->need = iw_fpdu_bytes(rx->ulpdu);
}

/* What the FPDU in progress lacks of @piece, or as much as tells its length. */
static u32 iw_take_part(struct iw_rx *rx, struct iw_frag piece)
{
	struct iw_fpdu view = { .piece = rx->piece };
	u32 lacks = (rx->need ?: IW_MPA_LENGTH_BYTES) - rx->have;

	if (!rx->num && piece.bytes >= IW_MPA_LENGTH_BYTES) {
		/* Not all of it, iw_take_whole() says. */
		view.piece = &piece;
		view.num = 1;
		iw_set_length(rx, &view);
		lacks = min(piece.bytes, rx->need);
	}
	piece.bytes = min(piece.bytes, lacks);
	if (!iw_rx_hold(rx, &piece)) {
		/* It is looked at again, maybe with more behind it. */
		if (!rx->num)
			rx->need = 0;
		return 0;
	}
	view = (struct iw_fpdu){ .piece = rx->piece, .num = rx->num };
	if (!rx->need && rx->have >= IW_MPA_LENGTH_BYTES)
		iw_set_length(rx, &view);
	if (rx->need && rx->have == rx->need) {
		rx->joined++;
		iw_rx_fpdu(rx, &view, rx->ulpdu);
		iw_drop_pieces(rx);
	}
	return piece.bytes;
}

/**
 * iw_rx_input - bytes of a stream
 * @rx: receive side of that stream
 * @skb: where they are; what is still needed of it is referenced
 * @offset: of the first byte
 * @bytes: how many
 *
 * Context: any, one at a time for a stream.
 * Return: how many were taken: all, or fewer when there was no memory. Once the
 * stream has been stopped they are taken and forgotten.
 */
u32 iw_rx_input(struct iw_rx *rx, struct sk_buff *skb, u32 offset, u32 bytes)
{
	struct iw_frag piece = { .skb = skb };
	u32 done = 0, n;

	while (done < bytes && !rx->stopped) {
		piece.offset = offset + done;
		piece.bytes = bytes - done;
		n = iw_take_whole(rx, &piece);
		if (!n)
			n = iw_take_part(rx, piece);
		if (!n)
			return done;
		done += n;
	}
	return bytes;
}

/**
 * iw_rx_begin - a stream begins
 * @rx: zeroed, but for what is to be done with an FPDU
 * @crc: CRCs are there
 */
void iw_rx_begin(struct iw_rx *rx, bool crc)
{
	u32 i;

	rx->crc = crc;
	for (i = 0; i < IW_QNS; i++)
		rx->msn[i] = 1;
}

/**
 * iw_rx_end - a stream is over
 * @rx: takes nothing any more
 */
void iw_rx_end(struct iw_rx *rx)
{
	rx->stopped = true;
	iw_drop_pieces(rx);
}
