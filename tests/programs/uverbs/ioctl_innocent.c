// SPDX-License-Identifier: GPL-2.0
/*
 * An innocent process beside the fuzz of ioctl() calls: messages of which every byte is
 * compared or, on a device without a library, one of each object, which has to
 * be and to answer as it was made until the end.
 *
 * usage: ioctl_innocent DEVICE READY STOP	files: made, and waited for
 */
#include "innocent.h"
#include "ioctl_world.h"

static const char *ready, *stop;

static bool stopped(void)
{
	return !access(stop, F_OK);
}

static void at_work(void)
{
	close(open(ready, O_CREAT | O_WRONLY, 0600));
}

static int messages(const char *device)
{
	struct pair p = { .seed = 1 };
	enum pair_result result = PAIR_OK;

	if (!pair_open(&p, device, "10.0.0.1", device, "10.0.0.1"))
		return 1;
	result = pair_step(&p);
	at_work();
	while (result == PAIR_OK && !stopped())
		result = pair_step(&p);
	printf("innocent: %ld messages\n", p.messages);
	return result != PAIR_OK;
}

/* ---- without a library ---- */

static int query_mr(const struct world *w, uint32_t *lkey)
{
	uint32_t rkey;
	uint64_t length = 0;
	struct tree t;
	int ret;

	tree_start(&t, w->driver, UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR);
	tree_add(&t, UVERBS_ATTR_QUERY_MR_HANDLE, 0, w->use[UVERBS_OBJECT_MR]);
	tree_out(&t, UVERBS_ATTR_QUERY_MR_RESP_LKEY, lkey, 4);
	tree_out(&t, UVERBS_ATTR_QUERY_MR_RESP_RKEY, &rkey, 4);
	tree_out(&t, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, &length, 8);
	ret = tree_send(w->raw.fd, &t);
	return ret ? ret : length == RV_MEMORY ? 0 : -EBADMSG;
}

/* Return: what is wrong, or NULL. */
static const char *turn(struct world *w)
{
	uint32_t lkey = 0, statuses[4];
	uint64_t ids[4];

	if (rv_make_send(&w->raw))
		return "send";
	if (rv_poll_cq(&w->raw, ids, statuses, 4) != 1 || statuses[0])
		return "completion";
	if (rv_make_query_qp(&w->raw))
		return "query of a QP";
	if (rv_make_query_srq(&w->raw))
		return "query of an SRQ";
	if (query_mr(w, &lkey) || lkey != w->raw.lkey)
		return "query of an MR";
	return NULL;
}

static int objects(const char *device)
{
	const char *wrong = NULL;
	struct census before, after;
	struct world w;
	long turns = 0;

	if (world_find(&w, device) || world_open(&w) ||
	    rv_make_init(&w.raw) || rv_make_rtr(&w.raw) || rv_make_rts(&w.raw))
		return 1;
	world_count(&w, &before);
	at_work();
	while (!wrong && !stopped()) {
		wrong = turn(&w);
		world_count(&w, &after);
		if (!wrong && census_differs(&before, &after) >= 0)
			wrong = "number of objects";
		turns++;
	}
	if (wrong)
		printf("FAIL innocent: %s: %s\n", wrong, strerror(errno));
	printf("innocent: %ld turns\n", turns);
	world_close(&w);
	return wrong != NULL;
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: ioctl_innocent DEVICE READY STOP\n");
		return 2;
	}
	ready = argv[2];
	stop = argv[3];
	if (!strncmp(argv[1], "testdev", 7))
		return objects(argv[1]);
	return messages(argv[1]);
}
