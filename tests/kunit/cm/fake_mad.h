/* SPDX-License-Identifier: GPL-2.0 */
/* A device of the CM's whose MAD layer, table of addresses and neighbours are played. */
#ifndef KUNIT_CM_FAKE_MAD_H
#define KUNIT_CM_FAKE_MAD_H

#include <kunit/test.h>
#include <linux/prandom.h>
#include <rdma/ib_cache.h>

#include "core/cm/ib/ib_cm.h"
#include "core/sysfs/port.h"
#include "ends_limits.h"

#define SERVICE		cpu_to_be64(0x1061234)
#define PORT		1
/* Of a packet: TimeWait lasts a minute, or the 256 ms that a test can wait for. */
#define LIFE		23
#define SHORT_LIFE	15

/*
 * The device, and what is held of it. @life is that of its paths; @most_refs how
 * many references there were when a GID was looked up; @no_mads a port that the MAD
 * layer could not open; @late counts uses of it after its removal.
 */
extern struct played {
	struct ib_device device;
	struct ib_port_data ports[PORT + 2];
	struct ib_qp qp;
	struct ib_pd pd;
	struct ib_mad_agent agent;
	struct ib_gid_attr gid;
	struct ib_client *client;
	struct cm_dev *data;
	bool there;
	u32 next_qpn;
	u8 life;
	int most_refs;
	u32 no_mads;
	int late;
	atomic_t gids;
	atomic_t ahs;
	atomic_t bufs;
	atomic_t recvs;
} played;

struct packet {
	struct list_head node;
	union cm_mad mad;
};

/*
 * The wire. @lock guards the lists; the rest is the test's. What has to be told
 * to the senders is told by @work, as ib_destroy_cm_id() waits for it.
 */
extern struct wire {
	spinlock_t lock;
	struct list_head packets;
	struct list_head waiting;
	struct list_head done;
	struct work_struct work;
	enum cm_attr lose;
	enum cm_attr keep;
	bool kept;
	union cm_mad kept_mad;
	bool twice;
	bool deaf;
	bool mutate;
	struct rnd_state random;
	int last_timeout;
	int last_reason;
	long sent[CM_ATTRS];
} wire;

/*
 * Peers that are out of reach: a resolution of their address waits here. Not for
 * ever, so that a test which waits for it fails and does not hang.
 */
extern const union ib_gid nowhere;

extern struct neighbours {
	wait_queue_head_t queue;
	bool closed;
	atomic_t waiting;
} neighbours;

void neighbours_answer(void);
long sent(enum cm_attr attr);
long counter(enum cm_counter which, enum cm_attr attr);
void done_work(struct work_struct *work);
void deliver_from(const union cm_mad *mad, const union ib_gid *gid);
void deliver(const union cm_mad *mad);
struct packet *take_packet(void);

/*
 * Until nothing is on its way and no worker runs any more; but resolutions that look for
 * a neighbour without an id go on.
 */
void wire_settle(void);
void wire_run(void);

/* The time of all that wait is over, and they have retries left. */
void wire_repeat(void);

/* The same, without. The answers are on the wire afterwards. */
void wire_give_up(void);

#endif /* KUNIT_CM_FAKE_MAD_H */
