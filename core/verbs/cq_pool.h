/* SPDX-License-Identifier: GPL-2.0 */
/* Completion queues that the core polls, and those that consumers share. */
#ifndef OFED_CORE_CQ_POOL_H
#define OFED_CORE_CQ_POOL_H

#include <rdma/ib_verbs.h>

/**
 * ofed_cq_pool_cleanup - free the shared CQs of a device
 * @device: no client is left that could take one. Context: process, may sleep.
 */
void ofed_cq_pool_cleanup(struct ib_device *device);

/**
 * ofed_cq_settle - handle every completion that is in a CQ by now
 * @cq: the CQ; nothing happens if it is not from __ib_alloc_cq()
 *
 * Context: process, may sleep; not from one of the done methods of @cq.
 */
void ofed_cq_settle(struct ib_cq *cq);

#endif /* OFED_CORE_CQ_POOL_H */
