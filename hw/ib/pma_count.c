// SPDX-License-Identifier: GPL-2.0
/* The counters of some ports, as management sees them: since they were cleared. */
#include "fabric.h"
#include "node.h"
#include "pma.h"

#define ALL_PORTS	0xff

/**
 * ibf_pma_ports - which ports a PortSelect means
 * @node: that is asked
 * @select: PortSelect
 * @first: the first of them
 * @last: the last
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
 * ibf_pma_select - the same, of the node of a port
 * @in_port: that the query came in by
 * @select: PortSelect
 * @ports: which they are
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
 * ibf_pma_value - what some ports have counted, in all
 * @ports: the ports
 * @count: of what
 *
 * Return: the sum since they were cleared.
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
 * ibf_pma_clear - have some ports count from 0 on
 * @ports: the ports
 * @count: what
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
