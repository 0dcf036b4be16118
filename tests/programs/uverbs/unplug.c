// SPDX-License-Identifier: GPL-2.0
/*
 * A process that has everything of a device open while the device goes.
 *
 * usage: unplug DEVICE READY [hold]
 *
 * Makes one of every object and every mapping, creates the file READY, and
 * waits for the device to go. Then nothing works any more, nothing hangs and
 * everything can be closed. With 'hold' the device is one that cannot be taken
 * from its users (no disassociate_ucontext): everything keeps working until the
 * file READY is removed; the process then just ends.
 */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>

#include "raw_verbs.h"

static int failed;
static sigjmp_buf fault;

#define EXPECT(text, condition)						\
	do {								\
		if (condition) {					\
			printf("ok   %s\n", text);			\
		} else {						\
			printf("FAIL %s (errno %d)\n", text, errno);	\
			failed++;					\
		}							\
	} while (0)

struct map {
	const char *name;
	char *page;
};

static void on_fault(int signal)
{
	(void)signal;
	siglongjmp(fault, 1);
}

/* Read and write a page that may be gone: a signal or a page of zeros. */
static void check_map(const struct map *map, bool memory)
{
	volatile char *page = map->page;
	char value;

	if (sigsetjmp(fault, 1)) {
		printf("ok   %s: SIGBUS\n", map->name);
		return;
	}
	value = page[0];
	page[1] = 'x';
	if (memory)
		EXPECT(map->name, value == 'A');
	else
		EXPECT(map->name, value == 0);
}

static short events_of(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	poll(&p, 1, 5000);
	return p.revents;
}

/* What was queued may still be read; then EIO, at once. */
static int drain(int fd)
{
	char buffer[64];
	int i;

	for (i = 0; i < 64; i++)
		if (read(fd, buffer, sizeof(buffer)) < 0)
			return -errno;
	return 0;
}

/* The last event of a device: IB_EVENT_DEVICE_FATAL to every async fd. */
static bool wait_gone(struct rv_world *w)
{
	struct pollfd p = { .fd = w->async_fd, .events = POLLIN };
	struct ib_uverbs_async_event_desc event;
	int i;

	for (i = 0; i < 600; i++) {
		if (poll(&p, 1, 100) <= 0)
			continue;
		if (read(w->async_fd, &event, sizeof(event)) != sizeof(event))
			return false;
		if (event.event_type == 8)
			return true;
	}
	return false;
}

static bool map_all(struct rv_world *w, struct map *maps)
{
	const struct { const char *name; uint64_t offset; } pages[] = {
		{ "device page", 0 }, { "io page", w->io_offset },
		{ "ram page", w->ram_offset },
	};
	int i;

	for (i = 0; i < 3; i++) {
		maps[i].name = pages[i].name;
		maps[i].page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				    MAP_SHARED, w->fd, pages[i].offset);
		if (maps[i].page == MAP_FAILED)
			return false;
		maps[i].page[0] = 'A';
	}
	return true;
}

static void check_commands(struct rv_world *w)
{
	struct rv_world new = *w;	/* keeps the handles of the old one */
	size_t i;
	int ret, wrong = 0;

	for (i = 1; i < RV_STEPS; i++) {
		new = *w;
		ret = rv_steps[i].make(&new);
		if (ret != -EIO) {
			printf("     %s: %d\n", rv_steps[i].name, ret);
			wrong++;
		}
	}
	EXPECT("every command gives EIO", !wrong);

	/* A handle may be known to be dead already: then it goes with 0. */
	wrong = 0;
	for (i = RV_STEPS; i-- > 1;) {
		/* Closing a descriptor and resetting a QP are no destructions. */
		if (!rv_steps[i].undo || rv_steps[i].undo == rv_undo_channel)
			continue;
		ret = rv_steps[i].undo(w);
		if (ret && ret != -EIO) {
			printf("     undo %s: %d\n", rv_steps[i].name, ret);
			wrong++;
		}
	}
	EXPECT("every destruction gives 0 or EIO", !wrong);
}

/* The stock core of 6.1 forgets to tell the async fd that it is the end. */
static void check_async(struct rv_world *w)
{
	const char *core = getenv("CORE");

	if (core && !strcmp(core, "stock"))
		return;
	EXPECT("async fd: EIO after what was queued",
	       drain(w->async_fd) == -EIO);
	EXPECT("async fd: POLLERR or POLLHUP",
	       events_of(w->async_fd) & (POLLERR | POLLHUP));
}

static long pinned_kb(void)
{
	char line[128];
	long kb = -1;
	FILE *file = fopen("/proc/self/status", "r");

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmPin: %ld", &kb) == 1)
			break;
	if (file)
		fclose(file);
	return kb;
}

static void check_gone(struct rv_world *w, struct map *maps)
{
	int i, fd;

	EXPECT("nothing is pinned any more", pinned_kb() == 0);
	EXPECT("mmap gives EIO",
	       mmap(NULL, 4096, PROT_READ, MAP_SHARED, w->fd, 0) ==
	       MAP_FAILED && errno == EIO);
	check_commands(w);
	check_async(w);
	EXPECT("comp channel: EIO after what was queued",
	       drain(w->channel) == -EIO);
	EXPECT("comp channel: POLLERR or POLLHUP",
	       events_of(w->channel) & (POLLERR | POLLHUP));

	signal(SIGBUS, on_fault);
	signal(SIGSEGV, on_fault);
	check_map(&maps[0], false);
	check_map(&maps[1], false);
	check_map(&maps[2], true);
	signal(SIGBUS, SIG_DFL);
	signal(SIGSEGV, SIG_DFL);

	fd = open(w->dev.node, O_RDWR);
	EXPECT("the node cannot be opened", fd < 0);
	for (i = 0; i < 3; i++)
		EXPECT("unmap", munmap(maps[i].page, 4096) == 0);
	EXPECT("close the channel", close(w->channel) == 0);
	EXPECT("close the context", close(w->fd) == 0);
	EXPECT("async fd outlives the context", drain(w->async_fd) < 0);
	EXPECT("close the async fd", close(w->async_fd) == 0);
}

static void hold(struct rv_world *w, const char *ready)
{
	while (access(ready, F_OK) == 0)
		usleep(20000);
	EXPECT("still in use", rv_make_query_device(w) == 0);
}

int main(int argc, char **argv)
{
	struct rv_world w;
	struct map maps[3];
	size_t i;
	int ret;

	if (argc < 3) {
		fprintf(stderr, "usage: unplug DEVICE READY [hold]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	ret = rv_world_init(&w, argv[1]);
	for (i = 0; !ret && i < RV_STEPS; i++)
		ret = rv_steps[i].make(&w);
	if (ret) {
		printf("FAIL set-up, step %zu: %s\n", i, strerror(-ret));
		return 1;
	}
	if (!map_all(&w, maps)) {
		printf("FAIL mappings: %s\n", strerror(errno));
		return 1;
	}
	fcntl(w.async_fd, F_SETFL, O_NONBLOCK);
	EXPECT("memory is pinned", pinned_kb() > 0);
	close(open(argv[2], O_CREAT | O_RDWR, 0600));

	if (argc > 3) {
		hold(&w, argv[2]);
	} else {
		EXPECT("the device goes", wait_gone(&w));
		check_gone(&w, maps);
	}
	printf("%d failed\n", failed);
	return failed ? 1 : 0;
}
