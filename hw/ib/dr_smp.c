// SPDX-License-Identifier: GPL-2.0
/*
 * Directed-route SMPs at a switch (section 14.2.2). The path is a list of ports to
 * leave by; the hop pointer walks along it, up on the way out and down on the way
 * back. In front of the directed part and behind it there may be parts that go by
 * LID, unless DrSLID and DrDLID are permissive.
 *
 * Pointer, count and ports come from the wire: nothing is indexed before it is
 * checked.
 */
#include <kunit/visibility.h>

#include "mad.h"

static const struct ibf_hop drop_it = { .way = IBF_WAY_DROP };
static const struct ibf_hop stay = { .way = IBF_WAY_HERE };

static struct ibf_hop ibf_leave_by(u8 port, u8 num_ports)
{
	if (!port || port > num_ports)
		return drop_it;
	return (struct ibf_hop){ .way = IBF_WAY_PORT, .port = port };
}

/* Behind the directed part. */
static struct ibf_hop ibf_go_on(__be16 lid)
{
	u16 to = be16_to_cpu(lid);

	if (to == IBF_LID_PERMISSIVE)
		return stay;
	return (struct ibf_hop){ .way = IBF_WAY_LID, .lid = to };
}

/* C14-9 */
static struct ibf_hop ibf_dr_outward(struct ib_smp *smp, u8 in_port, u8 num_ports)
{
	/* It came here by LID, and the directed part begins. */
	if (smp->hop_cnt && !smp->hop_ptr) {
		smp->hop_ptr = 1;
		return ibf_leave_by(smp->initial_path[1], num_ports);
	}
	if (smp->hop_ptr < smp->hop_cnt) {
		smp->return_path[smp->hop_ptr++] = in_port;
		return ibf_leave_by(smp->initial_path[smp->hop_ptr], num_ports);
	}
	if (smp->hop_ptr == smp->hop_cnt) {
		if (smp->hop_cnt)
			smp->return_path[smp->hop_ptr] = in_port;
		smp->hop_ptr++;
		return ibf_go_on(smp->dr_dlid);
	}
	return smp->hop_ptr == smp->hop_cnt + 1 ? stay : drop_it;
}

/* C14-13 */
static struct ibf_hop ibf_dr_homeward(struct ib_smp *smp, u8 num_ports)
{
	if (smp->hop_ptr > smp->hop_cnt + 1)
		return drop_it;
	if (smp->hop_ptr > 1) {
		smp->hop_ptr--;
		return ibf_leave_by(smp->return_path[smp->hop_ptr], num_ports);
	}
	if (smp->hop_ptr == 1) {
		smp->hop_ptr--;
		return ibf_go_on(smp->dr_slid);
	}
	return stay;
}

/**
 * ibf_dr_arrived - where does an SMP go that came to a switch?
 * @smp: directed-route SMP; its hop pointer and return path are brought up to date
 * @in_port: that it came in by
 * @num_ports: of the switch
 *
 * Context: any.
 * Return: where it goes.
 */
struct ibf_hop ibf_dr_arrived(struct ib_smp *smp, u8 in_port, u8 num_ports)
{
	if (smp->hop_cnt >= IB_SMP_MAX_PATH_HOPS)
		return drop_it;
	return ib_get_smp_direction(smp) ?
		ibf_dr_homeward(smp, num_ports) : ibf_dr_outward(smp, in_port, num_ports);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_dr_arrived);

/**
 * ibf_dr_answer - where does the answer of a switch go?
 * @smp: with bit D set, as its question arrived otherwise; changed as above
 * @num_ports: of the switch
 *
 * Context: any.
 * Return: where it goes. IBF_WAY_HERE: nowhere.
 */
struct ibf_hop ibf_dr_answer(struct ib_smp *smp, u8 num_ports)
{
	if (smp->hop_cnt >= IB_SMP_MAX_PATH_HOPS)
		return drop_it;
	return ibf_dr_homeward(smp, num_ports);
}
EXPORT_SYMBOL_IF_KUNIT(ibf_dr_answer);
