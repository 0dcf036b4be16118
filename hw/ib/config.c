// SPDX-License-Identifier: GPL-2.0
/*
 * The fabric in configfs:
 *
 *	ofed_ib/hcas/NAME	guid sys_guid desc ports opa power
 *	ofed_ib/switches/NAME	the same but for opa
 *	ofed_ib/cables/NAME	see config_cable.c
 *	ofed_ib/tunnels/NAME	see config_tunnel.c
 *
 * A node is made, described, and powered; the power of an HCA is its ib_device.
 */
#include <linux/module.h>

#include "cable.h"
#include "config.h"
#include "fabric.h"
#include "node.h"

static u32 made;	/* (ibf_config) nodes so far, for default GUIDs */

/* ---- nodes ------------------------------------------------------------------------ */

static struct ibf_node *ibf_config_node_of(struct config_item *item)
{
	return container_of(to_config_group(item), struct ibf_node, group);
}

static bool ibf_has_cable(const struct ibf_node *node)
{
	u32 num;

	for (num = 1; num <= node->num_ports; num++)
		if (node->ports[num].cable)
			return true;
	return false;
}

/* A description changes only while no MAD and no device can read it. */
static int ibf_may_describe(const struct ibf_node *node)
{
	lockdep_assert_held(&ibf_config);
	return node->live || node->ib ? -EBUSY : 0;
}

static ssize_t ibf_show_guid(__be64 guid, char *page)
{
	return sysfs_emit(page, "0x%016llx\n", be64_to_cpu(guid));
}

static ssize_t ibf_store_guid(struct ibf_node *node, __be64 *to, const char *page,
			      size_t count)
{
	u64 guid;
	int ret;

	ret = kstrtou64(page, 0, &guid);
	if (ret)
		return ret;
	if (!guid)
		return -EINVAL;
	mutex_lock(&ibf_config);
	ret = ibf_may_describe(node);
	if (!ret)
		*to = cpu_to_be64(guid);
	mutex_unlock(&ibf_config);
	return ret ?: count;
}

static ssize_t ibf_node_guid_show(struct config_item *item, char *page)
{
	return ibf_show_guid(ibf_config_node_of(item)->guid, page);
}

static ssize_t ibf_node_guid_store(struct config_item *item, const char *page,
				   size_t count)
{
	struct ibf_node *node = ibf_config_node_of(item);

	return ibf_store_guid(node, &node->guid, page, count);
}

static ssize_t ibf_node_sys_guid_show(struct config_item *item, char *page)
{
	return ibf_show_guid(ibf_config_node_of(item)->sys_guid, page);
}

static ssize_t ibf_node_sys_guid_store(struct config_item *item,
				       const char *page, size_t count)
{
	struct ibf_node *node = ibf_config_node_of(item);

	return ibf_store_guid(node, &node->sys_guid, page, count);
}

static ssize_t ibf_node_desc_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%s\n", ibf_config_node_of(item)->desc);
}

static ssize_t ibf_node_desc_store(struct config_item *item, const char *page,
				   size_t count)
{
	struct ibf_node *node = ibf_config_node_of(item);
	size_t length = strcspn(page, "\n");
	int ret;

	if (length >= sizeof(node->desc))
		return -EINVAL;
	mutex_lock(&ibf_config);
	ret = ibf_may_describe(node);
	if (!ret) {
		memset(node->desc, 0, sizeof(node->desc));
		memcpy(node->desc, page, length);
	}
	mutex_unlock(&ibf_config);
	return ret ?: count;
}

static ssize_t ibf_node_ports_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%u\n", ibf_config_node_of(item)->num_ports);
}

static ssize_t ibf_node_ports_store(struct config_item *item, const char *page,
				    size_t count)
{
	struct ibf_node *node = ibf_config_node_of(item);
	u8 num;
	int ret;

	ret = kstrtou8(page, 0, &num);
	if (ret)
		return ret;
	if (!num || num > (node->is_switch ? IBF_SWITCH_PORTS : IBF_HCA_PORTS))
		return -EINVAL;
	mutex_lock(&ibf_config);
	ret = ibf_has_cable(node) ? -EBUSY : ibf_may_describe(node);
	if (!ret)
		ret = ibf_node_resize(node, num);
	mutex_unlock(&ibf_config);
	return ret ?: count;
}

static ssize_t ibf_node_opa_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%d\n", ibf_config_node_of(item)->opa);
}

static ssize_t ibf_node_opa_store(struct config_item *item, const char *page,
				  size_t count)
{
	struct ibf_node *node = ibf_config_node_of(item);
	bool opa;
	int ret;

	ret = kstrtobool(page, &opa);
	if (ret)
		return ret;
	mutex_lock(&ibf_config);
	ret = ibf_may_describe(node);
	if (!ret)
		node->opa = opa;
	mutex_unlock(&ibf_config);
	return ret ?: count;
}

static ssize_t ibf_node_power_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%d\n", READ_ONCE(ibf_config_node_of(item)->live));
}

/* The files of debugfs are there as long as the ports can be used. */
static int ibf_set_power(struct ibf_node *node, bool on)
{
	int ret;

	lockdep_assert_held(&ibf_config);
	if (on && node->live)
		return -EBUSY;
	ibf_inject_del(node);
	ret = ibf_node_power(node, on);
	if (on && !ret)
		ibf_inject_add(node);
	return ret;
}

static ssize_t ibf_node_power_store(struct config_item *item, const char *page,
				    size_t count)
{
	struct ibf_node *node = ibf_config_node_of(item);
	bool on;
	int ret;

	ret = kstrtobool(page, &on);
	if (ret)
		return ret;
	mutex_lock(&ibf_config);
	ret = ibf_set_power(node, on);
	mutex_unlock(&ibf_config);
	return ret ?: count;
}

CONFIGFS_ATTR(ibf_node_, guid);
CONFIGFS_ATTR(ibf_node_, sys_guid);
CONFIGFS_ATTR(ibf_node_, desc);
CONFIGFS_ATTR(ibf_node_, ports);
CONFIGFS_ATTR(ibf_node_, opa);
CONFIGFS_ATTR(ibf_node_, power);

static struct configfs_attribute *ibf_hca_attrs[] = {
	&ibf_node_attr_guid,
	&ibf_node_attr_sys_guid,
	&ibf_node_attr_desc,
	&ibf_node_attr_ports,
	&ibf_node_attr_opa,
	&ibf_node_attr_power,
	NULL
};

static struct configfs_attribute *ibf_switch_attrs[] = {
	&ibf_node_attr_guid,
	&ibf_node_attr_sys_guid,
	&ibf_node_attr_desc,
	&ibf_node_attr_ports,
	&ibf_node_attr_power,
	NULL
};

static void ibf_node_release(struct config_item *item)
{
	ibf_node_free(ibf_config_node_of(item));
}

static struct configfs_item_operations ibf_node_item_ops = {
	.release = ibf_node_release,
};

static const struct config_item_type ibf_hca_type = {
	.ct_item_ops = &ibf_node_item_ops,
	.ct_attrs = ibf_hca_attrs,
	.ct_owner = THIS_MODULE,
};

static const struct config_item_type ibf_switch_type = {
	.ct_item_ops = &ibf_node_item_ops,
	.ct_attrs = ibf_switch_attrs,
	.ct_owner = THIS_MODULE,
};

/*
 * Default GUIDs are of a range that is not assigned to any vendor. Ports of an HCA
 * use the numbers that follow their node's.
 */
static __be64 ibf_default_guid(void)
{
	lockdep_assert_held(&ibf_config);
	made++;
	return cpu_to_be64(0x020000fffe000000ULL | (u64)made << 8);
}

static struct config_group *ibf_make_node(const char *name, bool is_switch)
{
	struct ibf_node *node;

	if (strlen(name) >= IBF_NAME_BYTES)
		return ERR_PTR(-ENAMETOOLONG);
	/* Of a device it would be a pattern; the end of a cable is told by words. */
	if (strpbrk(name, "% \t\n"))
		return ERR_PTR(-EINVAL);
	node = ibf_node_new(name, is_switch);
	if (IS_ERR(node))
		return ERR_CAST(node);
	config_group_init_type_name(&node->group, name,
				    is_switch ? &ibf_switch_type : &ibf_hca_type);
	mutex_lock(&ibf_config);
	if (ibf_find_node(name)) {
		mutex_unlock(&ibf_config);
		config_item_put(&node->group.cg_item);
		return ERR_PTR(-EEXIST);
	}
	node->guid = ibf_default_guid();
	node->sys_guid = node->guid;
	list_add_tail(&node->entry, &ibf_nodes);
	mutex_unlock(&ibf_config);
	return &node->group;
}

static struct config_group *ibf_make_hca(struct config_group *group,
					 const char *name)
{
	return ibf_make_node(name, false);
}

static struct config_group *ibf_make_switch(struct config_group *group,
					    const char *name)
{
	return ibf_make_node(name, true);
}

static void ibf_unplug_all(struct ibf_node *node)
{
	u32 num;

	spin_lock_bh(&ibf_lock);
	for (num = 1; num <= node->num_ports; num++)
		if (node->ports[num].cable)
			ibf_unplug(node->ports[num].cable);
	spin_unlock_bh(&ibf_lock);
}

static void ibf_drop_node(struct config_group *group, struct config_item *item)
{
	struct ibf_node *node = ibf_config_node_of(item);

	mutex_lock(&ibf_config);
	ibf_set_power(node, false);
	ibf_unplug_all(node);
	list_del(&node->entry);
	mutex_unlock(&ibf_config);
	config_item_put(item);
}

/* ---- the folders ------------------------------------------------------------------------- */

static struct configfs_group_operations ibf_hcas_ops = {
	.make_group = ibf_make_hca,
	.drop_item = ibf_drop_node,
};

static struct configfs_group_operations ibf_switches_ops = {
	.make_group = ibf_make_switch,
	.drop_item = ibf_drop_node,
};

static const struct config_item_type ibf_hcas_type = {
	.ct_group_ops = &ibf_hcas_ops,
	.ct_owner = THIS_MODULE,
};

static const struct config_item_type ibf_switches_type = {
	.ct_group_ops = &ibf_switches_ops,
	.ct_owner = THIS_MODULE,
};

static const struct config_item_type ibf_root_type = {
	.ct_owner = THIS_MODULE,
};

static struct config_group hcas, switches, cables, tunnels;

static struct configfs_subsystem subsystem = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "ofed_ib",
			.ci_type = &ibf_root_type,
		},
	},
	.su_mutex = __MUTEX_INITIALIZER(subsystem.su_mutex),
};

int ibf_config_init(void)
{
	config_group_init(&subsystem.su_group);
	config_group_init_type_name(&hcas, "hcas", &ibf_hcas_type);
	configfs_add_default_group(&hcas, &subsystem.su_group);
	config_group_init_type_name(&switches, "switches", &ibf_switches_type);
	configfs_add_default_group(&switches, &subsystem.su_group);
	config_group_init_type_name(&cables, "cables", &ibf_cables_type);
	configfs_add_default_group(&cables, &subsystem.su_group);
	config_group_init_type_name(&tunnels, "tunnels", &ibf_tunnels_type);
	configfs_add_default_group(&tunnels, &subsystem.su_group);
	return configfs_register_subsystem(&subsystem);
}

void ibf_config_exit(void)
{
	configfs_unregister_subsystem(&subsystem);
}
