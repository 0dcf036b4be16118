/* SPDX-License-Identifier: GPL-2.0 */
/* What is printed: rows of names and values, as words or as JSON. */
#ifndef OFED_SMC_ROWS_H
#define OFED_SMC_ROWS_H

/* -j was given. */
extern int rows_json;

void rows_begin(void);
void rows_end(void);
void row_begin(void);
void row_text(const char *name, const char *value);
void row_number(const char *name, unsigned long long value);
void row_break(void);
void row_end(void);

#endif
