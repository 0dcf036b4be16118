/* SPDX-License-Identifier: GPL-2.0 */
/* The CRC-32 that is fastest here. */
#ifndef IBT_CRC_H
#define IBT_CRC_H

#include <linux/types.h>

/* The CRC-32 that is fastest here; what crc32_le() says. */
u32 ibt_crc32(u32 crc, const u8 *at, u32 length);
/* The same for @n packets, up to IBT_ICRCS of which are faster together: say so many
 * as ibt_crc32_most() tells.
 */
#define IBT_ICRCS	4
void ibt_crc32_interleaved(u32 *crc, const u8 *const *at, u32 n, u32 length);
u32 ibt_crc32_most(void);

/* Between them ibt_crc32() may be called. */
void ibt_crc_choose(char *name, size_t size);
void ibt_crc_end(void);

#if IS_ENABLED(CONFIG_KUNIT)
extern struct soft_crc ibt_crc_kind;
#endif

#endif /* IBT_CRC_H */
