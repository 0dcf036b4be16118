/* SPDX-License-Identifier: GPL-2.0 */
/* Queues that a driver maps into a program. */
#ifndef RING_H
#define RING_H

#include <stddef.h>
#include <stdint.h>

/* An open file of uverbs. */
int uverbs_file(void);
/* That of the call that was made last. */
int uverbs_file_now(void);

/* A doorbell that is a store, where there are such. */
void uverbs_ring(void);

/* A handle of a queue pair, mostly. */
uint32_t uverbs_any_qp(void);

/* Where the driver's part of the answer that made an object says that its queues are. */
void ring_note(int kind, const void *response, size_t length);

#endif /* RING_H */
