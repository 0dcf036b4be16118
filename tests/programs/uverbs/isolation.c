// SPDX-License-Identifier: GPL-2.0
/*
 * A second process tries each handle of the first, and many numbers besides, in
 * every command that takes one. Nothing may work, and the first one's objects
 * must be as they were.
 */
#include <sys/wait.h>
#include "raw.h"

#define TRIES 64

static int attack(void)
{
	int successes = 0, attempts = 0;
	struct client own;

	open_context(&own);
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct command *c = &commands[i];

		if (!c->handle[0].kind_plus_1)
			continue;
		for (uint32_t h = 0; h < TRIES; h++) {
			struct packet p;

			for (int k = 0; k < KINDS; k++)
				own.handle[k] = h;
			build(&p, c, &own);
			attempts++;
			if (!send_packet(own.fd, &p)) {
				printf("%s worked on handle %u\n", c->name, h);
				successes++;
			}
		}
	}
	close_client(&own);
	printf("%d attempts, %d successes\n", attempts, successes);
	return successes ? 1 : 0;
}

int main(void)
{
	const char *lost;
	struct client u;
	int status;

	setvbuf(stdout, NULL, _IOLBF, 0);
	open_client(&u);
	for (int k = 0; k < KINDS; k++) {
		if (u.handle[k] >= TRIES) {
			printf("handle %u is beyond the %d tried\n", u.handle[k], TRIES);
			return 2;
		}
	}
	if (!fork()) {
		close_client(&u);
		exit(attack());
	}
	wait(&status);
	if (issue(&u, CMD(QUERY_QP)) || ((struct ib_uverbs_query_qp_resp *)response)->qp_state != IBV_QPS_RESET) {
		printf("the first process's QP changed\n");
		return 1;
	}
	lost = destroy_all(&u);
	if (lost) {
		printf("the first process lost an object: %s fails\n", lost);
		return 1;
	}
	close_client(&u);
	return !WIFEXITED(status) || WEXITSTATUS(status);
}
