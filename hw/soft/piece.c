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
static __always_inline struct soft_region *soft_piece_region(const struct soft_piece *piece)
{
	struct soft_region *region = soft_key_find(piece->mem, piece->cache, piece->key);

	return likely(region && region->kind >= SOFT_USER) ? region : NULL;
}

static __always_inline bool soft_piece_is_granted(const struct soft_piece *piece,
						  const struct soft_region *region)
{
	if (unlikely(region->kind >= SOFT_WINDOW_1))
		return piece->remote &&
		       soft_region_may_remote(region, piece->pd, piece->qpn, piece->key,
					      piece->iova, piece->covers,
					      piece->access) == SOFT_OK;
	return soft_region_grants(region, piece->pd, piece->key, piece->iova, piece->covers,
				  piece->access) == SOFT_OK;
}

/* @region is locked. */
static __always_inline bool soft_piece_map(const struct soft_piece *piece,
					   const struct soft_region *region, u32 length,
					   bool write, struct soft_spot *spot)
{
	if (!soft_piece_is_granted(piece, region) ||
	    soft_spot_get(region, piece->iova, length, piece->remote, write, spot) != SOFT_OK)
		return false;
	if (likely(spot->bytes == length))
		return true;
	soft_spot_put(spot);
	return false;
}

/* Between a region and kernel memory. RCU keeps the region, its lock keeps what it grants. */
static __always_inline bool soft_piece_move(const struct soft_piece *piece, void *bytes,
					    u32 length, bool write)
{
	struct soft_region *region;
	struct soft_spot spot;
	unsigned long flags;
	bool mapped = false;

	rcu_read_lock();
	region = soft_piece_region(piece);
	if (unlikely(!region))
		goto out;
	flags = soft_region_lock(region);
	mapped = soft_piece_map(piece, region, length, write, &spot);
	if (likely(mapped)) {
		if (write)
			memcpy(spot.at, bytes, length);
		else
			memcpy(bytes, spot.at, length);
		soft_spot_put(&spot);
	}
	soft_region_unlock(region, flags);
out:
	rcu_read_unlock();
	return mapped;
}

/**
 * soft_piece_read - copy bytes from a region
 * @from: where from, of a region
 * @bytes: where to
 * @length: of both, at least 1
 *
 * Context: any. Return: as soft_piece_copy().
 */
bool soft_piece_read(const struct soft_piece *from, void *bytes, u32 length)
{
	return soft_piece_move(from, bytes, length, false);
}

/**
 * soft_piece_write - copy bytes to a region
 * @to: where to, of a region
 * @bytes: where from
 * @length: of both, at least 1
 *
 * Context: any. Return: as soft_piece_copy().
 */
bool soft_piece_write(const struct soft_piece *to, const void *bytes, u32 length)
{
	return soft_piece_move(to, (void *)bytes, length, true);
}

/* Both are locked. */
static bool soft_piece_between(const struct soft_piece *to, const struct soft_region *to_region,
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
	struct soft_region *a = soft_piece_region(to), *b;
	unsigned long flags;
	bool moved;

	b = a ? soft_piece_region(from) : NULL;
	if (!b)
		return false;
	if (a != b) {
		flags = soft_region_lock_two(a, b);
		moved = soft_piece_between(to, a, from, b, length);
		soft_region_unlock_two(a, b, flags);
		return moved;
	}
	flags = soft_region_lock(a);
	moved = soft_piece_between(to, a, from, a, length);
	soft_region_unlock(a, flags);
	return moved;
}

/**
 * soft_piece_copy - copy bytes from one piece to another
 * @to: where to, of a region
 * @from: where from, of a region or kernel memory
 * @length: bytes, at least 1
 *
 * The rights are looked at under the locks of the regions, with each copy.
 *
 * Context: any. Return: false: nothing was copied. Cursors may do better, or say why not.
 */
bool soft_piece_copy(const struct soft_piece *to, const struct soft_piece *from, u32 length)
{
	bool moved;

	if (!from->mem)
		return soft_piece_write(to, from->bytes, length);
	rcu_read_lock();
	moved = soft_piece_locked(to, from, length);
	rcu_read_unlock();
	return moved;
}
