// SPDX-License-Identifier: GPL-2.0
/*
 * Descriptors that go from process to process by SCM_RIGHTS: of uverbs, of its events and of
 * rdma_cm. Some stay in a socket that is read by none, and are closed by what collects those.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "choice.h"
#include "op.h"
#include "pass.h"
#include "ring.h"

#define FEW	4
#define TURN_MS	5	/* the other one may wait in a call for much longer */
#define END_MS	100

/* [0] is the parent's, or all that there is. */
static int ends[2] = { -1, -1 }, turns[2] = { -1, -1 };
static enum { ALONE, PARENT, CHILD } side;
static pid_t child;

/* ---- two processes, one operation each in turn ---- */

bool pass_turn(uint32_t operation)
{
	struct pollfd p = { turns[side == CHILD], POLLIN, 0 };
	char word[16];

	if (side == ALONE)
		return true;
	if (operation % 2 != (side == CHILD))
		return false;
	if (poll(&p, 1, TURN_MS) == 1)
		recv(p.fd, word, sizeof(word), MSG_DONTWAIT);
	return true;
}

void pass_done(void)
{
	if (side != ALONE)
		send(turns[side == CHILD], "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void pass_end(void)
{
	if (side != PARENT)
		return;
	for (int ms = 0; ms < END_MS && !waitpid(child, NULL, WNOHANG); ms++)
		usleep(1000);
}

static bool open_ends(void)
{
	return ends[0] >= 0 ||
		!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends);
}

/* What follows in the input is done by both, the memory is no longer the same. */
static void op_both(void)
{
	if (side != ALONE || !open_ends() ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, turns))
		return;
	child = fork();
	if (child < 0)
		return;
	side = child ? PARENT : CHILD;
	/* The end of the other one is seen. */
	close(turns[side == PARENT]);
	feature(F_PASS, side);
}

/* ---- descriptors ---- */

union rights {
	char room[CMSG_SPACE(FEW * sizeof(int))];
	struct cmsghdr align;
};

static int send_rights(int to, const int *fd, uint32_t count)
{
	union rights u = { 0 };
	struct iovec one = { "", 1 };
	struct msghdr m = {
		.msg_iov = &one, .msg_iovlen = 1, .msg_control = &u,
		.msg_controllen = CMSG_SPACE(count * sizeof(int)),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(count * sizeof(int));
	memcpy(CMSG_DATA(c), fd, count * sizeof(int));
	return sendmsg(to, &m, MSG_DONTWAIT | MSG_NOSIGNAL) < 0;
}

static uint32_t some_fds(int fd[FEW])
{
	uint32_t count = 1 + choice(FEW - 1);

	for (uint32_t i = 0; i < count; i++)
		fd[i] = choice(3) ? world_fd() : world_take_fd();
	return count;
}

static void close_some(const int *fd, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (fd[i] > 2 && !choice(3))
			close(fd[i]);
}

static void op_send(void)
{
	int fd[FEW];
	uint32_t count;

	if (!open_ends())
		return;
	count = some_fds(fd);
	/* For each other, or for itself. */
	feature(F_PASS + 1, send_rights(ends[side == CHILD], fd, count));
	close_some(fd, count);
}

/* Which file it is only its name says. */
static void use(int fd)
{
	char path[64], name[64] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (readlink(path, name, sizeof(name) - 1) < 0 || choice(4) == 0)
		return;
	if (strstr(name, "uverbs"))
		uverbs_adopt(fd);
	else if (strstr(name, "rdma_cm"))
		ucma_adopt(fd);
	else
		return;
	feature(F_PASS + 4, !!strstr(name, "uverbs"));
}

static void op_take(void)
{
	union rights u;
	char word[4];
	struct iovec one = { word, sizeof(word) };
	struct msghdr m = {
		.msg_iov = &one, .msg_iovlen = 1, .msg_control = &u, .msg_controllen = sizeof(u),
	};
	struct cmsghdr *c;
	int fd[FEW];

	if (!open_ends() || recvmsg(ends[side != CHILD], &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0)
		return;
	c = CMSG_FIRSTHDR(&m);
	if (!c || c->cmsg_type != SCM_RIGHTS)
		return;
	memcpy(fd, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
	for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
		world_keep_fd(fd[i]);
		use(fd[i]);
	}
	feature(F_PASS + 2, 0);
}

/* Each socket is in the other one's queue: neither has a process, nor what is with them. */
static void op_lose(void)
{
	int pair[2], fd[FEW];
	uint32_t count;

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair))
		return;
	count = some_fds(fd);
	feature(F_PASS + 3, send_rights(pair[0], fd, count));
	send_rights(pair[0], &pair[choice(2)], 1);
	send_rights(pair[1], &pair[choice(2)], 1);
	close_some(fd, count);
	close(pair[0]);
	close(pair[1]);
	/* The end of any socket is when they are looked for. */
	if (choice(2))
		close(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

const struct op pass_ops[] = {
	{ "pass.both", op_both, 2, 0 },
	{ "pass.send", op_send, 3, 0 },
	{ "pass.take", op_take, 4, 0 },
	{ "pass.lose", op_lose, 2, 0 },
	{ 0 }
};
