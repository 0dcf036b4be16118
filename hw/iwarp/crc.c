// SPDX-License-Identifier: GPL-2.0
/* The CRC32C of FPDUs (RFC 5044 4.4). */
#include <kunit/visibility.h>
#include <linux/crc32.h>

#include "../soft/crc.h"
#include "crc.h"

VISIBLE_IF_KUNIT struct soft_crc iw_crc_kind = {
	.name = "crc32c",
	.table = compat_crc32c,
	.table_name = "crc32c_le",
};

/**
 * iw_crc_choose - find the fastest
 * @name: see soft_crc_choose()
 * @size: of @name, in bytes
 *
 * Context: process, may sleep; iw_crc_end() afterwards.
 */
void iw_crc_choose(char *name, size_t size)
{
	soft_crc_choose(&iw_crc_kind, name, size);
}

/**
 * iw_crc_end - undo iw_crc_choose()
 *
 * Context: process, may sleep.
 */
void iw_crc_end(void)
{
	soft_crc_end(&iw_crc_kind);
}

/**
 * iw_crc - go on with a CRC32C
 * @crc: so far, ~0 to begin; the CRC on the wire is the complement
 * @bytes: what comes next
 * @length: of it
 *
 * Context: any. Return: the new value.
 */
u32 iw_crc(u32 crc, const void *bytes, u32 length)
{
	if (!soft_crc_is_hashed(&iw_crc_kind, length))
		return compat_crc32c(crc, bytes, length);
	return soft_crc_hashed(&iw_crc_kind, crc, bytes, length);
}
