// SPDX-License-Identifier: GPL-2.0
/* mx_states [-n MESSAGES] [HOST]: without HOST this side waits for the other one */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "states.h"

#define SERVICE	"20081"

int main(int argc, char **argv)
{
	struct sides s = { .seed = 1 };
	unsigned int messages = 500;
	enum mx_return bad;
	int option;

	while ((option = getopt(argc, argv, "n:")) != -1) {
		if (option != 'n')
			return 2;
		messages = atoi(optarg);
	}
	setlinebuf(stdout);
	s.a = optind < argc;
	bad = s.a ? mx_connect(argv[optind], SERVICE, &s.ep) : mx_listen(SERVICE, &s.ep);
	if (bad) {
		fprintf(stderr, "mx_states: %s\n", mx_strerror(bad));
		return 1;
	}
	test_bad_calls(&s);
	test_bad_packets(&s);
	test_lives(&s);
	test_matching(&s);
	test_cache(&s);
	test_bad_memory(&s);
	test_traffic(&s, messages);
	test_end(&s);
	return s.failed != 0;
}
