// SPDX-License-Identifier: GPL-2.0
/* What a program does to its memory, its descriptors and itself while they are in use. */
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "choice.h"
#include "op.h"
#include "ring.h"

static void op_mmap(void)
{
	static const int prots[] = {
		PROT_READ | PROT_WRITE, PROT_READ, PROT_WRITE, PROT_NONE, PROT_READ | PROT_EXEC,
	};
	uint64_t offset = 0;
	uint32_t size = 0;
	char *at;

	if (!world_offset(&offset, &size) || !choice(6))
		offset = choice(2) ? choice(64) * 4096 : choice_odd();
	if (!choice(4) || !size)
		size = choice(4) ? (1 + choice(32)) * 4096 : choice_odd();
	at = mmap(NULL, size, prots[choice(8) < 5 ? 0 : choice(5)],
		  choice(8) ? MAP_SHARED : MAP_PRIVATE, choice(8) ? uverbs_file() : world_fd(),
		  offset & (choice(8) ? ~4095ull : ~0ull));
	feature(F_MEMORY, at == MAP_FAILED);
	if (at != MAP_FAILED)
		world_keep_map(at, size);
}

static void op_munmap(void)
{
	char *at;
	uint32_t size;

	if (!world_map(&at, &size))
		return;
	/* Rings of the generators go with it: those look into them. */
	if (!choice(2))
		size = 4096;
	feature(F_MEMORY + 1, munmap(at, size));
	mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void op_mremap(void)
{
	char *at, *to;
	uint32_t size;

	if (!world_map(&at, &size))
		return;
	to = mremap(at, size, choice(2) ? size : (1 + choice(32)) * 4096,
		    choice(2) ? MREMAP_MAYMOVE : 0);
	feature(F_MEMORY + 2, to == MAP_FAILED);
	if (to != MAP_FAILED && to != at) {
		world_keep_map(to, size);
		mmap(at, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
}

/* Pages that may be registered. */
static void op_pages(void)
{
	static const int advice[] = { MADV_DONTNEED, MADV_DONTFORK, MADV_DOFORK, MADV_FREE };
	char *at = world_pages + choice(16) * 4096;
	size_t size = (1 + choice(8)) * 4096;
	int way = choice(6), ret = 0;

	if (way < 4)
		ret = madvise(at, size, advice[way]);
	else if (way == 4)
		ret = mprotect(at, size, choice(2) ? PROT_READ : PROT_READ | PROT_WRITE);
	else if (munmap(at, size) == 0)
		mmap(at, size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	feature(F_MEMORY + 3 + way, ret);
}

/* What follows in the input is done by the child, the parent waits or ends first. */
static void op_fork(void)
{
	bool waits = choice(4);
	pid_t pid = fork();

	if (pid <= 0)
		return;
	if (waits)
		waitpid(pid, NULL, 0);
	_exit(0);
}

static void op_close_fd(void)
{
	int fd = world_take_fd();

	if (fd > 2)
		feature(F_MEMORY + 10, close(fd));
}

static void op_read(void)
{
	char event[512];
	int fd = world_fd();
	struct pollfd ready = { fd, POLLIN | POLLOUT | POLLERR, 0 };
	ssize_t n;

	if (choice(4)) {
		poll(&ready, 1, choice(3));
		feature(F_MEMORY + 11, ready.revents);
	}
	fcntl(fd, F_SETFL, O_NONBLOCK);
	n = read(fd, event, choice(4) ? sizeof(event) : choice(64));
	feature(F_MEMORY + 12, n > 0 ? 0 : 1);
}

/* It sleeps until there is something, or until it is interrupted. */
static void op_sleep(void)
{
	char event[512];
	int fd = world_fd();
	ssize_t n;

	fcntl(fd, F_SETFL, 0);
	n = read(fd, event, choice(4) ? sizeof(event) : choice(64));
	feature(F_MEMORY + 13, n > 0 ? 0 : 1);
	fcntl(fd, F_SETFL, O_NONBLOCK);
}

static void op_flags(void)
{
	int fd = world_fd();

	fcntl(fd, F_SETFL, choice(2) ? O_NONBLOCK | O_ASYNC : O_NONBLOCK);
	fcntl(fd, F_SETOWN, getpid());
}

/* Workers and timers have their turn. */
static void op_wait(void)
{
	usleep(1000 * (1 + choice(20)));
}

const struct op memory_ops[] = {
	{ "memory.mmap", op_mmap, 4, 0 },
	{ "memory.munmap", op_munmap, 2, 0 },
	{ "memory.mremap", op_mremap, 1, 0 },
	{ "memory.pages", op_pages, 3, 0 },
	{ "process.fork", op_fork, 1, 0 },
	{ "process.wait", op_wait, 3, 0 },
	{ "file.close", op_close_fd, 2, 0 },
	{ "file.read", op_read, 5, 0 },
	{ "file.sleep", op_sleep, 1, 0 },
	{ "file.flags", op_flags, 1, 0 },
	{ 0 }
};
