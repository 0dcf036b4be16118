/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sa: the SA client (IBA vol. 1 chapter 15): queries of path records and services, and
 * multicast groups. Consumers use <rdma/ib_sa.h>; this header is what the rest of
 * ofed_core calls. It may use the folders below it: device, netlink, port, addr,
 * track, umem, verbs, mad.
 */
#ifndef OFED_CORE_SA_H
#define OFED_CORE_SA_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <rdma/ib_sa.h>

int ofed_sa_init(void);
void ofed_sa_exit(void);

/**
 * ofed_sa_sendonly_fullmember - can a port join a group to send only, in full?
 * @device: device
 * @port_num: its port
 *
 * Asks what the SA of the subnet told of itself in its ClassPortInfo
 * (IBA vol. 1 15.2.5.1, IsSendOnlyFullMemberSupported). Context: any, does not
 * wait: as long as the SA has not answered, the join may be tried.
 * Return: 0, -EOPNOTSUPP when the SA has said that it can not, -ENODEV when the
 * port has no SA.
 */
int ofed_sa_sendonly_fullmember(struct ib_device *device, u32 port_num);

/**
 * ofed_sa_mcmember_query - ask the SA about membership in a group
 * @device: device
 * @port_num: its port
 * @method: IB_MGMT_METHOD_GET, IB_MGMT_METHOD_SET or IB_SA_METHOD_DELETE
 * @rec: MCMemberRecord of the request
 * @comp_mask: IB_SA_MCMEMBER_REC_* of the members of @rec that count
 * @timeout_ms: limit of time, retries included
 * @gfp_mask: how to allocate
 * @done: called once, in process context, unless an errno is returned; @rec is
 *	  NULL when @status is not 0
 * @context: handed to @done
 *
 * Return: 0, or an errno as ib_sa_path_rec_get().
 */
int ofed_sa_mcmember_query(struct ib_device *device, u32 port_num, u8 method,
			   const struct ib_sa_mcmember_rec *rec,
			   ib_sa_comp_mask comp_mask, unsigned int timeout_ms,
			   gfp_t gfp_mask,
			   void (*done)(int status,
					const struct ib_sa_mcmember_rec *rec,
					void *context),
			   void *context);

#endif /* OFED_CORE_SA_H */
