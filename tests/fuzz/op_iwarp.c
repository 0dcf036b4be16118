// SPDX-License-Identifier: GPL-2.0
/* A peer out of TCP for a listener of iWARP: MPA requests, FPDUs with and without a CRC. */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "choice.h"
#include "meet.h"
#include "op.h"

#define SOCKETS	4

static int sockets[SOCKETS];
static uint32_t count;

static uint32_t crc32c(const uint8_t *p, size_t n)
{
	uint32_t c = ~0u;

	while (n--) {
		c ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			c = c >> 1 ^ (c & 1 ? 0x82f63b78 : 0);
	}
	return ~c;
}

static uint64_t get(const uint8_t *at, int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

static void put(uint8_t *at, uint64_t value, int bytes)
{
	while (bytes--)
		at[bytes] = value, value >>= 8;
}

static int some_socket(void)
{
	uint32_t n = count < SOCKETS ? count : SOCKETS;

	return n ? sockets[(count - 1 - choice(n)) % SOCKETS] : -1;
}

/* Numbers of the next message of each queue, from 1 on; another connection begins anew. */
static uint8_t numbers[SOCKETS][4];

static uint8_t next_number(int fd, uint8_t queue)
{
	for (int i = 0; i < SOCKETS; i++)
		if (sockets[i] == fd)
			return ++numbers[i][queue & 3];
	return 1;
}

static void keep(int fd)
{
	memset(numbers[count % SOCKETS], 0, sizeof(numbers[0]));
	sockets[count++ % SOCKETS] = fd;
}

/* One of the other end of the wire, which the fuzzer has opened; it is another one from now on. */
static int peers_socket(void)
{
	const struct sockaddr none = { .sa_family = AF_UNSPEC };
	int fd = world.tcp_fd[choice(4)];

	if (fd >= 0)
		connect(fd, &none, sizeof(none));
	return fd;
}

/* Both ends of the handshake are here: the listener is one of rdma_cm's. */
static void op_connect(void)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(7000 + choice(4)),
		.sin_addr.s_addr = htonl(0x0a000001),
	};
	int fd = choice(3) ? peers_socket() : -1;
	struct pollfd ready = { .events = POLLOUT };

	if (fd < 0)
		fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	ready.fd = fd;
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) && errno == EINPROGRESS)
		poll(&ready, 1, 10);
	feature(F_IWARP, ready.revents & 0x7f);
	keep(fd);
	world_keep_fd(dup(fd));
}

static void send_frame(int fd, bool reply)
{
	uint8_t frame[20 + 600];
	uint32_t words = choice(3) ? 4 : 0, length = choice(3) ? choice(64) : choice(512);

	memset(frame, 0, sizeof(frame));
	memcpy(frame, reply ? "MPA ID Rep Frame" : "MPA ID Req Frame", 16);
	frame[16] = choice(4) ? 0x40 | (words ? 0x10 : 0) : choice(256);
	frame[17] = choice(8) ? (words ? 2 : 1) : choice(256);
	frame[18] = (length + words) >> 8;
	frame[19] = length + words;
	for (uint32_t i = 0; i < words; i++)
		frame[20 + i] = choice(256);
	for (uint32_t n = choice(8) ? 0 : 1 + choice(3); n; n--)
		frame[choice(24)] ^= 1 << choice(8);
	feature(F_IWARP + 1 + 4 * reply,
		send(fd, frame, choice(8) ? 20 + words + length : choice(64), MSG_NOSIGNAL) < 0 ?
		errno : 0);
}

static void op_request(void)
{
	bool reply = !choice(6);

	send_frame(some_socket(), reply);
}

/* A request, or a reply, that is good. */
static void send_good(int fd, bool reply)
{
	uint8_t frame[24] = { 0 };
	bool enhanced = choice(3);

	memcpy(frame, reply ? "MPA ID Rep Frame" : "MPA ID Req Frame", 16);
	frame[16] = enhanced ? 0x50 : 0x40;
	frame[17] = enhanced ? 2 : 1;
	frame[19] = enhanced ? 4 : 0;
	frame[21] = frame[23] = 4;
	send(fd, frame, enhanced ? 24 : 20, MSG_NOSIGNAL);
}

bool iwarp_call(void)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(7000), .sin_addr.s_addr = htonl(0x0a000001),
	};
	int fd = peers_socket();
	struct pollfd ready = { fd, POLLOUT, 0 };

	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) && errno == EINPROGRESS)
		poll(&ready, 1, 20);
	keep(fd);
	send_good(fd, false);
	return !(ready.revents & POLLERR);
}

bool iwarp_take(void)
{
	struct pollfd ready = { world.listen_fd, POLLIN, 0 };
	uint8_t frame[600];
	int fd;

	poll(&ready, 1, 20);
	fd = accept4(world.listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return false;
	keep(fd);
	ready.fd = fd;
	poll(&ready, 1, 20);
	recv(fd, frame, sizeof(frame), MSG_DONTWAIT);
	send_good(fd, true);
	return true;
}

/* The device asks, and is answered. */
static void op_answer(void)
{
	struct pollfd ready = { world.listen_fd, POLLIN, 0 };
	uint8_t frame[600];
	int fd;

	poll(&ready, 1, 10);
	fd = accept4(world.listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	feature(F_IWARP + 6, fd < 0);
	if (fd < 0)
		return;
	keep(fd);
	world_keep_fd(dup(fd));
	ready.fd = fd;
	poll(&ready, 1, 10);
	recv(fd, frame, sizeof(frame), MSG_DONTWAIT);
	if (choice(8))
		send_frame(fd, choice(12));
}

static void untagged(int fd, uint8_t *at, uint8_t op)
{
	uint8_t queue = op == 1 || op == 10 ? 1 : op == 7 ? 2 : op == 11 ? 3 : 0;

	memset(at + 2, 0, 16);
	if (!choice(16))
		queue = choice(4);
	at[9] = queue;
	at[13] = choice(12) ? next_number(fd, queue) : choice(256);
	at[17] = choice(16) ? 0 : choice(256);
	if (!choice(8))
		put(at + 2, world_number(WORLD_RKEY), 4);
}

/* What is asked for, by a READ or an atomic. */
static uint32_t body_of_ask(uint8_t *at, uint8_t op)
{
	if (op == 1) {
		put(at, choice_word(), 4);
		put(at + 4, choice(256), 8);
		put(at + 12, choice(8) ? choice(3000) : choice_odd(), 4);
		put(at + 16, world_number(WORLD_RKEY), 4);
		put(at + 20, world_address(), 8);
		return 28;
	}
	memset(at, 0, 52);
	at[3] = choice(4);
	at[7] = choice(256);
	put(at + 8, world_number(WORLD_RKEY), 4);
	put(at + 12, world_address() & (choice(8) ? ~7ull : ~0ull), 8);
	for (int i = 20; i < 52; i += 8)
		at[i + 7] = choice(4);
	return 52;
}

/* DDP and RDMAP in front of some bytes. */
static uint32_t segment(int fd, uint8_t *at)
{
	uint8_t op = choice(8) ? choice(12) : choice(16);
	bool is_tagged = op == 0 || op == 2;
	uint32_t payload = choice(3) ? choice(64) : choice(1400), head = is_tagged ? 14 : 18;

	at[0] = (choice(12) ? is_tagged : !is_tagged) << 7 | (choice(6) ? 0x40 : 0) | 1;
	at[1] = 0x40 | op;
	if (choice(16) == 0)
		at[choice(2)] = choice(256);
	if (is_tagged) {
		put(at + 2, world_number(WORLD_RKEY), 4);
		put(at + 6, world_address(), 8);
	} else {
		untagged(fd, at, op);
	}
	memset(at + head, op, payload);
	if (op == 1 || op == 10) {
		uint32_t all = body_of_ask(at + head, op);

		payload = choice(8) ? all : payload;
	} else if (op == 8 && choice(4)) {
		payload = 8;
	}
	return head + payload;
}

static void op_fpdu(void)
{
	uint8_t frame[2048] = { 0 };
	int fd = some_socket();

	for (uint32_t n = 1 + choice(3); n; n--) {
		uint32_t length = segment(fd, frame + 2), total = (2 + length + 3) & ~3u, c;

		frame[0] = length >> 8;
		frame[1] = length;
		if (!choice(16))
			frame[choice(2)] = choice(256);
		memset(frame + 2 + length, 0, total - 2 - length);
		c = choice(16) ? crc32c(frame, total) : 0;
		memcpy(frame + total, &c, 4);
		feature(F_IWARP + 2, send(fd, frame, choice(8) ? total + 4 : choice(total + 4),
					  MSG_NOSIGNAL) < 0 ? errno : 0);
	}
}

/* ---- what the device wants to have answered ---- */

/* A READ response of what @ask wants, in one segment or in several. */
static void respond(int fd, const uint8_t *ask)
{
	uint32_t left = get(ask + 32, 4), n = choice(4) ? 1400 : 1 + choice(1400), c;
	uint64_t to = get(ask + 24, 8);
	uint8_t frame[2048];

	if (!choice(8))
		left = choice(4) ? left + 1 - choice(3) : choice_odd();
	for (int i = 0; i < 8; i++) {
		uint32_t bytes = left < n ? left : n, total = (2 + 14 + bytes + 3) & ~3u;

		memset(frame, 0, sizeof(frame));
		put(frame, 14 + bytes, 2);
		frame[2] = 0x81 | (left == bytes ? 0x40 : 0);
		frame[3] = 0x42;
		put(frame + 4, choice(16) ? get(ask + 20, 4) : choice_word(), 4);
		put(frame + 8, choice(16) ? to : choice_odd(), 8);
		c = crc32c(frame, total);
		memcpy(frame + total, &c, 4);
		feature(F_IWARP + 7, send(fd, frame, total + 4, MSG_NOSIGNAL) < 0 ? errno : 0);
		left -= bytes;
		to += bytes;
		if (!left || !choice(16))
			break;
	}
}

/* An atomic's answer, with its number and something that was there before. */
static void respond_atomic(int fd, const uint8_t *ask)
{
	uint8_t frame[2 + 18 + 12 + 4 + 4] = { 0 };
	uint32_t c;

	put(frame, 18 + 12, 2);
	frame[2] = 0x41;
	frame[3] = 0x4b;
	put(frame + 10, 3, 4);
	put(frame + 14, 1 + choice(3), 4);
	put(frame + 20, choice(8) ? get(ask + 24, 4) : choice_word(), 4);
	put(frame + 24, choice(256), 8);
	c = crc32c(frame, 32);
	memcpy(frame + 32, &c, 4);
	feature(F_IWARP + 8, send(fd, frame, 36, MSG_NOSIGNAL) < 0 ? errno : 0);
}

static void op_respond(void)
{
	static uint8_t stream[16384];
	int fd = some_socket();
	ssize_t n;

	n = recv(fd, stream, sizeof(stream) - 64, MSG_DONTWAIT);
	feature(F_IWARP + 9, n < 0 ? errno : 0);
	for (uint8_t *at = stream; at + 48 < stream + n;) {
		uint32_t total = ((2 + get(at, 2) + 3) & ~3u) + 4, op = at[3] & 15;

		if (!memcmp(at, "MPA ", 4)) {
			at += 20 + get(at + 18, 2);
			continue;
		}
		feature(F_IWARP + 10, op);
		if (op == 1)
			respond(fd, at);
		else if (op == 10)
			respond_atomic(fd, at);
		at += total;
	}
}

static void op_hang_up(void)
{
	const struct sockaddr none = { .sa_family = AF_UNSPEC };
	struct linger now = { 1, 0 };
	int fd = some_socket();

	if (choice(2))
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	if (choice(2))
		shutdown(fd, choice(3));
	else if (choice(2))
		connect(fd, &none, sizeof(none));
	else
		close(fd);
	feature(F_IWARP + 3, 0);
}

const struct op iwarp_ops[] = {
	{ "iwarp.connect", op_connect, 5, OP_IWARP },
	{ "iwarp.request", op_request, 6, OP_IWARP },
	{ "iwarp.answer", op_answer, 6, OP_IWARP },
	{ "iwarp.fpdu", op_fpdu, 9, OP_IWARP },
	{ "iwarp.respond", op_respond, 5, OP_IWARP },
	{ "iwarp.end", op_hang_up, 2, OP_IWARP },
	{ 0 }
};
