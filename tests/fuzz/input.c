// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "input.h"
#include "op.h"

static bool parse(struct record *op, char *line)
{
	char *hex = strchr(line, ' ');
	int number, used;
	unsigned int byte;

	if (hex)
		*hex++ = '\0';
	line[strcspn(line, "\n")] = '\0';
	number = op_find(line);
	if (number < 0)
		return false;
	op->op = number;
	op->length = 0;
	while (hex && op->length < OP_BYTES && sscanf(hex, "%2x%n", &byte, &used) == 1) {
		op->byte[op->length++] = byte;
		hex += used;
	}
	return true;
}

bool input_read(struct input *in, FILE *file)
{
	char line[2 * OP_BYTES + 64];

	in->count = 0;
	while (fgets(line, sizeof(line), file)) {
		if (line[0] == '#')
			continue;
		if (line[0] == '\n') {
			if (in->count)
				return true;
			continue;
		}
		if (in->count < INPUT_OPS && parse(&in->op[in->count], line))
			in->count++;
	}
	return in->count;
}

void input_write(const struct input *in, FILE *file)
{
	for (uint32_t i = 0; i < in->count; i++) {
		fprintf(file, "%s ", op_name(in->op[i].op));
		for (int j = 0; j < in->op[i].length; j++)
			fprintf(file, "%02x", in->op[i].byte[j]);
		fputc('\n', file);
	}
	fputc('\n', file);
	fflush(file);
}

void input_insert(struct input *in, uint32_t at, const struct record *op)
{
	if (in->count == INPUT_OPS)
		return;
	memmove(&in->op[at + 1], &in->op[at], (in->count - at) * sizeof(*op));
	in->op[at] = *op;
	in->count++;
}

void input_remove(struct input *in, uint32_t at)
{
	in->count--;
	memmove(&in->op[at], &in->op[at + 1], (in->count - at) * sizeof(in->op[0]));
}
