// SPDX-License-Identifier: GPL-2.0
/* Virtual functions as far as 'ip link set … vf' asks for them. */
#include <linux/if_link.h>
#include <linux/module.h>

#include "ofed_testdev.h"

static struct td_vf *td_vf_of(struct testdev *td, int vf)
{
	lockdep_assert_held(&td->lock);
	return vf >= 0 && vf < TD_VFS ? &td->vf[vf] : NULL;
}

static int td_set_vf_link_state(struct ib_device *ibdev, int nr, u32 port_num,
				int state)
{
	struct testdev *td = to_td(ibdev);
	int ret = td_fault(ibdev, set_vf_link_state);
	struct td_vf *vf;

	if (ret)
		return ret;
	spin_lock(&td->lock);
	vf = td_vf_of(td, nr);
	if (vf)
		vf->link_state = state;
	spin_unlock(&td->lock);
	return vf ? 0 : -EINVAL;
}

static int td_get_vf_config(struct ib_device *ibdev, int nr, u32 port_num,
			    struct ifla_vf_info *info)
{
	struct testdev *td = to_td(ibdev);
	int ret = td_fault(ibdev, get_vf_config);
	struct td_vf *vf;

	if (ret)
		return ret;
	memset(info, 0, sizeof(*info));
	info->vf = nr;
	spin_lock(&td->lock);
	vf = td_vf_of(td, nr);
	if (vf)
		info->linkstate = vf->link_state;
	spin_unlock(&td->lock);
	return vf ? 0 : -EINVAL;
}

static int td_get_vf_stats(struct ib_device *ibdev, int nr, u32 port_num,
			   struct ifla_vf_stats *stats)
{
	int ret = td_fault(ibdev, get_vf_stats);

	if (ret)
		return ret;
	if (nr < 0 || nr >= TD_VFS)
		return -EINVAL;
	memset(stats, 0, sizeof(*stats));
	return 0;
}

static int td_get_vf_guid(struct ib_device *ibdev, int nr, u32 port_num,
			  struct ifla_vf_guid *node, struct ifla_vf_guid *port)
{
	struct testdev *td = to_td(ibdev);
	int ret = td_fault(ibdev, get_vf_guid);
	struct td_vf *vf;

	if (ret)
		return ret;
	spin_lock(&td->lock);
	vf = td_vf_of(td, nr);
	if (vf) {
		node->guid = vf->node_guid;
		port->guid = vf->port_guid;
	}
	spin_unlock(&td->lock);
	return vf ? 0 : -EINVAL;
}

static int td_set_vf_guid(struct ib_device *ibdev, int nr, u32 port_num,
			  u64 guid, int type)
{
	struct testdev *td = to_td(ibdev);
	int ret = td_fault(ibdev, set_vf_guid);
	struct td_vf *vf;

	if (ret)
		return ret;
	if (type != IFLA_VF_IB_NODE_GUID && type != IFLA_VF_IB_PORT_GUID)
		return -EINVAL;
	spin_lock(&td->lock);
	vf = td_vf_of(td, nr);
	if (vf && type == IFLA_VF_IB_NODE_GUID)
		vf->node_guid = guid;
	else if (vf)
		vf->port_guid = guid;
	spin_unlock(&td->lock);
	return vf ? 0 : -EINVAL;
}

const struct ib_device_ops td_vf_ops = {
	.set_vf_link_state = td_set_vf_link_state,
	.get_vf_config = td_get_vf_config,
	.get_vf_stats = td_get_vf_stats,
	.get_vf_guid = td_get_vf_guid,
	.set_vf_guid = td_set_vf_guid,
};
