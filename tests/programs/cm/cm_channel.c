// SPDX-License-Identifier: GPL-2.0
/*
 * The descriptor of an event channel: poll(), select(), epoll, O_NONBLOCK, a reader
 * that sleeps; ids that move to another channel; events that are not given back.
 *
 * cm_channel ADDRESS PORT	ADDRESS is this host's own
 */
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include "cm.h"

static int wrong;

#define ROW(good, name) do {						\
	bool good_ = (good);						\
	printf("%s %s\n", good_ ? "ok  " : "FAIL", name);		\
	wrong += !good_;						\
} while (0)

static struct sockaddr *there;

static struct rdma_event_channel *make_channel(void)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();

	NEED(channel);
	return channel;
}

static void set_nonblock(struct rdma_event_channel *channel, bool on)
{
	int flags = fcntl(channel->fd, F_GETFL);

	NEED(!fcntl(channel->fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK));
}

static struct rdma_cm_id *begin(struct rdma_event_channel *channel)
{
	struct rdma_cm_id *id;

	NEED(!rdma_create_id(channel, &id, NULL, RDMA_PS_TCP));
	NEED(!rdma_resolve_addr(id, NULL, there, CM_SECONDS * 1000));
	return id;
}

static short polled(int fd, int ms)
{
	struct pollfd pfd = { fd, POLLIN | POLLOUT };

	return poll(&pfd, 1, ms) == 1 ? pfd.revents : 0;
}

static int selected(int fd, int seconds)
{
	struct timeval limit = { .tv_sec = seconds };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	return select(fd + 1, &set, NULL, NULL, &limit);
}

static bool nothing_yet(struct rdma_event_channel *channel)
{
	struct rdma_cm_event *event;

	errno = 0;
	return rdma_get_cm_event(channel, &event) == -1 && errno == EAGAIN;
}

/* Of @id, which resolves its address, and given back. */
static bool resolved(struct rdma_event_channel *channel, struct rdma_cm_id *id)
{
	struct rdma_cm_event *event;
	bool good;

	if (rdma_get_cm_event(channel, &event))
		return false;
	good = event->event == RDMA_CM_EVENT_ADDR_RESOLVED && !event->status && event->id == id;
	return !rdma_ack_cm_event(event) && good;
}

static void without_blocking(void)
{
	struct rdma_event_channel *channel = make_channel();
	struct rdma_cm_id *id;

	set_nonblock(channel, true);
	ROW(nothing_yet(channel), "O_NONBLOCK: EAGAIN when there is no event");
	ROW(!polled(channel->fd, 0), "poll(): nothing to read, nothing to write");
	ROW(!selected(channel->fd, 0), "select(): nothing");
	id = begin(channel);
	ROW(polled(channel->fd, CM_SECONDS * 1000) == POLLIN, "poll() wakes up for an event");
	ROW(selected(channel->fd, 0) == 1, "select() sees it too");
	ROW(resolved(channel, id), "O_NONBLOCK: the event");
	ROW(!polled(channel->fd, 0) && nothing_yet(channel), "and no more");
	NEED(!rdma_destroy_id(id));
	id = begin(channel);
	ROW(selected(channel->fd, CM_SECONDS) == 1, "select() wakes up for an event");
	ROW(polled(channel->fd, 0) == POLLIN, "poll() sees it too");
	NEED(!rdma_destroy_id(id));
	ROW(!polled(channel->fd, 0), "an event not fetched goes with its id");
	rdma_destroy_event_channel(channel);
}

static void edge_and_level(void)
{
	struct rdma_event_channel *channel = make_channel();
	struct epoll_event want = { .events = EPOLLIN | EPOLLET }, got;
	struct rdma_cm_id *id;
	int fd = epoll_create1(0);

	NEED(fd >= 0 && !epoll_ctl(fd, EPOLL_CTL_ADD, channel->fd, &want));
	ROW(!epoll_wait(fd, &got, 1, 0), "epoll, by edges: nothing");
	id = begin(channel);
	ROW(epoll_wait(fd, &got, 1, CM_SECONDS * 1000) == 1 && got.events == EPOLLIN,
	    "epoll, by edges: an event");
	ROW(!epoll_wait(fd, &got, 1, 0), "epoll, by edges: told once");
	ROW(resolved(channel, id), "and there it is");
	NEED(!rdma_destroy_id(id));
	close(fd);
	rdma_destroy_event_channel(channel);
}

/* ---- a thread that sleeps ----------------------------------------------------- */

struct sleeper {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	bool good;
	volatile pid_t tid;
};

static void *fetch(void *arg)
{
	struct sleeper *s = arg;
	struct rdma_cm_event *event;

	s->tid = gettid();
	s->good = !rdma_get_cm_event(s->channel, &event);
	if (s->good) {
		s->good = event->event == RDMA_CM_EVENT_ADDR_RESOLVED;
		rdma_ack_cm_event(event);
	}
	return NULL;
}

static void *destroy(void *arg)
{
	struct sleeper *s = arg;

	s->tid = gettid();
	s->good = !rdma_destroy_id(s->id);
	return NULL;
}

/* Until the thread sleeps in the kernel. */
static void wait_asleep(const struct sleeper *s)
{
	double end = cm_now() + CM_SECONDS;
	char path[64], state = 0;
	FILE *file;

	while (state != 'S') {
		NEED(cm_now() < end);
		usleep(1000);
		if (!s->tid)
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%d/stat", s->tid);
		file = fopen(path, "r");
		NEED(file);
		NEED(fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
		fclose(file);
	}
}

static void nop(int signal)
{
	(void)signal;
}

static void sleeping(void)
{
	struct sleeper s = { make_channel() };
	struct sigaction action = { .sa_handler = nop };
	pthread_t thread;

	NEED(!pthread_create(&thread, NULL, fetch, &s));
	wait_asleep(&s);
	s.id = begin(s.channel);
	NEED(!pthread_join(thread, NULL));
	ROW(s.good, "a thread that sleeps in rdma_get_cm_event() is woken");
	NEED(!rdma_destroy_id(s.id));

	/* Without SA_RESTART the call ends; its errno is not this library's own. */
	NEED(!sigaction(SIGUSR1, &action, NULL));
	s.tid = 0;
	NEED(!pthread_create(&thread, NULL, fetch, &s));
	wait_asleep(&s);
	NEED(!pthread_kill(thread, SIGUSR1));
	NEED(!pthread_join(thread, NULL));
	ROW(!s.good, "and by a signal");
	rdma_destroy_event_channel(s.channel);
}

static void not_given_back(void)
{
	struct sleeper s = { make_channel() };
	struct rdma_cm_event *event;
	pthread_t thread;

	s.id = begin(s.channel);
	NEED(polled(s.channel->fd, CM_SECONDS * 1000));
	NEED(!rdma_get_cm_event(s.channel, &event));
	NEED(!pthread_create(&thread, NULL, destroy, &s));
	wait_asleep(&s);
	ROW(!s.good, "rdma_destroy_id() waits for an event that was not given back");
	NEED(!rdma_ack_cm_event(event));
	NEED(!pthread_join(thread, NULL));
	ROW(s.good, "and ends when it was");
	rdma_destroy_event_channel(s.channel);
}

/* ---- from channel to channel -------------------------------------------------- */

static void moving(void)
{
	struct rdma_event_channel *old = make_channel(), *new = make_channel();
	struct rdma_cm_id *id = begin(old), *stays = begin(old);

	set_nonblock(old, true);
	set_nonblock(new, true);
	/* Two are there when the second one is: they come in any order. */
	NEED(polled(old->fd, CM_SECONDS * 1000));
	ROW(!rdma_migrate_id(id, new), "an id moves to another channel");
	NEED(polled(new->fd, CM_SECONDS * 1000));
	ROW(resolved(new, id), "its event goes with it");
	ROW(nothing_yet(new), "and nothing else");
	NEED(polled(old->fd, CM_SECONDS * 1000));
	ROW(resolved(old, stays), "the other one's stays");
	ROW(nothing_yet(old), "alone");
	NEED(!rdma_resolve_route(id, CM_SECONDS * 1000));
	ROW(polled(new->fd, CM_SECONDS * 1000) == POLLIN && nothing_yet(old),
	    "what happens later comes to the new channel");
	NEED(!rdma_destroy_id(id));
	NEED(!rdma_destroy_id(stays));
	rdma_destroy_event_channel(old);
	rdma_destroy_event_channel(new);
}

/* Without a channel every call waits for its own event. */
static void alone(void)
{
	struct rdma_cm_id *id;

	NEED(!rdma_create_id(NULL, &id, NULL, RDMA_PS_TCP));
	ROW(!rdma_resolve_addr(id, NULL, there, CM_SECONDS * 1000) && id->verbs,
	    "an id without a channel: rdma_resolve_addr() waits");
	ROW(!rdma_resolve_route(id, CM_SECONDS * 1000), "rdma_resolve_route() too");
	NEED(!rdma_destroy_id(id));
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: cm_channel ADDRESS PORT\n");
		return 2;
	}
	there = cm_address(argv[1], atoi(argv[2]));
	without_blocking();
	edge_and_level();
	sleeping();
	not_given_back();
	moving();
	alone();
	return wrong != 0;
}
