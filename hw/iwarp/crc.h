/* SPDX-License-Identifier: GPL-2.0 */
/* CRC32C of FPDUs. */
#ifndef OFED_IW_CRC_H
#define OFED_IW_CRC_H

#include <linux/types.h>

void iw_crc_choose(char *name, size_t size);
void iw_crc_end(void);
u32 iw_crc(u32 crc, const void *bytes, u32 length);

#if IS_ENABLED(CONFIG_KUNIT)
extern struct soft_crc iw_crc_kind;
#endif

#endif /* OFED_IW_CRC_H */
