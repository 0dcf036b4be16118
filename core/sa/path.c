// SPDX-License-Identifier: GPL-2.0
/* What callers ask the SA for: paths, GUIDs of a port, membership in a group. */
#include <linux/export.h>
#include <linux/string.h>
#include <ofed/refuse.h>

#include "priv.h"

static void to_callers_type(const struct ib_sa_query *query,
			    struct sa_path_rec *path)
{
	struct sa_path_rec ib = *path;

	if (query->convert)
		sa_convert_path_ib_to_opa(path, &ib);
}

static void sa_deliver_path(struct ib_sa_query *query, int status, void *attr)
{
	struct sa_path_rec path = {};

	if (status) {
		query->path_done(status, NULL, 0, query->context);
		return;
	}
	ib_sa_unpack_path(attr, &path);
	to_callers_type(query, &path);
	query->path_done(0, &path, 1, query->context);
}

static void sa_deliver_local_paths(struct ib_sa_query *query,
				   struct sa_path_rec *paths, unsigned int count)
{
	unsigned int ix;

	for (ix = 0; ix < count; ix++)
		to_callers_type(query, &paths[ix]);
	query->path_done(0, paths, count, query->context);
}

static void sa_fill_path(struct ib_sa_query *query, struct sa_path_rec *rec)
{
	struct sa_path_rec ib = {};

	if (sa_path_is_opa(rec)) {
		query->convert = true;
		sa_convert_path_opa_to_ib(&ib, rec);
		rec = &ib;
	}
	ib_sa_pack_path(rec, ofed_sa_query_attr(query));
}

/**
 * ib_sa_path_rec_get - ask for a path to another port
 * @client: registered with ib_sa_register_client()
 * @device: device
 * @port_num: its port that the path begins at
 * @rec: what is known of the path; InfiniBand or OPA
 * @comp_mask: IB_SA_PATH_REC_* of the members of @rec that count
 * @timeout_ms: limit of time, retries included
 * @gfp_mask: how to allocate
 * @callback: called once, in process context, unless an errno is returned; may
 *	      run before this returns. @status is 0 and @resp has @num_prs paths,
 *	      valid during the call, or @resp is NULL and @status is -ETIMEDOUT,
 *	      -EINTR (cancelled, or the port is going), -EINVAL (the SA refused),
 *	      -EIO
 * @context: handed to @callback
 * @query: out: handle for ib_sa_cancel_query(), NULL when an errno is returned
 *
 * IBA vol. 1 15.2.5.16, SubnAdmGet(PathRecord). A service in user space, such as
 * ibacm, is asked first where one listens; it may give one path for each
 * direction, told apart by their flags. Context: any, by @gfp_mask.
 * Return: an id, 0 or more, for ib_sa_cancel_query(); -ENODEV (the port has no
 * SA: RoCE and iWARP ports have none, their paths are made locally), -EINVAL
 * (type of @rec), -EAGAIN (there is no SM now), -ENOMEM, or an errno of the MAD
 * layer.
 */
int ib_sa_path_rec_get(struct ib_sa_client *client, struct ib_device *device,
		       u32 port_num, struct sa_path_rec *rec,
		       ib_sa_comp_mask comp_mask, unsigned long timeout_ms,
		       gfp_t gfp_mask,
		       void (*callback)(int status, struct sa_path_rec *resp,
					compat_num_prs num_prs, void *context),
		       void *context, struct ib_sa_query **query)
{
	const struct sa_ask ask = {
		.client = client,
		.method = IB_MGMT_METHOD_GET,
		.attr_id = IB_SA_ATTR_PATH_REC,
		.comp_mask = comp_mask,
		.gfp_mask = gfp_mask,
	};
	struct sa_port *port = ofed_sa_port_get(device, port_num);
	struct ib_sa_query *asked;

	*query = NULL;
	if (!port)
		return ofed_refuse(device, -ENODEV, "port %u has no SA",
				   port_num);
	if (sa_path_is_roce(rec)) {
		ofed_sa_port_leave(port);
		return ofed_refuse(device, -EINVAL,
				   "port %u: the SA has no paths of RoCE", port_num);
	}

	asked = ofed_sa_query_new(port, &ask);
	if (!IS_ERR(asked)) {
		asked->deliver = sa_deliver_path;
		asked->local = sa_deliver_local_paths;
		asked->path_done = callback;
		asked->context = context;
		sa_fill_path(asked, rec);
	}
	return ofed_sa_start_and_leave(port, asked, timeout_ms, gfp_mask, query);
}
OFED_EXPORT(ib_sa_path_rec_get);

static void sa_deliver_guids(struct ib_sa_query *query, int status, void *attr)
{
	struct ib_sa_guidinfo_rec rec = {};

	if (!status)
		ofed_sa_unpack_guidinfo(attr, &rec);
	query->guid_done(status, status ? NULL : &rec, query->context);
}

/**
 * ib_sa_guid_info_rec_query - read or change alias GUIDs of a port
 * @client: registered with ib_sa_register_client()
 * @device: device
 * @port_num: its port
 * @rec: the request
 * @comp_mask: IB_SA_GUIDINFO_REC_* of the members of @rec that count
 * @method: IB_MGMT_METHOD_GET, IB_MGMT_METHOD_SET or IB_SA_METHOD_DELETE
 * @timeout_ms: limit of time, retries included
 * @gfp: how to allocate
 * @callback: called once as that of ib_sa_path_rec_get()
 * @context: handed to @callback
 * @query_ptr: out: handle for ib_sa_cancel_query(), NULL when an errno is returned
 *
 * IBA vol. 1 15.2.5.18. Context: any, by @gfp.
 * Return: an id, 0 or more, -EINVAL (method), or an errno as
 * ib_sa_path_rec_get().
 */
int ib_sa_guid_info_rec_query(struct ib_sa_client *client,
			      struct ib_device *device, u32 port_num,
			      struct ib_sa_guidinfo_rec *rec,
			      ib_sa_comp_mask comp_mask, u8 method,
			      unsigned long timeout_ms, gfp_t gfp,
			      void (*callback)(int, struct ib_sa_guidinfo_rec *,
					       void *),
			      void *context, struct ib_sa_query **query_ptr)
{
	const struct sa_ask ask = {
		.client = client,
		.method = method,
		.attr_id = IB_SA_ATTR_GUID_INFO_REC,
		.comp_mask = comp_mask,
		.gfp_mask = gfp,
	};
	struct ib_sa_query *query;
	struct sa_port *port;

	*query_ptr = NULL;
	if (method != IB_MGMT_METHOD_GET && method != IB_MGMT_METHOD_SET &&
	    method != IB_SA_METHOD_DELETE)
		return ofed_refuse(device, -EINVAL,
				   "method 0x%x of a GUIDInfoRecord", method);
	port = ofed_sa_port_get(device, port_num);
	if (!port)
		return ofed_refuse(device, -ENODEV, "port %u has no SA",
				   port_num);

	query = ofed_sa_query_new(port, &ask);
	if (!IS_ERR(query)) {
		query->deliver = sa_deliver_guids;
		query->guid_done = callback;
		query->context = context;
		ofed_sa_pack_guidinfo(rec, ofed_sa_query_attr(query));
	}
	return ofed_sa_start_and_leave(port, query, timeout_ms, gfp, query_ptr);
}
OFED_EXPORT(ib_sa_guid_info_rec_query);

static void sa_deliver_member(struct ib_sa_query *query, int status, void *attr)
{
	struct ib_sa_mcmember_rec rec = {};

	if (!status)
		ofed_sa_unpack_mcmember(attr, &rec);
	query->member_done(status, status ? NULL : &rec, query->context);
}

/* Contract: sa.h */
int ofed_sa_mcmember_query(struct ib_device *device, u32 port_num, u8 method,
			   const struct ib_sa_mcmember_rec *rec,
			   ib_sa_comp_mask comp_mask, unsigned int timeout_ms,
			   gfp_t gfp_mask,
			   void (*done)(int status,
					const struct ib_sa_mcmember_rec *rec,
					void *context),
			   void *context)
{
	const struct sa_ask ask = {
		.method = method,
		.attr_id = IB_SA_ATTR_MC_MEMBER_REC,
		.comp_mask = comp_mask,
		.gfp_mask = gfp_mask,
	};
	struct sa_port *port = ofed_sa_port_get(device, port_num);
	struct ib_sa_query *query;
	int ret;

	if (!port)
		return ofed_refuse(device, -ENODEV, "port %u has no SA",
				   port_num);
	query = ofed_sa_query_new(port, &ask);
	if (!IS_ERR(query)) {
		query->deliver = sa_deliver_member;
		query->member_done = done;
		query->context = context;
		ofed_sa_pack_mcmember(rec, ofed_sa_query_attr(query));
	}
	ret = ofed_sa_start_and_leave(port, query, timeout_ms, gfp_mask, NULL);
	return min(ret, 0);
}
