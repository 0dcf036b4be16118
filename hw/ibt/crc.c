// SPDX-License-Identifier: GPL-2.0
/* The CRC-32 of packets. */
#include <linux/crc32.h>

#include "../soft/soft.h"
#include "pkt.h"

static struct soft_crc crc32 = {
	.name = "crc32",
	.table = crc32_le,
	.table_name = "crc32_le",
};

/**
 * ibt_crc32 - go on with a CRC-32
 * @crc: of what came before; of nothing: ~0
 * @at: mapped bytes
 * @length: how many
 *
 * Context: any.
 *
 * Return: as crc32_le(), not inverted.
 */
u32 ibt_crc32(u32 crc, const u8 *at, u32 length)
{
	if (!soft_crc_is_hashed(&crc32, length))
		return crc32_le(crc, at, length);
	return soft_crc_hashed(&crc32, crc, at, length);
}

/**
 * ibt_crc_choose - which one is it to be
 * @name: see soft_crc_choose()
 * @size: of @name, in bytes
 *
 * Context: process, may sleep; ibt_crc_end() afterwards.
 */
void ibt_crc_choose(char *name, size_t size)
{
	soft_crc_choose(&crc32, name, size);
}

/**
 * ibt_crc_end - nobody computes any more
 *
 * Context: process, may sleep.
 */
void ibt_crc_end(void)
{
	soft_crc_end(&crc32);
}
