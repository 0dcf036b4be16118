// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "mutate.h"
#include "op.h"

uint64_t mutate_random = 1;

uint32_t mutate_below(uint32_t n)
{
	mutate_random ^= mutate_random << 13;
	mutate_random ^= mutate_random >> 7;
	mutate_random ^= mutate_random << 17;
	return n ? (uint32_t)(mutate_random >> 20) % n : 0;
}

#define B(n) mutate_below(n)

/* Its choices are added when it runs. */
static struct record any_op(void)
{
	struct record op = { .op = op_any(B(1 << 30)) };

	return op;
}

/* Without what these make most other operations fail. */
static struct record first_op(void)
{
	static const char *const names[] = {
		"uverbs.set", "uverbs.pair", "uverbs.across", "meet.connect", "umad.set",
	};
	struct record op = { .op = op_find(names[B(5)]) };

	if (!op_fits(op.op))
		op.op = op_find(names[0]);
	return op;
}

void mutate_make(struct input *in)
{
	struct record first = first_op();

	in->count = 0;
	if (B(4))
		input_insert(in, 0, &first);
	for (uint32_t n = 1 + B(B(4) ? 8 : INPUT_OPS); n; n--) {
		struct record op = any_op();

		input_insert(in, in->count, &op);
	}
}

/* Without the rest of its choices, which may mean something else now. */
static void change_byte(struct record *op)
{
	uint32_t at;

	if (!op->length)
		return;
	/* The first ones say what is done. */
	at = B(B(3) ? op->length : 1 + op->length / 4);
	switch (B(4)) {
	case 0:
		op->byte[at] ^= 1 << B(8);
		break;
	case 1:
		op->byte[at] += B(2) ? 1 : -1;
		break;
	default:
		op->byte[at] = B(256);
		break;
	}
	if (!B(4))
		op->length = at + 1;
}

static void splice(struct input *in, const struct input *other)
{
	uint32_t from = B(other->count), n = 1 + B(other->count - from), at = B(in->count + 1);

	while (n-- && in->count < INPUT_OPS)
		input_insert(in, at++, &other->op[from++]);
}

static void exchange(struct input *in)
{
	struct record *a = &in->op[B(in->count)], *b = &in->op[B(in->count)], op = *a;

	*a = *b;
	*b = op;
}

static void once(struct input *in, const struct input *other)
{
	struct record op;

	switch (B(13)) {
	case 12:
		op = first_op();
		input_insert(in, B(in->count + 1), &op);
		break;
	case 0:
		if (in->count > 1)
			input_remove(in, B(in->count));
		break;
	case 1:
		op = in->op[B(in->count)];
		input_insert(in, B(in->count + 1), &op);
		break;
	case 2:
		if (other)
			splice(in, other);
		break;
	case 3:
		exchange(in);
		break;
	case 4:
	case 5:
	case 6:
		op = any_op();
		input_insert(in, B(3) ? in->count : B(in->count + 1), &op);
		break;
	case 7:
		/* The same call with other choices, right behind it. */
		op = in->op[B(in->count)];
		change_byte(&op);
		input_insert(in, in->count, &op);
		break;
	default:
		change_byte(&in->op[B(in->count)]);
		break;
	}
}

void mutate(struct input *in, const struct input *other)
{
	for (uint32_t n = 1 + B(B(3) ? 4 : 16); n; n--)
		once(in, other);
}
