/* SPDX-License-Identifier: GPL-2.0 */
/* The memory of a side of roce_soak: where the messages lie in it, and what it must hold. */
#ifndef SOAK_MEMORY_H
#define SOAK_MEMORY_H

#include "soak_plan.h"

static uint8_t *area, *image;
static struct ibv_mr *mr[2];	/* both of the whole area */

/* Piece p of the list of 'side': where in the message, where in the area. */
static struct ibv_sge piece(const struct message *m, int side, int p, uint32_t *from)
{
	uint32_t n = m->pieces[side], each = m->size / n;
	uint32_t length = p == (int)n - 1 ? m->size - each * p : each;

	*from = each * p;
	return (struct ibv_sge){
		.addr = (uintptr_t)area + m->at[side] +
			(m->reversed[side] ? m->size - *from - length : *from),
		.length = length, .lkey = mr[p % 2]->lkey,
	};
}

/* m's bytes as they lie at 'side', written to the area or to the image of it. */
static void lay(const struct message *m, int side, uint8_t *to)
{
	int local = side == m->side || is_send(m);

	if (is_atomic(m)) {
		memcpy(to + m->at[side], &m->old, 8);
	} else if (!local) {
		text(to + m->at[side], m->seed, 0, m->size);
	} else {
		for (int p = 0; p < m->pieces[side]; p++) {
			uint32_t from;
			struct ibv_sge s = piece(m, side, p, &from);

			text(to + (s.addr - (uintptr_t)area), m->seed, from, s.length);
		}
	}
}

static void fill_area(void)
{
	text(area + HEAD, filler, HEAD, used - HEAD);
	for (int i = 0; i < messages; i++)
		if (source(&plan[i]) == me && !is_atomic(&plan[i]))
			lay(&plan[i], me, area);
}

/* Everything but the receives of UC and UD and what they may have written. */
static void make_image(void)
{
	memset(image, 0, HEAD);
	for (int l = 0; l < LANES; l++)
		memcpy(image + 8 * l, &counters[!me][l], 8);
	text(image + HEAD, filler, HEAD, used - HEAD);
	for (int i = 0; i < messages; i++) {
		const struct message *m = &plan[i];

		/* atomics: only the requester has a range */
		if (m->lane < LANES ? (is_atomic(m) ? m->side == me : !m->inlined || m->side != me)
				    : m->side == me && !m->inlined)
			lay(m, me, image);
	}
}

static const struct message *owner(uint32_t at)
{
	for (int i = 0; i < messages; i++)
		if (at >= plan[i].at[me] && at < plan[i].at[me] + plan[i].size)
			return &plan[i];
	return NULL;
}

/* May a receive of UC or UD hold this: a piece of a message that was cut short? */
static int may_hold(uint32_t at, uint8_t byte, const uint32_t *filled)
{
	uint32_t slot = (at - slots_at) / (slot_size + GUARD);
	uint32_t offset = (at - slots_at) % (slot_size + GUARD);
	const struct message *m = owner(at);
	uint8_t right;

	if (at < slots_at) {
		if (!m || m->side == me || is_send(m))
			return 0;
		text(&right, m->seed, at - m->at[me], 1);
		return byte == right;
	}
	if (offset < filled[slot])
		return 1;	/* compared when it came */
	if (offset >= slot_size)
		return 0;
	if (plan[0].lane == UD) {
		if (offset < GRH)
			return 1;
		offset -= GRH;
	}
	for (m = plan; m < plan + messages; m++) {
		if (m->side == me || !is_send(m) || offset >= m->size)
			continue;
		text(&right, m->seed, offset, 1);
		if (byte == right)
			return 1;
	}
	return 0;
}

/* Bytes of the area that are not as they must be; @first: the lowest. */
static long count_wrong(const uint32_t *filled, uint32_t *first)
{
	long wrong = 0;

	make_image();
	if (!memcmp(area, image, used))
		return 0;
	for (uint32_t i = used; i-- > 0;) {
		if (area[i] == image[i] || (filled && may_hold(i, area[i], filled)))
			continue;
		wrong++;
		*first = i;
	}
	return wrong;
}

#endif /* SOAK_MEMORY_H */
