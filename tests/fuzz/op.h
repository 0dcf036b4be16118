/* SPDX-License-Identifier: GPL-2.0 */
/* The operations, and the world that those of one input share. */
#ifndef OP_H
#define OP_H

#include <stdbool.h>
#include <stdint.h>

enum {
	OP_ROOT = 1,		/* of root alone */
	OP_ROCE = 2, OP_IB = 4, OP_IWARP = 8,	/* of these devices alone */
	OP_TESTDEV = 16,
	OP_BACK = 32,		/* what it changes is put back behind the input */
};

struct op {
	const char *name;
	void (*run)(void);
	uint8_t weight;		/* how often a new operation is this one */
	uint8_t flags;
};

/* Lists end with an entry without a name. */
extern const struct op uverbs_ops[], ucma_ops[], umad_ops[], netlink_ops[], memory_ops[];
extern const struct op ring_ops[], packet_ops[], ib_ops[], iwarp_ops[], admin_ops[];
extern const struct op pass_ops[], fail_ops[], place_ops[], fabric_ops[], meet_ops[];
extern const struct op testdev_ops[];

int op_find(const char *name);
const char *op_name(int number);
void op_run(int number);
/* Return: whether an input of that user on that device can have it. */
bool op_fits(int number);
int op_any(uint32_t random);
bool op_changes(int number);

/* ---- the world of an input ---- */

struct world {
	const char *device, *peer;	/* ours, and that at the other end */
	const char *interface;		/* of the peer, in its namespace */
	const char *netns;
	const char *cgroup;		/* where inputs run, or NULL */
	const char *driver;
	bool root;
	uint8_t gid[3][16];		/* of the device, of the peer, of the device's IP */
	/* Opened before privileges are given up, -1 where there is none. */
	int packet_fd, inject_fd, peer_index, listen_fd, tcp_fd[4];
};

extern struct world world;

#define WORLD_PAGES	256
/* Memory that operations register, scribble upon and unmap; and what ends where it ends. */
extern char *world_pages;

/* A descriptor that any operation may use or close. */
void world_keep_fd(int fd);
int world_fd(void);
int world_take_fd(void);

/* An offset that a driver has answered, to be mapped. */
void world_keep_offset(uint64_t offset, uint32_t size);
bool world_offset(uint64_t *offset, uint32_t *size);

/* What was mapped at such an offset. */
void world_keep_map(char *at, uint32_t size);
bool world_map(char **at, uint32_t *size);
/* All of it, and what generators have mapped for themselves. */
void world_unmap(void);
void world_keep_room(char *at, uint32_t size);

/* Numbers of queue pairs and keys of regions, for those that put them into requests. */
enum { WORLD_QPN, WORLD_LKEY, WORLD_RKEY, WORLD_AH, WORLD_NUMBERS };
void world_keep_number(int kind, uint32_t number);
/* Mostly one that was kept. */
uint32_t world_number(int kind);
/* Mostly in the pages. */
uint64_t world_address(void);

/*
 * What an operation did: the same call with another result, or the same result once more in
 * one input, is as good as a new block.
 */
void feature(uint32_t what, int result);

/* Numbers of what can be told by feature(). */
enum {
	F_WRITE = 0, F_INVOKE = 64, F_METHOD = 128, F_UCMA = 256, F_EVENT = 288,
	F_UMAD = 320, F_NETLINK = 384, F_MEMORY = 448, F_RING = 464, F_PACKET = 480,
	F_ADMIN = 496, F_IWARP = 528, F_STATE = 544, F_PASS = 592, F_FAIL = 600, F_PLACE = 608,
	F_FABRIC = 624, F_MEET = 672, F_TESTDEV = 740, F_TAG = 900, F_MAX = 1024,
};

#endif /* OP_H */
