// SPDX-License-Identifier: GPL-2.0
/* Services that the SA knows (IBA vol. 1 15.2.5.14 ServiceRecord); for kernels with its struct. */
#include <linux/export.h>
#include <linux/slab.h>
#include <ofed/refuse.h>
#include <rdma/ib_pack.h>

#include "priv.h"
#include "table.h"

#define SERVICE_AT(where, word, bits) {					\
	.field_name = "sa_service_rec:" #where,				\
	.struct_offset_bytes = offsetof(struct sa_service_rec, where),	\
	.struct_size_bytes = sizeof_field(struct sa_service_rec, where), \
	.offset_words = (word), .offset_bits = 0, .size_bits = (bits) }

/* Words of 32 bits. */
static const struct ib_field service_fields[] = {
	SERVICE_AT(id, 0, 64),
	SERVICE_AT(gid, 2, 128),
	SERVICE_AT(pkey, 6, 16),
	{ RESERVED, .offset_words = 6, .offset_bits = 16, .size_bits = 16 },
	SERVICE_AT(lease, 7, 32),
	SERVICE_AT(key, 8, 128),
	SERVICE_AT(name, 12, 512),
	SERVICE_AT(data_8, 28, 128),
	SERVICE_AT(data_16, 32, 128),
	SERVICE_AT(data_32, 36, 128),
	SERVICE_AT(data_64, 40, 128),
};

/**
 * ib_sa_pack_service - write a service record as it goes over the wire
 * @rec: the record
 * @attribute: 176 bytes, all of them written
 *
 * IBA vol. 1 15.2.5.14. Context: any.
 */
void ib_sa_pack_service(struct sa_service_rec *rec, void *attribute)
{
	ib_pack(service_fields, ARRAY_SIZE(service_fields), rec, attribute);
}
OFED_EXPORT(ib_sa_pack_service);

/**
 * ib_sa_unpack_service - read a service record from the wire
 * @attribute: 176 bytes
 * @rec: out: the record; what is reserved in it is zero
 *
 * IBA vol. 1 15.2.5.14. Context: any.
 */
void ib_sa_unpack_service(void *attribute, struct sa_service_rec *rec)
{
	memset(rec->reserved, 0, sizeof(rec->reserved));
	ib_unpack(service_fields, ARRAY_SIZE(service_fields), attribute, rec);
}
OFED_EXPORT(ib_sa_unpack_service);

/* Return: memory of kvfree(), or an ERR_PTR. */
static struct sa_service_rec *sa_read_services(const struct ib_mad_recv_wc *wc,
					       unsigned int *count)
{
	u8 wire[SA_SERVICE_REC_BYTES];
	struct sa_service_rec *recs;
	struct sa_table table;
	unsigned int ix;
	int ret;

	ret = ofed_sa_table_open(&table, wc, sizeof(wire));
	if (ret)
		return ERR_PTR(ret);
	if (!table.count)
		return ERR_PTR(-ENODATA);
	recs = kvmalloc_array(table.count, sizeof(*recs), GFP_KERNEL);
	if (!recs)
		return ERR_PTR(-ENOMEM);
	for (ix = 0; ix < table.count; ix++) {
		ofed_sa_table_next(&table, wire);
		ib_sa_unpack_service(wire, &recs[ix]);
	}
	*count = table.count;
	return recs;
}

static void sa_deliver_services(struct ib_sa_query *query, int status, void *attr)
{
	struct sa_service_rec *recs = ERR_PTR(status);
	unsigned int count = 0;

	if (!status)
		recs = sa_read_services(query->answer, &count);
	if (IS_ERR(recs)) {
		query->services_done(PTR_ERR(recs), NULL, 0, query->context);
		return;
	}
	query->services_done(0, recs, count, query->context);
	kvfree(recs);
}

/**
 * ib_sa_service_rec_get - ask for the services of a kind
 * @client: registered with ib_sa_register_client()
 * @device: device
 * @port_num: its port; the SA is that of its subnet
 * @rec: what is known of the services
 * @comp_mask: IB_SA_SERVICE_REC_* of the members of @rec that count
 * @timeout_ms: limit of time, retries included
 * @gfp_mask: how to allocate
 * @callback: called once, in process context, unless an errno is returned; may run before this
 *	      returns. @status is 0 and @resp has @num_services records, at least one, valid during
 *	      the call, or @resp is NULL and @status is -ENODATA (there is no such service),
 *	      -ETIMEDOUT, -EINTR (cancelled, or the port is going), -EINVAL (the SA refused, or
 *	      its answer is no table of service records), -ENOMEM, -EIO
 * @context: handed to @callback
 * @sa_query: out: handle for ib_sa_cancel_query(), NULL when an errno is returned
 *
 * IBA vol. 1 15.2.5.14, SubnAdmGetTable(ServiceRecord). Context: any, by @gfp_mask.
 * Return: an id, 0 or more, for ib_sa_cancel_query(); -ENODEV (the port has no SA), -EAGAIN
 * (there is no SM now), -ENOMEM, or an errno of the MAD layer.
 */
int ib_sa_service_rec_get(struct ib_sa_client *client, struct ib_device *device, u32 port_num,
			  struct sa_service_rec *rec, ib_sa_comp_mask comp_mask,
			  unsigned long timeout_ms, gfp_t gfp_mask,
			  void (*callback)(int status, struct sa_service_rec *resp,
					   unsigned int num_services, void *context),
			  void *context, struct ib_sa_query **sa_query)
{
	const struct sa_ask ask = {
		.client = client,
		.method = IB_SA_METHOD_GET_TABLE,
		.attr_id = IB_SA_ATTR_SERVICE_REC,
		.comp_mask = comp_mask,
		.gfp_mask = gfp_mask,
	};
	struct sa_port *port = ofed_sa_port_get(device, port_num);
	struct ib_sa_query *query;

	*sa_query = NULL;
	if (!port)
		return ofed_refuse(device, -ENODEV, "port %u has no SA", port_num);
	query = ofed_sa_query_new(port, &ask);
	if (!IS_ERR(query)) {
		query->deliver = sa_deliver_services;
		query->services_done = callback;
		query->context = context;
		ib_sa_pack_service(rec, ofed_sa_query_attr(query));
	}
	return ofed_sa_start_and_leave(port, query, timeout_ms, gfp_mask, sa_query);
}
OFED_EXPORT(ib_sa_service_rec_get);
