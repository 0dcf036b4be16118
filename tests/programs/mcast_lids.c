// SPDX-License-Identifier: GPL-2.0
/*
 * One UD queue pair in one multicast group (MGID) under two multicast LIDs, which
 * needs no privilege.
 *
 * usage: mcast_lids DEVICE detach		by hand, in the order of attaching
 *	  mcast_lids DEVICE close [error]	leave it to the end of the process,
 *						the queue pair in the error state
 *	  mcast_lids DEVICE hold READY-FILE [error]	wait to be killed
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/verbs.h>

#include "verdict.h"

#define FIRST_LID	0xc001
#define SECOND_LID	0xc002
#define QKEY		0x11

static struct ibv_qp *qp;
static const union ibv_gid mgid = {
	.raw = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [15] = 5 },
};

static struct ibv_context *device_open(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			return ibv_open_device(list[i]);
	return NULL;
}

static bool qp_make(const char *device)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY,
	};
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_UD, .cap = { 4, 4, 1, 1 },
	};
	struct ibv_context *context = device_open(device);
	struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;

	if (!pd)
		return false;
	init.send_cq = ibv_create_cq(context, 16, NULL, NULL, 0);
	init.recv_cq = init.send_cq;
	qp = init.send_cq ? ibv_create_qp(pd, &init) : NULL;
	return qp && !ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PORT |
				    IBV_QP_PKEY_INDEX | IBV_QP_QKEY);
}

static void fail_qp(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	EXPECT("the error state", ibv_modify_qp(qp, &attr, IBV_QP_STATE), 0);
}

static void detach(void)
{
	EXPECT("detach from the first LID",
	       ibv_detach_mcast(qp, &mgid, FIRST_LID), 0);
	EXPECT("and from the second",
	       ibv_detach_mcast(qp, &mgid, SECOND_LID), 0);
	EXPECT("the queue pair is not busy", ibv_destroy_qp(qp), 0);
}

int main(int argc, char **argv)
{
	const char *last = argv[argc - 1];

	if (argc < 3 || !qp_make(argv[1])) {
		puts("no queue pair");
		return 2;
	}
	EXPECT("attach", ibv_attach_mcast(qp, &mgid, FIRST_LID), 0);
	EXPECT("under another LID", ibv_attach_mcast(qp, &mgid, SECOND_LID), 0);
	if (!strcmp(last, "error"))
		fail_qp();
	if (!strcmp(argv[2], "detach"))
		detach();
	if (!strcmp(argv[2], "hold") && argc > 3 && !failed) {
		close(open(argv[3], O_CREAT | O_WRONLY, 0666));
		pause();
	}
	return verdict();
}
