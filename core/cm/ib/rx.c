// SPDX-License-Identifier: GPL-2.0
/* Received messages: how many there are, and what they hold. */
#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>

#include "core.h"

/* Return: NULL when there are too many messages, or no memory. */
struct cm_rx *cm_rx_new(struct cm_port *port, struct ib_mad_recv_wc *wc,
			enum cm_queue queue)
{
	atomic_t *waiting = &port->waiting[queue];
	struct cm_rx *rx;

	if (!atomic_add_unless(waiting, 1, queue == CM_NEEDS_ADDR ?
			       CM_NEEDS_ADDR_MOST : CM_MESSAGES_MOST)) {
		ibdev_dbg(port->dev->device, "port %u: too many messages wait, one dropped\n",
			  port->num);
		return NULL;
	}
	rx = kzalloc(sizeof(*rx), GFP_KERNEL);
	if (!rx) {
		atomic_dec(waiting);
		return NULL;
	}
	rx->queue = queue;
	kref_get(&port->dev->ref);
	atomic_inc(&port->dev->messages);
	rx->port = port;
	rx->wc = wc;
	rx->mad = (union cm_mad *)wc->recv_buf.mad;
	cm_event_init(&rx->event);
	return rx;
}

void cm_rx_free(struct cm_rx *rx)
{
	struct cm_port *port = rx->port;
	struct cm_dev *dev = port->dev;

	ib_free_recv_mad(rx->wc);
	atomic_dec(&port->waiting[rx->queue]);
	kfree(rx);
	if (atomic_dec_and_test(&dev->messages))
		wake_up(&dev->quiet);
	cm_dev_put(dev);
}

/* The P_Key that the message came with; 0 when it is not in the table now. */
u16 cm_rx_pkey(const struct cm_rx *rx)
{
	u16 pkey;

	if (ib_get_cached_pkey(rx->port->dev->device, rx->port->num,
			       rx->wc->wc->pkey_index, &pkey))
		return 0;
	return pkey;
}

void cm_rx_count_duplicate(const struct cm_rx *rx)
{
	cm_count(rx->port, CM_RX_DUPLICATES, cm_attr_of(&rx->mad->hdr), 1);
}
