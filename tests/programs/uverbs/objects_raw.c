// SPDX-License-Identifier: GPL-2.0
/*
 * Holds an object of every kind on ofed_testdev, for others to look at. Says
 * "ready" and waits until its input ends.
 *
 * usage: objects_raw DEVICE
 */
#include "raw_verbs.h"

int main(int argc, char **argv)
{
	struct rv_world w;
	char byte;
	size_t i;
	int ret;

	if (argc != 2)
		return 2;
	ret = rv_world_init(&w, argv[1]);
	for (i = 0; !ret && i < RV_STEPS; i++) {
		if (!rv_step_applies(&rv_steps[i], argv[1]))
			continue;
		ret = rv_steps[i].make(&w);
		if (ret)
			fprintf(stderr, "%s: ", rv_steps[i].name);
	}
	if (ret) {
		fprintf(stderr, "%s\n", strerror(-ret));
		return 1;
	}
	puts("ready");
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	return 0;
}
