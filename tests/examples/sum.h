/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What client and server have in common.
 *
 * The client writes its first number into the server's memory (RDMA WRITE), sends
 * the second one, and is sent the sum. All three travel in network order.
 */
#ifndef SUM_H
#define SUM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/rdma_cma.h>

#define SUM_SERVICE "20079"

/* Private data of the server's answer: where the first number goes; big-endian. */
struct sum_place {
	uint64_t address;
	uint32_t rkey;
};

/* How a program waits for the next event of its channel. */
enum wait_by { BY_BLOCKING, BY_NONBLOCKING, BY_POLL, BY_SELECT };

bool wait_by_name(const char *name, enum wait_by *by);
int wait_prepare(struct rdma_event_channel *channel, enum wait_by by);
struct rdma_cm_event *wait_event(struct rdma_event_channel *channel, enum wait_by by);
bool wait_expect(struct rdma_event_channel *channel, enum wait_by by,
		 enum rdma_cm_event_type type);

/* One completion of a queue that was armed; it is armed again. */
bool wait_completion(struct ibv_comp_channel *channel, struct ibv_cq *cq, struct ibv_wc *wc);

int check_rdma_support(struct sockaddr *address);

#define TRY(x) do {							\
	if (!(x)) {							\
		perror(#x);						\
		exit(1);						\
	}								\
} while (0)

#endif /* SUM_H */
