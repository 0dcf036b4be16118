// SPDX-License-Identifier: GPL-2.0
/*
 * Copies in one piece: of few bytes, between regions with pages that are there, or from or to
 * kernel memory. Most messages are such, and take one section of RCU and one pair of locks. A
 * copy that is more than that is left to cursors (iter.c), which find out what is wrong, too.
 */
#include "pages.h"
#include "piece.h"
#include "region_lock.h"

/* NULL: not for a copy in one piece. */
static struct soft_region *soft_piece_region(const struct soft_piece *piece)
{
	struct soft_region *region = soft_key_find(piece->mem, piece->cache, piece->key);

	return region && region->kind >= SOFT_USER ? region : NULL;
}

static bool soft_piece_is_granted(const struct soft_piece *piece,
				  const struct soft_region *region)
{
	const struct ib_sge sge = {
		.addr = piece->iova,
		.length = piece->covers,
		.lkey = piece->key,
	};

	if (piece->remote)
		return soft_region_may_remote(region, piece->pd, piece->qpn, piece->key,
					      piece->iova, piece->covers,
					      piece->access) == SOFT_OK;
	return soft_locked_may_local(region, piece->pd, &sge, piece->access) == SOFT_OK;
}

/* @region is locked, or NULL: the piece is kernel memory. */
static bool soft_piece_map(const struct soft_piece *piece, const struct soft_region *region,
			   u32 length, bool write, struct soft_spot *spot)
{
	if (!region) {
		*spot = (struct soft_spot){ .at = piece->bytes, .bytes = length };
		return true;
	}
	if (!soft_piece_is_granted(piece, region) ||
	    soft_spot_get(region, piece->iova, length, piece->remote, write, spot) != SOFT_OK)
		return false;
	if (likely(spot->bytes == length))
		return true;
	soft_spot_put(spot);
	return false;
}

static bool soft_piece_move(const struct soft_piece *to, const struct soft_region *to_region,
			    const struct soft_piece *from,
			    const struct soft_region *from_region, u32 length)
{
	struct soft_spot a, b;

	if (!soft_piece_map(to, to_region, length, true, &a))
		return false;
	if (!soft_piece_map(from, from_region, length, false, &b)) {
		soft_spot_put(&a);
		return false;
	}
	memcpy(a.at, b.at, length);
	soft_spot_put(&b);
	soft_spot_put(&a);
	return true;
}

/* RCU keeps the regions, the locks keep what they grant. */
static bool soft_piece_locked(const struct soft_piece *to, const struct soft_piece *from,
			      u32 length)
{
	struct soft_region *a = NULL, *b = NULL;
	unsigned long flags;
	bool moved;

	if (to->mem) {
		a = soft_piece_region(to);
		if (!a)
			return false;
	}
	if (from->mem) {
		b = soft_piece_region(from);
		if (!b)
			return false;
	}
	if (!a && !b)
		return soft_piece_move(to, NULL, from, NULL, length);
	if (a && b && a != b) {
		flags = soft_region_lock_two(a, b);
		moved = soft_piece_move(to, a, from, b, length);
		soft_region_unlock_two(a, b, flags);
		return moved;
	}
	flags = soft_region_lock(a ?: b);
	moved = soft_piece_move(to, a, from, b, length);
	soft_region_unlock(a ?: b, flags);
	return moved;
}

/**
 * soft_piece_copy - copy bytes from one piece to another
 * @to: where to
 * @from: where from
 * @length: bytes, at least 1
 *
 * The rights are looked at under the locks of the regions, with each copy.
 *
 * Context: any. Return: false: nothing was copied. Cursors may do better, or say why not.
 */
bool soft_piece_copy(const struct soft_piece *to, const struct soft_piece *from, u32 length)
{
	bool moved;

	rcu_read_lock();
	moved = soft_piece_locked(to, from, length);
	rcu_read_unlock();
	return moved;
}
