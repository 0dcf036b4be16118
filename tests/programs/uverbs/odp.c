// SPDX-License-Identifier: GPL-2.0
/*
 * Regions on demand of ofed_testdev: what the device reads and writes is what
 * the process has there at that moment, whatever the process does to its memory.
 *
 * usage: odp DEVICE ROUNDS [huge] [long]
 *	ROUNDS	reads against a thread that takes the memory away
 *	huge	there are huge pages to be had
 *	long	a length that no list can hold, too (the kernel's own core warns)
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "raw_objects.h"
#include "verdict.h"

#define PAGE 4096UL
#define PAGES 8UL
#define HUGE_PAGE (512 * PAGE)
#define ON_DEMAND (1 << 6)
#define HUGETLB (1 << 7)
#define WRITABLE (ON_DEMAND | 1)

static struct rv_world world;
static int hook_fd;
static unsigned char buffer[16 * PAGE];
static struct testdev_odp last; /* as the device left it */

struct region {
	char *at;
	uint32_t handle, key;
};

static int reg(struct region *r, void *at, uint64_t length, uint32_t access)
{
	struct ib_uverbs_reg_mr_resp resp = {};
	struct ib_uverbs_reg_mr cmd = {
		.start = (uintptr_t)at, .hca_va = (uintptr_t)at,
		.length = length, .pd_handle = world.pd,
		.access_flags = access,
	};
	int ret = RV(world.fd, REG_MR, cmd, resp);

	r->at = at;
	r->handle = resp.mr_handle;
	r->key = resp.lkey;
	return ret;
}

static int dereg(struct region *r)
{
	return rv_drop(&world, IB_USER_VERBS_CMD_DEREG_MR, r->handle);
}

static int device(const struct region *r, uint32_t op, void *at,
		  uint64_t length, void *data)
{
	last = (struct testdev_odp) {
		.key = r->key, .op = op, .addr = (uintptr_t)at,
		.length = length, .data = (uintptr_t)data,
	};
	return ioctl(hook_fd, TESTDEV_ODP, &last) ? -errno : 0;
}

static int device_reads(const struct region *r, void *at, uint64_t length)
{
	memset(buffer, 0xee, sizeof(buffer));
	return device(r, TESTDEV_ODP_READ, at, length, buffer);
}

static int device_writes(const struct region *r, void *at, uint64_t length,
			 int value)
{
	memset(buffer, value, sizeof(buffer));
	return device(r, TESTDEV_ODP_WRITE, at, length, buffer);
}

static uint32_t mapped(const struct region *r)
{
	return device(r, TESTDEV_ODP_STATE, r->at, 0, NULL) ? ~0U : last.mapped;
}

static uint64_t invalidated(const struct region *r)
{
	return device(r, TESTDEV_ODP_STATE, r->at, 0, NULL) ? 0 :
		last.invalidated;
}

static int all(const void *bytes, int value, size_t length)
{
	const unsigned char *b = bytes;

	while (length--)
		if (*b++ != value)
			return 0;
	return 1;
}

static char *map(unsigned long pages, int prot)
{
	char *at = mmap(NULL, pages * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);

	if (at == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	/* Pages of their own, whatever the host's habits are. */
	madvise(at, pages * PAGE, MADV_NOHUGEPAGE);
	return at;
}

static void first_touch(void)
{
	char *at = map(PAGES, PROT_READ | PROT_WRITE);
	struct region r;

	EXPECT("a region of nothing yet", reg(&r, at, PAGES * PAGE, WRITABLE), 0);
	EXPECT("no page is mapped", mapped(&r), 0);
	EXPECT("looking finds the range",
	       device(&r, TESTDEV_ODP_LOOK, at, PAGES * PAGE, NULL), 0);
	EXPECT("all of it", last.pages, PAGES);
	EXPECT("and no page", last.mapped, 0);
	memset(at + PAGE, 0x11, 2 * PAGE);
	EXPECT("looking again",
	       device(&r, TESTDEV_ODP_LOOK, at, PAGES * PAGE, NULL), 0);
	EXPECT("finds the two that are there", last.mapped, 2);
	EXPECT("the device reads across pages",
	       device_reads(&r, at + PAGE - 100, 2 * PAGE + 200), 0);
	EXPECT("four pages", last.pages, 4);
	EXPECT("zeros in front", all(buffer, 0, 100), 1);
	EXPECT("what was written", all(buffer + 100, 0x11, 2 * PAGE), 1);
	EXPECT("zeros behind", all(buffer + 100 + 2 * PAGE, 0, 100), 1);
	memset(at, 0x22, PAGE);
	EXPECT("a first write is seen", device_reads(&r, at, PAGE), 0);
	EXPECT("in place of zeros", all(buffer, 0x22, PAGE), 1);
	EXPECT("the device writes", device_writes(&r, at + 50, 3 * PAGE, 0x33), 0);
	EXPECT("the process reads it", all(at + 50, 0x33, 3 * PAGE), 1);
	EXPECT("and what is beside it", all(at, 0x22, 50), 1);
	EXPECT("it goes", dereg(&r), 0);
	EXPECT("the memory stays", all(at + 50, 0x33, 3 * PAGE), 1);
	munmap(at, PAGES * PAGE);
}

static void take_away(void)
{
	char *at = map(PAGES, PROT_READ | PROT_WRITE);
	uint64_t before;
	struct region r;
	char *moved;

	memset(at, 0x44, PAGES * PAGE);
	EXPECT("a region", reg(&r, at, PAGES * PAGE, WRITABLE), 0);
	EXPECT("all of it is read", device_reads(&r, at, PAGES * PAGE), 0);
	EXPECT("every page is mapped", mapped(&r), PAGES);
	before = invalidated(&r);
	madvise(at + PAGE, PAGE, MADV_DONTNEED);
	EXPECT("MADV_DONTNEED is noticed", invalidated(&r) > before, 1);
	EXPECT("one page less", mapped(&r), PAGES - 1);
	EXPECT("it is read again", device_reads(&r, at + PAGE, PAGE), 0);
	EXPECT("as zeros", all(buffer, 0, PAGE), 1);

	before = invalidated(&r);
	munmap(at + 2 * PAGE, PAGE);
	EXPECT("munmap is noticed", invalidated(&r) > before, 1);
	EXPECT("one page less by it", mapped(&r), PAGES - 1);
	EXPECT("a hole cannot be read", device_reads(&r, at + 2 * PAGE, 1),
	       -EFAULT);
	EXPECT("nor be written", device_writes(&r, at + 2 * PAGE, 1, 0),
	       -EFAULT);
	EXPECT("nor be a part", device_reads(&r, at, PAGES * PAGE), -EFAULT);
	EXPECT("its neighbours can", device_reads(&r, at + 3 * PAGE, PAGE), 0);
	EXPECT("be read", all(buffer, 0x44, PAGE), 1);
	mmap(at + 2 * PAGE, PAGE, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	memset(at + 2 * PAGE, 0x55, PAGE);
	EXPECT("what is mapped there later", device_reads(&r, at, PAGES * PAGE), 0);
	EXPECT("is read", all(buffer + 2 * PAGE, 0x55, PAGE), 1);

	before = invalidated(&r);
	moved = mremap(at + 4 * PAGE, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		       at + 5 * PAGE);
	EXPECT("mremap over the next page", moved == at + 5 * PAGE, 1);
	EXPECT("is noticed", invalidated(&r) > before, 1);
	EXPECT("the old place is a hole", device_reads(&r, at + 4 * PAGE, 1),
	       -EFAULT);
	EXPECT("the new place is not", device_reads(&r, at + 5 * PAGE, PAGE), 0);
	EXPECT("and has the contents", all(buffer, 0x44, PAGE), 1);
	EXPECT("the region goes", dereg(&r), 0);
	munmap(at, PAGES * PAGE);
}

static void rights(void)
{
	char *at = map(PAGES, PROT_READ | PROT_WRITE);
	struct region r, readable;

	memset(at, 0x66, PAGES * PAGE);
	EXPECT("a region to protect", reg(&r, at, PAGES * PAGE, WRITABLE), 0);
	EXPECT("is written", device_writes(&r, at, PAGE, 0x67), 0);
	mprotect(at, PAGE, PROT_READ);
	EXPECT("not when the process may not", device_writes(&r, at, 1, 0x68),
	       -EPERM);
	EXPECT("but is read", device_reads(&r, at, PAGE), 0);
	EXPECT("as it was", all(buffer, 0x67, PAGE), 1);
	mprotect(at, PAGE, PROT_NONE);
	EXPECT("nor read when that is gone", device_reads(&r, at, 1), -EFAULT);
	mprotect(at, PAGE, PROT_READ | PROT_WRITE);
	EXPECT("and written again", device_writes(&r, at, PAGE, 0x69), 0);
	EXPECT("by the device", all(at, 0x69, PAGE), 1);

	EXPECT("one byte before it", device_reads(&r, at - 1, 2), -EFAULT);
	EXPECT("one byte behind it",
	       device_reads(&r, at + PAGES * PAGE - 1, 2), -EFAULT);
	EXPECT("far from it", device_reads(&r, at + PAGES * PAGE, PAGE),
	       -EFAULT);
	EXPECT("the last byte", device_reads(&r, at + PAGES * PAGE - 1, 1), 0);

	EXPECT("another for reading",
	       reg(&readable, at, PAGES * PAGE, ON_DEMAND), 0);
	EXPECT("reads the same", device_reads(&readable, at, PAGE), 0);
	EXPECT("bytes", all(buffer, 0x69, PAGE), 1);
	EXPECT("the first goes", dereg(&r), 0);
	EXPECT("the second stays", device_reads(&readable, at, PAGE), 0);
	EXPECT("and goes", dereg(&readable), 0);
	EXPECT("its key is no more", device_reads(&readable, at, 1), -ENOENT);
	munmap(at, PAGES * PAGE);
}

static void fork_it(void)
{
	char *at = map(PAGES, PROT_READ | PROT_WRITE);
	int status = 0, go[2];
	struct region r;
	pid_t child;
	char c;

	memset(at, 0x77, PAGES * PAGE);
	EXPECT("a region before fork", reg(&r, at, PAGES * PAGE, WRITABLE), 0);
	EXPECT("is written before", device_writes(&r, at, PAGES * PAGE, 0x78), 0);
	if (pipe(go))
		exit(1);
	fflush(stdout);
	child = fork();
	if (!child) {
		memset(at + 4 * PAGE, 0x7f, 4 * PAGE);
		if (read(go[0], &c, 1) != 1)
			_exit(1);
		_exit(all(at, 0x78, 4 * PAGE) ? 0 : 2);
	}
	EXPECT("written by the device after", device_writes(&r, at, 2 * PAGE, 0x79), 0);
	memset(at + 2 * PAGE, 0x7a, 2 * PAGE);
	EXPECT("and read", device_reads(&r, at, PAGES * PAGE), 0);
	if (write(go[1], "", 1) != 1)
		exit(1);
	waitpid(child, &status, 0);
	EXPECT("the child has what was there", status, 0);
	EXPECT("the parent has what the device wrote", all(at, 0x79, 2 * PAGE), 1);
	EXPECT("so has the device", all(buffer, 0x79, 2 * PAGE), 1);
	EXPECT("and what the parent wrote",
	       all(buffer + 2 * PAGE, 0x7a, 2 * PAGE), 1);
	EXPECT("nothing of the child's",
	       all(buffer + 4 * PAGE, 0x78, 4 * PAGE), 1);
	EXPECT("it goes after fork", dereg(&r), 0);
	close(go[0]);
	close(go[1]);
	munmap(at, PAGES * PAGE);
}

/* The regions' owner has ended; we have its file, which keeps them. */
static void survive(const struct region *part, const struct region *whole,
		    pid_t owner)
{
	while (getppid() == owner)
		usleep(1000);
	EXPECT("cannot be read when that has ended",
	       device_reads(part, part->at, 1), -EINVAL);
	EXPECT("have no page any more", mapped(part), 0);
	EXPECT("nor can everything be read where it was",
	       device_reads(whole, part->at, 1), -EINVAL);
	EXPECT("nor elsewhere",
	       device_reads(whole, part->at + 2 * HUGE_PAGE, 1), -EFAULT);
}

/* Of a process with a context of its own. */
static void own_regions(const char *name, struct region *part,
			struct region *whole)
{
	char *at = map(PAGES, PROT_READ | PROT_WRITE);

	memset(at, 0x88, PAGES * PAGE);
	if (rv_find(name, &world.dev) || rv_make_context(&world) ||
	    rv_make_pd(&world)) {
		perror("a context of its own");
		_exit(1);
	}
	EXPECT("a region of its own", reg(part, at, PAGES * PAGE, WRITABLE), 0);
	EXPECT("of all its memory", reg(whole, NULL, UINT64_MAX, WRITABLE), 0);
	EXPECT("which the device reads", device_reads(whole, at, PAGES * PAGE), 0);
	EXPECT("as it does the first", device_reads(part, at, PAGES * PAGE), 0);
	EXPECT("with the right bytes", all(buffer, 0x88, PAGES * PAGE), 1);
}

/* The file is for the process that opened it. */
static void owner_ends(const char *name)
{
	int count[2], status = 0, of_child = 1;
	struct region part, whole;
	pid_t owner;

	if (pipe(count))
		exit(1);
	fflush(stdout);
	owner = fork();
	if (!owner) {
		owner = getpid();
		failed = 0;
		own_regions(name, &part, &whole);
		fflush(stdout);
		if (failed)
			_exit(1);
		if (fork())
			_exit(0);
		survive(&part, &whole, owner);
		_exit(write(count[1], &failed, sizeof(failed)) < 0);
	}
	close(count[1]);
	waitpid(owner, &status, 0);
	EXPECT("regions of another process", status, 0);
	if (read(count[0], &of_child, sizeof(of_child)) < 0)
		of_child = 1;
	EXPECT("the owner of its file finds nothing wrong", of_child, 0);
	close(count[0]);
}

static void implicit(void)
{
	char *at = map(PAGES, PROT_READ | PROT_WRITE), *later;
	struct region r;

	memset(at, 0x99, PAGES * PAGE);
	EXPECT("a region of everything", reg(&r, NULL, UINT64_MAX, WRITABLE), 0);
	EXPECT("is read", device_reads(&r, at, PAGE), 0);
	EXPECT("where the process has memory", all(buffer, 0x99, PAGE), 1);
	later = map(PAGES, PROT_READ | PROT_WRITE);
	EXPECT("is written", device_writes(&r, later, PAGE, 0x9a), 0);
	EXPECT("where it came later", all(later, 0x9a, PAGE), 1);
	munmap(at, PAGES * PAGE);
	EXPECT("not where it went", device_reads(&r, at, 1), -EFAULT);
	EXPECT("it goes", dereg(&r), 0);
	EXPECT("not of huge pages",
	       reg(&r, NULL, UINT64_MAX, WRITABLE | HUGETLB), -EINVAL);
	munmap(later, PAGES * PAGE);
}

static void wrong_ranges(int very_long)
{
	char *at = map(PAGES, PROT_READ | PROT_WRITE);
	struct region r;

	EXPECT("an empty region", reg(&r, at, 0, WRITABLE), -EINVAL);
	EXPECT("one that wraps", reg(&r, at, -PAGE, WRITABLE), -EOVERFLOW);
	EXPECT("one in the last page",
	       reg(&r, (void *)-PAGE, PAGE - 1, WRITABLE), -EOVERFLOW);
	if (very_long)
		EXPECT("one that is too long for a list",
		       reg(&r, at, 1ULL << 50, WRITABLE), -ENOMEM);
	EXPECT("one of nothing at all",
	       reg(&r, (void *)PAGE, PAGE, WRITABLE), 0);
	EXPECT("cannot be read", device_reads(&r, (void *)PAGE, 1), -EFAULT);
	EXPECT("goes", dereg(&r), 0);
	munmap(at, PAGES * PAGE);
}

static void huge_pages(void)
{
	char *at = mmap(NULL, 2 * HUGE_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
	char *small = map(1024, PROT_READ | PROT_WRITE);
	struct region r;

	EXPECT("there are huge pages", at != MAP_FAILED, 1);
	if (at == MAP_FAILED)
		return;
	EXPECT("a region of two",
	       reg(&r, at, 2 * HUGE_PAGE, WRITABLE | HUGETLB), 0);
	memset(at, 0xaa, 2 * HUGE_PAGE);
	EXPECT("is read across them", device_reads(&r, at + HUGE_PAGE - PAGE, 2 * PAGE), 0);
	EXPECT("and right", all(buffer, 0xaa, 2 * PAGE), 1);
	EXPECT("pages that it takes", last.pages, 2);
	EXPECT("is written across them",
	       device_writes(&r, at + HUGE_PAGE - PAGE, 2 * PAGE, 0xab), 0);
	EXPECT("by the device", all(at + HUGE_PAGE - PAGE, 0xab, 2 * PAGE), 1);
	EXPECT("no further", all(at + HUGE_PAGE + PAGE, 0xaa, PAGE), 1);
	EXPECT("two are mapped", mapped(&r), 2);
	munmap(at, HUGE_PAGE);
	EXPECT("one is left", mapped(&r), 1);
	EXPECT("the other is a hole", device_reads(&r, at, 1), -EFAULT);
	EXPECT("it goes", dereg(&r), 0);
	munmap(at + HUGE_PAGE, HUGE_PAGE);

	EXPECT("a region of huge pages that are small",
	       reg(&r, small, PAGE, WRITABLE | HUGETLB), 0);
	memset(small, 0xac, 1024 * PAGE);
	EXPECT("cannot be read", device_reads(&r, small + 512 * PAGE, 1) < 0, 1);
	EXPECT("goes too", dereg(&r), 0);
	munmap(small, 1024 * PAGE);
}

static void file_pages(void)
{
	char *path = strdup("/tmp/odp.XXXXXX");
	int fd = mkstemp(path);
	struct region r;
	char *at;

	unlink(path);
	free(path);
	if (fd < 0 || ftruncate(fd, 2 * PAGE))
		exit(1);
	at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	EXPECT("a region of a file", reg(&r, at, PAGES * PAGE, WRITABLE), 0);
	EXPECT("is written", device_writes(&r, at + 10, PAGE, 0xbb), 0);
	memset(buffer, 0, PAGE);
	EXPECT("into the file", pread(fd, buffer, PAGE, 10), PAGE);
	EXPECT("as it was sent", all(buffer, 0xbb, PAGE), 1);
	EXPECT("not behind its end",
	       device_writes(&r, at + 2 * PAGE, 1, 0) < 0, 1);
	if (ftruncate(fd, PAGE) || ftruncate(fd, 2 * PAGE))
		exit(1);
	EXPECT("a page that was cut off", device_reads(&r, at + PAGE, PAGE), 0);
	EXPECT("is new", all(buffer, 0, PAGE), 1);
	EXPECT("it goes", dereg(&r), 0);
	munmap(at, PAGES * PAGE);
	close(fd);
}

static volatile int stop;

/* A page is zero or has the one pattern: anything else was another's. */
static void *disturb(void *arg)
{
	char *at = arg;
	unsigned long i;

	for (i = 0; !stop; i++) {
		madvise(at + i % PAGES * PAGE, PAGE, MADV_DONTNEED);
		memset(at + i % PAGES * PAGE, 0xcc, PAGE);
		if (i % 16 == 0)
			mprotect(at, PAGE, i % 32 ? PROT_READ :
				 PROT_READ | PROT_WRITE);
		if (i % 16 == 0)
			mprotect(at, PAGE, PROT_READ | PROT_WRITE);
	}
	return NULL;
}

static void race(long rounds)
{
	char *at = map(PAGES, PROT_READ | PROT_WRITE);
	long i, wrong = 0, errors = 0, busy = 0;
	uint64_t before;
	pthread_t thread;
	struct region r;
	size_t k;

	EXPECT("a region to fight for", reg(&r, at, PAGES * PAGE, WRITABLE), 0);
	before = invalidated(&r);
	pthread_create(&thread, NULL, disturb, at);
	for (i = 0; i < rounds; i++) {
		int ret = device_reads(&r, at, PAGES * PAGE);

		busy += ret == -EBUSY;
		errors += ret && ret != -EBUSY;
		for (k = 0; !ret && k < PAGES * PAGE; k++)
			wrong += buffer[k] && buffer[k] != 0xcc;
	}
	stop = 1;
	pthread_join(thread, NULL);
	printf("     %ld reads, %ld times too busy, %llu invalidations\n", rounds,
	       busy, (unsigned long long)(invalidated(&r) - before));
	EXPECT("no read fails", errors, 0);
	EXPECT("some get through", busy < rounds, 1);
	EXPECT("no byte of another's", wrong, 0);
	memset(at, 0xcd, PAGES * PAGE);
	EXPECT("at last", device_reads(&r, at, PAGES * PAGE), 0);
	EXPECT("all is as it should be", all(buffer, 0xcd, PAGES * PAGE), 1);
	/* Mapped pages on purpose: the region goes first, then the memory. */
	EXPECT("it goes", dereg(&r), 0);
	munmap(at, PAGES * PAGE);
}

int main(int argc, char **argv)
{
	int huge = 0, very_long = 0, i;
	struct region kept;
	char path[128];

	if (argc < 3)
		return 2;
	for (i = 3; i < argc; i++) {
		huge |= !strcmp(argv[i], "huge");
		very_long |= !strcmp(argv[i], "long");
	}
	snprintf(path, sizeof(path), "/sys/kernel/debug/ofed_testdev/%s/odp",
		 argv[1]);
	setvbuf(stdout, NULL, _IOLBF, 0);
	hook_fd = open(path, O_RDWR);
	if (hook_fd < 0) {
		perror(path);
		return 1;
	}
	if (rv_find(argv[1], &world.dev) || rv_make_context(&world) ||
	    rv_make_pd(&world)) {
		printf("FAIL no PD on %s\n", argv[1]);
		return 1;
	}
	first_touch();
	take_away();
	rights();
	fork_it();
	owner_ends(argv[1]);
	implicit();
	wrong_ranges(very_long);
	if (huge)
		huge_pages();
	file_pages();
	race(atol(argv[2]));
	/* One is left for the end of the process to take. */
	EXPECT("one for the end", reg(&kept, map(PAGES, PROT_READ | PROT_WRITE),
				      PAGES * PAGE, WRITABLE), 0);
	EXPECT("with pages", device_writes(&kept, kept.at, PAGES * PAGE, 1), 0);
	return verdict();
}
