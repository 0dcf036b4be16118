/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why a call of a consumer is refused: an errno does not say which attribute it is for, and
 * which limit that exceeds. The reasons are dynamic debug, so that no program fills the log:
 *
 *	echo 'module ofed_soft +p' >/sys/kernel/debug/dynamic_debug/control
 */
#ifndef OFED_SOFT_REFUSE_H
#define OFED_SOFT_REFUSE_H

#include <rdma/ib_verbs.h>

/* @errno_: the value of the expression. */
#define soft_refuse(ib, errno_, format, ...)				\
({									\
	ibdev_dbg(ib, format "\n", ##__VA_ARGS__);			\
	errno_;								\
})

/**
 * soft_exceeds - is an attribute beyond its limit?
 * @ib: device
 * @what: name of the attribute, as verbs have it
 * @value: what is asked for
 * @most: the limit
 *
 * Context: any.
 *
 * Return: true: it is, and the reader of the log is told.
 */
static inline bool soft_exceeds(const struct ib_device *ib, const char *what,
				u64 value, u64 most)
{
	if (value <= most)
		return false;
	ibdev_dbg(ib, "%s: %llu, at most %llu\n", what, value, most);
	return true;
}

/* Is there room for less than the @bytes of a command or an answer? */
static inline bool soft_too_short(const struct ib_device *ib, const char *what,
				  size_t room, size_t bytes)
{
	if (room >= bytes)
		return false;
	ibdev_dbg(ib, "%s: %zu bytes, %zu are needed\n", what, room, bytes);
	return true;
}

#endif /* OFED_SOFT_REFUSE_H */
