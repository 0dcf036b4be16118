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

static int some_socket(void)
{
	uint32_t n = count < SOCKETS ? count : SOCKETS;

	return n ? sockets[(count - 1 - choice(n)) % SOCKETS] : -1;
}

/* Both ends of the handshake are here: the listener is one of rdma_cm's. */
static void op_connect(void)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(7000 + choice(4)),
		.sin_addr.s_addr = htonl(0x0a000001),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	struct pollfd ready = { fd, POLLOUT, 0 };

	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) && errno == EINPROGRESS)
		poll(&ready, 1, 10);
	feature(F_IWARP, ready.revents & 0x7f);
	sockets[count++ % SOCKETS] = fd;
	world_keep_fd(dup(fd));
}

static void op_request(void)
{
	uint8_t frame[20 + 600] = "MPA ID Req Frame";
	uint32_t words = choice(3) ? 4 : 0, length = choice(3) ? choice(64) : choice(512);
	int fd = some_socket();

	if (!choice(6))
		memcpy(frame, "MPA ID Rep Frame", 16);
	frame[16] = choice(4) ? 0x40 | (words ? 0x10 : 0) : choice(256);
	frame[17] = choice(8) ? (words ? 2 : 1) : choice(256);
	frame[18] = (length + words) >> 8;
	frame[19] = length + words;
	for (uint32_t i = 0; i < words; i++)
		frame[20 + i] = choice(256);
	for (uint32_t n = choice(8) ? 0 : 1 + choice(3); n; n--)
		frame[choice(24)] ^= 1 << choice(8);
	feature(F_IWARP + 1, send(fd, frame, choice(8) ? 20 + words + length : choice(64),
				  MSG_NOSIGNAL) < 0 ? errno : 0);
}

/* DDP and RDMAP in front of some bytes. */
static uint32_t segment(uint8_t *at)
{
	uint8_t op = choice(8) ? choice(12) : choice(16);
	bool tagged = op == 0 || op == 2;
	uint32_t payload = choice(3) ? choice(64) : choice(1400), head;

	at[0] = (choice(8) ? tagged : !tagged) << 7 | (choice(6) ? 0x40 : 0) | 1;
	at[1] = 0x40 | op;
	if (choice(16) == 0)
		at[choice(2)] = choice(256);
	if (tagged) {
		uint32_t stag = htonl(world_number(WORLD_RKEY));
		uint64_t to = htobe64(world_address());

		memcpy(at + 2, &stag, 4);
		memcpy(at + 6, &to, 8);
		head = 14;
	} else {
		memset(at + 2, 0, 16);
		at[9] = choice(4);		/* queue */
		at[13] = choice(8) ? 1 + choice(3) : choice(256);
		at[17] = choice(8) ? 0 : choice(256);
		head = 18;
	}
	if (op == 1) {				/* READ request */
		for (uint32_t i = 0; i < 28; i++)
			at[head + i] = choice(4) ? 0 : choice(256);
		payload = choice(8) ? 28 : payload;
	} else {
		memset(at + head, op, payload);
	}
	return head + payload;
}

static void op_fpdu(void)
{
	uint8_t frame[2048] = { 0 };
	int fd = some_socket();

	for (uint32_t n = 1 + choice(3); n; n--) {
		uint32_t length = segment(frame + 2), total = (2 + length + 3) & ~3u, c;

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

static void op_hang_up(void)
{
	struct linger now = { 1, 0 };
	int fd = some_socket();

	if (choice(2))
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	if (choice(2))
		shutdown(fd, choice(3));
	else
		close(fd);
	feature(F_IWARP + 3, 0);
}

const struct op iwarp_ops[] = {
	{ "iwarp.connect", op_connect, 5, OP_IWARP },
	{ "iwarp.request", op_request, 6, OP_IWARP },
	{ "iwarp.fpdu", op_fpdu, 9, OP_IWARP },
	{ "iwarp.end", op_hang_up, 2, OP_IWARP },
	{ 0 }
};
