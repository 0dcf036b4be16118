// SPDX-License-Identifier: GPL-2.0
/* What is finished goes to the link. */
#include "dev.h"
#include "link.h"
#include "port.h"
#include "stats.h"
#include "tx.h"

/**
 * ibt_tx_link - give a finished packet, or a GSO skb of them, to the link
 * @path: where it goes
 * @skb: consumed; data at the link's first byte
 * @packets: in it
 * @bytes: of them, each from BTH to ICRC
 *
 * Context: interrupts enabled.
 *
 * Return: 0, or -EAGAIN: it is on its way, but wait for ibt_tx_wake().
 */
int ibt_tx_link(struct ibt_path *path, struct sk_buff *skb, u32 packets,
		u32 bytes)
{
	struct ibt_dev *dev = path->port->dev;
	int ret;

	ibt_count_more(dev, IBT_STAT_TX_PKTS, packets);
	ibt_count_more(dev, IBT_STAT_TX_BYTES, bytes);
	ret = dev->link->xmit(skb, path);
	if (ret)
		ibt_count(dev, IBT_STAT_TX_BUSY);
	return ret;
}
