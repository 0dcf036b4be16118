// SPDX-License-Identifier: GPL-2.0
/* All operations by number, and what they share. */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "choice.h"
#include "op.h"

#define OPS	128
#define FDS	24
#define OFFSETS	24

struct world world = {
	.packet_fd = -1, .inject_fd = -1, .listen_fd = -1, .tcp_fd = { -1, -1, -1, -1 },
};
char *world_pages;

static const struct op *const lists[] = {
	uverbs_ops, ring_ops, memory_ops, ucma_ops, netlink_ops, packet_ops,
	umad_ops, iwarp_ops, ib_ops, admin_ops, pass_ops, fail_ops, place_ops, fabric_ops,
	meet_ops, testdev_ops,
};

static const struct op *all[OPS];
static int count;

static void collect(void)
{
	if (count)
		return;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (const struct op *op = lists[i]; op->name; op++)
			all[count++] = op;
}

int op_find(const char *name)
{
	collect();
	for (int i = 0; i < count; i++)
		if (!strcmp(all[i]->name, name))
			return i;
	return -1;
}

const char *op_name(int number)
{
	return all[number]->name;
}

bool op_fits(int number)
{
	int flags = all[number]->flags;
	int devices = flags & (OP_ROCE | OP_IB | OP_IWARP | OP_TESTDEV);
	int ours = !strcmp(world.driver, "ib") ? OP_IB :
		!strcmp(world.driver, "iwarp") ? OP_IWARP :
		!strcmp(world.driver, "testdev") ? OP_TESTDEV : OP_ROCE;

	if ((flags & OP_ROOT) && !world.root)
		return false;
	return !devices || (devices & ours);
}

bool op_changes(int number)
{
	return all[number]->flags & OP_BACK && op_fits(number);
}

void op_run(int number)
{
	if (op_fits(number))
		all[number]->run();
}

int op_any(uint32_t random)
{
	uint32_t sum = 0;

	collect();
	for (int i = 0; i < count; i++)
		sum += op_fits(i) ? all[i]->weight : 0;
	random %= sum;
	for (int i = 0; i < count; i++) {
		uint32_t weight = op_fits(i) ? all[i]->weight : 0;

		if (random < weight)
			return i;
		random -= weight;
	}
	return 0;
}

/* ---- descriptors ---- */

static int fds[FDS];
static uint32_t fd_count;

void world_keep_fd(int fd)
{
	int *slot = &fds[fd_count % FDS];

	if (fd < 0)
		return;
	if (fd_count >= FDS && *slot > 0)
		close(*slot);
	*slot = fd;
	fd_count++;
}

static int *fd_slot(void)
{
	uint32_t n = fd_count < FDS ? fd_count : FDS;

	return n ? &fds[choice(n)] : NULL;
}

int world_fd(void)
{
	int *slot = fd_slot();

	return slot ? *slot : -1;
}

int world_take_fd(void)
{
	int *slot = fd_slot();
	int fd = slot ? *slot : -1;

	if (slot)
		*slot = -1;
	return fd;
}

/* ---- what can be mapped, and what is ---- */

struct piece {
	uint64_t offset;
	char *at;
	uint32_t size;
};

static struct piece offsets[OFFSETS], maps[OFFSETS], rooms[OFFSETS];
static uint32_t offset_count, map_count;

static struct piece *pick(struct piece *piece, uint32_t n)
{
	return n ? &piece[choice(n < OFFSETS ? n : OFFSETS)] : NULL;
}

void world_keep_offset(uint64_t offset, uint32_t size)
{
	if (size && size <= 1 << 20)
		offsets[offset_count++ % OFFSETS] =
			(struct piece){ .offset = offset, .size = size };
}

bool world_offset(uint64_t *offset, uint32_t *size)
{
	struct piece *p = pick(offsets, offset_count);

	if (p) {
		*offset = p->offset;
		*size = p->size;
	}
	return p;
}

/* A mapping that is forgotten would keep its file open, and queues of generators may be there. */
void world_keep_map(char *at, uint32_t size)
{
	struct piece *old = &maps[map_count++ % OFFSETS];

	if (old->at)
		mmap(old->at, old->size, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	*old = (struct piece){ .at = at, .size = size };
}

bool world_map(char **at, uint32_t *size)
{
	struct piece *p = pick(maps, map_count);

	if (!p || !p->at)
		return false;
	*at = p->at;
	*size = p->size;
	return true;
}

void world_keep_room(char *at, uint32_t size)
{
	static uint32_t n;

	rooms[n++ % OFFSETS] = (struct piece){ .at = at, .size = size };
}

void world_unmap(void)
{
	for (int i = 0; i < OFFSETS; i++) {
		if (maps[i].at)
			munmap(maps[i].at, maps[i].size);
		if (rooms[i].at)
			munmap(rooms[i].at, rooms[i].size);
	}
}

/* ---- numbers ---- */

#define NUMBERS	8

static uint32_t numbers[WORLD_NUMBERS][NUMBERS], number_count[WORLD_NUMBERS];

void world_keep_number(int kind, uint32_t number)
{
	numbers[kind][number_count[kind]++ % NUMBERS] = number;
}

uint32_t world_number(int kind)
{
	uint32_t n = number_count[kind] < NUMBERS ? number_count[kind] : NUMBERS;
	uint32_t way = choice(16);

	if (!n || way < 2)
		return way ? choice(8) : choice_odd();
	/* The last one that was made is the most likely. */
	n = way < 9 ? 1 : n;
	n = numbers[kind][(number_count[kind] - 1 - choice(n)) % NUMBERS];
	return way == 2 ? n ^ 1U << choice(32) : n;
}

uint64_t world_address(void)
{
	uint32_t way = choice(24);

	if (!way)
		return choice_odd();
	if (way == 1)
		return (uintptr_t)world_pages + WORLD_PAGES * 4096 - choice(4096);
	return (uintptr_t)world_pages + choice(16) * 4096 + (way & 4 ? choice(4096) : 0);
}
