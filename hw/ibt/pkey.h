/* SPDX-License-Identifier: GPL-2.0 */
/* P_Keys of packets. */
#ifndef IBT_PKEY_H
#define IBT_PKEY_H

#include <linux/types.h>

struct ibt_port;

/* Does @pkey of a packet match entry @index of the table? IBA 10.9.1. */
bool ibt_pkey_ok(const struct ibt_port *port, u16 index, u16 pkey);
/* Index of an entry that @pkey matches, or -1 (QP1 takes them all). */
int ibt_pkey_find(const struct ibt_port *port, u16 pkey);

#endif /* IBT_PKEY_H */
