/* SPDX-License-Identifier: GPL-2.0 */
/* The fabric in configfs, and packets of a test by debugfs. */
#ifndef IBF_CONFIG_H
#define IBF_CONFIG_H

#include <linux/configfs.h>

#include "cable.h"

struct ibf_node;

/* config.c */
int ibf_config_init(void);
void ibf_config_exit(void);

/* config_text.c */
ssize_t ibf_show_end(const struct ibf_end *end, char *page);
int ibf_parse_end(const char *page, struct ibf_end *end);
ssize_t ibf_store_plugged(struct config_item *item, const char *page, size_t count,
			  int (*plug)(struct config_item *item),
			  void (*unplug)(struct config_item *item));

/* config_cable.c */
extern const struct config_item_type ibf_cables_type;

/* config_tunnel.c */
extern const struct config_item_type ibf_tunnels_type;
int ibf_tunnels_init(void);
void ibf_tunnels_exit(void);

/* debugfs_inject.c */
void ibf_inject_add(struct ibf_node *node);
void ibf_inject_del(struct ibf_node *node);

#endif /* IBF_CONFIG_H */
