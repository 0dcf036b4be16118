/* SPDX-License-Identifier: GPL-2.0 */
/*
 * verbs: the objects of <rdma/ib_verbs.h>: PDs, AHs, CQs, QPs, SRQs, MRs, MWs, XRC
 * domains, and the R/W API. This header has completion queues that the core polls, and
 * those that consumers share. It may use the folders below it: device, netlink, port,
 * addr, track, umem.
 */
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
