/* SPDX-License-Identifier: GPL-2.0 */
/* Requests of rdma_cm's node that every kernel has. Test programs write the same. */
#ifndef OFED_UCMA_REQUEST_H
#define OFED_UCMA_REQUEST_H

#include <rdma/rdma_user_cm.h>

/* R(NAME) for each request, a struct rdma_ucm_NAME. */
#define UCMA_REQUESTS(R)						\
	R(create_id) R(destroy_id) R(bind_ip) R(resolve_ip)		\
	R(resolve_route) R(query) R(connect) R(listen) R(accept)	\
	R(reject) R(disconnect) R(init_qp_attr) R(get_event)		\
	R(set_option) R(notify) R(join_ip_mcast) R(migrate_id) R(bind)	\
	R(resolve_addr) R(join_mcast)

/* A member of a union of them. */
#define UCMA_REQUEST(name) struct rdma_ucm_##name name;

#endif /* OFED_UCMA_REQUEST_H */
