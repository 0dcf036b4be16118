// SPDX-License-Identifier: GPL-2.0
/* Four ways to wait for an event of rdma_cm: its channel is a file descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/select.h>
#include <unistd.h>
#include "sum.h"

static const char * const names[] = { "block", "nonblock", "poll", "select" };

bool wait_by_name(const char *name, enum wait_by *by)
{
	int i;

	for (i = 0; i < 4; i++)
		if (!strcmp(name, names[i])) {
			*by = i;
			return true;
		}
	return false;
}

/* A caller that asks before reading does not want to sleep in the reading. */
int wait_prepare(struct rdma_event_channel *channel, enum wait_by by)
{
	int flags = fcntl(channel->fd, F_GETFL);

	if (by == BY_BLOCKING)
		return 0;
	return flags < 0 ? -1 : fcntl(channel->fd, F_SETFL, flags | O_NONBLOCK);
}

static int wait_readable(int fd, enum wait_by by)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	fd_set set;

	switch (by) {
	case BY_POLL:
		return poll(&pfd, 1, -1);
	case BY_SELECT:
		FD_ZERO(&set);
		FD_SET(fd, &set);
		return select(fd + 1, &set, NULL, NULL, NULL);
	case BY_NONBLOCKING:
		/* Whatever a program has to do meanwhile. */
		usleep(1000);
		return 1;
	default:
		return 1;
	}
}

struct rdma_cm_event *wait_event(struct rdma_event_channel *channel, enum wait_by by)
{
	struct rdma_cm_event *event;

	for (;;) {
		if ((by == BY_POLL || by == BY_SELECT) &&
		    wait_readable(channel->fd, by) < 0 && errno != EINTR)
			return NULL;
		if (!rdma_get_cm_event(channel, &event))
			return event;
		if (errno != EAGAIN && errno != EINTR)
			return NULL;
		if (by == BY_NONBLOCKING)
			wait_readable(channel->fd, by);
	}
}

bool wait_expect(struct rdma_event_channel *channel, enum wait_by by,
		 enum rdma_cm_event_type type)
{
	struct rdma_cm_event *event = wait_event(channel, by);
	bool good;

	if (!event) {
		perror("rdma_get_cm_event");
		return false;
	}
	good = event->event == type && !event->status;
	if (!good)
		fprintf(stderr, "%s (status %d) instead of %s\n",
			rdma_event_str(event->event), event->status, rdma_event_str(type));
	rdma_ack_cm_event(event);
	return good;
}

bool wait_completion(struct ibv_comp_channel *channel, struct ibv_cq *cq, struct ibv_wc *wc)
{
	struct ibv_cq *which;
	void *context;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, wc))) {
		if (ibv_get_cq_event(channel, &which, &context))
			return false;
		ibv_ack_cq_events(which, 1);
		/* What came before this is found by the next look. */
		if (ibv_req_notify_cq(cq, 0))
			return false;
	}
	if (n < 0 || wc->status != IBV_WC_SUCCESS) {
		fprintf(stderr, "completion: %s\n", n < 0 ? "none" : ibv_wc_status_str(wc->status));
		return false;
	}
	return true;
}
