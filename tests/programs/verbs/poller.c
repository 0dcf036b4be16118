// SPDX-License-Identifier: GPL-2.0
/*
 * Doorbells without a call: RC queue pairs of one context write to each other in windows, and
 * every byte is compared. What the kernel's thread does meanwhile and afterwards is looked at.
 *
 * usage: poller DEVICE GID-INDEX QPS MESSAGES SEED thread|none [ADDRESS]
 *
 * thread, none: whether the context is to have a thread. With ADDRESS, of the device, a thread of
 * this process and another process scribble over the page of doorbells, and a third one beside
 * them sends messages that must stay right.
 *
 * Prints how many doorbells found the thread awake.
 */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "rxe_ring.h"
#include "verdict.h"

#include "../../../include/uapi/ofed/ofed_user_verbs.h"

#define MOST	1000		/* queue pairs */
#define WINDOW	16
#define BYTES	64
#define SLOT	(WINDOW * BYTES)
#define STUCK	300		/* ms without a completion: a scribble took the doorbell */
#define HANG	120000
#define TICKS	20		/* of 100, in a second in which nothing rings */

struct shared {
	volatile bool stop;
	volatile long messages, scribbles;
};

static struct shared *shared;
static struct ibv_context *ctx;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static struct ibv_qp *qp[MOST];
static uint8_t *from, *to;
static volatile struct ofed_doorbell_page *page;
static int count, gid_index;
static union ibv_gid gid;
static uint32_t posted[MOST], ended[MOST];
static long stored, rescues;

/* ---- the thread of this process -------------------------------------------------------- */

/* How many there are; the number of the last one in @tid. */
static int threads(int *tid)
{
	DIR *proc = opendir("/proc");
	char want[32], path[300], comm[64];
	struct dirent *entry;
	int found = 0;
	FILE *file;

	NEED(proc);
	snprintf(want, sizeof(want), "ofed_poll/%d\n", getpid());
	while ((entry = readdir(proc))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		file = atoi(entry->d_name) ? fopen(path, "r") : NULL;
		if (!file)
			continue;
		if (fgets(comm, sizeof(comm), file) && !strcmp(comm, want)) {
			*tid = atoi(entry->d_name);
			found++;
		}
		fclose(file);
	}
	closedir(proc);
	return found;
}

static long ticks_of(int tid)
{
	unsigned long user, system;
	char path[64];
	FILE *file;
	int n;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	NEED(file = fopen(path, "r"));
	n = fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
		   &user, &system);
	fclose(file);
	NEED(n == 2);
	return user + system;
}

static bool same_file(const char *a, const char *b)
{
	char left[4096], right[4096];
	FILE *file;
	size_t n, m;

	NEED(file = fopen(a, "r"));
	n = fread(left, 1, sizeof(left), file);
	fclose(file);
	NEED(file = fopen(b, "r"));
	m = fread(right, 1, sizeof(right), file);
	fclose(file);
	return n == m && !memcmp(left, right, n);
}

static void look_at_thread(bool wanted)
{
	char path[64];
	int tid = 0;
	long ticks;

	EXPECT("threads of this context", threads(&tid), wanted);
	if (!wanted || !tid)
		return;
	snprintf(path, sizeof(path), "/proc/%d/cgroup", tid);
	EXPECT("it is in the cgroups of this process", same_file("/proc/self/cgroup", path), true);
	usleep(50000);
	ticks = ticks_of(tid);
	sleep(1);
	EXPECT("without a doorbell it sleeps", ticks_of(tid) - ticks <= TICKS, true);
	EXPECT("and says so", page->awake, 0);
}

/* ---- scribbling ------------------------------------------------------------------------- */

static void scribble(uint64_t *s)
{
	volatile uint32_t *words = (volatile uint32_t *)page;
	uint32_t all = below(s, 16) ? sizeof(*page) : 4096;

	switch (below(s, 6)) {
	case 0:	page->awake = below(s, 4); break;
	case 1:	page->rung[below(s, OFED_DOORBELLS / 32)] = rng(s); break;
	case 2:	page->rung[below(s, 2)] = ~0U; break;
	case 3:	page->rung[below(s, 2)] = 0; break;
	default: words[below(s, all / 4)] = odd(s); break;
	}
	__sync_fetch_and_add(&shared->scribbles, 1);
}

static void *scribbler(void *arg)
{
	uint64_t s = (uintptr_t)arg;

	while (!shared->stop) {
		scribble(&s);
		if (!below(&s, 64))
			usleep(100);
	}
	return NULL;
}

static bool is_over(void *arg)
{
	(void)arg;
	return shared->stop;
}

static int innocent(const char *device, const char *address, uint64_t seed)
{
	struct pair pair = { .seed = seed, .stop = is_over };
	enum pair_result result = PAIR_OK;

	if (!pair_open(&pair, device, address, device, address))
		return 1;
	while (!shared->stop && result == PAIR_OK) {
		result = pair_step(&pair);
		shared->messages = pair.messages;
		usleep(500);
	}
	return result != PAIR_OK && result != PAIR_STOPPED;
}

/* ---- traffic ----------------------------------------------------------------------------- */

static void make_objects(void)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1,
		.cap = { .max_send_wr = WINDOW + 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_pd *pd;
	size_t bytes = 2 * (size_t)count * SLOT;
	int i;

	from = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(from != MAP_FAILED);
	to = from + bytes / 2;
	NEED(!ibv_query_gid(ctx, 1, gid_index, &gid));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(mr = ibv_reg_mr(pd, from, bytes, RIGHTS));
	NEED(cq = ibv_create_cq(ctx, count * (WINDOW + 1), NULL, NULL, 0));
	init.send_cq = init.recv_cq = cq;
	for (i = 0; i < count; i++)
		NEED(qp[i] = ibv_create_qp(pd, &init));
	for (i = 0; i < count; i++)
		NEED(!(errno = qp_ready(qp[i], gid_index, &gid, qp[i ^ 1]->qp_num, 0, 0, 17)));
}

static void post(int i, int bytes)
{
	size_t at = (size_t)i * SLOT + posted[i] % WINDOW * BYTES;
	struct ibv_sge sge = { (uintptr_t)from + at, bytes, mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.wr_id = (uint64_t)bytes << 32 | i, .opcode = IBV_WR_RDMA_WRITE,
		.sg_list = &sge, .num_sge = 1,
		.wr.rdma = { (uintptr_t)to + at, mr->rkey },
	};

	if (bytes) {
		memset(from + at, posted[i] + i, BYTES);
		posted[i]++;
	}
	stored += page && page->awake;
	NEED(!(errno = ibv_post_send(qp[i], &wr, &bad)));
}

/* Message @ended of the queue pair is at its place. */
static void compare(int i)
{
	size_t at = (size_t)i * SLOT + ended[i] % WINDOW * BYTES;
	int k;

	for (k = 0; k < BYTES; k++)
		if (to[at + k] != (uint8_t)(ended[i] + i)) {
			printf("FAIL queue pair %d, message %u: wrong byte %d\n", i, ended[i], k);
			failed++;
			break;
		}
	ended[i]++;
}

static void settle(const struct ibv_wc *wc, long *done)
{
	int i = (uint32_t)wc->wr_id;

	if (wc->status != IBV_WC_SUCCESS) {
		printf("FAIL queue pair %d: %s\n", i, ibv_wc_status_str(wc->status));
		exit(1);
	}
	if (!(wc->wr_id >> 32))
		return;
	compare(i);
	++*done;
}

/* A scribble may have taken a doorbell, and the word that the thread sleeps. */
static void rescue(void)
{
	int i;

	for (i = 0; i < count; i++)
		if (posted[i] != ended[i]) {
			page->awake = 0;
			/* A request without a byte, and one place in the queue is left for it. */
			post(i, 0);
			rescues++;
		}
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void wait_some(long *done, bool scribbled)
{
	long begin = now_ms();
	struct ibv_wc wc[32];
	bool rescued = false;
	int n, i;

	while (!(n = ibv_poll_cq(cq, 32, wc))) {
		if (scribbled && !rescued && now_ms() - begin > STUCK) {
			rescue();
			rescued = true;
		}
		if (now_ms() - begin > HANG) {
			printf("FAIL no completion\n");
			exit(1);
		}
	}
	NEED(n > 0);
	for (i = 0; i < n; i++)
		settle(&wc[i], done);
}

static void run(long messages, bool scribbled)
{
	long sent = 0, done = 0;
	int i;

	while (done < messages) {
		for (i = 0; i < count; i++)
			if (posted[i] - ended[i] < WINDOW && sent < messages) {
				post(i, BYTES);
				sent++;
			}
		wait_some(&done, scribbled);
	}
}

static void run_scribbled(const char *device, const char *address, long messages, uint64_t seed)
{
	pthread_t thread;
	pid_t other, beside;
	int status;

	beside = fork();
	NEED(beside >= 0);
	if (!beside)
		_exit(innocent(device, address, seed + 2));
	ctx = open_named(device);
	NEED(ctx);
	NEED(new_rings(&(struct ring){}, 1) == 1);
	page = (void *)known[0].buf;
	make_objects();
	other = fork();
	NEED(other >= 0);
	if (!other) {
		scribbler((void *)(uintptr_t)(seed + 1));
		_exit(0);
	}
	NEED(!pthread_create(&thread, NULL, scribbler, (void *)(uintptr_t)seed));
	run(messages, true);
	shared->stop = true;
	pthread_join(thread, NULL);
	NEED(waitpid(other, &status, 0) == other);
	EXPECT("the other process that scribbles", status, 0);
	NEED(waitpid(beside, &status, 0) == beside);
	EXPECT("the process beside it", status, 0);
	EXPECT("and it got something done", shared->messages > 0, true);
	printf("%ld scribbles, %ld messages beside them, %ld doorbells rung again\n",
	       shared->scribbles, shared->messages, rescues);
}

static void run_calm(const char *device, long messages)
{
	ctx = open_named(device);
	NEED(ctx);
	if (new_rings(&(struct ring){}, 1) == 1)
		page = (void *)known[0].buf;
	make_objects();
	run(messages, false);
}

int main(int argc, char **argv)
{
	long begin;
	bool wanted;
	int i;

	if (argc < 7)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	gid_index = atoi(argv[2]);
	count = atoi(argv[3]) & ~1;
	NEED(count > 0 && count <= MOST);
	wanted = !strcmp(argv[6], "thread");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	NEED(shared != MAP_FAILED);
	NEED(!ibv_fork_init());
	begin = now_ms();
	if (argc > 7)
		run_scribbled(argv[1], argv[7], atol(argv[4]), atol(argv[5]));
	else
		run_calm(argv[1], atol(argv[4]));
	printf("%s messages of %d queue pairs in %ld ms, %ld doorbells without a call\n", argv[4],
	       count, now_ms() - begin, stored);
	if (argc <= 7)
		look_at_thread(wanted);
	else if (wanted)
		EXPECT("threads of this context", threads(&i), 1);
	for (i = 0; i < count; i++)
		NEED(!(errno = ibv_destroy_qp(qp[i])));
	EXPECT("the CQ goes", ibv_destroy_cq(cq), 0);
	EXPECT("the region goes", ibv_dereg_mr(mr), 0);
	return verdict();
}
