// SPDX-License-Identifier: GPL-2.0
/*
 * Can an address be reached by RDMA? Address resolution alone tells: no message is
 * sent, no process needs to listen.
 */
#include "sum.h"

/**
 * check_rdma_support() - ask which device leads to an address
 * @address: of the peer
 *
 * Return: 0 if there is an RDMA device for it, else what was in the way: a negative
 * error number, from the event if the resolution failed.
 */
int check_rdma_support(struct sockaddr *address)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;
	int status = -1;

	if (!channel)
		return -1;
	if (rdma_create_id(channel, &id, NULL, RDMA_PS_TCP))
		goto err_channel;
	if (rdma_resolve_addr(id, NULL, address, 2000) || rdma_get_cm_event(channel, &event))
		goto err_id;
	status = event->status;
	if (!status && event->event != RDMA_CM_EVENT_ADDR_RESOLVED)
		status = -1;
	rdma_ack_cm_event(event);
err_id:
	rdma_destroy_id(id);
err_channel:
	rdma_destroy_event_channel(channel);
	return status;
}
