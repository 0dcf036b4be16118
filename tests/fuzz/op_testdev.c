// SPDX-License-Identifier: GPL-2.0
/* The test device fails on order, tells of what never was, and goes with all that is open of it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "choice.h"
#include "op.h"

static void say(uint32_t what, const char *file, const char *line)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/debug/ofed_testdev/%s", file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	feature(F_TESTDEV + what, write(fd, line, strlen(line)) < 0 ? errno : 0);
	close(fd);
}

static void say_to_device(uint32_t what, const char *file, const char *line)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", world.device, file);
	say(what, path, line);
}

/* The next call of an op fails, or one of the next, or all: a destruction may be refused for ever. */
static void op_fail(void)
{
	static const char *const ops[] = {
		"create_qp", "modify_qp", "destroy_qp", "create_cq", "destroy_cq", "alloc_pd",
		"dealloc_pd", "reg_user_mr", "rereg_user_mr", "dereg_mr", "create_srq", "destroy_srq",
		"create_ah", "create_user_ah", "destroy_ah", "alloc_mw", "dealloc_mw", "attach_mcast",
		"detach_mcast", "alloc_xrcd", "dealloc_xrcd", "create_flow", "destroy_flow",
		"create_wq", "destroy_wq", "create_rwq_ind_table", "destroy_rwq_ind_table", "alloc_dm",
		"dealloc_dm", "reg_dm_mr", "create_counters", "destroy_counters", "read_counters",
		"alloc_ucontext", "mmap", "create_box", "destroy_box", "open_bell", "resize_cq",
		"counter_bind_qp", "counter_unbind_qp", "counter_dealloc", "query_port", "add_gid",
		"reg_user_mr_dmabuf", "advise_mr", "process_mad", "enable_driver",
	};
	static const char *const errors[] = { "ENOMEM", "EINVAL", "EBUSY", "EIO", "EAGAIN", "ENODEV" };
	char line[80];
	const char *op = ops[choice(sizeof(ops) / sizeof(ops[0]))];

	if (choice(6))
		snprintf(line, sizeof(line), "%s %u %s", op, 1 + choice(3), errors[choice(6)]);
	else
		snprintf(line, sizeof(line), "%s always %s", op, errors[choice(6)]);
	say_to_device(0, "fail", line);
}

static void op_event(void)
{
	char line[64];

	snprintf(line, sizeof(line), "%u %u", choice(8) ? choice(20) : choice(100),
		 choice(3) ? world_number(WORLD_QPN) : choice(8));
	say_to_device(1, "event", line);
}

static void op_complete(void)
{
	char line[64];

	snprintf(line, sizeof(line), "%s %u %u %u", choice(2) ? "send" : "recv",
		 world_number(WORLD_QPN), choice(4) ? 1 + choice(4) : choice(300),
		 choice(2) ? 0 : choice(22));
	say_to_device(2, "complete", line);
}

static void op_port(void)
{
	static const char *const lines[] = {
		"1 state active", "1 state down", "1 state init", "1 lid 5", "1 pkey 0 0x8001",
		"1 pkey 1 0xffff", "1 sm_lid 7", "2 state active",
	};

	if (choice(3))
		say_to_device(3, "port", lines[choice(8)]);
	else
		say_to_device(4, "hold", choice(2) ? "1" : "0");
}

static void op_removal(void)
{
	char line[64];

	snprintf(line, sizeof(line), "%s %s", choice(6) ? "del" : "add", world.device);
	say(5, "ctl", line);
}

const struct op testdev_ops[] = {
	{ "testdev.fail", op_fail, 6, OP_ROOT | OP_TESTDEV | OP_BACK },
	{ "testdev.event", op_event, 3, OP_ROOT | OP_TESTDEV },
	{ "testdev.complete", op_complete, 4, OP_ROOT | OP_TESTDEV },
	{ "testdev.port", op_port, 2, OP_ROOT | OP_TESTDEV },
	{ "testdev.removal", op_removal, 3, OP_ROOT | OP_TESTDEV },
	{ 0 }
};
