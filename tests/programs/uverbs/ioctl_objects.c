// SPDX-License-Identifier: GPL-2.0
/*
 * The standard objects by ioctl(): what each method answers is compared with
 * what was asked for, with write() and with sysfs.
 *
 * usage: ioctl_objects DEVICE
 */
#include <poll.h>

#include "ioctl_world.h"
#include "testdev_hooks.h"
#include "verdict.h"

static struct world w;
static const struct ioctl_method *method_of(uint16_t object, uint16_t method)
{
	for (size_t i = 0; i < METHODS; i++)
		if (ioctl_methods[i].object == object &&
		    ioctl_methods[i].method == method)
			return &ioctl_methods[i];
	abort();
}

#define TREE(t, o, n) \
	world_tree(t, &w, method_of(UVERBS_OBJECT_##o, UVERBS_METHOD_##n))
#define PUT(t, n, v) (tree_find(t, UVERBS_ATTR_##n)->data = (v))

/* The answer to one attribute. */
static uint64_t got(struct tree *t, uint16_t id, size_t len)
{
	uint64_t value = 0;

	memcpy(&value, (void *)(uintptr_t)tree_find(t, id)->data, len);
	return value;
}

#define GOT(t, n, len) got(t, UVERBS_ATTR_##n, len)

static void where(struct tree *t, uint16_t id, void *at, uint16_t len)
{
	struct ib_uverbs_attr *a = tree_find(t, id);

	a->data = (uintptr_t)at;
	a->len = len;
}

static int call(struct tree *t)
{
	return tree_send(w.raw.fd, t);
}

static const char *sysfs(const char *file)
{
	static char text[128];
	char path[256];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/%s",
		 device, file);
	return rv_read_file(path, text, sizeof(text)) ? text : "";
}

/* A context of ours is imported by libofed, which asks it; one of rdma_rxe has no such method. */
static bool is_ours(void)
{
	return !strncmp(sysfs("../../hca_type"), "ofed_", 5);
}

/* ---- device ---- */

static void check_context(void)
{
	const struct ioctl_method *m =
		method_of(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	int fd = open(w.raw.dev.node, O_RDWR | O_CLOEXEC);
	struct ib_uverbs_alloc_pd cmd = {};
	struct ib_uverbs_alloc_pd_resp resp = {};
	struct tree t;

	world_tree(&t, &w, m);
	EXPECT("no PD before the context", RV(fd, ALLOC_PD, cmd, resp), -EINVAL);
	EXPECT("a context", tree_send(fd, &t), 0);
	EXPECT("it has vectors", GOT(&t, GET_CONTEXT_NUM_COMP_VECTORS, 4) > 0, 1);
	EXPECT("the core knows optional access rights",
	       GOT(&t, GET_CONTEXT_CORE_SUPPORT, 8),
	       IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS);
	EXPECT("a PD then", RV(fd, ALLOC_PD, cmd, resp), 0);
	EXPECT("one context is all", tree_send(fd, &t), -EINVAL);
	TREE(&t, DEVICE, QUERY_CONTEXT);
	EXPECT("the context is asked", tree_send(fd, &t),
	       world_is_testdev(&w) || is_ours() ? 0 : -EOPNOTSUPP);
	close(fd);
}

static void check_handles(void)
{
	uint32_t list[8];
	struct tree t;

	memset(list, 0x55, sizeof(list));
	TREE(&t, DEVICE, INFO_HANDLES);
	where(&t, UVERBS_ATTR_INFO_HANDLES_LIST, list, sizeof(list));
	EXPECT("the PDs", call(&t), 0);
	EXPECT("are two", GOT(&t, INFO_TOTAL_HANDLES, 4), 2);
	EXPECT("both are told", list[0] + list[1],
	       w.use[UVERBS_OBJECT_PD] + w.spare[UVERBS_OBJECT_PD]);
	EXPECT("no third one", list[2] == 0 || list[2] == 0x55555555, 1);
}

static void check_port(void)
{
	struct ib_uverbs_query_port_resp_ex port = {};
	struct ib_uverbs_query_port cmd = { .port_num = 1 };
	struct ib_uverbs_query_port_resp old = {};
	struct tree t;

	TREE(&t, DEVICE, QUERY_PORT);
	where(&t, UVERBS_ATTR_QUERY_PORT_RESP, &port, sizeof(port));
	EXPECT("the port", call(&t), 0);
	EXPECT("and by write", RV(w.raw.fd, QUERY_PORT, cmd, old), 0);
	EXPECT("is the same", memcmp(&port.legacy_resp, &old, sizeof(old)), 0);
	EXPECT("its state", port.legacy_resp.state, atoi(sysfs("state")));
	where(&t, UVERBS_ATTR_QUERY_PORT_RESP, &port, sizeof(old));
	EXPECT("no shorter answer", call(&t), -EINVAL);
	PUT(&t, QUERY_PORT_PORT_NUM, 77);
	EXPECT("no such port", call(&t), -EINVAL);
}

static void check_gids(void)
{
	static struct ib_uverbs_gid_entry table[64], entry;
	char file[32];
	uint8_t gid[16];
	uint64_t count;
	struct tree t;

	TREE(&t, DEVICE, QUERY_GID_TABLE);
	where(&t, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, table, sizeof(table));
	EXPECT("the GIDs", call(&t), 0);
	count = GOT(&t, QUERY_GID_TABLE_RESP_NUM_ENTRIES, 8);
	EXPECT("some", count > 0 && count <= 64, 1);
	for (uint64_t i = 0; i < count && i < 64; i++) {
		snprintf(file, sizeof(file), "gids/%u", table[i].gid_index);
		rv_parse_gid(sysfs(file), gid);
		EXPECT("a GID is that of sysfs",
		       table[i].port_num != 1 || !memcmp(gid, table[i].gid, 16), 1);
		TREE(&t, DEVICE, QUERY_GID_ENTRY);
		PUT(&t, QUERY_GID_ENTRY_PORT, table[i].port_num);
		PUT(&t, QUERY_GID_ENTRY_GID_INDEX, table[i].gid_index);
		where(&t, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, &entry,
		      sizeof(entry));
		EXPECT("alone", call(&t), 0);
		EXPECT("is the same", memcmp(&entry, &table[i], sizeof(entry)), 0);
	}
	PUT(&t, QUERY_GID_ENTRY_GID_INDEX, 100000);
	EXPECT("no such index", call(&t) < 0, 1);
}

/* ---- queues ---- */

static int event_of(int fd, uint64_t *element, size_t size)
{
	struct ib_uverbs_async_event_desc event = {};
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (poll(&p, 1, 10000) != 1 || read(fd, &event, size) != (ssize_t)size)
		return -EIO;
	*element = event.element;
	return event.event_type;
}

/* One comes and goes; one that a QP uses stays, and works. */
static void check_cq(void)
{
	struct ib_uverbs_destroy_cq_resp gone;
	struct tree t;
	uint32_t cq;

	TREE(&t, CQ, CQ_CREATE);
	PUT(&t, CREATE_CQ_CQE, 33);
	EXPECT("a CQ", call(&t), 0);
	EXPECT("large enough", GOT(&t, CREATE_CQ_RESP_CQE, 4) >= 33, 1);
	cq = t.attr[0].data;
	TREE(&t, CQ, CQ_DESTROY);
	PUT(&t, DESTROY_CQ_HANDLE, cq);
	memset(&gone, 0x55, sizeof(gone));
	where(&t, UVERBS_ATTR_DESTROY_CQ_RESP, &gone, sizeof(gone));
	EXPECT("goes", call(&t), 0);
	EXPECT("without events", gone.comp_events_reported |
	       gone.async_events_reported, 0);
	EXPECT("once", call(&t), -ENOENT);
	PUT(&t, DESTROY_CQ_HANDLE, w.raw.cq);
	EXPECT("one in use stays", call(&t), -EBUSY);
	EXPECT("and can be asked", rv_make_query_qp(&w.raw), 0);
}

/* The events of a queue go to the descriptor that it was made with. */
static void check_event_fd(void)
{
	struct ib_uverbs_destroy_qp_resp gone;
	uint64_t element = 0;
	char line[32];
	struct tree t;
	int events;
	uint32_t qp;

	TREE(&t, ASYNC_EVENT, ASYNC_EVENT_ALLOC);
	EXPECT("a descriptor of events", call(&t), 0);
	events = t.attr[0].data_s64;
	EXPECT("closes on exec", fcntl(events, F_GETFD), FD_CLOEXEC);

	TREE(&t, QP, QP_CREATE);
	tree_find(&t, UVERBS_ATTR_CREATE_QP_EVENT_FD)->data_s64 = events;
	PUT(&t, CREATE_QP_USER_HANDLE, 0x1234567890ULL);
	EXPECT("a QP", call(&t), 0);
	EXPECT("has a number", GOT(&t, CREATE_QP_RESP_QP_NUM, 4) > 1, 1);
	EXPECT("and what was wanted", GOT(&t, CREATE_QP_RESP_CAP, 4) >= 4, 1);
	qp = t.attr[0].data;
	if (world_is_testdev(&w)) {
		snprintf(line, sizeof(line), "1 %u",
			 (uint32_t)GOT(&t, CREATE_QP_RESP_QP_NUM, 4));
		EXPECT("an event of it", hook("event", line), 0);
		EXPECT("arrives there", event_of(events, &element, 16), 1);
		EXPECT("with its user's number", element, 0x1234567890LL);
	}
	TREE(&t, QP, QP_DESTROY);
	PUT(&t, DESTROY_QP_HANDLE, qp);
	where(&t, UVERBS_ATTR_DESTROY_QP_RESP, &gone, sizeof(gone));
	EXPECT("it goes", call(&t), 0);
	EXPECT("and tells its events", gone.events_reported,
	       world_is_testdev(&w));
	close(events);
}

static void check_srq(void)
{
	struct ib_uverbs_query_srq cmd = {};
	struct ib_uverbs_query_srq_resp resp = {};
	struct tree t;

	TREE(&t, SRQ, SRQ_CREATE);
	PUT(&t, CREATE_SRQ_MAX_WR, 20);
	EXPECT("an SRQ", call(&t), 0);
	EXPECT("large enough", GOT(&t, CREATE_SRQ_RESP_MAX_WR, 4) >= 20, 1);
	cmd.srq_handle = t.attr[0].data;
	EXPECT("is asked by write", RV(w.raw.fd, QUERY_SRQ, cmd, resp), 0);
	EXPECT("and has not less", resp.max_wr >= 20, 1);
	EXPECT("and goes by write", rv_destroy_srq(&w.raw, cmd.srq_handle), 0);
}

static void check_mr(void)
{
	struct tree t;

	TREE(&t, MR, QUERY_MR);
	EXPECT("an MR is asked", call(&t), 0);
	EXPECT("its lkey", GOT(&t, QUERY_MR_RESP_LKEY, 4), w.raw.lkey);
	EXPECT("its length", GOT(&t, QUERY_MR_RESP_LENGTH, 8), RV_MEMORY);
}

/* Of every destruction: once, and then not again. */
static void check_destroys(void)
{
	for (size_t i = 0; i < METHODS; i++) {
		const struct ioctl_method *m = &ioctl_methods[i];
		struct tree t;

		if (m->attr[0].type != T_GONE ||
		    w.spare[m->object] == NO_HANDLE)
			continue;
		world_tree(&t, &w, m);
		EXPECT(m->name, call(&t), 0);
		EXPECT("once", call(&t), -ENOENT);
	}
}

/* ---- what only the test device has ---- */

static void check_memory(void)
{
	struct tree t;
	uint32_t dm, mr;

	TREE(&t, DM, DM_ALLOC);
	PUT(&t, ALLOC_DM_LENGTH, 1ULL << 40);
	EXPECT("too much device memory", call(&t), -EINVAL);
	PUT(&t, ALLOC_DM_LENGTH, 8192);
	EXPECT("device memory", call(&t), 0);
	dm = t.attr[0].data;
	TREE(&t, MR, DM_MR_REG);
	PUT(&t, REG_DM_MR_DM_HANDLE, dm);
	PUT(&t, REG_DM_MR_OFFSET, 4096);
	PUT(&t, REG_DM_MR_LENGTH, 4097);
	EXPECT("a region beyond it", call(&t), -EINVAL);
	PUT(&t, REG_DM_MR_LENGTH, 4096);
	EXPECT("a region in it", call(&t), 0);
	mr = t.attr[0].data;
	TREE(&t, DM, DM_FREE);
	PUT(&t, FREE_DM_HANDLE, dm);
	EXPECT("it stays as long", call(&t), -EBUSY);
	TREE(&t, MR, MR_DESTROY);
	PUT(&t, DESTROY_MR_HANDLE, mr);
	EXPECT("the region goes", call(&t), 0);
	TREE(&t, DM, DM_FREE);
	PUT(&t, FREE_DM_HANDLE, dm);
	EXPECT("then the memory", call(&t), 0);

	TREE(&t, MR, REG_DMABUF_MR);
	EXPECT("a region of a dma-buf", call(&t), 0);
	EXPECT("has a key", GOT(&t, REG_DMABUF_MR_RESP_LKEY, 4) != 0, 1);
	mr = t.attr[0].data;
	TREE(&t, MR, MR_DESTROY);
	PUT(&t, DESTROY_MR_HANDLE, mr);
	EXPECT("and goes", call(&t), 0);
	TREE(&t, MR, ADVISE_MR);
	EXPECT("advice", call(&t), 0);
}

/* Counters count for a flow; alone they cannot be read. */
static void check_counters(void)
{
	struct {
		struct ib_uverbs_create_flow base;
		struct ib_uverbs_flow_spec_action_count count;
	} cmd = {
		.base.qp_handle = w.raw.raw,
		.base.flow_attr = { .size = sizeof(cmd.count),
				    .num_of_specs = 1, .port = 1 },
		.count = { .type = 0x1003, .size = sizeof(cmd.count),
			   .handle = w.use[UVERBS_OBJECT_COUNTERS] },
	};
	struct ib_uverbs_create_flow_resp resp = {};
	uint64_t values[8];
	struct tree t;

	memset(values, 0x55, sizeof(values));
	TREE(&t, COUNTERS, COUNTERS_READ);
	where(&t, UVERBS_ATTR_READ_COUNTERS_BUFF, values, sizeof(values));
	EXPECT("counters of nothing", call(&t), -EINVAL);
	EXPECT("a flow to count", RV_EXT(w.raw.fd, CREATE_FLOW, cmd, resp), 0);
	EXPECT("its counters", call(&t), 0);
	EXPECT("are read", values[0] == 0 && values[7] == 7, 1);
	TREE(&t, COUNTERS, COUNTERS_DESTROY);
	EXPECT("they stay as long", call(&t), -EBUSY);
	TREE(&t, FLOW, FLOW_DESTROY);
	PUT(&t, DESTROY_FLOW_HANDLE, resp.flow_handle);
	EXPECT("the flow goes", call(&t), 0);
}

static void check_wq(void)
{
	struct tree t;
	uint32_t wq;

	TREE(&t, WQ, WQ_CREATE);
	EXPECT("a WQ", call(&t), 0);
	EXPECT("large enough", GOT(&t, CREATE_WQ_RESP_MAX_WR, 4), 8);
	EXPECT("with a number", GOT(&t, CREATE_WQ_RESP_WQ_NUM, 4) > 0, 1);
	wq = t.attr[0].data;
	TREE(&t, WQ, WQ_DESTROY);
	PUT(&t, DESTROY_WQ_HANDLE, wq);
	EXPECT("goes", call(&t), 0);
	PUT(&t, DESTROY_WQ_HANDLE, w.use[UVERBS_OBJECT_WQ]);
	EXPECT("one in use stays", call(&t), -EBUSY);
}

/* Queues of XRC by the attributes that they alone have. */
static void check_xrc(void)
{
	uint32_t number = 0, srq, qp;
	struct tree t;

	TREE(&t, SRQ, SRQ_CREATE);
	PUT(&t, CREATE_SRQ_TYPE, IB_UVERBS_SRQT_XRC);
	tree_add(&t, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE, 0, w.raw.xrcd);
	tree_add(&t, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, 0, w.raw.cq);
	tree_out(&t, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, &number, 4);
	EXPECT("an SRQ of XRC", call(&t), 0);
	EXPECT("has a number", number > 0, 1);
	srq = t.attr[0].data;
	EXPECT("its domain stays", rv_undo_xrcd(&w.raw), -EBUSY);
	EXPECT("it goes", rv_destroy_srq(&w.raw, srq), 0);

	TREE(&t, QP, QP_CREATE);
	PUT(&t, CREATE_QP_TYPE, IB_UVERBS_QPT_XRC_TGT);
	tree_drop(&t, UVERBS_ATTR_CREATE_QP_PD_HANDLE);
	tree_drop(&t, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE);
	tree_drop(&t, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE);
	tree_add(&t, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, 0, w.raw.xrcd);
	EXPECT("a target of XRC", call(&t), 0);
	qp = t.attr[0].data;
	EXPECT("goes", rv_destroy_qp(&w.raw, qp), 0);

	TREE(&t, QP, QP_CREATE);
	PUT(&t, CREATE_QP_TYPE, IB_UVERBS_QPT_RAW_PACKET);
	memset(world_in, 0, sizeof(struct ib_uverbs_qp_cap));
	tree_drop(&t, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE);
	tree_drop(&t, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE);
	tree_add(&t, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE, 0, w.raw.table);
	EXPECT("a QP of a table", call(&t), 0);
	qp = t.attr[0].data;
	EXPECT("and its table stays", rv_undo_table(&w.raw), -EBUSY);
	EXPECT("and which goes", rv_destroy_qp(&w.raw, qp), 0);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: ioctl_objects DEVICE\n");
		return 2;
	}
	device = argv[1];
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (world_find(&w, device) || world_open(&w)) {
		fprintf(stderr, "%s: no objects: %s\n", device, strerror(errno));
		return 2;
	}
	check_context();
	check_handles();
	check_port();
	check_gids();
	check_cq();
	check_event_fd();
	check_srq();
	check_mr();
	if (world_is_testdev(&w)) {
		check_memory();
		check_counters();
		check_wq();
		check_xrc();
	}
	check_destroys();
	world_close(&w);
	return verdict();
}
