// SPDX-License-Identifier: GPL-2.0
/* The CRC-32 of packets. */
#include <linux/crc32.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "../soft/crc.h"
#include "../soft/trial.h"
#include "crc.h"

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

/*
 * Bytes of one packet between looks at the others: a few steps through the tables. A
 * processor has as many under way as it keeps instructions for, some hundred.
 */
#define SLICE	32

static bool sliced __read_mostly;

/**
 * ibt_crc32_beside - go on with the CRCs of several packets
 * @crc: of what came before, one for each
 * @at: mapped bytes, of each
 * @n: packets
 * @length: how many bytes of each
 *
 * A step through the tables waits for the one before it, but not for those of other
 * packets: where a processor does several things at a time they are taken in turns.
 *
 * Context: any.
 */
void ibt_crc32_beside(u32 *crc, const u8 *const *at, u32 n, u32 length)
{
	u32 slice = sliced ? SLICE : length;
	u32 done, bytes, i;

	for (done = 0; done < length; done += bytes) {
		bytes = min(slice, length - done);
		for (i = 0; i < n; i++)
			crc[i] = ibt_crc32(crc[i], at[i] + done, bytes);
	}
}

/**
 * ibt_crc32_most - how many packets are faster together than one after the other
 *
 * Context: any. Return: 1: it makes no difference, or a bad one.
 */
u32 ibt_crc32_most(void)
{
	return sliced ? IBT_ICRCS : 1;
}

static void try(const u8 *at)
{
	const u8 *packets[IBT_ICRCS] = { at, at, at, at };
	u32 crc[IBT_ICRCS] = {};

	ibt_crc32_beside(crc, packets, IBT_ICRCS, SOFT_TRIAL);
	/* Nobody may leave out what is never looked at. */
	barrier_data(crc);
}

static void try_whole(void *at)
{
	sliced = false;
	try(at);
}

static void try_slices(void *at)
{
	sliced = true;
	try(at);
}

static bool slices_win(void)
{
	u8 *at = kzalloc(SOFT_TRIAL, GFP_KERNEL);
	struct soft_way ways[] = { { try_whole, at }, { try_slices, at } };

	if (!at)
		return false;
	soft_try(ways, ARRAY_SIZE(ways));
	kfree(at);
	return ways[1].least < ways[0].least;
}

/**
 * ibt_crc_choose - which one is it to be
 * @name: "slices": by tables, packets that come together in turns; else see
 *	  soft_crc_choose(). Becomes the name of what was chosen
 * @size: of @name, in bytes
 *
 * Context: process, may sleep; ibt_crc_end() afterwards.
 */
void ibt_crc_choose(char *name, size_t size)
{
	bool asked = !strcmp(name, "slices");
	bool open = !asked && strcmp(name, "table") && strcmp(name, "crypto");

	if (asked)
		strscpy(name, "table", size);
	sliced = false;
	soft_crc_choose(&crc32, name, size);
	sliced = asked || (open && slices_win());
	if (sliced)
		strscpy(name, "slices", size);
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
