/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Messages between the two queue pairs of full_queues.h, and memory of all kinds as their source
 * and target, while it is there and when it goes away.
 */
#ifndef LIFE_MEMORY_H
#define LIFE_MEMORY_H

#include <sys/mman.h>
#include <sys/shm.h>
#include <time.h>

#include "full_queues.h"

#define PAGE	4096
#define LENGTH	(6 * PAGE)
#define HALF	(AREA / 2)
#define NONE	(-1)

/* ---- messages -------------------------------------------------------------------- */

/* Return: status of the first completion, or NONE: there was none. */
static int ended(void)
{
	time_t limit = time(NULL) + PATIENCE / 1000;
	struct ibv_wc wc;

	while (time(NULL) < limit)
		if (ibv_poll_cq(cq, 1, &wc))
			return wc.status;
	return NONE;
}

static int begin(enum ibv_wr_opcode opcode, void *local, uint32_t lkey, uint32_t length,
		 void *remote, uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)local, length, lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)remote, rkey },
	};

	return ibv_post_send(asker.qp, &wr, &bad);
}

static int message(enum ibv_wr_opcode opcode, void *local, uint32_t lkey, uint32_t length,
		   void *remote, uint32_t rkey)
{
	return begin(opcode, local, lkey, length, remote, rkey) ? NONE : ended();
}

static struct ibv_mr *region(void *at, size_t length)
{
	return ibv_reg_mr(pd, at, length, RIGHTS);
}

/* From the area into memory, by a WRITE. */
static int put(void *at, const struct ibv_mr *to, uint32_t length)
{
	return message(IBV_WR_RDMA_WRITE, area, mr->lkey, length, at, to->rkey);
}

/* The other way, by a READ. */
static int get(void *at, const struct ibv_mr *from, uint32_t length)
{
	return message(IBV_WR_RDMA_READ, area, mr->lkey, length, at, from->rkey);
}

static bool all(const uint8_t *at, size_t length, uint8_t byte)
{
	while (length--)
		if (*at++ != byte)
			return false;
	return true;
}

static void fill(uint8_t *at, size_t length, uint32_t seed)
{
	for (size_t i = 0; i < length; i++) {
		seed = seed * 1664525 + 1013904223;
		at[i] = seed >> 24;
	}
}

/* ---- memory of all kinds --------------------------------------------------------------- */

struct memory {
	const char *name;
	int fd;			/* of a file that has what is written; or -1 */
	uint8_t *at;
};

static uint8_t *map(struct memory *m, int flags)
{
	m->at = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, flags, m->fd, 0);
	return m->at == MAP_FAILED ? NULL : m->at;
}

static int file(const char *folder)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "%s/life.XXXXXX", folder);
	NEED((fd = mkstemp(name)) >= 0);
	NEED(!unlink(name) && !ftruncate(fd, LENGTH));
	return fd;
}

static void use(struct memory *m, bool shared)
{
	uint8_t there[LENGTH];
	struct ibv_mr *r;

	NEED(r = region(m->at, LENGTH));
	fill(area, LENGTH, 1);
	EXPECT(m->name, put(m->at, r, LENGTH), 0);
	EXPECT("has what was written", memcmp(m->at, area, LENGTH), 0);
	if (shared)
		NEED(pread(m->fd, there, LENGTH, 0) == LENGTH);
	if (shared)
		EXPECT("and so has the file", memcmp(there, area, LENGTH), 0);
	fill(m->at, LENGTH, 2);
	EXPECT("is read", get(m->at, r, LENGTH), 0);
	EXPECT("as it is", memcmp(m->at, area, LENGTH), 0);
	NEED(!ibv_dereg_mr(r));
	NEED(!munmap(m->at, LENGTH));
	if (m->fd >= 0)
		close(m->fd);
}

static void kinds(void)
{
	struct memory m = { "anonymous memory", -1 };
	int id;

	NEED(map(&m, MAP_PRIVATE | MAP_ANONYMOUS));
	use(&m, false);
	m = (struct memory){ "anonymous memory that is shared", -1 };
	NEED(map(&m, MAP_SHARED | MAP_ANONYMOUS));
	use(&m, false);
	m = (struct memory){ "a memfd", memfd_create("life", 0) };
	NEED(m.fd >= 0 && !ftruncate(m.fd, LENGTH) && map(&m, MAP_SHARED));
	use(&m, true);
	m = (struct memory){ "a file", file("/dev/shm") };
	NEED(map(&m, MAP_SHARED));
	use(&m, true);
	m = (struct memory){ "a private mapping of a file", file("/dev/shm") };
	NEED(map(&m, MAP_PRIVATE));
	use(&m, false);
	NEED((id = shmget(IPC_PRIVATE, LENGTH, IPC_CREAT | 0600)) >= 0);
	m = (struct memory){ "a segment of System V", -1, shmat(id, NULL, 0) };
	NEED(!shmctl(id, IPC_RMID, NULL) && m.at != (void *)-1);
	use(&m, false);
}

/* What pages of a file on disk are is up to the kernel: it may refuse them. */
static void disk_file(void)
{
	struct memory m = { "a file of the root", file("/var/tmp") };
	struct ibv_mr *r;

	NEED(map(&m, MAP_SHARED));
	r = region(m.at, LENGTH);
	if (r)
		EXPECT(m.name, put(m.at, r, LENGTH), 0);
	else
		EXPECT("a file of the root is refused", errno == EFAULT || errno == EOPNOTSUPP ||
		       errno == EINVAL, 1);
	NEED(!r || !ibv_dereg_mr(r));
	close(m.fd);
}

/* ---- memory that goes away ---------------------------------------------------------------- */

static uint8_t *pages(void)
{
	uint8_t *at = mmap(NULL, LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(at != MAP_FAILED);
	memset(at, 0x11, LENGTH);
	return at;
}

static void unmapped(void)
{
	uint8_t *at = pages();
	struct ibv_mr *r;

	NEED(r = region(at, LENGTH));
	NEED(!munmap(at + PAGE, PAGE));
	memset(area, 0x22, LENGTH);
	EXPECT("a WRITE over pages of which one is not mapped any more", put(at, r, LENGTH), 0);
	EXPECT("is before it", all(at, PAGE, 0x22), 1);
	EXPECT("and behind it", all(at + 2 * PAGE, LENGTH - 2 * PAGE, 0x22), 1);
	NEED(mmap(at + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		  -1, 0) == at + PAGE);
	memset(area, 0x33, LENGTH);
	EXPECT("and over one that is another page now", put(at, r, LENGTH), 0);
	EXPECT("which has none of it", all(at + PAGE, PAGE, 0), 1);
	NEED(!ibv_dereg_mr(r));
	NEED(!munmap(at, LENGTH));
}

static void protected(void)
{
	uint8_t *at = pages(), *to;
	struct ibv_mr *r;

	NEED(r = region(at, LENGTH));
	NEED(!mprotect(at, LENGTH, PROT_READ));
	memset(area, 0x44, LENGTH);
	EXPECT("a WRITE to what this program may only read now", put(at, r, LENGTH), 0);
	EXPECT("arrives", all(at, LENGTH, 0x44), 1);
	NEED((to = mremap(at, LENGTH, 2 * LENGTH, MREMAP_MAYMOVE)) != MAP_FAILED);
	memset(area, 0x55, LENGTH);
	EXPECT("and to what has moved", put(at, r, LENGTH), 0);
	EXPECT("arrives there", all(to, LENGTH, 0x55), 1);
	NEED(!madvise(to, LENGTH, MADV_DONTNEED));
	EXPECT("and to what is not needed", put(at, r, LENGTH), 0);
	EXPECT("which reads as zeros", all(to, LENGTH, 0), 1);
	NEED(!ibv_dereg_mr(r));
	NEED(!munmap(to, 2 * LENGTH));
}

static void truncated(void)
{
	struct memory m = { "", memfd_create("life", 0) };
	struct ibv_mr *r;

	NEED(m.fd >= 0 && !ftruncate(m.fd, LENGTH) && map(&m, MAP_SHARED));
	NEED(r = region(m.at, LENGTH));
	NEED(!ftruncate(m.fd, 0));
	EXPECT("a WRITE to a file that is empty now", put(m.at, r, LENGTH), 0);
	EXPECT("and a READ", get(m.at, r, LENGTH), 0);
	NEED(!ftruncate(m.fd, LENGTH));
	EXPECT("it is zeros when it grows", all(m.at, LENGTH, 0), 1);
	NEED(!ibv_dereg_mr(r));
	NEED(!munmap(m.at, LENGTH));
	close(m.fd);
}

#endif /* LIFE_MEMORY_H */
