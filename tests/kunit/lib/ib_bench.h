/* SPDX-License-Identifier: GPL-2.0 */
/* What the suites of ib_fabric_kunit.ko share: ib_bench.c. */
#ifndef IB_BENCH_H
#define IB_BENCH_H

#include <kunit/test.h>

#include "hw/ib/cable.h"
#include "hw/ib/fabric.h"
#include "hw/ib/mad.h"
#include "hw/ib/node.h"
#include "hw/ib/packet.h"
#include "hw/ib/pma.h"
#include "hw/ib/queue.h"
#include "hw/ib/sma.h"
#include "hw/ib/switch.h"
#include "hw/ib/trap.h"

#define IB_BENCH_FAR	3

/* The far ends are switches as well. LIDs 1 to 3 are behind ports 1 to 3. */
extern struct ib_bench {
	struct ibf_node *sw;
	struct ibf_node *far[IB_BENCH_FAR];
	struct ibf_cable cables[IB_BENCH_FAR];
} ib_bench;

struct ibf_node *ib_bench_node(struct kunit *test, const char *name, bool is_switch, u8 ports);
void ib_bench_up(struct kunit *test);
void ib_bench_down(void);
void ib_bench_plug(int i);
/* Until no pump has anything to do. */
void ib_bench_settle(void);
/* A packet comes in by port 1, and all that follows has happened; one with nothing in it. */
void ib_bench_receive(struct sk_buff *skb);
void ib_bench_arrive(u16 dlid, u8 sl, u8 vl, u16 pkey);
/* Packets that far end @far received, and what port @port of the switch counted. */
u64 ib_bench_got(int far);
u64 ib_bench_counted(int port, enum ibf_count count);

/*
 * A Get or Set by the agent of @port: @data, 64 bytes of an SMP or 192 of the PMA, is
 * what is set and then what is answered. The status of the answer.
 */
u16 ib_bench_ask(struct ibf_port *port, u8 method, __be16 attr, u32 mod, __be64 mkey, u8 *data,
		 enum ibf_answer *answer);
u16 ib_bench_ask_pma(struct ibf_port *port, u8 method, __be16 attr, u8 *data);
/* 64 bytes */
void ib_bench_expect(struct kunit *test, const char *name, const void *found,
		     const u8 *expected);

extern struct kunit_suite ib_tables_suite;
extern struct kunit_suite ib_optional_suite;
extern struct kunit_suite ib_traps_suite;
extern struct kunit_suite ib_packets_suite;
extern struct kunit_suite ib_cables_suite;
extern struct kunit_suite ib_tunnel_suite;
extern struct kunit_suite ib_offload_suite;
extern struct kunit_suite ib_opa_suite;

#endif /* IB_BENCH_H */
