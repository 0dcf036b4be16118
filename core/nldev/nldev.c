// SPDX-License-Identifier: GPL-2.0
/* NLDEV: the table of its ops. */
#include <linux/module.h>

#include "../netlink/netlink.h"
#include "nldev.h"

#define RES_OPS { .doit = ofed_nldev_res_one, .dump = ofed_nldev_res_all }
#define RES_RAW_OPS {							\
	.doit = ofed_nldev_res_one, .dump = ofed_nldev_res_all,		\
	.flags = RDMA_NL_ADMIN_PERM }

/* Ops without an entry return -EINVAL. */
static const struct rdma_nl_cbs ops[RDMA_NLDEV_NUM_OPS] = {
	[RDMA_NLDEV_CMD_GET] = {
		.doit = ofed_nldev_get, .dump = ofed_nldev_get_dump },
	[RDMA_NLDEV_CMD_PORT_GET] = {
		.doit = ofed_nldev_port_get, .dump = ofed_nldev_port_get_dump },
	[RDMA_NLDEV_CMD_RES_GET] = {
		.doit = ofed_nldev_res_get, .dump = ofed_nldev_res_get_dump },
	[RDMA_NLDEV_CMD_RES_QP_GET] = RES_OPS,
	[RDMA_NLDEV_CMD_RES_CM_ID_GET] = RES_OPS,
	[RDMA_NLDEV_CMD_RES_CQ_GET] = RES_OPS,
	[RDMA_NLDEV_CMD_RES_MR_GET] = RES_OPS,
	[RDMA_NLDEV_CMD_RES_PD_GET] = RES_OPS,
	[RDMA_NLDEV_CMD_RES_CTX_GET] = RES_OPS,
	[RDMA_NLDEV_CMD_RES_SRQ_GET] = RES_OPS,
	[RDMA_NLDEV_CMD_RES_QP_GET_RAW] = RES_RAW_OPS,
	[RDMA_NLDEV_CMD_RES_CQ_GET_RAW] = RES_RAW_OPS,
	[RDMA_NLDEV_CMD_RES_MR_GET_RAW] = RES_RAW_OPS,
	COMPAT_SRQ_RAW([RDMA_NLDEV_CMD_RES_SRQ_GET_RAW] = RES_RAW_OPS)
	[RDMA_NLDEV_CMD_STAT_GET] = {
		.doit = ofed_nldev_stat_get, .dump = ofed_nldev_stat_get_dump },
	[RDMA_NLDEV_CMD_STAT_GET_STATUS] = { .doit = ofed_nldev_stat_status },
	[RDMA_NLDEV_CMD_STAT_SET] = {
		.doit = ofed_nldev_stat_set, .flags = RDMA_NL_ADMIN_PERM },
	[RDMA_NLDEV_CMD_STAT_DEL] = {
		.doit = ofed_nldev_stat_del, .flags = RDMA_NL_ADMIN_PERM },
	[RDMA_NLDEV_CMD_GET_CHARDEV] = { .doit = ofed_nldev_get_chardev },
	[RDMA_NLDEV_CMD_SYS_GET] = { .doit = ofed_nldev_sys_get },
	[RDMA_NLDEV_CMD_SYS_SET] = {
		.doit = ofed_nldev_sys_set, .flags = RDMA_NL_ADMIN_PERM },
	[RDMA_NLDEV_CMD_SET] = {
		.doit = ofed_nldev_set, .flags = RDMA_NL_ADMIN_PERM },
	[RDMA_NLDEV_CMD_NEWLINK] = {
		.doit = ofed_nldev_newlink, .flags = RDMA_NL_ADMIN_PERM },
	[RDMA_NLDEV_CMD_DELLINK] = {
		.doit = ofed_nldev_dellink, .flags = RDMA_NL_ADMIN_PERM },
	COMPAT_SUBDEV([RDMA_NLDEV_CMD_NEWDEV] = {
		.doit = ofed_nldev_newdev, .flags = RDMA_NL_ADMIN_PERM })
	COMPAT_SUBDEV([RDMA_NLDEV_CMD_DELDEV] = {
		.doit = ofed_nldev_deldev, .flags = RDMA_NL_ADMIN_PERM })
	COMPAT_FRMR([RDMA_NLDEV_CMD_FRMR_POOLS_GET] = { .dump = ofed_nldev_frmr_dump })
	COMPAT_FRMR([RDMA_NLDEV_CMD_FRMR_POOLS_SET] = {
		.doit = ofed_nldev_frmr_set, .flags = RDMA_NL_ADMIN_PERM })
};

int ofed_nldev_init(void)
{
	rdma_nl_register(RDMA_NL_NLDEV, ops);
	return 0;
}

void ofed_nldev_exit(void)
{
	rdma_nl_unregister(RDMA_NL_NLDEV);
}

MODULE_ALIAS_RDMA_NETLINK(RDMA_NL_NLDEV, 5);
/* A message of RDMA_NL_LS loads this module, not the in-tree one. */
MODULE_ALIAS_RDMA_NETLINK(RDMA_NL_LS, 4);
