/* SPDX-License-Identifier: GPL-2.0 */
/* What connections by rdma_cm are made of. */
#ifndef MEET_H
#define MEET_H

#include <stdbool.h>
#include <stdint.h>

/* Return: number of a new queue pair, with a region beside it; 0: there is none. */
uint32_t uverbs_new_qp(void);

/* A peer out of TCP calls port 7000 of the device, or takes the device's call. */
bool iwarp_call(void);
bool iwarp_take(void);

#endif /* MEET_H */
