/* SPDX-License-Identifier: GPL-2.0 */
/* Packets of a queue pair stay in order on their way through this host. */
#ifndef IBT_ORDER_H
#define IBT_ORDER_H

#include <linux/types.h>

struct ibt_port;

/* May packets be sent on this processor? False: on @cpu, which is this one else. */
bool ibt_order_ok(const struct ibt_port *port, int *cpu, bool late);

#endif /* IBT_ORDER_H */
