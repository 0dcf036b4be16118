/* SPDX-License-Identifier: GPL-2.0 */
/* Open devices of programs. */
#ifndef OFED_SOFT_CONTEXT_H
#define OFED_SOFT_CONTEXT_H

#include <rdma/ib_verbs.h>

struct soft_poller;

/**
 * struct soft_ucontext - a device that a program has open
 * @ib: of the core
 * @features: enum ofed_context_feature that the program's library knows
 * @poller: its doorbells, NULL: it has none
 */
struct soft_ucontext {
	struct ib_ucontext ib;
	u32 features;
	struct soft_poller *poller;
};

static inline struct soft_ucontext *to_soft_ucontext(struct ib_ucontext *ib)
{
	return container_of(ib, struct soft_ucontext, ib);
}

int soft_open_context(struct ib_ucontext *ib, struct ib_udata *udata, u32 features,
		      u32 max_inline);
void soft_close_context(struct ib_ucontext *ib);

#endif /* OFED_SOFT_CONTEXT_H */
