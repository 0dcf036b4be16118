/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a driver keeps of a user that is gone: it refused to destroy an object,
 * and may use the memory of that object until its device goes.
 */
#ifndef OFED_LEFTOVER_H
#define OFED_LEFTOVER_H

#include <linux/list.h>

struct ib_device;
struct module;

/**
 * struct ofed_leftover - memory that is freed together with a device
 * @node: of the core
 * @device: the device
 * @owner: module of @free; the core puts one reference to it after @free
 * @free: frees the memory, this struct included. Process context; the driver's
 *	  last op has returned
 */
struct ofed_leftover {
	struct list_head node;
	struct ib_device *device;
	struct module *owner;
	void (*free)(struct ofed_leftover *leftover);
};

void ofed_leftover_keep(struct ofed_leftover *leftover);

/* umem/account.c: pinned memory by the open file that it was pinned for. */
void ofed_umem_claim(struct list_head *umems);
void ofed_umem_settle(struct list_head *umems);

#endif /* OFED_LEFTOVER_H */
