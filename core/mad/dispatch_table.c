// SPDX-License-Identifier: GPL-2.0
/*
 * The takers of unsolicited MADs: by class, version, method, and for vendor
 * classes by OUI. Every such MAD has one taker at most.
 *
 * The caller holds the lock of the table. A port has a handful of registrations, so
 * they are searched one after the other.
 */
#include <kunit/visibility.h>
#include <linux/bitmap.h>
#include <linux/list.h>
#include <ofed/refuse.h>

#include "priv.h"

/* Class versions beyond 0x82 are of no protocol there is. */
#define MAX_CLASS_VERSION 0x82

void mad_table_init(struct mad_table *table)
{
	INIT_LIST_HEAD(&table->regs);
}
EXPORT_SYMBOL_IF_KUNIT(mad_table_init);

static u32 mad_oui_of(const u8 *oui)
{
	return oui[0] << 16 | oui[1] << 8 | oui[2];
}

/**
 * mad_reg_set - the registration that a consumer requests
 * @reg: out
 * @req: what it asks for
 *
 * Return: 0, or -EINVAL: no class, one that does not exist, a version that does
 * not exist, or a vendor class without an OUI.
 */
int mad_reg_set(struct mad_reg *reg, const struct ib_mad_reg_req *req)
{
	const u8 class = req->mgmt_class;

	if (req->mgmt_class_version > MAX_CLASS_VERSION)
		return ofed_refuse_call(-EINVAL,
					"ib_mad: class 0x%02x has no version %u",
					class, req->mgmt_class_version);
	if (!class || (class > IB_MGMT_CLASS_VENDOR_RANGE2_END &&
		       class != IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE))
		return ofed_refuse_call(-EINVAL,
					"ib_mad: there is no class 0x%02x",
					class);

	reg->mgmt_class = class;
	reg->version = req->mgmt_class_version;
	reg->oui = mad_class_has_oui(class) ? mad_oui_of(req->oui) : 0;
	if (mad_class_has_oui(class) && !reg->oui)
		return ofed_refuse_call(-EINVAL,
					"ib_mad: class 0x%02x needs an OUI",
					class);
	bitmap_copy(reg->methods, req->method_mask, IB_MGMT_MAX_METHODS);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(mad_reg_set);

static bool mad_same_kind(const struct mad_reg *a, u8 class, u8 version, u32 oui)
{
	return a->mgmt_class == class && a->version == version &&
	       a->oui == oui;
}

/**
 * mad_table_add - enter a registration
 * @table: table
 * @reg: from mad_reg_set()
 *
 * Return: 0, or -EINVAL when one of its methods is taken.
 */
int mad_table_add(struct mad_table *table, struct mad_reg *reg)
{
	const struct mad_reg *other;

	list_for_each_entry(other, &table->regs, node)
		if (mad_same_kind(other, reg->mgmt_class, reg->version,
				  reg->oui) &&
		    bitmap_intersects(other->methods, reg->methods,
				      IB_MGMT_MAX_METHODS))
			return ofed_refuse_call(-EINVAL,
						"ib_mad: another agent has methods of class 0x%02x",
						reg->mgmt_class);
	list_add_tail(&reg->node, &table->regs);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(mad_table_add);

void mad_table_del(struct mad_reg *reg)
{
	list_del(&reg->node);
}
EXPORT_SYMBOL_IF_KUNIT(mad_table_del);

/**
 * mad_table_find - find the taker of a MAD
 * @table: table
 * @hdr: header of a whole MAD that mad_valid() has passed, not a response
 *
 * Return: the registration, or NULL.
 */
struct mad_reg *mad_table_find(const struct mad_table *table,
			       const struct ib_mad_hdr *hdr)
{
	const u8 method = hdr->method & ~IB_MGMT_METHOD_RESP;
	struct mad_reg *reg;
	u32 oui = 0;

	if (mad_class_has_oui(hdr->mgmt_class))
		oui = mad_oui_of(((const struct ib_vendor_mad *)hdr)->oui);

	list_for_each_entry(reg, &table->regs, node)
		if (mad_same_kind(reg, hdr->mgmt_class, hdr->class_version,
				  oui) && test_bit(method, reg->methods))
			return reg;
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(mad_table_find);
