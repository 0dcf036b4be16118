// SPDX-License-Identifier: GPL-2.0
/*
 * hw_counters/: counters that a driver keeps for the device or for a port, by
 * names of its own. Values are read again when the last reading is older than
 * the file "lifespan" says.
 */
#include <linux/bitmap.h>
#include <linux/device.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <ofed/refuse.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>

#include "counters.h"
#include "../sysfs/sysfs.h"
#include "../sysfs/port.h"

#define LIFESPAN_MAX_MSEC 10000

/* A file below the device is called as @dev, one below a port as @port. */
struct stats_file {
	union {
		struct attribute attr;
		struct device_attribute dev;
		struct ib_port_attribute port;
	};
	struct rdma_hw_stats *stats;
	int index;
};

/**
 * struct hw_stats_device_data - one directory hw_counters
 * @group: the directory
 * @stats: the driver's counters; stats->lock guards values and lifespan
 * @attrs: files in the form that @group wants
 * @lifespan: the file of that name
 * @files: counters that are not optional
 */
struct hw_stats_device_data {
	struct attribute_group group;
	struct rdma_hw_stats *stats;
	struct attribute **attrs;
	struct stats_file lifespan;
	struct stats_file files[];
};

/**
 * rdma_alloc_hw_stats_struct - allocate the counters of a driver
 * @descs: their names; used as long as the result lives
 * @num_counters: how many
 * @lifespan: milliseconds that a reading stays valid
 *
 * Charged to the caller's cgroup: those of a counter are there for the queue pair that it is
 * made for. Context: process, may sleep. Return: the counters, all 0 and enabled, freed
 * by rdma_free_hw_stats_struct() (the core does, for what an alloc_hw_*_stats
 * operation returned), or NULL.
 */
struct rdma_hw_stats *
rdma_alloc_hw_stats_struct(const struct rdma_stat_desc *descs, int num_counters,
			   unsigned long lifespan)
{
	unsigned long *off = bitmap_zalloc(num_counters, GFP_KERNEL_ACCOUNT);
	struct rdma_hw_stats *stats;

	stats = kzalloc(struct_size(stats, value, num_counters), GFP_KERNEL_ACCOUNT);
	if (!off || !stats) {
		bitmap_free(off);
		kfree(stats);
		return NULL;
	}
	mutex_init(&stats->lock);
	stats->is_disabled = off;
	stats->descs = descs;
	stats->num_counters = num_counters;
	stats->lifespan = msecs_to_jiffies(lifespan);
	return stats;
}
OFED_EXPORT(rdma_alloc_hw_stats_struct);

/**
 * rdma_free_hw_stats_struct - free what rdma_alloc_hw_stats_struct() returned
 * @stats: the counters, or NULL
 *
 * Context: any.
 */
void rdma_free_hw_stats_struct(struct rdma_hw_stats *stats)
{
	if (!stats)
		return;
	bitmap_free(stats->is_disabled);
	kfree(stats);
}
OFED_EXPORT(rdma_free_hw_stats_struct);

/*
 * Reads the counter @index again (num_counters: each of them), or all, whichever
 * the driver likes, if the last reading is too old. Port 0 stands for the device
 * as a whole. Return: 0 or an errno of the driver.
 */
int ofed_hw_stats_refresh(struct ib_device *device, struct rdma_hw_stats *stats,
			  u32 port_num, int index)
{
	int ret;

	lockdep_assert_held(&stats->lock);
	if (time_before_eq(jiffies, stats->timestamp + stats->lifespan))
		return 0;
	ret = device->ops.get_hw_stats(device, stats, port_num, index);
	if (ret < 0)
		return ret;
	if (ret == stats->num_counters)
		stats->timestamp = jiffies;
	return 0;
}

static ssize_t hw_stats_print(struct ib_device *device,
			      struct rdma_hw_stats *stats, u32 port_num, int index,
			      char *buf)
{
	ssize_t ret;
	u64 value;

	mutex_lock(&stats->lock);
	ret = ofed_hw_stats_refresh(device, stats, port_num, index);
	if (!ret) {
		value = stats->value[index];
		/* The driver leaves out what QP counters of the port have. */
		if (port_num)
			value += ofed_counter_get_hwstat_value(device, port_num,
							       index);
		ret = sysfs_emit(buf, "%llu\n", value);
	}
	mutex_unlock(&stats->lock);
	return ret;
}

static ssize_t hw_stats_lifespan_print(struct rdma_hw_stats *stats, char *buf)
{
	unsigned int msec;

	mutex_lock(&stats->lock);
	msec = jiffies_to_msecs(stats->lifespan);
	mutex_unlock(&stats->lock);
	return sysfs_emit(buf, "%u\n", msec);
}

static ssize_t hw_stats_lifespan_parse(struct rdma_hw_stats *stats, const char *buf,
				       size_t count)
{
	int ret, msec;

	ret = kstrtoint(buf, 10, &msec);
	if (ret)
		return ret;
	if (msec < 0 || msec > LIFESPAN_MAX_MSEC)
		return ofed_refuse_call(-EINVAL, "ib_core: lifespan: %d ms, at most %d",
					msec, LIFESPAN_MAX_MSEC);

	mutex_lock(&stats->lock);
	stats->lifespan = msecs_to_jiffies(msec);
	mutex_unlock(&stats->lock);
	return count;
}

static ssize_t device_stat_show(struct device *dev,
				struct device_attribute *attr, char *buf)
{
	struct stats_file *file = container_of(attr, struct stats_file, dev);

	return hw_stats_print(rdma_device_to_ibdev(dev), file->stats, 0,
			      file->index, buf);
}

static ssize_t device_lifespan_show(struct device *dev,
				    struct device_attribute *attr, char *buf)
{
	struct stats_file *file = container_of(attr, struct stats_file, dev);

	return hw_stats_lifespan_print(file->stats, buf);
}

static ssize_t device_lifespan_store(struct device *dev,
				     struct device_attribute *attr,
				     const char *buf, size_t count)
{
	struct stats_file *file = container_of(attr, struct stats_file, dev);

	return hw_stats_lifespan_parse(file->stats, buf, count);
}

static ssize_t port_stat_show(struct ib_device *device, u32 port_num,
			      struct ib_port_attribute *attr, char *buf)
{
	struct stats_file *file = container_of(attr, struct stats_file, port);

	return hw_stats_print(device, file->stats, port_num, file->index, buf);
}

static ssize_t port_lifespan_show(struct ib_device *device, u32 port_num,
				  struct ib_port_attribute *attr, char *buf)
{
	struct stats_file *file = container_of(attr, struct stats_file, port);

	return hw_stats_lifespan_print(file->stats, buf);
}

static ssize_t port_lifespan_store(struct ib_device *device, u32 port_num,
				   struct ib_port_attribute *attr,
				   const char *buf, size_t count)
{
	struct stats_file *file = container_of(attr, struct stats_file, port);

	return hw_stats_lifespan_parse(file->stats, buf, count);
}

void ofed_hw_stats_free(struct hw_stats_device_data *data)
{
	if (!data)
		return;
	rdma_free_hw_stats_struct(data->stats);
	kfree(data->attrs);
	kfree(data);
}

/* Fill in the files; the callers set what shows them. Returns their number. */
static int hw_stats_add_files(struct hw_stats_device_data *data)
{
	struct rdma_hw_stats *stats = data->stats;
	struct stats_file *file;
	int i, used = 0;

	for (i = 0; i < stats->num_counters; i++) {
		/* Optional counters are seen over netlink only. */
		if (stats->descs[i].flags & IB_STAT_FLAG_OPTIONAL)
			continue;
		file = &data->files[used];
		sysfs_attr_init(&file->attr);
		file->attr.name = stats->descs[i].name;
		file->attr.mode = 0444;
		file->stats = stats;
		file->index = i;
		data->attrs[used++] = &file->attr;
	}
	sysfs_attr_init(&data->lifespan.attr);
	data->lifespan.attr.name = "lifespan";
	data->lifespan.attr.mode = 0644;
	data->lifespan.stats = stats;
	data->attrs[used] = &data->lifespan.attr;
	return used;
}

/*
 * Takes over @stats, on failure too. The counters are read once, so that the
 * first reader of a file finds a value. Returns an ERR_PTR on failure.
 */
static struct hw_stats_device_data *
hw_stats_take(struct ib_device *device, struct rdma_hw_stats *stats, u32 port_num)
{
	struct hw_stats_device_data *data = NULL;
	int ret = -EINVAL;

	if (!device->ops.get_hw_stats || !stats->descs ||
	    stats->num_counters <= 0)
		goto err_free;
	ret = -ENOMEM;
	data = kzalloc(struct_size(data, files, stats->num_counters),
		       GFP_KERNEL);
	if (!data)
		goto err_free;
	/* Two more: the file lifespan, and the end. */
	data->attrs = kcalloc(stats->num_counters + 2, sizeof(*data->attrs),
			      GFP_KERNEL);
	if (!data->attrs)
		goto err_free;

	ret = device->ops.get_hw_stats(device, stats, port_num,
				       stats->num_counters);
	if (ret != stats->num_counters) {
		ret = ret < 0 ? ret : -EINVAL;
		goto err_free;
	}
	/* "-1" is the driver's way to say that it does not mind. */
	if (stats->lifespan >= MAX_JIFFY_OFFSET)
		stats->lifespan =
			msecs_to_jiffies(RDMA_HW_STATS_DEFAULT_LIFESPAN);
	stats->timestamp = jiffies;
	data->stats = stats;
	data->group.name = "hw_counters";
	data->group.attrs = data->attrs;
	return data;

err_free:
	if (data)
		kfree(data->attrs);
	kfree(data);
	rdma_free_hw_stats_struct(stats);
	return ERR_PTR(ret);
}

/*
 * Before device_add(): puts the directory into device->groups, at the index
 * that was left for it. Context: process, may sleep. Return: 0, also for a
 * driver without counters; -ENOMEM, -EINVAL or an errno of the driver.
 */
int ofed_hw_stats_setup(struct ib_device *device)
{
	struct hw_stats_device_data *data;
	struct rdma_hw_stats *stats;
	int i, used;

	/* Of an earlier registration that did not work out. */
	ofed_hw_stats_release(device);
	device->groups[device->hw_stats_attr_index] = NULL;
	if (!device->ops.alloc_hw_device_stats)
		return 0;
	stats = device->ops.alloc_hw_device_stats(device);
	if (!stats)
		return 0;
	data = hw_stats_take(device, stats, 0);
	if (IS_ERR(data))
		return PTR_ERR(data);

	used = hw_stats_add_files(data);
	for (i = 0; i < used; i++)
		data->files[i].dev.show = device_stat_show;
	data->lifespan.dev.show = device_lifespan_show;
	data->lifespan.dev.store = device_lifespan_store;
	device->hw_stats_data = data;
	device->groups[device->hw_stats_attr_index] = &data->group;
	return 0;
}

/* After the device has left sysfs. */
void ofed_hw_stats_release(struct ib_device *device)
{
	ofed_hw_stats_free(device->hw_stats_data);
	device->hw_stats_data = NULL;
}

/*
 * Context: the caller holds @device, so that the port stays. Return: NULL when
 * the driver has none.
 */
struct rdma_hw_stats *ofed_hw_stats_of_port(struct ib_device *device,
					    u32 port_num)
{
	struct ib_port *port = device->port_data[port_num].sysfs;

	return port && port->stats ? port->stats->stats : NULL;
}

/*
 * The port owns what is allocated here from the start, and frees it with its
 * last reference. Context and return value as of ofed_hw_stats_setup().
 */
int ofed_hw_stats_add_port(struct ib_port *port)
{
	struct ib_device *device = port->device;
	struct hw_stats_device_data *data;
	struct rdma_hw_stats *stats;
	int i, used;

	if (!device->ops.alloc_hw_port_stats)
		return 0;
	stats = device->ops.alloc_hw_port_stats(device, port->num);
	if (!stats)
		return 0;
	data = hw_stats_take(device, stats, port->num);
	if (IS_ERR(data))
		return PTR_ERR(data);

	used = hw_stats_add_files(data);
	for (i = 0; i < used; i++)
		data->files[i].port.show = port_stat_show;
	data->lifespan.port.show = port_lifespan_show;
	data->lifespan.port.store = port_lifespan_store;
	port->stats = data;
	return sysfs_create_group(&port->kobj, &data->group);
}
