/* SPDX-License-Identifier: GPL-2.0 */
/* The connection: a queue pair of the reliable service, made by rdma_cm. */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <rdma/rdma_cma.h>
#include "mx.h"
#include "wire.h"

#define LINK_SENDS	128	/* work requests that may be posted */
#define LINK_INLINE	(sizeof(struct wire_header) + WIRE_TINY_MAX)
#define LINK_READS	4	/* at once, each way */

struct link {
	struct rdma_cm_id *id;	/* its event channel has no other event than the end */
	struct ibv_pd *pd;
	struct ibv_comp_channel *completions;
	struct ibv_cq *cq;
	unsigned int room;	/* work requests that can be posted */
	bool iwarp;
	bool up;
};

int64_t link_now(void);
enum mx_return link_listen(struct mx_endpoint *ep, const char *service);
enum mx_return link_connect(struct mx_endpoint *ep, const char *host, const char *service);
void link_end(struct mx_endpoint *ep);
bool link_has_ended(struct mx_endpoint *ep);
void link_sleep(struct mx_endpoint *ep, int ms);
bool link_post_recv(struct mx_endpoint *ep, unsigned int i);
void link_post_send(struct mx_endpoint *ep, struct ibv_send_wr *wr);

#endif /* LINK_H */
