// SPDX-License-Identifier: GPL-2.0
/*
 * Events that a program does not read, and groups that it joins twice. The ids
 * are real ones without a device, the calls about groups and addresses are played.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <ofed/cma.h>
#include <rdma/ib_marshall.h>

#include "ucma/ucma.h"

/* The contexts of the groups that are joined, oldest first. */
static const void *joined[4];

int rdma_join_multicast(struct rdma_cm_id *id, struct sockaddr *addr,
			u8 join_state, void *context)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(joined); i++)
		if (!joined[i]) {
			joined[i] = context;
			return 0;
		}
	return -ENOMEM;
}

/* All have one address: the last one that was joined. */
void rdma_leave_multicast(struct rdma_cm_id *id, struct sockaddr *addr)
{
	size_t i = ARRAY_SIZE(joined);

	while (i--)
		if (joined[i]) {
			joined[i] = NULL;
			return;
		}
}

void ofed_cma_leave(struct rdma_cm_id *id, const void *context)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(joined); i++)
		if (joined[i] == context)
			joined[i] = NULL;
}

void ib_copy_ah_attr_to_user(struct ib_device *device,
			     struct ib_uverbs_ah_attr *dst,
			     struct rdma_ah_attr *src)
{
}

struct fixture {
	struct ucma_file file;
	struct ib_device device;	/* nothing of it is looked at */
	struct ucma_id *id;
};

static int begin(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	struct rdma_cm_id *cm_id;

	if (!f)
		return -ENOMEM;
	test->priv = f;
	memset(joined, 0, sizeof(joined));
	mutex_init(&f->file.lock);
	INIT_LIST_HEAD(&f->file.ids);
	INIT_LIST_HEAD(&f->file.events);
	init_waitqueue_head(&f->file.wait);
	f->id = ucma_id_new(&f->file, GFP_KERNEL);
	if (!f->id)
		return -ENOMEM;
	cm_id = rdma_create_id(&init_net, ucma_handler, f->id, RDMA_PS_UDP,
			       IB_QPT_UD);
	if (IS_ERR(cm_id)) {
		ucma_id_discard(f->id);
		f->id = NULL;
		return PTR_ERR(cm_id);
	}
	f->id->cm_id = cm_id;
	f->id->has_uid = true;
	f->id->uid = 77;
	guard(rwsem_read)(&ucma_moves);
	guard(mutex)(&f->file.lock);
	ucma_id_publish(f->id);
	return 0;
}

static void end(struct kunit *test)
{
	struct fixture *f = test->priv;

	if (f && f->id)
		ucma_id_destroy(f->id);
}

static int happen(struct ucma_id *id, enum rdma_cm_event_type type)
{
	struct rdma_cm_event event = { .event = type };

	return ucma_handler(id->cm_id, &event);
}

static size_t waiting(struct fixture *f)
{
	struct list_head *node;
	size_t count = 0;

	list_for_each(node, &f->file.events)
		count++;
	return count;
}

static void read_one(struct fixture *f)
{
	struct ucma_event *event;

	guard(rwsem_read)(&ucma_moves);
	guard(mutex)(&f->file.lock);
	event = list_first_entry(&f->file.events, struct ucma_event, in_file);
	ucma_event_was_read(event);
}

static int enter(struct fixture *f, enum ucma_need need)
{
	struct ucma_id *id = ucma_id_enter(&f->file, f->id->number, need);

	if (IS_ERR(id))
		return PTR_ERR(id);
	ucma_id_leave(id);
	return 0;
}

/* Flapping interfaces and neighbours fill no more than the queue of the id. */
static void unsolicited_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	int i;

	for (i = 0; i < 2 * UCMA_UNREAD_MOST; i++)
		happen(f->id, i & 1 ? RDMA_CM_EVENT_ADDR_CHANGE :
				      RDMA_CM_EVENT_UNREACHABLE);
	KUNIT_EXPECT_EQ(test, waiting(f), (size_t)UCMA_UNREAD_MOST);
	/* What comes once is never lost. */
	happen(f->id, RDMA_CM_EVENT_DISCONNECTED);
	KUNIT_EXPECT_EQ(test, waiting(f), (size_t)UCMA_UNREAD_MOST + 1);
	read_one(f);
	read_one(f);
	happen(f->id, RDMA_CM_EVENT_ADDR_CHANGE);
	happen(f->id, RDMA_CM_EVENT_ADDR_CHANGE);
	KUNIT_EXPECT_EQ(test, waiting(f), (size_t)UCMA_UNREAD_MOST);
	KUNIT_EXPECT_EQ(test, f->id->events_read, 2);
}

/* Commands that are answered by an event wait until the program reads. */
static void solicited_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	int i;

	for (i = 0; i < UCMA_UNREAD_MOST; i++) {
		KUNIT_ASSERT_EQ(test, enter(f, UCMA_ASKS), 0);
		happen(f->id, RDMA_CM_EVENT_ADDR_ERROR);
	}
	KUNIT_EXPECT_EQ(test, enter(f, UCMA_ASKS), -ENOBUFS);
	KUNIT_EXPECT_EQ(test, enter(f, UCMA_ANY_ID), 0);
	/* Without a device it is not asked whatever it has. */
	KUNIT_EXPECT_EQ(test, enter(f, UCMA_ASKS | UCMA_BOUND_ID), -EINVAL);
	read_one(f);
	KUNIT_EXPECT_EQ(test, enter(f, UCMA_ASKS), 0);
}

/* Requests have a limit of their own, and do not use up the other one. */
static void requests_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct rdma_cm_id *conn[2];
	struct rdma_cm_event event = {
		.event = RDMA_CM_EVENT_CONNECT_REQUEST,
	};
	int i;

	f->id->backlog = 1;
	for (i = 0; i < 2; i++) {
		conn[i] = rdma_create_id(&init_net, ucma_handler, f->id,
					 RDMA_PS_UDP, IB_QPT_UD);
		KUNIT_ASSERT_FALSE(test, IS_ERR(conn[i]));
	}
	KUNIT_EXPECT_EQ(test, ucma_handler(conn[0], &event), 0);
	KUNIT_EXPECT_EQ(test, ucma_handler(conn[1], &event), -ENOMEM);
	rdma_destroy_id(conn[1]);
	KUNIT_EXPECT_EQ(test, waiting(f), (size_t)1);
	KUNIT_EXPECT_EQ(test, f->id->requests, 1);
	KUNIT_EXPECT_EQ(test, f->id->unread, 0);
	happen(f->id, RDMA_CM_EVENT_ADDR_CHANGE);
	KUNIT_EXPECT_EQ(test, f->id->unread, 1);
	/* end(): both go with the listener, and with the request its id. */
}

static void tell_joined(struct ucma_id *id, const void *context)
{
	struct rdma_cm_event event = {
		.event = RDMA_CM_EVENT_MULTICAST_JOIN,
		.param.ud.private_data = context,
	};

	ucma_handler(id->cm_id, &event);
}

/* Of two joins of one group, the one that is named is left, with its event. */
static void twice_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct rdma_ucm_join_mcast req = {
		.id = f->id->number,
		.addr_size = sizeof(struct sockaddr_in),
		.addr.ss_family = AF_INET,
	};
	struct ucma_event *event;
	s64 first, second;
	u32 read;

	f->id->cm_id->device = &f->device;
	req.uid = 1;
	first = ucma_join(&f->file, &req, BIT(FULLMEMBER_JOIN));
	req.uid = 2;
	second = ucma_join(&f->file, &req, BIT(FULLMEMBER_JOIN));
	f->id->cm_id->device = NULL;
	KUNIT_ASSERT_GE(test, first, 0LL);
	KUNIT_ASSERT_GE(test, second, 0LL);

	KUNIT_EXPECT_EQ(test, ucma_leave(&f->file, first, &read), 0);
	KUNIT_EXPECT_EQ(test, read, 0);
	/* rdma_cm has the second one still, and its event finds it. */
	KUNIT_EXPECT_NULL(test, joined[0]);
	KUNIT_ASSERT_NOT_NULL(test, joined[1]);
	tell_joined(f->id, joined[1]);
	KUNIT_ASSERT_EQ(test, waiting(f), (size_t)1);
	event = list_first_entry(&f->file.events, struct ucma_event, in_file);
	KUNIT_EXPECT_EQ(test, event->resp.uid, 2ULL);
	KUNIT_EXPECT_EQ(test, event->resp.id, (u32)second);
	KUNIT_EXPECT_EQ(test, f->id->unread, 0);
	KUNIT_EXPECT_EQ(test, ucma_leave(&f->file, second, &read), 0);
	KUNIT_EXPECT_EQ(test, waiting(f), (size_t)0);
}

static struct kunit_case ucma_cases[] = {
	KUNIT_CASE(unsolicited_test),
	KUNIT_CASE(solicited_test),
	KUNIT_CASE(requests_test),
	KUNIT_CASE(twice_test),
	{ }
};

static struct kunit_suite ucma_suite = {
	.name = "ofed_ucma_events",
	.init = begin,
	.exit = end,
	.test_cases = ucma_cases,
};

kunit_test_suite(ucma_suite);

MODULE_DESCRIPTION("KUnit tests of the events of rdma_cm's programs");
MODULE_LICENSE("GPL");
