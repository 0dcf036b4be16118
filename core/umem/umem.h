/* SPDX-License-Identifier: GPL-2.0 */
/*
 * umem: memory of user processes for regions and queues: pinned, on demand, or of a
 * dma-buf, and the accounts that pinned memory is charged to. It may use the folders
 * below it: device, netlink, port, addr, track.
 */
#ifndef OFED_CORE_UMEM_H
#define OFED_CORE_UMEM_H

#include <rdma/ib_umem.h>

/**
 * enum umem_account - where the charge of a umem is
 * @UMEM_PENDING: charged, by a call that has not ended
 * @UMEM_CLAIMED: charged, on the list of the open file that it is for
 * @UMEM_SETTLED: the file is gone and the charge was given back; the driver
 *		  refused to let go of the pages
 */
enum umem_account {
	UMEM_PENDING,
	UMEM_CLAIMED,
	UMEM_SETTLED,
};

/**
 * struct umem_pinned - a umem of ib_umem_get()
 * @umem: what the driver knows
 * @node: in a list as @account says
 * @task: that pinned it; compared, never followed
 * @account: where its charge is
 */
struct umem_pinned {
	struct ib_umem umem;
	struct list_head node;
	struct task_struct *task;
	enum umem_account account;
};

static inline struct umem_pinned *to_umem_pinned(struct ib_umem *umem)
{
	return container_of(umem, struct umem_pinned, umem);
}

struct ib_umem *ofed_umem_get(struct ib_device *device, unsigned long addr, size_t size,
			      int access);
unsigned long ofed_umem_pages(const struct ib_umem *umem);

/* account.c */
int ofed_umem_charge(struct umem_pinned *pinned);
void ofed_umem_uncharge(struct umem_pinned *pinned);
void ofed_umems_free_left(struct ib_device *device);

#endif /* OFED_CORE_UMEM_H */
