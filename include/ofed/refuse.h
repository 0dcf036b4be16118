/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why a call is refused: an errno does not say which argument it is for. The reasons are
 * dynamic debug, because a user process can repeat a refused call at will:
 *
 *	echo 'module ofed_* +p' >/sys/kernel/debug/dynamic_debug/control
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

#endif /* OFED_REFUSE_H */
