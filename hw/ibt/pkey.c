// SPDX-License-Identifier: GPL-2.0
/*
 * P_Keys of packets. Those of QP1 may carry any of the table (IBA 10.9.4): the consumer
 * learns which by its index, and names one in each work request. Those of QP0 belong to
 * no partition, and their keys are not looked at.
 */
#include "pkey.h"
#include "port.h"

#define IBT_PKEY_BASE	0x7fff
#define IBT_PKEY_FULL	0x8000

/* Same partition, and at least one of the two is a full member of it. */
static bool ibt_pkey_match(u16 a, u16 b)
{
	return (a & IBT_PKEY_BASE) == (b & IBT_PKEY_BASE) &&
	       (a & IBT_PKEY_BASE) && ((a | b) & IBT_PKEY_FULL);
}

bool ibt_pkey_ok(const struct ibt_port *port, u16 index, u16 pkey)
{
	return index < port->num_pkeys &&
	       ibt_pkey_match(READ_ONCE(port->pkeys[index]), pkey);
}

int ibt_pkey_find(const struct ibt_port *port, u16 pkey)
{
	u16 i;

	for (i = 0; i < port->num_pkeys; i++)
		if (ibt_pkey_match(READ_ONCE(port->pkeys[i]), pkey))
			return i;
	return -1;
}
