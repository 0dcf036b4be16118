/* SPDX-License-Identifier: GPL-2.0 */
/* DMA handles, where the kernel has them. */
#ifndef OFED_DMAH_H
#define OFED_DMAH_H

struct ib_device;
struct ib_dmah;
struct ib_uobject;
struct uverbs_attr_bundle;

struct ib_dmah *ofed_alloc_dmah(struct ib_device *device, struct ib_uobject *uobject,
				const struct ib_dmah *hints, struct uverbs_attr_bundle *attrs);
int ofed_dealloc_dmah(struct ib_dmah *dmah, struct uverbs_attr_bundle *attrs);

#endif /* OFED_DMAH_H */
