// SPDX-License-Identifier: GPL-2.0
/* A port of a device: P_Keys, counters of refused packets, and events. */
#include <linux/export.h>

#include "dev.h"
#include "limits.h"
#include "link.h"
#include "port.h"

/**
 * ibt_dev_port - a port of a device
 * @dev: the device
 * @num: from 1
 *
 * Context: any.
 * Return: the port, NULL if there is none of this number.
 */
struct ibt_port *ibt_dev_port(struct ibt_dev *dev, u32 num)
{
	return num && num <= dev->num_ports ? &dev->ports[num - 1] : NULL;
}
EXPORT_SYMBOL_GPL(ibt_dev_port);

/**
 * ibt_port_dev - device of a port
 * @port: the port
 *
 * Context: any.
 * Return: the device.
 */
struct ibt_dev *ibt_port_dev(const struct ibt_port *port)
{
	return port->dev;
}
EXPORT_SYMBOL_GPL(ibt_port_dev);

/**
 * ibt_port_num - number of a port
 * @port: the port
 *
 * Context: any.
 * Return: the number, from 1.
 */
u32 ibt_port_num(const struct ibt_port *port)
{
	return port->num;
}
EXPORT_SYMBOL_GPL(ibt_port_num);

/**
 * ibt_port_set_pkeys - set the size of the P_Key table of a port
 * @port: of a device that is not registered
 * @num: number of entries, at most IBT_MAX_PKEYS; all but the first are invalid
 *
 * Context: process.
 */
void ibt_port_set_pkeys(struct ibt_port *port, u16 num)
{
	port->num_pkeys = min_t(u16, num, IBT_MAX_PKEYS);
}
EXPORT_SYMBOL_GPL(ibt_port_set_pkeys);

/**
 * ibt_port_set_pkey - change an entry of the P_Key table of a port
 * @port: the port
 * @index: of the entry, inside the table
 * @pkey: new P_Key; 0: invalid
 *
 * Context: any. The caller raises IB_EVENT_PKEY_CHANGE.
 */
void ibt_port_set_pkey(struct ibt_port *port, u16 index, u16 pkey)
{
	if (!WARN_ON_ONCE(index >= port->num_pkeys))
		WRITE_ONCE(port->pkeys[index], pkey);
}
EXPORT_SYMBOL_GPL(ibt_port_set_pkey);

/**
 * ibt_port_refused - counter of packets that were refused for a key
 * @port: the port
 * @qkeys: true: for a Q_Key; false: for a P_Key
 *
 * Context: any.
 * Return: the counter. The caller may set it.
 */
atomic_t *ibt_port_refused(struct ibt_port *port, bool qkeys)
{
	return qkeys ? &port->bad_qkeys : &port->bad_pkeys;
}
EXPORT_SYMBOL_GPL(ibt_port_refused);

/**
 * ibt_port_event - report a change of a port
 * @port: the port
 * @event: event that the consumers receive
 *
 * Context: any.
 */
void ibt_port_event(struct ibt_port *port, enum ib_event_type event)
{
	struct ib_event what = {
		.device = &port->dev->soft.ib,
		.element.port_num = port->num,
		.event = event,
	};

	/* The change is visible before the new generation. */
	smp_mb__before_atomic();
	atomic_inc(&port->generation);
	if (event == IB_EVENT_PORT_ERR)
		atomic_inc(&port->downs);
	ib_dispatch_event(&what);
}
EXPORT_SYMBOL_GPL(ibt_port_event);
