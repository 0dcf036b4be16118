// SPDX-License-Identifier: GPL-2.0
/* The CRC-32 of packets. */
#include <kunit/visibility.h>
#include <linux/crc32.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "../soft/crc.h"
#include "../soft/trial.h"
#include "crc.h"

VISIBLE_IF_KUNIT struct soft_crc ibt_crc_kind = {
	.name = "crc32",
	.table = crc32_le,
	.table_name = "crc32_le",
};

/**
 * ibt_crc32 - continue a CRC-32
 * @crc: state after the preceding bytes; ~0 at the start
 * @at: mapped bytes
 * @length: number of bytes
 *
 * Context: any.
 *
 * Return: the state, as of crc32_le(), not inverted.
 */
u32 ibt_crc32(u32 crc, const u8 *at, u32 length)
{
	if (!soft_crc_is_hashed(&ibt_crc_kind, length))
		return crc32_le(crc, at, length);
	return soft_crc_hashed(&ibt_crc_kind, crc, at, length);
}

/*
 * Bytes of one packet that are processed before those of the next packet: a few steps
 * through the tables. The steps of different packets overlap only if they fit into the
 * processor's window of some hundred instructions.
 */
#define SLICE	32

static bool sliced __read_mostly;

/**
 * ibt_crc32_interleaved - continue the CRCs of several packets
 * @crc: state of each packet
 * @at: mapped bytes of each packet
 * @n: number of packets
 * @length: number of bytes of each packet
 *
 * A step through the tables depends on the preceding step of the same packet alone. So
 * a superscalar processor is faster when the packets are processed in turns.
 *
 * Context: any.
 */
void ibt_crc32_interleaved(u32 *crc, const u8 *const *at, u32 n, u32 length)
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
 * ibt_crc32_most - number of packets that are fastest when processed together
 *
 * Context: any.
 * Return: the number; 1: processing them together is not faster.
 */
u32 ibt_crc32_most(void)
{
	return sliced ? IBT_ICRCS : 1;
}

static void ibt_crc_try(const u8 *at)
{
	const u8 *packets[IBT_ICRCS] = { at, at, at, at };
	u32 crc[IBT_ICRCS] = {};

	ibt_crc32_interleaved(crc, packets, IBT_ICRCS, SOFT_BENCH_BYTES);
	/* The compiler must not drop results that are not used. */
	barrier_data(crc);
}

static void ibt_try_whole(void *at)
{
	sliced = false;
	ibt_crc_try(at);
}

static void ibt_try_slices(void *at)
{
	sliced = true;
	ibt_crc_try(at);
}

static bool ibt_slices_win(void)
{
	u8 *at = kzalloc(SOFT_BENCH_BYTES, GFP_KERNEL);
	struct soft_bench_fn ways[] = { { ibt_try_whole, at }, { ibt_try_slices, at } };

	if (!at)
		return false;
	soft_bench(ways, ARRAY_SIZE(ways));
	kfree(at);
	return ways[1].least < ways[0].least;
}

/**
 * ibt_crc_choose - choose the implementation of the CRC
 * @name: in: "slices": tables, several packets in turns; other names as of
 *	  soft_crc_choose(). Out: name of the implementation that is used
 * @size: of @name, in bytes
 *
 * The caller must call ibt_crc_end() in the end.
 *
 * Context: process, may sleep.
 */
void ibt_crc_choose(char *name, size_t size)
{
	bool asked = !strcmp(name, "slices");
	bool open = !asked && strcmp(name, "table") && strcmp(name, "crypto");

	if (asked)
		strscpy(name, "table", size);
	sliced = false;
	soft_crc_choose(&ibt_crc_kind, name, size);
	sliced = asked || (open && ibt_slices_win());
	if (sliced)
		strscpy(name, "slices", size);
}

/**
 * ibt_crc_end - release the implementation of the CRC
 *
 * The caller makes sure that ibt_crc32() is not called any more.
 *
 * Context: process, may sleep.
 */
void ibt_crc_end(void)
{
	soft_crc_end(&ibt_crc_kind);
}
