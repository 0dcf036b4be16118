// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cover.h"
#include "cover/ofed_cover.h"
#include "op.h"

#define RESULTS		256	/* results of a call, and how often */
#define FEATURES	(F_MAX * RESULTS / 8)

static struct cover_map *map;
/* Shared with the processes that run inputs. */
static uint8_t *features;
/* What all inputs reached; not in the variables, which are copied for each input. */
static uint8_t *old_bits, *old_features;
static bool tells;
static unsigned long used;	/* bytes of bits that have modules */

static const char *const names[] = {
	"ofed_core", "ofed_uverbs", "ofed_ucma", "ofed_umad", "ofed_soft", "ofed_roce",
	"ofed_ib", "ofed_iwarp",
};
#define NAMES	(sizeof(names) / sizeof(names[0]))

static void *shared(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

bool cover_open(void)
{
	int fd = open("/dev/ofed_cover", O_RDWR | O_CLOEXEC);

	tells = getenv("GUIDED_TELLS");
	features = shared(FEATURES);
	old_bits = shared(COVER_BITS / 8);
	old_features = shared(FEATURES);
	map = fd < 0 ? shared(sizeof(*map)) :
		mmap(NULL, sizeof(*map), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		perror("/dev/ofed_cover");
		exit(2);
	}
	if (fd >= 0)
		close(fd);
	/* Of a fuzzer that was here before. */
	memset(map->page, 0, sizeof(map->page));
	cover_locate();
	return fd >= 0;
}

/* A module keeps its bits when it comes back at another address. */
static void locate(const char *name, unsigned long size, unsigned long start)
{
	size_t i = 0;

	while (i < NAMES && strcmp(names[i], name))
		i++;
	if (i == NAMES)
		return;
	if (!map->module[i].name[0]) {
		strcpy(map->module[i].name, names[i]);
		map->module[i].bit = used * 8;
		used += (size / 8 + 64) & ~63UL;
	}
	map->module[i].start = start;
	map->module[i].size = size;
}

void cover_locate(void)
{
	FILE *file = fopen("/proc/modules", "r");
	unsigned long size, start;
	char name[64];

	while (file && fscanf(file, "%63s %lu %*s %*s %*s %lx%*[^\n]", name, &size, &start) == 3)
		locate(name, size, start);
	if (file)
		fclose(file);
	if (used > COVER_BITS / 8) {
		fprintf(stderr, "modules are larger than COVER_BITS\n");
		exit(2);
	}
}

void cover_begin(void)
{
	memset(map->bits, 0, used);
	memset(features, 0, FEATURES);
}

/*
 * The second time is something else than the first, the third is not. GUIDED_TELLS in the
 * environment: each is printed.
 */
void feature(uint32_t what, int result)
{
	uint32_t bit = (what % F_MAX) * RESULTS + (abs(result) & 127);

	if (tells)
		dprintf(2, "%u: %d\n", what, result);
	if (features[bit / 8] & 1 << bit % 8)
		bit += 128;
	features[bit / 8] |= 1 << bit % 8;
}

/* ---- comparing ---- */

static uint32_t fresh(const uint8_t *now, uint8_t *old, size_t size, bool keep)
{
	uint32_t n = 0;

	for (size_t i = 0; i < size; i += 8) {
		uint64_t a, b;

		memcpy(&a, now + i, 8);
		memcpy(&b, old + i, 8);
		a &= ~b;
		if (!a)
			continue;
		n += __builtin_popcountll(a);
		b |= a;
		if (keep)
			memcpy(old + i, &b, 8);
	}
	return n;
}

uint32_t cover_new(bool keep)
{
	return fresh(map->bits, old_bits, used, keep) +
		fresh(features, old_features, FEATURES, keep);
}

static void take(struct cover_set *set, const uint8_t *now, const uint8_t *old, size_t size,
		 uint32_t base)
{
	for (size_t i = 0; i < size * 8; i++) {
		if (!(i % 8) && !(now[i / 8] & ~old[i / 8])) {
			i += 7;
			continue;
		}
		if (now[i / 8] & ~old[i / 8] & 1 << i % 8 && set->count < set->room)
			set->bit[set->count++] = base + i;
	}
}

void cover_take(struct cover_set *set)
{
	/* Workers may reach more meanwhile. */
	set->count = 0;
	set->room = cover_new(false);
	set->bit = malloc((set->room + 1) * sizeof(set->bit[0]));
	take(set, map->bits, old_bits, used, 0);
	take(set, features, old_features, FEATURES, COVER_BITS);
}

/* Where a bit of a set is, of blocks or of results. */
static uint8_t *byte_of(uint32_t bit, uint8_t *bits, uint8_t *results)
{
	return bit < COVER_BITS ? &bits[bit / 8] : &results[(bit - COVER_BITS) / 8];
}

uint32_t cover_shared(const struct cover_set *set)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < set->count; i++)
		n += *byte_of(set->bit[i], map->bits, features) >> set->bit[i] % 8 & 1;
	return n;
}

uint32_t cover_set_new(const struct cover_set *set, bool keep)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < set->count; i++) {
		uint8_t *at = byte_of(set->bit[i], old_bits, old_features);

		n += ~*at >> set->bit[i] % 8 & 1;
		if (keep)
			*at |= 1 << set->bit[i] % 8;
	}
	return n;
}

uint32_t cover_blocks(void)
{
	uint32_t n = 0;

	for (size_t i = 0; i < used; i++)
		n += __builtin_popcount(old_bits[i]);
	return n;
}

/* ---- telling ---- */

static unsigned long section(const char *module, const char *name)
{
	char path[128];
	unsigned long at = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/%s/sections/%s", module, name);
	file = fopen(path, "r");
	if (file && fscanf(file, "%lx", &at) != 1)
		at = 0;
	if (file)
		fclose(file);
	return at;
}

void cover_print(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return;
	for (size_t i = 0; i < NAMES; i++) {
		const struct cover_module *m = &map->module[i];
		unsigned long text = section(m->name, ".text");

		if (!m->name[0] || !text)
			continue;
		for (unsigned long at = 0; at < m->size; at++) {
			unsigned long bit = m->bit + at;

			if (old_bits[bit / 8] & 1 << bit % 8)
				fprintf(file, "%s %lx\n", m->name, m->start + at - text);
		}
	}
	fclose(file);
}

/* One line for each call and result of it; 0 is success. */
void cover_print_results(const char *path)
{
	FILE *file = fopen(path, "w");

	for (uint32_t what = 0; file && what < F_MAX; what++)
		for (uint32_t result = 0; result < 128; result++) {
			uint32_t bit = what * RESULTS + result;

			if (old_features[bit / 8] & 1 << bit % 8)
				fprintf(file, "%u %u\n", what, result);
		}
	if (file)
		fclose(file);
}
