/* SPDX-License-Identifier: GPL-2.0 */
/* What inputs reach: blocks of modules, and results of calls. */
#ifndef COVER_H
#define COVER_H

#include <stdbool.h>
#include <stdint.h>

/* Return: false without /dev/ofed_cover; results of calls count all the same. */
bool cover_open(void);
/* Modules come and go: their addresses now. */
void cover_locate(void);

/* Nothing is reached; what follows is that of an input. */
void cover_begin(void);

/* Return: how much of what the last input reached is new. @keep: from now on it is not. */
uint32_t cover_new(bool keep);

/* What the last input reached, as a set to be compared with. */
struct cover_set {
	uint32_t count, room;
	uint32_t *bit;
};

/* The new part of it. */
void cover_take(struct cover_set *set);
/* Return: how much of @set the last input reached. */
uint32_t cover_shared(const struct cover_set *set);
/* Return: how much of @set is new. @keep: from now on it is not. */
uint32_t cover_set_new(const struct cover_set *set, bool keep);

uint32_t cover_blocks(void);
/* One line for each block that was reached: a module and an offset in its section .text. */
void cover_print(const char *path);
/* One line for each call (op.h) and each result of it. */
void cover_print_results(const char *path);

#endif /* COVER_H */
