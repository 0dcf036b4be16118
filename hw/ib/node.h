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
 * struct ibf_switch - tables of a switch; written under ibf_lock, the packet path reads
 *		       single words without it
 * @info: SwitchInfo
 * @lft: linear forwarding table: port of each LID
 * @mft: multicast forwarding table: port masks of each group, 16 ports in a word
 */
struct ibf_switch {
	struct ibf_switch_info info;
	u8 lft[IBF_LFT_ENTRIES];
	u16 mft[IBF_MFT_ENTRIES][IBF_MFT_POSITIONS];
};

#define IBF_SAMPLES	15

/**
 * struct ibf_sample - the sampling mechanism of a node (pma_sample.c); all members are
 *		       under ibf_lock
 * @timer: fires at the start of the interval, then at its end
 * @status: IBF_SAMPLES_*
 * @port_select: PortSelect of the request
 * @first: first port that is sampled
 * @last: last port that is sampled
 * @start: ticks from the request to the start of the interval
 * @interval: length of the interval in ticks
 * @tag: Tag of the request, returned in the results
 * @select: CounterSelect of each result, 0: none
 * @value: counter values at the start; after the end what was counted in between
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
 * @name: in configfs, and of the ib_device
 * @is_switch: true: a switch; false: an HCA
 * @num_ports: number of ports, without port 0
 * @guid: node GUID
 * @sys_guid: system image GUID
 * @desc: NodeDescription of a switch
 * @opa: (HCA) its ports are of Omni-Path's kind, too: MADs of 2 KiB, and VNICs
 * @live: the node is powered; an HCA has a device (ibf_lock)
 * @dev: (HCA) device of the engine
 * @ib: (HCA) device of the core, referenced from power on to power off
 * @parent: (HCA) parent of @ib and of its network interfaces; programs find the
 *	    interfaces of a device by it (DEVICE/device/net in sysfs)
 * @sw: (switch) tables
 * @trap_tid: transaction ID of the latest trap (ibf_lock)
 * @trap_work: sends and repeats traps
 * @sample: sampling mechanism of the PMA
 * @debugfs: directory of the node
 * @ports: array, from port 0 on
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
	bool opa;
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

/* The port with the LIDs and keys of @port: @port itself, or port 0 of its switch. */
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
