/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Doorbells of a page that the kernel module reads: struct ofed_doorbell_page. */
#ifndef LIB_BELL_H
#define LIB_BELL_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/driver.h>
#include <ofed/ofed_user_verbs.h>

#include "doorbell.h"

/**
 * struct lib_bell - doorbell of a queue pair
 * @awake: of its page, NULL: it has none
 * @word: that its bit is in
 * @bit: its bit
 * @called: a call has rung once. The kernel module makes what it needs to send by then
 */
struct lib_bell {
	const uint32_t *awake;
	uint32_t *word;
	uint32_t bit;
	bool called;
};

/* @doorbell: of struct ofed_qp_resp; @page: NULL: there is none */
static inline void lib_bell_init(struct lib_bell *bell, struct ofed_doorbell_page *page,
				 uint32_t doorbell)
{
	if (!page || !doorbell || doorbell > OFED_DOORBELLS)
		return;
	bell->awake = &page->awake;
	bell->word = &page->rung[(doorbell - 1) / 32];
	bell->bit = 1U << (doorbell - 1) % 32;
}

/*
 * The bit is a full barrier: what was stored before is seen by a reader of the bit, and whether
 * that one sleeps is read afterwards. A reader that goes to sleep says so first, and looks for
 * bits then.
 */
static inline bool lib_bell_store(const struct lib_bell *bell)
{
	if (!bell->awake || !bell->called)
		return false;
	if (!__atomic_load_n(bell->awake, __ATOMIC_RELAXED))
		return false;
	__atomic_fetch_or(bell->word, bell->bit, __ATOMIC_SEQ_CST);
	return __atomic_load_n(bell->awake, __ATOMIC_SEQ_CST);
}

/* Requests are in the queue of @qp. Returns 0 or an errno. */
static inline int lib_bell_ring(struct lib_bell *bell, struct ibv_qp *qp)
{
	int ret;

	if (lib_bell_store(bell))
		return 0;
	ret = lib_ring_doorbell(qp);
	if (!ret)
		bell->called = true;
	return ret;
}

#endif /* LIB_BELL_H */
