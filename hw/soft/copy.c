// SPDX-License-Identifier: GPL-2.0
/*
 * The copy of payload. The kernel's memcpy() is one instruction on most processors of
 * x86, which what emulates one (QEMU without KVM) does byte by byte. Words are eight
 * times as fast there, and nowhere else: what is faster is measured once.
 */
#include <linux/jump_label.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "internal.h"

#define BLOCK		64	/* bytes of eight words */
#define SHORT		128	/* bytes: not worth the decision */

static DEFINE_STATIC_KEY_FALSE(by_words);

/* Eight bytes anywhere. */
struct word {
	u64 value;
} __packed;

static void copy_block(struct word *to, const struct word *from)
{
	u64 a = from[0].value, b = from[1].value;
	u64 c = from[2].value, d = from[3].value;
	u64 e = from[4].value, f = from[5].value;
	u64 g = from[6].value, h = from[7].value;

	to[0].value = a;
	to[1].value = b;
	to[2].value = c;
	to[3].value = d;
	to[4].value = e;
	to[5].value = f;
	to[6].value = g;
	to[7].value = h;
}

/* As memcpy(), from the first byte to the last. */
static void copy_words(u8 *to, const u8 *from, size_t bytes)
{
	for (; bytes >= BLOCK; bytes -= BLOCK, to += BLOCK, from += BLOCK) {
		copy_block((struct word *)to, (const struct word *)from);
		/* Or the compiler would call memcpy(). */
		barrier();
	}
	memcpy(to, from, bytes);
}

/**
 * soft_copy - copy payload
 * @to: mapped bytes
 * @from: others, which may change meanwhile
 * @bytes: how many
 *
 * Context: any.
 */
void soft_copy(void *to, const void *from, size_t bytes)
{
	if (static_branch_unlikely(&by_words) && bytes >= SHORT)
		copy_words(to, from, bytes);
	else
		memcpy(to, from, bytes);
}

struct trial {
	u8 *to;
	const u8 *from;
};

static void try_words(void *of)
{
	const struct trial *t = of;

	copy_words(t->to, t->from, SOFT_TRIAL);
}

static void try_memcpy(void *of)
{
	const struct trial *t = of;
	size_t bytes = SOFT_TRIAL;

	/* Or it would be another memcpy(), inline. */
	OPTIMIZER_HIDE_VAR(bytes);
	memcpy(t->to, t->from, bytes);
}

/* Not for a few per cent: memcpy() is the better neighbour in a cache. */
static bool words_win(void)
{
	u8 *at = kzalloc(2 * SOFT_TRIAL, GFP_KERNEL);
	struct trial trial = { .to = at, .from = at + SOFT_TRIAL };
	struct soft_way ways[] = {
		{ try_words, &trial }, { try_memcpy, &trial },
	};

	if (!at)
		return false;
	soft_try(ways, ARRAY_SIZE(ways));
	kfree(at);
	return ways[0].least * 2 < ways[1].least;
}

/**
 * soft_copy_choose - how is payload to be copied
 * @name: "memcpy" or "words"; anything else: the faster one. Becomes what was chosen
 * @size: of @name, in bytes
 *
 * Context: process, may sleep; nothing is copied yet.
 */
void soft_copy_choose(char *name, size_t size)
{
	bool words = !strcmp(name, "words");

	if (!words && strcmp(name, "memcpy"))
		words = words_win();
	if (words)
		static_branch_enable(&by_words);
	else
		static_branch_disable(&by_words);
	strscpy(name, words ? "words" : "memcpy", size);
}
