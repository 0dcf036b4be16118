/* SPDX-License-Identifier: GPL-2.0 */
/* A dma-buf, as the processor sees it. */
#ifndef OFED_SOFT_BUFFER_H
#define OFED_SOFT_BUFFER_H

#include <linux/types.h>

struct ib_device;
struct soft_buffer;

struct soft_buffer *soft_buffer_open(struct ib_device *device, int fd, u64 offset, u64 length);
void soft_buffer_close(struct soft_buffer *buffer);
void *soft_buffer_at(const struct soft_buffer *buffer);

#endif /* OFED_SOFT_BUFFER_H */
