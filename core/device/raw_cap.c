// SPDX-License-Identifier: GPL-2.0
/* The right to build packets by hand: since 7.x the namespace of the device decides. */
#include <linux/capability.h>
#include <linux/nsproxy.h>
#include <net/net_namespace.h>
#include <ofed/raw_cap.h>
#include <rdma/ib_verbs.h>

/**
 * rdma_dev_has_raw_cap - may the current process build packets by hand?
 * @dev: device that is to send them; NULL: none yet, so the namespace of the process counts
 *
 * Context: process.
 *
 * Return: it has CAP_NET_RAW in the user namespace that owns the network namespace.
 */
bool rdma_dev_has_raw_cap(const struct ib_device *dev)
{
	const struct net *net = dev ? read_pnet(&dev->coredev.rdma_net) :
				      current->nsproxy->net_ns;

	return ns_capable(net->user_ns, CAP_NET_RAW);
}
OFED_EXPORT(rdma_dev_has_raw_cap);

bool ofed_has_raw_cap(const struct ib_device *dev)
{
	return rdma_dev_has_raw_cap(dev);
}
EXPORT_SYMBOL_GPL(ofed_has_raw_cap);
