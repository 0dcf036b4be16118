// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_resolve_ip(): requests to find the way to an IP address, answered by a
 * callback.
 *
 * Only its work item advances a request, on a queue that runs one item at a
 * time: when it is made, when a neighbour it waits for has answered, every
 * second (a probe may have been lost, a route may come), and at its time limit.
 *
 * The work item alone frees the request. The request is on the list until then,
 * so a thread that finds it there may kick it. To cancel is to mark the
 * request, kick it, and wait if the worker has it in hand: from then on the
 * worker neither writes to the caller's address nor calls back. A cancel on the
 * worker itself is made by a callback and needs no wait: no other request is in
 * hand, and the callback's own has nothing left to do.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include <net/neighbour.h>
#include <net/netevent.h>
#include <ofed/refuse.h>
#include <rdma/ib.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>

#include "netlink.h"
#include "resolve.h"

#define RETRY_JIFFIES HZ

enum ls_state {
	LS_NEW,		/* not asked */
	LS_ASKED,	/* will answer, or not */
	LS_KNOWN,	/* request.dgid is the answer */
	LS_UNKNOWN,	/* "not yet": may be asked again */
};

/**
 * struct request - one call of rdma_resolve_ip()
 * @entry: in requests, until it is freed
 * @work: looks at it
 * @dev_addr: the caller's; not to be touched when @cancelled
 * @callback: the caller's
 * @context: for @callback
 * @deadline: time limit, in jiffies
 * @asked: source address as the caller gave it
 * @look: the latest attempt; the worker's, but for its hop
 * @hop: what @look waits for, for the notifier
 * @ls: question to ibacm
 * @ls_state: how it stands; the answer changes LS_ASKED, the worker all else
 * @dgid: the answer
 * @seq: number of the request
 * @by_gid: leave by the interface of dev_addr->sgid_attr
 * @cancelled: the caller does not want the answer any more
 */
struct request {
	struct list_head entry;
	struct delayed_work work;
	struct rdma_dev_addr *dev_addr;
	void (*callback)(int status, struct sockaddr *src_addr,
			 struct rdma_dev_addr *addr, void *context);
	void *context;
	unsigned long deadline;
	union ofed_ip_addr asked;
	struct ofed_lookup look;
	struct ofed_hop hop;
	struct ofed_ls_ip_query ls;
	enum ls_state ls_state;
	union ib_gid dgid;
	u32 seq;
	bool by_gid;
	bool cancelled;
};

/*
 * Guards requests, and of each request hop, cancelled and the right to kick its
 * work; in_hand, worker and last_seq. The notifier takes it in softirqs.
 */
static DEFINE_SPINLOCK(requests_lock);
static LIST_HEAD(requests);
/* Number of the request that the worker looks at or calls back; 0: none. */
static u32 in_hand;
static struct task_struct *worker;
static u32 last_seq;
/* Cancellers that wait for the worker to lay a request down. */
static DECLARE_WAIT_QUEUE_HEAD(laid_down);

static struct workqueue_struct *resolve_wq;

static void addr_kick(struct request *req, unsigned long delay)
{
	lockdep_assert_held(&requests_lock);
	mod_delayed_work(resolve_wq, &req->work, delay);
}

/*
 * ibacm answers. It may be in any context, under a lock that addr_forget() waits
 * for, so the request is there.
 */
static void addr_take_dgid(struct ofed_ls_ip_query *ls, const union ib_gid *gid)
{
	struct request *req = container_of(ls, struct request, ls);

	if (!gid) {
		WRITE_ONCE(req->ls_state, LS_UNKNOWN);
		return;
	}
	req->dgid = *gid;
	/* Pairs with the acquire in addr_ask_ls(). */
	smp_store_release(&req->ls_state, LS_KNOWN);
	mod_delayed_work(resolve_wq, &req->work, 0);
}

/* The far GID of an InfiniBand destination behind a router. Worker only. */
static int addr_ask_ls(struct request *req)
{
	const struct ofed_lookup *look = &req->look;
	const struct sockaddr *dst = &look->dst.sa;
	int ret;

	/* Pairs with the release in addr_take_dgid(). */
	switch (smp_load_acquire(&req->ls_state)) {
	case LS_KNOWN:
		rdma_addr_set_dgid(&req->look.found, &req->dgid);
		return 0;
	case LS_ASKED:
		return -ENODATA;
	default:
		break;
	}
	/* The answer may come before ofed_ls_ip_ask() returns. */
	WRITE_ONCE(req->ls_state, LS_ASKED);
	ret = ofed_ls_ip_ask(&req->ls, look->found.bound_dev_if,
			     dst->sa_family, dst->sa_family == AF_INET ?
			     (const void *)&look->dst.in.sin_addr :
			     (const void *)&look->dst.in6.sin6_addr);
	if (!ret)
		return -ENODATA;
	WRITE_ONCE(req->ls_state, LS_UNKNOWN);
	/* Without a service there is no answer ever; memory comes back. */
	return ret == -ENODATA ? -EADDRNOTAVAIL : -ENODATA;
}

/* Start from the caller's interface and namespace, or from the GID's. */
static int addr_take_origin(struct request *req)
{
	const struct rdma_dev_addr *dev_addr = req->dev_addr;
	struct ofed_lookup *look = &req->look;
	struct net_device *ndev;
	int ret = 0;

	if (!req->by_gid) {
		look->bound_if = dev_addr->bound_dev_if;
		look->net = maybe_get_net(dev_addr->net);
		return look->net ? 0 : -ENODEV;
	}
	if (!dev_addr->sgid_attr)
		return -EINVAL;
	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(dev_addr->sgid_attr);
	if (IS_ERR(ndev)) {
		ret = PTR_ERR(ndev);
	} else {
		look->bound_if = ndev->ifindex;
		look->net = maybe_get_net(dev_net(ndev));
		ret = look->net ? 0 : -ENODEV;
	}
	rcu_read_unlock();
	return ret;
}

static int addr_attempt(struct request *req)
{
	int ret = addr_take_origin(req);

	if (ret)
		return ret;
	req->look.src = req->asked;
	ret = ofed_lookup(&req->look);
	/* ibacm runs in init_net and knows only what is there. */
	if (req->look.ask_ls && !net_eq(req->look.net, &init_net))
		ret = -EADDRNOTAVAIL;
	put_net(req->look.net);
	req->look.net = NULL;
	return ret;
}

/* True if the notifier did not know yet, so the neighbour may have answered. */
static bool addr_publish_hop(struct request *req)
{
	const struct ofed_hop *hop = &req->look.hop;
	bool news;

	spin_lock_bh(&requests_lock);
	news = memcmp(&req->hop, hop, sizeof(*hop));
	req->hop = *hop;
	spin_unlock_bh(&requests_lock);
	return news && hop->len;
}

/* The caller's address changes only when there is an answer. */
static void addr_tell_result(struct request *req)
{
	const struct rdma_dev_addr *found = &req->look.found;
	struct rdma_dev_addr *to = req->dev_addr;

	memcpy(to->src_dev_addr, found->src_dev_addr, MAX_ADDR_LEN);
	memcpy(to->dst_dev_addr, found->dst_dev_addr, MAX_ADDR_LEN);
	memcpy(to->broadcast, found->broadcast, MAX_ADDR_LEN);
	to->dev_type = found->dev_type;
	to->network = found->network;
	to->hoplimit = found->hoplimit;
	/* The index of another namespace would mean nothing to the caller. */
	if (!req->by_gid)
		to->bound_dev_if = found->bound_dev_if;
}

/* False if the request has been cancelled. */
static bool addr_take_up(struct request *req)
{
	bool wanted;

	spin_lock_bh(&requests_lock);
	wanted = !req->cancelled;
	if (wanted) {
		in_hand = req->seq;
		worker = current;
	}
	spin_unlock_bh(&requests_lock);
	return wanted;
}

static void addr_lay_down(void)
{
	spin_lock_bh(&requests_lock);
	in_hand = 0;
	worker = NULL;
	spin_unlock_bh(&requests_lock);
	wake_up_all(&laid_down);
}

/* To be looked at again; at once, if it was cancelled meanwhile. */
static void addr_put_back(struct request *req)
{
	long left = req->deadline - jiffies;

	spin_lock_bh(&requests_lock);
	/* A kick that came while it was in hand stands. */
	queue_delayed_work(resolve_wq, &req->work,
			   req->cancelled ? 0 :
			   clamp_t(long, left, 0, RETRY_JIFFIES));
	spin_unlock_bh(&requests_lock);
}

static void addr_forget(struct request *req)
{
	spin_lock_bh(&requests_lock);
	list_del(&req->entry);
	spin_unlock_bh(&requests_lock);
	if (req->ls_state != LS_NEW)
		ofed_ls_ip_forget(&req->ls);
	/* No kick comes any more, but an earlier one may still be queued. */
	cancel_delayed_work(&req->work);
	kfree(req);
}

static int addr_look_at(struct request *req)
{
	int ret = addr_attempt(req);

	if (ret == -ENODATA && addr_publish_hop(req))
		ret = addr_attempt(req);
	if (ret == -ENODATA && req->look.ask_ls)
		ret = addr_ask_ls(req);
	if (ret == -ENODATA && time_after_eq(jiffies, req->deadline))
		ret = -ETIMEDOUT;
	return ret;
}

static bool addr_is_cancelled(const struct request *req)
{
	bool cancelled;

	spin_lock_bh(&requests_lock);
	cancelled = req->cancelled;
	spin_unlock_bh(&requests_lock);
	return cancelled;
}

static void addr_work_on_request(struct work_struct *work)
{
	struct request *req = container_of(work, struct request, work.work);
	int ret;

	if (!addr_take_up(req)) {
		addr_forget(req);
		return;
	}
	ret = addr_look_at(req);
	if (ret == -ENODATA) {
		addr_put_back(req);
		addr_lay_down();
		return;
	}
	if (!addr_is_cancelled(req)) {
		if (!ret)
			addr_tell_result(req);
		req->callback(ret, &req->look.src.sa, req->dev_addr,
			      req->context);
	}
	addr_lay_down();
	addr_forget(req);
}

static struct request *addr_new_request(const struct sockaddr *src,
					const struct sockaddr *dst)
{
	const int size = rdma_addr_size(dst);
	struct request *req;

	if (dst->sa_family != AF_INET && dst->sa_family != AF_INET6)
		return ofed_refuse_call(ERR_PTR(-EINVAL),
					"ib_addr: destination of family %u",
					dst->sa_family);
	if (src && src->sa_family != dst->sa_family)
		return ofed_refuse_call(ERR_PTR(-EINVAL),
					"ib_addr: source of family %u, destination of family %u",
					src->sa_family, dst->sa_family);
	req = kzalloc(sizeof(*req), GFP_KERNEL_ACCOUNT);
	if (!req)
		return ERR_PTR(-ENOMEM);
	req->asked.sa.sa_family = dst->sa_family;
	if (src)
		memcpy(&req->asked, src, size);
	memcpy(&req->look.dst, dst, size);
	INIT_DELAYED_WORK(&req->work, addr_work_on_request);
	req->ls.answer = addr_take_dgid;
	return req;
}

static void addr_submit(struct request *req)
{
	spin_lock_bh(&requests_lock);
	list_add_tail(&req->entry, &requests);
	addr_kick(req, 0);
	spin_unlock_bh(&requests_lock);
}

static u32 addr_new_seq(void)
{
	u32 seq;

	spin_lock_bh(&requests_lock);
	last_seq += last_seq == U32_MAX ? 2 : 1;
	seq = last_seq;
	spin_unlock_bh(&requests_lock);
	return seq;
}

/**
 * rdma_resolve_ip - find the hardware addresses of the way to an IP address
 * @src_addr: source address, of the family of @dst_addr, or NULL; the callback
 *	      gets the one that was chosen when this is NULL or a wildcard
 * @dst_addr: IPv4 or IPv6 address
 * @addr: in: net, bound_dev_if (0 for any), and with @resolve_by_gid_attr
 *	  sgid_attr: its namespace and interface take their place; out, when the
 *	  status is 0: src_dev_addr, dst_dev_addr, broadcast, dev_type, network,
 *	  hoplimit, and without @resolve_by_gid_attr bound_dev_if
 * @timeout_ms: time limit
 * @callback: called once, in process context on a queue that is shared, unless
 *	      the request is cancelled or this call fails; may sleep, and may
 *	      cancel or make requests. Its status is 0, -ETIMEDOUT, or an errno
 *	      of the kind that this call gives
 * @resolve_by_gid_attr: see @addr
 * @context: for @callback
 *
 * @addr and what it points to stay valid until the callback has returned or
 * rdma_addr_cancel() has. Interfaces without ARP have no destination hardware
 * address. Destinations behind an InfiniBand router are asked of ibacm.
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL (families, no namespace, no GID), -ENOMEM, -ENODEV
 * (interface gone, or address of this host without one), -ENETUNREACH,
 * -EHOSTUNREACH (no route), -EADDRNOTAVAIL, or another errno of the routing
 * tables.
 */
int rdma_resolve_ip(struct sockaddr *src_addr, const struct sockaddr *dst_addr,
		    struct rdma_dev_addr *addr, unsigned long timeout_ms,
		    void (*callback)(int status, struct sockaddr *src_addr,
				     struct rdma_dev_addr *addr, void *context),
		    bool resolve_by_gid_attr, void *context)
{
	struct request *req;
	int ret;

	might_sleep();
	if (!resolve_by_gid_attr && !addr->net)
		return -EINVAL;
	req = addr_new_request(src_addr, dst_addr);
	if (IS_ERR(req))
		return PTR_ERR(req);
	req->dev_addr = addr;
	req->callback = callback;
	req->context = context;
	req->by_gid = resolve_by_gid_attr;
	req->seq = addr_new_seq();
	req->deadline = jiffies +
		msecs_to_jiffies(min_t(unsigned long, timeout_ms, INT_MAX));

	/* What can not be is told here, as callers expect. */
	ret = addr_attempt(req);
	if (ret && ret != -ENODATA) {
		kfree(req);
		return ret;
	}
	addr_submit(req);
	return 0;
}
OFED_EXPORT(rdma_resolve_ip);

/*
 * Number of a request that is in the worker's hand, or 0. A request that
 * another thread has cancelled counts too: its callback may still be running.
 */
static u32 addr_cancel_all_of(const struct rdma_dev_addr *addr)
{
	struct request *req;
	u32 busy = 0;

	spin_lock_bh(&requests_lock);
	list_for_each_entry(req, &requests, entry) {
		if (req->dev_addr != addr)
			continue;
		if (!req->cancelled)
			addr_kick(req, 0);
		req->cancelled = true;
		if (req->seq == in_hand && worker != current)
			busy = req->seq;
	}
	spin_unlock_bh(&requests_lock);
	return busy;
}

static bool addr_is_in_hand(u32 seq)
{
	bool busy;

	spin_lock_bh(&requests_lock);
	busy = in_hand == seq;
	spin_unlock_bh(&requests_lock);
	return busy;
}

/**
 * rdma_addr_cancel - cancel what rdma_resolve_ip() has begun
 * @addr: as given there
 *
 * The callback has returned, or will never be called, when this returns. From
 * inside the callback it does nothing. Without a request it does nothing.
 * Context: process, may sleep; without locks that the callback takes.
 */
void rdma_addr_cancel(struct rdma_dev_addr *addr)
{
	u32 busy;

	might_sleep();
	busy = addr_cancel_all_of(addr);
	if (busy)
		wait_event(laid_down, !addr_is_in_hand(busy));
}
OFED_EXPORT(rdma_addr_cancel);

static bool addr_waits_for(const struct request *req, const struct neighbour *neigh)
{
	const struct ofed_hop *hop = &req->hop;

	return hop->len && hop->dev == neigh->dev &&
	       hop->len == neigh->tbl->key_len &&
	       !memcmp(hop->key, neigh->primary_key, hop->len);
}

static int addr_resolve_on_netevent(struct notifier_block *self, unsigned long event,
				    void *ptr)
{
	const struct neighbour *neigh = ptr;
	struct request *req;

	if (event != NETEVENT_NEIGH_UPDATE ||
	    !(READ_ONCE(neigh->nud_state) & NUD_VALID))
		return NOTIFY_DONE;
	spin_lock_bh(&requests_lock);
	list_for_each_entry(req, &requests, entry)
		if (addr_waits_for(req, neigh))
			addr_kick(req, 0);
	spin_unlock_bh(&requests_lock);
	return NOTIFY_DONE;
}

static struct notifier_block netevent_notifier = {
	.notifier_call = addr_resolve_on_netevent,
};

/**
 * ofed_resolve_init - begin to take requests
 *
 * Return: 0 or an errno.
 */
int ofed_resolve_init(void)
{
	int ret;

	/* Storage that reconnects under memory pressure waits for it. */
	resolve_wq = alloc_ordered_workqueue("ofed-resolve", WQ_MEM_RECLAIM);
	if (!resolve_wq)
		return -ENOMEM;
	ret = register_netevent_notifier(&netevent_notifier);
	if (ret)
		destroy_workqueue(resolve_wq);
	return ret;
}

/**
 * ofed_resolve_exit - stop taking requests
 *
 * Only cancelled requests are left: all callers used symbols of this module.
 */
void ofed_resolve_exit(void)
{
	unregister_netevent_notifier(&netevent_notifier);
	destroy_workqueue(resolve_wq);
	WARN_ON(!list_empty(&requests));
}
