/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What programs that test rdma_cm share: addresses, events with a limit, messages.
 */
#ifndef CM_H
#define CM_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

/* Longer than every retry of a connection manager together; a debug kernel is slow. */
#define CM_SECONDS 180

#define NEED(x) do {							\
	if (!(x)) {							\
		printf("FAIL %s:%d: %s: %s\n", __FILE__, __LINE__, #x,	\
		       strerror(errno));				\
		exit(1);						\
	}								\
} while (0)

/* "10.0.0.1", "fd00::1" or, to any address, "0.0.0.0" and "::" */
static inline struct sockaddr *cm_address(const char *text, int port)
{
	struct sockaddr_storage *address = calloc(1, sizeof(*address));
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)address;
	struct sockaddr_in *in = (struct sockaddr_in *)address;

	if (strchr(text, ':')) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
		NEED(inet_pton(AF_INET6, text, &in6->sin6_addr) == 1);
	} else {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		NEED(inet_pton(AF_INET, text, &in->sin_addr) == 1);
	}
	return (struct sockaddr *)address;
}

/* Without the part that all names share. */
static inline const char *cm_name(enum rdma_cm_event_type event)
{
	return rdma_event_str(event) + strlen("RDMA_CM_EVENT_");
}

/* The next event, or NULL when none came in time. */
static inline struct rdma_cm_event *cm_next(struct rdma_event_channel *channel, int ms)
{
	struct pollfd pfd = { channel->fd, POLLIN };
	struct rdma_cm_event *event;
	int n;

	do {
		n = poll(&pfd, 1, ms);
	} while (n < 0 && errno == EINTR);
	if (n <= 0 || rdma_get_cm_event(channel, &event))
		return NULL;
	return event;
}

/* The network namespace of /run/netns/NAME is this process' own from here on. */
static inline void cm_enter(const char *name)
{
	char path[128];
	int fd;

	if (!name)
		return;
	snprintf(path, sizeof(path), "/run/netns/%s", name);
	NEED((fd = open(path, O_RDONLY)) >= 0);
	NEED(!setns(fd, 0));
	close(fd);
}

static inline double cm_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

#endif /* CM_H */
