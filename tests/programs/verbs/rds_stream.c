// SPDX-License-Identifier: GPL-2.0
/*
 * Checked datagrams through AF_RDS sockets over RDMA, and the RDMA that RDS offers
 * its users.
 *
 * usage: rds_stream serve ADDRESS PORT COUNT READY-FILE
 *	  rds_stream send ADDRESS TO PORT COUNT MOST SEED
 *
 * The sender has up to WINDOW datagrams of up to MOST bytes on their way. They must
 * arrive in order, whole and once; each is answered by one as long. At last the
 * sender lends a buffer of MOST bytes, which the server reads, then writes.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/rds.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pattern.h"

#ifndef AF_RDS
#define AF_RDS 21
#endif
#define LARGEST (256 * 1024)
#define WINDOW 16 /* of the largest: a receive buffer, or both ends may wait for room */
#define PATIENCE (60 * 1000) /* milliseconds without any progress */

struct head {
	uint64_t number, length, seed;
	uint64_t cookie; /* not 0: 'length' is that of the lent buffer */
};

static uint8_t area[LARGEST], lent[LARGEST] __attribute__((aligned(4096)));

static struct sockaddr_in address(const char *text, int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };

	if (inet_pton(AF_INET, text, &a.sin_addr) != 1)
		errx(2, "no address: %s", text);
	return a;
}

static int rds_socket(struct sockaddr_in *own)
{
	int fd = socket(AF_RDS, SOCK_SEQPACKET, 0), room = WINDOW * LARGEST;
	int carrier = RDS_TRANS_IB;

	if (fd < 0)
		err(1, "socket");
	/* Never TCP nor a short cut within the host. */
	if (setsockopt(fd, SOL_RDS, SO_RDS_TRANSPORT, &carrier, sizeof(carrier)))
		err(1, "SO_RDS_TRANSPORT");
	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		err(1, "buffers");
	if (bind(fd, (struct sockaddr *)own, sizeof(*own)))
		err(1, "bind");
	return fd;
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

/* A full queue and a congested receiver both say EAGAIN. */
static void say(int fd, struct msghdr *message)
{
	while (sendmsg(fd, message, MSG_DONTWAIT) < 0) {
		if (errno != EAGAIN && errno != ENOBUFS)
			err(1, "sendmsg");
		wait_until(fd, POLLOUT);
	}
}

/* control: what goes along, or NULL */
static void say_datagram(int fd, const struct sockaddr_in *to, const struct head *head,
			 size_t length, struct cmsghdr *control)
{
	struct iovec part = { area, length };
	struct msghdr message = {
		.msg_name = (void *)to, .msg_namelen = sizeof(*to),
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = control ? CMSG_ALIGN(control->cmsg_len) : 0,
	};

	memcpy(area, head, sizeof(*head));
	pattern_fill(head->seed, 0, area + sizeof(*head), length - sizeof(*head));
	say(fd, &message);
}

/* Returns the length of the datagram, or 0 if there was only a notification. */
static size_t hear(int fd, struct sockaddr_in *from, uint64_t number, struct head *head)
{
	char control[512];
	struct iovec part = { area, sizeof(area) };
	struct msghdr message = {
		.msg_name = from, .msg_namelen = sizeof(*from),
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	uint64_t cookie = 0;
	ssize_t n;

	wait_until(fd, POLLIN);
	n = recvmsg(fd, &message, 0);
	if (n < 0)
		err(1, "recvmsg");
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
		struct rds_rdma_notify *done = (void *)CMSG_DATA(c);

		if (c->cmsg_type == RDS_CMSG_RDMA_STATUS && done->status)
			errx(1, "RDMA ends with status %d", done->status);
		if (c->cmsg_type == RDS_CMSG_RDMA_DEST)
			memcpy(&cookie, CMSG_DATA(c), sizeof(cookie));
	}
	if (n == 0)
		return 0;
	memcpy(head, area, sizeof(*head));
	if ((size_t)n < sizeof(*head) || head->number != number ||
	    (!head->cookie && head->length != (uint64_t)n))
		errx(1, "datagram %" PRIu64 " of %zd bytes in place of %" PRIu64,
		     head->number, n, number);
	if (pattern_differs(head->seed, 0, area + sizeof(*head), n - sizeof(*head)) >= 0)
		errx(1, "datagram %" PRIu64 " has wrong bytes", number);
	if (!cookie != !head->cookie)
		errx(1, "datagram %" PRIu64 " and its cookie differ", number);
	head->cookie = cookie;
	return n;
}

/* ---- RDMA ----------------------------------------------------------------------- */

/* Something for SOL_RDS that goes along with a datagram. */
union along {
	struct cmsghdr first;
	char bytes[CMSG_SPACE(sizeof(struct rds_rdma_args))];
};

static struct cmsghdr *along(union along *a, int type, const void *data, size_t size)
{
	a->first.cmsg_len = CMSG_LEN(size);
	a->first.cmsg_level = SOL_RDS;
	a->first.cmsg_type = type;
	memcpy(CMSG_DATA(&a->first), data, size);
	return &a->first;
}

/* The word goes along and arrives after a write has. */
static void move(int fd, const struct sockaddr_in *to, const struct head *order,
		 uint64_t direction, const struct head *word)
{
	struct rds_iovec here = { (uintptr_t)lent, order->length };
	struct rds_rdma_args args = {
		.cookie = order->cookie,
		.remote_vec = { 0, order->length },
		.local_vec_addr = (uintptr_t)&here,
		.nr_local = 1,
		.flags = direction | RDS_RDMA_NOTIFY_ME | RDS_RDMA_FENCE,
		.user_token = word->number,
	};
	union along a;

	say_datagram(fd, to, word, sizeof(*word),
		     along(&a, RDS_CMSG_RDMA_ARGS, &args, sizeof(args)));
}

/* RDS registers the buffer and has the key arrive with the datagram. */
static void lend(int fd, const struct sockaddr_in *to, const struct head *order)
{
	uint64_t cookie = 0;
	struct rds_get_mr_args args = {
		.vec = { (uintptr_t)lent, order->length },
		.cookie_addr = (uintptr_t)&cookie,
		.flags = RDS_RDMA_READWRITE,
	};
	union along a;

	say_datagram(fd, to, order, sizeof(*order),
		     along(&a, RDS_CMSG_RDMA_MAP, &args, sizeof(args)));
	if (!cookie)
		errx(1, "no cookie for the buffer");
}

/* The server's part: what was lent has its bytes; then it is given others. */
static void use_lent(int fd, const struct sockaddr_in *to, const struct head *order)
{
	struct head word = { .number = order->number, .length = sizeof(word) };
	struct sockaddr_in from;
	struct head none;

	move(fd, to, order, 0, &word);
	/* Of a read the notification says that the bytes are here. */
	if (hear(fd, &from, 0, &none))
		errx(1, "a datagram in place of a notification");
	if (pattern_differs(order->seed + 1, 0, lent, order->length) >= 0)
		errx(1, "RDMA read brought wrong bytes");
	pattern_fill(order->seed + 2, 0, lent, order->length);
	word.number++;
	move(fd, to, order, RDS_RDMA_READWRITE, &word);
	if (hear(fd, &from, 0, &none))
		errx(1, "a datagram in place of a notification");
}

/* ---- the two ends ---------------------------------------------------------------- */

static void serve(struct sockaddr_in own, uint64_t count, const char *ready)
{
	int fd = rds_socket(&own);
	struct sockaddr_in from;
	struct head head;

	close(open(ready, O_CREAT | O_WRONLY, 0600));
	for (uint64_t i = 0; i < count; i++) {
		hear(fd, &from, i, &head);
		head.seed++;
		say_datagram(fd, &from, &head, head.length, NULL);
	}
	hear(fd, &from, count, &head);
	use_lent(fd, &from, &head);
	close(fd);
}

static void send_all(struct sockaddr_in own, struct sockaddr_in to, uint64_t count,
		     size_t most, uint64_t seed)
{
	struct head head;
	struct head order = { .number = count, .length = most, .seed = seed, .cookie = 1 };
	uint64_t sent = 0, answered = 0, bytes = 0;
	int fd = rds_socket(&own);
	unsigned int sizes = seed;
	struct sockaddr_in from;

	while (answered < count) {
		while (sent < count && sent - answered < WINDOW) {
			head.length = sizeof(head) + pattern_length(&sizes, most - sizeof(head));
			head.number = sent;
			head.seed = seed + 2 * sent;
			head.cookie = 0;
			say_datagram(fd, &to, &head, head.length, NULL);
			bytes += head.length;
			sent++;
		}
		hear(fd, &from, answered, &head);
		if (head.seed != seed + 2 * answered + 1)
			errx(1, "no answer to datagram %" PRIu64, answered);
		answered++;
	}

	pattern_fill(seed + 1, 0, lent, most);
	lend(fd, &to, &order);
	hear(fd, &from, count, &head);
	hear(fd, &from, count + 1, &head);
	if (pattern_differs(seed + 2, 0, lent, most) >= 0)
		errx(1, "RDMA write brought wrong bytes");
	printf("%" PRIu64 " datagrams, %" PRIu64 " bytes each way\n", count, bytes + most);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "serve"))
		serve(address(argv[2], atoi(argv[3])), strtoull(argv[4], NULL, 0), argv[5]);
	else if (argc == 8 && !strcmp(argv[1], "send") && atol(argv[6]) <= LARGEST &&
		 atol(argv[6]) > 100)
		send_all(address(argv[2], 0), address(argv[3], atoi(argv[4])),
			 strtoull(argv[5], NULL, 0), atol(argv[6]), strtoull(argv[7], NULL, 0));
	else
		errx(2, "usage: see the source");
	return 0;
}
