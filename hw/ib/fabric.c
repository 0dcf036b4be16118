// SPDX-License-Identifier: GPL-2.0
/* What there is one of: the locks, the list of nodes. */
#include <kunit/visibility.h>

#include "fabric.h"
#include "node.h"

spinlock_t ibf_lock = __SPIN_LOCK_UNLOCKED(ibf_lock);
EXPORT_SYMBOL_IF_KUNIT(ibf_lock);
struct mutex ibf_config = __MUTEX_INITIALIZER(ibf_config);
EXPORT_SYMBOL_IF_KUNIT(ibf_config);

LIST_HEAD(ibf_nodes);
struct dentry *ibf_debugfs;

/**
 * ibf_find_node - find a node by its name
 * @name: of the node
 *
 * Context: process; ibf_config is held.
 * Return: the node, or NULL.
 */
struct ibf_node *ibf_find_node(const char *name)
{
	struct ibf_node *node;

	lockdep_assert_held(&ibf_config);
	list_for_each_entry(node, &ibf_nodes, entry)
		if (!strcmp(node->name, name))
			return node;
	return NULL;
}

/**
 * ibf_find_port - find a port by the name of its node
 * @name: of the node
 * @num: of the port, not 0
 *
 * Context: process; ibf_config is held.
 * Return: the port, or NULL.
 */
struct ibf_port *ibf_find_port(const char *name, u8 num)
{
	struct ibf_node *node = ibf_find_node(name);

	return node && num && num <= node->num_ports ? &node->ports[num] : NULL;
}
