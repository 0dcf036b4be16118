/* SPDX-License-Identifier: GPL-2.0 */
/* Bytes that tests of the wire compare. */
#ifndef KUNIT_WIRE_BYTES_H
#define KUNIT_WIRE_BYTES_H

#include <kunit/test.h>

#define GID_A { 0x20, 0x01, 0x0d, 0xb8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }
#define GID_B { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 2, 0xc9, 3, 0, 0x1a, 0xbc, 0xd1 }

/* KUNIT_EXPECT_MEMEQ of newer kernels, with the first difference. */
static inline void expect_bytes(struct kunit *test, const void *got, const void *want,
				size_t len)
{
	const u8 *a = got, *b = want;
	size_t ix;

	for (ix = 0; ix < len; ix++)
		if (a[ix] != b[ix]) {
			KUNIT_FAIL(test, "byte %zu: %02x, not %02x", ix, a[ix],
				   b[ix]);
			return;
		}
}

#endif /* KUNIT_WIRE_BYTES_H */
