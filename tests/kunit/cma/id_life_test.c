// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: an id from its request to its end. The parts that find devices, ports
 * and groups are played; they look at what is held when they are called.
 */
#include <compat/decls.h>
#include <kunit/test.h>
#include <kunit/visibility.h>
#include <linux/module.h>
#include <ofed/cma.h>

#include "core/cm/ib/ib_cm.h"
#include "core/cm/iw/iwcm_id.h"
#include "core/cm/rdma/cma.h"
#include "core/cm/rdma/mcast.h"
#include "core/sa/sa.h"

DEFINE_MUTEX(cma_mutex);
struct workqueue_struct *cma_wq;
struct ib_sa_client cma_sa_client;

/* What the test plays, and what it has seen. */
static struct {
	struct ib_device device;
	struct ib_port_data ports[2];
	struct iw_cm_id iw;
	const struct rdma_restrack_entry *iw_owner;
	struct cma_id *listener;
	struct hlist_head owners;
	int attach_ret;
	int charge_ret;
	const struct ofed_cm_owner *charged;
	bool rcu_held;
	bool attached_locked;
	bool had_owner;
	bool line_was_hidden;
	int iw_destroyed;
	int offered;
	bool offered_locked;
	enum ib_qp_type offered_type;
	struct cma_id *conn;
} seen;

static bool is_hidden(struct cma_id *id)
{
	if (!rdma_restrack_get(&id->res.tracked.entry))
		return true;
	rdma_restrack_put(&id->res.tracked.entry);
	return false;
}

/* cm/rdma/res.c, for lines that are in no table. */
void cma_res_init(struct cma_res *res, struct cma_id *id)
{
	ofed_restrack_new(&res->tracked.entry, RDMA_RESTRACK_CM_ID);
	rdma_restrack_no_track(&res->tracked.entry);
	res->id = id;
}

void cma_res_add(struct cma_res *res, struct ib_device *device)
{
	res->tracked.entry.valid = true;
}

void cma_res_hide(struct cma_res *res)
{
	ofed_restrack_begin_del(&res->tracked.entry);
}

void cma_res_show(struct cma_res *res)
{
	ofed_restrack_abort_del(&res->tracked.entry);
}

void cma_res_forget(struct cma_res *res)
{
	ofed_restrack_commit_del(&res->tracked.entry);
}

void cma_res_del(struct cma_res *res)
{
	cma_res_hide(res);
	cma_res_forget(res);
}

struct iw_cm_id *iw_create_cm_id(struct ib_device *device,
				 iw_cm_handler handler, void *context)
{
	seen.iw.context = context;
	return &seen.iw;
}

void ofed_iw_set_owner(struct iw_cm_id *cm_id,
		       const struct rdma_restrack_entry *owner)
{
	seen.iw_owner = owner;
}

void ofed_iw_set_memcg(struct iw_cm_id *cm_id, struct mem_cgroup *memcg)
{
}

void iw_destroy_cm_id(struct iw_cm_id *cm_id)
{
	struct cma_id *id = cm_id->context;

	seen.iw_destroyed++;
	seen.line_was_hidden = is_hidden(id);
}

void ib_destroy_cm_id(struct ib_cm_id *cm_id)
{
}

struct ofed_cm_owner *ofed_cm_owner_get(void)
{
	return (void *)&seen;
}

void ofed_cm_owner_put(struct ofed_cm_owner *owner)
{
}

int ofed_cm_charge(struct ib_cm_id *cm_id, struct ofed_cm_owner *owner)
{
	seen.charged = owner;
	return seen.charge_ret;
}

int ib_prepare_cm_mra(struct ib_cm_id *cm_id)
{
	return 0;
}

int ofed_sa_sendonly_fullmember(struct ib_device *device, u32 port_num)
{
	return -EOPNOTSUPP;
}

struct hlist_head *cma_port_owners_locked(struct net *net,
					  enum rdma_ucm_port_space space,
					  __be16 port)
{
	seen.rcu_held = rcu_read_lock_held();
	return &seen.owners;
}

int cma_device_of_request(struct cma_id *id, struct ib_device *device, u32 port,
			  const struct ib_gid_attr *sgid_attr,
			  const union ib_gid *sgid)
{
	seen.attached_locked = mutex_is_locked(&id->handler_mutex);
	return seen.attach_ret;
}

int cma_device_of_listener(struct cma_id *id, struct cma_dev *cdev)
{
	seen.attached_locked = mutex_is_locked(&id->handler_mutex);
	return seen.attach_ret;
}

/* The last before those are waited for that copy the owner. */
void cma_device_detach(struct cma_id *id)
{
	seen.had_owner = id->res.tracked.entry.task;
}

void cma_device_release(struct cma_id *id)
{
}

void cma_port_release(struct cma_id *id)
{
}

void cma_unlisten(struct cma_id *id)
{
}

void cma_netdev_init_id(struct cma_id *id)
{
}

void cma_unwatch(struct cma_id *id)
{
}

struct net_device *cma_netdev(struct cma_id *id)
{
	return NULL;
}

int cma_default_qkey(struct cma_id *id)
{
	return 0;
}

int cma_qp_to_rtr(struct cma_id *id, const struct rdma_conn_param *param)
{
	return -EIO;
}

int cma_ib_event(struct ib_cm_id *cm_id, const struct ib_cm_event *event)
{
	return 0;
}

int cma_sidr_event(struct ib_cm_id *cm_id, const struct ib_cm_event *event)
{
	return 0;
}

static int consumer(struct rdma_cm_id *pub, struct rdma_cm_event *event)
{
	if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST)
		return 0;
	seen.offered++;
	seen.offered_locked = mutex_is_locked(&cma_id_of(pub)->handler_mutex);
	seen.offered_type = pub->qp_type;
	seen.conn = cma_id_of(pub);
	return 0;
}

static struct cma_id *make(struct kunit *test, enum rdma_ucm_port_space ps,
			   enum ib_qp_type type)
{
	struct rdma_cm_id *pub = rdma_create_user_id(consumer, NULL, ps, type);

	KUNIT_ASSERT_FALSE(test, IS_ERR(pub));
	return cma_id_of(pub);
}

/* Listens to whatever comes without IP addresses. */
static struct cma_id *listener(struct kunit *test, enum ib_qp_type type)
{
	struct cma_id *id = make(test, RDMA_PS_IB, type);

	cma_src(id)->sa_family = AF_IB;
	cma_move(id, CMA_M_BIND);
	cma_move(id, CMA_M_LISTEN);
	hlist_add_head(&id->on_port, &seen.owners);
	return id;
}

static int begin(struct kunit *test)
{
	memset(&seen, 0, sizeof(seen));
	cma_wq = system_wq;
	seen.device.port_data = seen.ports;
	seen.device.phys_port_cnt = 1;
	return 0;
}

static struct cma_request ib_request(void)
{
	struct cma_request req = { .device = &seen.device, .port = 1 };

	cma_put_ib_address(&req.local, NULL, 0xffff, 0);
	cma_put_ib_address(&req.remote, NULL, 0xffff, 0);
	return req;
}

/* Where a namespace is looked at, it can not go. */
static void find_rcu_test(struct kunit *test)
{
	struct cma_request req = ib_request();
	struct cma_id *id = listener(test, IB_QPT_RC);
	struct cma_id *found = cma_find_listener(&req);

	KUNIT_EXPECT_PTR_EQ(test, found, id);
	if (IS_ENABLED(CONFIG_DEBUG_LOCK_ALLOC))
		KUNIT_EXPECT_TRUE(test, seen.rcu_held);
	if (!IS_ERR_OR_NULL(found))
		cma_id_put(found);
	hlist_del(&id->on_port);
	found = cma_find_listener(&req);
	KUNIT_EXPECT_PTR_EQ(test, found,
			    (struct cma_id *)ERR_PTR(-ECONNREFUSED));
	rdma_destroy_id(&id->pub);
}

/* An interface that is down is on its way, and one with another number there. */
static void find_moved_test(struct kunit *test)
{
	struct net_device *ndev = kunit_kzalloc(test, sizeof(*ndev),
						GFP_KERNEL);
	struct cma_request req = ib_request();
	struct cma_id *id = listener(test, IB_QPT_RC);

	KUNIT_ASSERT_NOT_NULL(test, ndev);
	write_pnet(&ndev->nd_net, &init_net);
	ndev->ifindex = 3;
	req.ndev = ndev;
	req.ifindex = 3;
	KUNIT_EXPECT_PTR_EQ(test, cma_find_listener(&req),
			    (struct cma_id *)ERR_PTR(-EHOSTUNREACH));
	ndev->flags = IFF_UP;
	req.ifindex = 2;
	KUNIT_EXPECT_PTR_EQ(test, cma_find_listener(&req),
			    (struct cma_id *)ERR_PTR(-EHOSTUNREACH));
	KUNIT_EXPECT_EQ(test, refcount_read(&id->refs), 1);

	/* Where the listener's namespace was left after it was found. */
	req.ifindex = 3;
	KUNIT_EXPECT_TRUE(test, cma_still_there(&req, &init_net));
	KUNIT_EXPECT_FALSE(test, cma_still_there(&req, NULL));
	req.ifindex = 2;
	KUNIT_EXPECT_FALSE(test, cma_still_there(&req, &init_net));
	req.ifindex = 3;
	ndev->flags = 0;
	KUNIT_EXPECT_FALSE(test, cma_still_there(&req, &init_net));
	hlist_del(&id->on_port);
	rdma_destroy_id(&id->pub);
}

static int offer(struct cma_id *listen, enum ib_qp_type type)
{
	static u8 data[IB_CM_REQ_PRIVATE_DATA_SIZE];
	struct sa_path_rec path = { .rec_type = SA_PATH_REC_TYPE_IB };
	struct cma_request req = ib_request();
	struct ib_cm_id cm_id = { };
	struct ib_cm_event event = {
		.event = IB_CM_REQ_RECEIVED,
		.private_data = data,
		.param.req_rcvd = { .primary_path = &path, .qp_type = type },
	};
	int ret;

	mutex_lock(&listen->handler_mutex);
	ret = cma_do_accept_request(listen, &req, &cm_id, &event);
	mutex_unlock(&listen->handler_mutex);
	if (seen.conn)
		seen.conn->ib = NULL;
	return ret;
}

/* Nothing is told of a connection before the request is. */
static void offer_test(struct kunit *test)
{
	struct cma_id *listen = listener(test, 0);

	KUNIT_EXPECT_EQ(test, offer(listen, IB_QPT_RC), 0);
	KUNIT_EXPECT_TRUE(test, seen.attached_locked);
	KUNIT_ASSERT_EQ(test, seen.offered, 1);
	KUNIT_EXPECT_TRUE(test, seen.offered_locked);
	/* A listener for all types has connections of one. */
	KUNIT_EXPECT_EQ(test, seen.offered_type, IB_QPT_RC);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&seen.conn->handler_mutex));
	rdma_destroy_id(&seen.conn->pub);

	/* Its user has too many: the peer comes again. */
	KUNIT_EXPECT_PTR_EQ(test, seen.charged, (const struct ofed_cm_owner *)listen->owner);
	KUNIT_EXPECT_NOT_NULL(test, listen->owner);
	seen.charge_ret = -ENOMEM;
	seen.conn = NULL;
	KUNIT_EXPECT_EQ(test, offer(listen, IB_QPT_RC), -ENOMEM);
	KUNIT_EXPECT_EQ(test, seen.offered, 1);
	seen.charge_ret = 0;

	/* The device goes meanwhile: the consumer never hears of it. */
	seen.attach_ret = -ENODEV;
	seen.conn = NULL;
	seen.attached_locked = false;
	KUNIT_EXPECT_EQ(test, offer(listen, IB_QPT_RC), -ENODEV);
	KUNIT_EXPECT_TRUE(test, seen.attached_locked);
	KUNIT_EXPECT_EQ(test, seen.offered, 1);
	hlist_del(&listen->on_port);
	rdma_destroy_id(&listen->pub);
}

/* The line goes before what a driver reads for it, the owner after all else. */
static void end_order_test(struct kunit *test)
{
	struct cma_id *id = make(test, RDMA_PS_TCP, IB_QPT_RC);

	cma_res_add(&id->res, NULL);
	seen.iw.context = id;
	id->iw = &seen.iw;
	rdma_destroy_id(&id->pub);
	KUNIT_EXPECT_EQ(test, seen.iw_destroyed, 1);
	KUNIT_EXPECT_TRUE(test, seen.line_was_hidden);
	KUNIT_EXPECT_TRUE(test, seen.had_owner);
}

/* The same for a connection that could not be begun; its id lives on. */
static void failed_connect_test(struct kunit *test)
{
	struct cma_id *id = make(test, RDMA_PS_TCP, IB_QPT_RC);
	struct rdma_conn_param param = { };

	cma_res_add(&id->res, NULL);
	cma_src(id)->sa_family = AF_INET;
	cma_dst(id)->sa_family = AF_INET;
	KUNIT_EXPECT_EQ(test, cma_iw_connect(id, &param), -EIO);
	KUNIT_EXPECT_PTR_EQ(test, seen.iw_owner, &id->res.tracked.entry);
	KUNIT_EXPECT_EQ(test, seen.iw_destroyed, 1);
	KUNIT_EXPECT_TRUE(test, seen.line_was_hidden);
	KUNIT_EXPECT_FALSE(test, is_hidden(id));
	KUNIT_EXPECT_NULL(test, id->iw);
	rdma_destroy_id(&id->pub);
}

static void add_group(struct kunit *test, struct cma_id *id, void *context)
{
	struct cma_mcast *mc = kzalloc(sizeof(*mc), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, mc);
	mc->addr.ss_family = AF_INET;
	mc->context = context;
	mc->id = id;
	INIT_WORK(&mc->work, cma_roce_event);
	list_add(&mc->list, &id->mcast);
}

static void leave_test(struct kunit *test)
{
	struct cma_id *id = make(test, RDMA_PS_UDP, IB_QPT_UD);
	int first, second;
	struct cma_mcast *mc;

	add_group(test, id, &first);
	add_group(test, id, &second);
	ofed_cma_leave(&id->pub, &first);
	KUNIT_ASSERT_TRUE(test, list_is_singular(&id->mcast));
	mc = list_first_entry(&id->mcast, struct cma_mcast, list);
	KUNIT_EXPECT_PTR_EQ(test, mc->context, (void *)&second);
	/* In no table any more. */
	ofed_cma_leave(&id->pub, &first);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&id->mcast));
	rdma_destroy_id(&id->pub);
}

static void sendonly_test(struct kunit *test)
{
	struct cma_id *id = make(test, RDMA_PS_UDP, IB_QPT_UD);
	struct sockaddr_in group = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(0xe1020304),
	};

	seen.ports[1].immutable.core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	cma_move(id, CMA_M_BIND);
	id->pub.device = &seen.device;
	id->pub.port_num = 1;
	KUNIT_EXPECT_EQ(test,
			rdma_join_multicast(&id->pub, (struct sockaddr *)&group,
					    BIT(SENDONLY_FULLMEMBER_JOIN),
					    NULL),
			-EOPNOTSUPP);
	KUNIT_EXPECT_TRUE(test, list_empty(&id->mcast));
	id->pub.device = NULL;
	rdma_destroy_id(&id->pub);
}

/* Before it has an address; all that it gives birth to has the same. */
static void node_type_test(struct kunit *test)
{
	struct cma_id *id = make(test, RDMA_PS_TCP, IB_QPT_RC), *child;

	KUNIT_EXPECT_TRUE(test, cma_takes_node(id, RDMA_NODE_IB_CA));
	KUNIT_EXPECT_TRUE(test, cma_takes_node(id, RDMA_NODE_RNIC));
	KUNIT_EXPECT_EQ(test, rdma_restrict_node_type(&id->pub, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, rdma_restrict_node_type(&id->pub, RDMA_NODE_IB_SWITCH), -EINVAL);
	KUNIT_EXPECT_EQ(test, rdma_restrict_node_type(&id->pub, RDMA_NODE_RNIC), 0);
	KUNIT_EXPECT_FALSE(test, cma_takes_node(id, RDMA_NODE_IB_CA));
	KUNIT_EXPECT_TRUE(test, cma_takes_node(id, RDMA_NODE_RNIC));
	KUNIT_EXPECT_EQ(test, rdma_restrict_node_type(&id->pub, RDMA_NODE_UNSPECIFIED), 0);
	KUNIT_EXPECT_TRUE(test, cma_takes_node(id, RDMA_NODE_USNIC));
	KUNIT_EXPECT_EQ(test, rdma_restrict_node_type(&id->pub, RDMA_NODE_IB_CA), 0);
	KUNIT_EXPECT_FALSE(test, cma_takes_node(id, RDMA_NODE_RNIC));

	cma_move(id, CMA_M_BIND);
	KUNIT_EXPECT_EQ(test, rdma_restrict_node_type(&id->pub, RDMA_NODE_RNIC), -EALREADY);
	/* A wrong type is that whenever it is given. */
	KUNIT_EXPECT_EQ(test, rdma_restrict_node_type(&id->pub, 0), -EINVAL);
	KUNIT_EXPECT_TRUE(test, cma_takes_node(id, RDMA_NODE_IB_CA));
	cma_move(id, CMA_M_LISTEN);
	child = cma_id_child(id);
	KUNIT_ASSERT_NOT_NULL(test, child);
	KUNIT_EXPECT_FALSE(test, cma_takes_node(child, RDMA_NODE_RNIC));
	rdma_destroy_id(&child->pub);
	rdma_destroy_id(&id->pub);
}

static struct kunit_case life_cases[] = {
	KUNIT_CASE(find_rcu_test),
	KUNIT_CASE(find_moved_test),
	KUNIT_CASE(offer_test),
	KUNIT_CASE(end_order_test),
	KUNIT_CASE(failed_connect_test),
	KUNIT_CASE(leave_test),
	KUNIT_CASE(sendonly_test),
	KUNIT_CASE(node_type_test),
	{ }
};

static struct kunit_suite life_suite = {
	.name = "ofed_cma_life",
	.init = begin,
	.test_cases = life_cases,
};

kunit_test_suite(life_suite);

MODULE_DESCRIPTION("KUnit tests of the life of an rdma_cm id");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
