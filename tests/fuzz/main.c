// SPDX-License-Identifier: GPL-2.0
/*
 * Inputs that reach what none before them did.
 *
 * usage: guided [OPTION...] run | replay | least
 *   run      make inputs out of those of the corpus and out of nothing, keep what is new
 *   replay   run each input of the corpus once
 *   least    keep of the corpus what together reaches as much
 *
 *   -D DRIVER   roce (default), ib, iwarp, or any other without operations of its own
 *   -d DEVICE -p PEER   the RDMA device, and that at the other end of the wire
 *   -i INTERFACE -n NETNS   where frames come from: the other end of the wire
 *   -g CGROUP   the folder of the memory cgroup in which inputs run
 *   -r          inputs are root's; without it they are those of user 65534
 *   -c FILE     a corpus to begin with; may be given several times
 *   -o FOLDER   where corpus, coverage, and the inputs that found a fault go
 *   -m MINUTES, -s SEED, -u COMMAND   run when the device is gone
 *   -k          go on behind a fault
 *
 * The result is the silence of the kernel, processes that end, and no objects left of
 * those that did. Status 1: a fault.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "corpus.h"
#include "cover.h"
#include "exec.h"
#include "fabric.h"
#include "mutate.h"
#include "op.h"
#include "setup.h"
#include "watch.h"

static const char *folder = "/tmp", *restore;
static bool goes_on;
static int faults;
static long runs, late;

/* ---- one input ---- */

static const char *in_folder(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void write_apart(const char *name, const struct input *in, const char *what)
{
	FILE *file = fopen(in_folder(name), "w");

	if (!file)
		return;
	fprintf(file, "# %s\n", what);
	input_write(in, file);
	fclose(file);
}

static void fault(const struct input *in, const char *what)
{
	char name[64];

	snprintf(name, sizeof(name), "fault-%d", ++faults);
	write_apart(name, in, what);
	printf("FAULT %d: %s, by the input in %s\n", faults, what, in_folder(name));
	fflush(stdout);
}

static bool is_there(const char *device)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s", device);
	return !access(path, F_OK);
}

static bool changes(const struct input *in)
{
	for (uint32_t i = 0; i < in->count; i++)
		if (op_changes(in->op[i].op))
			return true;
	return false;
}

static void device_back(const struct input *in)
{
	bool gone = !is_there(world.device), changed = changes(in);

	if (is_there("fuzz0") && system("rdma link delete fuzz0"))
		printf("fuzz0 does not go\n");
	if (is_there("fuzz1") && system("rdma link delete fuzz1"))
		printf("fuzz1 does not go\n");
	if (!gone && !changed)
		return;
	if (changed && !strcmp(world.driver, "ib"))
		fabric_back();
	/* With what it was told to refuse. */
	if (changed && !gone && !strcmp(world.driver, "testdev"))
		gone = !system("echo del testdev0 >/sys/kernel/debug/ofed_testdev/ctl");
	if (restore && system(restore))
		printf("the device does not come back\n");
	exec_renew();
	cover_locate();
	setup_find();
	if (gone)
		watch_again();
}

/* The last input is on disk before it runs: the kernel may not survive it. */
static void note(const struct input *in)
{
	FILE *file = fopen(in_folder("last"), "w");

	if (file) {
		input_write(in, file);
		fclose(file);
	}
}

static bool run_one(struct input *in)
{
	enum exec_end end;
	int before = faults;

	note(in);
	cover_begin();
	end = exec_run(in, (uint64_t)mutate_below(~0u) << 16 | runs);
	runs++;
	if (end == EXEC_LATE) {
		late++;
		write_apart("late", in, "the last one that had to be killed");
	}
	if (end == EXEC_STUCK)
		fault(in, "a process that does not end");
	if (watch_reports(in_folder("log")))
		fault(in, "the kernel's report");
	device_back(in);
	if (!watch_none_left(20))
		fault(in, "objects that are left");
	return faults == before;
}

/* ---- keeping ---- */

/* Without the operations that add nothing to what @in has found. */
static void shorten(struct input *in)
{
	struct cover_set set;
	struct input without;
	uint32_t all;

	cover_take(&set);
	all = set.count;
	for (uint32_t i = in->count; i-- && in->count > 1;) {
		without = *in;
		input_remove(&without, i);
		run_one(&without);
		if (cover_shared(&set) < all)
			continue;
		*in = without;
	}
	free(set.bit);
}

static void keep(struct input *in)
{
	shorten(in);
	run_one(in);
	cover_new(true);
	corpus_add(in);
}

static void tell(time_t since)
{
	static time_t told;
	time_t now = time(NULL);

	if (now < told + 30)
		return;
	told = now;
	printf("%4ld s: %ld runs (%ld late), %d inputs, %u blocks, %d faults\n",
	       (long)(now - since), runs, late, corpus_size(), cover_blocks(), faults);
	fflush(stdout);
	corpus_save(in_folder("corpus"));
	cover_print(in_folder("blocks"));
}

/* ---- what there is to do ---- */

static bool enough(void)
{
	return faults && !goes_on;
}

static int replay(void)
{
	for (int i = 0; i < corpus_size() && !enough(); i++) {
		run_one(corpus_at(i));
		cover_new(true);
	}
	printf("%ld inputs, %u blocks, %d faults\n", runs, cover_blocks(), faults);
	return faults;
}

static void run(long seconds)
{
	time_t since = time(NULL);

	replay();
	while (time(NULL) < since + seconds && !enough()) {
		const struct input *one = corpus_any();
		struct input in;

		if (one && mutate_below(12)) {
			in = *one;
			mutate(&in, corpus_any());
		} else {
			mutate_make(&in);
		}
		run_one(&in);
		if (cover_new(false))
			keep(&in);
		tell(since);
	}
}

/* What a worker does by chance is one block or two. */
static bool is_enough(const struct cover_set *set, int round)
{
	return cover_set_new(set, false) >= (round ? 4u << round : 3);
}

/* Each runs once. Those that reach most come first; what they leave is of the others. */
static void least(void)
{
	int n = corpus_size(), kept = 0;
	FILE *file = fopen(in_folder("least"), "w");
	struct cover_set *sets = calloc(n, sizeof(*sets));

	for (int i = 0; i < n; i++) {
		run_one(corpus_at(i));
		cover_take(&sets[i]);
	}
	for (int round = 9; file && round >= 0; round--)
		for (int i = 0; i < n; i++) {
			if (!is_enough(&sets[i], round))
				continue;
			cover_set_new(&sets[i], true);
			input_write(corpus_at(i), file);
			kept++;
		}
	printf("%d of %d inputs reach %u blocks\n", kept, n, cover_blocks());
	if (file)
		fclose(file);
}

static int usage(void)
{
	fprintf(stderr, "usage: guided [OPTION...] run | replay | least (main.c has the options)\n");
	return 2;
}

/* Return: whether it is one of them. */
static bool take_option(int option)
{
	switch (option) {
	case 'D': world.driver = optarg; break;
	case 'd': world.device = optarg; break;
	case 'p': world.peer = optarg; break;
	case 'i': world.interface = optarg; break;
	case 'n': world.netns = optarg; break;
	case 'g': world.cgroup = optarg; break;
	case 'r': world.root = true; break;
	case 'c': corpus_load(optarg); break;
	case 'o': folder = optarg; break;
	case 'u': restore = optarg; break;
	case 'k': goes_on = true; break;
	case 's': mutate_random = strtoull(optarg, NULL, 0) * 2 + 1; break;
	default: return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	long minutes = 1;
	int option;

	world.driver = "roce";
	while ((option = getopt(argc, argv, "D:d:p:i:n:g:rc:o:u:km:s:")) != -1)
		if (option == 'm')
			minutes = atol(optarg);
		else if (!take_option(option))
			return usage();
	if (optind != argc - 1 || !world.device)
		return usage();
	exec_init();
	setup_open();
	watch_init();
	if (!cover_open())
		printf("without coverage of the modules\n");
	if (!strcmp(argv[optind], "run"))
		run(minutes * 60);
	else if (!strcmp(argv[optind], "replay"))
		replay();
	else if (!strcmp(argv[optind], "least"))
		least();
	else
		return usage();
	if (strcmp(argv[optind], "least"))
		corpus_save(in_folder("corpus"));
	exec_renew();
	cover_print(in_folder("blocks"));
	cover_print_results(in_folder("results"));
	printf("%ld runs, %d inputs, %u blocks, %d faults; lines of the kernel:\n", runs,
	       corpus_size(), cover_blocks(), faults);
	watch_print_lines();
	return faults ? 1 : 0;
}
