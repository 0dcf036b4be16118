/* SPDX-License-Identifier: GPL-2.0 */
/* What the fuzz programs share: threads with random numbers, and a child to run them. */
#ifndef FUZZ_THREADS_H
#define FUZZ_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct thread {
	uint64_t random;
	char *edge;		/* page that ends where memory ends */
	char *response;		/* memory of its own */
	struct context *ctx;	/* open file of the command in work */
	atomic_long *left;	/* commands, of all threads */
	void (*turn)(struct thread *t);
};

/* Not where they are the choices of an input (tests/fuzz). */
#ifndef FUZZ_CHOICES
static inline uint32_t rnd(struct thread *t)
{
	t->random ^= t->random << 13;
	t->random ^= t->random >> 7;
	t->random ^= t->random << 17;
	return t->random >> 16;
}

static inline uint32_t below(struct thread *t, uint32_t n)
{
	return rnd(t) % n;
}

static inline bool chance(struct thread *t, uint32_t percent)
{
	return below(t, 100) < percent;
}
#endif

static inline void thread_init(struct thread *t, uint64_t seed, int number,
			       size_t response)
{
	t->random = (seed + 1) * 0x9e3779b97f4a7c15ull +
		number * 0xbf58476d1ce4e5b9ull;
	t->edge = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(t->edge + 4096, 4096, PROT_NONE);
	t->response = mmap(NULL, response, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static inline void *thread_turns(void *arg)
{
	struct thread *t = arg;

	while (atomic_load(t->left) > 0)
		t->turn(t);
	return NULL;
}

/*
 * Until nothing is @left. Nothing waits for the threads, of which some are in a command and some
 * wait for an event, nor cleans up: the kernel's is part of the test.
 */
static inline void threads_run(uint64_t seed, int threads, size_t response,
			       atomic_long *left, void (*turn)(struct thread *t))
{
	struct thread *t = calloc(threads, sizeof(*t));
	pthread_t id;

	for (int i = 0; i < threads; i++) {
		thread_init(&t[i], seed, i, response);
		t[i].left = left;
		t[i].turn = turn;
		pthread_create(&id, NULL, thread_turns, &t[i]);
	}
	while (atomic_load(left) > 0)
		usleep(10000);
}

/* How much a fuzz does. */
struct plan {
	uint64_t seed;
	long count;
	int threads;
	bool coverage;		/* each kind has to succeed once */
};

/* Return: false for an option that not every fuzz has. */
static inline bool plan_option(struct plan *p, int option)
{
	if (option == 'n')
		p->count = atol(optarg);
	else if (option == 's')
		p->seed = strtoull(optarg, NULL, 0);
	else if (option == 't')
		p->threads = atoi(optarg);
	else if (option == 'c')
		p->coverage = true;
	else
		return false;
	return true;
}

static inline bool died_of_itself(int status)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };

	for (int i = 0; WIFSIGNALED(status) && i < 5; i++)
		if (WTERMSIG(status) == signals[i])
			return true;
	return false;
}

/*
 * A child does the work, until nothing is left of it; when it dies of an answer
 * gone wild, another one goes on with the next seed. @summary tells how many kinds
 * never succeeded. Return: what the program exits with.
 */
static inline int plan_run(const struct plan *p, atomic_long *left,
			   atomic_long *restarts,
			   int (*child)(uint64_t seed, int threads),
			   int (*summary)(void))
{
	uint64_t seed = p->seed;
	int status = 0;

	printf("seed %llu, %ld commands, %d threads\n",
	       (unsigned long long)seed, p->count, p->threads);
	fflush(stdout);
	atomic_store(left, p->count);
	while (atomic_load(left) > 0) {
		pid_t pid = fork();

		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			_exit(child(seed, p->threads));
		}
		if (waitpid(pid, &status, 0) < 0 || !died_of_itself(status))
			break;
		atomic_fetch_add(restarts, 1);
		/* It may have been the last command. */
		status = 0;
		seed++;
	}
	if (summary() && p->coverage)
		return 1;
	if (status)
		printf("the last run ended with status 0x%x\n", status);
	return status ? 1 : 0;
}

#endif /* FUZZ_THREADS_H */
