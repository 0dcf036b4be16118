/* SPDX-License-Identifier: GPL-2.0 */
/* From a payload to a packet on the link. */
#ifndef IBT_TX_H
#define IBT_TX_H

#include <linux/types.h>

#include "dev.h"
#include "link.h"
#include "port.h"

struct ibt_pkt;
struct sk_buff;

/* Room for headers, @length bytes of payload at skb->data, their pad (zeroed) and
 * the ICRC. NULL: no memory.
 */
struct sk_buff *ibt_tx_alloc(const struct ibt_path *path, u32 length,
			     gfp_t gfp);
/* Headers, ICRC, fault injection, link. @pkt: pad is filled in. Consumes @skb.
 * 0 or -EAGAIN as of link.xmit.
 */
int ibt_tx(struct ibt_path *path, struct sk_buff *skb, struct ibt_pkt *pkt,
	   u32 flow);
/* link.xmit and its counters: for finished packets, @packets of them in @skb, of
 * @bytes in all.
 */
int ibt_tx_link(struct ibt_path *path, struct sk_buff *skb, u32 packets,
		u32 bytes);

/* CRC32 state after the link's masked headers of a packet that is sent, as icrc_seed. */
static inline u32 ibt_tx_seed(const struct sk_buff *skb, const struct ibt_path *path, u32 index,
			      u32 length)
{
	const struct ibt_link_ops *link = path->port->dev->link;

	return link->tx_seed ? link->tx_seed(skb, path, index, length) :
			       link->icrc_seed(skb, index, length);
}

#endif /* IBT_TX_H */
