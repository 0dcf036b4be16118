/* SPDX-License-Identifier: GPL-2.0 */
/* Checksums that the kernel has twice. */
#ifndef OFED_SOFT_CRC_H
#define OFED_SOFT_CRC_H

#include <linux/types.h>

struct crypto_shash;

/**
 * struct soft_crc - a checksum that the kernel has twice
 * @name: in the crypto API
 * @table: by tables
 * @table_name: for people
 * @shash: NULL: @table is faster
 */
struct soft_crc {
	const char *name;
	u32 (*table)(u32 crc, const compat_crc_bytes *at, size_t length);
	const char *table_name;
	struct crypto_shash *shash;
};

/* Fewer bytes are not worth the way through the crypto API. */
#define SOFT_CRC_SHORT	256

static inline bool soft_crc_is_hashed(const struct soft_crc *kind, u32 length)
{
	return kind->shash && length >= SOFT_CRC_SHORT;
}

u32 soft_crc_hashed(const struct soft_crc *kind, u32 crc, const u8 *at,
		    u32 length);
/* Between them checksums of @kind may be computed. */
void soft_crc_choose(struct soft_crc *kind, char *name, size_t size);
void soft_crc_end(struct soft_crc *kind);

#endif /* OFED_SOFT_CRC_H */
