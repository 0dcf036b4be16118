/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Automatic path migration (IBA vol. 1, 17.2.8, 10.4). Each side has an address on
 * every road; the first is the one that they connect by:
 *
 *	side 0		LID 1 ---- road 0 ---- LID 2	side 1
 *			LID 3 ---- road 1 ---- LID 4
 *			LID 5 ---- road 2 ---- LID 6
 *
 * A case lets roads die, by dropping what comes from some of the addresses, and
 * reads MigReq in what passes.
 */
#ifndef KUNIT_IBT_APM_H
#define KUNIT_IBT_APM_H

#include <linux/prandom.h>

#include "engine.h"

/*
 * Ack timeout where something gets lost, 268 ms: a starved machine answers within
 * three of them.
 */
#define SOON		16
#define TRIES		3	/* the first, and the retries */
#define LATE		20	/* 4 s, as ends_defaults() has it */

/* Places in the memory of either side (S: source, D: destination). */
enum {
	S_DATA		= 0x0000,
	S_READ		= 0x1000,
	D_READ		= 0x2000,
	D_ATOMIC	= 0x3000,
	D_RECV		= 0x4000,
	D_WRITE		= 0x5000,
	COUNTER		= 0x6000,
	S_LONG		= 0x7000,
	D_LONG		= 0xb000,
};

#define LONG		0x4000

/* Packets of an exchange, at least. */
#define EXCHANGE	28

extern struct pair pair;
extern u8 alt_timeout;
extern struct rnd_state random_bytes;

/**
 * struct watch - what passes; it outlives the cases, as packets do
 * @dead: what comes from BIT(LID) is lost, from packet @since on
 * @since: see @dead
 * @toll: so many packets from elsewhere are lost too, the first ones
 * @lost: so many
 * @bits: packets of each side, by their MigReq
 * @from: packets from each LID
 */
extern struct watch {
	unsigned long dead;
	u32 since;
	u32 toll;
	u32 lost;
	u32 bits[2][2];
	u32 from[FAKE_LIDS + 1];
} watch;

/* init and exit of each case. */
int apm_init(struct kunit *test);
void apm_exit(struct kunit *test);

/* Roads: @dead LIDs are lost from packet @since on. */
void watch_from(unsigned long dead, u32 since);
int lid_of(int which, int road);

/* The LIDs of a road, both directions. */
unsigned long road(int number);

/* Attributes of a side's queue pair. */
struct ib_qp_attr query(int which);
enum ib_mig_state mig_state(int which);
int set_mig(int which, enum ib_mig_state state);
bool wait_mig(int which, enum ib_mig_state state);

/* An alternate path from our address on one road to the peer's on another. */
int load_ways(int which, int from, int to);

/* Both on the road @number. */
int load(int which, int number);

/* Is that its path? */
bool uses(int which, int number);

/* Traffic. */
void post(int which, struct job job);
struct ib_cq *send_cq(int which);

/* A request, and (RC) its answer. */
void ping(int which);

/* Something of everything, both ways at once; each byte must be where it belongs. */
void exchange(void);

/* Both are ARMED for this road. */
void arm(int number);

/* Each side has migrated so many times, and uses this road. */
void expect_migrated(int number, int times);

void expect_states(enum ib_mig_state zero, enum ib_mig_state one);

/* All packets of each side had this MigReq, and there were some. */
void expect_bits(bool zero, bool one);

#endif /* KUNIT_IBT_APM_H */
