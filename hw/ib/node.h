/* SPDX-License-Identifier: GPL-2.0 */
/* An HCA or a switch. */
#ifndef IBF_NODE_H
#define IBF_NODE_H

#include <linux/configfs.h>
#include <linux/hrtimer.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "port.h"

/**
 * struct ibf_switch - what a switch has beside its ports; all under ibf_lock, packets
 *		       read single words
 * @info: SwitchInfo
 * @lft: port of each LID
 * @mft: ports of each group: bits, 16 in a word
 */
struct ibf_switch {
	struct ibf_switch_info info;
	u8 lft[IBF_LFT_ENTRIES];
	u16 mft[IBF_MFT_ENTRIES][IBF_MFT_POSITIONS];
};

#define IBF_SAMPLES	15

/**
 * struct ibf_sample - what ports count between two points in time, pma_sample.c;
 *		       all under ibf_lock
 * @timer: the next of the two
 * @status: IBF_SAMPLES_*
 * @port_select: as asked
 * @first: port, @last: to that
 * @last: see there
 * @start: ticks
 * @interval: ticks
 * @tag: of who has asked
 * @select: what is counted, 0: nothing
 * @value: counted at the first point; then the difference
 */
struct ibf_sample {
	struct hrtimer timer;
	u8 status;
	u8 port_select;
	u8 first;
	u8 last;
	u32 start;
	u32 interval;
	__be16 tag;
	u16 select[IBF_SAMPLES];
	u64 value[IBF_SAMPLES];
};

/**
 * struct ibf_node - an HCA or a switch
 * @group: in configfs
 * @entry: list of nodes
 * @name: of configfs, and of the ib_device
 * @is_switch: else it is an HCA
 * @num_ports: without port 0
 * @guid: of the node
 * @sys_guid: of the system
 * @desc: NodeDescription of a switch
 * @live: it is powered; of an HCA: there is a device (ibf_lock)
 * @dev: (HCA) the engine's device
 * @ib: (HCA) the core's, referenced from power on to power off
 * @parent: (HCA) of the core's device: what programs find the network interfaces by that
 *	    belong to it (DEVICE/device/net in sysfs), which have the same
 * @sw: (switch) tables
 * @trap_tid: number of its latest trap (ibf_lock)
 * @trap_work: repeats traps
 * @sample: see there
 * @debugfs: folder
 * @ports: from 0 on
 */
struct ibf_node {
	struct config_group group;
	struct list_head entry;
	char name[IBF_NAME_BYTES];
	bool is_switch;
	u8 num_ports;
	__be64 guid;
	__be64 sys_guid;
	char desc[IB_DEVICE_NODE_DESC_MAX];
	bool live;
	struct ibt_dev *dev;
	struct ib_device *ib;
	struct platform_device *parent;
	struct ibf_switch *sw;
	u64 trap_tid;
	struct delayed_work trap_work;
	struct ibf_sample sample;
	struct dentry *debugfs;
	struct ibf_port *ports;
};

/* The port that has the LIDs, and the keys, of a node: of @port, or of its switch. */
static inline struct ibf_port *ibf_end_port(struct ibf_port *port)
{
	return port->node->is_switch ? &port->node->ports[0] : port;
}

struct ibf_node *ibf_node_new(const char *name, bool is_switch);
int ibf_node_resize(struct ibf_node *node, u8 num_ports);
void ibf_node_free(struct ibf_node *node);
void ibf_node_reset(struct ibf_node *node);
int ibf_node_power(struct ibf_node *node, bool on);

#endif /* IBF_NODE_H */
