// SPDX-License-Identifier: GPL-2.0
/*
 * Allocation failure on every path that creates an object: for each step of
 * raw_verbs.h the 1st, 2nd, 3rd … allocation of the call fails, until a call
 * goes through without meeting one. On ofed_testdev the driver's counts of
 * living objects must not move by a call that failed.
 *
 * Takes a kernel with CONFIG_FAULT_INJECTION, FAILSLAB and FAIL_PAGE_ALLOC; the
 * caller sets ignore-gfp-wait and the like in debugfs.
 *
 * usage: failslab_sweep DEVICE [STEP...]
 *        failslab_sweep --write FILE LINE UNDO-LINE STRIDE
 *
 * With steps named only these fail, the others are just made. The second form
 * does it to a write() of LINE, for each STRIDEth allocation.
 */
#include "raw_verbs.h"

#define LIMIT 5000

static int nth_fd = -1;
static char counts_path[256];

static int nth_set(int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", nth);

	return pwrite(nth_fd, text, len, 0) == len ? 0 : -errno;
}

/* Return: whether the failure that was ordered has happened; takes it back. */
static bool nth_met(void)
{
	char text[16] = "";

	if (pread(nth_fd, text, sizeof(text) - 1, 0) < 0)
		return false;
	nth_set(0);
	return atoi(text) == 0;
}

static void counts_read(char *text, size_t size)
{
	int fd = open(counts_path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, text, size - 1);

	text[got > 0 ? got : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

struct tally {
	int met;		/* failures that happened */
	int refused;		/* calls that failed by them */
	int survived;		/* calls that succeeded in spite of them */
};

/* One call with the nth allocation failing. Return: 1 when there is no nth. */
static int sweep_one(struct rv_world *w, const struct rv_step *step, int nth,
		     struct tally *tally)
{
	char before[1024], after[1024];
	bool met;
	int ret;

	counts_read(before, sizeof(before));
	nth_set(nth);
	ret = step->make(w);
	met = nth_met();
	if (!met) {
		if (ret)
			printf("FAIL %s: %s without a failure\n", step->name,
			       strerror(-ret));
		return ret ? ret : 1;
	}
	tally->met++;
	if (!ret) {
		tally->survived++;
		return step->undo ? step->undo(w) : 0;
	}
	tally->refused++;
	if (ret != -ENOMEM)
		printf("     %s, allocation %d: %s\n", step->name, nth,
		       strerror(-ret));
	counts_read(after, sizeof(after));
	if (strcmp(before, after)) {
		printf("FAIL %s, allocation %d leaves something\n",
		       step->name, nth);
		printf("before:\n%safter:\n%s", before, after);
		return -EBADF;
	}
	return 0;
}

static int sweep(struct rv_world *w, const struct rv_step *step, int stride)
{
	struct tally tally = { 0 };
	int nth, ret = 0;

	for (nth = 1; !ret && nth < LIMIT; nth += stride)
		ret = sweep_one(w, step, nth, &tally);
	if (ret == 1) {
		printf("ok   %-16s %d failures: %d refused, %d survived\n",
		       step->name, tally.met, tally.refused, tally.survived);
		return 0;
	}
	printf("FAIL %s at allocation %d: %s\n", step->name, nth - stride,
	       ret ? strerror(-ret) : "no end");
	return -1;
}

static bool wanted(const struct rv_step *step, char **names)
{
	if (!*names)
		return true;
	while (*names)
		if (!strcmp(step->name, *names++))
			return true;
	return false;
}

/* Return: 0 when the object of @step is there, and nothing of the failures. */
static int sweep_or_make(struct rv_world *w, const struct rv_step *step,
			 char **names)
{
	int ret;

	if (wanted(step, names))
		return sweep(w, step, 1);
	ret = step->make(w);
	if (ret)
		printf("FAIL %s: %s\n", step->name, strerror(-ret));
	return ret;
}

static int line_fd;
static const char *line_make, *line_undo;

static int write_line(const char *line)
{
	return write(line_fd, line, strlen(line)) < 0 ? -errno : 0;
}

static int make_line(struct rv_world *w)
{
	(void)w;
	return write_line(line_make);
}

static int undo_line(struct rv_world *w)
{
	(void)w;
	return write_line(line_undo);
}

/* @args: FILE LINE UNDO-LINE STRIDE */
static int sweep_line(char **args)
{
	const struct rv_step step = { "write", make_line, undo_line, false };
	struct rv_world w;

	strcpy(counts_path, "/sys/kernel/debug/ofed_testdev/counts");
	line_fd = open(args[0], O_WRONLY | O_CLOEXEC);
	line_make = args[1];
	line_undo = args[2];
	memset(&w, 0, sizeof(w));
	return sweep(&w, &step, atoi(args[3])) || undo_line(&w) ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct rv_world w;
	size_t i;
	int ret;
	bool line = argc == 6 && !strcmp(argv[1], "--write");

	if (argc < 2 || (!line && argv[1][0] == '-')) {
		fprintf(stderr,
			"usage: failslab_sweep DEVICE [STEP...] | --write FILE LINE UNDO-LINE STRIDE\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_fd < 0) {
		fprintf(stderr, "no /proc/thread-self/fail-nth\n");
		return 1;
	}
	if (line)
		return sweep_line(argv + 2);
	ret = rv_world_init(&w, argv[1]);
	if (ret) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(-ret));
		return 1;
	}
	snprintf(counts_path, sizeof(counts_path),
		 "/sys/kernel/debug/ofed_testdev/%s/counts", argv[1]);

	/* A response that is written is in memory already: no page faults. */
	mlockall(MCL_CURRENT | MCL_FUTURE);
	for (i = 0; i < RV_STEPS; i++) {
		if (!rv_step_applies(&rv_steps[i], argv[1]))
			continue;
		if (sweep_or_make(&w, &rv_steps[i], argv + 2))
			return 1;
	}
	for (i = RV_STEPS; i-- > 0;) {
		if (!rv_step_applies(&rv_steps[i], argv[1]) ||
		    !rv_steps[i].undo)
			continue;
		ret = rv_steps[i].undo(&w);
		if (ret) {
			printf("FAIL undo of %s: %s\n", rv_steps[i].name,
			       strerror(-ret));
			return 1;
		}
	}
	return 0;
}
