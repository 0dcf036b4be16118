/* SPDX-License-Identifier: GPL-2.0 */
/* What a program says: a line for each thing expected, and how many were not so. */
#ifndef VERDICT_H
#define VERDICT_H

#include <stdio.h>

static int failed;

#define EXPECT(text, got, want)						\
	do {								\
		long long _got = (got), _want = (want);			\
		if (_got == _want) {					\
			printf("ok   %s\n", text);			\
		} else {						\
			printf("FAIL %s: %lld, not %lld\n", text, _got,	\
			       _want);					\
			failed++;					\
		}							\
	} while (0)

/* Return: what the program exits with. */
static inline int verdict(void)
{
	printf("%d failed\n", failed);
	return failed ? 1 : 0;
}

#endif /* VERDICT_H */
