/* SPDX-License-Identifier: GPL-2.0 */
/* How rdma_cm, a floor above, lets its ids be shown by RES_CM_ID_GET. */
#ifndef OFED_NLDEV_CM_ID_H
#define OFED_NLDEV_CM_ID_H

#include <linux/types.h>

struct rdma_cm_id;
struct rdma_restrack_entry;

/**
 * struct nldev_cm_id - what a line of 'rdma resource show cm_id' shows
 * @pub: the id; its addresses may be in the making
 * @qp_num: number of its QP, 0 without one
 * @state: enum cma_state, ABI
 * @has_destination: false for a listener on all devices
 */
struct nldev_cm_id {
	struct rdma_cm_id *pub;
	u32 qp_num;
	u8 state;
	bool has_destination;
};

/**
 * ofed_nldev_cm_ids - set the function that reads an entry of an id
 * @read: called with an entry of RDMA_RESTRACK_CM_ID that stays while it runs
 *
 * Context: any, before the first entry is added.
 */
void ofed_nldev_cm_ids(void (*read)(struct rdma_restrack_entry *entry,
				    struct nldev_cm_id *line));

#endif /* OFED_NLDEV_CM_ID_H */
