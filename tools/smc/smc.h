/* SPDX-License-Identifier: GPL-2.0 */
/* The commands of ofed-smc(8). */
#ifndef OFED_SMC_H
#define OFED_SMC_H

/* ---- pnet.c: which interfaces and RDMA devices are on one network ------------------------ */
void pnet_list(void);
void pnet_add_eth(const char *id, const char *interface);
void pnet_add_ib(const char *id, const char *device, const char *port);
void pnet_del(const char *id);
void pnet_flush(void);
void pnet_disable(const char *interface);
void pnet_enable(const char *interface);

/* ---- ueid.c: enterprise IDs -------------------------------------------------------------- */
void ueid_list(void);
void ueid_add(const char *name);
void ueid_del(const char *name);
void ueid_flush(void);

/* ---- groups.c: link groups, their links, the devices ------------------------------------- */
void groups_list(void);
void links_list(void);
void devices_list(void);

/* ---- attributes.c: settings of the module ------------------------------------------------- */
void attributes_list(void);
void attribute_set(const char *setting);

/* ---- stats.c: counters -------------------------------------------------------------------- */
void stats_basic(void);
void stats_detailed(void);
void stats_absolute(void);
void stats_reset(void);
void fallbacks_list(void);

#endif
