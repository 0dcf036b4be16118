// SPDX-License-Identifier: GPL-2.0
/*
 * Wait until somebody has bound a port of rdma_cm: then nobody else can.
 *
 * cm_bound tcp|udp|ib PORT [SECONDS]
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <rdma/rdma_cma.h>

static int bound(struct rdma_event_channel *channel, enum rdma_port_space space, int port)
{
	struct sockaddr_in6 any = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	struct rdma_cm_id *id;
	int taken = 0;

	if (rdma_create_id(channel, &id, NULL, space)) {
		perror("rdma_create_id");
		exit(1);
	}
	/* To any address, somebody else's is EADDRNOTAVAIL. */
	if (rdma_bind_addr(id, (struct sockaddr *)&any))
		taken = errno == EADDRINUSE || errno == EADDRNOTAVAIL;
	rdma_destroy_id(id);
	return taken;
}

int main(int argc, char **argv)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	time_t end = time(NULL) + (argc > 3 ? atoi(argv[3]) : 60);
	enum rdma_port_space space;

	if (!channel || argc < 3) {
		fprintf(stderr, "usage: cm_bound tcp|udp|ib PORT [SECONDS]\n");
		return 2;
	}
	space = !strcmp(argv[1], "udp") ? RDMA_PS_UDP :
		!strcmp(argv[1], "ib") ? RDMA_PS_IB : RDMA_PS_TCP;
	while (!bound(channel, space, atoi(argv[2]))) {
		if (time(NULL) > end) {
			printf("nobody has bound %s port %s\n", argv[1], argv[2]);
			return 1;
		}
		usleep(20000);
	}
	return 0;
}
