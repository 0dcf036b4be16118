/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Resource tracking: every verbs object is in its device's table of that kind
 * from the moment it can be used until its destruction has begun.
 *
 * The life of an entry, which the creator of the object walks through:
 *
 *   ofed_restrack_new  -> named -> add -> begin_del -> commit_del
 *                                            |
 *                                            +-> abort_del (destroy failed)
 *   ofed_restrack_new  -> named -> put         (create failed before add)
 */
#ifndef OFED_RESTRACK_H
#define OFED_RESTRACK_H

#include <rdma/restrack.h>

/*
 * Owners of what ofed_core makes, as 'rdma resource' shows them: the names of
 * the in-tree modules that its parts replace.
 */
#define OFED_OWNER_CORE	"ib_core"
#define OFED_OWNER_CM	"rdma_cm"

/**
 * struct ofed_tracked - an entry of type RDMA_RESTRACK_CM_ID
 * @entry: as in a verbs object
 * @device: the device; valid as long as @entry is in its table. A verbs object has the pointer
 *	    itself
 */
struct ofed_tracked {
	struct rdma_restrack_entry entry;
	struct ib_device *device;
};

void ofed_restrack_new(struct rdma_restrack_entry *res,
		       enum rdma_restrack_type type);
void ofed_restrack_set_name(struct rdma_restrack_entry *res,
			    const char *caller);
void ofed_restrack_parent_name(struct rdma_restrack_entry *child,
			       const struct rdma_restrack_entry *parent);
void ofed_restrack_add(struct rdma_restrack_entry *res);
void ofed_restrack_begin_del(struct rdma_restrack_entry *res);
void ofed_restrack_abort_del(struct rdma_restrack_entry *res);
void ofed_restrack_commit_del(struct rdma_restrack_entry *res);

struct rdma_restrack_entry *
ofed_restrack_get_from(struct ib_device *device, enum rdma_restrack_type type,
		       u32 *id);
bool ofed_restrack_is_detail(struct rdma_restrack_entry *res);

/* begin_del and commit_del in one, for destructions that can not fail. */
void ofed_restrack_del(struct rdma_restrack_entry *res);

#endif /* OFED_RESTRACK_H */
