// SPDX-License-Identifier: GPL-2.0
/* Memory of other kinds, where operations register and scribble: files, holes, queues of a driver. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "choice.h"
#include "op.h"
#include "ring.h"

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif

enum { P_SHARED, P_MEMFD, P_SECRET, P_PROGRAM, P_READ_ONLY, P_QUEUE, P_HOLE, P_ALIAS, PLACES };

static int memfd = -1;

static int at_file(char *at, size_t size, int fd, int prot, int flags, uint64_t offset)
{
	return mmap(at, size, prot, flags | MAP_FIXED, fd, offset) == MAP_FAILED ? errno : 0;
}

/* The file stays open, what is mapped of it may end before the mapping does. */
static int at_memfd(char *at, size_t size, int fd)
{
	if (fd < 0)
		return errno;
	if (ftruncate(fd, 16 * 4096)) {
		close(fd);
		return errno;
	}
	if (memfd >= 0)
		close(memfd);
	memfd = fd;
	return at_file(at, size, fd, PROT_READ | PROT_WRITE, MAP_SHARED, choice(4) * 4096);
}

static int at_program(char *at, size_t size, int prot, int flags)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), ret;

	ret = at_file(at, size, fd, prot, flags, 0);
	close(fd);
	return ret;
}

/* A queue of the device, where its peer writes. */
static int at_queue(char *at)
{
	uint64_t offset;
	uint32_t size;

	if (!world_offset(&offset, &size))
		return ENOENT;
	if (size > 8 * 4096)
		size = 8 * 4096;
	return at_file(at, size, uverbs_file(), PROT_READ | PROT_WRITE, MAP_SHARED, offset);
}

static void op_place(void)
{
	char *at = world_pages + choice(16) * 4096;
	size_t size = (1 + choice(8)) * 4096;
	int kind = choice(PLACES), ret = 0, rw = PROT_READ | PROT_WRITE;

	switch (kind) {
	case P_SHARED:
		ret = at_file(at, size, -1, rw, MAP_SHARED | MAP_ANONYMOUS, 0);
		break;
	case P_MEMFD:
		ret = at_memfd(at, size, memfd_create("fuzz", MFD_CLOEXEC));
		break;
	case P_SECRET:
		ret = at_memfd(at, size, syscall(SYS_memfd_secret, O_CLOEXEC));
		break;
	case P_PROGRAM:
		ret = at_program(at, size, rw, MAP_PRIVATE);
		break;
	case P_READ_ONLY:
		ret = at_program(at, size, PROT_READ, MAP_SHARED);
		break;
	case P_QUEUE:
		ret = at_queue(at);
		break;
	case P_HOLE:
		ret = munmap(at, size);
		break;
	case P_ALIAS:	/* another address of the same pages, the old one stays or goes */
		ret = mremap(at, choice(2) ? size : 0, size, MREMAP_MAYMOVE | MREMAP_FIXED,
			     world_pages + (16 + choice(16)) * 4096) == MAP_FAILED ? errno : 0;
		break;
	}
	feature(F_PLACE + kind, ret);
}

/* What is registered loses its pages, or gets others. */
static void op_truncate(void)
{
	int way = choice(4), ret;

	if (memfd < 0)
		return;
	if (way < 2)
		ret = ftruncate(memfd, choice(17) * 4096 + (choice(4) ? 0 : choice(4096)));
	else
		ret = fallocate(memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				choice(16) * 4096, (1 + choice(4)) * 4096);
	feature(F_PLACE + PLACES + way / 2, ret ? errno : 0);
}

const struct op place_ops[] = {
	{ "memory.place", op_place, 4, 0 },
	{ "memory.truncate", op_truncate, 2, 0 },
	{ 0 }
};
