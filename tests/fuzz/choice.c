// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>

#include "choice.h"

static struct record *op;
static uint64_t state;
static uint8_t at;

void choice_begin(struct record *o, uint64_t random)
{
	op = o;
	state = random;
	at = 0;
}

static uint8_t random_byte(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 24;
}

static uint8_t next(void)
{
	uint8_t byte;

	if (at < op->length)
		return op->byte[at++];
	byte = random_byte();
	if (at < OP_BYTES) {
		op->byte[at++] = byte;
		op->length = at;
	}
	return byte;
}

uint32_t choice_word(void)
{
	uint32_t word = next();

	word = word << 8 | next();
	word = word << 8 | next();
	return word << 8 | next();
}

uint32_t choice(uint32_t n)
{
	if (n <= 1)
		return 0;
	if (n <= 256)
		return next() % n;
	if (n <= 65536)
		return (next() << 8 | next()) % n;
	return choice_word() % n;
}

bool choice_chance(uint32_t percent)
{
	return choice(100) < percent;
}

uint64_t choice_odd(void)
{
	static const uint64_t odd[] = {
		0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256, 1023, 1024,
		4095, 4096, 0x7fff, 0x8000, 0xffff, 0x10000, 0xffffff, 0x7fffffff, 0x80000000,
		0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
		0xfffffffffffff000, 0xffffffffffffffff,
	};
	uint32_t n = sizeof(odd) / sizeof(odd[0]), i = choice(n + 6);

	return i < n ? odd[i] : (uint64_t)choice_word() << (i & 3) * 8;
}
