/* SPDX-License-Identifier: GPL-2.0 */
/* Queue pairs that wait for the link. Any context. */
#ifndef IBT_TX_WAIT_H
#define IBT_TX_WAIT_H

#include <linux/list.h>
#include <linux/types.h>

struct ibt_port;

void ibt_tx_wait_init(struct ibt_port *port);
/* xmit() said -EAGAIN, when tx_wake_seq was @seq: wait on @line, which is one of the
 * port's. False: there has been room since, and @entry is on no list.
 */
bool ibt_tx_wait_add(struct ibt_port *port, struct list_head *line,
		     struct list_head *entry, u32 seq);
void ibt_tx_wait_del(struct ibt_port *port, struct list_head *entry);

#endif /* IBT_TX_WAIT_H */
