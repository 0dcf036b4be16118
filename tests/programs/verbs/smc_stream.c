// SPDX-License-Identifier: GPL-2.0
/*
 * Checked streams through AF_SMC sockets, both ways at once.
 *
 * usage: smc_stream serve ADDRESS PORT STREAMS BYTES LISTENING-FILE
 *	  smc_stream connect ADDRESS PORT STREAMS BYTES
 *
 * Each of STREAMS connections carries BYTES in either direction, in pieces of many
 * sizes, and ends with an orderly shutdown. The server takes its connections one
 * after another and serves them all together. A line for each connection tells what
 * carried it, as the socket monitoring interface has it:
 *	'smc-r DEVICE', 'tcp REASON' (a fall-back) or 'smc-d'
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/smc_diag.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pattern.h"

#ifndef AF_SMC
#define AF_SMC 43
#endif
#define PIECE (256 * 1024)
#define PATIENCE (60 * 1000) /* milliseconds without any progress */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* ---- what carries a connection ---------------------------------------------- */

static void tell(const struct nlmsghdr *message)
{
	struct smc_diag_msg *of = NLMSG_DATA(message);
	struct rtattr *at = (void *)(of + 1);
	int left = message->nlmsg_len - NLMSG_LENGTH(sizeof(*of));

	if (of->diag_mode == SMC_DIAG_MODE_SMCD) {
		puts("smc-d");
		return;
	}
	for (; RTA_OK(at, left); at = RTA_NEXT(at, left)) {
		struct smc_diag_lgrinfo *group = RTA_DATA(at);
		struct smc_diag_fallback *fallback = RTA_DATA(at);

		if (of->diag_mode == SMC_DIAG_MODE_SMCR && at->rta_type == SMC_DIAG_LGRINFO)
			printf("smc-r %s\n", (char *)group->lnk[0].ibname);
		else if (of->diag_mode == SMC_DIAG_MODE_FALLBACK_TCP &&
			 at->rta_type == SMC_DIAG_FALLBACK)
			printf("tcp reason 0x%08x, the peer's 0x%08x\n", fallback->reason,
			       fallback->peer_diagnosis);
	}
}

static void tell_carrier(int fd)
{
	struct {
		struct nlmsghdr header;
		struct smc_diag_req request;
	} ask = {
		.header = {
			.nlmsg_len = sizeof(ask),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
		.request = {
			.diag_family = AF_SMC,
			.diag_ext = 1 << (SMC_DIAG_LGRINFO - 1) | 1 << (SMC_DIAG_FALLBACK - 1),
		},
	};
	static char answer[64 * 1024] __attribute__((aligned(8)));
	int monitor = socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG);
	struct stat own;
	bool more = true;

	if (monitor < 0 || fstat(fd, &own) || send(monitor, &ask, sizeof(ask), 0) < 0)
		err(1, "sock_diag");
	while (more) {
		ssize_t n = recv(monitor, answer, sizeof(answer), 0);
		struct nlmsghdr *m = (void *)answer;

		if (n < 0)
			err(1, "sock_diag");
		for (; NLMSG_OK(m, n); m = NLMSG_NEXT(m, n)) {
			struct smc_diag_msg *of = NLMSG_DATA(m);

			if (m->nlmsg_type == NLMSG_ERROR)
				errx(1, "sock_diag refuses: is smc_diag loaded?");
			if (m->nlmsg_type == NLMSG_DONE)
				more = false;
			else if (of->diag_inode == own.st_ino)
				tell(m);
		}
	}
	close(monitor);
	fflush(stdout);
}

/* ---- a stream ----------------------------------------------------------------- */

struct stream {
	int fd;
	uint64_t length, sent, received;
	uint64_t seed_out, seed_in;
	unsigned int sizes;
};

static uint8_t piece[PIECE];

static void read_some(struct stream *s)
{
	size_t most = pattern_length(&s->sizes, PIECE);
	ssize_t n = recv(s->fd, piece, most, MSG_DONTWAIT);
	long wrong;

	if (n < 0 && errno == EAGAIN)
		return;
	if (n < 0)
		err(1, "recv after %" PRIu64 " bytes", s->received);
	if (n == 0)
		errx(1, "the stream ends after %" PRIu64 " bytes", s->received);
	if (s->received + n > s->length)
		errx(1, "more than %" PRIu64 " bytes", s->length);
	wrong = pattern_differs(s->seed_in, s->received, piece, n);
	if (wrong >= 0)
		errx(1, "byte %" PRIu64 " is wrong", s->received + wrong);
	s->received += n;
}

static void write_some(struct stream *s)
{
	uint64_t left = s->length - s->sent;
	size_t most = pattern_length(&s->sizes, PIECE);
	ssize_t n;

	if (most > left)
		most = left;
	pattern_fill(s->seed_out, s->sent, piece, most);
	n = send(s->fd, piece, most, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0 && errno != EAGAIN)
		err(1, "send after %" PRIu64 " bytes", s->sent);
	if (n > 0)
		s->sent += n;
}

static void wait_until(int fd, short events)
{
	struct pollfd one = { .fd = fd, .events = events };
	int ready = poll(&one, 1, PATIENCE);

	if (ready < 0)
		err(1, "poll");
	if (ready == 0)
		errx(1, "nothing happens");
}

static void run_stream(struct stream *s)
{
	while (s->sent < s->length || s->received < s->length) {
		wait_until(s->fd, (s->received < s->length ? POLLIN : 0) |
				  (s->sent < s->length ? POLLOUT : 0));
		if (s->received < s->length)
			read_some(s);
		if (s->sent < s->length)
			write_some(s);
	}
	if (shutdown(s->fd, SHUT_WR))
		err(1, "shutdown");
	wait_until(s->fd, POLLIN);
	if (recv(s->fd, piece, 1, 0) != 0)
		errx(1, "no orderly end");
	close(s->fd);
}

/* ---- connections ---------------------------------------------------------------- */

static socklen_t parse(union address *to, const char *text, const char *port)
{
	memset(to, 0, sizeof(*to));
	if (inet_pton(AF_INET, text, &to->v4.sin_addr) == 1) {
		to->v4.sin_family = AF_INET;
		to->v4.sin_port = htons(atoi(port));
		return sizeof(to->v4);
	}
	if (inet_pton(AF_INET6, text, &to->v6.sin6_addr) != 1)
		errx(1, "no address: %s", text);
	to->v6.sin6_family = AF_INET6;
	to->v6.sin6_port = htons(atoi(port));
	return sizeof(to->v6);
}

static int smc_socket(const union address *to)
{
	/* The protocol tells the family of the addresses. */
	int fd = socket(AF_SMC, SOCK_STREAM, to->any.sa_family == AF_INET6);

	if (fd < 0)
		err(1, "socket");
	return fd;
}

static void start(int fd, uint64_t bytes, uint64_t seed_out, uint64_t seed_in)
{
	struct stream s = {
		.fd = fd, .length = bytes, .seed_out = seed_out, .seed_in = seed_in,
		.sizes = seed_out,
	};

	tell_carrier(fd);
	if (fork())
		return;
	run_stream(&s);
	exit(0);
}

int main(int argc, char **argv)
{
	bool serve = argc > 1 && !strcmp(argv[1], "serve");
	int fd = -1, streams, failures = 0, status;
	union address to;
	uint64_t bytes;
	socklen_t size;

	if (argc != 6 + serve)
		errx(2, "usage: see the source");
	size = parse(&to, argv[2], argv[3]);
	streams = atoi(argv[4]);
	bytes = strtoull(argv[5], NULL, 0);
	if (serve) {
		fd = smc_socket(&to);
		if (bind(fd, &to.any, size) || listen(fd, streams))
			err(1, "listen");
		close(open(argv[6], O_CREAT | O_WRONLY, 0600));
	}
	for (int i = 0; i < streams; i++) {
		uint64_t number;
		int one;

		if (serve) {
			one = accept(fd, NULL, NULL);
			/* Which it is: connections may be accepted in any order. */
			if (one < 0 || recv(one, &number, sizeof(number), MSG_WAITALL) != sizeof(number))
				err(1, "accept");
			start(one, bytes, 2 * number + 1, 2 * number);
		} else {
			one = smc_socket(&to);
			number = i;
			if (connect(one, &to.any, size) ||
			    send(one, &number, sizeof(number), MSG_NOSIGNAL) !=
			    sizeof(number))
				err(1, "connect");
			start(one, bytes, 2 * number, 2 * number + 1);
		}
		close(one);
	}
	while (wait(&status) > 0)
		failures += status != 0;
	printf("%d streams, %d failed\n", streams, failures);
	return failures != 0;
}
