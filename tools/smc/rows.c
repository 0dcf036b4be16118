// SPDX-License-Identifier: GPL-2.0
/* Rows (rows.h): a line each of 'name value name value', or an array of objects. */
#include <stdio.h>
#include <string.h>

#include "rows.h"

int rows_json;
static int rows_printed, fields_printed;

void rows_begin(void)
{
	rows_printed = 0;
	if (rows_json)
		putchar('[');
}

void rows_end(void)
{
	if (rows_json)
		puts("]");
}

void row_begin(void)
{
	fields_printed = 0;
	if (rows_json)
		fputs(rows_printed++ ? ",\n{" : "{", stdout);
}

void row_end(void)
{
	if (rows_json || fields_printed)
		puts(rows_json ? "}" : "");
}

/* A line of its own for what follows; JSON has all of a row in one object. */
void row_break(void)
{
	if (rows_json)
		return;
	puts("");
	fields_printed = 0;
}

/* In JSON, where not all characters stand for themselves: names come from other hosts, too. */
static void row_quoted(const char *text, size_t size)
{
	putchar('"');
	for (; size--; text++) {
		if ((unsigned char)*text < ' ')
			printf("\\u%04x", *text);
		else if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else
			putchar(*text);
	}
	putchar('"');
}

static void row_name(const char *name)
{
	if (!rows_json) {
		printf("%s%s ", fields_printed++ ? " " : "", name);
		return;
	}
	if (fields_printed++)
		putchar(',');
	row_quoted(name, strlen(name));
	putchar(':');
}

/* Enterprise IDs have blanks behind them. */
static size_t row_length(const char *text)
{
	size_t size = strlen(text);

	while (size && text[size - 1] == ' ')
		size--;
	return size;
}

void row_text(const char *name, const char *value)
{
	row_name(name);
	if (rows_json)
		row_quoted(value, row_length(value));
	else
		printf("%.*s", (int)row_length(value), value);
}

void row_number(const char *name, unsigned long long value)
{
	row_name(name);
	printf("%llu", value);
}
