// SPDX-License-Identifier: GPL-2.0
/* Two sides: processes of one host, or of two. */
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

int oob = -1;

/* The child serves. */
void oob_fork(void)
{
	int pair[2];

	NEED(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	me = !fork();
	if (me)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	oob = pair[me];
	close(pair[!me]);
}

static struct addrinfo *resolve(const char *address, int port, int flags)
{
	/* An IPv6 socket that is bound to no address takes IPv4 as well. */
	struct addrinfo want = { .ai_socktype = SOCK_STREAM,
				 .ai_family = address ? AF_UNSPEC : AF_INET6,
				 .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | flags };
	struct addrinfo *found;
	char service[16];

	snprintf(service, sizeof(service), "%d", port);
	NEED(!getaddrinfo(address, service, &want, &found));
	return found;
}

int tcp_listen(int port)
{
	struct addrinfo *at = resolve(NULL, port, AI_PASSIVE);
	int fd, one = 1;

	NEED((fd = socket(at->ai_family, SOCK_STREAM, 0)) >= 0);
	NEED(!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)));
	NEED(!bind(fd, at->ai_addr, at->ai_addrlen));
	NEED(!listen(fd, 1));
	freeaddrinfo(at);
	return fd;
}

int tcp_connect(const char *address, int port)
{
	struct addrinfo *at = resolve(address, port, 0);
	double end = now() + HANG;
	int fd, ret;

	do {
		NEED((fd = socket(at->ai_family, SOCK_STREAM, 0)) >= 0);
		ret = connect(fd, at->ai_addr, at->ai_addrlen);
		if (ret) {
			close(fd);
			/* The other side is not there yet. */
			usleep(20000);
		}
	} while (ret && now() < end);
	NEED(!ret);
	freeaddrinfo(at);
	return fd;
}

void oob_serve(int port)
{
	struct pollfd p = { .events = POLLIN };

	me = 1;
	p.fd = tcp_listen(port);
	NEED(poll(&p, 1, HANG * 1000) == 1);
	NEED((oob = accept(p.fd, NULL, NULL)) >= 0);
	close(p.fd);
}

void oob_ask(const char *address, int port)
{
	oob = tcp_connect(address, port);
}

static void hear(char *theirs, size_t size)
{
	struct pollfd p = { .fd = oob, .events = POLLIN };
	ssize_t n;

	for (size_t done = 0; done < size; done += n) {
		NEED(poll(&p, 1, 4 * HANG * 1000) == 1);
		n = recv(oob, theirs + done, size - done, 0);
		NEED(n > 0);
	}
}

/* The side that serves only answers: nothing of it wakes one that still measures. */
void oob_swap(const void *mine, void *theirs, size_t size)
{
	if (me)
		hear(theirs, size);
	NEED(write(oob, mine, size) == (ssize_t)size);
	if (!me)
		hear(theirs, size);
}

void oob_meet(void)
{
	char mine = 0, theirs;

	oob_swap(&mine, &theirs, 1);
}
