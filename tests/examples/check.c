// SPDX-License-Identifier: GPL-2.0
/*
 * check HOST: says whether HOST can be reached by RDMA
 */
#include <netdb.h>
#include "sum.h"

int main(int argc, char **argv)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
	int status;

	if (argc != 2 || getaddrinfo(argv[1], SUM_SERVICE, &hints, &found)) {
		fprintf(stderr, "usage: check HOST\n");
		return 2;
	}
	status = check_rdma_support(found->ai_addr);
	if (status)
		printf("%s: no (%s)\n", argv[1], strerror(abs(status)));
	else
		printf("%s: yes\n", argv[1]);
	freeaddrinfo(found);
	return status != 0;
}
