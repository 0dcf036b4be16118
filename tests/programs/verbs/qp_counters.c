// SPDX-License-Identifier: GPL-2.0
/*
 * Counters of queue pairs, as 'rdma statistic qp' binds and shows them: what is counted, for
 * which queue pair, and that the counters of the port have all of it, then and afterwards.
 *
 * usage: qp_counters DEVICE GID-INDEX packets|none
 */
#include <stdarg.h>

#include "two_qps.h"
#include "verdict.h"

#define MESSAGES	50
#define LENGTH		2500		/* three packets */

static uint8_t own[LENGTH], other[LENGTH];
static struct ibv_mr *own_mr, *other_mr;
static const char *device;
static bool packets;

/* What 'rdma statistic ARGUMENTS' says; "" if it fails. */
static const char *says(const char *format, ...)
{
	static char text[1 << 16];
	char command[256] = "rdma statistic ";
	size_t had = strlen(command), got;
	va_list args;
	FILE *pipe;

	va_start(args, format);
	vsnprintf(command + had, sizeof(command) - had, format, args);
	va_end(args);
	strcat(command, " 2>/dev/null");
	NEED(pipe = popen(command, "r"));
	got = fread(text, 1, sizeof(text) - 1, pipe);
	text[pclose(pipe) ? 0 : got] = 0;
	return text;
}

static int does(const char *what, const struct ibv_qp *of)
{
	char command[256];

	if (of)
		snprintf(command, sizeof(command),
			 "rdma statistic qp %s link %s/1 lqpn %u >/dev/null 2>&1", what, device,
			 of->qp_num);
	else
		snprintf(command, sizeof(command),
			 "rdma statistic qp set link %s/1 %s >/dev/null 2>&1", device, what);
	return system(command) != 0;
}

static long in(const char *text, const char *name)
{
	char with[64];
	const char *at;

	snprintf(with, sizeof(with), " %s ", name);
	at = strstr(text, with);
	return at ? atol(at + strlen(with)) : -1;
}

/*
 * The counter of a queue pair, or -1. A line for each counter, and one with its queue pairs,
 * "LQPN: <17,18>".
 */
static long of_qp(const struct ibv_qp *of, const char *name)
{
	const char *text = says("qp show link %s/1", device), *counter = "", *line;
	char *rest = (char *)text, *at;

	while ((line = strsep(&rest, "\n"))) {
		at = strstr(line, "LQPN: <");
		if (!at)
			counter = line;
		for (at += at ? 7 : 0; at && *at; at += strcspn(at, ",>") + 1)
			if (strtoul(at, NULL, 10) == of->qp_num)
				return in(counter, name);
			else if (at[strcspn(at, ",>")] != ',')
				break;
	}
	return -1;
}

static long of_port(const char *name)
{
	return in(says("show link %s/1", device), name);
}

static int unbind(const struct ibv_qp *of)
{
	char command[256];
	long number = of_qp(of, "cntn");

	snprintf(command, sizeof(command),
		 "rdma statistic qp unbind link %s/1 cntn %ld lqpn %u >/dev/null 2>&1", device, number,
		 of->qp_num);
	return number < 0 || system(command) != 0;
}

/* The core asks a device again after 10 ms. */
static bool becomes(long (*left)(void), long (*right)(void))
{
	time_t limit = time(NULL) + PAIR_SECONDS;

	while (left() != right())
		if (time(NULL) > limit)
			return false;
	return true;
}

static void writes(void)
{
	for (int i = 0; i < MESSAGES; i++)
		NEED(!request(IBV_WR_RDMA_WRITE, (uintptr_t)own, own_mr->lkey, LENGTH,
			      (uintptr_t)other, other_mr->rkey));
}

static long port_before[2];
static const char *sent, *received;

static void before(void)
{
	usleep(30000);
	port_before[0] = of_port(sent);
	port_before[1] = of_port("tx_bytes");
}

static long a_sent(void) { return of_qp(qp[0], sent); }
static long b_received(void) { return of_qp(qp[1], received); }
static long both_sent(void) { return of_qp(qp[0], sent) + of_qp(qp[1], sent); }
static long both_bytes(void) { return of_qp(qp[0], "tx_bytes") + of_qp(qp[1], "tx_bytes"); }
static long port_sent(void) { return of_port(sent) - port_before[0]; }
static long port_bytes(void) { return of_port("tx_bytes") - port_before[1]; }

static void each_its_own(void)
{
	const long least = packets ? 3 * MESSAGES : MESSAGES;
	long seen;

	EXPECT("no counter", of_qp(qp[0], "cntn"), -1);
	EXPECT("one queue pair is bound", does("bind", qp[0]), 0);
	EXPECT("and not again", does("bind", qp[0]), 1);
	EXPECT("the other has none", of_qp(qp[1], "cntn"), -1);
	EXPECT("the other is bound", does("bind", qp[1]), 0);
	EXPECT("to another counter", of_qp(qp[0], "cntn") != of_qp(qp[1], "cntn"), 1);
	EXPECT("nothing is counted yet", a_sent() + b_received(), 0);
	before();
	writes();
	EXPECT("what one sent the other received", becomes(a_sent, b_received), 1);
	EXPECT("and it is all of it", a_sent() >= least, 1);
	EXPECT("bytes, too", of_qp(qp[0], "tx_bytes") >= MESSAGES * LENGTH, 1);
	EXPECT("the port has what both have", becomes(port_sent, both_sent), 1);
	EXPECT("in bytes, too", becomes(port_bytes, both_bytes), 1);
	seen = of_port(sent);
	EXPECT("one is unbound", unbind(qp[0]), 0);
	EXPECT("and has no counter", of_qp(qp[0], "cntn"), -1);
	EXPECT("the port forgets nothing", of_port(sent) >= seen, 1);
	seen = of_port(sent);
	writes();
	usleep(30000);
	EXPECT("and counts on", of_port(sent) >= seen + least, 1);
	EXPECT("the other is unbound", unbind(qp[1]), 0);
}

static long counter_sent(void) { return of_qp(qp[0], sent); }

static void by_itself(int gid_index)
{
	long number;

	EXPECT("a counter for each type", does("auto type on", NULL), 0);
	ready(gid_index);
	number = of_qp(qp[0], "cntn");
	EXPECT("is there", number > 0, 1);
	EXPECT("for both", of_qp(qp[1], "cntn"), number);
	EXPECT("none is bound by hand", does("bind", qp[0]), 1);
	before();
	writes();
	EXPECT("the port has what it has", becomes(port_sent, counter_sent), 1);
	/* Its queue pairs go. */
	ready(gid_index);
	EXPECT("another is there for others", of_qp(qp[0], "cntn") > 0, 1);
	EXPECT("no more of them", does("auto off", NULL), 0);
	ready(gid_index);
	EXPECT("a new queue pair has none", of_qp(qp[0], "cntn"), -1);
}

int main(int argc, char **argv)
{
	int gid_index;

	if (argc != 4)
		return 2;
	device = argv[1];
	gid_index = atoi(argv[2]);
	packets = !strcmp(argv[3], "packets");
	sent = packets ? "tx_packets" : "local_messages";
	received = packets ? "rx_packets" : "rx_local_messages";
	NEED(ctx = open_named(device));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(own_mr = ibv_reg_mr(pd, own, LENGTH, RIGHTS));
	NEED(other_mr = ibv_reg_mr(pd, other, LENGTH, RIGHTS));
	ready(gid_index);
	each_its_own();
	by_itself(gid_index);
	EXPECT("one is bound at its end", does("bind", qp[0]), 0);
	return verdict();
}
