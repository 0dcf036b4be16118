/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Management datagrams that no honest host sends: of every class, about conversations that are
 * known, and what mutation makes of them.
 */
#ifndef MAD_ODD_H
#define MAD_ODD_H

#include <rdma/rdma_user_cm.h>

#include "innocent.h"
#include "cm_raw_mad.h"

#define KNOWN		128
#define R(n)		below(&seed, n)

static uint64_t seed;
static struct mad_world here;
static struct mad_names known[KNOWN];
static unsigned int next_known;
static uint32_t longest;

static inline struct mad_names *new_known(void)
{
	struct mad_names *n = &known[next_known++ % KNOWN];

	memset(n, 0, sizeof(*n));
	return n;
}

static inline uint64_t odd_number(void)
{
	static const uint64_t odd[] = {
		0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0xffffff, 0x7fffffff,
		0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000,
		0xffffffffffffffff,
	};

	return R(3) ? odd[R(sizeof(odd) / sizeof(odd[0]))] :
	       (uint64_t)rng(&seed) << 32 | rng(&seed);
}

static inline void some_names(struct mad_names *n)
{
	*n = known[R(KNOWN)];
	switch (R(10)) {
	case 0:
		n->ours = rng(&seed);
		break;
	case 1:
		n->theirs = R(2) ? rng(&seed) : n->theirs ^ 1U << R(32);
		break;
	case 2:
		n->their_qpn = rng(&seed) & 0xffffff;
		break;
	case 3:
		*n = known[R(KNOWN)];
		n->ours = known[R(KNOWN)].ours;
		break;
	case 4:
		n->tid = known[R(KNOWN)].tid;
		n->theirs = R(2) ? 0 : n->theirs;
		break;
	}
}

/* A number that no connection has: a REQ ends the old connection of its own. */
static inline uint32_t spare_qpn(void)
{
	return 0x800000 | R(0x7fffff);
}

static inline uint64_t some_service(uint16_t space)
{
	if (R(4))
		return mad_service(space, here.port);
	return R(2) ? mad_service(space, R(0x10000)) : odd_number();
}

static inline void cm_datagram(struct mad *m)
{
	enum cm_attribute attr = CM_REQ + R(CM_KINDS);
	struct mad_names n;

	some_names(&n);
	/* Conversations need a beginning, and one that is not the last again. */
	if (R(6) == 0)
		attr = R(4) ? CM_REQ : CM_SIDR_REQ;
	if ((attr == CM_REQ || attr == CM_SIDR_REQ) && R(8)) {
		n = (struct mad_names){ .ours = rng(&seed), .qpn = spare_qpn(),
					.tid = rng(&seed) };
		*new_known() = n;
	}
	mad_cm(m, attr, &here, &n, some_service(attr == CM_REQ ? RDMA_PS_TCP : RDMA_PS_UDP));
}

static inline void rmpp_header(struct mad *m)
{
	mad_put(m, RMPP_VERSION, R(8) ? 1 : R(256), 1);
	mad_put(m, RMPP_TYPE, R(6), 1);
	mad_put(m, RMPP_FLAGS, R(4) ? R(32) << 3 | 1 | R(8) : R(256), 1);
	mad_put(m, RMPP_STATUS, R(2) ? 0 : 100 + R(30), 1);
	mad_put(m, RMPP_SEGMENT, R(2) ? R(5) : odd_number(), 4);
	mad_put(m, RMPP_LENGTH, R(2) ? R(400) : odd_number(), 4);
}

static inline void other_datagram(struct mad *m)
{
	const struct mad_kind *k = &mad_kinds[R(MAD_KINDS)];
	uint8_t method = k->methods[R(6)];
	uint16_t attr = k->attrs[R(6)];
	uint32_t i;

	mad_begin(m, k->class, k->version, method ? method : k->methods[0],
		  attr ? attr : k->attrs[0], R(2) ? known[R(KNOWN)].tid : rng(&seed));
	if (R(2))
		for (i = MAD_DATA + R(64); i < MAD_SIZE; i++)
			m->bytes[i] = rng(&seed);
	if (k->class == 3 || k->class >= 0x10)
		rmpp_header(m);
	if (k->class >= 0x30 && R(4))
		mad_put(m, VENDOR_OUI, 0x1405, 3);
	/* Direction, hop pointer and hop count of a route. */
	if (k->class == 0x81) {
		mad_put(m, MAD_STATUS, R(2) ? 0 : 0x8000, 2);
		mad_put(m, 6, R(4) ? R(66) : R(256), 1);
		mad_put(m, 7, R(4) ? R(66) : R(256), 1);
	}
}

static inline void mutate_header(struct mad *m)
{
	switch (R(6)) {
	case 0:
		mad_put(m, MAD_BASE, R(2) ? 0x80 : R(256), 1);
		break;
	case 1:
		mad_put(m, MAD_CLASS, R(2) ? mad_kinds[R(MAD_KINDS)].class : R(256), 1);
		break;
	case 2:
		mad_put(m, MAD_VERSION, R(256), 1);
		break;
	case 3:
		mad_put(m, MAD_METHOD, R(2) ? m->bytes[MAD_METHOD] ^ 0x80 : R(256), 1);
		break;
	case 4:
		mad_put(m, MAD_ATTR, R(2) ? R(0x20) : odd_number(), 2);
		break;
	case 5:
		mad_put(m, MAD_STATUS, rng(&seed), 2);
		break;
	}
}

static inline void mutate(struct mad *m)
{
	uint32_t at, bytes;

	switch (R(9)) {
	case 0:
		m->bytes[R(MAD_SIZE)] ^= 1 << R(8);
		break;
	case 1:
		m->bytes[MAD_DATA + R(140)] = rng(&seed);
		break;
	case 2:
	case 3:
		bytes = 1 << R(4);
		at = R(168 / bytes) * bytes;
		mad_put(m, at, odd_number(), bytes);
		break;
	case 4:
		mutate_header(m);
		break;
	case 5:
		mad_put(m, MAD_ATTR, CM_REQ + R(CM_KINDS + 2), 2);
		break;
	case 6:
		for (at = MAD_DATA + R(200); at < MAD_SIZE; at++)
			m->bytes[at] = rng(&seed);
		break;
	case 7:
		rmpp_header(m);
		break;
	case 8:
		if (R(2))
			mad_put(m, MAD_TID, R(2) ? known[R(KNOWN)].tid : odd_number(), 8);
		else if (R(2))
			m->length = R(2) ? R(MAD_SIZE) : MAD_SIZE - 1 - R(3);
		else
			m->length = MAD_SIZE + R(longest - MAD_SIZE + 1);
		break;
	}
}

#endif /* MAD_ODD_H */
