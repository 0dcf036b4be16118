/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OFED_CORE_SA_TABLE_H
#define OFED_CORE_SA_TABLE_H

#include <rdma/ib_mad.h>

/**
 * struct sa_table - records of a response to SubnAdmGetTable
 * @segment: where the next record begins; NULL behind the last segment
 * @segments: all of them
 * @at: place of the next record in the data of @segment
 * @room: bytes of data in a segment
 * @stride: from one record to the next, in bytes
 * @bytes: of a record
 * @count: how many records there are
 */
struct sa_table {
	const struct ib_mad_recv_buf *segment;
	const struct list_head *segments;
	size_t at;
	size_t room;
	size_t stride;
	size_t bytes;
	unsigned int count;
};

int ofed_sa_table_open(struct sa_table *table, const struct ib_mad_recv_wc *wc, size_t bytes);
void ofed_sa_table_next(struct sa_table *table, void *record);

#endif /* OFED_CORE_SA_TABLE_H */
