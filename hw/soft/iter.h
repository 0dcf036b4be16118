/* SPDX-License-Identifier: GPL-2.0 */
/* The one copy cursor. */
#ifndef OFED_SOFT_ITER_H
#define OFED_SOFT_ITER_H

#include <linux/skbuff.h>
#include <rdma/ib_verbs.h>

#include "mr_table.h"
#include "odp_table.h"

/**
 * struct soft_iter - a place in a message's memory, moving forward
 *
 * Bytes come from, or go to, one of: a list of SGEs, checked entry by entry as
 * it is reached; one region; kernel bytes; a part of an skb (to read from).
 *
 * @kind: which of the four
 * @mem: (list) keys
 * @pd: (list) of the queue pair
 * @access: (list) what each entry must allow, 0 or IB_ACCESS_LOCAL_WRITE
 * @sge: (list) not owned
 * @num: (list) entries
 * @cur: (list) entry that @region belongs to
 * @region: (list, region) referenced; NULL before the first use of an entry
 * @grant: (list, region) of @region, when its key was checked
 * @bytes: (bytes)
 * @skb: (skb)
 * @pos: (region) next iova; (list) offset in the current entry; (bytes, skb)
 *	 offset
 * @left: bytes until the end of all
 */
struct soft_iter {
	enum soft_iter_kind {
		SOFT_ITER_LIST,
		SOFT_ITER_REGION,
		SOFT_ITER_BYTES,
		SOFT_ITER_SKB,
	} kind;
	int access;
	struct soft_mem *mem;
	struct ib_pd *pd;
	const struct ib_sge *sge;
	u32 num;
	u32 cur;
	struct soft_region *region;
	u32 grant;
	union {
		void *bytes;
		const struct sk_buff *skb;
	};
	u64 pos;
	u64 left;
};

void soft_iter_list(struct soft_iter *it, struct soft_mem *mem,
		    struct ib_pd *pd, const struct ib_sge *sge, u32 num,
		    int access);
enum soft_access_err soft_iter_remote(struct soft_iter *it, struct soft_mem *mem,
				      struct ib_pd *pd, u32 qpn, u32 rkey, u64 iova,
				      u64 length, int access);
void soft_iter_bytes(struct soft_iter *it, void *bytes, u32 length);
void soft_iter_skb(struct soft_iter *it, const struct sk_buff *skb,
		   u32 offset, u32 length);
/* Puts what it holds. One over a list can go on where it is all the same. */
void soft_iter_end(struct soft_iter *it);
enum soft_access_err soft_iter_check(struct soft_iter *it);	/* every entry, now */
bool soft_iter_absent(const struct soft_iter *it, u64 bytes, bool write, struct soft_want *want);
enum soft_access_err soft_iter_skip(struct soft_iter *it, u64 bytes);
enum soft_access_err soft_iter_copy(struct soft_iter *to, struct soft_iter *from,
				    u32 length);

#endif /* OFED_SOFT_ITER_H */
