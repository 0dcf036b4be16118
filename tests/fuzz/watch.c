// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include "op.h"
#include "watch.h"

#define KINDS	256	/* of lines of the kernel's log */

static int kmsg = -1, netlink = -1, objects_before;
static regex_t bad;

static struct line {
	char text[160];
	long count;
} lines[KINDS];

/* As tests/vm/reports has it; what kmemleak says is asked for at the end. */
static const char pattern[] =
	"WARNING:|BUG:|KASAN|UBSAN|possible circular locking|possible recursive locking|"
	"inconsistent lock state|INFO: task .* blocked|Oops|[Gg]eneral protection|refcount_t|"
	"suspicious RCU|Call Trace|Kernel panic|ODEBUG|rcu: INFO|soft lockup|leaked|"
	"does not destroy object|is left over";

void watch_init(void)
{
	kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg >= 0)
		lseek(kmsg, 0, SEEK_END);
	netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	if (kmsg < 0 || netlink < 0 || regcomp(&bad, pattern, REG_EXTENDED | REG_NOSUB)) {
		perror("watch");
		exit(2);
	}
	objects_before = watch_objects();
}

/* ---- what the kernel says ---- */

/* Lines that differ in numbers alone are one. */
static void count_line(const char *text)
{
	char plain[sizeof(lines[0].text)];
	size_t n = 0;
	int i;

	for (; *text && *text != '\n' && n < sizeof(plain) - 1; text++)
		if (!isdigit(*text) || !n || plain[n - 1] != '0')
			plain[n++] = isdigit(*text) ? '0' : *text;
	plain[n] = '\0';
	for (i = 0; i < KINDS - 1 && lines[i].count; i++)
		if (!strcmp(lines[i].text, plain))
			break;
	strcpy(lines[i].text, plain);
	lines[i].count++;
}

/*
 * A memory cgroup that is full has a process killed, and says what that one wanted, with a trace;
 * a page fault without memory is tried again; the test device refuses on order.
 */
static bool is_meant(const char *text)
{
	static bool killing;

	if (strstr(text, "invoked oom-killer"))
		killing = true;
	if (strstr(text, "Killed process") || strstr(text, "oom_reaper"))
		killing = false;
	if (!strcmp(world.driver, "testdev") && strstr(text, "does not destroy object"))
		return true;
	return killing || strstr(text, "Huh VM_FAULT_OOM leaked");
}

bool watch_reports(const char *log)
{
	char record[4096], *text;
	bool found = false;
	FILE *file = NULL;
	ssize_t n;

	/* A record that was lost is an error of one call. */
	while ((n = read(kmsg, record, sizeof(record) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		record[n > 0 ? n : 0] = '\0';
		text = strchr(record, ';');
		if (!text++)
			continue;
		count_line(text);
		found |= !is_meant(text) && !regexec(&bad, text, 0, NULL, 0);
		if (!file)
			file = fopen(log, "a");
		if (file)
			fprintf(file, "%.*s\n", (int)strcspn(text, "\n"), text);
	}
	if (file)
		fclose(file);
	return found;
}

void watch_print_lines(void)
{
	for (int i = 0; i < KINDS && lines[i].count; i++)
		printf("%8ld  %s\n", lines[i].count, lines[i].text);
}

/* ---- objects ---- */

static uint64_t sum_of_summary(struct nlattr *a, size_t room);

/* Is it about our device? */
static bool is_ours(struct nlattr *a, size_t room)
{
	while (room >= sizeof(*a) && a->nla_len >= sizeof(*a) && a->nla_len <= room) {
		size_t step = NLA_ALIGN(a->nla_len);

		if (a->nla_type == RDMA_NLDEV_ATTR_DEV_NAME)
			return !strcmp((char *)(a + 1), world.device);
		if (step >= room)
			break;
		room -= step;
		a = (void *)((char *)a + step);
	}
	return false;
}

/* Return: what counts in @a; its nested attributes are followed. */
static uint64_t sum_of(struct nlattr *a)
{
	uint64_t value;

	switch (a->nla_type & NLA_TYPE_MASK) {
	case RDMA_NLDEV_ATTR_RES_SUMMARY:
	case RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY:
		return sum_of_summary(a + 1, a->nla_len - sizeof(*a));
	case RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR:
		memcpy(&value, a + 1, sizeof(value));
		return value;
	}
	return 0;
}

static uint64_t sum_of_summary(struct nlattr *a, size_t room)
{
	uint64_t sum = 0;

	while (room >= sizeof(*a) && a->nla_len >= sizeof(*a) && a->nla_len <= room) {
		size_t step = NLA_ALIGN(a->nla_len);

		sum += sum_of(a);
		if (step >= room)
			break;
		room -= step;
		a = (void *)((char *)a + step);
	}
	return sum;
}

int watch_objects(void)
{
	struct nlmsghdr ask = {
		.nlmsg_len = sizeof(ask), .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_RES_GET),
	};
	static char answer[16384] __attribute__((aligned(8)));
	struct nlmsghdr *h;
	int sum = 0, n;

	if (send(netlink, &ask, sizeof(ask), 0) < 0)
		return -1;
	while ((n = recv(netlink, answer, sizeof(answer), 0)) > 0)
		for (h = (void *)answer; NLMSG_OK(h, (unsigned int)n); h = NLMSG_NEXT(h, n)) {
			if (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR)
				return sum;
			if (is_ours(NLMSG_DATA(h), h->nlmsg_len - NLMSG_HDRLEN))
				sum += sum_of_summary(NLMSG_DATA(h),
						      h->nlmsg_len - NLMSG_HDRLEN);
		}
	return sum;
}

void watch_again(void)
{
	objects_before = watch_objects();
}

/* Sockets that are in each other's queues alone, with what else is there, go when one is closed. */
static void collect_lost(void)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	close(fd);
}

bool watch_none_left(int seconds)
{
	time_t until = time(NULL) + seconds;
	int now;

	collect_lost();
	while ((now = watch_objects()) > objects_before) {
		if (time(NULL) > until) {
			printf("%d objects, %d before\n", now, objects_before);
			objects_before = now;
			return false;
		}
		usleep(5000);
	}
	objects_before = now;
	return true;
}
