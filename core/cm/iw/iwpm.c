// SPDX-License-Identifier: GPL-2.0
/*
 * The conversation with the iWARP port mapper.
 *
 * The daemon sends a greeting when it starts (HELLO, or MAPINFO alone before
 * version 4 of the interface), which tells its port id. It serves only clients
 * that have registered, so the first question of all is REG_PID; it goes to the
 * multicast group, and so finds a daemon that sent its greeting before this
 * module was loaded, too. An empty group means that there is no daemon until
 * one greets.
 *
 * A thread that asks waits for the answer, which arrives in the daemon's
 * context. All lives in init_net. Answers need CAP_NET_ADMIN: they decide where
 * connections go.
 */
#include <kunit/visibility.h>
#include <linux/completion.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/skbuff.h>
#include <net/net_namespace.h>
#include <net/netlink.h>
#include <rdma/ib_verbs.h>

#include "iwcm_id.h"
#include "iwpm.h"

#define REPLY_TIMEOUT (10 * HZ)
/* What the daemon's buffer has room for, and what one mapping takes of it. */
#define MAPINFO_BYTES 4096
#define MAPINFO_ONE NLMSG_ALIGN(nlmsg_msg_size( \
	2 * nla_total_size(sizeof(struct sockaddr_storage)) + \
	nla_total_size(sizeof(u32))))

/**
 * struct iwpm_req - a request to the daemon
 * @entry: in questions
 * @seq: its number
 * @op: RDMA_NL_IWPM_*
 * @done: there is a reply
 * @msg: the reply
 */
struct iwpm_req {
	struct list_head entry;
	u32 seq;
	unsigned int op;
	struct completion done;
	struct ofed_iw_pm_msg msg;
};

/*
 * Guards all below, and the replies to the requests in the list. Not held
 * while a thread waits for a reply. map_lock of iwpm_map.c is not taken
 * inside.
 */
static DEFINE_MUTEX(pm_lock);
VISIBLE_IF_KUNIT enum iwpm_daemon iwpm_daemon_state;
VISIBLE_IF_KUNIT u32 iwpm_daemon_port;
static u16 daemon_version = IWPM_UABI_VERSION_MIN;
static LIST_HEAD(requests);
static u32 last_seq;

static void iwpm_request_begin(struct iwpm_req *req, unsigned int op)
{
	req->op = op;
	init_completion(&req->done);
	mutex_lock(&pm_lock);
	/* The daemon takes an error about number 0 for one about its HELLO. */
	last_seq += last_seq == U32_MAX ? 2 : 1;
	req->seq = last_seq;
	list_add_tail(&req->entry, &requests);
	mutex_unlock(&pm_lock);
}

/* Wait for the reply, unless the request was not sent. */
static int iwpm_request_end(struct iwpm_req *req, int ret)
{
	long left = 0;

	if (!ret)
		left = wait_for_completion_killable_timeout(&req->done,
							    REPLY_TIMEOUT);
	mutex_lock(&pm_lock);
	list_del(&req->entry);
	mutex_unlock(&pm_lock);
	if (ret)
		return ret;
	if (left <= 0)
		return left ? -EINTR : -ETIMEDOUT;
	return req->msg.err ? -EREMOTEIO : 0;
}

static bool iwpm_fits(const struct iwpm_req *req, unsigned int op, u32 seq)
{
	return req->seq == seq &&
	       (req->op == op || op == RDMA_NL_IWPM_HANDLE_ERR);
}

static void iwpm_complete_request(unsigned int op, const struct ofed_iw_pm_msg *msg)
{
	struct iwpm_req *req;

	lockdep_assert_held(&pm_lock);
	list_for_each_entry(req, &requests, entry) {
		/* A second reply to a request would come too late. */
		if (!iwpm_fits(req, op, msg->seq) ||
		    completion_done(&req->done))
			continue;
		req->msg = *msg;
		if (op == RDMA_NL_IWPM_HANDLE_ERR && !msg->err)
			req->msg.err = IWPM_INVALID_NLMSG_ERR;
		complete(&req->done);
		return;
	}
}

static int iwpm_send_to_daemon(struct sk_buff *skb, u32 port)
{
	int ret;

	if (!skb)
		return -ENOMEM;
	ret = rdma_nl_unicast(&init_net, skb, port);
	if (ret != -ECONNREFUSED)
		return ret;
	/* That daemon is gone. A new one needs another registration. */
	mutex_lock(&pm_lock);
	if (iwpm_daemon_port == port)
		iwpm_daemon_state = IWPM_DAEMON_UNKNOWN;
	mutex_unlock(&pm_lock);
	return ret;
}

/* The group is empty, as far as this question goes. */
static void iwpm_note_absence(void)
{
	mutex_lock(&pm_lock);
	if (iwpm_daemon_state == IWPM_DAEMON_UNKNOWN)
		iwpm_daemon_state = IWPM_DAEMON_ABSENT;
	mutex_unlock(&pm_lock);
}

static int iwpm_request_pid(const char *dev_name, const char *if_name)
{
	struct iwpm_req req = {};
	struct sk_buff *skb;
	int ret = -ENOMEM;

	iwpm_request_begin(&req, RDMA_NL_IWPM_REG_PID);
	skb = ofed_iw_pm_build_reg_pid(req.seq, dev_name, if_name);
	if (skb)
		ret = rdma_nl_multicast(&init_net, skb, RDMA_NL_GROUP_IWPM,
					GFP_KERNEL);
	if (ret == -ESRCH)
		iwpm_note_absence();
	return iwpm_request_end(&req, ret);
}

/* Return: 0 when there is a daemon with this client registered. */
static int iwpm_find_daemon(const char *dev_name, const char *if_name)
{
	enum iwpm_daemon state;

	mutex_lock(&pm_lock);
	state = iwpm_daemon_state;
	mutex_unlock(&pm_lock);
	if (state == IWPM_DAEMON_REGISTERED)
		return 0;
	return state == IWPM_DAEMON_ABSENT ? -ESRCH : iwpm_request_pid(dev_name, if_name);
}

static bool iwpm_has_flags(void)
{
	return READ_ONCE(daemon_version) > IWPM_UABI_VERSION_MIN;
}

static int iwpm_request_mapping(unsigned int op, const struct iw_cm_id *cm_id, u32 flags,
				struct ofed_iw_pm_msg *msg)
{
	struct iwpm_req req = {};
	struct sk_buff *skb;
	int ret;

	/* It would map what must not be mapped. */
	if (flags && !iwpm_has_flags())
		return -EOPNOTSUPP;
	iwpm_request_begin(&req, op);
	skb = ofed_iw_pm_build_mapping(op, req.seq, &cm_id->local_addr,
				       &cm_id->remote_addr,
				       iwpm_has_flags() ? &flags : NULL);
	ret = iwpm_send_to_daemon(skb, READ_ONCE(iwpm_daemon_port));
	ret = iwpm_request_end(&req, ret);
	*msg = req.msg;
	return ret;
}

/* The daemon's addresses are of the kind that was asked for, or not used. */
static void iwpm_use_mapping(struct iw_cm_id *cm_id, bool active,
			     const struct ofed_iw_pm_msg *msg)
{
	if (msg->mapped_local.ss_family != cm_id->local_addr.ss_family)
		return;
	if (active && msg->mapped_remote.ss_family !=
		      cm_id->remote_addr.ss_family)
		return;
	cm_id->m_local_addr = msg->mapped_local;
	if (active)
		cm_id->m_remote_addr = msg->mapped_remote;
}

static void iwpm_notify_removed(const struct sockaddr_storage *local)
{
	u32 port = 0;

	mutex_lock(&pm_lock);
	if (iwpm_daemon_state >= IWPM_DAEMON_PRESENT)
		port = iwpm_daemon_port;
	mutex_unlock(&pm_lock);
	/* No thread waits for an answer, and the daemon sends none. */
	if (port)
		iwpm_send_to_daemon(ofed_iw_pm_build_mapping(RDMA_NL_IWPM_REMOVE_MAPPING,
							     0, local, NULL, NULL),
				    port);
}

/* Contract: iwpm.h */
int ofed_iw_pm_map(struct iw_id *id, bool active)
{
	struct iw_cm_id *cm_id = &id->id;
	const char *netdev = cm_id->device->iw_ifname;
	const u32 flags = cm_id->device->iw_driver_flags & IW_F_NO_PORT_MAP ?
			  IWPM_FLAGS_NO_PORT_MAP : 0;
	char ibdev[IB_DEVICE_NAME_MAX];
	struct ofed_iw_pm_msg msg;

	/* It may be renamed meanwhile. */
	strscpy(ibdev, cm_id->device->name, sizeof(ibdev));
	/* Of an earlier connection. */
	ofed_iw_pm_unmap(id);
	if (strlen(ibdev) >= IWPM_DEVNAME_SIZE ||
	    strnlen(netdev, IFNAMSIZ) >= IWPM_IFNAME_SIZE)
		return -EINVAL;
	cm_id->m_local_addr = cm_id->local_addr;
	cm_id->m_remote_addr = cm_id->remote_addr;
	if (iwpm_find_daemon(ibdev, netdev))
		return 0;

	if (!iwpm_request_mapping(active ? RDMA_NL_IWPM_QUERY_MAPPING :
				  RDMA_NL_IWPM_ADD_MAPPING,
				  cm_id, flags, &msg))
		iwpm_use_mapping(cm_id, active, &msg);
	id->mapping = ofed_iw_pm_map_add(&cm_id->local_addr,
					 &cm_id->m_local_addr, flags);
	if (!id->mapping) {
		iwpm_notify_removed(&cm_id->local_addr);
		return -ENOMEM;
	}
	cm_id->mapped = true;
	return 0;
}

/* Contract: iwpm.h */
void ofed_iw_pm_unmap(struct iw_id *id)
{
	struct ofed_iw_mapping *mapping = xchg(&id->mapping, NULL);

	if (!mapping)
		return;
	id->id.mapped = false;
	iwpm_notify_removed(&mapping->local);
	ofed_iw_pm_map_remove(mapping);
}

/**
 * struct dump - mappings on their way to the daemon
 * @port: the daemon
 * @flags: it knows flags
 * @skb: message that is being filled, or NULL
 * @sent: mappings so far
 */
struct dump {
	u32 port;
	bool flags;
	struct sk_buff *skb;
	u32 sent;
};

static int iwpm_dump_flush(struct dump *dump)
{
	struct sk_buff *skb = dump->skb;

	dump->skb = NULL;
	/* The daemon itself runs this: waiting for room would be in vain. */
	return skb ? rdma_nl_unicast(&init_net, skb, dump->port) : 0;
}

static int iwpm_dump_one(const struct ofed_iw_mapping *mapping, void *arg)
{
	struct dump *dump = arg;
	int ret;

	/* An skb may have more room than was asked for. */
	if (dump->skb && dump->skb->len + MAPINFO_ONE > MAPINFO_BYTES) {
		ret = iwpm_dump_flush(dump);
		if (ret)
			return ret;
	}
	if (!dump->skb)
		dump->skb = alloc_skb(MAPINFO_BYTES, GFP_KERNEL);
	if (!dump->skb)
		return -ENOMEM;
	ret = ofed_iw_pm_put_mapinfo(dump->skb, &mapping->local,
				     &mapping->mapped,
				     dump->flags ? &mapping->flags : NULL);
	if (!ret)
		dump->sent++;
	return ret;
}

static int iwpm_dump_mappings(u32 port)
{
	struct dump dump = { .port = port, .flags = iwpm_has_flags() };
	struct sk_buff *skb;
	int ret;

	ret = ofed_iw_pm_map_walk(iwpm_dump_one, &dump);
	if (ret) {
		kfree_skb(dump.skb);
		return ret;
	}
	ret = iwpm_dump_flush(&dump);
	if (ret || !dump.sent)
		return ret;
	skb = ofed_iw_pm_build_mapinfo_num(0, dump.sent);
	return skb ? rdma_nl_unicast(&init_net, skb, port) : -ENOMEM;
}

/* A daemon that has just started: its peers' announcements are history. */
static int iwpm_greeted(u32 port, u16 version)
{
	if (version < IWPM_UABI_VERSION_MIN)
		return -EINVAL;
	mutex_lock(&pm_lock);
	daemon_version = min_t(u16, version, IWPM_UABI_VERSION);
	iwpm_daemon_port = port;
	iwpm_daemon_state = IWPM_DAEMON_PRESENT;
	mutex_unlock(&pm_lock);
	ofed_iw_pm_remote_forget();
	return 0;
}

static int iwpm_on_hello(u32 port, const struct ofed_iw_pm_msg *msg)
{
	struct sk_buff *skb;
	int ret;

	ret = iwpm_greeted(port, msg->version);
	if (ret)
		return ret;
	skb = ofed_iw_pm_build_hello(READ_ONCE(daemon_version));
	return skb ? rdma_nl_unicast(&init_net, skb, port) : -ENOMEM;
}

static int iwpm_on_mapinfo(u32 port, const struct ofed_iw_pm_msg *msg)
{
	return iwpm_greeted(port, msg->version) ?: iwpm_dump_mappings(port);
}

static int iwpm_on_registered(u32 port, const struct ofed_iw_pm_msg *msg)
{
	if (msg->version < IWPM_UABI_VERSION_MIN ||
	    msg->version > IWPM_UABI_VERSION)
		return -EINVAL;
	mutex_lock(&pm_lock);
	if (!msg->err) {
		daemon_version = msg->version;
		iwpm_daemon_port = port;
		iwpm_daemon_state = IWPM_DAEMON_REGISTERED;
	}
	iwpm_complete_request(RDMA_NL_IWPM_REG_PID, msg);
	mutex_unlock(&pm_lock);
	return 0;
}

static int iwpm_on_reply(unsigned int op, u32 port,
			 const struct ofed_iw_pm_msg *msg)
{
	mutex_lock(&pm_lock);
	/* That of a daemon that another has followed is void. */
	if (iwpm_daemon_port == port || op == RDMA_NL_IWPM_HANDLE_ERR)
		iwpm_complete_request(op, msg);
	mutex_unlock(&pm_lock);
	return 0;
}

static int iwpm_on_remote_info(const struct ofed_iw_pm_msg *msg)
{
	return ofed_iw_pm_remote_add(&msg->mapped_local,
				     &msg->mapped_remote, &msg->remote);
}

/*
 * All that the daemon sends comes as a dump that has nothing to show. Called in
 * the daemon's own context.
 */
static int iwpm_on_message(struct sk_buff *skb, struct netlink_callback *cb)
{
	const unsigned int op = RDMA_NL_GET_OP(cb->nlh->nlmsg_type);
	const u32 port = NETLINK_CB(cb->skb).portid;
	struct ofed_iw_pm_msg msg;
	int ret;

	ret = ofed_iw_pm_parse(cb->nlh, &msg);
	if (ret)
		return ret;
	switch (op) {
	case RDMA_NL_IWPM_HELLO:
		return iwpm_on_hello(port, &msg);
	case RDMA_NL_IWPM_MAPINFO:
		return iwpm_on_mapinfo(port, &msg);
	case RDMA_NL_IWPM_REG_PID:
		return iwpm_on_registered(port, &msg);
	case RDMA_NL_IWPM_REMOTE_INFO:
		return iwpm_on_remote_info(&msg);
	case RDMA_NL_IWPM_MAPINFO_NUM:
		/* What the daemon has taken is its own business. */
		return 0;
	default:
		return iwpm_on_reply(op, port, &msg);
	}
}

#define FROM_DAEMON { .dump = iwpm_on_message, .flags = RDMA_NL_ADMIN_PERM }

static const struct rdma_nl_cbs callbacks[RDMA_NL_IWPM_NUM_OPS] = {
	[RDMA_NL_IWPM_REG_PID]		= FROM_DAEMON,
	[RDMA_NL_IWPM_ADD_MAPPING]	= FROM_DAEMON,
	[RDMA_NL_IWPM_QUERY_MAPPING]	= FROM_DAEMON,
	[RDMA_NL_IWPM_REMOTE_INFO]	= FROM_DAEMON,
	[RDMA_NL_IWPM_HANDLE_ERR]	= FROM_DAEMON,
	[RDMA_NL_IWPM_MAPINFO]		= FROM_DAEMON,
	[RDMA_NL_IWPM_MAPINFO_NUM]	= FROM_DAEMON,
	[RDMA_NL_IWPM_HELLO]		= FROM_DAEMON,
};

/**
 * ofed_iw_pm_init - begin to hear the daemon
 *
 * Return: 0.
 */
int ofed_iw_pm_init(void)
{
	rdma_nl_register(RDMA_NL_IWCM, callbacks);
	return 0;
}

/**
 * ofed_iw_pm_exit - stop receiving from the daemon
 *
 * All ids have been destroyed, so no question is open and nothing is mapped.
 */
void ofed_iw_pm_exit(void)
{
	rdma_nl_unregister(RDMA_NL_IWCM);
	ofed_iw_pm_remote_forget();
}
