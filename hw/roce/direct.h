/* SPDX-License-Identifier: GPL-2.0 */
/* Two devices at the ends of a veth pair. */
#ifndef ROCE_DIRECT_H
#define ROCE_DIRECT_H

struct net_device;
struct roce_path;

void roce_direct_find(struct roce_path *p, struct net_device *dev);
bool roce_direct_as_found(const struct roce_path *p);

#endif /* ROCE_DIRECT_H */
