/* SPDX-License-Identifier: GPL-2.0 */
/* Multicast groups of an id. */
#ifndef OFED_CM_CMA_MCAST_H
#define OFED_CM_CMA_MCAST_H

#include <linux/list.h>
#include <linux/socket.h>
#include <linux/workqueue.h>
#include <rdma/ib_sa.h>

struct cma_id;

/**
 * struct cma_mcast - a group that an id has joined
 * @list: in id->mcast; cma_mutex. The thread that removes it leaves the group
 * @id: the id; it leaves its groups before it is gone
 * @addr: address as the consumer gave it
 * @context: of the consumer
 * @join_state: bits of enum ib_sa_mc_join_states
 * @sa: group of the SA, NULL on RoCE
 * @rec: what the group is like, on RoCE
 * @gid_type: on RoCE
 * @announced: routers have been told, on RoCE
 * @work: brings the event, on RoCE
 */
struct cma_mcast {
	struct list_head list;
	struct cma_id *id;
	struct sockaddr_storage addr;
	void *context;
	u8 join_state;

	struct ib_sa_multicast *sa;

	struct ib_sa_mcmember_rec rec;
	enum ib_gid_type gid_type;
	bool announced;
	struct work_struct work;
};

#if IS_ENABLED(CONFIG_KUNIT)
void cma_roce_event(struct work_struct *work);
#endif

#endif /* OFED_CM_CMA_MCAST_H */
