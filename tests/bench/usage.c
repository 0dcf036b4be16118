// SPDX-License-Identifier: GPL-2.0
/* What it took: time, processors, memory, the wire. */
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#define STEADY	(32 << 10)	/* bytes: nothing goes on any more */

double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static double seconds(const struct timeval *t)
{
	return t->tv_sec + t->tv_usec / 1e6;
}

/* Both directions: a READ comes the other way. */
static double wire_bytes(void)
{
	double rx, tx, sum = 0;
	char line[512], name[64];
	FILE *f;

	if (!cell.wire)
		return 0;
	NEED(f = fopen("/proc/self/net/dev", "r"));
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, " %63[^:]: %lf %*f %*f %*f %*f %*f %*f %*f %lf",
			   name, &rx, &tx) == 3 && !strcmp(name, cell.wire))
			sum = rx + tx;
	fclose(f);
	return sum;
}

void usage_take(struct usage *u)
{
	double user, nice, sys, idle, iowait, irq, soft;
	struct rusage own;
	FILE *f;

	NEED(f = fopen("/proc/stat", "r"));
	NEED(fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf",
		    &user, &nice, &sys, &idle, &iowait, &irq, &soft) == 7);
	fclose(f);
	getrusage(RUSAGE_SELF, &own);
	*u = (struct usage){
		.when = now(), .wire = wire_bytes(),
		.user = seconds(&own.ru_utime), .sys = seconds(&own.ru_stime),
		.cpu = { (user + nice) / sysconf(_SC_CLK_TCK), sys / sysconf(_SC_CLK_TCK),
			 (irq + soft) / sysconf(_SC_CLK_TCK) },
	};
}

void usage_since(struct usage *u, const struct usage *before)
{
	usage_take(u);
	u->when -= before->when;
	u->user -= before->user;
	u->sys -= before->sys;
	u->wire -= before->wire;
	for (int i = 0; i < 3; i++)
		u->cpu[i] -= before->cpu[i];
}

static void tell(const char *path, const char *word)
{
	FILE *f = fopen(path, "w");

	if (f) {
		fputs(word, f);
		fclose(f);
	}
}

/*
 * Free pages that processors keep for their next allocation: MemFree does not have them, and
 * on Debian's kernels they are up to a part of the low watermark, 27 MiB of a guest's 2 GiB.
 * An allocation gets them first.
 */
static long kept_bytes(void)
{
	long count, pages = 0;
	char line[128];
	FILE *f;

	NEED(f = fopen("/proc/zoneinfo", "r"));
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, " count: %ld", &count) == 1)
			pages += count;
	fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

/* Neither free, nor of files or programs. */
static long kernel_bytes(void)
{
	static const char *const others[] = { "MemFree", "Buffers", "Cached", "AnonPages" };
	char line[128], name[64];
	long kb, used = 0;
	FILE *f;

	tell("/proc/sys/vm/drop_caches", "3");
	tell("/proc/sys/vm/stat_refresh", "1");
	NEED(f = fopen("/proc/meminfo", "r"));
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%63[^:]: %ld", name, &kb) != 2)
			continue;
		if (!strcmp(name, "MemTotal"))
			used += kb;
		for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
			if (!strcmp(name, others[i]))
				used -= kb;
	}
	fclose(f);
	return used * 1024 - kept_bytes();
}

/* Bytes that the kernel has for itself, when what is freed late has been freed. */
long memory_used(void)
{
	long before, used = kernel_bytes();

	for (int i = 0; i < 20; i++) {
		before = used;
		usleep(250000);
		used = kernel_bytes();
		if (labs(used - before) <= STEADY)
			break;
	}
	return used;
}
