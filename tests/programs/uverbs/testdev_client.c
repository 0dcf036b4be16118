// SPDX-License-Identifier: GPL-2.0
/*
 * One of every object on ofed_testdev, used and taken apart in order; with the
 * driver's hooks, things that take hardware elsewhere.
 *
 * usage: testdev_client DEVICE
 */
#include <poll.h>

#include "raw_verbs.h"
#include "testdev_hooks.h"
#include "verdict.h"

#define PATIENCE 60000		/* milliseconds: the machine may be busy */

static bool readable(int fd, int msec)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, msec) == 1 && p.revents == POLLIN;
}

static void check_completions(struct rv_world *w)
{
	uint64_t ids[16];
	uint32_t statuses[16];
	struct ib_uverbs_comp_event_desc event = {};

	while (rv_poll_cq(w, ids, statuses, 16) > 0)
		;
	/* What an earlier notification left. */
	while (readable(w->channel, 0) &&
	       read(w->channel, &event, sizeof(event)) > 0)
		;
	EXPECT("a CQ is armed", rv_make_notify(w), 0);
	EXPECT("no event without a completion", readable(w->channel, 0), 0);
	EXPECT("send", rv_make_send(w), 0);
	EXPECT("the channel wakes", readable(w->channel, PATIENCE), 1);
	EXPECT("an event is 8 bytes", read(w->channel, &event, sizeof(event)),
	       8);
	EXPECT("it names the CQ", event.cq_handle, 0xc0);
	EXPECT("one completion", rv_poll_cq(w, ids, statuses, 16), 1);
	EXPECT("of the send", ids[0], 1);
	EXPECT("it succeeded", statuses[0], 0);
	EXPECT("not armed: send", rv_make_send(w), 0);
	EXPECT("not armed: no event", readable(w->channel, 50), 0);
	EXPECT("but a completion", rv_poll_cq(w, ids, statuses, 16), 1);
	EXPECT("the CQ is empty", rv_poll_cq(w, ids, statuses, 16), 0);
}

static void check_hold(struct rv_world *w)
{
	uint64_t ids[16];
	uint32_t statuses[16];
	char line[64];

	EXPECT("hold", hook("hold", "1"), 0);
	EXPECT("send while held", rv_make_send(w), 0);
	EXPECT("recv while held", rv_make_recv(w), 0);
	EXPECT("nothing completes", rv_poll_cq(w, ids, statuses, 16), 0);
	snprintf(line, sizeof(line), "send %u 1 10", w->rc_num);
	EXPECT("a completion on order", hook("complete", line), 0);
	EXPECT("is there", rv_poll_cq(w, ids, statuses, 16), 1);
	EXPECT("with the status ordered", statuses[0], 10);
	EXPECT("the QP goes to ERR", rv_modify_rc(w, RV_ERR), 0);
	EXPECT("the receive is flushed", rv_poll_cq(w, ids, statuses, 16), 1);
	EXPECT("flush status", statuses[0], 5);
	EXPECT("release", hook("hold", "0"), 0);
}

/* A CQ that runs over tells so on the async fd. */
static void check_overrun(struct rv_world *w)
{
	struct ib_uverbs_async_event_desc event = {};
	char line[64];

	snprintf(line, sizeof(line), "recv %u 200", w->rc_num);
	EXPECT("200 completions into a CQ of 128", hook("complete", line), 0);
	EXPECT("an async event", readable(w->async_fd, PATIENCE), 1);
	EXPECT("16 bytes", read(w->async_fd, &event, sizeof(event)), 16);
	EXPECT("CQ error", event.event_type, 0);
	EXPECT("of that CQ", event.element, 0xc0);
}

static void check_events(struct rv_world *w)
{
	struct ib_uverbs_async_event_desc event = {};
	char line[64];

	snprintf(line, sizeof(line), "1 %u", w->rc_num);
	EXPECT("a QP fatal event", hook("event", line), 0);
	EXPECT("arrives", readable(w->async_fd, PATIENCE), 1);
	EXPECT("whole", read(w->async_fd, &event, sizeof(event)), 16);
	EXPECT("as QP fatal", event.event_type, 1);
	EXPECT("of that QP", event.element, 0x90);
	EXPECT("a port event", hook("event", "9 1"), 0);
	EXPECT("arrives", readable(w->async_fd, PATIENCE), 1);
	EXPECT("whole", read(w->async_fd, &event, sizeof(event)), 16);
	EXPECT("as port active", event.event_type, 9);
	EXPECT("of port 1", event.element, 1);
}

static void check_faults(struct rv_world *w)
{
	struct rv_world other = *w;

	EXPECT("the next alloc_pd is to fail", hook("fail", "alloc_pd 1 ENOSPC"),
	       0);
	EXPECT("it does", rv_make_pd(&other), -ENOSPC);
	EXPECT("once", rv_make_pd(&other), 0);
	EXPECT("undone", rv_undo_pd(&other), 0);
	EXPECT("a failing destroy", hook("fail", "dealloc_pd 1 EBUSY"), 0);
	EXPECT("another PD", rv_make_pd(&other), 0);
	EXPECT("fails", rv_undo_pd(&other), -EBUSY);
	EXPECT("and works again", rv_undo_pd(&other), 0);
	EXPECT("an unknown op is refused", hook("fail", "nothing 1 EIO"),
	       -ENOENT);
}

static void check_mapping(struct rv_world *w, const char *name, uint64_t offset)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
			  w->fd, offset);
	char *twin;

	if (page == MAP_FAILED) {
		EXPECT(name, -errno, 0);
		return;
	}
	strcpy(page, name);
	twin = mmap(NULL, 4096, PROT_READ, MAP_SHARED, w->fd, offset);
	EXPECT(name, twin != MAP_FAILED && !strcmp(twin, name), 1);
	if (twin != MAP_FAILED)
		munmap(twin, 4096);
	munmap(page, 4096);
}

static void check_mmap(struct rv_world *w)
{
	check_mapping(w, "map the device page", 0);
	check_mapping(w, "map the io page", w->io_offset);
	check_mapping(w, "map the ram page", w->ram_offset);
	EXPECT("an offset that is not there",
	       mmap(NULL, 4096, PROT_READ, MAP_SHARED, w->fd, 0x7000000) ==
	       MAP_FAILED, 1);
	EXPECT("more than a page",
	       mmap(NULL, 8192, PROT_READ, MAP_SHARED, w->fd, w->io_offset) ==
	       MAP_FAILED, 1);
	EXPECT("a private mapping",
	       mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, w->fd, w->io_offset) ==
	       MAP_FAILED, 1);
}

static void check_counts(struct rv_world *w)
{
	static const struct { const char *kind; int count; } kinds[] = {
		{ "ucontext", 1 }, { "mmap_entry", 2 }, { "pd", 1 },
		{ "cq", 2 }, { "mr", 1 }, { "mw", 1 }, { "ah", 1 },
		{ "srq", 2 }, { "xrcd", 1 }, { "qp", 6 }, { "wq", 1 },
		{ "rwq_ind_table", 1 }, { "flow", 1 }, { "mcast", 1 },
	};
	size_t i;

	(void)w;
	/* A kernel client of the device (MAD) has some of its own. */
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (count_of(kinds[i].kind) < kinds[i].count)
			EXPECT(kinds[i].kind, count_of(kinds[i].kind),
			       kinds[i].count);
}

int main(int argc, char **argv)
{
	struct rv_world w;
	int before, ret;
	size_t i;

	if (argc != 2) {
		fprintf(stderr, "usage: testdev_client DEVICE\n");
		return 2;
	}
	device = argv[1];
	ret = rv_world_init(&w, device);
	if (ret) {
		fprintf(stderr, "%s: %s\n", device, strerror(-ret));
		return 1;
	}
	before = count_of("pd");
	for (i = 0; i < RV_STEPS; i++)
		EXPECT(rv_steps[i].name, rv_steps[i].make(&w), 0);
	if (failed)
		return 1;

	check_counts(&w);
	check_mmap(&w);
	check_completions(&w);
	check_faults(&w);
	check_events(&w);
	check_hold(&w);
	check_overrun(&w);

	EXPECT("a PD in use stays", rv_undo_pd(&w), -EBUSY);
	EXPECT("a CQ in use stays", rv_undo_cq(&w), -EBUSY);
	for (i = RV_STEPS; i-- > 0;)
		if (rv_steps[i].undo)
			EXPECT(rv_steps[i].name, rv_steps[i].undo(&w), 0);
	EXPECT("no context is left", count_of("ucontext"), 0);
	EXPECT("no PD is left", count_of("pd"), before);
	return verdict();
}
