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
 */
#include <kunit/visibility.h>

#include "smi.h"

/* The path has an entry for each hop from 1 on. */
#define MAX_HOPS (IB_SMP_MAX_PATH_HOPS - 1)

/* On the way to the SMA: C14-9. */
static enum smi_way smi_start_out(struct ib_smp *smp, u32 port)
{
	if (smp->hop_cnt && !smp->hop_ptr) {
		smp->hop_ptr = 1;
		return smp->initial_path[1] == port ? SMI_WIRE : SMI_DISCARD;
	}
	/* Without a hop the path ends where it begins. */
	if (smp->hop_ptr == smp->hop_cnt &&
	    smp->dr_dlid == IB_LID_PERMISSIVE)
		smp->hop_ptr++;
	return smp->hop_ptr == smp->hop_cnt + 1 ? SMI_HERE : SMI_DISCARD;
}

/* On the way back to the SM: C14-13. */
static enum smi_way smi_start_back(struct ib_smp *smp, u32 port)
{
	if (smp->hop_cnt && smp->hop_ptr == smp->hop_cnt + 1) {
		smp->hop_ptr--;
		return smp->return_path[smp->hop_ptr] == port ? SMI_WIRE :
								SMI_DISCARD;
	}
	if (smp->hop_ptr == 1 && smp->dr_slid == IB_LID_PERMISSIVE)
		smp->hop_ptr--;
	return smp->hop_ptr ? SMI_DISCARD : SMI_HERE;
}

/**
 * smi_outgoing - where does an SMP go that a consumer sends?
 * @smp: directed-route SMP; its hop pointer is moved
 * @port: that it is sent by
 *
 * Return: the way.
 */
enum smi_way smi_outgoing(struct ib_smp *smp, u32 port)
{
	const bool back = ib_get_smp_direction(smp);

	if (smp->hop_cnt > MAX_HOPS)
		return SMI_DISCARD;
	/* The part that comes first goes by LID: a switch begins the directed one. */
	if ((back ? smp->dr_dlid : smp->dr_slid) != IB_LID_PERMISSIVE)
		return SMI_WIRE;
	return back ? smi_start_back(smp, port) : smi_start_out(smp, port);
}
EXPORT_SYMBOL_IF_KUNIT(smi_outgoing);

static enum smi_way smi_arrive_out(struct ib_smp *smp, u32 port)
{
	if (smp->hop_ptr == smp->hop_cnt &&
	    smp->dr_dlid == IB_LID_PERMISSIVE) {
		if (smp->hop_cnt)
			smp->return_path[smp->hop_ptr] = port;
		smp->hop_ptr++;
	}
	return smp->hop_ptr == smp->hop_cnt + 1 ? SMI_HERE : SMI_DISCARD;
}

static enum smi_way smi_arrive_back(struct ib_smp *smp)
{
	if (smp->hop_ptr == 1 && smp->dr_slid == IB_LID_PERMISSIVE)
		smp->hop_ptr--;
	return smp->hop_ptr ? SMI_DISCARD : SMI_HERE;
}

/**
 * smi_incoming - decide whether a received SMP is for this port
 * @smp: directed-route SMP; its hop pointer and return path are brought up to
 *	 date
 * @port: that it came in by
 *
 * Return: SMI_HERE or SMI_DISCARD.
 */
enum smi_way smi_incoming(struct ib_smp *smp, u32 port)
{
	if (smp->hop_cnt > MAX_HOPS)
		return SMI_DISCARD;
	return ib_get_smp_direction(smp) ? smi_arrive_back(smp) :
					   smi_arrive_out(smp, port);
}
EXPORT_SYMBOL_IF_KUNIT(smi_incoming);
