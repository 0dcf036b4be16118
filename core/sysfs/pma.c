// SPDX-License-Identifier: GPL-2.0
/*
 * ports/N/counters: the PortCounters and PortCountersExtended attributes of the
 * port's performance management agent (IBA vol. 1, 16.1.3.5 and 16.1.4.11),
 * asked for by a MAD that goes straight to the driver.
 */
#include <linux/slab.h>
#include <linux/sysfs.h>
#include <rdma/ib_pma.h>

#include "port.h"

/* What agents have: 32-bit traffic counters, 64-bit ones, and those per cast. */
#define PMA_32		BIT(0)
#define PMA_64		BIT(1)
#define PMA_64_CASTS	BIT(2)
#define PMA_ANY		(PMA_32 | PMA_64 | PMA_64_CASTS)

/* One counter: which agents have it, in which attribute, and where in that. */
struct pma_file {
	struct ib_port_attribute attr;
	__be16 attr_id;
	u8 offset;
	u8 bytes;
	u8 shift;
	u8 bits;
	u8 agents;
};

/*
 * Ask for a port's PMA attribute @attr_id and copy @len bytes of it, from
 * @offset, to @out. Return: 0, -ENOMEM, or -EINVAL when the agent does not
 * answer.
 */
static int sysfs_pma_get(struct ib_device *device, u32 port_num, __be16 attr_id,
			 size_t offset, void *out, size_t len)
{
	const int answered = IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
	struct {
		struct ib_mad question, answer;
	} *mads;
	size_t size = sizeof(mads->answer);
	struct ib_pma_mad *pma;
	u16 pkey_index = 0;
	int ret;

	mads = kzalloc(sizeof(*mads), GFP_KERNEL);
	if (!mads)
		return -ENOMEM;

	pma = (struct ib_pma_mad *)&mads->question;
	pma->mad_hdr = (struct ib_mad_hdr) {
		.base_version = IB_MGMT_BASE_VERSION,
		.mgmt_class = IB_MGMT_CLASS_PERF_MGMT,
		.class_version = 1,
		.method = IB_MGMT_METHOD_GET,
		.attr_id = attr_id,
	};
	/* PortSelect, in all attributes that have one. */
	if (attr_id != IB_PMA_CLASS_PORT_INFO)
		pma->data[1] = port_num;

	ret = device->ops.process_mad(device, IB_MAD_IGNORE_MKEY, port_num,
				      NULL, NULL, &mads->question,
				      &mads->answer, &size, &pkey_index);
	if ((ret & answered) == answered) {
		pma = (struct ib_pma_mad *)&mads->answer;
		memcpy(out, pma->data + offset, len);
		ret = 0;
	} else {
		ret = -EINVAL;
	}
	kfree(mads);
	return ret;
}

static ssize_t pma_show(struct ib_device *device, u32 port_num,
			struct ib_port_attribute *attr, char *buf)
{
	struct pma_file *file = container_of(attr, struct pma_file, attr);
	__be64 raw = 0;
	u64 value;
	int ret;

	/* Read into the low end of a big-endian 64-bit number. */
	ret = sysfs_pma_get(device, port_num, file->attr_id, file->offset,
			    (u8 *)&raw + sizeof(raw) - file->bytes, file->bytes);
	if (ret)
		return ret;
	value = be64_to_cpu(raw) >> file->shift;
	if (file->bits)
		value &= GENMASK_ULL(file->bits - 1, 0);
	return sysfs_emit(buf, "%llu\n", value);
}

#define PMA_FILE(_agents, _name, _id, _struct, _field, _shift, _bits)	\
	{								\
		.attr = __ATTR(_name, 0444, pma_show, NULL),		\
		.attr_id = _id,						\
		.offset = offsetof(struct _struct, _field),		\
		.bytes = sizeof_field(struct _struct, _field),		\
		.shift = _shift,					\
		.bits = _bits,						\
		.agents = _agents,					\
	}
#define PMA_BASIC(_agents, _name, _field)				\
	PMA_FILE(_agents, _name, IB_PMA_PORT_COUNTERS,			\
		 ib_pma_portcounters, _field, 0, 0)
#define PMA_NIBBLE(_agents, _name, _field, _shift)			\
	PMA_FILE(_agents, _name, IB_PMA_PORT_COUNTERS,			\
		 ib_pma_portcounters, _field, _shift, 4)
#define PMA_EXT(_agents, _name, _field)					\
	PMA_FILE(_agents, _name, IB_PMA_PORT_COUNTERS_EXT,		\
		 ib_pma_portcounters_ext, _field, 0, 0)

static struct pma_file pma_files[] = {
	PMA_BASIC(PMA_ANY, symbol_error, symbol_error_counter),
	PMA_BASIC(PMA_ANY, link_error_recovery, link_error_recovery_counter),
	PMA_BASIC(PMA_ANY, link_downed, link_downed_counter),
	PMA_BASIC(PMA_ANY, port_rcv_errors, port_rcv_errors),
	PMA_BASIC(PMA_ANY, port_rcv_remote_physical_errors,
		  port_rcv_remphys_errors),
	PMA_BASIC(PMA_ANY, port_rcv_switch_relay_errors,
		  port_rcv_switch_relay_errors),
	PMA_BASIC(PMA_ANY, port_xmit_discards, port_xmit_discards),
	PMA_BASIC(PMA_ANY, port_xmit_constraint_errors,
		  port_xmit_constraint_errors),
	PMA_BASIC(PMA_ANY, port_rcv_constraint_errors,
		  port_rcv_constraint_errors),
	PMA_NIBBLE(PMA_ANY, local_link_integrity_errors,
		   link_overrun_errors, 4),
	PMA_NIBBLE(PMA_ANY, excessive_buffer_overrun_errors,
		   link_overrun_errors, 0),
	PMA_BASIC(PMA_ANY, VL15_dropped, vl15_dropped),
	PMA_BASIC(PMA_ANY, port_xmit_wait, port_xmit_wait),

	PMA_BASIC(PMA_32, port_xmit_data, port_xmit_data),
	PMA_BASIC(PMA_32, port_rcv_data, port_rcv_data),
	PMA_BASIC(PMA_32, port_xmit_packets, port_xmit_packets),
	PMA_BASIC(PMA_32, port_rcv_packets, port_rcv_packets),

	PMA_EXT(PMA_64 | PMA_64_CASTS, port_xmit_data, port_xmit_data),
	PMA_EXT(PMA_64 | PMA_64_CASTS, port_rcv_data, port_rcv_data),
	PMA_EXT(PMA_64 | PMA_64_CASTS, port_xmit_packets, port_xmit_packets),
	PMA_EXT(PMA_64 | PMA_64_CASTS, port_rcv_packets, port_rcv_packets),

	PMA_EXT(PMA_64_CASTS, unicast_xmit_packets, port_unicast_xmit_packets),
	PMA_EXT(PMA_64_CASTS, unicast_rcv_packets, port_unicast_rcv_packets),
	PMA_EXT(PMA_64_CASTS, multicast_xmit_packets,
		port_multicast_xmit_packets),
	PMA_EXT(PMA_64_CASTS, multicast_rcv_packets,
		port_multicast_rcv_packets),
};

/* The directory begins empty; which files it gets depends on the agent. */
static struct attribute *pma_no_attrs[] = { NULL };

static const struct attribute_group pma_group = {
	.name = "counters",
	.attrs = pma_no_attrs,
};

static u8 sysfs_pma_agent(struct ib_device *device, u32 port_num)
{
	__be16 caps;

	if (sysfs_pma_get(device, port_num, IB_PMA_CLASS_PORT_INFO,
			  offsetof(struct ib_class_port_info, capability_mask),
			  &caps, sizeof(caps)))
		return PMA_32;
	if (caps & IB_PMA_CLASS_CAP_EXT_WIDTH)
		return PMA_64_CASTS;
	return caps & IB_PMA_CLASS_CAP_EXT_WIDTH_NOIETF ? PMA_64 : PMA_32;
}

/* Context: process, sleeps. The files go with the port's directory. */
int ofed_pma_add(struct ib_port *port)
{
	u8 agent;
	int i, ret;

	if (!port->device->ops.process_mad)
		return 0;
	ret = sysfs_create_group(&port->kobj, &pma_group);
	if (ret)
		return ret;

	agent = sysfs_pma_agent(port->device, port->num);
	for (i = 0; i < ARRAY_SIZE(pma_files); i++) {
		if (!(pma_files[i].agents & agent))
			continue;
		ret = sysfs_add_file_to_group(&port->kobj,
					      &pma_files[i].attr.attr,
					      pma_group.name);
		if (ret)
			return ret;
	}
	return 0;
}
