// SPDX-License-Identifier: GPL-2.0
/*
 * Cables in configfs:
 *
 *	ofed_ib/cables/NAME	a b width speed plugged errors losses delay limit seed
 *
 * The ends are "NODE PORT". The last five may be changed under traffic.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "cable.h"
#include "config.h"
#include "fabric.h"

static struct ibf_cable *ibf_cable_of(struct config_item *item)
{
	return container_of(item, struct ibf_cable, item);
}

static bool ibf_is_plugged(const struct ibf_cable *cable)
{
	return READ_ONCE(cable->ends[0].port);
}

static ssize_t ibf_store_end(struct ibf_cable *cable, struct ibf_end *to,
			     const char *page, size_t count)
{
	struct ibf_end end = { };
	int ret;

	ret = ibf_parse_end(page, &end);
	if (ret)
		return ret;
	mutex_lock(&ibf_config);
	if (ibf_is_plugged(cable))
		ret = -EBUSY;
	else
		*to = end;
	mutex_unlock(&ibf_config);
	return ret ?: count;
}

static ssize_t ibf_cable_a_show(struct config_item *item, char *page)
{
	return ibf_show_end(&ibf_cable_of(item)->ends[0], page);
}

static ssize_t ibf_cable_a_store(struct config_item *item, const char *page,
				 size_t count)
{
	struct ibf_cable *cable = ibf_cable_of(item);

	return ibf_store_end(cable, &cable->ends[0], page, count);
}

static ssize_t ibf_cable_b_show(struct config_item *item, char *page)
{
	return ibf_show_end(&ibf_cable_of(item)->ends[1], page);
}

static ssize_t ibf_cable_b_store(struct config_item *item, const char *page,
				 size_t count)
{
	struct ibf_cable *cable = ibf_cable_of(item);

	return ibf_store_end(cable, &cable->ends[1], page, count);
}

/* By number: the bit of the width, what best_speed() counts. */
static const char *const widths[] = { "1x", "4x", "8x", "12x" };
static const char *const speeds[] = { "SDR", "DDR", "QDR", "FDR", "EDR", "HDR" };

static int ibf_set_byte(struct ibf_cable *cable, u8 *to, u8 value)
{
	int ret = 0;

	mutex_lock(&ibf_config);
	if (ibf_is_plugged(cable))
		ret = -EBUSY;
	else
		*to = value;
	mutex_unlock(&ibf_config);
	return ret;
}

static ssize_t ibf_cable_width_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%s\n",
			  widths[fls(ibf_cable_of(item)->width) - 1]);
}

static ssize_t ibf_cable_width_store(struct config_item *item,
				     const char *page, size_t count)
{
	struct ibf_cable *cable = ibf_cable_of(item);
	int i = sysfs_match_string(widths, page);

	if (i < 0)
		return i;
	return ibf_set_byte(cable, &cable->width, BIT(i)) ?: count;
}

static ssize_t ibf_cable_speed_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%s\n", speeds[ibf_cable_of(item)->speed]);
}

static ssize_t ibf_cable_speed_store(struct config_item *item,
				     const char *page, size_t count)
{
	struct ibf_cable *cable = ibf_cable_of(item);
	int i = sysfs_match_string(speeds, page);

	if (i < 0)
		return i;
	return ibf_set_byte(cable, &cable->speed, i) ?: count;
}

static int ibf_config_cable_plug(struct config_item *item)
{
	struct ibf_cable *cable = ibf_cable_of(item);
	const struct ibf_end *ends = cable->ends;
	struct ibf_port *a = ibf_find_port(ends[0].name, ends[0].num);
	struct ibf_port *b = ibf_find_port(ends[1].name, ends[1].num);
	int ret;

	if (ibf_is_plugged(cable))
		return -EBUSY;
	if (!a || !b)
		return -ENODEV;
	spin_lock_bh(&ibf_lock);
	ret = ibf_plug(cable, a, b);
	spin_unlock_bh(&ibf_lock);
	return ret;
}

static void ibf_config_cable_unplug(struct config_item *item)
{
	spin_lock_bh(&ibf_lock);
	ibf_unplug(ibf_cable_of(item));
	spin_unlock_bh(&ibf_lock);
}

static ssize_t ibf_cable_plugged_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%d\n", ibf_is_plugged(ibf_cable_of(item)));
}

static ssize_t ibf_cable_plugged_store(struct config_item *item,
				       const char *page, size_t count)
{
	return ibf_store_plugged(item, page, count, ibf_config_cable_plug,
				 ibf_config_cable_unplug);
}

/* ---- what it does to packets --------------------------------------------------------- */

/* To one of cable->fault, or to the seed. */
static ssize_t ibf_store_fault(struct ibf_cable *cable, u32 *to, u32 most,
			       const char *page, size_t count)
{
	u32 value;
	int ret;

	ret = kstrtou32(page, 0, &value);
	if (ret)
		return ret;
	if (value > most)
		return -EINVAL;
	mutex_lock(&ibf_config);
	*to = value;
	spin_lock_bh(&ibf_lock);
	ibf_cable_ask(cable, to == &cable->seed);
	spin_unlock_bh(&ibf_lock);
	mutex_unlock(&ibf_config);
	return count;
}

/* An attribute of a number, 0 to @most. */
#define IBF_CABLE_FAULT(name, member, most)					\
static ssize_t ibf_cable_##name##_show(struct config_item *item, char *page)	\
{										\
	return sysfs_emit(page, "%u\n", ibf_cable_of(item)->member);		\
}										\
static ssize_t ibf_cable_##name##_store(struct config_item *item,		\
					const char *page, size_t count)		\
{										\
	struct ibf_cable *cable = ibf_cable_of(item);				\
										\
	return ibf_store_fault(cable, &cable->member, most, page, count);	\
}										\
CONFIGFS_ATTR(ibf_cable_, name)

IBF_CABLE_FAULT(errors, fault.errors, IBF_FAULT_SURE);
IBF_CABLE_FAULT(losses, fault.losses, IBF_FAULT_SURE);
IBF_CABLE_FAULT(delay, fault.delay, USEC_PER_SEC);
IBF_CABLE_FAULT(limit, fault.limit, 1);
IBF_CABLE_FAULT(seed, seed, U32_MAX);

CONFIGFS_ATTR(ibf_cable_, a);
CONFIGFS_ATTR(ibf_cable_, b);
CONFIGFS_ATTR(ibf_cable_, width);
CONFIGFS_ATTR(ibf_cable_, speed);
CONFIGFS_ATTR(ibf_cable_, plugged);

static struct configfs_attribute *ibf_cable_attrs[] = {
	&ibf_cable_attr_a,
	&ibf_cable_attr_b,
	&ibf_cable_attr_width,
	&ibf_cable_attr_speed,
	&ibf_cable_attr_plugged,
	&ibf_cable_attr_errors,
	&ibf_cable_attr_losses,
	&ibf_cable_attr_delay,
	&ibf_cable_attr_limit,
	&ibf_cable_attr_seed,
	NULL
};

static void ibf_cable_release(struct config_item *item)
{
	kfree(ibf_cable_of(item));
}

static struct configfs_item_operations ibf_cable_item_ops = {
	.release = ibf_cable_release,
};

static const struct config_item_type ibf_cable_type = {
	.ct_item_ops = &ibf_cable_item_ops,
	.ct_attrs = ibf_cable_attrs,
	.ct_owner = THIS_MODULE,
};

static struct config_item *ibf_make_cable(struct config_group *group,
					  const char *name)
{
	struct ibf_cable *cable = kzalloc(sizeof(*cable), GFP_KERNEL);

	if (!cable)
		return ERR_PTR(-ENOMEM);
	cable->width = IBF_WIDTH_4X;
	cable->speed = 4;
	config_item_init_type_name(&cable->item, name, &ibf_cable_type);
	return &cable->item;
}

static void ibf_drop_cable(struct config_group *group, struct config_item *item)
{
	mutex_lock(&ibf_config);
	ibf_config_cable_unplug(item);
	mutex_unlock(&ibf_config);
	config_item_put(item);
}

static struct configfs_group_operations ibf_cables_ops = {
	.make_item = ibf_make_cable,
	.drop_item = ibf_drop_cable,
};

const struct config_item_type ibf_cables_type = {
	.ct_group_ops = &ibf_cables_ops,
	.ct_owner = THIS_MODULE,
};
