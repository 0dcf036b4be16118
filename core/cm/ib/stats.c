// SPDX-License-Identifier: GPL-2.0
/* Counters of messages: cm_tx_msgs and its like, in ports/N of sysfs. */
#include <rdma/ib_sysfs.h>

#include "core.h"

/* One file: which counter of which attribute. */
struct cm_file {
	struct ib_port_attribute attr;
	u8 counter;
	u8 of;
};

static ssize_t cm_file_show(struct ib_device *device, u32 port_num,
			    struct ib_port_attribute *attr, char *buf)
{
	const struct cm_file *file = container_of(attr, struct cm_file, attr);
	struct cm_port *port = ofed_cm_port_of(device, port_num);

	return sysfs_emit(buf, "%ld\n",
		atomic_long_read(&port->counters[file->counter][file->of]));
}

#define CM_FILE(_counter, _file, _attr)					\
	[CM_ATTR_##_attr] = {						\
		.attr = __ATTR(_file, 0444, cm_file_show, NULL),	\
		.counter = _counter,					\
		.of = CM_ATTR_##_attr,					\
	}

#define CM_DIRECTORY(_dir, _counter)					\
static struct cm_file _dir##_files[CM_ATTRS] = {			\
	CM_FILE(_counter, req, REQ),					\
	CM_FILE(_counter, mra, MRA),					\
	CM_FILE(_counter, rej, REJ),					\
	CM_FILE(_counter, rep, REP),					\
	CM_FILE(_counter, rtu, RTU),					\
	CM_FILE(_counter, dreq, DREQ),					\
	CM_FILE(_counter, drep, DREP),					\
	CM_FILE(_counter, sidr_req, SIDR_REQ),				\
	CM_FILE(_counter, sidr_rep, SIDR_REP),				\
	CM_FILE(_counter, lap, LAP),					\
	CM_FILE(_counter, apr, APR),					\
};									\
static struct attribute *_dir##_attrs[] = {				\
	&_dir##_files[0].attr.attr,					\
	&_dir##_files[1].attr.attr,					\
	&_dir##_files[2].attr.attr,					\
	&_dir##_files[3].attr.attr,					\
	&_dir##_files[4].attr.attr,					\
	&_dir##_files[5].attr.attr,					\
	&_dir##_files[6].attr.attr,					\
	&_dir##_files[7].attr.attr,					\
	&_dir##_files[8].attr.attr,					\
	&_dir##_files[9].attr.attr,					\
	&_dir##_files[10].attr.attr,					\
	NULL								\
};									\
static const struct attribute_group _dir##_group = {			\
	.name = #_dir,							\
	.attrs = _dir##_attrs,						\
}

CM_DIRECTORY(cm_tx_msgs, CM_TX_MESSAGES);
CM_DIRECTORY(cm_tx_retries, CM_TX_RETRIES);
CM_DIRECTORY(cm_rx_msgs, CM_RX_MESSAGES);
CM_DIRECTORY(cm_rx_duplicates, CM_RX_DUPLICATES);

const struct attribute_group *cm_port_groups[] = {
	&cm_tx_msgs_group,
	&cm_tx_retries_group,
	&cm_rx_msgs_group,
	&cm_rx_duplicates_group,
	NULL
};
