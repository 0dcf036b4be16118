// SPDX-License-Identifier: GPL-2.0
/*
 * Records of the SA on the wire (IBA vol. 1 15.2.5). Words are those of the
 * specification's tables: 32 bits each, the first bit is the most significant.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/string.h>
#include <rdma/ib_pack.h>

#include "priv.h"

/* One component: where in @rec, word, first bit in it, width. */
#define COMPONENT(rec, where, word, bit, bits) {			\
	.field_name = #rec ":" #where,					\
	.struct_offset_bytes = offsetof(struct rec, where),		\
	.struct_size_bytes = sizeof_field(struct rec, where),		\
	.offset_words = (word), .offset_bits = (bit), .size_bits = (bits) }

#define UNUSED(word, bit, bits) {					\
	RESERVED,							\
	.offset_words = (word), .offset_bits = (bit), .size_bits = (bits) }

#define PATH_AT(where, word, bit, bits) \
	COMPONENT(sa_path_rec, where, word, bit, bits)

/* 15.2.5.16 PathRecord */
static const struct ib_field path_fields[] = {
	PATH_AT(service_id, 0, 0, 64),
	PATH_AT(dgid, 2, 0, 128),
	PATH_AT(sgid, 6, 0, 128),
	PATH_AT(ib.dlid, 10, 0, 16),
	PATH_AT(ib.slid, 10, 16, 16),
	PATH_AT(ib.raw_traffic, 11, 0, 1),
	UNUSED(11, 1, 3),
	PATH_AT(flow_label, 11, 4, 20),
	PATH_AT(hop_limit, 11, 24, 8),
	PATH_AT(traffic_class, 12, 0, 8),
	PATH_AT(reversible, 12, 8, 1),
	PATH_AT(numb_path, 12, 9, 7),
	PATH_AT(pkey, 12, 16, 16),
	PATH_AT(qos_class, 13, 0, 12),
	PATH_AT(sl, 13, 12, 4),
	PATH_AT(mtu_selector, 13, 16, 2),
	PATH_AT(mtu, 13, 18, 6),
	PATH_AT(rate_selector, 13, 24, 2),
	PATH_AT(rate, 13, 26, 6),
	PATH_AT(packet_life_time_selector, 14, 0, 2),
	PATH_AT(packet_life_time, 14, 2, 6),
	PATH_AT(preference, 14, 8, 8),
	UNUSED(14, 16, 48),
};

#define MEMBER_AT(where, word, bit, bits) \
	COMPONENT(ib_sa_mcmember_rec, where, word, bit, bits)

/* 15.2.5.17 MCMemberRecord */
static const struct ib_field mcmember_fields[] = {
	MEMBER_AT(mgid, 0, 0, 128),
	MEMBER_AT(port_gid, 4, 0, 128),
	MEMBER_AT(qkey, 8, 0, 32),
	MEMBER_AT(mlid, 9, 0, 16),
	MEMBER_AT(mtu_selector, 9, 16, 2),
	MEMBER_AT(mtu, 9, 18, 6),
	MEMBER_AT(traffic_class, 9, 24, 8),
	MEMBER_AT(pkey, 10, 0, 16),
	MEMBER_AT(rate_selector, 10, 16, 2),
	MEMBER_AT(rate, 10, 18, 6),
	MEMBER_AT(packet_life_time_selector, 10, 24, 2),
	MEMBER_AT(packet_life_time, 10, 26, 6),
	MEMBER_AT(sl, 11, 0, 4),
	MEMBER_AT(flow_label, 11, 4, 20),
	MEMBER_AT(hop_limit, 11, 24, 8),
	MEMBER_AT(scope, 12, 0, 4),
	MEMBER_AT(join_state, 12, 4, 4),
	MEMBER_AT(proxy_join, 12, 8, 1),
	UNUSED(12, 9, 23),
};

#define GUIDS_AT(where, word, bit, bits) \
	COMPONENT(ib_sa_guidinfo_rec, where, word, bit, bits)

/* 15.2.5.18 GUIDInfoRecord */
static const struct ib_field guidinfo_fields[] = {
	GUIDS_AT(lid, 0, 0, 16),
	GUIDS_AT(block_num, 0, 16, 8),
	GUIDS_AT(res1, 0, 24, 8),
	GUIDS_AT(res2, 1, 0, 32),
	GUIDS_AT(guid_info_list, 2, 0, 512),
};

/**
 * ib_sa_pack_path - write a path record as it goes over the wire
 * @rec: an InfiniBand path, or a RoCE one, with LIDs that are 0 on the wire;
 *	 convert an OPA path first
 * @attribute: 64 bytes, all of them written
 *
 * IBA vol. 1 15.2.5.16. Context: any.
 */
void ib_sa_pack_path(struct sa_path_rec *rec, void *attribute)
{
	struct sa_path_rec path = *rec;

	/* What a RoCE path has in the place of LIDs is none of theirs. */
	if (sa_path_is_roce(rec))
		memset(&path.ib, 0, sizeof(path.ib));
	ib_pack(path_fields, ARRAY_SIZE(path_fields), &path, attribute);
}
OFED_EXPORT(ib_sa_pack_path);

/**
 * ib_sa_unpack_path - read a path record from the wire
 * @attribute: 64 bytes
 * @rec: out: an InfiniBand path; @rec->flags stay as they are
 *
 * IBA vol. 1 15.2.5.16. Context: any.
 */
void ib_sa_unpack_path(void *attribute, struct sa_path_rec *rec)
{
	ib_unpack(path_fields, ARRAY_SIZE(path_fields), attribute, rec);
	rec->rec_type = SA_PATH_REC_TYPE_IB;
}
OFED_EXPORT(ib_sa_unpack_path);

void ofed_sa_pack_mcmember(const struct ib_sa_mcmember_rec *rec, void *attr)
{
	ib_pack(mcmember_fields, ARRAY_SIZE(mcmember_fields), (void *)rec,
		attr);
}
EXPORT_SYMBOL_IF_KUNIT(ofed_sa_pack_mcmember);

void ofed_sa_unpack_mcmember(void *attr, struct ib_sa_mcmember_rec *rec)
{
	ib_unpack(mcmember_fields, ARRAY_SIZE(mcmember_fields), attr, rec);
}
EXPORT_SYMBOL_IF_KUNIT(ofed_sa_unpack_mcmember);

void ofed_sa_pack_guidinfo(const struct ib_sa_guidinfo_rec *rec, void *attr)
{
	ib_pack(guidinfo_fields, ARRAY_SIZE(guidinfo_fields), (void *)rec,
		attr);
}
EXPORT_SYMBOL_IF_KUNIT(ofed_sa_pack_guidinfo);

void ofed_sa_unpack_guidinfo(void *attr, struct ib_sa_guidinfo_rec *rec)
{
	ib_unpack(guidinfo_fields, ARRAY_SIZE(guidinfo_fields), attr, rec);
}
EXPORT_SYMBOL_IF_KUNIT(ofed_sa_unpack_guidinfo);
