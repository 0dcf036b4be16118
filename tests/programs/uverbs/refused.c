// SPDX-License-Identifier: GPL-2.0
/*
 * The driver of ofed_testdev refuses to destroy what a program has made, and the
 * program closes its file. What it was charged with is given back, and it can
 * make the same again.
 *
 * usage: refused DEVICE	twice
 *	  refused DEVICE READY	once, creates the file READY and waits to be killed
 *	  refused DEVICE -	two files share an XRC domain, each with an SRQ in it
 */
#include "raw_verbs.h"
#include "verdict.h"

static long long pinned_kb(void)
{
	char line[128];
	long long kb = -1;
	FILE *status = fopen("/proc/self/status", "r");

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "VmPin: %lld", &kb) == 1)
			break;
	if (status)
		fclose(status);
	return kb;
}

static void use(struct rv_world *w, const char *device)
{
	int wrong = 0;
	size_t i;

	EXPECT("the device is found", rv_world_init(w, device), 0);
	for (i = 0; i < RV_STEPS; i++) {
		if (!rv_step_applies(&rv_steps[i], device))
			continue;
		if (rv_steps[i].make(w)) {
			printf("     %s\n", rv_steps[i].name);
			wrong++;
		}
	}
	EXPECT("every object is made", wrong, 0);
	EXPECT("memory is pinned", pinned_kb() > 0, 1);
}

static void use_and_close(const char *device)
{
	struct rv_world w;

	use(&w, device);
	close(w.channel);
	close(w.async_fd);
	close(w.fd);
	EXPECT("the charge for pinned memory is given back", pinned_kb(), 0);
}

static int use_and_wait(const char *device, const char *ready)
{
	struct rv_world w;

	use(&w, device);
	if (!failed) {
		close(open(ready, O_CREAT | O_WRONLY, 0666));
		pause();
	}
	return verdict();
}

/* What an SRQ of an XRC domain is made of, and the SRQ. */
static int make_shared(struct rv_world *w)
{
	return rv_make_pd(w) ?: rv_make_channel(w) ?: rv_make_cq(w) ?: rv_make_xrcd(w) ?:
	       rv_make_xsrq(w);
}

static int share_and_close(const char *device)
{
	struct rv_world one, two;

	EXPECT("the device is found", rv_world_init(&one, device), 0);
	two = one;
	EXPECT("one file", rv_make_context(&one), 0);
	EXPECT("another", rv_make_context(&two), 0);
	EXPECT("an SRQ in a domain", make_shared(&one), 0);
	EXPECT("another one in the same domain", make_shared(&two), 0);
	close(one.channel);
	close(two.channel);
	rv_undo_context(&one);
	rv_undo_context(&two);
	return verdict();
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[2], "-"))
		return share_and_close(argv[1]);
	if (argc == 3)
		return use_and_wait(argv[1], argv[2]);
	if (argc != 2)
		return 2;
	use_and_close(argv[1]);
	use_and_close(argv[1]);
	return verdict();
}
