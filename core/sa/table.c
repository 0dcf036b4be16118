// SPDX-License-Identifier: GPL-2.0
/*
 * Responses to SubnAdmGetTable (IBA vol. 1 15.4.4): records one behind the other in the data of
 * an RMPP transfer, each at a multiple of the AttributeOffset of the SA header. A segment ends
 * anywhere in a record. All of it pure.
 */
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "table.h"

/* AttributeOffset counts units of eight bytes. */
#define SA_OFFSET_UNIT 8

static const struct ib_sa_mad *sa_mad_in(const struct ib_mad_recv_buf *segment)
{
	return (const struct ib_sa_mad *)segment->mad;
}

/* Records of a table without AttributeOffset: one or none. */
static int sa_table_count(const struct sa_table *table, size_t data)
{
	if (!data)
		return 0;
	if (data < table->bytes)
		return -EINVAL;
	if (!table->stride)
		return 1;
	if (table->stride < table->bytes)
		return -EINVAL;
	return 1 + (data - table->bytes) / table->stride;
}

/**
 * ofed_sa_table_open - begin to read a table
 * @table: out: before its first record
 * @wc: the response, not freed before the last record is read
 * @bytes: of a record
 *
 * Context: any. Return: 0, -EINVAL (the length is not that of records, or records overlap).
 */
int ofed_sa_table_open(struct sa_table *table, const struct ib_mad_recv_wc *wc, size_t bytes)
{
	const struct ib_sa_mad *first = sa_mad_in(&wc->recv_buf);
	int count;

	if (wc->mad_len < IB_MGMT_SA_HDR || wc->mad_seg_size <= IB_MGMT_SA_HDR)
		return -EINVAL;
	*table = (struct sa_table) {
		.segment = &wc->recv_buf,
		.segments = &wc->rmpp_list,
		.room = wc->mad_seg_size - IB_MGMT_SA_HDR,
		.stride = be16_to_cpu(first->sa_hdr.attr_offset) * SA_OFFSET_UNIT,
		.bytes = bytes,
	};
	count = sa_table_count(table, wc->mad_len - IB_MGMT_SA_HDR);
	if (count < 0)
		return count;
	table->count = count;
	return 0;
}

/* Go on by @bytes. */
static void sa_table_skip(struct sa_table *table, size_t bytes)
{
	table->at += bytes;
	while (table->segment && table->at >= table->room) {
		table->at -= table->room;
		table->segment = list_is_last(&table->segment->list, table->segments) ?
				 NULL : list_next_entry(table->segment, list);
	}
}

/**
 * ofed_sa_table_next - read a record
 * @table: called at most @table->count times
 * @record: out: @table->bytes bytes; zeroes, where there is less than the length promised
 *
 * Context: any.
 */
void ofed_sa_table_next(struct sa_table *table, void *record)
{
	size_t done, part;

	memset(record, 0, table->bytes);
	for (done = 0; done < table->bytes && table->segment; done += part) {
		part = min(table->bytes - done, table->room - table->at);
		memcpy(record + done, sa_mad_in(table->segment)->data + table->at, part);
		sa_table_skip(table, part);
	}
	if (table->stride > table->bytes)
		sa_table_skip(table, table->stride - table->bytes);
}
