// SPDX-License-Identifier: GPL-2.0
/* Counters of selected ports, relative to their last clear. */
#include "fabric.h"
#include "node.h"
#include "pma.h"

#define ALL_PORTS	0xff

/**
 * ibf_pma_ports - translate a PortSelect into a range of ports
 * @node: node of the ports
 * @select: PortSelect
 * @first: out: first port
 * @last: out: last port
 *
 * Return: false: there is no such port.
 */
bool ibf_pma_ports(const struct ibf_node *node, u8 select, u8 *first, u8 *last)
{
	*first = select == ALL_PORTS ? 1 : select;
	*last = select == ALL_PORTS ? node->num_ports : select;
	if (!select && !node->is_switch)
		return false;
	return *last <= node->num_ports;
}

/**
 * ibf_pma_select - translate a PortSelect at the node of a port
 * @in_port: port that received the query
 * @select: PortSelect
 * @ports: out: the ports
 *
 * Return: false: there is no such port.
 */
bool ibf_pma_select(struct ibf_port *in_port, u8 select,
		    struct ibf_selection *ports)
{
	ports->node = in_port->node;
	return ibf_pma_ports(ports->node, select, &ports->first, &ports->last);
}

/**
 * ibf_pma_value - sum of a counter over some ports
 * @ports: the ports
 * @count: the counter
 *
 * Return: the sum since the counter was cleared.
 */
u64 ibf_pma_value(const struct ibf_selection *ports, enum ibf_count count)
{
	u64 sum = 0;
	u32 num;

	lockdep_assert_held(&ibf_lock);
	for (num = ports->first; num <= ports->last; num++) {
		struct ibf_port *port = &ports->node->ports[num];

		sum += atomic64_read(&port->count[count]) - port->base[count];
	}
	return sum;
}

/**
 * ibf_pma_clear - clear a counter of some ports
 * @ports: the ports
 * @count: the counter
 */
void ibf_pma_clear(const struct ibf_selection *ports, enum ibf_count count)
{
	u32 num;

	lockdep_assert_held(&ibf_lock);
	for (num = ports->first; num <= ports->last; num++) {
		struct ibf_port *port = &ports->node->ports[num];

		port->base[count] = atomic64_read(&port->count[count]);
	}
}
