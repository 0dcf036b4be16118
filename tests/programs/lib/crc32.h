/* SPDX-License-Identifier: GPL-2.0 */
/* The CRC of Ethernet, bit by bit where no table is made yet. */
#ifndef CRC32_H
#define CRC32_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t crc32_of(const uint8_t *p, size_t length)
{
	static uint32_t table[256];
	uint32_t crc = ~0u;

	for (uint32_t i = 0; !table[255] && i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
	}
	while (length--)
		crc = crc >> 8 ^ table[(crc ^ *p++) & 0xff];
	return ~crc;
}

#endif /* CRC32_H */
