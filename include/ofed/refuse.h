/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why a call is refused: an errno does not say which argument it is for, nor which limit that
 * exceeds. The reasons are dynamic debug, because a user process can repeat a refused call at
 * will:
 *
 *	echo 'module ofed_* +p' >/sys/kernel/debug/dynamic_debug/control
 *
 * The drivers use this header as the core does, also on the kernel's own core: it needs no
 * symbol that only ours exports.
 */
#ifndef OFED_REFUSE_H
#define OFED_REFUSE_H

#include <rdma/ib_verbs.h>

/* The value is @ret: an errno, or a pointer made of one. Any context. */
#define ofed_refuse(ib, ret, format, ...)				\
({									\
	ibdev_dbg(ib, format "\n", ##__VA_ARGS__);			\
	ret;								\
})

/* Before a device is known; the format begins with the subsystem. */
#define ofed_refuse_call(ret, format, ...)				\
({									\
	pr_debug(format "\n", ##__VA_ARGS__);				\
	ret;								\
})

/* For a character device, which outlives its RDMA device. */
#define ofed_refuse_node(dev, ret, format, ...)				\
({									\
	dev_dbg(dev, format "\n", ##__VA_ARGS__);			\
	ret;								\
})

/* The driver of the device lacks the optional method @op. */
#define ofed_refuse_op(ib, op)						\
	ofed_refuse(ib, -EOPNOTSUPP, "the driver has no %s", op)

#define ofed_refuse_port(ib, port)					\
	ofed_refuse(ib, -EINVAL, "there is no port %u", (u32)(port))

/* Another object is made of this @what; @usecnt counts those. */
#define ofed_refuse_busy(ib, what, usecnt)				\
	ofed_refuse(ib, -EBUSY, "%s: in use %d times", what,		\
		    atomic_read(usecnt))

/**
 * ofed_exceeds - is an attribute beyond its limit?
 * @ib: device
 * @what: name of the attribute, as verbs have it
 * @value: what is asked for
 * @most: the limit
 *
 * Context: any.
 *
 * Return: true: it is, and the reader of the log is told.
 */
static inline bool ofed_exceeds(const struct ib_device *ib, const char *what,
				u64 value, u64 most)
{
	if (value <= most)
		return false;
	ibdev_dbg(ib, "%s: %llu, at most %llu\n", what, value, most);
	return true;
}

/* Is there room for less than the @bytes of a command or an answer? */
static inline bool ofed_too_short(const struct ib_device *ib, const char *what,
				  size_t room, size_t bytes)
{
	if (room >= bytes)
		return false;
	ibdev_dbg(ib, "%s: %zu bytes, %zu are needed\n", what, room, bytes);
	return true;
}

#endif /* OFED_REFUSE_H */
