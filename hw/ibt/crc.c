// SPDX-License-Identifier: GPL-2.0
/*
 * The CRC-32 of the kernel, which is most of what a long packet costs on a wire.
 * The kernel has it twice: with tables, crc32_le(), and in its crypto API with what
 * the processor has for it (PCLMULQDQ of x86). Which one is faster is a matter of
 * the processor, and of what emulates it: it is measured once.
 */
#include <crypto/hash.h>
#include <linux/crc32.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "pkt.h"

#define SHORT	256	/* bytes: not worth the way through the crypto API */
#define TRIAL	4096	/* bytes of a measurement, a packet's */
#define TRIALS	16

static struct crypto_shash *shash;	/* NULL: crc32_le() */

static u32 crc_by(struct crypto_shash *hash, u32 crc, const u8 *at, u32 length)
{
	SHASH_DESC_ON_STACK(desc, hash);
	u32 *state = shash_desc_ctx(desc);

	desc->tfm = hash;
	*state = crc;
	/* Of bytes that are mapped it does not fail. */
	crypto_shash_update(desc, at, length);
	return *state;
}

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
	if (!shash || length < SHORT)
		return crc32_le(crc, at, length);
	return crc_by(shash, crc, at, length);
}

/* The least time, in ns: what else the processor does is not asked for. */
static u64 time_of(struct crypto_shash *hash, const u8 *at)
{
	u64 start, least = U64_MAX;
	u32 i, crc = ~0;

	for (i = 0; i < TRIALS; i++) {
		start = ktime_get_ns();
		crc = hash ? crc_by(hash, crc, at, TRIAL) :
			     crc32_le(crc, at, TRIAL);
		least = min(least, ktime_get_ns() - start);
	}
	/* Nobody may leave out what is never looked at. */
	OPTIMIZER_HIDE_VAR(crc);
	return least;
}

/* Its state is what we take it for, and it goes on from any. */
static bool is_crc32(struct crypto_shash *hash, const u8 *at)
{
	return crypto_shash_descsize(hash) == sizeof(u32) &&
	       crc_by(hash, 1, at, TRIAL) == crc32_le(1, at, TRIAL);
}

/**
 * ibt_crc_choose - which one is it to be
 * @name: "table" or "crypto"; anything else: the faster one. Becomes the name of
 *	  what was chosen: crc32_le, or a driver of the crypto API
 * @size: of @name, in bytes
 *
 * Context: process, may sleep; ibt_crc_end() afterwards.
 */
void ibt_crc_choose(char *name, size_t size)
{
	struct crypto_shash *hash = NULL;
	u8 *at = kzalloc(TRIAL, GFP_KERNEL);

	if (at && strcmp(name, "table"))
		hash = crypto_alloc_shash("crc32", 0, 0);
	if (!IS_ERR_OR_NULL(hash)) {
		if (is_crc32(hash, at) &&
		    (!strcmp(name, "crypto") ||
		     time_of(hash, at) < time_of(NULL, at)))
			shash = hash;
		else
			crypto_free_shash(hash);
	}
	kfree(at);
	strscpy(name, shash ? crypto_shash_driver_name(shash) : "crc32_le", size);
}

/**
 * ibt_crc_end - nobody computes any more
 *
 * Context: process, may sleep.
 */
void ibt_crc_end(void)
{
	if (shash)
		crypto_free_shash(shash);
	shash = NULL;
}
