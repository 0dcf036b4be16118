/* SPDX-License-Identifier: GPL-2.0 */
/* Queue pairs: life and attributes. */
#ifndef IBT_QP_H
#define IBT_QP_H

#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "../soft/poller.h"
#include "doorbell.h"
#include "congestion.h"
#include "credit.h"
#include "dev.h"
#include "loopback.h"
#include "opcode.h"
#include "resp.h"
#include "rq.h"
#include "rtx.h"
#include "sq.h"

struct ibt_counter;
struct ibt_ref;
struct ibt_path;
struct ibt_srq;

/**
 * struct ibt_qp - queue pair
 * @ib: of the core; first
 * @life: references
 * @attr_lock: one modify, query or teardown at a time
 * @attr: as modify_qp left it; qp_state is not kept here. Written with attr_lock
 *	  held; what migration exchanges (ah_attr, port_num, pkey_index, timeout
 *	  and their alternates) with path_lock held too. Its addresses have
 *	  references on their GIDs. Numbers are read without a lock.
 * @cap: what both queues can do
 * @state: as modify_qp or ibt_qp_fail() set it; each side also keeps its own
 * @transport: which opcodes it speaks (UD: QP0 and QP1 too)
 * @mtu: path MTU in bytes (1 << 31 is no MTU: UD)
 * @flow: for the link's choice among several ways
 * @path_lock: guards @path down to @alt_left, and @flow
 * @path: connected QPs, from RTR on, referenced
 * @alt: the alternate one, or NULL
 * @path_gen: generation of the port when @path was resolved
 * @mig_state: path migration state; may be peeked at without the lock, like
 * @migrations: how many there were, and like
 * @alt_left: @alt is the path that the latest migration left: a peer that has not
 *	      heard of it still uses it
 * @sig_all: every send is signaled
 * @offload: (UD) its consumer leaves checksums and IB_WR_LSO to the link
 * @fetches: (tag matching) its send queue is the responder's, for READs of rendezvous
 * @flushed: (attr_lock) the error state was entered and both sides are flushed
 * @send_cq: where completions of sends go, NULL: it has none
 * @recv_cq: those of receives; NULL: XRC
 * @srq: NULL: own receive queue
 * @events: IB_EVENT_* bits to raise, by @work
 * @work: raises events and finishes a move to the error state
 * @congestion: of what it sends and receives by packets
 * @rq: own receive queue
 * @sq: send side
 * @rtx: its retransmission
 * @credit: receive requests of the peer; sq.lock guards it
 * @local: its message to a queue pair of this host
 * @bell: what is known of its doorbells
 * @page_bell: doorbell that a library rings without a call
 * @counter: what it counts for, beside the device; RCU. The core changes it
 * @resp: receive side
 */
struct ibt_qp {
	struct ib_qp ib;
	struct ibt_ref *life;
	struct mutex attr_lock;
	struct ib_qp_attr attr;
	struct ib_qp_cap cap;
	enum ib_qp_state state;
	enum ibt_transport transport;
	u32 mtu;
	u32 flow;
	spinlock_t path_lock;
	struct ibt_path *path;
	struct ibt_path *alt;
	int path_gen;
	enum ib_mig_state mig_state;
	u32 migrations;
	bool alt_left;
	bool sig_all;
	bool offload;
	bool fetches;
	bool flushed;
	struct soft_cq *send_cq;
	struct soft_cq *recv_cq;
	struct ibt_srq *srq;
	unsigned long events;
	struct work_struct work;
	struct ibt_congestion congestion;
	struct ibt_rq rq;
	struct ibt_sq sq;
	struct ibt_rtx rtx;
	struct ibt_credit credit;
	struct ibt_loopback_xfer local;
	struct ibt_doorbell bell;
	struct soft_bell page_bell;
	struct ibt_counter __rcu *counter;
	struct ibt_resp resp;
};

static inline struct ibt_qp *to_ibt_qp(struct ib_qp *ib)
{
	return container_of(ib, struct ibt_qp, ib);
}

static inline struct ibt_dev *ibt_qp_dev(const struct ibt_qp *qp)
{
	return to_ibt_dev(qp->ib.device);
}

static inline bool ibt_qp_is_special(const struct ibt_qp *qp)
{
	return qp->ib.qp_type == IB_QPT_GSI || qp->ib.qp_type == IB_QPT_SMI;
}

static inline bool ibt_qp_reliable(const struct ibt_qp *qp)
{
	return qp->transport == IBT_RC || qp->transport == IBT_XRC;
}

void ibt_qps_exit(struct ibt_dev *dev);

/* State as a consumer is told: a stopped send side shows as SQE. */
enum ib_qp_state ibt_qp_user_state(struct ibt_qp *qp);
int ibt_modify_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata);
int ibt_query_qp(struct ib_qp *ib, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init);
/* Both sides into the state of @qp, in the right order. attr_lock held. */
void ibt_qp_apply_state(struct ibt_qp *qp);
/* Release the paths. attr_lock held, or no other thread has access to @qp. */
void ibt_qp_drop_paths(struct ibt_qp *qp);

extern const struct ib_device_ops ibt_qp_ops;		/* qp.c */

#endif /* IBT_QP_H */
