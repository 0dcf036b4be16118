// SPDX-License-Identifier: GPL-2.0
/*
 * One UD queue pair in one multicast group (MGID) under two multicast LIDs, which
 * needs no privilege.
 *
 * usage: mcast_lids DEVICE detach		by hand, in the order of attaching
 *	  mcast_lids DEVICE close N [error]	leave it to the end of N processes, one
 *						after the other; in the error state
 *	  mcast_lids DEVICE kill N [error]	to N processes that are killed
 *	  mcast_lids DEVICE hold READY-FILE [error]	wait to be killed
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
#include <infiniband/verbs.h>

#include "verdict.h"

#define FIRST_LID	0xc001
#define SECOND_LID	0xc002
#define QKEY		0x11

static struct ibv_qp *qp;
static const union ibv_gid mgid = {
	.raw = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [15] = 5 },
};

static struct ibv_device *device_find(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			return list[i];
	return NULL;
}

static bool qp_make(struct ibv_device *device)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY,
	};
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_UD, .cap = { 4, 4, 1, 1 },
	};
	struct ibv_context *context = device ? ibv_open_device(device) : NULL;
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

static void attach(struct ibv_device *device, bool error)
{
	if (!qp_make(device)) {
		puts("no queue pair");
		exit(2);
	}
	EXPECT("attach", ibv_attach_mcast(qp, &mgid, FIRST_LID), 0);
	EXPECT("under another LID", ibv_attach_mcast(qp, &mgid, SECOND_LID), 0);
	if (error)
		fail_qp();
}

/* A process that ends by itself, or else says on @ready that it can be killed. */
static void child(struct ibv_device *device, bool error, int ready)
{
	attach(device, error);
	if (ready < 0 || failed)
		exit(verdict());
	if (write(ready, "", 1) != 1)
		exit(2);
	pause();
}

static bool ends(struct ibv_device *device, bool error, bool by_kill)
{
	int fds[2] = { -1, -1 }, status;
	char byte;
	pid_t pid;

	if (by_kill && pipe(fds))
		return false;
	fflush(stdout);
	pid = fork();
	if (!pid)
		child(device, error, fds[1]);
	close(fds[1]);
	if (by_kill && read(fds[0], &byte, 1) == 1)
		kill(pid, SIGKILL);
	close(fds[0]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return false;
	return by_kill ? WIFSIGNALED(status) : WIFEXITED(status) && !WEXITSTATUS(status);
}

static int many(struct ibv_device *device, bool error, bool by_kill, int times)
{
	int i;

	for (i = 0; i < times; i++)
		if (!ends(device, error, by_kill))
			break;
	EXPECT("processes that ended as they should", i, times);
	return verdict();
}

int main(int argc, char **argv)
{
	bool error = !strcmp(argv[argc - 1], "error");
	const char *mode = argc > 2 ? argv[2] : "";
	/* Once: a list of devices takes longer than all that follows. */
	struct ibv_device *device = argc > 1 ? device_find(argv[1]) : NULL;

	if (argc > 3 && (!strcmp(mode, "close") || !strcmp(mode, "kill")))
		return many(device, error, *mode == 'k', atoi(argv[3]));
	if (argc < 3)
		return 2;
	attach(device, error);
	if (!strcmp(mode, "detach"))
		detach();
	if (!strcmp(mode, "hold") && argc > 3 && !failed) {
		close(open(argv[3], O_CREAT | O_WRONLY, 0666));
		pause();
	}
	return verdict();
}
