/* SPDX-License-Identifier: GPL-2.0 */
/* How long a reader of a completion channel spins before it sleeps. */
#ifndef UV_SPIN_H
#define UV_SPIN_H

#include <linux/types.h>

/* Shorter spins are none, ns. */
#define UV_SPIN_LEAST	2000U

/**
 * struct uv_spin - of one completion channel
 * @ns: how long the next reader spins, at most; 0: not at all. Readers change it without a
 *	lock: an estimate
 * @event_at: when the latest event came that found the channel empty, ns of the monotonic
 *	clock; the channel's lock guards it
 */
struct uv_spin {
	u32 ns;
	u64 event_at;
};

u32 uv_spin_next(u32 ns, u64 waited, u32 most);
u32 uv_spin_most(void);

#endif /* UV_SPIN_H */
