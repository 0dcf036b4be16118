/* SPDX-License-Identifier: GPL-2.0 */
/* The performance management agent of a port without a subnet (IBA vol. 1, 16.1). */
#ifndef SOFT_PMA_H
#define SOFT_PMA_H

#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

/**
 * struct soft_pma_counts - what a port has counted since it was made
 * @xmit_bytes: sent; PortXmitData has a quarter of it
 * @rcv_bytes: received
 * @xmit_pkts: packets sent, to one and to several receivers
 * @rcv_pkts: packets received, as above
 * @mcast_xmit_pkts: of @xmit_pkts, those to several receivers
 * @mcast_rcv_pkts: of @rcv_pkts, as above
 * @link_downed: times that the port went down
 * @rcv_errors: packets that were received with an error, or for which there was no room
 * @rcv_constraint_errors: packets that were refused for their P_Key
 * @xmit_discards: packets that could not be sent
 */
struct soft_pma_counts {
	u64 xmit_bytes;
	u64 rcv_bytes;
	u64 xmit_pkts;
	u64 rcv_pkts;
	u64 mcast_xmit_pkts;
	u64 mcast_rcv_pkts;
	u64 link_downed;
	u64 rcv_errors;
	u64 rcv_constraint_errors;
	u64 xmit_discards;
};

/* The driver's part: fill in zeroed @counts of port @port_num. Any context. */
typedef void (*soft_pma_read_fn)(struct ib_device *ib, u32 port_num,
				 struct soft_pma_counts *counts);

int soft_pma(struct ib_device *ib, u32 port_num, const struct ib_mad *in,
	     struct ib_mad *out, soft_pma_read_fn read);

#endif /* SOFT_PMA_H */
