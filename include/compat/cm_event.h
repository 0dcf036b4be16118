/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of rdma_cm that 6.17 brought, and the records of services that a route has since then.
 * Included by the files that use them, behind <rdma/rdma_cm.h>. Drop when 7.x is the oldest
 * kernel.
 */
#ifndef OFED_COMPAT_CM_EVENT_H
#define OFED_COMPAT_CM_EVENT_H

#include <linux/mm.h>
#include <rdma/rdma_cm.h>

#ifdef COMPAT_HAVE_SERVICE_REC
/* R(NAME, text) for each. */
#define COMPAT_CM_EVENTS(R)						\
	R(ADDRINFO_RESOLVED, "address information resolved")		\
	R(ADDRINFO_ERROR, "address information error")			\
	R(USER, "user event")						\
	R(INTERNAL, "internal event")
#define compat_free_service_recs(route) kvfree((route)->service_recs)
#else
#define COMPAT_CM_EVENTS(R)
#define compat_free_service_recs(route) ((void)(route))
#endif

#endif /* OFED_COMPAT_CM_EVENT_H */
