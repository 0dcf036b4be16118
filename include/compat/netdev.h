/* SPDX-License-Identifier: GPL-2.0 */
/* What is attached to an interface. Not part of compat.h: it includes headers of the network. */
#ifndef OFED_COMPAT_NETDEV_H
#define OFED_COMPAT_NETDEV_H

#include <linux/netdevice.h>

/*
 * Does traffic control see what passes @dev? Since 6.6 one entry of an interface is for its
 * filters and for BPF (tcx). Drop the first with 6.1.
 *
 * Context: RCU reader.
 */
static inline bool compat_dev_has_tc(const struct net_device *dev)
{
#if defined(CONFIG_NET_XGRESS)
	return rcu_access_pointer(dev->tcx_ingress) ||
	       rcu_access_pointer(dev->tcx_egress);
#elif defined(CONFIG_NET_CLS_ACT)
	return rcu_access_pointer(dev->miniq_ingress) ||
	       rcu_access_pointer(dev->miniq_egress);
#else
	return false;
#endif
}

#endif /* OFED_COMPAT_NETDEV_H */
