// SPDX-License-Identifier: GPL-2.0
/* Words for what a peer says. */
#include <linux/export.h>
#include <linux/kernel.h>
#include <rdma/ib_cm.h>

#define WHY(name, text) [IB_CM_REJ_##name] = text

/* IBA vol. 1, table 109 */
static const char * const reasons[] = {
	WHY(NO_QP, "no QP"),
	WHY(NO_EEC, "no EEC"),
	WHY(NO_RESOURCES, "no resources"),
	WHY(TIMEOUT, "timeout"),
	WHY(UNSUPPORTED, "unsupported"),
	WHY(INVALID_COMM_ID, "invalid COMM ID"),
	WHY(INVALID_COMM_INSTANCE, "invalid COMM instance"),
	WHY(INVALID_SERVICE_ID, "invalid service ID"),
	WHY(INVALID_TRANSPORT_TYPE, "invalid transport type"),
	WHY(STALE_CONN, "stale conn"),
	WHY(RDC_NOT_EXIST, "RDC not exist"),
	WHY(INVALID_GID, "invalid GID"),
	WHY(INVALID_LID, "invalid LID"),
	WHY(INVALID_SL, "invalid SL"),
	WHY(INVALID_TRAFFIC_CLASS, "invalid traffic class"),
	WHY(INVALID_HOP_LIMIT, "invalid hop limit"),
	WHY(INVALID_PACKET_RATE, "invalid packet rate"),
	WHY(INVALID_ALT_GID, "invalid alt GID"),
	WHY(INVALID_ALT_LID, "invalid alt LID"),
	WHY(INVALID_ALT_SL, "invalid alt SL"),
	WHY(INVALID_ALT_TRAFFIC_CLASS, "invalid alt traffic class"),
	WHY(INVALID_ALT_HOP_LIMIT, "invalid alt hop limit"),
	WHY(INVALID_ALT_PACKET_RATE, "invalid alt packet rate"),
	WHY(PORT_CM_REDIRECT, "port CM redirect"),
	WHY(PORT_REDIRECT, "port redirect"),
	WHY(INVALID_MTU, "invalid MTU"),
	WHY(INSUFFICIENT_RESP_RESOURCES, "insufficient resp resources"),
	WHY(CONSUMER_DEFINED, "consumer defined"),
	WHY(INVALID_RNR_RETRY, "invalid RNR retry"),
	WHY(DUPLICATE_LOCAL_COMM_ID, "duplicate local comm ID"),
	WHY(INVALID_CLASS_VERSION, "invalid class version"),
	WHY(INVALID_FLOW_LABEL, "invalid flow label"),
	WHY(INVALID_ALT_FLOW_LABEL, "invalid alt flow label"),
	WHY(VENDOR_OPTION_NOT_SUPPORTED, "vendor option is not supported"),
};

/**
 * ibcm_reject_msg - words for the reason of a REJ
 * @reason: reason, as in the event
 *
 * Context: any. Return: a string that is never NULL.
 */
const char *__attribute_const__ ibcm_reject_msg(int reason)
{
	size_t nth = reason;

	if (nth < ARRAY_SIZE(reasons) && reasons[nth])
		return reasons[nth];
	return "unrecognized reason";
}
OFED_EXPORT(ibcm_reject_msg);
