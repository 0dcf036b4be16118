/* SPDX-License-Identifier: GPL-2.0 */
/* Packets of a queue pair stay in order on their way through this host. */
#ifndef IBT_TX_ORDER_H
#define IBT_TX_ORDER_H

#include <linux/types.h>

struct ibt_port;
struct ibt_qp;

/* May packets be sent on this processor? False: on @cpu, which is this one else. */
bool ibt_order_ok(const struct ibt_port *port, int *cpu, bool late);
/* May the responder send on this processor; may its answer with @psn leave? resp.lock held. */
bool ibt_order_resp_here(struct ibt_qp *qp);
bool ibt_order_resp(struct ibt_qp *qp, u32 psn);

#endif /* IBT_TX_ORDER_H */
