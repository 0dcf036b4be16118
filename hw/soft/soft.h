/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What software devices share: rings that user space maps, memory regions and
 * windows with the one copy cursor, completion queues. Nothing here knows a
 * transport.
 *
 * Locks, outermost first; all may be taken with a lock of a transport held:
 *
 * soft_cq.resizing (mutex; outside of any spinlock)
 *	one resize at a time: between two pieces of what is copied the ring that
 *	it began with must stay.
 * soft_cq.lock (spinlock, irqsave)
 *	guards the producer side of the ring, the consumer side of a kernel CQ,
 *	notify, overrun. Resizing copies pieces and swaps the ring under it. No
 *	consumer is called with it.
 * soft_gate.turn (spinlock, irqsave)
 *	which reader or writer is next at soft_gate.lock; released as soon as that
 *	is had (region_lock.h).
 * soft_gate.lock (rwlock, irqsave)
 *	guards what a key grants: state, key, range and rights. A check or a copy
 *	reads; registration, binding, invalidation and deregistration write, so
 *	none of these returns while bytes still move by the old grant. Gate ONE
 *	of a region is outside of any gate TWO; soft_iter_copy() alone holds
 *	gates of two regions.
 * soft_mem.keys (xarray's own lock, irq safe)
 *	index of a key -> region; readers hold RCU.
 */
#ifndef OFED_SOFT_H
#define OFED_SOFT_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <linux/xarray.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_user_rxe.h>
#include <rdma/uverbs_ioctl.h>

#include "task.h"

struct crypto_shash;

/* ---- rings --------------------------------------------------------------- */

/**
 * struct soft_map - memory of a ring, and its place in user space's offsets
 * @entry: of the core; its last put frees @mem and this struct
 * @mem: vmalloc_user() memory
 */
struct soft_map {
	struct rdma_user_mmap_entry entry;
	void *mem;
};

/**
 * struct soft_ring - fixed-size elements between one producer and one consumer
 * @buf: header and elements; when user space maps it, everything in it is
 *	 hostile: nothing is read from it but the index of the other side, which
 *	 is masked, and elements, which are copied before they are looked at
 * @map: of a ring that user space maps, else NULL and @buf is kernel memory
 * @mask: slots - 1, a power of 2 minus 1; one slot always stays empty
 * @shift: log2 of bytes of an element
 * @prod: elements that the kernel has produced ever, if it produces: an index, when
 *	  masked
 * @cons: elements that the kernel has consumed ever, if it consumes: likewise
 */
struct soft_ring {
	struct rxe_queue_buf *buf;
	struct soft_map *map;
	u32 mask;
	u8 shift;
	u32 prod;
	u32 cons;
};

int soft_ring_alloc(struct soft_ring *ring, u32 slots, u32 elem_bytes,
		    struct ib_ucontext *ucontext, struct mminfo *info);
void soft_ring_free(struct soft_ring *ring);
u32 soft_ring_ready(const struct soft_ring *ring);
u32 soft_ring_room(const struct soft_ring *ring);
/* The element at @index, which may run past the end: @ring->cons + 1 is fine. */
void *soft_ring_at(const struct soft_ring *ring, u32 index);
void soft_ring_produce(struct soft_ring *ring);
void soft_ring_consume(struct soft_ring *ring);

/**
 * struct soft_move - elements on their way into a ring of another size
 * @from: where they are; used by both sides meanwhile, but for the moments in
 *	  which the caller holds both sides' locks
 * @to: nobody knows it yet
 * @next: of those in @from, the first that was not copied, as @end counts
 * @turns: pieces left to be copied one by one; what remains is copied at once
 */
struct soft_move {
	const struct soft_ring *from;
	struct soft_ring *to;
	u32 next;
	u32 turns;
};

void soft_move_begin(struct soft_move *move, const struct soft_ring *from,
		     struct soft_ring *to, u32 end, u32 waiting);
bool soft_move_some(struct soft_move *move, u32 end, u32 waiting);

int soft_mmap(struct ib_ucontext *ucontext, struct vm_area_struct *vma);
void soft_mmap_free(struct rdma_user_mmap_entry *entry);

/* Of the program that asks, or NULL: a kernel consumer. */
static inline struct ib_ucontext *soft_udata_context(struct ib_udata *udata)
{
	return udata ? rdma_udata_to_uverbs_attr_bundle(udata)->context : NULL;
}

/* ---- doorbells ----------------------------------------------------------- */

/**
 * struct soft_bells - doorbells that are rung on a processor
 * @end: when the latest was over
 * @cost: how long the latest took that sent something itself; ns, 0: not known
 * @number: that have rung one after the other in a fraction of that; up to a few
 *
 * Without a lock: they are hints.
 */
struct soft_bells {
	u64 end;
	u64 cost;
	u32 number;
};

bool soft_bells_streaming(const struct soft_bells *b);
void soft_bells_count(struct soft_bells *b, bool alone);
void soft_bells_left(struct soft_bells *b);
void soft_bells_sent(struct soft_bells *b, u64 begin, bool worth);

/* ---- memory -------------------------------------------------------------- */

/**
 * struct soft_mem - keys of one device
 * @keys: index (key >> 8) -> struct soft_region
 * @next: where the search for a free index begins
 */
struct soft_mem {
	struct xarray keys;
	u32 next;
};

enum soft_region_kind {
	SOFT_DMA,		/* all kernel memory, by virtual address */
	SOFT_USER,		/* pinned */
	SOFT_FAST,		/* list of pages, by map_mr_sg */
	SOFT_WINDOW_1,		/* memory windows: a part of another region */
	SOFT_WINDOW_2,
};

/* What a lookup by key found wrong; the transport names the status. */
enum soft_fault {
	SOFT_OK = 0,
	SOFT_NO_KEY,		/* no such key, or invalid now */
	SOFT_NO_RIGHT,		/* access, PD or QP do not fit */
	SOFT_NO_RANGE,		/* outside of the region, or wraps */
};

struct soft_pages;

/* Which of a region's gates: see region_lock.h. */
enum soft_gate_of {
	SOFT_GATE_ONE,
	SOFT_GATE_TWO,
	SOFT_GATES
};

/**
 * struct soft_gate - a lock for readers and writers, neither of which waits for ever
 * @writers: that wait for @lock
 * @turn: the next at @lock
 * @lock: excludes
 */
struct soft_gate {
	atomic_t writers;
	spinlock_t turn;
	rwlock_t lock;
};

/**
 * struct soft_region - what a key names
 * @mr: of the core; not used in a window
 * @kind: never changes
 * @refs: 1 of the owner, 1 of each cursor, 1 of each window bound to it; they
 *	  keep this struct, not the memory behind it, which is gone when
 *	  deregistration returns: whoever uses a region checks its grant then
 * @rcu: lookups by key are RCU readers
 * @gates: guard what the key grants (region_lock.h)
 * @valid: a key grants something now
 * @key: lkey and rkey (equal); the low 8 bits are the consumer's
 * @grant: changes whenever what the key grants does
 * @pd: protection domain
 * @access: IB_ACCESS_*
 * @iova: of the first byte
 * @length: bytes
 * @pages: (MR) where the bytes are
 * @windows: (MR) how many are bound to it
 * @parent: (window) the region behind it, referenced; NULL when not bound
 * @parent_iova: (window) address in @parent of the first byte
 * @qpn: (window of type 2) queue pair it is bound to
 * @mem: keys of the device
 */
struct soft_region {
	struct ib_mr mr;
	enum soft_region_kind kind;
	refcount_t refs;
	struct rcu_head rcu;
	struct soft_gate gates[SOFT_GATES];
	bool valid;
	u32 key;
	u32 grant;
	struct ib_pd *pd;
	int access;
	u64 iova;
	u64 length;
	struct soft_pages *pages;
	atomic_t windows;
	struct soft_region *parent;
	u64 parent_iova;
	u32 qpn;
	struct soft_mem *mem;
};

/**
 * struct soft_mw - memory window
 * @mw: of the core, which frees this struct
 * @region: what its key names; lives as long as somebody refers to it
 */
struct soft_mw {
	struct ib_mw mw;
	struct soft_region *region;
};

struct soft_pd {
	struct ib_pd pd;
};

void soft_mem_init(struct soft_mem *mem);
void soft_mem_exit(struct soft_mem *mem);

struct soft_region *soft_region_local(struct soft_mem *mem, struct ib_pd *pd,
				      const struct ib_sge *sge, int access,
				      enum soft_fault *fault);
struct soft_region *soft_region_remote(struct soft_mem *mem, struct ib_pd *pd,
				       u32 qpn, u32 rkey, u64 iova, u64 length,
				       int access, enum soft_fault *fault);
void soft_region_put(struct soft_region *region);

/* Work requests on regions; @qpn and @pd are of the queue pair that asks. */
int soft_region_register(struct ib_mr *mr, struct ib_pd *pd, u32 key,
			 int access);
enum soft_fault soft_region_invalidate(struct soft_mem *mem, struct ib_pd *pd,
				       u32 qpn, u32 key, bool remote);
/**
 * struct soft_bind - a bind request
 * @mw_rkey: key of the window now
 * @new_key: low 8 bits it is to have (type 2); type 1 moves on by itself
 * @mr_lkey: region it gives access to
 * @addr: of the first byte, as the region counts
 * @length: bytes; 0 unbinds a window of type 1
 * @access: IB_ACCESS_REMOTE_*, IB_ZERO_BASED
 */
struct soft_bind {
	u32 mw_rkey;
	u8 new_key;
	u32 mr_lkey;
	u64 addr;
	u64 length;
	int access;
};
enum soft_fault soft_window_bind(struct soft_mem *mem, struct ib_pd *pd,
				 u32 qpn, const struct soft_bind *bind);

/*
 * Atomics are atomic against the CPU's, and the CPU sees the whole of a store or
 * nothing of it; @iova is a multiple of 8. @region is from soft_region_remote();
 * the memory may have gone since.
 */
enum soft_fault soft_region_cmp_swap(struct soft_region *region, u64 iova,
				     u64 compare, u64 swap, u64 *original);
enum soft_fault soft_region_fetch_add(struct soft_region *region, u64 iova,
				      u64 add, u64 *original);
enum soft_fault soft_region_store(struct soft_region *region, u64 iova,
				  u64 word);

/* ---- the one copy cursor --------------------------------------------------- */

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
/**
 * struct soft_flush - what a FLUSH asks for
 * @rkey: of the region
 * @whole: of all of the region; @iova, @length: of a range otherwise
 * @access: IB_ACCESS_FLUSH_GLOBAL, IB_ACCESS_FLUSH_PERSISTENT, or both
 */
struct soft_flush {
	u32 rkey;
	bool whole;
	u64 iova;
	u64 length;
	int access;
};

enum soft_fault soft_flush(struct soft_mem *mem, struct ib_pd *pd, u32 qpn,
			   const struct soft_flush *flush);

enum soft_fault soft_iter_remote(struct soft_iter *it, struct soft_mem *mem,
				 struct ib_pd *pd, u32 qpn, u32 rkey, u64 iova,
				 u64 length, int access);
void soft_iter_bytes(struct soft_iter *it, void *bytes, u32 length);
void soft_iter_skb(struct soft_iter *it, const struct sk_buff *skb,
		   u32 offset, u32 length);
/* Puts what it holds. One over a list can go on where it is all the same. */
void soft_iter_end(struct soft_iter *it);
enum soft_fault soft_iter_check(struct soft_iter *it);	/* every entry, now */
enum soft_fault soft_iter_skip(struct soft_iter *it, u64 bytes);
enum soft_fault soft_iter_copy(struct soft_iter *to, struct soft_iter *from,
			       u32 length);

/* Bytes to try a way of doing something with: a packet's. */
#define SOFT_TRIAL	4096

/**
 * struct soft_way - one of several to do the same
 * @go: does it
 * @with: given to @go
 * @least: nanoseconds that it took at best
 */
struct soft_way {
	void (*go)(void *with);
	void *with;
	u64 least;
};

void soft_try(struct soft_way *ways, u32 n);

/* ---- checksums -------------------------------------------------------------- */

/**
 * struct soft_crc - a checksum that the kernel has twice
 * @name: in the crypto API
 * @table: by tables
 * @table_name: for people
 * @shash: NULL: @table is faster
 */
struct soft_crc {
	const char *name;
	u32 (*table)(u32 crc, const unsigned char *at, size_t length);
	const char *table_name;
	struct crypto_shash *shash;
};

/* Fewer bytes are not worth the way through the crypto API. */
#define SOFT_CRC_SHORT	256

static inline bool soft_crc_is_hashed(const struct soft_crc *kind, u32 length)
{
	return kind->shash && length >= SOFT_CRC_SHORT;
}

u32 soft_crc_hashed(const struct soft_crc *kind, u32 crc, const u8 *at,
		    u32 length);
/* Between them checksums of @kind may be computed. */
void soft_crc_choose(struct soft_crc *kind, char *name, size_t size);
void soft_crc_end(struct soft_crc *kind);

/* ---- completion queues ------------------------------------------------------ */

/* What the consumer of a CQ is told of. */
enum soft_notice {
	SOFT_NOTICE_WC		= BIT(0),	/* a completion that it waits for */
	SOFT_NOTICE_ERROR	= BIT(1),	/* one is lost: IB_EVENT_CQ_ERR */
};

/**
 * struct soft_notify - calls of the consumer of a CQ
 * @cq: of the core
 * @lock: of the CQ; guards the rest
 * @pending: enum soft_notice: what @tasklet is to tell
 * @calling: a handler runs. There is one at a time
 * @ended: the consumer is not called any more
 * @idle: for soft_notify_end(), until @calling ends
 * @tasklet: calls the consumer
 */
struct soft_notify {
	struct ib_cq *cq;
	spinlock_t *lock;
	u8 pending;
	bool calling;
	bool ended;
	wait_queue_head_t idle;
	struct tasklet_struct tasklet;
};

void soft_notify_init(struct soft_notify *n, struct ib_cq *cq, spinlock_t *lock);
bool soft_notify_ask(struct soft_notify *n, enum soft_notice notice, bool now);
void soft_notify_call(struct soft_notify *n, enum soft_notice notice);
void soft_notify_end(struct soft_notify *n);

/**
 * struct soft_cq - completion queue
 * @cq: of the core
 * @ring: struct ib_uverbs_wc for user space, struct ib_wc for the kernel
 * @lock: see the head of this file
 * @armed: 0, or what the consumer waits for (enum ib_cq_notify_flags)
 * @resizing: one resize at a time
 * @overrun: a completion was lost: IB_EVENT_CQ_ERR was sent
 * @most: (lock) completions that the consumer is told of at once, 0: of each
 * @held: (lock) of these, how many there are
 * @patience: (lock) microseconds that the first of them waits for the others
 * @late: it has
 * @notify: (lock) calls of the consumer
 */
struct soft_cq {
	struct ib_cq cq;
	struct soft_ring ring;
	spinlock_t lock;
	struct mutex resizing;
	u8 armed;
	bool overrun;
	u16 most;
	u16 held;
	u16 patience;
	struct hrtimer late;
	struct soft_notify notify;
};

static inline struct soft_cq *to_soft_cq(struct ib_cq *cq)
{
	return container_of(cq, struct soft_cq, cq);
}

/* What becomes of a completion. */
enum soft_cq_put {
	SOFT_CQ_ADDED,
	SOFT_CQ_LOST,		/* the CQ is in error */
	SOFT_CQ_FULL,		/* a program's: there is room when it has polled */
};

bool soft_cq_post(struct soft_cq *cq, const struct ib_wc *wc, bool solicited);
enum soft_cq_put soft_cq_post_wqe(struct soft_cq *cq, const struct ib_wc *wc,
				  bool solicited, struct soft_ring *sq);
bool soft_cq_hurries(const struct ib_wc *wc);
/* Had the consumer taken all a moment ago? Any context. */
bool soft_cq_is_empty(struct soft_cq *cq);
void soft_cq_forget(struct soft_cq *cq, const struct ib_qp *qp);

/**
 * struct soft_hold - completions of a program's sends that find their CQ full
 * @timer: tries again; the owner's
 * @delay: milliseconds until it does; 0: no completion waits
 *
 * The owner's lock guards it.
 */
struct soft_hold {
	struct timer_list timer;
	u8 delay;
};

void soft_hold_wait(struct soft_hold *hold);

static inline bool soft_hold_waits(const struct soft_hold *hold)
{
	return unlikely(hold->delay);
}

/* One has got through, or they are dropped. */
static inline void soft_hold_end(struct soft_hold *hold)
{
	hold->delay = 0;
}

/* ---- limits ------------------------------------------------------------------ */

/* Objects that are counted: a device announces how many there may be. */
enum soft_object {
	SOFT_OBJECT_PD,
	SOFT_OBJECT_CQ,
	SOFT_OBJECT_SRQ,
	SOFT_OBJECT_QP,
	SOFT_OBJECT_MR,
	SOFT_OBJECT_MW,
	SOFT_OBJECT_AH,		/* of programs: each MAD of the kernel makes one */
	SOFT_OBJECT_NUM
};

/**
 * struct soft_limit - a count that never exceeds a limit
 * @count: objects there are
 * @max: that there may be
 */
struct soft_limit {
	atomic_t count;
	int max;
};

/* ---- device ------------------------------------------------------------------ */

/**
 * struct soft_dev - part of every software device
 * @ib: of the core; first, as the core allocates by it
 * @mem: keys
 * @limits: of the number of objects
 * @max_cqe: limits that the shared ops refuse to exceed
 * @max_mr_pages: of a fast registration
 */
struct soft_dev {
	struct ib_device ib;
	struct soft_mem mem;
	struct soft_limit limits[SOFT_OBJECT_NUM];
	u32 max_cqe;
	u32 max_mr_pages;
};

static inline struct soft_dev *to_soft_dev(struct ib_device *ib)
{
	return container_of(ib, struct soft_dev, ib);
}

void soft_limits_init(struct soft_dev *dev, const u32 *max);
void soft_limits_exit(struct soft_dev *dev);
void soft_limits_announce(const struct soft_dev *dev,
			  struct ib_device_attr *attr);
int soft_limit_take(struct soft_dev *dev, enum soft_object kind);
void soft_limit_give(struct soft_dev *dev, enum soft_object kind);

/*
 * Ops of protection domains, memory, completion queues, mmap: alloc_pd,
 * dealloc_pd, get_dma_mr, reg_user_mr, rereg_user_mr, alloc_mr, map_mr_sg,
 * dereg_mr, create_cq, destroy_cq, resize_cq, poll_cq, peek_cq, req_notify_cq,
 * mmap, mmap_free, with their object sizes.
 */
extern const struct ib_device_ops soft_dev_ops;

/* alloc_mw, dealloc_mw: of a transport that can bind a window. */
extern const struct ib_device_ops soft_mw_ops;

/* The one of them that a driver with a reply of its own calls itself. */
struct ib_mr *soft_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
			       u64 virt_addr, int access,
			       struct ib_udata *udata);

/* get_hw_stats() of a device whose counters are an array per processor. */
u64 soft_stats_sum(const u64 __percpu *count);
int soft_stats_read(struct rdma_hw_stats *stats, const u64 __percpu *counts);

#endif /* OFED_SOFT_H */
