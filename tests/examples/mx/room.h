/* SPDX-License-Identifier: GPL-2.0 */
/* Registered memory for copies, the copy blocks of the notes, and for what comes. */
#ifndef ROOM_H
#define ROOM_H

#include <infiniband/verbs.h>
#include "wire.h"

#define ROOM_SMALL	16	/* messages */
#define ROOM_MEDIUM	32	/* fragments: a bit of a word each */
#define ROOM_RECV	64	/* packets */

typedef char room_small_t[sizeof(struct wire_header) + WIRE_SMALL_MAX];
typedef char room_packet_t[sizeof(struct wire_header) + WIRE_FRAGMENT];

struct room_memory {
	room_small_t small[ROOM_SMALL];
	room_packet_t medium[ROOM_MEDIUM];
	room_packet_t recv[ROOM_RECV];
};

struct rooms {
	struct room_memory *memory;
	struct ibv_mr *mr;
	void *stack[ROOM_SMALL];	/* free small rooms */
	unsigned int height;
	uint32_t used;			/* medium rooms */
};

bool room_init(struct rooms *rooms, struct ibv_pd *pd);
void room_exit(struct rooms *rooms);
void *room_get(struct rooms *rooms, uint32_t length);
void room_free(struct rooms *rooms, void *room, uint32_t length);

#endif /* ROOM_H */
