/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MUTATE_H
#define MUTATE_H

#include "input.h"

extern uint64_t mutate_random;
uint32_t mutate_below(uint32_t n);

/* A new input of a few operations. */
void mutate_make(struct input *in);
/* Changes @in; @other is another input, parts of which may get into it. */
void mutate(struct input *in, const struct input *other);

#endif /* MUTATE_H */
