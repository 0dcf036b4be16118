// SPDX-License-Identifier: GPL-2.0
/* CRC32C, by the fastest that this kernel has. */
#include <crypto/hash.h>
#include <linux/err.h>

#include "iwarp.h"

static struct crypto_shash *iw_shash;

/**
 * iw_crc_init - find an implementation
 *
 * Context: process, may sleep. Return: 0, or an errno of the crypto API.
 */
int iw_crc_init(void)
{
	iw_shash = crypto_alloc_shash("crc32c", 0, 0);
	return PTR_ERR_OR_ZERO(iw_shash);
}

/**
 * iw_crc_exit - undo iw_crc_init()
 */
void iw_crc_exit(void)
{
	crypto_free_shash(iw_shash);
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
	SHASH_DESC_ON_STACK(desc, iw_shash);

	desc->tfm = iw_shash;
	*(u32 *)shash_desc_ctx(desc) = crc;
	crypto_shash_update(desc, bytes, length);
	crc = *(u32 *)shash_desc_ctx(desc);
	return crc;
}
