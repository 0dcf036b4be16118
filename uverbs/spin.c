// SPDX-License-Identifier: GPL-2.0
/*
 * How long a reader of a completion channel spins before it sleeps. To sleep and be woken takes
 * longer than many an answer of a peer does. So a reader spins up to a bound, and each time that
 * no event comes meanwhile the next one spins half as long. It goes to the bound again when an
 * event has come in time, or, after there was no spin at all, soon enough that the peer's own
 * sleep may be why it came no sooner.
 */
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/time64.h>

#include "spin.h"

/* us */
#define UV_SPIN_BOUND	1000U
/* Of the bound: an event that comes by then may be one of a peer that slept. */
#define UV_SPIN_NEAR	2

static unsigned int uv_spin_us = 50;
module_param_named(spin_us, uv_spin_us, uint, 0644);
MODULE_PARM_DESC(spin_us,
		 "most microseconds that a reader of a completion channel spins before it sleeps, up to 1000; 0: none");

/**
 * uv_spin_most - the bound, as it is now
 *
 * Context: any.
 *
 * Return: ns, 0 to 1,000,000.
 */
u32 uv_spin_most(void)
{
	return min(READ_ONCE(uv_spin_us), UV_SPIN_BOUND) * (u32)NSEC_PER_USEC;
}

/**
 * uv_spin_next - how long the next reader spins
 * @ns: how long this one did, at most
 * @waited: from when it found no event until one came, ns
 * @most: the bound, ns
 *
 * Context: any.
 *
 * Return: ns, at most; 0: not at all.
 */
u32 uv_spin_next(u32 ns, u64 waited, u32 most)
{
	if (waited <= ns || (!ns && waited < (u64)most * UV_SPIN_NEAR))
		return most;
	ns = min(ns, most) / 2;
	return ns < UV_SPIN_LEAST ? 0 : ns;
}
