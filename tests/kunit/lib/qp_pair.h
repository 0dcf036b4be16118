/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two queue pairs on the fake link, with memory to work on, driven by the verbs
 * that any kernel consumer has.
 */
#ifndef QP_PAIR_H
#define QP_PAIR_H

#include <kunit/test.h>
#include <rdma/ib_verbs.h>
#include "ibt_fake_link.h"

#define END_BYTES	(64 * 1024)
/* In front of and behind the memory; no write may ever reach it. */
#define GUARD_BYTES	PAGE_SIZE

/**
 * struct end - one side
 * @mem: guard, END_BYTES, guard
 * @buf: the part between
 * @mr: fast registration of @buf
 * @events: of the queue pair, how many of each enum ib_event_type
 */
struct end {
	struct ib_device *ib;
	struct ib_pd *pd;
	struct ib_cq *send_cq;
	struct ib_cq *recv_cq;
	struct ib_qp *qp;
	struct ib_mr *mr;
	u8 *mem;
	u8 *buf;
	atomic_t events[IB_EVENT_GID_CHANGE + 1];
};

/**
 * struct pair - both, and how they are set up
 * @mtu, @timeout, @retries, @rnr_retries: as of modify_qp; set by ends_defaults()
 * @psn: first one of both directions
 * @access: of the queue pairs
 * @mr_access: of the memory
 */
struct pair {
	struct kunit *test;
	struct end end[2];
	enum ib_qp_type type;
	enum ib_mtu mtu;
	u8 timeout;
	u8 retries;
	u8 rnr_retries;
	u32 psn;
	int access;
	int mr_access;
};

void ends_defaults(struct pair *p, struct kunit *test, enum ib_qp_type type);
void ends_make(struct pair *p);		/* in RTS, memory registered */
void ends_drop(struct pair *p);
/* One of them from RESET to RTS, as ends_make() does it. */
int ends_connect(struct pair *p, int which);
/* Both guards of both sides are as they were. */
void ends_check_guards(struct pair *p);

/* A work request of one SGE: @length bytes of @buf from @at on. */
struct job {
	enum ib_wr_opcode op;
	u64 id;
	u32 at;
	u32 length;
	u32 remote_at;
	int flags;		/* beside IB_SEND_SIGNALED */
	bool unsignaled;
	u32 word;		/* immediate, or rkey to invalidate */
	u64 add;		/* or compare */
	u64 swap;
	u32 rkey;		/* 0: of the other side's memory */
	u32 lkey;		/* 0: ours */
	u32 qkey;		/* UD */
	struct ib_ah *ah;
};

int ends_post(struct pair *p, int which, const struct job *job);
int ends_recv(struct pair *p, int which, u64 id, u32 at, u32 length);
/* The next completion, within 20 s (KASAN under emulation is slow). */
bool ends_wait(struct ib_cq *cq, struct ib_wc *wc);
/* There is none, 20 ms from now. */
bool ends_quiet(struct ib_cq *cq);
enum ib_qp_state ends_state(struct pair *p, int which);
/* It gets there within 20 s: a completion comes first, the state a moment later. */
bool ends_reaches(struct pair *p, int which, enum ib_qp_state state);
/* There are so many of them, within 20 s, and no more. */
bool ends_events(struct pair *p, int which, enum ib_event_type event,
		 int wanted);
u64 ends_counter(int which, const char *name);
/* It is not 0, within 20 s. */
bool ends_counted(int which, const char *name);

/* Packets made by hand. Each returns what is behind what it wrote. */
static inline u8 *put32(u8 *at, u32 value)
{
	__be32 be = cpu_to_be32(value);

	return memcpy(at, &be, sizeof(be)) + sizeof(be);
}

/* A BTH that asks for an ACK, to queue pair @qpn. */
static inline u8 *put_bth(u8 *bytes, u8 opcode, u32 qpn, u32 psn)
{
	bytes[0] = opcode;
	bytes[1] = 0x40;
	bytes[2] = 0xff;
	bytes[3] = 0xff;
	return put32(put32(bytes + 4, qpn), BIT(31) | (psn & 0xffffff));
}

/* A RETH: @length bytes from @offset on, of the memory of side @which. */
static inline u8 *put_reth(u8 *at, const struct pair *p, int which, u32 offset,
			   u32 length)
{
	u64 va = p->end[which].mr->iova + offset;

	at = put32(put32(at, va >> 32), va);
	return put32(put32(at, p->end[which].mr->rkey), length);
}

#define EXPECT_WC(p, cq, id, code) do {					\
	struct ib_wc _wc = { };						\
	KUNIT_EXPECT_TRUE((p)->test, ends_wait(cq, &_wc));		\
	KUNIT_EXPECT_EQ((p)->test, _wc.wr_id, (u64)(id));		\
	KUNIT_EXPECT_STREQ((p)->test, ib_wc_status_msg(_wc.status),	\
			   ib_wc_status_msg(code));			\
} while (0)

#endif /* QP_PAIR_H */
