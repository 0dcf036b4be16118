// SPDX-License-Identifier: GPL-2.0
/*
 * Directed-route SMPs (IBA vol. 1 section 14.2.2). The path is a list of ports
 * to leave by; the hop pointer walks along it, up on the way out and down on
 * the way back (bit D of the status). In front of the path and behind it there
 * may be parts that are routed by LID, unless DrSLID and DrDLID are permissive.
 *
 * A channel adapter forwards nothing, so it is the first or the last node of
 * the path. Pointer and count come from the wire or from user space, and index
 * nothing before they are checked.
 *
 * The long SMPs of Omni-Path have the same fields at other places, and LIDs of 32 bits.
 */
#include <kunit/visibility.h>
#include <rdma/opa_smi.h>

#include "smi.h"

/* The path has an entry for each hop from 1 on, whichever kind of SMP it is. */
#define MAX_HOPS (IB_SMP_MAX_PATH_HOPS - 1)
static_assert(OPA_SMP_MAX_PATH_HOPS == IB_SMP_MAX_PATH_HOPS);

/**
 * struct smi_route - where an SMP has its route
 * @hop_ptr: hop pointer
 * @hop_cnt: hop count
 * @initial: ports to leave by, on the way out
 * @back: ports to leave by, on the way back
 * @from_here: no part that is routed by LID is in front of the path
 * @to_here: no such part is behind it
 */
struct smi_route {
	u8 *hop_ptr;
	u8 hop_cnt;
	u8 *initial;
	u8 *back;
	bool from_here;
	bool to_here;
};

/* All of it is in the first 256 bytes, which any SMP has. */
static struct smi_route smi_route_of(struct ib_smp *smp)
{
	struct opa_smp *opa = (struct opa_smp *)smp;

	if (smp->base_version == OPA_MGMT_BASE_VERSION)
		return (struct smi_route){
			.hop_ptr = &opa->hop_ptr,
			.hop_cnt = opa->hop_cnt,
			.initial = opa->route.dr.initial_path,
			.back = opa->route.dr.return_path,
			.from_here = opa->route.dr.dr_slid == OPA_LID_PERMISSIVE,
			.to_here = opa->route.dr.dr_dlid == OPA_LID_PERMISSIVE,
		};
	return (struct smi_route){
		.hop_ptr = &smp->hop_ptr,
		.hop_cnt = smp->hop_cnt,
		.initial = smp->initial_path,
		.back = smp->return_path,
		.from_here = smp->dr_slid == IB_LID_PERMISSIVE,
		.to_here = smp->dr_dlid == IB_LID_PERMISSIVE,
	};
}

/* On the way to the SMA: C14-9. */
static enum smi_way smi_start_out(const struct smi_route *route, u32 port)
{
	u8 *hop_ptr = route->hop_ptr;

	if (route->hop_cnt && !*hop_ptr) {
		*hop_ptr = 1;
		return route->initial[1] == port ? SMI_WIRE : SMI_DISCARD;
	}
	/* Without a hop the path ends where it begins. */
	if (*hop_ptr == route->hop_cnt && route->to_here)
		(*hop_ptr)++;
	return *hop_ptr == route->hop_cnt + 1 ? SMI_HERE : SMI_DISCARD;
}

/* On the way back to the SM: C14-13. */
static enum smi_way smi_start_back(const struct smi_route *route, u32 port)
{
	u8 *hop_ptr = route->hop_ptr;

	if (route->hop_cnt && *hop_ptr == route->hop_cnt + 1) {
		(*hop_ptr)--;
		return route->back[*hop_ptr] == port ? SMI_WIRE : SMI_DISCARD;
	}
	if (*hop_ptr == 1 && route->from_here)
		(*hop_ptr)--;
	return *hop_ptr ? SMI_DISCARD : SMI_HERE;
}

/**
 * smi_outgoing - where does an SMP go that a consumer sends?
 * @smp: directed-route SMP, of InfiniBand or of Omni-Path; its hop pointer is moved
 * @port: that it is sent by
 *
 * Return: the way.
 */
enum smi_way smi_outgoing(struct ib_smp *smp, u32 port)
{
	const struct smi_route route = smi_route_of(smp);
	const bool back = ib_get_smp_direction(smp);

	if (route.hop_cnt > MAX_HOPS)
		return SMI_DISCARD;
	/* The part that comes first goes by LID: a switch begins the directed one. */
	if (!(back ? route.to_here : route.from_here))
		return SMI_WIRE;
	return back ? smi_start_back(&route, port) : smi_start_out(&route, port);
}
EXPORT_SYMBOL_IF_KUNIT(smi_outgoing);

static enum smi_way smi_arrive_out(const struct smi_route *route, u32 port)
{
	u8 *hop_ptr = route->hop_ptr;

	if (*hop_ptr == route->hop_cnt && route->to_here) {
		if (route->hop_cnt)
			route->back[*hop_ptr] = port;
		(*hop_ptr)++;
	}
	return *hop_ptr == route->hop_cnt + 1 ? SMI_HERE : SMI_DISCARD;
}

static enum smi_way smi_arrive_back(const struct smi_route *route)
{
	u8 *hop_ptr = route->hop_ptr;

	if (*hop_ptr == 1 && route->from_here)
		(*hop_ptr)--;
	return *hop_ptr ? SMI_DISCARD : SMI_HERE;
}

/**
 * smi_incoming - decide whether a received SMP is for this port
 * @smp: directed-route SMP, of InfiniBand or of Omni-Path; its hop pointer and return
 *	 path are brought up to date
 * @port: that it came in by
 *
 * Return: SMI_HERE or SMI_DISCARD.
 */
enum smi_way smi_incoming(struct ib_smp *smp, u32 port)
{
	const struct smi_route route = smi_route_of(smp);

	if (route.hop_cnt > MAX_HOPS)
		return SMI_DISCARD;
	return ib_get_smp_direction(smp) ? smi_arrive_back(&route) :
					   smi_arrive_out(&route, port);
}
EXPORT_SYMBOL_IF_KUNIT(smi_incoming);
