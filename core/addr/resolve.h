/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests of rdma_resolve_ip(): resolve.c has the requests, their time
 * limits and their end; lookup.c makes one attempt and remembers nothing.
 */
#ifndef OFED_CORE_ADDR_RESOLVE_H
#define OFED_CORE_ADDR_RESOLVE_H

#include <rdma/ib_addr.h>

int ofed_resolve_init(void);
void ofed_resolve_exit(void);

union ofed_ip_addr {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

/**
 * struct ofed_hop - the neighbour that an attempt waits for
 * @dev: its interface, to compare with, never to follow
 * @len: bytes of @key; 0: none
 * @key: its protocol address
 */
struct ofed_hop {
	const void *dev;
	unsigned int len;
	u8 key[sizeof(struct in6_addr)];
};

/**
 * struct ofed_lookup - one attempt
 * @net: namespace, held by the caller
 * @bound_if: interface to leave by, 0 for any
 * @src: in: source address, or zero; out: the one that was chosen
 * @dst: destination address
 * @found: out: what rdma_resolve_ip() tells
 * @hop: out: what is waited for, on -ENODATA
 * @ask_ls: out: the GID of @dst, behind a router, is known to ibacm at most
 */
struct ofed_lookup {
	struct net *net;
	int bound_if;
	union ofed_ip_addr src, dst;
	struct rdma_dev_addr found;
	struct ofed_hop hop;
	bool ask_ls;
};

/**
 * ofed_lookup - find route, source and neighbour of an address
 * @look: the attempt
 *
 * Context: process. Return: 0; -ENODATA (@look->hop is being asked, or ibacm
 * should be); -ENODEV, -EADDRNOTAVAIL, -ENETUNREACH, -EHOSTUNREACH,
 * -EAFNOSUPPORT, or another errno of the routing tables.
 */
int ofed_lookup(struct ofed_lookup *look);

#endif /* OFED_CORE_ADDR_RESOLVE_H */
