/* SPDX-License-Identifier: GPL-2.0 */
/* Would anything see, delay or change the packets between two interfaces of this host? */
#ifndef ROCE_WATCH_H
#define ROCE_WATCH_H

#include <linux/netdevice.h>
#include <linux/netfilter.h>

struct roce_dev;

bool roce_is_watched(struct net_device *dev, struct net_device *peer, u8 pf);
bool roce_tx_is_watched(const struct roce_dev *rd);

/* Hooks of this module: gso_rx.c, rx_dst.c. */
nf_hookfn roce_take_ipv4, roce_take_ipv6, roce_give_ipv4, roce_give_ipv6;

#endif /* ROCE_WATCH_H */
