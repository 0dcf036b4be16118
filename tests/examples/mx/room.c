// SPDX-License-Identifier: GPL-2.0
/* Small rooms are a stack of pointers, medium ones a pool with a bit for each fragment. */
#include <stdbool.h>
#include <stdlib.h>
#include "room.h"

bool room_init(struct rooms *rooms, struct ibv_pd *pd)
{
	rooms->memory = calloc(1, sizeof(*rooms->memory));
	if (!rooms->memory)
		return false;
	for (; rooms->height < ROOM_SMALL; rooms->height++)
		rooms->stack[rooms->height] = rooms->memory->small[rooms->height];
	rooms->mr = ibv_reg_mr(pd, rooms->memory, sizeof(*rooms->memory), IBV_ACCESS_LOCAL_WRITE);
	return rooms->mr;
}

void room_exit(struct rooms *rooms)
{
	if (rooms->mr)
		ibv_dereg_mr(rooms->mr);
	free(rooms->memory);
}

/* The fragments of a message lie side by side. */
static uint32_t room_mask(unsigned int first, uint32_t length)
{
	uint32_t fragments = (length + WIRE_FRAGMENT - 1) / WIRE_FRAGMENT;

	return ((1u << fragments) - 1) << first;
}

/* Room for a message that is small or medium, or NULL. */
void *room_get(struct rooms *rooms, uint32_t length)
{
	unsigned int i;

	if (length <= WIRE_SMALL_MAX)
		return rooms->height ? rooms->stack[--rooms->height] : NULL;
	for (i = 0; i <= ROOM_MEDIUM - WIRE_FRAGMENTS; i++)
		if (!(rooms->used & room_mask(i, length))) {
			rooms->used |= room_mask(i, length);
			return rooms->memory->medium[i];
		}
	return NULL;
}

void room_free(struct rooms *rooms, void *room, uint32_t length)
{
	if (length <= WIRE_SMALL_MAX)
		rooms->stack[rooms->height++] = room;
	else
		rooms->used &= ~room_mask((room_packet_t *)room - rooms->memory->medium, length);
}
