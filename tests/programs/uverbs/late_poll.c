// SPDX-License-Identifier: GPL-2.0
/*
 * A completion is read when its queue pair is gone, on a device that leaves it in the CQ.
 *
 * usage: late_poll DEVICE
 */
#include "raw_verbs.h"
#include "verdict.h"

/* Return: completions, with the queue pair's number in @number; or a negative errno. */
static int poll_one(struct rv_world *w, uint32_t *number)
{
	struct ib_uverbs_poll_cq cmd = { .cq_handle = w->cq, .ne = 1 };
	struct {
		struct ib_uverbs_poll_cq_resp base;
		struct ib_uverbs_wc wc;
	} resp = {};
	int ret;

	cmd.response = (uintptr_t)&resp;
	ret = rv_write(w->fd, IB_USER_VERBS_CMD_POLL_CQ, &cmd, sizeof(cmd), sizeof(resp));
	*number = resp.wc.qp_num;
	return ret ?: (int)resp.base.count;
}

static void connect_to_itself(struct rv_world *w)
{
	EXPECT("it is made ready", rv_make_init(w) ?: rv_make_rtr(w) ?: rv_make_rts(w), 0);
}

int main(int argc, char **argv)
{
	struct rv_world w;
	uint32_t number;

	if (argc != 2)
		return 2;
	EXPECT("the device is found", rv_world_init(&w, argv[1]), 0);
	EXPECT("it is opened", rv_make_context(&w), 0);
	EXPECT("a PD, a CQ, a region", rv_make_pd(&w) ?: rv_make_channel(&w) ?: rv_make_cq(&w) ?:
	       rv_make_mr(&w), 0);
	EXPECT("a queue pair", rv_make_rc(&w), 0);
	connect_to_itself(&w);
	EXPECT("a request", rv_make_send(&w), 0);
	EXPECT("its completion", poll_one(&w, &number), 1);
	EXPECT("is of the queue pair", number, w.rc_num);
	EXPECT("another request", rv_make_send(&w), 0);
	EXPECT("the queue pair is destroyed", rv_undo_rc(&w), 0);
	EXPECT("the completion is still there", poll_one(&w, &number), 1);
	EXPECT("and is of none", number, 0);
	return verdict();
}
