// SPDX-License-Identifier: GPL-2.0
/*
 * What the header of a MAD says about its kind (IBA vol. 1 section 13.4), and
 * whether two addresses are the two ends of one exchange.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <rdma/ib_cm.h>
#include <rdma/ib_mad.h>

#include "priv.h"

bool mad_class_is_smp(u8 mgmt_class)
{
	return mgmt_class == IB_MGMT_CLASS_SUBN_LID_ROUTED ||
	       mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
}

/* Vendor classes of the second range name their vendor, and may use RMPP. */
bool mad_class_has_oui(u8 mgmt_class)
{
	return mgmt_class >= IB_MGMT_CLASS_VENDOR_RANGE2_START &&
	       mgmt_class <= IB_MGMT_CLASS_VENDOR_RANGE2_END;
}

/**
 * ib_response_mad - is a MAD a response?
 * @hdr: header of the MAD
 *
 * The R bit of the method says so; TrapRepress has none, and in the baseboard
 * management class it is in the attribute modifier. IBA 13.4.5, 16.2.
 * Context: any.
 * Return: nonzero if it is.
 */
int ib_response_mad(const struct ib_mad_hdr *hdr)
{
	if (hdr->mgmt_class == IB_MGMT_CLASS_BM &&
	    hdr->attr_mod & IB_BM_ATTR_MOD_RESP)
		return 1;
	return hdr->method & IB_MGMT_METHOD_RESP ||
	       hdr->method == IB_MGMT_METHOD_TRAP_REPRESS;
}
OFED_EXPORT(ib_response_mad);

/**
 * ib_get_mad_data_offset - where the data of a class begins
 * @mgmt_class: class
 *
 * Context: any. Return: bytes from the start of the MAD.
 */
int ib_get_mad_data_offset(u8 mgmt_class)
{
	if (mad_class_has_oui(mgmt_class))
		return IB_MGMT_VENDOR_HDR;

	switch (mgmt_class) {
	case IB_MGMT_CLASS_SUBN_ADM:
		return IB_MGMT_SA_HDR;
	case IB_MGMT_CLASS_BIS:
	case IB_MGMT_CLASS_DEVICE_ADM:
	case IB_MGMT_CLASS_DEVICE_MGMT:
		return IB_MGMT_DEVICE_HDR;
	}
	return IB_MGMT_MAD_HDR;
}
OFED_EXPORT(ib_get_mad_data_offset);

/**
 * ib_is_mad_class_rmpp - do the MADs of a class have an RMPP header?
 * @mgmt_class: class
 *
 * Context: any. Return: nonzero if they do.
 */
int ib_is_mad_class_rmpp(u8 mgmt_class)
{
	/* The classes with a longer header have it for this one. */
	return ib_get_mad_data_offset(mgmt_class) > IB_MGMT_MAD_HDR;
}
OFED_EXPORT(ib_is_mad_class_rmpp);

/**
 * mad_valid - check that a received MAD is valid on its QP
 * @hdr: header; @length bytes of it are there
 * @qp_num: 0 or 1
 * @length: of the MAD
 * @opa: the port speaks Omni-Path too
 *
 * SMPs come to QP0 and nothing else does (IBA 13.5.1, C13-9). The CM class has
 * one method, but for its ClassPortInfo (12.6).
 */
bool mad_valid(const struct ib_mad_hdr *hdr, u32 qp_num, size_t length,
	       bool opa)
{
	if (length < sizeof(*hdr))
		return false;
	if (hdr->base_version == OPA_MGMT_BASE_VERSION) {
		/* May be shorter than an IB MAD, but not than a header. */
		if (!opa || length < IB_MGMT_DEVICE_HDR)
			return false;
	} else if (hdr->base_version != IB_MGMT_BASE_VERSION ||
		   length < IB_MGMT_MAD_SIZE) {
		return false;
	}

	if (mad_class_is_smp(hdr->mgmt_class) != (qp_num == 0))
		return false;
	return hdr->mgmt_class != IB_MGMT_CLASS_CM ||
	       hdr->method == IB_MGMT_METHOD_SEND ||
	       hdr->attr_id == IB_MGMT_CLASSPORTINFO_ATTR_ID;
}
EXPORT_SYMBOL_IF_KUNIT(mad_valid);

static bool mad_gid_equal(const union ib_gid *a, const union ib_gid *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/**
 * mad_peer_match - can a received MAD belong to one that was sent?
 * @sent: where that went, and from which local address
 * @sent_is_response: it was a response
 * @got: where this came from, and to which local address
 * @got_is_response: it is a response
 * @lmc: of the port
 *
 * A response may come from another address than the request went to: the
 * responder may choose another path, or a new master SM answers. It does come
 * back to the address that the request came from. For RMPP packets of the other
 * direction, which belong to a response that was sent, the requester's address
 * is what counts.
 */
bool mad_peer_match(const struct mad_peer *sent, bool sent_is_response,
		    const struct mad_peer *got, bool got_is_response, u8 lmc)
{
	if (sent_is_response == got_is_response)
		return false;
	/* Permissive LIDs say nothing: TID and class have to do. */
	if (sent->directed)
		return true;
	if (sent->grh != got->grh)
		return false;
	if (got_is_response && got->grh)
		return mad_gid_equal(&sent->own, &got->own);
	if (got_is_response)
		return !((sent->path_bits ^ got->path_bits) &
			 ((1U << lmc) - 1));
	if (got->grh)
		return mad_gid_equal(&sent->far, &got->far);
	return sent->lid == got->lid;
}
EXPORT_SYMBOL_IF_KUNIT(mad_peer_match);

/* The longest MAD of its kind: those of Omni-Path may be longer than others. */
size_t mad_full_size(const struct mad_port *port, u8 base_version)
{
	return base_version == OPA_MGMT_BASE_VERSION &&
	       rdma_cap_opa_mad(port->device, port->num) ?
	       port->mad_size : IB_MGMT_MAD_SIZE;
}
