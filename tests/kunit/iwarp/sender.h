/* SPDX-License-Identifier: GPL-2.0 */
/* A queue pair without a socket, whose FPDUs a test looks at. */
#ifndef KUNIT_IWARP_SENDER_H
#define KUNIT_IWARP_SENDER_H

#include <kunit/test.h>

#include "hw/iwarp/qp.h"

#define EXPECT_BYTES(test, have, want) \
	KUNIT_EXPECT_EQ(test, memcmp(have, want, sizeof(want)), 0)

struct sender {
	struct iw_dev dev;
	struct iw_qp qp;
};

static inline struct sender *new_sender(struct kunit *test)
{
	struct sender *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, s);
	s->dev.stats = alloc_percpu(struct iw_stats);
	KUNIT_ASSERT_TRUE(test, !!s->dev.stats);
	s->qp.ib.device = &s->dev.soft.ib;
	mutex_init(&s->qp.tx.lock);
	mutex_lock(&s->qp.tx.lock);
	return s;
}

static inline void end_sender(struct sender *s)
{
	iw_tx_drop(&s->qp.tx);
	mutex_unlock(&s->qp.tx.lock);
	free_percpu(s->dev.stats);
}

#endif /* KUNIT_IWARP_SENDER_H */
