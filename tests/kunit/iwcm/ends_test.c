// SPDX-License-Identifier: GPL-2.0
/*
 * Ids of the iWARP CM, with a driver and a port mapper that are played. Where a call is to be
 * overtaken by another, the one that is played waits until the test, or the other, has come;
 * never for ever.
 */
#include <net/netlink.h>

#include "core/cm/iw/iwcm.h"
#include "core/cm/iw/iwcm_id.h"
#include "core/cm/iw/iwpm.h"
#include "suites.h"

#define NOT_FOR_EVER (30 * HZ)

/*
 * @create: what iw_create_listen() returns
 * @entered, @go_on: it waits between the two, if @waits
 * @created, @destroyed, @rejected: calls so far
 * @removals: mappings that the daemon was told to forget
 * @first, @second: the first and second of these; the first waits for the second
 * @atomic: a reference of the QP was put where it was not allowed to sleep
 * @overtaken: the client destroys an id while it is rejected
 * @refs: of that id then
 */
static struct {
	struct ib_device device;
	struct ib_qp qp;
	atomic_t qp_refs;
	int create;
	bool waits;
	struct completion entered;
	struct completion go_on;
	int created;
	int destroyed;
	int rejected;
	atomic_t removals;
	struct completion first;
	struct completion second;
	bool atomic;
	bool overtaken;
	unsigned int refs;
} driver;

/* What the client was told, and what it returns. */
static struct {
	int events;
	int ret;
	struct iw_cm_id *request;
} client;

static int driver_listen(struct iw_cm_id *cm_id, int backlog)
{
	if (driver.waits) {
		complete(&driver.entered);
		wait_for_completion_timeout(&driver.go_on, NOT_FOR_EVER);
	}
	WRITE_ONCE(driver.created, driver.created + 1);
	return driver.create;
}

static int driver_unlisten(struct iw_cm_id *cm_id)
{
	WRITE_ONCE(driver.destroyed, driver.destroyed + 1);
	return 0;
}

static int driver_reject(struct iw_cm_id *cm_id, const void *data, u8 len)
{
	driver.rejected++;
	if (driver.overtaken) {
		driver.overtaken = false;
		iw_destroy_cm_id(cm_id);
		driver.refs = refcount_read(&to_iw_id(cm_id)->refs);
	}
	return 0;
}

static int report(struct iw_cm_id *cm_id, enum iw_cm_event_type type,
		  int status)
{
	struct iw_cm_event event = { .event = type, .status = status };

	return cm_id->event_handler(cm_id, &event);
}

/* Reports that it failed, and when the client has heard of it returns so. */
static int driver_connect(struct iw_cm_id *cm_id,
			  struct iw_cm_conn_param *param)
{
	report(cm_id, IW_CM_EVENT_CONNECT_REPLY, -ECONNREFUSED);
	wait_for_completion_timeout(&driver.first, NOT_FOR_EVER);
	return -ECONNREFUSED;
}

static struct ib_qp *driver_get_qp(struct ib_device *device, int qpn)
{
	return qpn == 1 ? &driver.qp : NULL;
}

static void driver_add_ref(struct ib_qp *qp)
{
	atomic_inc(&driver.qp_refs);
}

static void driver_rem_ref(struct ib_qp *qp)
{
	driver.atomic |= irqs_disabled();
	atomic_dec(&driver.qp_refs);
}

int rdma_nl_multicast(struct net *net, struct sk_buff *skb, unsigned int group,
		      gfp_t flags)
{
	kfree_skb(skb);
	return -ESRCH;
}

int rdma_nl_unicast(struct net *net, struct sk_buff *skb, u32 pid)
{
	bool removal = RDMA_NL_GET_OP(nlmsg_hdr(skb)->nlmsg_type) ==
		       RDMA_NL_IWPM_REMOVE_MAPPING;

	kfree_skb(skb);
	/* No mapper answers: addresses stay what they are, but are mapped. */
	if (!removal)
		return -ENOBUFS;
	if (atomic_inc_return(&driver.removals) == 1) {
		complete(&driver.first);
		wait_for_completion_timeout(&driver.second, NOT_FOR_EVER);
	} else {
		complete(&driver.second);
	}
	return 0;
}

static int client_handler(struct iw_cm_id *cm_id, struct iw_cm_event *event)
{
	client.events++;
	if (event->event == IW_CM_EVENT_CONNECT_REQUEST)
		client.request = cm_id;
	return client.ret;
}

static int played_init(struct kunit *test)
{
	struct ib_device_ops *ops = &driver.device.ops;

	memset(&driver, 0, sizeof(driver));
	memset(&client, 0, sizeof(client));
	init_completion(&driver.entered);
	init_completion(&driver.go_on);
	init_completion(&driver.first);
	init_completion(&driver.second);
	driver.device.dev.init_name = "iw0";
	ops->iw_create_listen = driver_listen;
	ops->iw_destroy_listen = driver_unlisten;
	ops->iw_reject = driver_reject;
	ops->iw_connect = driver_connect;
	ops->iw_get_qp = driver_get_qp;
	ops->iw_add_ref = driver_add_ref;
	ops->iw_rem_ref = driver_rem_ref;
	/* One that serves us, and does not answer. */
	iwpm_daemon_state = IWPM_DAEMON_REGISTERED;
	iwpm_daemon_port = 1;
	return ofed_iw_events_init();
}

static int unmapped(const struct ofed_iw_mapping *mapping, void *arg)
{
	return -EBUSY;
}

static void played_exit(struct kunit *test)
{
	ofed_iw_events_exit();
	iwpm_daemon_state = IWPM_DAEMON_UNKNOWN;
	KUNIT_EXPECT_EQ(test, atomic_read(&driver.qp_refs), 0);
	KUNIT_EXPECT_EQ(test, ofed_iw_pm_map_walk(unmapped, NULL), 0);
}

static struct iw_cm_id *client_id(struct kunit *test)
{
	struct iw_cm_id *cm_id = iw_create_cm_id(&driver.device, client_handler,
						 NULL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, cm_id);
	cm_id->local_addr.ss_family = AF_INET;
	cm_id->remote_addr.ss_family = AF_INET;
	return cm_id;
}

/* A call that is made while another is under way. */
struct call {
	struct work_struct work;
	struct iw_cm_id *cm_id;
	int ret;
	bool done;
};

static void call_listen(struct work_struct *work)
{
	struct call *call = container_of(work, struct call, work);

	call->ret = iw_cm_listen(call->cm_id, 1);
}

static void call_destroy(struct work_struct *work)
{
	struct call *call = container_of(work, struct call, work);

	iw_destroy_cm_id(call->cm_id);
	WRITE_ONCE(call->done, true);
}

/* @created: what the driver says; @ret: what the caller gets */
static void destroy_meanwhile(struct kunit *test, int created, int ret)
{
	struct iw_cm_id *cm_id = client_id(test);
	struct call listen = { .cm_id = cm_id }, destroy = { .cm_id = cm_id };

	driver.waits = true;
	driver.create = created;
	/* No other context removes the mapping. */
	complete(&driver.second);
	INIT_WORK_ONSTACK(&listen.work, call_listen);
	INIT_WORK_ONSTACK(&destroy.work, call_destroy);
	queue_work(system_unbound_wq, &listen.work);
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&driver.entered,
							  NOT_FOR_EVER), 0ul);
	queue_work(system_unbound_wq, &destroy.work);
	msleep(100);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(destroy.done));
	KUNIT_EXPECT_EQ(test, READ_ONCE(driver.destroyed), 0);
	KUNIT_EXPECT_EQ(test, READ_ONCE(driver.created), 0);

	complete(&driver.go_on);
	flush_work(&listen.work);
	flush_work(&destroy.work);
	destroy_work_on_stack(&listen.work);
	destroy_work_on_stack(&destroy.work);
	KUNIT_EXPECT_EQ(test, listen.ret, ret);
	KUNIT_EXPECT_TRUE(test, destroy.done);
	KUNIT_EXPECT_EQ(test, driver.created, 1);
	/* The driver is not told to take down what it has not made. */
	KUNIT_EXPECT_EQ(test, driver.destroyed, created ? 0 : 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&driver.removals), 1);
}

static void listen_destroy_test(struct kunit *test)
{
	destroy_meanwhile(test, 0, 0);
}

static void listen_fails_test(struct kunit *test)
{
	destroy_meanwhile(test, -EADDRINUSE, -EADDRINUSE);
}

/*
 * A listener is no id to connect with; the request that waits for its client
 * is not lost by the attempt.
 */
static void busy_connect_test(struct kunit *test)
{
	struct iw_cm_conn_param param = { .qpn = 1 };
	struct iw_cm_id *cm_id = client_id(test);
	struct iw_id *id = to_iw_id(cm_id);

	complete(&driver.second);
	KUNIT_ASSERT_EQ(test, iw_cm_listen(cm_id, 1), 0);
	/* As if the queue were busy: the work comes when it is queued below. */
	ofed_iw_id_get(id);
	id->queued = true;
	KUNIT_EXPECT_EQ(test, report(cm_id, IW_CM_EVENT_CONNECT_REQUEST, 0), 0);
	KUNIT_EXPECT_EQ(test, iw_cm_connect(cm_id, &param), -EINVAL);
	KUNIT_EXPECT_EQ(test, driver.rejected, 0);
	queue_work(iw_wq, &id->work);
	flush_workqueue(iw_wq);
	KUNIT_EXPECT_EQ(test, client.events, 1);
	KUNIT_EXPECT_EQ(test, driver.rejected, 0);
	if (client.request)
		iw_destroy_cm_id(client.request);
	KUNIT_EXPECT_EQ(test, driver.rejected, 1);
	iw_destroy_cm_id(cm_id);
}

/*
 * A driver that reports a failure and returns it, too: the client destroys the
 * id when it hears of it, in the middle of its call. One mapping, one end.
 */
static void told_twice_test(struct kunit *test)
{
	struct iw_cm_conn_param param = { .qpn = 1 };

	client.ret = -EPERM;
	KUNIT_EXPECT_EQ(test, iw_cm_connect(client_id(test), &param),
			-ECONNREFUSED);
	complete(&driver.second);
	flush_workqueue(iw_wq);
	KUNIT_EXPECT_EQ(test, client.events, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&driver.removals), 1);
}

/* The QP of another process: its reference may be the last one. */
static void others_qp_test(struct kunit *test)
{
	static const struct rdma_restrack_entry owner = { .user = true };
	struct iw_cm_conn_param param = { .qpn = 1 };
	struct iw_cm_id *cm_id = client_id(test);

	ofed_iw_set_owner(cm_id, &owner);
	KUNIT_EXPECT_EQ(test, iw_cm_connect(cm_id, &param), -EINVAL);
	KUNIT_EXPECT_EQ(test, atomic_read(&driver.qp_refs), 0);
	KUNIT_EXPECT_FALSE(test, driver.atomic);
	iw_destroy_cm_id(cm_id);
}

/* A client may destroy an id at any time; the driver has it until it has rejected. */
static void reject_overtaken_test(struct kunit *test)
{
	struct iw_cm_id *cm_id = client_id(test);

	complete(&driver.second);
	KUNIT_ASSERT_EQ(test, iw_cm_listen(cm_id, 1), 0);
	KUNIT_EXPECT_EQ(test, report(cm_id, IW_CM_EVENT_CONNECT_REQUEST, 0), 0);
	flush_workqueue(iw_wq);
	KUNIT_ASSERT_NOT_NULL(test, client.request);
	driver.overtaken = true;
	KUNIT_EXPECT_EQ(test, iw_cm_reject(client.request, NULL, 0), 0);
	KUNIT_EXPECT_EQ(test, driver.rejected, 1);
	KUNIT_EXPECT_EQ(test, driver.refs, 1);
	iw_destroy_cm_id(cm_id);
}

static struct kunit_case ends_cases[] = {
	KUNIT_CASE(listen_destroy_test),
	KUNIT_CASE(listen_fails_test),
	KUNIT_CASE(busy_connect_test),
	KUNIT_CASE(told_twice_test),
	KUNIT_CASE(others_qp_test),
	KUNIT_CASE(reject_overtaken_test),
	{}
};

struct kunit_suite iw_ends_suite = {
	.name = "ofed_iw_ends",
	.init = played_init,
	.exit = played_exit,
	.test_cases = ends_cases,
};
