/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands of rdma_cm's node that 6.17 brought. Included by ucma/ucma.h. Drop when 7.x is the
 * oldest kernel.
 */
#ifndef OFED_COMPAT_UCMA_H
#define OFED_COMPAT_UCMA_H

/*
 * COMPAT_UCMA_COMMANDS(C): C(NUMBER, name) for each, a struct rdma_ucm_name run by ucma_name().
 * COMPAT_UCMA_QUERIES(Q): Q(OPTION, name) for each option of QUERY, answered by ucma_query_name().
 */
#ifdef COMPAT_HAVE_SERVICE_REC
#define COMPAT_UCMA_SERVICE(C) C(RESOLVE_IB_SERVICE, resolve_ib_service)
#define COMPAT_UCMA_QUERIES(Q) Q(IB_SERVICE, services)
#else
#define COMPAT_UCMA_SERVICE(C)
#define COMPAT_UCMA_QUERIES(Q)
#endif

#ifdef COMPAT_HAVE_WRITE_CM_EVENT
#define COMPAT_UCMA_COMMANDS(C) COMPAT_UCMA_SERVICE(C) C(WRITE_CM_EVENT, write_cm_event)
#else
#define COMPAT_UCMA_COMMANDS(C) COMPAT_UCMA_SERVICE(C)
#endif

#endif /* OFED_COMPAT_UCMA_H */
