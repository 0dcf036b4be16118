/* SPDX-License-Identifier: GPL-2.0 */
/*
 * addr: from an IP address or GID to a MAC address and a route, for address vectors
 * and rdma_cm (<rdma/ib_addr.h>). It may use the folders below it: device, netlink,
 * port.
 */
#ifndef OFED_CORE_ADDR_H
#define OFED_CORE_ADDR_H

#include <rdma/ib_verbs.h>

struct neighbour;

int ofed_addr_init(void);
void ofed_addr_exit(void);

/**
 * ofed_addr_resolve_l2 - find the destination MAC of a RoCE address vector
 * @device: device of the source GID
 * @ah_attr: in: grh with sgid_attr set and dgid; out: roce.dmac, and
 *	     grh.hop_limit as the route has it where one was taken
 *
 * Multicast destinations are computed, and so are link-local ones that contain
 * a MAC (EUI-64, or RoCE v1); all others go through the route and neighbour
 * tables of the GID's namespace, with a time limit. Context: process, sleeps up
 * to a second.
 * Return: 0, -ENODEV (interface of the GID gone), -EHOSTUNREACH or
 * -ENETUNREACH (no route), -ETIMEDOUT (no neighbour answered), -EINVAL.
 */
int ofed_addr_resolve_l2(struct ib_device *device,
			 struct rdma_ah_attr *ah_attr);

/**
 * ofed_addr_neigh_mac - the hardware address of a neighbour, if it has answered
 * @neigh: the neighbour, referenced
 * @mac: out: MAX_ADDR_LEN bytes, of which as many are written as the interface has
 *
 * An update of a neighbour sets the state before the address, and has its lock all the while:
 * a reader that looks at the state alone may get an address of zeros, or an old one.
 *
 * Context: any. Return: whether there is one; otherwise @mac is as before.
 */
bool ofed_addr_neigh_mac(struct neighbour *neigh, void *mac);

#endif /* OFED_CORE_ADDR_H */
