/* SPDX-License-Identifier: GPL-2.0 */
/* Timers, works, checksums. */
#ifndef OFED_COMPAT_LIB_H
#define OFED_COMPAT_LIB_H

/* Since 6.13 the function of a timer is set with the rest. Drop with 6.12. */
#ifndef COMPAT_HAVE_HRTIMER_SETUP
#define hrtimer_setup(timer, fn, clock, mode) do { \
	struct hrtimer *timer_ = (timer); \
	hrtimer_init(timer_, (clock), (mode)); \
	timer_->function = (fn); \
} while (0)
#endif

/* The name of from_timer() since 6.16. Drop with 6.12. */
#ifndef COMPAT_HAVE_TIMER_CONTAINER_OF
#define timer_container_of(var, timer, field) from_timer(var, timer, field)
#endif

/*
 * Since 6.17, and in 6.12 stable, a work queue says that it is bound to processors; before,
 * one that is not unbound is. The system's queues have names that say the same. Drop
 * with 6.1.
 */
#ifndef COMPAT_HAVE_WQ_PERCPU
#define WQ_PERCPU 0
#define system_percpu_wq system_wq
#define system_dfl_wq system_unbound_wq
#endif

/*
 * In <linux/crc32.h> under this name since 6.14, and what it sums up is of any type, as for
 * crc32_le(). Drop with 6.12.
 */
#ifdef COMPAT_HAVE_CRC32C
#define compat_crc32c crc32c
#define compat_crc_bytes void
#else
#define compat_crc32c __crc32c_le
#define compat_crc_bytes unsigned char
#endif

#endif /* OFED_COMPAT_LIB_H */
