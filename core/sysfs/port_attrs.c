// SPDX-License-Identifier: GPL-2.0
/* ports/N/: the files that show one value of ib_query_port(). */
#include <linux/sysfs.h>

#include "../port/port.h"
#include "port.h"

/* One file: how to print its value. */
struct port_file {
	struct ib_port_attribute attr;
	ssize_t (*print)(const struct ib_port_attr *port, char *buf);
};

static ssize_t port_file_show(struct ib_device *device, u32 port_num,
			      struct ib_port_attribute *attr, char *buf)
{
	struct port_file *file = container_of(attr, struct port_file, attr);
	struct ib_port_attr port;
	int ret = ib_query_port(device, port_num, &port);

	return ret ? ret : file->print(&port, buf);
}

#define PORT_FILE(_name)						\
	static struct port_file file_##_name = {			\
		.attr = __ATTR(_name, 0444, port_file_show, NULL),	\
		.print = sysfs_print_##_name,					\
	}

/* Unnamed values: what the file says instead of a name differs. */
static const char *sysfs_name_of(const char * const *names, unsigned int count,
				 unsigned int value, const char *otherwise)
{
	return value < count && names[value] ? names[value] : otherwise;
}

static ssize_t sysfs_print_state(const struct ib_port_attr *port, char *buf)
{
	static const char * const names[] = {
		[IB_PORT_NOP]		= "NOP",
		[IB_PORT_DOWN]		= "DOWN",
		[IB_PORT_INIT]		= "INIT",
		[IB_PORT_ARMED]		= "ARMED",
		[IB_PORT_ACTIVE]	= "ACTIVE",
		[IB_PORT_ACTIVE_DEFER]	= "ACTIVE_DEFER",
	};

	return sysfs_emit(buf, "%d: %s\n", port->state,
			  sysfs_name_of(names, ARRAY_SIZE(names), port->state,
					"UNKNOWN"));
}
PORT_FILE(state);

static ssize_t sysfs_print_phys_state(const struct ib_port_attr *port, char *buf)
{
	static const char * const names[] = {
		[IB_PORT_PHYS_STATE_SLEEP]		= "Sleep",
		[IB_PORT_PHYS_STATE_POLLING]		= "Polling",
		[IB_PORT_PHYS_STATE_DISABLED]		= "Disabled",
		[IB_PORT_PHYS_STATE_PORT_CONFIGURATION_TRAINING] =
			"PortConfigurationTraining",
		[IB_PORT_PHYS_STATE_LINK_UP]		= "LinkUp",
		[IB_PORT_PHYS_STATE_LINK_ERROR_RECOVERY] = "LinkErrorRecovery",
		[IB_PORT_PHYS_STATE_PHY_TEST]		= "Phy Test",
	};

	return sysfs_emit(buf, "%d: %s\n", port->phys_state,
			  sysfs_name_of(names, ARRAY_SIZE(names), port->phys_state,
					"<unknown>"));
}
PORT_FILE(phys_state);

static ssize_t sysfs_print_lid(const struct ib_port_attr *port, char *buf)
{
	return sysfs_emit(buf, "0x%x\n", port->lid);
}
PORT_FILE(lid);

static ssize_t sysfs_print_lid_mask_count(const struct ib_port_attr *port, char *buf)
{
	return sysfs_emit(buf, "%u\n", port->lmc);
}
PORT_FILE(lid_mask_count);

static ssize_t sysfs_print_sm_lid(const struct ib_port_attr *port, char *buf)
{
	return sysfs_emit(buf, "0x%x\n", port->sm_lid);
}
PORT_FILE(sm_lid);

static ssize_t sysfs_print_sm_sl(const struct ib_port_attr *port, char *buf)
{
	return sysfs_emit(buf, "%u\n", port->sm_sl);
}
PORT_FILE(sm_sl);

static ssize_t sysfs_print_cap_mask(const struct ib_port_attr *port, char *buf)
{
	return sysfs_emit(buf, "0x%08x\n", port->port_cap_flags);
}
PORT_FILE(cap_mask);

static ssize_t sysfs_print_rate(const struct ib_port_attr *port, char *buf)
{
	const char *name;
	int rate = ofed_port_rate(port, &name);

	if (rate < 0)
		return rate;
	return sysfs_emit(buf, "%d%s Gb/sec (%dX %s)\n", rate / 10, rate % 10 ? ".5" : "",
			  ib_width_enum_to_int(port->active_width), name);
}
PORT_FILE(rate);

static ssize_t link_layer_show(struct ib_device *device, u32 port_num,
			       struct ib_port_attribute *attr, char *buf)
{
	const char *name = "Unknown";

	switch (rdma_port_get_link_layer(device, port_num)) {
	case IB_LINK_LAYER_INFINIBAND:
		name = "InfiniBand";
		break;
	case IB_LINK_LAYER_ETHERNET:
		name = "Ethernet";
		break;
	default:
		break;
	}
	return sysfs_emit(buf, "%s\n", name);
}
static IB_PORT_ATTR_RO(link_layer);

static struct attribute *port_attrs[] = {
	&file_cap_mask.attr.attr,
	&file_lid.attr.attr,
	&file_lid_mask_count.attr.attr,
	&ib_port_attr_link_layer.attr,
	&file_phys_state.attr.attr,
	&file_rate.attr.attr,
	&file_sm_lid.attr.attr,
	&file_sm_sl.attr.attr,
	&file_state.attr.attr,
	NULL
};

const struct attribute_group ofed_port_attr_group = {
	.attrs = port_attrs,
};
