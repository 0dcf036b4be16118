// SPDX-License-Identifier: GPL-2.0
/*
 * The one copy cursor. All bytes of messages move through soft_iter_copy(),
 * straight from where they are to where they belong.
 */
#include <linux/export.h>
#include <linux/sizes.h>

#include "iter.h"
#include "pages.h"
#include "region_lock.h"

/* Interrupts are disabled while this many bytes move. */
#define COPY_CHUNK (16U << 10)
/* Absent pages behind the one that is needed, which are brought in with it. */
#define AHEAD SZ_1M

/**
 * soft_iter_list - a cursor over the entries of a work request
 * @it: filled in
 * @mem: of the device
 * @pd: of the queue pair
 * @sge: entries, in kernel memory that stays as long as @it is used
 * @num: of entries
 * @access: 0 to read, IB_ACCESS_LOCAL_WRITE to write
 *
 * Nothing is checked yet. Context: any.
 */
void soft_iter_list(struct soft_iter *it, struct soft_mem *mem,
		    struct ib_pd *pd, const struct ib_sge *sge, u32 num,
		    int access)
{
	u32 i;

	*it = (struct soft_iter){
		.kind = SOFT_ITER_LIST,
		.access = access,
		.mem = mem,
		.pd = pd,
		.sge = sge,
		.num = num,
	};
	for (i = 0; i < num; i++)
		it->left += sge[i].length;
}
EXPORT_SYMBOL_GPL(soft_iter_list);

/* The reference to @region, or NULL with @length 0, is the cursor's from now on. */
static void soft_over_region(struct soft_iter *it, struct soft_region *region,
			     u32 grant, u64 iova, u64 length)
{
	*it = (struct soft_iter){
		.kind = SOFT_ITER_REGION,
		.region = region,
		.grant = grant,
		.pos = iova,
		.left = length,
	};
}

/**
 * soft_iter_remote - a cursor over the memory that a request of the peer names
 * @it: filled in; on a fault too, and soft_iter_end() is harmless then
 * @mem: of the device
 * @pd: of the queue pair
 * @qpn: of the queue pair
 * @rkey: of the request
 * @iova: of the request
 * @length: of the request
 * @access: IB_ACCESS_REMOTE_*
 *
 * No change of the region goes unnoticed between the check and the copy.
 *
 * Context: any.
 */
enum soft_access_err soft_iter_remote(struct soft_iter *it, struct soft_mem *mem,
				      struct ib_pd *pd, u32 qpn, u32 rkey, u64 iova,
				      u64 length, int access)
{
	struct soft_region *region;
	enum soft_access_err fault;
	u32 grant = 0;

	region = soft_region_remote(mem, pd, qpn, rkey, iova, length, access, &fault,
				    &grant);
	soft_over_region(it, region, grant, iova, region ? length : 0);
	return fault;
}
EXPORT_SYMBOL_GPL(soft_iter_remote);

/**
 * soft_iter_bytes - a cursor over kernel memory
 * @it: filled in
 * @bytes: not owned
 * @length: of @bytes
 */
void soft_iter_bytes(struct soft_iter *it, void *bytes, u32 length)
{
	*it = (struct soft_iter){
		.kind = SOFT_ITER_BYTES,
		.bytes = bytes,
		.left = length,
	};
}
EXPORT_SYMBOL_GPL(soft_iter_bytes);

/**
 * soft_iter_skb - a cursor over a part of a packet, to read from
 * @it: filled in
 * @skb: not owned
 * @offset: of the first byte, from skb->data
 * @length: bytes, inside of @skb
 */
void soft_iter_skb(struct soft_iter *it, const struct sk_buff *skb,
		   u32 offset, u32 length)
{
	*it = (struct soft_iter){
		.kind = SOFT_ITER_SKB,
		.skb = skb,
		.pos = offset,
		.left = length,
	};
}

static void soft_leave_region(struct soft_iter *it)
{
	soft_region_put(it->region);
	it->region = NULL;
}

/**
 * soft_iter_end - put what a cursor holds
 * @it: may be ended any number of times, or be all zero
 *
 * One over a list stays where it is: the next copy looks for the region of its
 * entry anew, and checks it. One over a region is at its end. Context: any.
 */
void soft_iter_end(struct soft_iter *it)
{
	soft_leave_region(it);
	if (it->kind == SOFT_ITER_REGION)
		it->left = 0;
}
EXPORT_SYMBOL_GPL(soft_iter_end);

/* Step over entries that are used up or empty: those are never looked at. */
static void soft_find_entry(struct soft_iter *it)
{
	while (it->cur < it->num && it->pos >= it->sge[it->cur].length) {
		soft_leave_region(it);
		it->cur++;
		it->pos = 0;
	}
}

static enum soft_access_err soft_enter_entry(struct soft_iter *it)
{
	const struct ib_sge *sge = &it->sge[it->cur];
	struct soft_region *region = soft_region_get(it->mem, sge->lkey);
	enum soft_access_err fault;

	if (!region)
		return SOFT_ERR_KEY;
	fault = soft_region_may_local(region, it->pd, sge, it->access,
				      &it->grant);
	if (fault == SOFT_OK)
		it->region = region;
	else
		soft_region_put(region);
	return fault;
}

static enum soft_access_err soft_check_entry(const struct soft_iter *it, u32 index)
{
	enum soft_access_err fault = SOFT_OK;

	if (it->sge[index].length)
		soft_region_put(soft_region_local(it->mem, it->pd,
						  &it->sge[index], it->access,
						  &fault));
	return fault;
}

static u64 soft_region_pos(const struct soft_iter *it)
{
	if (it->kind == SOFT_ITER_LIST)
		return it->sge[it->cur].addr + it->pos;
	return it->pos;
}

/* The region, if there is one, is locked. */
static enum soft_access_err soft_still_granted(const struct soft_iter *it, u64 bytes)
{
	const struct soft_region *region = it->region;

	if (!region)
		return SOFT_OK;
	soft_region_assert_locked(region);
	if (!region->valid || region->grant != it->grant)
		return SOFT_ERR_KEY;
	if (!soft_region_covers(region, soft_region_pos(it), bytes))
		return SOFT_ERR_BOUNDS;
	return SOFT_OK;
}

/**
 * soft_iter_check - would a copy of all that is left succeed now?
 * @it: stays where it is
 *
 * References are not kept. Context: any.
 */
enum soft_access_err soft_iter_check(struct soft_iter *it)
{
	enum soft_access_err fault = SOFT_OK;
	unsigned long flags;
	u32 i;

	if (it->kind == SOFT_ITER_LIST) {
		for (i = it->cur; i < it->num && fault == SOFT_OK; i++)
			fault = soft_check_entry(it, i);
	} else if (it->kind == SOFT_ITER_REGION && it->left) {
		flags = soft_region_lock(it->region);
		fault = soft_still_granted(it, it->left);
		soft_region_unlock(it->region, flags);
	}
	return fault;
}
EXPORT_SYMBOL_GPL(soft_iter_check);

/**
 * soft_iter_skip - move on without a copy
 * @it: the cursor
 * @bytes: how far
 *
 * Entries that are passed are not checked. Context: any.
 * Return: SOFT_OK, or SOFT_ERR_BOUNDS (not so many left; @it did not move).
 */
enum soft_access_err soft_iter_skip(struct soft_iter *it, u64 bytes)
{
	u64 step;

	if (bytes > it->left)
		return SOFT_ERR_BOUNDS;
	it->left -= bytes;
	if (it->kind != SOFT_ITER_LIST) {
		it->pos += bytes;
		return SOFT_OK;
	}
	while (bytes) {
		soft_find_entry(it);
		step = min(bytes, it->sge[it->cur].length - it->pos);
		it->pos += step;
		bytes -= step;
	}
	return SOFT_OK;
}
EXPORT_SYMBOL_GPL(soft_iter_skip);

/* Be at a region, if the cursor is over any; @run: bytes up to its end. */
static enum soft_access_err soft_iter_settle(struct soft_iter *it, u64 *run)
{
	*run = it->left;
	if (it->kind != SOFT_ITER_LIST)
		return SOFT_OK;
	soft_find_entry(it);
	if (it->cur == it->num)
		return SOFT_ERR_BOUNDS;
	*run = it->sge[it->cur].length - it->pos;
	return it->region ? SOFT_OK : soft_enter_entry(it);
}

/* The pages that the next @bytes of @it want of its region. @run: up to the end of the entry. */
static bool soft_run_absent(const struct soft_iter *it, u64 bytes, u64 run, bool write,
			    struct soft_want *want)
{
	u64 pos = soft_region_pos(it);

	if (!it->region || !soft_region_absent(it->region, pos, bytes, write, want))
		return false;
	/* The rest of the message comes next. */
	want->length = min_t(u64, pos + run - want->iova, AHEAD);
	return true;
}

/**
 * soft_iter_absent - which pages does a copy find absent?
 * @it: stays where it is
 * @bytes: of the copy, or more than are left
 * @write: it is the destination
 * @want: filled in, with a reference to the region
 *
 * Context: any. Return: pages are absent. False: they have come meanwhile, or something else is
 * wrong, which a copy finds out.
 */
bool soft_iter_absent(const struct soft_iter *it, u64 bytes, bool write, struct soft_want *want)
{
	struct soft_iter at = *it;
	bool absent = false;
	u64 run;

	/* A list takes its references itself. */
	if (at.kind == SOFT_ITER_LIST)
		at.region = NULL;
	bytes = min(bytes, at.left);
	while (bytes && !absent && soft_iter_settle(&at, &run) == SOFT_OK) {
		u64 step = min(run, bytes);

		absent = soft_run_absent(&at, step, run, write, want);
		soft_iter_skip(&at, step);
		bytes -= step;
	}
	if (at.kind == SOFT_ITER_LIST)
		soft_leave_region(&at);
	return absent;
}

/* Bytes of @it in kernel addresses; not for an skb. */
static enum soft_access_err soft_spot_of(const struct soft_iter *it, u64 done, u64 want,
					 bool write, struct soft_spot *spot)
{
	if (it->kind == SOFT_ITER_BYTES) {
		spot->at = it->bytes + it->pos + done;
		spot->bytes = want;
		spot->mapped = false;
		return SOFT_OK;
	}
	return soft_spot_get(it->region, soft_region_pos(it) + done, want,
			     it->kind == SOFT_ITER_REGION, write, spot);
}

/* Bytes of a packet that lie together, at most @bytes. NULL: it is not so simple. */
static const u8 *soft_bytes_of(const struct sk_buff *skb, u64 offset, u64 *bytes)
{
	const struct skb_shared_info *info = skb_shinfo(skb);
	const skb_frag_t *frag;
	const u8 *at;
	u32 i;

	if (offset < skb_headlen(skb)) {
		*bytes = min(*bytes, skb_headlen(skb) - offset);
		return skb->data + offset;
	}
	offset -= skb_headlen(skb);
	for (i = 0; i < info->nr_frags; i++) {
		frag = &info->frags[i];
		if (offset >= skb_frag_size(frag)) {
			offset -= skb_frag_size(frag);
			continue;
		}
		*bytes = min(*bytes, skb_frag_size(frag) - offset);
		at = skb_frag_address_safe(frag);
		return at ? at + offset : NULL;
	}
	return NULL;
}

static enum soft_access_err soft_copy_packet(const struct soft_spot *to,
					     const struct soft_iter *from, u64 done,
					     u64 *bytes)
{
	u64 offset = from->pos + done;
	const u8 *at;

	*bytes = to->bytes;
	at = soft_bytes_of(from->skb, offset, bytes);
	if (at)
		memcpy(to->at, at, *bytes);
	else if (skb_copy_bits(from->skb, offset, to->at, *bytes))
		return SOFT_ERR_BOUNDS;
	return SOFT_OK;
}

static enum soft_access_err soft_copy_spot(const struct soft_spot *to,
					   const struct soft_iter *from, u64 done,
					   u64 *bytes)
{
	enum soft_access_err fault;
	struct soft_spot spot;

	fault = soft_spot_of(from, done, to->bytes, false, &spot);
	if (fault != SOFT_OK)
		return fault;
	*bytes = spot.bytes;
	memcpy(to->at, spot.at, *bytes);
	soft_spot_put(&spot);
	return SOFT_OK;
}

/* Both regions are locked. */
static enum soft_access_err soft_copy_run(const struct soft_iter *to,
					  const struct soft_iter *from, u64 bytes)
{
	u64 done = 0, moved = 0;
	enum soft_access_err fault;
	struct soft_spot spot;

	fault = soft_still_granted(to, bytes);
	if (fault == SOFT_OK)
		fault = soft_still_granted(from, bytes);
	if (fault != SOFT_OK)
		return fault;
	while (done < bytes) {
		fault = soft_spot_of(to, done, bytes - done, true, &spot);
		if (fault != SOFT_OK)
			return fault;
		if (from->kind == SOFT_ITER_SKB)
			fault = soft_copy_packet(&spot, from, done, &moved);
		else
			fault = soft_copy_spot(&spot, from, done, &moved);
		soft_spot_put(&spot);
		if (fault != SOFT_OK)
			return fault;
		done += moved;
	}
	return SOFT_OK;
}

/* Either of the two may be without a lock, and both may be one region. */
static enum soft_access_err soft_copy_locked(const struct soft_iter *to,
					     const struct soft_iter *from, u64 bytes)
{
	struct soft_region *a = to->region, *b = from->region;
	enum soft_access_err fault;
	unsigned long flags;

	if (!a || a->kind == SOFT_DMA)
		swap(a, b);
	if (!a)
		return soft_copy_run(to, from, bytes);
	if (!b || b->kind == SOFT_DMA || a == b) {
		flags = soft_region_lock(a);
		fault = soft_copy_run(to, from, bytes);
		soft_region_unlock(a, flags);
		return fault;
	}
	flags = soft_region_lock_two(a, b);
	fault = soft_copy_run(to, from, bytes);
	soft_region_unlock_two(a, b, flags);
	return fault;
}

/**
 * soft_iter_copy - copy from one cursor to the other; both move on
 * @to: not over an skb
 * @from: the source
 * @length: bytes
 *
 * Keys of entries are checked as they are reached, and that the regions still
 * grant what they did, each time. After a fault the bytes in front of the
 * cursors have been copied, and perhaps some behind. Where source and
 * destination overlap, any of their bytes may come out.
 *
 * Context: any; interrupts are disabled for up to 16 KiB.
 * Return: SOFT_OK; SOFT_ERR_BOUNDS (not so many bytes left in one of them, or
 * what soft_region_local() says), SOFT_ERR_KEY, SOFT_ERR_PERM; SOFT_ERR_ABSENT
 * (soft_iter_absent() of one of them tells which pages).
 */
enum soft_access_err soft_iter_copy(struct soft_iter *to, struct soft_iter *from,
				    u32 length)
{
	enum soft_access_err fault;
	u64 run, to_run, from_run;

	if (length > to->left || length > from->left)
		return SOFT_ERR_BOUNDS;
	while (length) {
		fault = soft_iter_settle(to, &to_run);
		if (fault == SOFT_OK)
			fault = soft_iter_settle(from, &from_run);
		if (fault != SOFT_OK)
			return fault;
		run = min3(to_run, from_run, (u64)min(length, COPY_CHUNK));
		fault = soft_copy_locked(to, from, run);
		if (fault != SOFT_OK)
			return fault;
		soft_iter_skip(to, run);
		soft_iter_skip(from, run);
		length -= run;
	}
	return SOFT_OK;
}
EXPORT_SYMBOL_GPL(soft_iter_copy);
