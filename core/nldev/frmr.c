// SPDX-License-Identifier: GPL-2.0
/* NLDEV: pools of regions that drivers keep. */
#include <net/netlink.h>
#include <net/sock.h>
#include <ofed/refuse.h>

#include "../frmr/frmr.h"
#include "nldev.h"

/* What the key of a pool consists of. */
const struct nla_policy ofed_nldev_frmr_key[RDMA_NLDEV_ATTR_MAX] = {
	[RDMA_NLDEV_ATTR_FRMR_POOL_KEY_ATS] = { .type = NLA_U8 },
	[RDMA_NLDEV_ATTR_FRMR_POOL_KEY_ACCESS_FLAGS] = { .type = NLA_U32 },
	[RDMA_NLDEV_ATTR_FRMR_POOL_KEY_VENDOR_KEY] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_FRMR_POOL_KEY_NUM_DMA_BLOCKS] = { .type = NLA_U64 },
	[RDMA_NLDEV_ATTR_FRMR_POOL_KEY_KERNEL_VENDOR_KEY] = { .type = NLA_U64 },
};

static int nldev_frmr_put_u64(struct sk_buff *msg, int type, u64 value)
{
	return nla_put_u64_64bit(msg, type, value, RDMA_NLDEV_ATTR_PAD);
}

static int nldev_put_frmr_key(struct sk_buff *msg, const struct ib_frmr_key *key)
{
	struct nlattr *nest = nla_nest_start(msg, RDMA_NLDEV_ATTR_FRMR_POOL_KEY);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u8(msg, RDMA_NLDEV_ATTR_FRMR_POOL_KEY_ATS, key->ats) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_FRMR_POOL_KEY_ACCESS_FLAGS, key->access_flags) ||
	    nldev_frmr_put_u64(msg, RDMA_NLDEV_ATTR_FRMR_POOL_KEY_VENDOR_KEY, key->vendor_key) ||
	    nldev_frmr_put_u64(msg, RDMA_NLDEV_ATTR_FRMR_POOL_KEY_NUM_DMA_BLOCKS,
			  key->num_dma_blocks) ||
	    (key->kernel_vendor_key &&
	     nldev_frmr_put_u64(msg, RDMA_NLDEV_ATTR_FRMR_POOL_KEY_KERNEL_VENDOR_KEY,
			   key->kernel_vendor_key)))
		return -EMSGSIZE;
	nla_nest_end(msg, nest);
	return 0;
}

static int nldev_put_frmr_pool(struct sk_buff *msg, const struct ofed_frmr_info *info)
{
	struct nlattr *nest = nla_nest_start_noflag(msg, RDMA_NLDEV_ATTR_FRMR_POOL_ENTRY);

	if (!nest)
		return -EMSGSIZE;
	if (nldev_put_frmr_key(msg, &info->key) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_FRMR_POOL_QUEUE_HANDLES, info->handles) ||
	    nldev_frmr_put_u64(msg, RDMA_NLDEV_ATTR_FRMR_POOL_MAX_IN_USE, info->max_in_use) ||
	    nldev_frmr_put_u64(msg, RDMA_NLDEV_ATTR_FRMR_POOL_IN_USE, info->in_use) ||
	    nla_put_u32(msg, RDMA_NLDEV_ATTR_FRMR_POOL_PINNED_HANDLES, info->pinned)) {
		nla_nest_cancel(msg, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(msg, nest);
	return 0;
}

/* Where a dump goes on: kept in netlink_callback.ctx between its parts. */
struct frmr_dump {
	struct ib_frmr_key last;
	bool begun;
	bool done;
};

/* A part of a dump; ofed_nldev_put_part() is handed @req. */
struct frmr_part {
	struct nldev_req req;
	struct frmr_dump *state;
};

/* Return: number of pools in @msg, the last one of the device among them if state->done. */
static int nldev_put_frmr_pools(struct sk_buff *msg, struct ib_device *device,
				const struct frmr_part *part)
{
	struct frmr_dump *state = part->state;
	struct ofed_frmr_info info;
	int cnt = 0;

	while (ofed_frmr_next(device, state->begun ? &state->last : NULL, &info)) {
		/* Pools that the kernel has for itself are a detail. */
		if (!info.key.kernel_vendor_key || part->req.details) {
			if (nldev_put_frmr_pool(msg, &info))
				return cnt;
			cnt++;
		}
		state->last = info.key;
		state->begun = true;
		cond_resched();
	}
	state->done = true;
	return cnt;
}

/* As many pools as there is room for. */
static int nldev_put_frmr_part(struct sk_buff *msg, struct ib_device *device,
			       const struct nldev_req *req)
{
	const struct frmr_part *part = container_of(req, struct frmr_part, req);
	struct nlattr *table;

	if (ofed_nldev_put_handle(msg, device))
		return -EMSGSIZE;
	table = nla_nest_start_noflag(msg, RDMA_NLDEV_ATTR_FRMR_POOLS);
	if (!table)
		return -EMSGSIZE;
	if (!nldev_put_frmr_pools(msg, device, part))
		return part->state->done ? -ENOENT : -EMSGSIZE;
	nla_nest_end(msg, table);
	return 0;
}

int ofed_nldev_frmr_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct frmr_part part = { .state = (struct frmr_dump *)cb->ctx };
	struct ib_device *device;
	int ret;

	BUILD_BUG_ON(sizeof(struct frmr_dump) > sizeof(cb->ctx));
	ret = ofed_nldev_parse(&part.req, cb->skb, cb->nlh, cb->extack);
	if (ret)
		return ret;
	part.req.net = sock_net(skb->sk);
	if (part.state->done)
		return 0;
	device = ofed_nldev_device(&part.req);
	if (!device)
		return -EINVAL;
	ret = ofed_nldev_put_part(skb, device, &part.req, nldev_put_frmr_part);
	ib_device_put(device);
	if (ret == -ENOENT)
		return 0;
	return ret ?: skb->len;
}

/* What a key does not say is 0. */
static void nldev_get_frmr_key(const struct nlattr *nest, struct ib_frmr_key *key)
{
	const struct nlattr *attr;
	int rest;

	*key = (struct ib_frmr_key){};
	nla_for_each_nested(attr, nest, rest) {
		switch (nla_type(attr)) {
		case RDMA_NLDEV_ATTR_FRMR_POOL_KEY_ATS:
			/* One bit of it. */
			key->ats = nla_get_u8(attr);
			break;
		case RDMA_NLDEV_ATTR_FRMR_POOL_KEY_ACCESS_FLAGS:
			key->access_flags = nla_get_u32(attr);
			break;
		case RDMA_NLDEV_ATTR_FRMR_POOL_KEY_VENDOR_KEY:
			key->vendor_key = nla_get_u64(attr);
			break;
		case RDMA_NLDEV_ATTR_FRMR_POOL_KEY_NUM_DMA_BLOCKS:
			key->num_dma_blocks = nla_get_u64(attr);
			break;
		case RDMA_NLDEV_ATTR_FRMR_POOL_KEY_KERNEL_VENDOR_KEY:
			key->kernel_vendor_key = nla_get_u64(attr);
			break;
		}
	}
}

/* One change a request: the first that is there. */
int ofed_nldev_frmr_set(struct sk_buff *skb, struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	const struct nlattr *period, *pinned, *key_attr;
	struct ib_device *device;
	struct ib_frmr_key key;
	struct nldev_req req;
	int ret = ofed_nldev_check_strict(nlh, extack);

	if (ret)
		return ret;
	device = ofed_nldev_parse_device(&req, skb, nlh, extack);
	if (IS_ERR(device))
		return PTR_ERR(device);
	period = req.tb[RDMA_NLDEV_ATTR_FRMR_POOLS_AGING_PERIOD];
	pinned = req.tb[RDMA_NLDEV_ATTR_FRMR_POOL_PINNED_HANDLES];
	key_attr = req.tb[RDMA_NLDEV_ATTR_FRMR_POOL_KEY];
	if (period) {
		ret = ofed_frmr_set_period(device, nla_get_u32(period));
	} else if (pinned && key_attr) {
		nldev_get_frmr_key(key_attr, &key);
		ret = ofed_frmr_pin(device, &key, nla_get_u32(pinned));
	} else if (pinned) {
		ret = ofed_refuse(device, -EINVAL, "handles of no key");
	}
	ib_device_put(device);
	return ret;
}
