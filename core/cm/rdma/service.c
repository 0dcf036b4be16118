// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: services by name or by id. The subnet administrator tells which ports have them; the
 * GID of the one that the consumer chooses, and the service id, are a destination of family AF_IB.
 * For kernels with the records in struct rdma_route.
 */
#include <linux/export.h>
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <rdma/ib.h>

#include "cma.h"
#include "service.h"

/* The caller gives no time limit. That of a query of the MAD layer that has its retries. */
#define CMA_SERVICE_TIMEOUT_MS 4000

/**
 * struct cma_service_query - a query of services under way
 * @id: the id, referenced
 * @memcg: memory cgroup of the caller, which is charged for the records
 */
struct cma_service_query {
	struct cma_id *id;
	struct mem_cgroup *memcg;
};

static struct cma_service_query *cma_service_query_new(struct cma_id *id)
{
	struct cma_service_query *query = kmalloc(sizeof(*query), GFP_KERNEL_ACCOUNT);

	if (!query)
		return NULL;
	cma_id_get(id);
	query->id = id;
	query->memcg = get_mem_cgroup_from_mm(current->mm);
	return query;
}

static void cma_service_query_free(struct cma_service_query *query)
{
	mem_cgroup_put(query->memcg);
	cma_id_put(query->id);
	kfree(query);
}

static bool cma_service_finish(struct cma_id *id, int status, struct rdma_cm_event *event)
{
	if (cma_move(id, CMA_M_SERVICE_END))
		return false;
	event->event = status ? RDMA_CM_EVENT_ADDRINFO_ERROR : RDMA_CM_EVENT_ADDRINFO_RESOLVED;
	event->status = status;
	return true;
}

/* Once in the life of an id: a reader that sees the count sees the records, until the id goes. */
static int cma_keep_services(struct cma_service_query *query, const struct sa_service_rec *recs,
			     unsigned int count)
{
	struct rdma_route *route = &query->id->pub.route;
	struct mem_cgroup *old = set_active_memcg(query->memcg);

	route->service_recs = kvmalloc_array(count, sizeof(*recs), GFP_KERNEL_ACCOUNT);
	set_active_memcg(old);
	if (!route->service_recs)
		return -ENOMEM;
	memcpy(route->service_recs, recs, count * sizeof(*recs));
	/* Pairs with that of a reader, ucma_services_of(). */
	smp_store_release(&route->num_service_recs, count);
	return 0;
}

static void cma_got_services(int status, struct sa_service_rec *recs, unsigned int count,
			     void *context)
{
	struct cma_service_query *query = context;

	if (!status)
		status = cma_keep_services(query, recs, count);
	cma_step_start(query->id, status, cma_service_finish);
	cma_service_query_free(query);
}

static int cma_ask_for_services(struct cma_id *id, struct sa_service_rec *rec,
				ib_sa_comp_mask mask)
{
	struct cma_service_query *query = cma_service_query_new(id);
	int ret;

	if (!query)
		return -ENOMEM;
	/* The query may end first, and the id then. */
	cma_id_get(id);
	ret = ib_sa_service_rec_get(&cma_sa_client, id->pub.device, id->pub.port_num, rec, mask,
				    CMA_SERVICE_TIMEOUT_MS, GFP_KERNEL_ACCOUNT, cma_got_services,
				    query, &id->sa_query);
	if (ret < 0)
		cma_service_query_free(query);
	else
		id->sa_query_id = ret;
	cma_id_put(id);
	return min(ret, 0);
}

/**
 * rdma_resolve_ib_service - find the ports that have a service
 * @id: id that is bound to an InfiniBand port, with or without a resolved destination
 * @ibs: id of the service, or its name, or both, as @ibs->flags say
 *
 * Ends with RDMA_CM_EVENT_ADDRINFO_RESOLVED, and id->route has the records until the id is
 * destroyed: it has them once in its life. Or it ends with RDMA_CM_EVENT_ADDRINFO_ERROR, with
 * the status of ib_sa_service_rec_get(), and it may be asked again. The id's addresses stay as
 * they are; until the event it is not asked for anything else. Context: process, may sleep.
 * Return: 0, -EINVAL (flags; a name that is empty or not terminated; the state of the id, or it
 * has no device; it has records), -EOPNOTSUPP (a port without subnet administrator: RoCE,
 * iWARP), -ENOMEM, or an errno of ib_sa_service_rec_get().
 */
int rdma_resolve_ib_service(struct rdma_cm_id *id, struct rdma_ucm_ib_service *ibs)
{
	struct cma_id *mine = cma_id_of(id);
	struct sa_service_rec rec;
	ib_sa_comp_mask mask;
	int ret;

	if (!cma_device(mine))
		return -EINVAL;
	if (!rdma_cap_ib_sa(id->device, id->port_num))
		return -EOPNOTSUPP;
	ret = cma_service_wanted(ibs, &rec, &mask) ?: cma_move(mine, CMA_M_SERVICE_ASK);
	if (ret)
		return ret;
	ret = id->route.num_service_recs ? -EINVAL : cma_ask_for_services(mine, &rec, mask);
	if (ret)
		cma_move(mine, CMA_M_SERVICE_END);
	return ret;
}
OFED_EXPORT(rdma_resolve_ib_service);
