/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What roce_soak sends, which side sends it, from where to where: all of it comes from
 * the seed, so that both processes know it without a word to each other.
 */
#ifndef SOAK_PLAN_H
#define SOAK_PLAN_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs.h>

#define LANES 4			/* RC queue pairs; UC and UD come after them */
#define UC LANES
#define UD (LANES + 1)
#define QPS (LANES + 2)
#define BATCH 16
#define SGES 8
#define INLINE 256
#define GUARD 64
#define GRH 40
#define DATAGRAM 1024
#define HEAD 256		/* of the area: counters for atomics, a guard */
#define AREA (24u << 20)

struct message {
	uint64_t seed;		/* of its contents */
	enum ibv_wr_opcode op;
	uint32_t size;
	int lane, side;		/* side: the poster */
	int inlined, signaled, flags;
	uint32_t at[2];		/* its range in either area */
	int pieces[2], reversed[2];	/* how the scatter/gather lists divide it */
	uint64_t add, swap, old;	/* atomics; old: what comes back */
};

static int me;			/* the side of this process: 0 or 1 */
static long batch;		/* the number of the plan */
static struct message plan[BATCH];
static int messages;
static uint64_t filler, counters[2][LANES];
static uint32_t used, max_size, slot_size, slots_at;

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
	return x ^ x >> 32;
}

/* The same on both sides, as long as both ask the same questions. */
static uint64_t dice;
static uint32_t roll(uint32_t sides_of_it)
{
	return mix(dice += 0x9e3779b97f4a7c15) % sides_of_it;
}

/* Bytes from..from+length of the endless text that 'seed' stands for. */
static void text(void *to, uint64_t seed, size_t from, size_t length)
{
	uint8_t *p = to;

	while (length) {
		uint64_t word = mix(seed + from / 8 * 0x9e3779b97f4a7c15);
		size_t skip = from % 8, n = 8 - skip < length ? 8 - skip : length;

		memcpy(p, (uint8_t *)&word + skip, n);
		p += n, from += n, length -= n;
	}
}

static uint32_t imm_of(const struct message *m)
{
	return batch << 8 | (m - plan);
}

static int takes_receive(const struct message *m)
{
	return m->op == IBV_WR_SEND || m->op == IBV_WR_SEND_WITH_IMM ||
	       m->op == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static int is_send(const struct message *m)
{
	return m->op == IBV_WR_SEND || m->op == IBV_WR_SEND_WITH_IMM;
}

static int is_atomic(const struct message *m)
{
	return m->op == IBV_WR_ATOMIC_CMP_AND_SWP || m->op == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static int has_imm(const struct message *m)
{
	return m->op == IBV_WR_SEND_WITH_IMM || m->op == IBV_WR_RDMA_WRITE_WITH_IMM;
}

/* Where the bytes of m come from; the other side is where they go. */
static int source(const struct message *m)
{
	return m->op == IBV_WR_RDMA_READ || is_atomic(m) ? !m->side : m->side;
}

/* Each power of two as often as any other. */
static uint32_t some_size(uint32_t max)
{
	int bits = 0;
	uint32_t size, power;

	while (max >> bits)
		bits++;
	power = roll(bits + 1);
	if (!power)
		return 0;
	size = (1u << (power - 1)) + roll(1u << (power - 1));
	return size < max ? size : max;
}

/* Both counters of a lane are changed in the order of the plan and only once. */
static void plan_atomic(struct message *m)
{
	uint64_t *counter = &counters[m->side][m->lane];

	m->size = 8;
	m->old = *counter;
	m->swap = mix(m->seed);
	if (m->op == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		m->add = mix(m->seed + 1);
		*counter += m->add;
	} else {
		m->add = *counter + roll(2);
		if (m->add == *counter)
			*counter = m->swap;
	}
}

static void plan_message(struct message *m, int kind)
{
	static const enum ibv_wr_opcode ops[] = {
		IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM,
		IBV_WR_RDMA_READ, IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	uint32_t max = kind == UD ? DATAGRAM : kind == UC && max_size > 1 << 18 ? 1 << 18 : max_size;
	int room = AREA - BATCH * 4 * GUARD - used;

	*m = (struct message){ .side = roll(2), .lane = kind ? kind : (int)roll(LANES) };
	m->seed = mix(dice ^ 0x5eed);
	m->op = ops[roll(kind == UD ? 2 : kind == UC ? 4 : 7)];
	m->size = some_size(max);
	if ((int)m->size > room)
		m->size = room > 0 ? room : 0;
	if (is_atomic(m))
		plan_atomic(m);
	m->inlined = m->size <= INLINE && roll(2) && m->op != IBV_WR_RDMA_READ && !is_atomic(m);
	m->signaled = roll(2);
	m->flags = (roll(4) ? 0 : IBV_SEND_FENCE) | (roll(2) ? IBV_SEND_SOLICITED : 0);
	for (int s = 0; s < 2; s++) {
		m->at[s] = is_atomic(m) ? (used + GUARD + 7) / 8 * 8 : used + GUARD + roll(GUARD);
		m->reversed[s] = roll(2);
		m->pieces[s] = 1 + roll(SGES);
		if ((uint32_t)m->pieces[s] > m->size || is_atomic(m))
			m->pieces[s] = m->size ? 1 : 0;
	}
	used += m->size + 3 * GUARD;
}

/* kind: 0 is RC */
static void make_plan(int kind, int count)
{
	int last[2][QPS];

	memset(last, -1, sizeof(last));
	used = HEAD;
	slot_size = 0;
	messages = count;
	filler = mix(dice ^ 0xf111);
	for (int i = 0; i < count; i++) {
		plan_message(&plan[i], kind);
		last[plan[i].side][plan[i].lane] = i;
		if (is_send(&plan[i]) && plan[i].size > slot_size)
			slot_size = plan[i].size;
	}
	/* The end of each queue must be seen. */
	for (int s = 0; s < 2; s++)
		for (int l = 0; l < QPS; l++)
			if (last[s][l] >= 0)
				plan[last[s][l]].signaled = 1;
	/* UC and UD: any message may land in any receive. */
	slots_at = used;
	if (kind) {
		slot_size += GRH;
		used += BATCH * (slot_size + GUARD);
		if (used > AREA)
			abort();
	}
}

#endif /* SOAK_PLAN_H */
