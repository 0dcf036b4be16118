/* SPDX-License-Identifier: GPL-2.0 */
/* What the two processes of roce_soak say to each other, by a socket of their own. */
#ifndef SOAK_TALK_H
#define SOAK_TALK_H

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "soak_plan.h"

#define HANG 60			/* seconds without a completion */

#define NEED(x) do { if (!(x)) { \
	printf("%c: %s: %s (line %d)\n", 'A' + me, #x, strerror(errno), __LINE__); \
	exit(1); } } while (0)

static int control;

static void exchange(void *mine, void *theirs, size_t size)
{
	struct pollfd p = { .fd = control, .events = POLLIN };

	NEED(write(control, mine, size) == (ssize_t)size);
	if (poll(&p, 1, 2 * HANG * 1000) != 1 || recv(control, theirs, size, MSG_WAITALL) !=
	    (ssize_t)size) {
		printf("%c: the other side is lost, batch %ld\n", 'A' + me, batch);
		exit(1);
	}
}

static void meet(void)
{
	char mine = 0, theirs;

	exchange(&mine, &theirs, 1);
}

#endif /* SOAK_TALK_H */
