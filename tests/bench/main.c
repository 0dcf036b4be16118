// SPDX-License-Identifier: GPL-2.0
/*
 * The measuring program of 'make bench': one cell, one line of CSV.
 *
 * usage: bench head | NAME=VALUE...
 *   work=stream|pingpong|idle|calls  op=write|read|send|fadd|cswap|tcp|write_read|
 *   write_read_quiet  qp=rc|uc|ud  wait=poll|event|alone  (see bench.h)
 *   size qps mtu seconds
 *   dev gid        of the side that asks: name, index; peerdev peergid: of the other
 *   netns          file of the namespace of the other side
 *   address port   of TCP; with role=ask or role=serve that of the other host, for
 *                  what the sides tell each other beside the wire, too
 *   bind           of the other side, for a device that rdma_cm alone connects: its own
 *                  name for 'address', which it has to be given then
 *   wire           network device; its bytes are counted
 *   tag            what the line begins with
 *
 * Without a role it is both sides, as two processes.
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define TCP_BESIDE	1	/* its port is the next one */
#define PIECES		3	/* of a measurement */
#define CALLS_AT_ONCE	1000

struct cell cell = {
	.tag = "", .work = STREAM, .op = WRITE, .type = IBV_QPT_RC, .wait = EVENT,
	.size = 65536, .qps = 1, .mtu = 4096, .port = 18500, .seconds = 1,
};
int me;

static const char *role;

static const struct word {
	const char *name;
	long value;
} works[] = { { "stream", STREAM }, { "pingpong", PINGPONG }, { "idle", IDLE },
	    { "calls", CALLS }, { } },
  ops[] = { { "write", WRITE }, { "read", READ }, { "send", SEND }, { "fadd", FADD },
	    { "cswap", CSWAP }, { "tcp", TCP }, { "write_read", WRITE_READ },
	    { "write_read_quiet", WRITE_READ_QUIET }, { } },
  types[] = { { "rc", IBV_QPT_RC }, { "uc", IBV_QPT_UC }, { "ud", IBV_QPT_UD }, { } },
  waits[] = { { "poll", POLL }, { "event", EVENT }, { "alone", ALONE }, { } };

static const struct argument {
	const char *name;
	long *number;
	const struct word *words;
	const char **text;
} arguments[] = {
	{ "work", &cell.work, works }, { "op", &cell.op, ops }, { "qp", &cell.type, types },
	{ "wait", &cell.wait, waits }, { "size", &cell.size }, { "qps", &cell.qps },
	{ "mtu", &cell.mtu }, { "port", &cell.port }, { "gid", &cell.gid[0] },
	{ "peergid", &cell.gid[1] }, { "dev", .text = &cell.dev[0] },
	{ "peerdev", .text = &cell.dev[1] }, { "netns", .text = &cell.netns },
	{ "address", .text = &cell.address }, { "bind", .text = &cell.bind }, { "wire", .text = &cell.wire },
	{ "tag", .text = &cell.tag }, { "role", .text = &role }, { }
};

static void usage(const char *word)
{
	fprintf(stderr, "bench: what is '%s'?\n", word);
	exit(2);
}

static const char *spell(const struct word *words, long value)
{
	while (words->value != value)
		words++;
	return words->name;
}

static void set(const struct argument *a, const char *value)
{
	const struct word *w;

	if (a->text) {
		*a->text = value;
		return;
	}
	for (w = a->words; w && w->name; w++) {
		if (!strcmp(w->name, value)) {
			*a->number = w->value;
			return;
		}
	}
	if (a->words)
		usage(value);
	*a->number = atol(value);
}

static void parse(char *word)
{
	char *value = strchr(word, '=');
	const struct argument *a;

	if (!value)
		usage(word);
	*value++ = 0;
	if (!strcmp(word, "seconds")) {
		cell.seconds = atof(value);
		return;
	}
	for (a = arguments; a->name && strcmp(a->name, word); a++)
		;
	if (!a->name)
		usage(word);
	set(a, value);
}

static void check(void)
{
	if (cell.qps < 1 || cell.qps > MOST_QPS || cell.size < 1 || cell.size > 64 << 20)
		usage("qps or size");
	if (cell.op != TCP && cell.work != CALLS && !cell.dev[!!(role && !strcmp(role, "serve"))])
		usage("dev");
	if (!cell.dev[1] && !role) {
		cell.dev[1] = cell.dev[0];
		cell.gid[1] = cell.gid[0];
	}
}

static const char head[] =
	"kernel,round,setup,place,work,op,qp,size,qps,mtu,wait,seconds,messages,mbps,rate,usec,"
	"ask_user,ask_sys,serve_user,serve_sys,cpu_user,cpu_sys,cpu_soft,cpu_per_gib,wire_bytes,"
	"bytes_per_qp,status\n";

/* @u: of both sides */
static void print(const struct result *r, const struct usage *u)
{
	double bytes = (double)r->messages * cell.size, cpu[3];
	double best = r->best;

	for (int i = 0; i < 3; i++)
		cpu[i] = u[0].cpu[i] + (role ? u[1].cpu[i] : 0);
	printf("%s,%s,%s,%s,%ld,%ld,%ld,%s,%.6f,%ld,", cell.tag, spell(works, cell.work),
	       spell(ops, cell.op), spell(types, cell.type), cell.size,
	       cell.qps, cell.mtu, spell(waits, cell.wait), r->seconds, r->messages);
	if (cell.work == STREAM)
		printf("%.3f,%.1f,,", best * cell.size / 1e6, best);
	else if (cell.work == PINGPONG)
		printf(",,%.3f,", 1e6 / best);
	else
		printf(",,,");
	printf("%.4f,%.4f,%.4f,%.4f,%.2f,%.2f,%.2f,", u[0].user, u[0].sys, u[1].user, u[1].sys,
	       cpu[0], cpu[1], cpu[2]);
	if (cell.work == STREAM && bytes)
		printf("%.4f", (cpu[0] + cpu[1] + cpu[2]) / (bytes / (1 << 30)));
	printf(",%.0f,", u[0].wire);
	if (cell.work == IDLE)
		printf("%ld", r->bytes_per_qp);
	printf(",ok\n");
}

/*
 * What is only so the first time is not measured. The rate is that of the best piece:
 * whatever else the machine has to do comes in bursts, and is none of the stack.
 */
static void measure(struct result *r, struct usage *spent,
		    void (*run)(void *, double, struct result *), void *arg)
{
	struct result piece = { };
	struct usage before;

	run(arg, cell.seconds / 8, &piece);
	usage_take(&before);
	for (int i = 0; i < PIECES; i++) {
		run(arg, cell.seconds / PIECES, &piece);
		r->messages += piece.messages;
		r->seconds += piece.seconds;
		if (piece.seconds && piece.messages / piece.seconds > r->best)
			r->best = piece.messages / piece.seconds;
	}
	usage_since(spent, &before);
}

static void run_side(void *arg, double seconds, struct result *r)
{
	if (cell.work == STREAM)
		stream(arg, seconds, r);
	else
		pingpong(arg, seconds, r);
}

static void run_alone(void *arg, double seconds, struct result *r)
{
	struct side *s = arg;

	pingpong_alone(&s[0], &s[1], seconds, r);
}

static void run_tcp(void *arg, double seconds, struct result *r)
{
	if (cell.work == STREAM)
		tcp_stream(arg, seconds, r);
	else
		tcp_pingpong(arg, seconds, r);
}

static void connect_sides(struct side *s)
{
	side_open(s, me);
	oob_swap(&s->own, &s->other, sizeof(s->own));
	side_connect(s);
	if (cell.work == STREAM)
		stream_begin(s);
	else if (cell.work == PINGPONG)
		pingpong_begin(s);
	oob_meet();
}

/* What librxe writes to the kernel for each request, to a device that takes it and no more. */
static void run_calls(void *arg, double seconds, struct result *r)
{
	static const uint8_t doorbell[32];
	double start = now(), at;
	int fd = *(int *)arg;

	r->messages = 0;
	do {
		for (int i = 0; i < CALLS_AT_ONCE; i++)
			NEED(write(fd, doorbell, sizeof(doorbell)) == sizeof(doorbell));
		r->messages += CALLS_AT_ONCE;
		at = now();
	} while (at - start < seconds);
	r->seconds = at - start;
}

/* A line as those of tests/bench/setups.sh: calls in a second. */
static void calls(void)
{
	struct result r = { };
	struct usage spent;
	int fd;

	NEED((fd = open("/dev/null", O_WRONLY)) >= 0);
	measure(&r, &spent, run_calls, &fd);
	printf("%s,ceiling,calls,,1,1,,,,,%.0f,,,,,,,,,,,,,ok\n", cell.tag, r.best);
}

/* Both ends of each pair are queue pairs. */
static void idle(struct result *r)
{
	static struct side s, one;
	long qps = cell.qps, before;

	/* What the first one takes with it is not of each. */
	cell.qps = 1;
	connect_sides(&one);
	cell.qps = qps;
	before = memory_used();
	oob_meet();
	connect_sides(&s);
	r->bytes_per_qp = (memory_used() - before) / (2 * qps);
	oob_meet();
}

static void alone(struct result *r, struct usage *spent)
{
	static struct side s[2];
	int fd[2];

	if (cell.op == TCP) {
		tcp_open(fd);
		measure(r, spent, run_tcp, fd);
		return;
	}
	for (int i = 0; i < 2; i++)
		side_open(&s[i], i);
	for (int i = 0; i < 2; i++) {
		s[i].other = s[!i].own;
		side_connect(&s[i]);
		pingpong_begin(&s[i]);
	}
	measure(r, spent, run_alone, s);
}

static void two_sides(struct result *r, struct usage *spent)
{
	static struct side s;
	int fd[2];

	if (cell.op == TCP) {
		cell.port += TCP_BESIDE;
		tcp_open(fd);
		measure(r, spent, run_tcp, fd);
	} else if (cell.work == IDLE) {
		idle(r);
	} else {
		connect_sides(&s);
		measure(r, spent, run_side, &s);
	}
}

static void begin(void)
{
	int fd;

	if (!role)
		oob_fork();
	else if (!strcmp(role, "serve"))
		oob_serve(cell.port);
	else
		oob_ask(cell.address, cell.port);
	if (me && cell.netns) {
		NEED((fd = open(cell.netns, O_RDONLY)) >= 0);
		NEED(!setns(fd, CLONE_NEWNET));
	}
}

int main(int argc, char **argv)
{
	struct usage u[2] = { };
	struct result r = { };
	int status = 0;

	if (argc == 2 && !strcmp(argv[1], "head")) {
		fputs(head, stdout);
		return 0;
	}
	for (int i = 1; i < argc; i++)
		parse(argv[i]);
	check();
	if (cell.work == CALLS) {
		calls();
		return 0;
	}
	stream_plan();
	if (cell.wait == ALONE) {
		alone(&r, &u[0]);
	} else {
		begin();
		two_sides(&r, &u[me]);
		oob_swap(&u[me], &u[!me], sizeof(u[0]));
	}
	if (me)
		return 0;
	print(&r, u);
	if (cell.wait != ALONE && !role)
		wait(&status);
	return status != 0;
}
