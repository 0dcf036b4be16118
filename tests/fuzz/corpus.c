// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "corpus.h"
#include "mutate.h"

#define MOST	20000

static struct input *inputs[MOST];
static int count;

void corpus_add(const struct input *in)
{
	if (count == MOST)
		return;
	inputs[count] = malloc(sizeof(*in));
	*inputs[count++] = *in;
}

int corpus_size(void)
{
	return count;
}

struct input *corpus_at(int i)
{
	return inputs[i];
}

const struct input *corpus_any(void)
{
	int late = count / 4 + 1;

	if (!count)
		return NULL;
	if (mutate_below(3))
		return inputs[mutate_below(count)];
	return inputs[count - 1 - mutate_below(late)];
}

int corpus_load(const char *path)
{
	FILE *file = fopen(path, "r");
	struct input in;
	int n = 0;

	while (file && input_read(&in, file)) {
		corpus_add(&in);
		n++;
	}
	if (file)
		fclose(file);
	return n;
}

void corpus_save(const char *path)
{
	FILE *file = fopen(path, "w");

	for (int i = 0; file && i < count; i++)
		input_write(inputs[i], file);
	if (file)
		fclose(file);
}
