/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An input: a sequence of operations, each with the choices that its generator makes, as
 * bytes. In a file an operation is a line, its name and the bytes in hexadecimal digits;
 * an empty line ends an input, and a line that begins with '#' is a comment.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define INPUT_OPS	40
#define OP_BYTES	220

struct record {
	uint8_t op, length;
	uint8_t byte[OP_BYTES];
};

struct input {
	uint32_t count;
	struct record op[INPUT_OPS];
};

/* Return: false at the end of the file; an operation of an unknown name is left out. */
bool input_read(struct input *in, FILE *file);
void input_write(const struct input *in, FILE *file);

void input_insert(struct input *in, uint32_t at, const struct record *op);
void input_remove(struct input *in, uint32_t at);

#endif /* INPUT_H */
