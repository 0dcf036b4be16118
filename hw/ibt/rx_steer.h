/* SPDX-License-Identifier: GPL-2.0 */
/* Which processor receives. */
#ifndef IBT_RX_STEER_H
#define IBT_RX_STEER_H

#include "../soft/policy.h"
#include "dev.h"

int ibt_rx_steer_init(struct ibt_dev *dev);
void ibt_rx_steer_exit(struct ibt_dev *dev);

/* Is a message of so many bytes worth a trip to another processor, if there is one? */
static inline bool ibt_rx_steer_worthwhile(const struct ibt_dev *dev, u32 bytes)
{
	return dev->num_lanes && bytes >= IBT_LANES_LEAST;
}

#endif /* IBT_RX_STEER_H */
