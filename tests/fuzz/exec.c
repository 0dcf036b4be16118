// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "choice.h"
#include "exec.h"
#include "op.h"
#include "pass.h"
#include "setup.h"

#define NOBODY		65534
#define OP_MS		60	/* a call that blocks is interrupted */
#define LATE_MS		10000
#define STUCK_MS	60000
#define INPUTS		40	/* of one host */
#define STACK		(256 << 10)

static struct shared {
	struct input input;
	uint64_t random;
} *shared;

static int asks[2] = { -1, -1 }, answers[2] = { -1, -1 };
static pid_t host;
static int left;

/* ---- in the process of an input ---- */

static void tick(int signal)
{
	(void)signal;
}

static int run_all(void *arg)
{
	struct itimerval every = {
		.it_interval.tv_usec = OP_MS * 1000, .it_value.tv_usec = OP_MS * 1000,
	};

	(void)arg;
	setpgid(0, 0);
	for (uint32_t i = 0; i < shared->input.count; i++) {
		struct record *op = &shared->input.op[i];

		setitimer(ITIMER_REAL, &every, NULL);
		if (!pass_turn(i))
			continue;
		choice_begin(op, (shared->random + i) * 0x9e3779b97f4a7c15ull | 1);
		op_run(op->op);
		pass_done();
	}
	pass_end();
	_exit(0);
}

/* ---- in its host ---- */

static void limits(void)
{
	const struct rlimit locked = { 4 << 20, 4 << 20 }, files = { 256, 256 };
	const struct rlimit memory = { 512 << 20, 512 << 20 }, none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_MEMLOCK, &locked);
	setrlimit(RLIMIT_AS, &memory);
}

static void become_user(void)
{
	if (world.root)
		return;
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		_exit(3);
}

/* All variables of the program are what they were before the first input. */
extern char __data_start[], _end[];
static char *kept;

static void keep_variables(void)
{
	size_t size = _end - __data_start;
	char *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	kept = room;
	memcpy(room, __data_start, size);
}

static void variables_back(void)
{
	world_unmap();
	memcpy(__data_start, kept, _end - __data_start);
	mmap(world_pages, WORLD_PAGES * 4096, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void one_input(char *stack)
{
	pid_t pid = clone(run_all, stack + STACK, CLONE_VM | SIGCHLD, NULL);

	while (waitpid(pid, NULL, 0) != pid && errno == EINTR)
		;
	/* What it forked goes with it. */
	kill(-pid, SIGKILL);
	variables_back();
}

static void be_host(void)
{
	struct sigaction act = { .sa_handler = tick };
	char *stack, word;

	close(asks[1]);
	close(answers[0]);
	setpgid(0, 0);
	sigaction(SIGALRM, &act, NULL);
	signal(SIGPIPE, SIG_IGN);
	limits();
	setup_input();
	become_user();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Its files in /proc are its own. */
	prctl(PR_SET_DUMPABLE, 1);
	world_pages = mmap(NULL, WORLD_PAGES * 4096, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	keep_variables();
	while (read(asks[0], &word, 1) == 1) {
		one_input(stack);
		if (write(answers[1], "", 1) != 1)
			break;
	}
	_exit(0);
}

/* ---- in the fuzzer ---- */

static void pipes(int fd[2])
{
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	if (pipe2(fd, O_CLOEXEC))
		exit(2);
}

static void begin_host(void)
{
	pipes(asks);
	pipes(answers);
	host = fork();
	if (!host)
		be_host();
	setpgid(host, host);
	/* When it dies the pipe says so. */
	close(asks[0]);
	close(answers[1]);
	asks[0] = answers[1] = -1;
	left = INPUTS;
}

/* Return: whether it said that it is done; a host that died did not. */
static bool done_in(int ms)
{
	struct pollfd p = { answers[0], POLLIN, 0 };
	char word;

	return poll(&p, 1, ms) == 1 && read(answers[0], &word, 1) == 1;
}

/* Return: whether it is gone in time. */
static bool end_host(void)
{
	int ms;

	kill(-host, SIGKILL);
	kill(host, SIGKILL);
	for (ms = 0; ms < STUCK_MS && waitpid(host, NULL, WNOHANG) != host; ms += 5)
		usleep(5000);
	host = 0;
	return ms < STUCK_MS;
}

void exec_renew(void)
{
	if (host)
		end_host();
}

static enum exec_end late(void)
{
	struct pollfd p = { answers[0], POLLIN, 0 };
	bool alive = !poll(&p, 1, 0), gone;

	/* Children of the host that lead groups of their own die of their parent's death. */
	gone = end_host();
	return !gone ? EXEC_STUCK : alive ? EXEC_LATE : EXEC_DONE;
}

enum exec_end exec_run(struct input *in, uint64_t random)
{
	enum exec_end end = EXEC_DONE;

	if (!host)
		begin_host();
	shared->input = *in;
	shared->random = random;
	if (write(asks[1], "", 1) != 1 || !done_in(LATE_MS))
		end = late();
	else if (!--left)
		exec_renew();
	if (shared->input.count == in->count)
		*in = shared->input;
	return end;
}

void exec_init(void)
{
	signal(SIGPIPE, SIG_IGN);
	shared = mmap((void *)0x1234560000, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (shared == MAP_FAILED)
		exit(2);
}
