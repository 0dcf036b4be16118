// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: the lines of 'rdma resource show cm_id'. A line is an id with a device, or one
 * device of an id that listens on all. nldev/cm_id.c shows them.
 */
#include <linux/export.h>
#include <ofed/restrack.h>
#include <compat/decls.h>

#include "../../nldev/cm_id.h"
#include "cma.h"

static struct cma_res *cma_res_of(const struct rdma_restrack_entry *entry)
{
	return container_of(entry, struct cma_res, tracked.entry);
}

void cma_res_init(struct cma_res *res, struct cma_id *id)
{
	ofed_restrack_new(&res->tracked.entry, RDMA_RESTRACK_CM_ID);
	res->id = id;
}

/* Called once. Context: process, may sleep. */
void cma_res_add(struct cma_res *res, struct ib_device *device)
{
	res->tracked.device = device;
	ofed_restrack_add(&res->tracked.entry);
}

/*
 * Take a line away, added or not. Returns when no reader uses it.
 * cma_res_show() or cma_res_forget() follows. Context: process, may sleep.
 */
void cma_res_hide(struct cma_res *res)
{
	ofed_restrack_begin_del(&res->tracked.entry);
}

void cma_res_show(struct cma_res *res)
{
	ofed_restrack_abort_del(&res->tracked.entry);
}

/* No reader uses the line's owner any more; the device still exists. */
void cma_res_forget(struct cma_res *res)
{
	ofed_restrack_commit_del(&res->tracked.entry);
	res->tracked.device = NULL;
}

/* Both, for a line that no other has its owner from. */
void cma_res_del(struct cma_res *res)
{
	cma_res_hide(res);
	cma_res_forget(res);
}

/**
 * rdma_res_to_id - id of an entry of the table of resources
 * @res: entry of type RDMA_RESTRACK_CM_ID
 *
 * For drivers that add to an answer (fill_res_cm_id_entry). Context: any.
 * Return: the id.
 */
struct rdma_cm_id *rdma_res_to_id(struct rdma_restrack_entry *res)
{
	return &cma_res_of(res)->id->pub;
}
OFED_EXPORT(rdma_res_to_id);

static void cma_res_read(struct rdma_restrack_entry *entry, struct nldev_cm_id *line)
{
	struct cma_res *res = cma_res_of(entry);
	struct cma_id *id = res->id;

	line->pub = &id->pub;
	line->qp_num = READ_ONCE(id->qp_num);
	line->state = cma_shown_state(cma_state_of(id));
	/* A listener on all devices has no destination on any of them. */
	line->has_destination = res == &id->res;
}

void cma_res_start(void)
{
	ofed_nldev_cm_ids(cma_res_read);
}
