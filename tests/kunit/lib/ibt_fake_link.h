/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A link of the engine that is no wire: two devices, and a queue between them
 * that a test can look at and meddle with.
 *
 *	device 0 (LID 1) --xmit--> [queue] --script--> ibt_rx() of device 1 (LID 2)
 *	         <-----------------[queue]<-----------
 *
 * Each has more addresses: 1, 3, 5, 7 are device 0, 2, 4, 6, 8 device 1. The path
 * bits of an address handle choose among one's own: bits 1 are LID 3, or 4.
 *
 * In front of the BTH are 8 bytes: "FAKE", to, from, LID to, LID from.
 */
#ifndef IBT_FAKE_LINK_H
#define IBT_FAKE_LINK_H

#include <linux/skbuff.h>
#include "hw/ibt/link.h"

#define FAKE_BYTES	8
#define FAKE_KEPT	64
#define FAKE_LIDS	8

/* What becomes of a packet. */
enum fake_fate {
	FAKE_PASS,
	FAKE_DROP,
	FAKE_TWICE,
	FAKE_LATER,		/* behind the next one, or when all is quiet */
	FAKE_DAMAGE,		/* one bit of the payload or the ICRC */
	FAKE_MARK,		/* it meets congestion on its way */
};

typedef enum fake_fate fake_script(u32 number, const u8 *bth);

/* The address that a packet comes from; @bth is as a script gets it. */
static inline int fake_slid(const u8 *bth)
{
	return bth[-1];
}

static inline int fake_dlid(const u8 *bth)
{
	return bth[-2];
}

/**
 * struct fake_link - both devices and what is between them
 * @dev: the devices; each has one port
 * @queue: on the way
 * @work: takes them off the queue, one after the other
 * @script: (may be NULL) fate of packet @number, counted from fake_restart().
 *	    @bth is linear as far as the BTH goes
 * @number: of the next packet
 * @late: the one packet that waits for another
 * @limit: (0: none) xmit says -EAGAIN when so many are queued
 * @prompt: with @limit: there is room again before xmit returns
 * @asked: per device, that it said so, and owes an ibt_tx_wake()
 * @resolving: called once, when the next address is resolved
 * @sending: called once, when the next packet is sent
 * @ending: (may be NULL) called when a device goes: it receives until then
 * @local: addresses resolve to paths that end here
 * @group: (may be NULL) what arrives has a GRH that says it was sent there
 * @keep: remember what passes in @kept, a ring of copies; @num_kept ever
 * @tx_in_flight: what is sent may be overtaken
 * @passage: how far packets have come
 * @step: each look at @passage finds that so much was taken, and left, meanwhile
 * @cpus: per device, processors that sent, modulo bits of a word
 * @num_runs: skbs of several packets that the engine sent
 * @closed: nothing is taken off the queue any more
 * @paths: that live
 */
struct fake_link {
	struct ibt_dev *dev[2];
	struct sk_buff_head queue;
	struct delayed_work work;
	fake_script *script;
	u32 number;
	struct sk_buff *late;
	u32 limit;
	bool prompt;
	bool asked[2];
	void (*resolving)(void);
	void (*sending)(void);
	void (*ending)(struct ibt_dev *dev);
	bool local;
	const union ib_gid *group;
	bool keep;
	struct sk_buff *kept[FAKE_KEPT];
	u32 num_kept;
	bool tx_in_flight;
	struct ibt_passage passage;
	unsigned long step;
	unsigned long cpus[2];
	u32 num_runs;
	bool closed;
	atomic_t paths;
};

/* There is one; the suites run one after the other. */
extern struct fake_link fake;

/* Of the ports, beside RDMA_CORE_CAP_PROT_IB; set before fake_start(). */
extern u32 fake_port_caps;
/* Ports of a device, only the first of which has a link; set before fake_start(). */
extern u32 fake_ports;
/* Packets that the link takes in one skb; 0: one by one. Any time. */
extern u32 fake_run_packets;
/* They arrive in one skb too, past every script. */
extern bool fake_run_whole;
/* Which may then be received elsewhere; set before fake_start(). */
extern bool fake_lanes;
/* Packets are sent again before the timeout of their queue pair. */
extern bool fake_early;
/* Those that are missing are sent again alone. */
extern bool fake_selective;
/* They slow down where packets are marked or lost. */
extern bool fake_congestion;
/* (may be NULL) called with each device before it is registered; set before fake_start(). */
extern void (*fake_prepare)(struct ib_device *ib);

int fake_start(void);
void fake_stop(void);
/* Wait until nothing is on the way; then count from 0 again by @script. */
void fake_restart(fake_script *script);
/* Deliver @length bytes from the BTH on; the ICRC is made here. The second says
 * from which address of the other side, the first from its LID 1, or 2.
 */
void fake_inject(int to, const u8 *bytes, u32 length);
void fake_inject_from(int slid, const u8 *bytes, u32 length);

static inline struct ib_device *fake_ib(int which)
{
	return ibt_dev_ib(fake.dev[which]);
}

#endif /* IBT_FAKE_LINK_H */
