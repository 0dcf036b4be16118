// SPDX-License-Identifier: GPL-2.0
/*
 * FPDUs are built one behind the other in kernel pages, and the socket takes
 * references to these pages. So a payload is copied once, its CRC is computed over
 * the copy, and the memory of the poster is not read after the FPDU is built.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "crc.h"
#include "qp.h"

/* A page of 32 KiB, where there is one. */
#define PAGE_ORDER 3

/*
 * A stream keeps its page, so the owner of the queue pair is charged for it. Where there is no
 * such page, or the memory cgroup of the owner is full, one of PAGE_SIZE that is not charged lets
 * the stream go on.
 */
static struct page *iw_new_page(struct iw_tx *tx)
{
	const gfp_t gfp = GFP_NOIO | __GFP_NOWARN;
	struct mem_cgroup *old;
	struct page *page;

	old = set_active_memcg(tx->payer);
	page = alloc_pages(gfp | __GFP_COMP | __GFP_NORETRY |
			   (tx->payer ? __GFP_ACCOUNT : 0), PAGE_ORDER);
	set_active_memcg(old);
	tx->page_bytes = page ? PAGE_SIZE << PAGE_ORDER : PAGE_SIZE;
	return page ?: alloc_page(gfp);
}

/* Make sure that @tx->page has room for an FPDU of @bytes. */
static int iw_make_room(struct iw_tx *tx, u32 bytes)
{
	/* The socket holds no reference to the page any more: reuse it. */
	if (tx->page && tx->first == tx->num && page_ref_count(tx->page) == 1)
		tx->used = 0;
	if (tx->page && tx->page_bytes - tx->used >= bytes)
		return 0;
	if (tx->page)
		put_page(tx->page);
	tx->page = iw_new_page(tx);
	tx->used = 0;
	return tx->page ? 0 : -ENOMEM;
}

/* @bytes at @used are built. */
static void iw_fpdu_add(struct iw_tx *tx, u32 bytes)
{
	struct bio_vec *last = tx->num > tx->first ? &tx->vec[tx->num - 1] : NULL;

	if (last && last->bv_page == tx->page &&
	    last->bv_offset + last->bv_len == tx->used) {
		last->bv_len += bytes;
	} else {
		get_page(tx->page);
		tx->vec[tx->num++] = (struct bio_vec){
			.bv_page = tx->page,
			.bv_offset = tx->used,
			.bv_len = bytes,
		};
	}
	tx->used += bytes;
}

/* Padding and CRC behind @ulpdu bytes and their length. */
static void iw_fpdu_finish(struct iw_tx *tx, u8 *fpdu, u32 ulpdu)
{
	u32 covered = iw_fpdu_bytes(ulpdu) - IW_MPA_CRC_BYTES;
	__le32 crc = 0;

	memset(fpdu + IW_MPA_LENGTH_BYTES + ulpdu, 0,
	       covered - IW_MPA_LENGTH_BYTES - ulpdu);
	if (tx->crc)
		crc = cpu_to_le32(~iw_crc(~0U, fpdu, covered));
	memcpy(fpdu + covered, &crc, sizeof(crc));
}

static void *iw_at_end(struct iw_tx *tx)
{
	return page_address(tx->page) + tx->used;
}

/**
 * iw_fpdu_header - write the header of the next FPDU of the message in progress
 * @tx: send side
 * @to: as many bytes as the longest has, struct iw_untagged
 * @bytes: of its payload
 * @last: it is the last one
 *
 * Return: bytes of it.
 */
u32 iw_fpdu_header(const struct iw_tx *tx, u8 *to, u32 bytes, bool last)
{
	const struct iw_tx_hdr *hdr = &tx->hdr;
	u8 ddp = IW_DDP_VERSION | (hdr->tagged ? IW_DDP_TAGGED : 0) |
		 (last ? IW_DDP_LAST : 0);
	struct iw_untagged untagged;
	struct iw_tagged tagged;
	u32 size = hdr->tagged ? sizeof(tagged) : sizeof(untagged);
	__be16 length = cpu_to_be16(size - IW_MPA_LENGTH_BYTES + bytes);

	if (hdr->tagged) {
		tagged = (struct iw_tagged){
			.length = length,
			.ddp = ddp,
			.rdmap = IW_RDMAP_VERSION | hdr->rdmap,
			.stag = cpu_to_be32(hdr->stag),
			.to = cpu_to_be64(hdr->to + tx->offset),
		};
		memcpy(to, &tagged, sizeof(tagged));
		return size;
	}
	untagged = (struct iw_untagged){
		.length = length,
		.ddp = ddp,
		.rdmap = IW_RDMAP_VERSION | hdr->rdmap,
		.ulp = cpu_to_be32(hdr->stag),
		.qn = cpu_to_be32(hdr->qn),
		.msn = cpu_to_be32(hdr->msn),
		.mo = cpu_to_be32(tx->offset),
	};
	memcpy(to, &untagged, sizeof(untagged));
	return size;
}

/**
 * iw_fpdu_payload - payload of the next FPDU of the message in progress
 * @tx: send side
 *
 * Return: bytes that fit; there may be no page for so many.
 */
u32 iw_fpdu_payload(const struct iw_tx *tx)
{
	u32 hdr = tx->hdr.tagged ? sizeof(struct iw_tagged) :
		  sizeof(struct iw_untagged);
	u32 most = tx->max_ulpdu + IW_MPA_LENGTH_BYTES - hdr;

	return min(tx->length - tx->offset, round_down(most, 4));
}

static u32 iw_fpdu_bytes_of(const struct iw_tx *tx, u32 payload)
{
	u32 hdr = tx->hdr.tagged ? sizeof(struct iw_tagged) :
		  sizeof(struct iw_untagged);

	return iw_fpdu_bytes(hdr - IW_MPA_LENGTH_BYTES + payload);
}

/**
 * iw_fpdu_build - build the next FPDU of the message in progress
 * @qp: queue pair
 * @tx: its send side; its lock is held
 *
 * Context: process, may sleep.
 * Return: 0; -ENOSPC: give the socket what there is first; -ENOMEM; -EFAULT: the
 * memory of the message is not there any more.
 */
int iw_fpdu_build(struct iw_qp *qp, struct iw_tx *tx)
{
	u32 payload = iw_fpdu_payload(tx), bytes, hdr;
	struct soft_iter to;
	u8 *fpdu;
	int ret;

	lockdep_assert_held(&tx->lock);
	if (tx->num == IW_TX_VECS)
		return -ENOSPC;
	ret = iw_make_room(tx, iw_fpdu_bytes_of(tx, payload));
	if (ret)
		return ret;
	/* A small page, when there was no other. */
	while (iw_fpdu_bytes_of(tx, payload) > tx->page_bytes)
		payload = round_down(payload / 2, 4);
	bytes = iw_fpdu_bytes_of(tx, payload);

	fpdu = iw_at_end(tx);
	hdr = iw_fpdu_header(tx, fpdu, payload, tx->offset + payload == tx->length);
	soft_iter_bytes(&to, fpdu + hdr, payload);
	if (soft_iter_copy(&to, &tx->from, payload) != SOFT_OK)
		return -EFAULT;
	iw_fpdu_finish(tx, fpdu, hdr - IW_MPA_LENGTH_BYTES + payload);
	iw_fpdu_add(tx, bytes);
	tx->offset += payload;
	iw_count(iw_qp_dev(qp), IW_STAT_TX_FPDUS);
	iw_count_add(iw_qp_dev(qp), IW_STAT_TX_BYTES, bytes);
	return 0;
}

/**
 * iw_fpdu_control - an FPDU that is there already, without padding and CRC
 * @qp: queue pair
 * @fpdu: from the length on, which is set here
 * @bytes: of @fpdu
 *
 * Context: process, may sleep; tx.lock is held. Return: 0, -ENOSPC or -ENOMEM.
 */
int iw_fpdu_control(struct iw_qp *qp, const void *fpdu, u32 bytes)
{
	struct iw_tx *tx = &qp->tx;
	u32 ulpdu = bytes - IW_MPA_LENGTH_BYTES;
	__be16 length = cpu_to_be16(ulpdu);
	int ret;
	u8 *to;

	lockdep_assert_held(&tx->lock);
	if (tx->num == IW_TX_VECS)
		return -ENOSPC;
	ret = iw_make_room(tx, iw_fpdu_bytes(ulpdu));
	if (ret)
		return ret;
	to = iw_at_end(tx);
	memcpy(to, fpdu, bytes);
	memcpy(to, &length, sizeof(length));
	iw_fpdu_finish(tx, to, ulpdu);
	iw_fpdu_add(tx, iw_fpdu_bytes(ulpdu));
	iw_count(iw_qp_dev(qp), IW_STAT_TX_FPDUS);
	iw_count_add(iw_qp_dev(qp), IW_STAT_TX_BYTES, iw_fpdu_bytes(ulpdu));
	return 0;
}

/**
 * iw_tx_drop - forget what the socket has not taken
 * @tx: send side of a stream that is over; its lock is held
 */
void iw_tx_drop(struct iw_tx *tx)
{
	lockdep_assert_held(&tx->lock);
	for (; tx->first < tx->num; tx->first++)
		put_page(tx->vec[tx->first].bv_page);
	tx->first = 0;
	tx->num = 0;
	if (tx->page)
		put_page(tx->page);
	tx->page = NULL;
	soft_iter_end(&tx->from);
	tx->kind = IW_TX_NONE;
}
