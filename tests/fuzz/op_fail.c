// SPDX-License-Identifier: GPL-2.0
/* An allocation that fails: the one of this process that the operation says, counted from here. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "choice.h"
#include "op.h"

/* A file of this process; the suite says which allocations count. */
static void fail_after(uint32_t n)
{
	char text[16];
	int fd = open("/proc/thread-self/fail-nth", O_WRONLY | O_CLOEXEC), ret = 0;

	snprintf(text, sizeof(text), "%u", n);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		ret = errno;
	close(fd);
	feature(F_FAIL, ret);
}

/* Most calls allocate a few times; what is far away may be that of the end. */
static void op_next(void)
{
	fail_after(1 + (choice(4) ? choice(12) : choice(250)));
}

const struct op fail_ops[] = {
	{ "fail.next", op_next, 8, 0 },
	{ 0 }
};
