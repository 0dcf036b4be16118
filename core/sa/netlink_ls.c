// SPDX-License-Identifier: GPL-2.0
/*
 * Local services: the client RDMA_NL_LS of NETLINK_RDMA. A program such as
 * ibacm, which keeps a cache of paths, listens to the group RDMA_NL_GROUP_LS.
 * While one does, it is asked for a path first, and the SA only when it says no
 * or nothing for a while.
 *
 * Messages to the program have a family header, then attributes; its answers
 * have attributes only, and carry the number of the question.
 */
#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <net/netlink.h>
#include <ofed/refuse.h>
#include <rdma/ib_user_sa.h>
#include <rdma/rdma_netlink.h>

#include "../addr/netlink.h"
#include "../netlink/ls.h"
#include "priv.h"

/* How long a service may take, in milliseconds. */
#define TIMEOUT_MIN	100
#define TIMEOUT_DEFAULT	2000
#define TIMEOUT_MAX	200000

/* Both ways in one, or one path for each, and one for the CM. */
#define MAX_PATHS 3

#define PATH_ATTRS_ROOM (nla_total_size(sizeof(u64)) +			\
			 2 * nla_total_size(sizeof(union ib_gid)) +	\
			 nla_total_size(sizeof(u8)) +			\
			 2 * nla_total_size(sizeof(u16)))

/*
 * Guards everything below up to the work, and the ls_ members of queries; taken
 * in any context. ofed_sa_port_enter() is the only thing done inside.
 */
static DEFINE_SPINLOCK(ls_lock);
/*
 * Queries that a service was asked, the next one to give up first: all of them
 * wait equally long, and those that are cancelled go to the front.
 */
static LIST_HEAD(waiting);
static unsigned int timeout_ms = TIMEOUT_DEFAULT;
static u32 next_seq;

static void sa_give_up(struct work_struct *work);
static DECLARE_DELAYED_WORK(give_up_work, sa_give_up);
static struct workqueue_struct *ls_wq;

static int sa_put_gids(struct sk_buff *skb, const struct sa_path_rec *path,
		       ib_sa_comp_mask mask)
{
	int ret = 0;

	if (mask & IB_SA_PATH_REC_DGID)
		ret = ofed_ls_put(skb, LS_NLA_TYPE_DGID, sizeof(path->dgid),
				    &path->dgid);
	if (!ret && (mask & IB_SA_PATH_REC_SGID))
		ret = ofed_ls_put(skb, LS_NLA_TYPE_SGID, sizeof(path->sgid),
				    &path->sgid);
	return ret;
}

/* Numbers are in the order of the machine, unlike in the record. */
static int sa_put_numbers(struct sk_buff *skb, const struct sa_path_rec *path,
			  ib_sa_comp_mask mask)
{
	u64 service_id = be64_to_cpu(path->service_id);
	u16 qos_class = be16_to_cpu(path->qos_class);
	u16 pkey = be16_to_cpu(path->pkey);
	int ret = 0;

	if (mask & IB_SA_PATH_REC_SERVICE_ID)
		ret = ofed_ls_put(skb, LS_NLA_TYPE_SERVICE_ID,
				    sizeof(service_id), &service_id);
	if (!ret && (mask & IB_SA_PATH_REC_TRAFFIC_CLASS))
		ret = ofed_ls_put(skb, LS_NLA_TYPE_TCLASS, sizeof(u8),
				    &path->traffic_class);
	if (!ret && (mask & IB_SA_PATH_REC_PKEY))
		ret = ofed_ls_put(skb, LS_NLA_TYPE_PKEY, sizeof(pkey), &pkey);
	if (!ret && (mask & IB_SA_PATH_REC_QOS_CLASS))
		ret = ofed_ls_put(skb, LS_NLA_TYPE_QOS_CLASS,
				    sizeof(qos_class), &qos_class);
	return ret;
}

static int sa_fill_resolve(struct sk_buff *skb, struct ib_sa_query *query)
{
	ib_sa_comp_mask mask = ofed_sa_query_mask(query);
	struct rdma_ls_resolve_header *header;
	struct sa_path_rec path = {};
	struct nlmsghdr *nlh;
	int ret;

	ib_sa_unpack_path(ofed_sa_query_attr(query), &path);
	header = ibnl_put_msg(skb, &nlh, query->ls_seq, sizeof(*header),
			      RDMA_NL_LS, RDMA_NL_LS_OP_RESOLVE, NLM_F_REQUEST);
	if (!header)
		return -EMSGSIZE;
	strscpy_pad(header->device_name, query->port->agent->device->name,
		    sizeof(header->device_name));
	header->port_num = query->port->port_num;
	header->path_use = query->ls_path_use;

	ret = sa_put_gids(skb, &path, mask) ?: sa_put_numbers(skb, &path, mask);
	if (!ret)
		nlmsg_end(skb, nlh);
	return ret;
}

static u8 sa_path_use_of(struct ib_sa_query *query)
{
	struct sa_path_rec path = {};

	ib_sa_unpack_path(ofed_sa_query_attr(query), &path);
	if ((ofed_sa_query_mask(query) & IB_SA_PATH_REC_REVERSIBLE) &&
	    path.reversible)
		return LS_RESOLVE_PATH_USE_ALL;
	return LS_RESOLVE_PATH_USE_UNIDIRECTIONAL;
}

static void sa_wait_for_service(struct ib_sa_query *query)
{
	unsigned long flags, delay;

	spin_lock_irqsave(&ls_lock, flags);
	delay = msecs_to_jiffies(timeout_ms);
	query->ls_deadline = jiffies + delay;
	list_add_tail(&query->ls_link, &waiting);
	/* No effect while it waits for an older query. */
	queue_delayed_work(ls_wq, &give_up_work, delay);
	spin_unlock_irqrestore(&ls_lock, flags);
}

/* Take a query back. Return: false when another thread has its turn. */
static bool sa_stop_waiting(struct ib_sa_query *query)
{
	unsigned long flags;
	bool mine;

	spin_lock_irqsave(&ls_lock, flags);
	mine = !list_empty(&query->ls_link);
	list_del_init(&query->ls_link);
	spin_unlock_irqrestore(&ls_lock, flags);
	return mine;
}

static u32 sa_new_seq(void)
{
	unsigned long flags;
	u32 seq;

	spin_lock_irqsave(&ls_lock, flags);
	seq = next_seq++;
	spin_unlock_irqrestore(&ls_lock, flags);
	return seq;
}

/**
 * ofed_ls_start - ask a local service for a path
 * @query: complete, with an id
 * @gfp_mask: how to allocate
 *
 * Context: inside the port. Return: true if the query has been taken over; false
 * if no service listens, or there is no memory: the SA is to be asked.
 */
bool ofed_ls_start(struct ib_sa_query *query, gfp_t gfp_mask)
{
	struct sk_buff *skb;
	bool back;

	if (!rdma_nl_chk_listeners(RDMA_NL_GROUP_LS))
		return false;
	skb = nlmsg_new(NLMSG_ALIGN(sizeof(struct rdma_ls_resolve_header)) +
			PATH_ATTRS_ROOM, gfp_mask);
	if (!skb)
		return false;
	query->ls_seq = sa_new_seq();
	query->ls_path_use = sa_path_use_of(query);
	if (sa_fill_resolve(skb, query)) {
		nlmsg_free(skb);
		return false;
	}

	/* The answer may come at once; the query may then be gone. */
	kref_get(&query->refs);
	sa_wait_for_service(query);
	back = rdma_nl_multicast(&init_net, skb, RDMA_NL_GROUP_LS, gfp_mask) &&
	       sa_stop_waiting(query);
	ofed_sa_query_drop(query);
	return !back;
}

/**
 * ofed_ls_cancel - end the wait for a local service
 * @query: cancelled
 *
 * The query ends soon, in the worker: the caller may hold locks that its
 * callback takes. Context: any. Return: false if it does not wait.
 */
bool ofed_ls_cancel(struct ib_sa_query *query)
{
	unsigned long flags;
	bool found;

	spin_lock_irqsave(&ls_lock, flags);
	found = !list_empty(&query->ls_link);
	if (found) {
		query->ls_deadline = jiffies;
		list_move(&query->ls_link, &waiting);
		mod_delayed_work(ls_wq, &give_up_work, 0);
	}
	spin_unlock_irqrestore(&ls_lock, flags);
	return found;
}

/* The caller has the turn, and is inside the port. */
static void sa_ask_the_sa(struct ib_sa_query *query)
{
	if (READ_ONCE(query->cancelled))
		ofed_sa_query_done(query, -EINTR);
	else if (ofed_sa_query_post(query))
		ofed_sa_query_done(query, -EIO);
}

/*
 * The first query that has waited long enough. Those of a port that is going
 * are left to ofed_ls_flush(), which finds them in the list.
 */
static struct ib_sa_query *sa_take_overdue(void)
{
	struct ib_sa_query *query, *found = NULL;
	unsigned long now = jiffies;

	spin_lock_irq(&ls_lock);
	list_for_each_entry(query, &waiting, ls_link) {
		if (time_after(query->ls_deadline, now)) {
			mod_delayed_work(ls_wq, &give_up_work,
					 query->ls_deadline - now);
			break;
		}
		if (ofed_sa_port_enter(query->port)) {
			found = query;
			list_del_init(&query->ls_link);
			break;
		}
	}
	spin_unlock_irq(&ls_lock);
	return found;
}

static void sa_give_up(struct work_struct *work)
{
	struct ib_sa_query *query;
	struct sa_port *port;

	while ((query = sa_take_overdue())) {
		port = query->port;
		sa_ask_the_sa(query);
		ofed_sa_port_leave(port);
	}
}

static struct ib_sa_query *sa_take_of_port(const struct sa_port *port)
{
	struct ib_sa_query *query, *found = NULL;

	spin_lock_irq(&ls_lock);
	list_for_each_entry(query, &waiting, ls_link)
		if (query->port == port) {
			found = query;
			list_del_init(&query->ls_link);
			break;
		}
	spin_unlock_irq(&ls_lock);
	return found;
}

/**
 * ofed_ls_flush - end all waiting queries of a port
 * @port: closed to new users, and without users
 *
 * Context: process.
 */
void ofed_ls_flush(struct sa_port *port)
{
	struct ib_sa_query *query;

	while ((query = sa_take_of_port(port)))
		ofed_sa_query_done(query, -EINTR);
}

static struct ib_sa_query *sa_take_by_seq(u32 seq)
{
	struct ib_sa_query *query, *found = NULL;

	spin_lock_irq(&ls_lock);
	list_for_each_entry(query, &waiting, ls_link)
		if (query->ls_seq == seq) {
			if (ofed_sa_port_enter(query->port)) {
				found = query;
				list_del_init(&query->ls_link);
			}
			break;
		}
	spin_unlock_irq(&ls_lock);
	return found;
}

/* Return: how many of the paths in an answer are such as were asked for. */
static unsigned int sa_find_paths(const struct nlmsghdr *nlh, u8 path_use,
				  struct sa_path_rec *paths)
{
	u32 wanted = path_use == LS_RESOLVE_PATH_USE_UNIDIRECTIONAL ?
		     IB_PATH_PRIMARY | IB_PATH_OUTBOUND : IB_PATH_PRIMARY;
	struct ib_path_rec_data data;
	const struct nlattr *attr;
	unsigned int count = 0;
	int left;

	nla_for_each_attr(attr, nlmsg_data(nlh), nlmsg_len(nlh), left) {
		if (!ofed_ls_is_attr(attr, LS_NLA_TYPE_PATH_RECORD, sizeof(data)))
			continue;
		memcpy(&data, nla_data(attr), sizeof(data));
		if ((data.flags & wanted) != wanted)
			continue;
		memset(&paths[count], 0, sizeof(paths[count]));
		ib_sa_unpack_path(data.path_rec, &paths[count]);
		paths[count].flags = data.flags;
		if (++count == MAX_PATHS ||
		    path_use == LS_RESOLVE_PATH_USE_UNIDIRECTIONAL)
			break;
	}
	return count;
}

static int sa_got_paths(struct sk_buff *skb, struct nlmsghdr *nlh,
			struct netlink_ext_ack *extack)
{
	struct sa_path_rec paths[MAX_PATHS];
	struct ib_sa_query *query;
	unsigned int count = 0;
	struct sa_port *port;

	if (!ofed_ls_is_answer(skb, nlh))
		return ofed_refuse_call(-EPERM,
					"ib_sa: paths from a socket that may not answer");
	query = sa_take_by_seq(nlh->nlmsg_seq);
	/* Too late, or an answer to nothing. */
	if (!query)
		return 0;

	port = query->port;
	if (!(nlh->nlmsg_flags & RDMA_NL_LS_F_ERR))
		count = sa_find_paths(nlh, query->ls_path_use, paths);
	if (count) {
		query->answered = true;
		query->local(query, paths, count);
		ofed_sa_query_done(query, 0);
	} else {
		sa_ask_the_sa(query);
	}
	ofed_sa_port_leave(port);
	return 0;
}

/* All waiting queries get the difference, so that their order holds. */
static void sa_change_timeout(unsigned int new_ms)
{
	struct ib_sa_query *query;
	long delta;

	spin_lock_irq(&ls_lock);
	delta = (long)msecs_to_jiffies(new_ms) -
		(long)msecs_to_jiffies(timeout_ms);
	timeout_ms = new_ms;
	list_for_each_entry(query, &waiting, ls_link)
		if (!READ_ONCE(query->cancelled))
			query->ls_deadline += delta;
	/* The worker finds out how long it may sleep. */
	if (!list_empty(&waiting))
		mod_delayed_work(ls_wq, &give_up_work, 0);
	spin_unlock_irq(&ls_lock);
}

static int sa_set_timeout(struct sk_buff *skb, struct nlmsghdr *nlh,
			  struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;
	int left;

	if (!(nlh->nlmsg_flags & NLM_F_REQUEST) || !NETLINK_CB(skb).sk)
		return ofed_refuse_call(-EPERM,
					"ib_sa: a timeout that is no request");
	nla_for_each_attr(attr, nlmsg_data(nlh), nlmsg_len(nlh), left)
		if (ofed_ls_is_attr(attr, LS_NLA_TYPE_TIMEOUT, sizeof(u32))) {
			sa_change_timeout(clamp_t(u32, nla_get_u32(attr),
						  TIMEOUT_MIN, TIMEOUT_MAX));
			return 0;
		}
	return ofed_refuse_call(-EINVAL,
				"ib_sa: a timeout without its attribute");
}

static const struct rdma_nl_cbs ls_ops[RDMA_NL_LS_NUM_OPS] = {
	[RDMA_NL_LS_OP_RESOLVE]	    = { sa_got_paths, NULL, RDMA_NL_ADMIN_PERM },
	[RDMA_NL_LS_OP_SET_TIMEOUT] = { sa_set_timeout, NULL, RDMA_NL_ADMIN_PERM },
	[RDMA_NL_LS_OP_IP_RESOLVE]  = { ofed_ls_ip_answered, NULL, RDMA_NL_ADMIN_PERM },
};

/**
 * ofed_ls_init - begin to listen to local services
 *
 * Return: 0 or -ENOMEM.
 */
int ofed_ls_init(void)
{
	/* What waits may be a path to a disk with the swap on it. */
	ls_wq = alloc_ordered_workqueue("ofed_sa_ls", WQ_MEM_RECLAIM);
	if (!ls_wq)
		return -ENOMEM;
	rdma_nl_register(RDMA_NL_LS, ls_ops);
	return 0;
}

/**
 * ofed_ls_exit - no more local services
 *
 * No port, thus no query, is left.
 */
void ofed_ls_exit(void)
{
	rdma_nl_unregister(RDMA_NL_LS);
	cancel_delayed_work_sync(&give_up_work);
	destroy_workqueue(ls_wq);
}
