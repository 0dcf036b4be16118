/* SPDX-License-Identifier: GPL-2.0 */
/* Inputs that are worth keeping. */
#ifndef CORPUS_H
#define CORPUS_H

#include "input.h"

void corpus_add(const struct input *in);
int corpus_size(void);
struct input *corpus_at(int i);
/* One of them, rather of those that came last. NULL if there is none. */
const struct input *corpus_any(void);

/* Return: number of inputs read. */
int corpus_load(const char *path);
void corpus_save(const char *path);

#endif /* CORPUS_H */
