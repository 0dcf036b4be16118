/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A link of the engine that is no wire: two devices, and a queue between them
 * that a test can look at and meddle with.
 *
 *	device 0 (LID 1) --xmit--> [queue] --script--> ibt_rx() of device 1 (LID 2)
 *	         <-----------------[queue]<-----------
 *
 * In front of the BTH are 8 bytes: "FAKE", to, from, two of zero.
 */
#ifndef IBT_FAKE_LINK_H
#define IBT_FAKE_LINK_H

#include <linux/skbuff.h>
#include "../../hw/ibt/link.h"

#define FAKE_BYTES	8
#define FAKE_KEPT	64

/* What becomes of a packet. */
enum fake_fate {
	FAKE_PASS,
	FAKE_DROP,
	FAKE_TWICE,
	FAKE_LATER,		/* behind the next one, or when all is quiet */
	FAKE_DAMAGE,		/* one bit of the payload or the ICRC */
};

typedef enum fake_fate fake_script(u32 number, const u8 *bth);

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
 * @asked: per device, that it said so, and owes an ibt_tx_room()
 * @local: addresses resolve to paths that end here
 * @keep: remember what passes in @kept, a ring of copies; @num_kept ever
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
	bool asked[2];
	bool local;
	bool keep;
	struct sk_buff *kept[FAKE_KEPT];
	u32 num_kept;
	atomic_t paths;
};

/* There is one; the suites run one after the other. */
extern struct fake_link fake;

int fake_start(void);
void fake_stop(void);
/* Wait until nothing is on the way; then count from 0 again by @script. */
void fake_restart(fake_script *script);
/* Deliver @length bytes from the BTH on; the ICRC is made here. */
void fake_inject(int to, const u8 *bytes, u32 length);

static inline struct ib_device *fake_ib(int which)
{
	return ibt_dev_ib(fake.dev[which]);
}

#endif /* IBT_FAKE_LINK_H */
