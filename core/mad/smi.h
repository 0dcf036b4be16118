/* SPDX-License-Identifier: GPL-2.0 */
/* Directed-route SMPs at the port of a channel adapter (IBA 14.2.2). */
#ifndef OFED_CORE_SMI_H
#define OFED_CORE_SMI_H

#include <rdma/ib_smi.h>

enum smi_way {
	SMI_DISCARD,
	SMI_WIRE,		/* out by the port */
	SMI_HERE,		/* to this port's SMA or SM */
};

enum smi_way smi_outgoing(struct ib_smp *smp, u32 port);
enum smi_way smi_incoming(struct ib_smp *smp, u32 port);

#endif /* OFED_CORE_SMI_H */
