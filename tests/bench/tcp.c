// SPDX-License-Identifier: GPL-2.0
/* The same by TCP: what a program would use instead. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

#define LOOK	16
#define PIECE	(1 << 20)	/* of a read */
#define FIRST	(8 << 20)	/* bytes of a first run, which tells the rate */

static char *memory;

/* @fd: of this side; of both for one process that has both. */
void tcp_open(int fd[2])
{
	size_t size = cell.size > PIECE ? cell.size : PIECE;
	int listening = -1, one = 1, i;

	NEED(!posix_memalign((void **)&memory, 4096, size));
	memset(memory, 0, size);
	fd[0] = fd[1] = -1;
	if (me || cell.wait == ALONE)
		listening = tcp_listen(cell.port);
	if (cell.wait != ALONE)
		oob_meet();
	if (!me)
		fd[0] = tcp_connect(cell.address, cell.port);
	if (listening >= 0) {
		NEED((fd[1] = accept(listening, NULL, NULL)) >= 0);
		close(listening);
	}
	for (i = 0; i < 2; i++)
		if (fd[i] >= 0)
			NEED(!setsockopt(fd[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)));
}

static void put(int fd, size_t size)
{
	ssize_t n;

	for (size_t done = 0; done < size; done += n)
		NEED((n = write(fd, memory + done, size - done)) > 0);
}

/* Return: false at the end of the stream. */
static bool get(int fd, size_t size)
{
	ssize_t n;

	for (size_t done = 0; done < size; done += n) {
		n = read(fd, memory + done, size - done);
		if (n <= 0)
			return false;
	}
	return true;
}

/* How much is told before: no side has to look for the end. */
void tcp_stream(const int fd[2], double seconds, struct result *r)
{
	static double rate;	/* messages in a second, of the run before */
	long bytes = 0, told, mine = rate * seconds + 1;
	double start;
	ssize_t n;

	if (!rate)
		mine = cell.size < 8192 ? FIRST / 8192 : FIRST / cell.size + 1;
	oob_swap(&mine, &told, sizeof(mine));
	r->messages = me ? told : mine;
	start = now();
	if (me) {
		for (bytes = r->messages * cell.size; bytes; bytes -= n)
			NEED((n = read(fd[1], memory, PIECE)) > 0);
	} else {
		for (long i = 0; i < r->messages; i++)
			put(fd[0], cell.size);
	}
	oob_meet();
	r->seconds = now() - start;
	rate = r->messages / r->seconds;
}

void tcp_pingpong(const int fd[2], double seconds, struct result *r)
{
	double start, at;

	if (cell.wait != ALONE)
		oob_meet();
	start = now();
	r->messages = 0;
	if (me) {
		while (get(fd[1], cell.size)) {
			/* The first byte of the last one is not 0. */
			bool last = memory[0];

			put(fd[1], cell.size);
			if (last)
				break;
		}
		memory[0] = 0;
		return;
	}
	do {
		for (int i = 0; i < LOOK; i++) {
			r->messages++;
			put(fd[0], cell.size);
			if (cell.wait == ALONE) {
				NEED(get(fd[1], cell.size));
				put(fd[1], cell.size);
			}
			NEED(get(fd[0], cell.size));
		}
		at = now();
	} while (at - start < seconds);
	r->seconds = at - start;
	if (cell.wait != ALONE) {
		memory[0] = 1;
		put(fd[0], cell.size);
		NEED(get(fd[0], cell.size));
		memory[0] = 0;
	}
}
