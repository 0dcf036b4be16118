// SPDX-License-Identifier: GPL-2.0
/*
 * What takes CAP_NET_RAW: a queue pair of raw packets, one with the number of another, a rule that
 * steers packets, a controlled Q_Key. Run by a process that has the privilege for the device's
 * network namespace, or has it not.
 *
 * usage: raw_cap DEVICE may|may-not
 */
#include "raw_objects.h"
#include "verdict.h"

#define QKEY_CONTROLLED 0x80010000u
#define SOURCE_QPN (1 << 10)

static int make_sourced(struct rv_world *w)
{
	struct ib_uverbs_ex_create_qp cmd = {
		.pd_handle = w->pd, .send_cq_handle = w->cq, .recv_cq_handle = w->cq,
		.max_send_wr = 16, .max_send_sge = 1, .max_recv_wr = 16, .max_recv_sge = 1,
		.qp_type = RV_UD, .create_flags = SOURCE_QPN, .source_qpn = 7,
	};
	struct ib_uverbs_ex_create_qp_resp resp = {};

	return RV_EXT(w->fd, CREATE_QP, cmd, resp);
}

static int set_qkey(struct rv_world *w, uint32_t qkey)
{
	struct ib_uverbs_modify_qp cmd = {
		.qp_handle = w->ud, .qp_state = RV_INIT, .port_num = 1, .qkey = qkey,
		.attr_mask = RV_STATE | RV_PKEY | RV_PORT | RV_QKEY,
	};

	return RV_QUIET(w->fd, MODIFY_QP, cmd);
}

/* A rule for packets of @qp. */
static int make_rule(struct rv_world *w, uint32_t qp)
{
	w->raw = qp;
	return rv_make_flow(w);
}

static void ordinary(struct rv_world *w, const char *device)
{
	EXPECT("the device is found", rv_find(device, &w->dev), 0);
	EXPECT("it is opened", rv_make_context(w), 0);
	EXPECT("a PD", rv_make_pd(w), 0);
	EXPECT("a CQ", rv_make_channel(w) ?: rv_make_cq(w), 0);
	EXPECT("a UD queue pair", rv_create_qp(w, RV_UD, ~0u, &w->ud, NULL), 0);
	EXPECT("a Q_Key that is not controlled", set_qkey(w, 0x11111111), 0);
}

static void privileged(struct rv_world *w, bool may)
{
	EXPECT("a rule for packets", make_rule(w, w->ud), may ? 0 : -EPERM);
	EXPECT("a queue pair of raw packets", rv_make_raw(w), may ? 0 : -EPERM);
	/* The driver of ofed_testdev has none. */
	EXPECT("a queue pair with the number of another", make_sourced(w),
	       may ? -EOPNOTSUPP : -EPERM);
	EXPECT("a controlled Q_Key", set_qkey(w, QKEY_CONTROLLED), may ? 0 : -EPERM);
}

int main(int argc, char **argv)
{
	struct rv_world w = {};

	if (argc != 3)
		return 2;
	ordinary(&w, argv[1]);
	if (!failed)
		privileged(&w, !strcmp(argv[2], "may"));
	return verdict();
}
