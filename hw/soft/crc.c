// SPDX-License-Identifier: GPL-2.0
/*
 * Checksums of the kernel, which are most of what a long packet costs on a wire. The
 * kernel has each of them twice: with tables, and in its crypto API with what the
 * processor has for it (PCLMULQDQ and CRC32 of x86). Which one is faster is a matter of
 * the processor, and of what emulates it: it is measured once.
 */
#include <crypto/hash.h>
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "crc.h"
#include "trial.h"

/**
 * soft_crc_hashed - go on with a checksum by what the crypto API has
 * @kind: for which soft_crc_choose() has found that faster
 * @crc: of what came before
 * @at: mapped bytes
 * @length: how many
 *
 * Context: any.
 *
 * Return: as @kind->table() would say, not inverted.
 */
u32 soft_crc_hashed(const struct soft_crc *kind, u32 crc, const u8 *at,
		    u32 length)
{
	SHASH_DESC_ON_STACK(desc, kind->shash);
	u32 *state = shash_desc_ctx(desc);

	desc->tfm = kind->shash;
	*state = crc;
	/* Of bytes that are mapped it does not fail. */
	crypto_shash_update(desc, at, length);
	return *state;
}
EXPORT_SYMBOL_GPL(soft_crc_hashed);

struct trial {
	const struct soft_crc *kind;
	const u8 *at;
	u32 crc;
};

static void soft_crc_try(void *of)
{
	struct trial *t = of;

	t->crc = t->kind->shash ?
		 soft_crc_hashed(t->kind, t->crc, t->at, SOFT_BENCH_BYTES) :
		 t->kind->table(t->crc, t->at, SOFT_BENCH_BYTES);
}

static bool soft_is_faster(const struct soft_crc *hashed,
			   const struct soft_crc *table, const u8 *at)
{
	struct trial a = { .kind = hashed, .at = at };
	struct trial b = { .kind = table, .at = at };
	struct soft_bench_fn ways[] = { { soft_crc_try, &a }, { soft_crc_try, &b } };

	soft_bench(ways, ARRAY_SIZE(ways));
	return ways[0].least < ways[1].least;
}

/* Does the shash keep a plain CRC as its state, and continue from any value? */
static bool soft_is_same(const struct soft_crc *hashed, const u8 *at)
{
	return crypto_shash_descsize(hashed->shash) == sizeof(u32) &&
	       soft_crc_hashed(hashed, 1, at, SOFT_BENCH_BYTES) ==
	       hashed->table(1, at, SOFT_BENCH_BYTES);
}

/**
 * soft_crc_choose - which one is it to be
 * @kind: filled in but for @kind->shash
 * @name: "table" or "crypto"; anything else: the faster one. Becomes the name of
 *	  what was chosen: @kind->table_name, or a driver of the crypto API
 * @size: of @name, in bytes
 *
 * Context: process, may sleep; soft_crc_end() afterwards.
 */
void soft_crc_choose(struct soft_crc *kind, char *name, size_t size)
{
	struct soft_crc table = *kind, hashed = *kind;
	u8 *at = kzalloc(SOFT_BENCH_BYTES, GFP_KERNEL);

	table.shash = NULL;
	kind->shash = NULL;
	hashed.shash = NULL;
	if (at && strcmp(name, "table"))
		hashed.shash = crypto_alloc_shash(kind->name, 0, 0);
	if (!IS_ERR_OR_NULL(hashed.shash)) {
		if (soft_is_same(&hashed, at) &&
		    (!strcmp(name, "crypto") ||
		     soft_is_faster(&hashed, &table, at)))
			kind->shash = hashed.shash;
		else
			crypto_free_shash(hashed.shash);
	}
	kfree(at);
	strscpy(name, kind->shash ? crypto_shash_driver_name(kind->shash) :
				    kind->table_name, size);
}
EXPORT_SYMBOL_GPL(soft_crc_choose);

/**
 * soft_crc_end - undo soft_crc_choose()
 * @kind: as soft_crc_choose() left it; not in use any more
 *
 * Context: process, may sleep.
 */
void soft_crc_end(struct soft_crc *kind)
{
	if (kind->shash)
		crypto_free_shash(kind->shash);
	kind->shash = NULL;
}
EXPORT_SYMBOL_GPL(soft_crc_end);
