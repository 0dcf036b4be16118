// SPDX-License-Identifier: GPL-2.0
/* Devices without DMA: their addresses are those of the kernel. */
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

/**
 * ib_dma_virt_map_sg - "DMA map" a scatter list for a device without DMA
 * @dev: device
 * @sg: elements; none of them in high memory
 * @nents: number of elements
 *
 * The address for the device is the kernel's own. Context: any.
 * Return: @nents.
 */
int ib_dma_virt_map_sg(struct ib_device *dev, struct scatterlist *sg, int nents)
{
	struct scatterlist *one;
	int left;

	for (one = sg, left = nents; left; one = sg_next(one), left--) {
		sg_dma_len(one) = one->length;
		sg_dma_address(one) = (uintptr_t)sg_virt(one);
	}
	return nents;
}
OFED_EXPORT(ib_dma_virt_map_sg);
