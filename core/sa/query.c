// SPDX-License-Identifier: GPL-2.0
/*
 * The life of a question to the SA.
 *
 *   new -> start -> (a local service is asked -> post | its answer)
 *                -> post -> response -> done
 *                        -> timeout, cancel, port gone -> done
 *
 * From a successful start on, done comes exactly once, from one of three: the
 * MAD layer's send handler, after whatever response there was; the failure to
 * post after a local service was asked; the answer of that service. Only the
 * thread that has the query's turn calls deliver: the one that took the query
 * off the list of netlink_ls.c, else the MAD layer, which calls its handlers one
 * after the other.
 *
 * A query exists until done and until the last ib_sa_cancel_query() has
 * returned. Cancelling is done from inside the port (ofed_sa_port_enter), so the
 * agent outlives it; the MAD is freed with the query.
 */
#include <linux/export.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "priv.h"

/* The time that a caller gives is divided into as many tries. */
#define TRIES 10

/* Queries by id. Its lock keeps an entry from its end: see sa_query_end(). */
static DEFINE_XARRAY_FLAGS(queries, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ);
/* Guarded by the lock of queries. */
static u32 next_id;
/* Lower half of the transaction ids; the agent has the upper one. */
static atomic_t next_tid;

/**
 * ib_sa_register_client - begin to count a module's queries
 * @client: memory of the module's
 *
 * Context: any.
 */
void ib_sa_register_client(struct ib_sa_client *client)
{
	init_completion(&client->comp);
	atomic_set(&client->users, 1);
}
OFED_EXPORT(ib_sa_register_client);

/* Members of multicast groups hold their client too. */
void ofed_sa_client_get(struct ib_sa_client *client)
{
	if (client)
		atomic_inc(&client->users);
}

void ofed_sa_client_put(struct ib_sa_client *client)
{
	if (client && atomic_dec_and_test(&client->users))
		complete(&client->comp);
}

/**
 * ib_sa_unregister_client - wait for the end of a module's queries
 * @client: registered before
 *
 * When it returns, no callback of a query made with @client runs or will run,
 * and no multicast member made with it is left. Context: process, may sleep.
 */
void ib_sa_unregister_client(struct ib_sa_client *client)
{
	might_sleep();
	ofed_sa_client_put(client);
	wait_for_completion(&client->comp);
}
OFED_EXPORT(ib_sa_unregister_client);

static struct ib_sa_mad *sa_mad_of(const struct ib_sa_query *query)
{
	return query->mad->mad;
}

static void sa_fill_header(struct ib_sa_query *query, const struct sa_ask *ask)
{
	u64 upper = query->port->agent->hi_tid;
	struct ib_sa_mad *mad = sa_mad_of(query);

	memset(mad, 0, sizeof(*mad));
	mad->mad_hdr.base_version = IB_MGMT_BASE_VERSION;
	mad->mad_hdr.mgmt_class = IB_MGMT_CLASS_SUBN_ADM;
	mad->mad_hdr.class_version = IB_SA_CLASS_VERSION;
	mad->mad_hdr.method = ask->method;
	mad->mad_hdr.attr_id = cpu_to_be16(ask->attr_id);
	mad->mad_hdr.tid = cpu_to_be64(upper << 32 |
				       (u32)atomic_inc_return(&next_tid));
	mad->sa_hdr.comp_mask = ask->comp_mask;
}

static void sa_free_query(struct kref *refs)
{
	struct ib_sa_query *query =
		container_of(refs, struct ib_sa_query, refs);
	struct ib_sa_client *client = query->client;

	/*
	 * The agent goes when the last MAD is freed, and with it may go the PD
	 * that the address handle is made with.
	 */
	ofed_sa_way_put(query->way);
	if (query->mad)
		ib_free_send_mad(query->mad);
	kfree(query);
	ofed_sa_client_put(client);
}

/**
 * ofed_sa_query_new - prepare a question
 * @port: entered, or known to exist by other means
 * @ask: what kind of question
 *
 * Context: any, by the flags of @ask.
 * Return: the query with an attribute of zeroes, -EAGAIN (there is no SM now),
 * -ENOMEM, or an errno of the MAD layer.
 */
struct ib_sa_query *ofed_sa_query_new(struct sa_port *port,
				      const struct sa_ask *ask)
{
	struct ib_mad_send_buf *mad;
	struct ib_sa_query *query;
	struct sa_way *way;

	way = ofed_sa_way_get(port);
	if (!way)
		return ERR_PTR(-EAGAIN);
	query = kzalloc(sizeof(*query), ask->gfp_mask);
	if (!query) {
		ofed_sa_way_put(way);
		return ERR_PTR(-ENOMEM);
	}
	kref_init(&query->refs);
	INIT_LIST_HEAD(&query->ls_link);
	query->port = port;
	query->way = way;
	query->client = ask->client;
	ofed_sa_client_get(ask->client);

	mad = ib_create_send_mad(port->agent, 1, way->pkey_index, 0,
				 IB_MGMT_SA_HDR, IB_MGMT_SA_DATA,
				 ask->gfp_mask, IB_MGMT_BASE_VERSION);
	if (IS_ERR(mad)) {
		ofed_sa_query_drop(query);
		return ERR_CAST(mad);
	}
	mad->ah = way->ah;
	mad->context[0] = query;
	query->mad = mad;
	sa_fill_header(query, ask);
	return query;
}

void *ofed_sa_query_attr(struct ib_sa_query *query)
{
	return sa_mad_of(query)->data;
}

ib_sa_comp_mask ofed_sa_query_mask(const struct ib_sa_query *query)
{
	return sa_mad_of(query)->sa_hdr.comp_mask;
}

void ofed_sa_query_drop(struct ib_sa_query *query)
{
	kref_put(&query->refs, sa_free_query);
}

static void sa_set_time_limit(struct ib_mad_send_buf *mad,
			      unsigned long timeout_ms)
{
	/* A limit of 0 would mean that no response is wanted. */
	unsigned int total = clamp_t(unsigned long, timeout_ms, 1, INT_MAX);
	unsigned int each = max(total / TRIES, 1U);

	mad->timeout_ms = each;
	mad->retries = total / each - 1;
}

/* Only the caller's context can tell whether an allocation may sleep. */
static int sa_query_begin(struct ib_sa_query *query, gfp_t gfp_mask)
{
	unsigned long flags;
	u32 id = 0;
	int ret;

	xa_lock_irqsave(&queries, flags);
	ret = __xa_alloc_cyclic(&queries, &id, query, xa_limit_31b, &next_id,
				gfp_mask);
	query->id = id;
	xa_unlock_irqrestore(&queries, flags);
	return ret < 0 ? ret : 0;
}

static void sa_query_end(struct ib_sa_query *query)
{
	unsigned long flags;

	xa_lock_irqsave(&queries, flags);
	__xa_erase(&queries, query->id);
	xa_unlock_irqrestore(&queries, flags);
}

/**
 * ofed_sa_query_post - hand a query to the MAD layer
 * @query: has an id
 *
 * It may be done, and freed, before this returns. Context: any.
 * Return: 0, or the errno of ib_post_send_mad(): it is the caller's to end then.
 */
int ofed_sa_query_post(struct ib_sa_query *query)
{
	int ret;

	kref_get(&query->refs);
	ret = ib_post_send_mad(query->mad, NULL);
	/*
	 * A cancel between the local service's answer and this post found
	 * nothing in the MAD layer. Cancel and post take the layer's locks, so
	 * that one of the two sees the other.
	 */
	if (!ret && READ_ONCE(query->cancelled))
		ib_cancel_mad(query->mad);
	kref_put(&query->refs, sa_free_query);
	return ret;
}

/**
 * ofed_sa_query_start - ask
 * @query: complete; on success it is not the caller's any more
 * @timeout_ms: limit of time, retries included
 * @gfp_mask: how to allocate
 * @handle: out: what ib_sa_cancel_query() wants beside the id; or NULL
 *
 * Context: inside the port. Return: an id, 0 or more, or an errno with @query
 * still the caller's.
 */
int ofed_sa_query_start(struct ib_sa_query *query, unsigned long timeout_ms,
			gfp_t gfp_mask, struct ib_sa_query **handle)
{
	int ret, id;

	sa_set_time_limit(query->mad, timeout_ms);
	ret = sa_query_begin(query, gfp_mask);
	if (ret)
		return ret;
	/* Before the callback can run, which may look at it. */
	id = query->id;
	if (handle)
		*handle = query;

	if (query->local && ofed_ls_start(query, gfp_mask))
		return id;
	ret = ofed_sa_query_post(query);
	if (ret) {
		sa_query_end(query);
		if (handle)
			*handle = NULL;
		return ret;
	}
	return id;
}

/* Contract: priv.h */
int ofed_sa_start_and_leave(struct sa_port *port, struct ib_sa_query *query,
			    unsigned long timeout_ms, gfp_t gfp_mask,
			    struct ib_sa_query **handle)
{
	int ret;

	if (IS_ERR(query)) {
		ret = PTR_ERR(query);
	} else {
		ret = ofed_sa_query_start(query, timeout_ms, gfp_mask, handle);
		if (ret < 0)
			ofed_sa_query_drop(query);
	}
	ofed_sa_port_leave(port);
	return ret;
}

/**
 * ofed_sa_query_done - end of a query
 * @query: the caller has its turn
 * @status: for the caller, unless there was an answer
 *
 * @query must not be used after it. Context: process.
 */
void ofed_sa_query_done(struct ib_sa_query *query, int status)
{
	if (!query->answered) {
		query->answered = true;
		query->deliver(query, status, NULL);
	}
	sa_query_end(query);
	kref_put(&query->refs, sa_free_query);
}

/**
 * ib_sa_cancel_query - the answer is not wanted any more
 * @id: what the function that asked has returned
 * @query: the handle that the same function has stored
 *
 * The callback comes all the same, soon, and with -EINTR unless an answer was
 * under way. Nothing happens for a query that has ended. Context: any.
 */
void ib_sa_cancel_query(int id, struct ib_sa_query *query)
{
	struct sa_port *port = NULL;
	unsigned long flags;

	if (id < 0 || !query)
		return;
	xa_lock_irqsave(&queries, flags);
	if (xa_load(&queries, id) == query &&
	    ofed_sa_port_enter(query->port)) {
		port = query->port;
		kref_get(&query->refs);
	}
	xa_unlock_irqrestore(&queries, flags);
	/* A port that is going cancels all its queries by itself. */
	if (!port)
		return;

	WRITE_ONCE(query->cancelled, true);
	if (!ofed_ls_cancel(query))
		ib_cancel_mad(query->mad);
	kref_put(&query->refs, sa_free_query);
	ofed_sa_port_leave(port);
}
OFED_EXPORT(ib_sa_cancel_query);

static bool sa_is_answer(const struct ib_sa_query *query,
			 const struct ib_sa_mad *mad)
{
	const struct ib_mad_hdr *asked = &sa_mad_of(query)->mad_hdr;

	return mad->mad_hdr.mgmt_class == IB_MGMT_CLASS_SUBN_ADM &&
	       mad->mad_hdr.attr_id == asked->attr_id &&
	       (mad->mad_hdr.method & IB_MGMT_METHOD_RESP);
}

/* Tables are RMPP transfers, of any length; all else is one MAD. */
static bool sa_is_whole(const struct ib_sa_query *query, const struct ib_mad_recv_wc *wc)
{
	bool table = sa_mad_of(query)->mad_hdr.method == IB_SA_METHOD_GET_TABLE;

	return wc->mad_len >= (table ? IB_MGMT_SA_HDR : IB_MGMT_MAD_SIZE);
}

static void sa_take_answer(struct ib_sa_query *query,
			   const struct ib_mad_recv_wc *wc)
{
	struct ib_sa_mad *mad = (struct ib_sa_mad *)wc->recv_buf.mad;
	int status = 0;

	if (wc->wc->status != IB_WC_SUCCESS)
		status = -EIO;
	else if (!sa_is_whole(query, wc) || !sa_is_answer(query, mad) || mad->mad_hdr.status)
		status = -EINVAL;
	query->answered = true;
	query->answer = wc;
	query->deliver(query, status, status ? NULL : mad->data);
	query->answer = NULL;
}

/* A response comes here before its request ends in the send handler. */
void ofed_sa_recv_handler(struct ib_mad_agent *agent,
			  struct ib_mad_send_buf *send_buf,
			  struct ib_mad_recv_wc *wc)
{
	struct ib_sa_query *query = send_buf ? send_buf->context[0] : NULL;

	if (query && !query->answered)
		sa_take_answer(query, wc);
	ib_free_recv_mad(wc);
}

void ofed_sa_send_handler(struct ib_mad_agent *agent,
			  struct ib_mad_send_wc *wc)
{
	struct ib_sa_query *query = wc->send_buf->context[0];
	int status = -EIO;

	if (wc->status == IB_WC_RESP_TIMEOUT_ERR)
		status = -ETIMEDOUT;
	else if (wc->status == IB_WC_WR_FLUSH_ERR)
		status = -EINTR;
	ofed_sa_query_done(query, status);
}

/**
 * ofed_sa_queries_init - begin with unpredictable transaction ids
 */
void ofed_sa_queries_init(void)
{
	atomic_set(&next_tid, get_random_u32());
}
