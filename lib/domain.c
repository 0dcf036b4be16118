// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Protection domains, and parent domains: of one protection domain and, perhaps, a thread
 * domain. The kernel module knows the protection domain alone.
 */
#include <errno.h>
#include <stdlib.h>

#include "domain.h"

/**
 * struct lib_td - thread domain
 * @base: of libibverbs
 * @users: parent domains
 */
struct lib_td {
	struct ibv_td base;
	atomic_int users;
};

/**
 * struct lib_pd - protection domain or parent domain
 * @base: of libibverbs
 * @of: protection domain of a parent domain, else NULL
 * @td: its thread domain, NULL: none
 * @users: parent domains of a protection domain
 */
struct lib_pd {
	struct ibv_pd base;
	struct lib_pd *of;
	struct lib_td *td;
	atomic_int users;
};

static struct lib_pd *lib_pd_of(struct ibv_pd *pd)
{
	return container_of(pd, struct lib_pd, base);
}

struct ibv_pd *lib_alloc_pd(struct ibv_context *context)
{
	struct ib_uverbs_alloc_pd_resp resp;
	struct ibv_alloc_pd cmd;
	struct lib_pd *pd = calloc(1, sizeof(*pd));

	if (!pd)
		return NULL;
	if (ibv_cmd_alloc_pd(context, &pd->base, &cmd, sizeof(cmd), &resp, sizeof(resp))) {
		free(pd);
		return NULL;
	}
	return &pd->base;
}

int lib_dealloc_pd(struct ibv_pd *ibv)
{
	struct lib_pd *pd = lib_pd_of(ibv);
	int ret;

	if (pd->of) {
		atomic_fetch_sub(&pd->of->users, 1);
		if (pd->td)
			atomic_fetch_sub(&pd->td->users, 1);
		free(pd);
		return 0;
	}
	if (atomic_load(&pd->users))
		return EBUSY;
	ret = ibv_cmd_dealloc_pd(ibv);
	if (!ret)
		free(pd);
	return ret;
}

/* One of another process that this one has the file of. */
struct ibv_pd *lib_import_pd(struct ibv_context *context, uint32_t handle)
{
	struct lib_pd *pd = calloc(1, sizeof(*pd));

	if (!pd)
		return NULL;
	pd->base.context = context;
	pd->base.handle = handle;
	return &pd->base;
}

void lib_unimport_pd(struct ibv_pd *pd)
{
	free(lib_pd_of(pd));
}

/* The rings are the kernel module's memory, so no allocator of the application has any use. */
struct ibv_pd *lib_alloc_parent_domain(struct ibv_context *context,
				       struct ibv_parent_domain_init_attr *attr)
{
	struct lib_pd *pd;

	if (ibv_check_alloc_parent_domain(attr))
		return NULL;
	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;
	pd->of = lib_pd_of(attr->pd);
	/* One that is of a parent domain itself is of the same protection domain. */
	if (pd->of->of)
		pd->of = pd->of->of;
	ibv_initialize_parent_domain(&pd->base, &pd->of->base);
	atomic_fetch_add(&pd->of->users, 1);
	if (attr->td) {
		pd->td = container_of(attr->td, struct lib_td, base);
		atomic_fetch_add(&pd->td->users, 1);
	}
	return &pd->base;
}

struct ibv_td *lib_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr)
{
	struct lib_td *td;

	if (attr->comp_mask) {
		errno = EINVAL;
		return NULL;
	}
	td = calloc(1, sizeof(*td));
	if (!td)
		return NULL;
	td->base.context = context;
	return &td->base;
}

int lib_dealloc_td(struct ibv_td *ibv)
{
	struct lib_td *td = container_of(ibv, struct lib_td, base);

	if (atomic_load(&td->users))
		return EBUSY;
	free(td);
	return 0;
}

/* Is what is made with @pd used by one thread at a time? */
bool lib_pd_is_single(struct ibv_pd *pd)
{
	return pd && lib_pd_of(pd)->td;
}
