/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside of the SA client: sa.c has ports and their way to the SA, query.c
 * the life of a query, path.c what callers ask for, netlink_ls.c the services in
 * user space that may answer first, records.c the records on the wire, table.c the
 * tables of them; service.c, where the kernel has the struct, asks for services.
 */
#ifndef OFED_CORE_SA_PRIV_H
#define OFED_CORE_SA_PRIV_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_sa.h>

#include "sa.h"

struct sa_service_rec;

/* Records on the wire, in bytes. */
enum {
	SA_PATH_REC_BYTES	= 64,
	SA_MCMEMBER_REC_BYTES	= 52,
	SA_GUIDINFO_REC_BYTES	= 72,
	SA_SERVICE_REC_BYTES	= 176,
};

/**
 * struct sa_way - how MADs get to the SA of a port's subnet
 * @refs: one of the port, one of each query that uses it
 * @ah: address handle of the master SM's port
 * @pkey_index: of the default partition
 */
struct sa_way {
	struct kref refs;
	struct ib_ah *ah;
	u16 pkey_index;
};

enum sa_cpi_state {
	SA_CPI_UNKNOWN,
	SA_CPI_ASKED,
	SA_CPI_KNOWN,
};

/**
 * struct sa_port - a port with an SA
 * @agent: MAD agent on its QP1; NULL for ports without an SA
 * @port_num: its number
 * @users: references that keep @agent valid: one of the port's own until it
 *	   goes, one of each caller between ofed_sa_port_enter() and _leave()
 * @idle: the last user has left
 * @update_mutex: one update of @way at a time: the first one runs beside events
 * @lock: guards the members below; taken in any context
 * @way: NULL while there is no SM
 * @cpi_state: what is known of the SA's ClassPortInfo
 * @cpi_epoch: counts changes of the SM; an answer to an older question is void
 * @cap_mask2: CapabilityMask2 of the SA, when known
 */
struct sa_port {
	struct ib_mad_agent *agent;
	u32 port_num;
	refcount_t users;
	struct completion idle;
	struct mutex update_mutex;

	spinlock_t lock;
	struct sa_way *way;
	enum sa_cpi_state cpi_state;
	unsigned int cpi_epoch;
	u32 cap_mask2;
};

/* Return: the port, entered, or NULL when it has no SA or is going. */
struct sa_port *ofed_sa_port_get(struct ib_device *device, u32 port_num);
/* Only with other proof that @port exists. Return: false when it is going. */
bool ofed_sa_port_enter(struct sa_port *port);
void ofed_sa_port_leave(struct sa_port *port);
/* Return: the way with a reference, or NULL while there is no SM. */
struct sa_way *ofed_sa_way_get(struct sa_port *port);
void ofed_sa_way_put(struct sa_way *way);
u8 ofed_sa_src_path_mask(struct ib_device *device, u32 port_num);

/**
 * struct ib_sa_query - a question under way
 * @refs: one until it is done, one of each ib_sa_cancel_query()
 * @port: where it is asked; exists as long as the query
 * @way: the SA it is asked
 * @client: holds a use of it, or NULL for a query of this layer's own
 * @mad: request; its context[0] is the query
 * @id: index in the table of queries
 * @answered: the caller's function was called; accessed only by the thread that
 *	      has the turn, see query.c
 * @cancelled: ib_sa_cancel_query() was called
 * @deliver: hand the outcome to the caller: @status and NULL, or 0 and the
 *	     attribute of the response
 * @answer: the response, while @deliver runs for it
 * @local: paths that a local service gave; called instead of @deliver
 * @ls_link: entry in the list of netlink_ls.c, empty when it is not there
 * @ls_seq: number of the netlink message
 * @ls_deadline: when the SA is asked instead, in jiffies
 * @ls_path_use: LS_RESOLVE_PATH_USE_*
 * @convert: the caller thinks in OPA paths
 * @context: the caller's
 * @path_done: the caller's function, by kind of query
 * @guid_done: the same
 * @member_done: the same
 * @services_done: the same
 * @cpi_epoch: of a query of ClassPortInfo: the epoch when it began, see sa.c
 */
struct ib_sa_query {
	struct kref refs;
	struct sa_port *port;
	struct sa_way *way;
	struct ib_sa_client *client;
	struct ib_mad_send_buf *mad;
	int id;
	bool answered;
	bool cancelled;
	void (*deliver)(struct ib_sa_query *query, int status, void *attr);
	const struct ib_mad_recv_wc *answer;
	void (*local)(struct ib_sa_query *query, struct sa_path_rec *paths,
		      unsigned int count);

	struct list_head ls_link;
	u32 ls_seq;
	unsigned long ls_deadline;
	u8 ls_path_use;

	bool convert;
	void *context;
	union {
		void (*path_done)(int status, struct sa_path_rec *resp,
				  compat_num_prs count, void *context);
		void (*guid_done)(int status, struct ib_sa_guidinfo_rec *resp,
				  void *context);
		void (*member_done)(int status,
				    const struct ib_sa_mcmember_rec *rec,
				    void *context);
		void (*services_done)(int status, struct sa_service_rec *resp,
				      unsigned int count, void *context);
		unsigned int cpi_epoch;
	};
};

/**
 * struct sa_ask - a request to be made
 * @client: client, or NULL
 * @method: IB_MGMT_METHOD_* or IB_SA_METHOD_*
 * @attr_id: IB_SA_ATTR_*
 * @comp_mask: which components of the attribute count
 * @gfp_mask: how to allocate
 */
struct sa_ask {
	struct ib_sa_client *client;
	u8 method;
	u16 attr_id;
	ib_sa_comp_mask comp_mask;
	gfp_t gfp_mask;
};

struct ib_sa_query *ofed_sa_query_new(struct sa_port *port,
				      const struct sa_ask *ask);
void *ofed_sa_query_attr(struct ib_sa_query *query);
ib_sa_comp_mask ofed_sa_query_mask(const struct ib_sa_query *query);
/* Undo ofed_sa_query_new(), for a query that is not asked. */
void ofed_sa_query_drop(struct ib_sa_query *query);
int ofed_sa_query_start(struct ib_sa_query *query, unsigned long timeout_ms,
			gfp_t gfp_mask, struct ib_sa_query **handle);
/* Start @query, which is complete or an error, and leave its port. */
int ofed_sa_start_and_leave(struct sa_port *port, struct ib_sa_query *query,
			    unsigned long timeout_ms, gfp_t gfp_mask,
			    struct ib_sa_query **handle);
void ofed_sa_query_done(struct ib_sa_query *query, int status);
int ofed_sa_query_post(struct ib_sa_query *query);
void ofed_sa_queries_init(void);
/* @client may be NULL. */
void ofed_sa_client_get(struct ib_sa_client *client);
void ofed_sa_client_put(struct ib_sa_client *client);

void ofed_sa_send_handler(struct ib_mad_agent *agent,
			  struct ib_mad_send_wc *wc);
void ofed_sa_recv_handler(struct ib_mad_agent *agent,
			  struct ib_mad_send_buf *send_buf,
			  struct ib_mad_recv_wc *wc);

/* netlink_ls.c */
int ofed_ls_init(void);
void ofed_ls_exit(void);
bool ofed_ls_start(struct ib_sa_query *query, gfp_t gfp_mask);
bool ofed_ls_cancel(struct ib_sa_query *query);
void ofed_ls_flush(struct sa_port *port);

/* records.c. */
void ofed_sa_pack_mcmember(const struct ib_sa_mcmember_rec *rec, void *attr);
void ofed_sa_unpack_mcmember(void *attr, struct ib_sa_mcmember_rec *rec);
void ofed_sa_pack_guidinfo(const struct ib_sa_guidinfo_rec *rec, void *attr);
void ofed_sa_unpack_guidinfo(void *attr, struct ib_sa_guidinfo_rec *rec);

#endif /* OFED_CORE_SA_PRIV_H */
