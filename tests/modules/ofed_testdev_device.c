// SPDX-License-Identifier: GPL-2.0
/* The device itself: made, described, taken apart. */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/random.h>

#include "ofed_testdev.h"

LIST_HEAD(td_devices);
/* Guards td_devices. Not held across calls into the core. */
DEFINE_MUTEX(td_devices_lock);

/* One that is registered, with its registration lock; NULL if there is none of that name. */
struct ib_device *td_device_find(const char *name)
{
	struct ib_device *found = NULL;
	struct testdev *td;

	mutex_lock(&td_devices_lock);
	list_for_each_entry(td, &td_devices, entry)
		if (!found && td->ib.dev.kobj.name && !strcmp(dev_name(&td->ib.dev), name) &&
		    ib_device_try_get(&td->ib))
			found = &td->ib;
	mutex_unlock(&td_devices_lock);
	return found;
}

static void td_fill_flags(struct ib_device_attr *attr)
{
	attr->device_cap_flags = IB_DEVICE_BAD_PKEY_CNTR |
		IB_DEVICE_BAD_QKEY_CNTR | IB_DEVICE_AUTO_PATH_MIG |
		IB_DEVICE_CURR_QP_STATE_MOD | IB_DEVICE_PORT_ACTIVE_EVENT |
		IB_DEVICE_SYS_IMAGE_GUID | IB_DEVICE_RC_RNR_NAK_GEN |
		IB_DEVICE_SRQ_RESIZE | IB_DEVICE_MEM_WINDOW | IB_DEVICE_XRC |
		IB_DEVICE_MEM_MGT_EXTENSIONS | IB_DEVICE_MEM_WINDOW_TYPE_2B |
		IB_DEVICE_MANAGED_FLOW_STEERING;
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY | IBK_SG_GAPS_REG |
		IBK_ALLOW_USER_UNREG | IBK_VIRTUAL_FUNCTION;
	if (IS_ENABLED(CONFIG_INFINIBAND_ON_DEMAND_PAGING)) {
		attr->kernel_cap_flags |= IBK_ON_DEMAND_PAGING;
		attr->odp_caps.general_caps = IB_ODP_SUPPORT |
			IB_ODP_SUPPORT_IMPLICIT;
	}
	attr->atomic_cap = IB_ATOMIC_HCA;
}

static void td_fill_limits(struct ib_device_attr *attr)
{
	attr->max_qp = td_kind_max(TD_qp);
	attr->max_qp_wr = TD_MAX_WR;
	attr->max_send_sge = TD_MAX_SGE;
	attr->max_recv_sge = TD_MAX_SGE;
	attr->max_sge_rd = TD_MAX_SGE;
	attr->max_cq = td_kind_max(TD_cq);
	attr->max_cqe = TD_MAX_CQE;
	attr->max_mr = td_kind_max(TD_mr);
	attr->max_pd = td_kind_max(TD_pd);
	attr->max_qp_rd_atom = 16;
	attr->max_res_rd_atom = 16 * td_kind_max(TD_qp);
	attr->max_qp_init_rd_atom = 16;
	attr->max_mw = td_kind_max(TD_mw);
	attr->max_raw_ethy_qp = td_kind_max(TD_qp);
	attr->max_mcast_grp = 64;
	attr->max_mcast_qp_attach = 64;
	attr->max_total_mcast_qp_attach = td_kind_max(TD_mcast);
	attr->max_ah = td_kind_max(TD_ah);
	attr->max_srq = td_kind_max(TD_srq);
	attr->max_srq_wr = TD_MAX_WR;
	attr->max_srq_sge = TD_MAX_SGE;
	attr->max_fast_reg_page_list_len = TD_MAX_PAGES;
	attr->rss_caps.supported_qpts = BIT(IB_QPT_UD) | BIT(IB_QPT_RAW_PACKET);
	attr->rss_caps.max_rwq_indirection_tables =
		td_kind_max(TD_rwq_ind_table);
	attr->rss_caps.max_rwq_indirection_table_size = 128;
	attr->max_wq_type_rq = td_kind_max(TD_wq);
	attr->cq_caps.max_cq_moderation_count = 0xffff;
	attr->cq_caps.max_cq_moderation_period = 0xfff;
	attr->max_dm_size = TD_DM_SIZE;
}

static int td_query_device(struct ib_device *ibdev,
			   struct ib_device_attr *attr, struct ib_udata *udata)
{
	struct testdev *td = to_td(ibdev);
	int ret = td_fault(ibdev, query_device);

	if (ret)
		return ret;
	if (udata && (udata->inlen || udata->outlen))
		return -EINVAL;

	memset(attr, 0, sizeof(*attr));
	attr->fw_ver = 1;
	attr->sys_image_guid = ibdev->node_guid;
	attr->max_mr_size = ~0ULL;
	attr->page_size_cap = PAGE_SIZE;
	attr->vendor_id = 0xfffffe;
	attr->vendor_part_id = 1;
	attr->hw_ver = 1;
	attr->max_pkeys = td->cfg.ib ? TD_PKEYS : 1;
	attr->local_ca_ack_delay = 15;
	td_fill_flags(attr);
	td_fill_limits(attr);
	return 0;
}

static int td_modify_device(struct ib_device *ibdev, int mask,
			    struct ib_device_modify *modify)
{
	int ret = td_fault(ibdev, modify_device);

	if (ret)
		return ret;
	if (mask & ~(IB_DEVICE_MODIFY_NODE_DESC |
		     IB_DEVICE_MODIFY_SYS_IMAGE_GUID))
		return -EOPNOTSUPP;
	if (mask & IB_DEVICE_MODIFY_NODE_DESC)
		memcpy(ibdev->node_desc, modify->node_desc,
		       sizeof(ibdev->node_desc));
	if (mask & IB_DEVICE_MODIFY_SYS_IMAGE_GUID)
		ibdev->attrs.sys_image_guid =
			cpu_to_be64(modify->sys_image_guid);
	return 0;
}

static void td_get_dev_fw_str(struct ib_device *ibdev, char *str)
{
	snprintf(str, IB_FW_VERSION_NAME_MAX, "testdev-%d",
		 TESTDEV_ABI_VERSION);
}

static __maybe_unused const struct cpumask *
td_get_vector_affinity(struct ib_device *ibdev, int vector)
{
	return cpumask_of(vector % num_online_cpus());
}

static int td_get_numa_node(struct ib_device *ibdev)
{
	return NUMA_NO_NODE;
}

/*
 * The name is known now and no client has seen the device, so the files of the
 * device are there before its first user.
 */
int td_enable_driver(struct ib_device *ibdev)
{
	struct testdev *td = to_td(ibdev);
	int ret = td_fault(ibdev, enable_driver);
	struct dentry *dir;

	if (ret)
		return ret;
	dir = debugfs_create_dir(dev_name(&ibdev->dev), td_debugfs_root());
	debugfs_create_file("counts", 0444, dir, &td->counts, &td_counts_fops);
	debugfs_create_file("fail", 0644, dir, td, &td_fault_fops);
	debugfs_create_file("event", 0200, dir, td, &td_event_fops);
	debugfs_create_file("complete", 0200, dir, td, &td_complete_fops);
	debugfs_create_file("hold", 0644, dir, td, &td_hold_fops);
	debugfs_create_file("port", 0200, dir, td, &td_port_fops);
	if (IS_ENABLED(CONFIG_INFINIBAND_ON_DEMAND_PAGING))
		debugfs_create_file("odp", 0600, dir, td, &td_odp_fops);
	debugfs_create_bool("rereg_new", 0644, dir, &td->rereg_new);
	debugfs_create_bool("dmabuf_dynamic", 0644, dir, &td->dmabuf_dynamic);
	debugfs_create_bool("want_buffer", 0644, dir, &td->want_buffer);
	debugfs_create_bool("pooled", 0644, dir, &td->pooled);
	debugfs_create_u64("caps", 0444, dir, &td->caps);
	td->dir = dir;
	return 0;
}

/*
 * Objects that this driver would not destroy. The core frees what it has of them
 * after this.
 */
static void td_free_refused(struct testdev *td)
{
	struct td_qp *qp;
	struct td_cq *cq;
	struct td_srq *srq;
	unsigned long i;

	td_free_flows(td);
	xa_for_each(&td->qps, i, qp) {
		td_wrq_free(&qp->sq);
		td_wrq_free(&qp->rq);
	}
	xa_for_each(&td->cqs, i, cq)
		kvfree(cq->ring);
	xa_for_each(&td->srqs, i, srq)
		td_wrq_free(&srq->rq);
}

/* Mirror of td_device_add(), from whatever step it reached. */
void td_dealloc_driver(struct ib_device *ibdev)
{
	struct testdev *td = to_td(ibdev);

	mutex_lock(&td_devices_lock);
	list_del_init(&td->entry);
	mutex_unlock(&td_devices_lock);
	debugfs_remove(td->dir);
	td_netdev_drop(td);
	if (td->wq)
		destroy_workqueue(td->wq);
	if (td->page)
		__free_page(td->page);
	if (td->pdev)
		platform_device_unregister(td->pdev);
	ida_destroy(&td->keys);
	td_free_refused(td);
	xa_destroy(&td->odps);
	xa_destroy(&td->wqs);
	xa_destroy(&td->srqs);
	xa_destroy(&td->qps);
	xa_destroy(&td->cqs);
	mutex_destroy(&td->hook_lock);
	td_put(td, TD_device);
}

static ssize_t testdev_link_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	struct testdev *td = rdma_device_to_drv_device(dev, struct testdev, ib);

	return sysfs_emit(buf, "%s\n", td->cfg.ib ? "ib" : "roce");
}
static DEVICE_ATTR_RO(testdev_link);

static struct attribute *td_attributes[] = {
	&dev_attr_testdev_link.attr,
	NULL
};

static const struct attribute_group td_group = {
	.attrs = td_attributes,
};

const struct ib_device_ops td_device_ops = {
	.owner = THIS_MODULE,
	.driver_id = TESTDEV_DRIVER_ID,
	.uverbs_abi_ver = TESTDEV_ABI_VERSION,
	.device_group = &td_group,
	.query_device = td_query_device,
	.modify_device = td_modify_device,
	.get_dev_fw_str = td_get_dev_fw_str,
	COMPAT_VECTOR_AFFINITY(td_get_vector_affinity)
	.get_numa_node = td_get_numa_node,
	.enable_driver = td_enable_driver,
	.dealloc_driver = td_dealloc_driver,
};

static void td_set_ops(struct testdev *td)
{
	static const struct ib_device_ops *const common[] = {
		&td_device_ops, &td_port_ops, &td_vf_ops, &td_ucontext_ops,
		&td_pd_ops, &td_ah_ops, &td_cq_ops, &td_qp_ops, &td_post_ops,
		&td_srq_ops, &td_mr_ops, &td_wq_ops, &td_mcast_ops,
		&td_flow_ops, &td_dm_ops, &td_stats_ops, &td_res_ops,
	};
	/* Of 7.x; they stand in front of the common ones, as what is set first stays. */
	static const struct ib_device_ops *const newer[] = {
		COMPAT_DMAH(&td_dmah_ops) COMPAT_COMP_CNTR(&td_cntr_ops)
		COMPAT_PORT_SPEED(&td_speed_ops) COMPAT_UCAPS(&td_ucap_ops)
		COMPAT_BUFFERS(&td_buffer_ops) COMPAT_FRMR(&td_frmr_ops)
		COMPAT_MMAP_DMABUF(&td_export_ops)
	};
	static const struct ib_device_ops *const robust[] = {
		COMPAT_ROBUST_UDATA(&td_robust_ops)
	};
	int i;

	for (i = 0; td->cfg.robust && i < ARRAY_SIZE(robust); i++)
		ib_set_device_ops(&td->ib, robust[i]);
	for (i = 0; i < ARRAY_SIZE(newer); i++)
		ib_set_device_ops(&td->ib, newer[i]);
	for (i = 0; i < ARRAY_SIZE(common); i++)
		ib_set_device_ops(&td->ib, common[i]);
	ib_set_device_ops(&td->ib, td->cfg.ib ? &td_ib_ops : &td_roce_ops);
	if (!td->cfg.part)
		compat_set_sub_ops(&td->ib, &td_sub_ops);
	if (td->cfg.get_netdev)
		ib_set_device_ops(&td->ib, &td_netdev_ops);
	if (td->cfg.disassociate)
		ib_set_device_ops(&td->ib, &td_disassociate_ops);
	if (td->cfg.split_cq)
		ib_set_device_ops(&td->ib, &td_split_cq_ops);
}

static void td_init_tables(struct testdev *td)
{
	INIT_LIST_HEAD(&td->entry);
	spin_lock_init(&td->fault_lock);
	spin_lock_init(&td->lock);
	mutex_init(&td->hook_lock);
	xa_init_flags(&td->cqs, XA_FLAGS_ALLOC1);
	xa_init_flags(&td->qps, XA_FLAGS_ALLOC1);
	xa_init_flags(&td->srqs, XA_FLAGS_ALLOC1);
	xa_init_flags(&td->wqs, XA_FLAGS_ALLOC1);
	xa_init(&td->odps);
	xa_init_flags(&td->flows, XA_FLAGS_ALLOC1);
	ida_init(&td->keys);
}

static void td_describe(struct testdev *td)
{
	struct ib_device *ibdev = &td->ib;

	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->phys_port_cnt = td->cfg.ports;
	ibdev->num_comp_vectors = td->cfg.vectors;
	ibdev->local_dma_lkey = 0;
	ibdev->node_guid = cpu_to_be64(0x0200000000000000ULL |
				       get_random_u32());
	strscpy(ibdev->node_desc, "test device", sizeof(ibdev->node_desc));
	ibdev->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
		BIT_ULL(IB_USER_VERBS_CMD_POST_RECV) |
		BIT_ULL(IB_USER_VERBS_CMD_POST_SRQ_RECV) |
		BIT_ULL(IB_USER_VERBS_CMD_POLL_CQ) |
		BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	ibdev->driver_def = td_uapi_defs;
	td_ports_init(td);
}

/* Without virt_dma the core maps real memory for a real struct device. */
static int td_dma_device(struct testdev *td)
{
	struct platform_device *pdev;
	int ret;

	if (td->cfg.virt_dma)
		return 0;
	pdev = platform_device_register_simple("ofed_testdev",
					       PLATFORM_DEVID_AUTO, NULL, 0);
	if (IS_ERR(pdev))
		return PTR_ERR(pdev);
	td->pdev = pdev;
	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (ret)
		return ret;
	dma_set_max_seg_size(&pdev->dev, UINT_MAX);
	return 0;
}

/*
 * Context: process. The device is in use before this returns; a thread that removes
 * it later calls td_dealloc_driver() by way of the core.
 */
int td_device_add(const char *name, const struct td_config *cfg,
		  struct net_device *ndev, char *faults)
{
	struct testdev *td;
	int ret;

	td = ib_alloc_device(testdev, ib);
	if (!td)
		return -ENOMEM;
	td->cfg = *cfg;
	td_init_tables(td);
	td_set_ops(td);
	td_get(td, TD_device);
	td_describe(td);

	ret = -ENOMEM;
	td->page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!td->page)
		goto err_device;
	td->wq = alloc_workqueue("testdev", WQ_UNBOUND, 0);
	if (!td->wq)
		goto err_device;
	ret = td_dma_device(td);
	if (ret)
		goto err_device;
	if (ndev && !cfg->ib) {
		ret = td_netdev_attach(td, ndev);
		if (ret)
			goto err_device;
	}
	if (faults) {
		ret = td_fault_arm(td, faults);
		if (ret)
			goto err_device;
	}

	mutex_lock(&td_devices_lock);
	list_add_tail(&td->entry, &td_devices);
	mutex_unlock(&td_devices_lock);
	ret = ib_register_device(&td->ib, name,
				 td->pdev ? &td->pdev->dev : NULL);
	if (ret)
		goto err_device;
	return 0;

err_device:
	ib_dealloc_device(&td->ib);
	return ret;
}
