/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What generators choose by: the bytes of an operation and, behind them, random bytes that
 * are added to it. So an input that ran once does the same when it runs again, and each
 * choice is a byte that can be changed.
 */
#ifndef CHOICE_H
#define CHOICE_H

#include "input.h"

/* @random: 0 for bytes of zero behind the end. */
void choice_begin(struct record *op, uint64_t random);

/* Below @n, which may be 2^32 - 1 at most. */
uint32_t choice(uint32_t n);
uint32_t choice_word(void);
bool choice_chance(uint32_t percent);

/* Numbers at which checks begin and end, more often than any other. */
uint64_t choice_odd(void);

#endif /* CHOICE_H */
