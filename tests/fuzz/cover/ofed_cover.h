/* SPDX-License-Identifier: GPL-2.0 */
/* What ofed_cover and the fuzzer share: /dev/ofed_cover, mapped. */
#ifndef OFED_COVER_H
#define OFED_COVER_H

#define COVER_MODULES	16
#define COVER_BITS	(1UL << 23)	/* bytes of text of all modules */
#define COVER_PAGE	4096

struct cover_module {
	unsigned long start, size, bit;
	char name[40];
};

struct cover_map {
	union {
		struct cover_module module[COVER_MODULES];
		char page[COVER_PAGE];
	};
	unsigned char bits[COVER_BITS / 8];
};

#endif /* OFED_COVER_H */
