// SPDX-License-Identifier: GPL-2.0
/*
 * Pinned memory against RLIMIT_MEMLOCK, as a user without CAP_IPC_LOCK.
 *
 * memlock limit		pins to the limit, refuses a page more, gives all back
 * memlock exit|kill|hold	a child that shares our address space, not our files,
 *				pins and goes: VmPin of the address space must fall
 *				to 0. hold: prints 'pinned' and waits to be killed
 *				by SIGTERM to the parent, which kills the child.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <infiniband/verbs.h>

#define PAGES 64

static size_t page; /* bytes */
static char *area;
static volatile int pinned, failed;
static const char *mode;

static void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

/* kB of this address space that are pinned */
static long vmpin(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmPin: %ld", &kb);
	if (f)
		fclose(f);
	return kb;
}

/* Are so many pages pinned? */
static int pins(long pages)
{
	return vmpin() == pages * (long)(page / 1024);
}

static struct ibv_pd *open_pd(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = list && list[0] ? ibv_open_device(list[0]) : NULL;

	return ctx ? ibv_alloc_pd(ctx) : NULL;
}

static struct ibv_mr *pin(struct ibv_pd *pd, size_t first, size_t pages)
{
	return ibv_reg_mr(pd, area + first * page, pages * page, IBV_ACCESS_LOCAL_WRITE);
}

static int expect(const char *what, int right)
{
	printf("%s: %s (VmPin %ld kB)\n", what, right ? "yes" : "NO", vmpin());
	if (!right)
		failed = 1;
	return right;
}

static void limit(void)
{
	struct ibv_pd *pd = open_pd();
	struct ibv_mr *mr, *half, *rest;

	if (!pd)
		die("device");
	expect("nothing is pinned at first", pins(0));
	errno = 0;
	mr = pin(pd, 0, PAGES + 1);
	expect("one page more than the limit in one go is ENOMEM", !mr && errno == ENOMEM);
	expect("and leaves nothing pinned", pins(0));

	mr = pin(pd, 0, PAGES);
	expect("exactly the limit", mr && pins(PAGES));
	errno = 0;
	expect("one page more is ENOMEM", !pin(pd, PAGES, 1) && errno == ENOMEM);
	expect("and nothing else changed", pins(PAGES));
	expect("deregistration", mr && !ibv_dereg_mr(mr) && pins(0));

	half = pin(pd, 0, PAGES / 2);
	rest = pin(pd, PAGES / 2, PAGES / 2);
	expect("the limit in two halves", half && rest && pins(PAGES));
	/* One byte across a page boundary is two pages. */
	if (half)
		ibv_dereg_mr(half);
	half = ibv_reg_mr(pd, area + page - 1, 2, IBV_ACCESS_LOCAL_WRITE);
	expect("two bytes across a boundary pin two pages", half && pins(PAGES / 2 + 2));
	if (half)
		ibv_dereg_mr(half);
	if (rest)
		ibv_dereg_mr(rest);
	expect("all given back", pins(0));
	for (int i = 0; i < 1000; i++) {
		mr = pin(pd, 0, PAGES);
		if (!mr || ibv_dereg_mr(mr)) {
			expect("a thousand times the limit", 0);
			break;
		}
	}
	expect("nothing left after a thousand times", pins(0));
}

static int child(void *unused)
{
	struct ibv_pd *pd = open_pd();

	(void)unused;
	pinned = pd && pin(pd, 0, PAGES) ? 1 : -1;
	if (strcmp(mode, "exit"))
		for (;;)
			pause();
	_exit(0);
}

static volatile int stop;
static void on_term(int sig)
{
	stop = sig;
}

int main(int argc, char **argv)
{
	struct rlimit r;
	char *stack;
	int status;
	pid_t pid;

	page = sysconf(_SC_PAGESIZE);
	r.rlim_cur = r.rlim_max = PAGES * page;
	mode = argc > 1 ? argv[1] : "limit";
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGTERM, on_term);
	area = mmap(NULL, 2 * PAGES * page, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack = mmap(NULL, 256 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED || stack == MAP_FAILED)
		die("mmap");
	memset(area, 1, 2 * PAGES * page);
	if (setrlimit(RLIMIT_MEMLOCK, &r))
		die("setrlimit");
	if (geteuid() == 0) {
		fprintf(stderr, "root is not limited: run as another user\n");
		return 2;
	}
	if (!strcmp(mode, "limit")) {
		limit();
		return failed;
	}

	/* The address space outlives the process that pinned: we can look at it. */
	pid = clone(child, stack + 256 * page, CLONE_VM | SIGCHLD, NULL);
	if (pid < 0)
		die("clone");
	while (!pinned)
		usleep(1000);
	if (strcmp(mode, "exit"))
		expect("the child pinned the limit", pinned == 1 && pins(PAGES));
	else
		expect("the child pinned", pinned == 1);
	if (!strcmp(mode, "hold")) {
		printf("pinned\n");
		while (!stop)
			usleep(1000);
	}
	if (strcmp(mode, "exit"))
		kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	/* Files are released just after the parent is told. */
	for (int i = 0; i < 10000 && vmpin(); i++)
		usleep(1000);
	expect("nothing is pinned when it is gone", pins(0));
	return failed;
}
