// SPDX-License-Identifier: GPL-2.0
/*
 * What programs do with their memory, their descriptors and themselves while queue pairs use
 * them: memory of all kinds, forks, limits, tracers, mappings that are cut in two.
 *
 * usage: program_life DEVICE GID-INDEX		of InfiniBand or RoCE
 *	  program_life DEVICE ADDRESS		of iWARP
 *	  program_life DEVICE GID-INDEX|ADDRESS large	messages of 512 MiB and of 2 GiB alone
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "life_memory.h"

#define ROUNDS		60
#define MOST_ROUNDS	100000

/* ---- forks ----------------------------------------------------------------------------- */

/* Its copy has what it wrote, whatever its parent's queue pairs do. */
static int child_keeps(uint8_t *at, int tell, int go_on)
{
	char c = 0;

	memset(at, 'c', LENGTH);
	NEED(write(tell, &c, 1) == 1);
	NEED(read(go_on, &c, 1) == 1);
	return all(at, LENGTH, 'c') ? 0 : 1;
}

static void forked(bool child_first)
{
	int told[2], go[2], status;
	uint8_t *at = pages();
	struct ibv_mr *r;
	pid_t child;
	char c = 0;

	NEED(!pipe(told) && !pipe(go));
	NEED(r = region(at, LENGTH));
	NEED((child = fork()) >= 0);
	if (!child)
		_exit(child_keeps(at, told[1], go[0]));
	if (child_first)
		NEED(read(told[0], &c, 1) == 1);
	memset(at, 'p', LENGTH);
	if (!child_first)
		NEED(read(told[0], &c, 1) == 1);
	EXPECT("a READ of memory behind a fork", get(at, r, LENGTH), 0);
	EXPECT("has what the parent wrote", all(area, LENGTH, 'p'), 1);
	memset(area, 'w', LENGTH);
	EXPECT("a WRITE to it", put(at, r, LENGTH), 0);
	EXPECT("is the parent's", all(at, LENGTH, 'w'), 1);
	NEED(write(go[1], &c, 1) == 1);
	NEED(waitpid(child, &status, 0) == child);
	EXPECT("and not the child's", status, 0);
	for (int i = 0; i < 2; i++) {
		close(told[i]);
		close(go[i]);
	}
	NEED(!ibv_dereg_mr(r));
	NEED(!munmap(at, LENGTH));
}

static volatile bool over;
static volatile long times;	/* the work of the thread beside is done */

static void *fork_often(void *arg)
{
	pid_t child;

	for (; !over; times++) {
		NEED((child = fork()) >= 0);
		if (!child)
			_exit(0);
		NEED(waitpid(child, NULL, 0) == child);
	}
	return arg;
}

/*
 * Messages go on while the thread beside does its work. A processor that both share may run all
 * of the messages first, so they also go on until the thread has been at it.
 */
static bool goes_on(int done)
{
	if (done < ROUNDS)
		return true;
	if (times || done >= MOST_ROUNDS)
		return false;
	sched_yield();
	return true;
}

static void forks_beside(void)
{
	uint8_t *at = pages();
	struct ibv_mr *r;
	int wrong = 0;
	pthread_t thread;

	NEED(r = region(at, LENGTH));
	over = false;
	times = 0;
	NEED(!pthread_create(&thread, NULL, fork_often, NULL));
	for (int i = 0; goes_on(i); i++) {
		fill(area, LENGTH, i);
		wrong += put(at, r, LENGTH) || memcmp(at, area, LENGTH);
		fill(at, LENGTH, ~i);
		wrong += get(at, r, LENGTH) || memcmp(at, area, LENGTH);
	}
	over = true;
	NEED(!pthread_join(thread, NULL));
	EXPECT("messages while the program forks", wrong, 0);
	EXPECT("it has forked", times > 0, 1);
	NEED(!ibv_dereg_mr(r));
	NEED(!munmap(at, LENGTH));
}

/* ---- regions that change --------------------------------------------------------------- */

static void *rereg_often(void *arg)
{
	struct ibv_mr *r = arg;
	uint8_t *other = pages(), *own = r->addr;

	for (; !over; times++)
		if (ibv_rereg_mr(r, IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_ACCESS,
				 pd, times % 2 ? own : other, LENGTH, RIGHTS))
			break;
	return NULL;
}

/*
 * The peer's region moves from memory to memory while messages reach it. The name of its first
 * byte changes as well, so a message may be refused, and ends the queue pairs.
 */
static void rereg_beside(void)
{
	uint8_t *at = pages();
	int good = 0, refused = 0, other = 0, ret;
	struct ibv_mr *r;
	pthread_t thread;

	NEED(r = region(at, LENGTH));
	if (ibv_rereg_mr(r, IBV_REREG_MR_CHANGE_ACCESS, pd, NULL, 0, RIGHTS)) {
		printf("n/a  regions that change: %s\n", strerror(errno));
		NEED(!ibv_dereg_mr(r));
		return;
	}
	over = false;
	times = 0;
	NEED(!pthread_create(&thread, NULL, rereg_often, r));
	for (int i = 0; goes_on(i); i++) {
		ret = put(at, r, LENGTH);
		good += !ret;
		refused += ret == IBV_WC_REM_ACCESS_ERR || ret == IBV_WC_REM_OP_ERR ||
			   ret == IBV_WC_WR_FLUSH_ERR;
		other += ret == NONE;
		if (ret) {
			down();
			up(IBV_QPT_RC);
		}
	}
	over = true;
	NEED(!pthread_join(thread, NULL));
	printf("%d arrived, %d refused, %ld changes\n", good, refused, times);
	EXPECT("messages to a region that changes", other, 0);
	EXPECT("it has changed", times > 0, 1);
	NEED(!ibv_dereg_mr(r));
}

/* ---- descriptors ----------------------------------------------------------------------- */

static void no_descriptors(const char *name)
{
	struct rlimit old, none;
	int next = dup(0);

	NEED(next >= 0 && !close(next));
	NEED(!getrlimit(RLIMIT_NOFILE, &old));
	none = (struct rlimit){ next, old.rlim_max };
	NEED(!setrlimit(RLIMIT_NOFILE, &none));
	for (int i = 0; i < 3; i++)
		EXPECT("a channel without a descriptor",
		       ibv_create_comp_channel(ctx) ? 0 : errno, EMFILE);
	EXPECT("a device without one", open_by_name(name) != NULL, 0);
	fill(area, HALF, 7);
	EXPECT("messages go on", put(area + HALF, mr, HALF), 0);
	EXPECT("and arrive", memcmp(area, area + HALF, HALF), 0);
	NEED(!setrlimit(RLIMIT_NOFILE, &old));
}

/* A ring that finds no place among the program's addresses. */
static void no_addresses(void)
{
	struct rlimit old, none = { };
	struct ibv_cq *one;
	int refused = 0;
	char line[256];
	size_t kib;
	FILE *f;

	NEED(f = fopen("/proc/self/status", "r"));
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "VmSize: %zu", &kib) == 1)
			none.rlim_cur = (kib + 64) << 10;
	fclose(f);
	NEED(!getrlimit(RLIMIT_AS, &old));
	none.rlim_max = old.rlim_max;
	NEED(!setrlimit(RLIMIT_AS, &none));
	for (int i = 0; i < 5; i++) {
		one = ibv_create_cq(ctx, 20000, NULL, NULL, 0);
		refused += !one && errno == ENOMEM;
		NEED(!one || !ibv_destroy_cq(one));
	}
	EXPECT("a CQ without addresses for it", refused, 5);
	EXPECT("messages go on", put(area + HALF, mr, HALF), 0);
	NEED(!setrlimit(RLIMIT_AS, &old));
	one = ibv_create_cq(ctx, 20000, NULL, NULL, 0);
	EXPECT("a CQ again", one != NULL, 1);
	NEED(!one || !ibv_destroy_cq(one));
}

static volatile int signals;

static void count_signal(int number)
{
	(void)number;
	signals++;
}

static void take_event(void)
{
	struct ibv_cq *from;
	void *context;

	NEED(!ibv_get_cq_event(channel, &from, &context));
	ibv_ack_cq_events(from, 1);
}

/* A channel of completions tells a program in each way that Linux has for it. */
static void told(void)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int queue = epoll_create1(EPOLL_CLOEXEC), flags = fcntl(channel->fd, F_GETFL);

	NEED(queue >= 0 && signal(SIGIO, count_signal) != SIG_ERR);
	NEED(!epoll_ctl(queue, EPOLL_CTL_ADD, channel->fd, &event));
	NEED(!fcntl(channel->fd, F_SETOWN, getpid()));
	NEED(!fcntl(channel->fd, F_SETFL, flags | O_ASYNC));
	for (int i = 0; i < 3; i++) {
		signals = 0;
		NEED(!ibv_req_notify_cq(cq, 0));
		EXPECT("a message", put(area + HALF, mr, HALF), 0);
		for (int left = PATIENCE; left && !signals; left--)
			pause_ms(1);
		EXPECT("a signal tells of it", signals > 0, 1);
		EXPECT("and epoll, by an edge", epoll_wait(queue, &event, 1, PATIENCE), 1);
		EXPECT("once", epoll_wait(queue, &event, 1, 0), 0);
		take_event();
	}
	NEED(!fcntl(channel->fd, F_SETFL, flags));
	signal(SIGIO, SIG_DFL);
	close(queue);
}

static void next_descriptor(void)
{
	struct ibv_comp_channel *one = ibv_create_comp_channel(ctx);

	EXPECT("a channel again", one != NULL, 1);
	NEED(!one || !ibv_destroy_comp_channel(one));
}

/*
 * The device is opened by a process whose child goes on when it has ended. By the kernel's own
 * rule the child may not write() to it, as its credentials are others.
 */
static int grandchild(pid_t parent)
{
	struct ibv_mr *r;
	int status = 0;

	while (getppid() == parent)
		pause_ms(10);
	r = region(pages(), LENGTH);
	if (!r)
		printf("     a region: %s\n", strerror(errno));
	fill(area, LENGTH, 5);
	if (!r || begin(IBV_WR_RDMA_WRITE, area, mr->lkey, LENGTH, r->addr, r->rkey))
		printf("     a message: %s\n", strerror(errno));
	else
		status = ended();
	/* All that is left goes with the last descriptor. */
	return status == NONE ? 3 : 0;
}

static void orphan(const char *name, const char *where)
{
	int told[2], result = -1;
	pid_t child, own;

	fflush(stdout);
	NEED(!pipe(told));
	NEED((child = fork()) >= 0);
	if (!child) {
		open_device(name, where);
		up(IBV_QPT_RC);
		own = getpid();
		if (!fork()) {
			result = grandchild(own);
			fflush(stdout);
			NEED(write(told[1], &result, sizeof(result)) == sizeof(result));
		}
		_exit(0);
	}
	close(told[1]);
	NEED(waitpid(child, NULL, 0) == child);
	NEED(read(told[0], &result, sizeof(result)) >= 0);
	EXPECT("a child has the device when its parent has ended", result, 0);
	close(told[0]);
}

/* ---- others look ----------------------------------------------------------------------- */

struct mapping {
	uintptr_t begin, end;
};

/* Of the device, in this process. Return: how many. */
static int mappings(struct mapping *at, int most)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	int n = 0;

	NEED(maps);
	while (n < most && fgets(line, sizeof(line), maps))
		if (strstr(line, "/uverbs") &&
		    sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &at[n].begin, &at[n].end) == 2)
			n++;
	fclose(maps);
	return n;
}

/* Stops the parent again and again, and reads and writes its rings as they are. */
static int tracer(pid_t parent)
{
	struct mapping at[32];
	int n = mappings(at, 32), status;

	for (int round = 0; round < 10; round++) {
		if (ptrace(PTRACE_ATTACH, parent, NULL, NULL) || waitpid(parent, &status, 0) < 0)
			return 1;
		for (int i = 0; i < n; i++)
			for (uintptr_t a = at[i].begin; a < at[i].end; a += PAGE)
				ptrace(PTRACE_PEEKDATA, parent, (void *)a, NULL);
		if (ptrace(PTRACE_DETACH, parent, NULL, NULL))
			return 2;
	}
	return 0;
}

static void traced(void)
{
	pid_t own = getpid(), child;
	int status = 0, wrong = 0, rounds = 0;

	NEED((child = fork()) >= 0);
	if (!child)
		_exit(tracer(own));
	while (!waitpid(child, &status, WNOHANG)) {
		fill(area, HALF, rounds++);
		wrong += put(area + HALF, mr, HALF) || memcmp(area, area + HALF, HALF);
	}
	EXPECT("a tracer stops the program and reads its rings", status, 0);
	EXPECT("messages go on", wrong, 0);
}

/* ---- rings that are cut ---------------------------------------------------------------- */

/* Whatever a program does to its own mappings: all goes at its end, or before. */
static void cut(void)
{
	struct mapping before[64], after[64];
	int old = mappings(before, 64), now;
	struct ibv_cq *own[3];
	pid_t child;

	for (int i = 0; i < 3; i++)
		NEED(own[i] = ibv_create_cq(ctx, 1000, NULL, NULL, 0));
	now = mappings(after, 64);
	EXPECT("rings are mapped", now > old, 1);
	for (int i = 0; i < now; i++) {
		size_t size = after[i].end - after[i].begin;
		bool known = false;

		for (int j = 0; j < old; j++)
			known |= before[j].begin == after[i].begin;
		if (known || size < 4 * PAGE)
			continue;
		NEED(!mprotect((void *)(after[i].begin + PAGE), PAGE, PROT_NONE));
		NEED(!munmap((void *)(after[i].begin + 2 * PAGE), PAGE));
		mremap((void *)after[i].begin, PAGE, 2 * PAGE, MREMAP_MAYMOVE);
		madvise((void *)after[i].begin, PAGE, MADV_DONTFORK);
		madvise((void *)after[i].begin, PAGE, MADV_DONTNEED);
	}
	NEED((child = fork()) >= 0);
	if (!child) {
		pause_ms(200);
		_exit(0);
	}
	for (int i = 0; i < 3; i++)
		EXPECT("a CQ whose ring is cut goes", ibv_destroy_cq(own[i]), 0);
	NEED(waitpid(child, NULL, 0) == child);
	EXPECT("messages go on", put(area + HALF, mr, HALF), 0);
}

/* ---- large messages -------------------------------------------------------------------- */

#define CHUNK	(512UL << 20)

/* The same half a gigabyte four times, one behind the other. */
static uint8_t *four_times(int fd)
{
	uint8_t *at = mmap(NULL, 4 * CHUNK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEED(at != MAP_FAILED);
	for (int i = 0; i < 4; i++)
		NEED(mmap(at + i * CHUNK, CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			  fd, 0) == at + i * CHUNK);
	return at;
}

static void large(void)
{
	int from = memfd_create("from", 0), to = memfd_create("to", 0);
	struct ibv_port_attr port;
	struct ibv_mr *a, *b;
	uint8_t *x, *y;

	NEED(!ibv_query_port(ctx, 1, &port));
	printf("     a message may have %u bytes\n", port.max_msg_sz);
	NEED(!ftruncate(from, CHUNK) && !ftruncate(to, CHUNK));
	x = four_times(from);
	y = four_times(to);
	for (size_t i = 0; i < CHUNK; i += 8)
		*(uint64_t *)(x + i) = i * 0x9e3779b97f4a7c15;
	NEED(a = region(x, 4 * CHUNK));
	NEED(b = region(y, 4 * CHUNK));
	EXPECT("a WRITE of 512 MiB", message(IBV_WR_RDMA_WRITE, x, a->lkey, CHUNK, y, b->rkey), 0);
	EXPECT("arrives", memcmp(x, y, CHUNK), 0);
	memset(x, 0, CHUNK);
	EXPECT("a READ of 512 MiB", message(IBV_WR_RDMA_READ, x, a->lkey, CHUNK, y, b->rkey), 0);
	EXPECT("arrives", memcmp(x, y, CHUNK), 0);
	memset(y, 0, CHUNK);
	EXPECT("a WRITE of 2 GiB", message(IBV_WR_RDMA_WRITE, x, a->lkey, 4 * CHUNK, y, b->rkey),
	       4 * CHUNK > port.max_msg_sz ? IBV_WC_LOC_LEN_ERR : 0);
	if (4 * CHUNK <= port.max_msg_sz)
		EXPECT("arrives", memcmp(x, y, CHUNK), 0);
	NEED(!ibv_dereg_mr(a) && !ibv_dereg_mr(b));
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 3)
		orphan(argv[1], argv[2]);
	open_device(argv[1], argv[2]);
	up(IBV_QPT_RC);
	if (argc > 3) {
		large();
		return verdict();
	}
	kinds();
	disk_file();
	unmapped();
	protected();
	truncated();
	forked(true);
	forked(false);
	forks_beside();
	no_descriptors(argv[1]);
	next_descriptor();
	no_addresses();
	told();
	traced();
	cut();
	rereg_beside();
	down();
	return verdict();
}
