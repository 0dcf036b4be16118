/* SPDX-License-Identifier: GPL-2.0 */
/* What says that an input found a fault. */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>

void watch_init(void);

/* Return: whether the kernel has reported a fault since the last call; all lines go to @log. */
bool watch_reports(const char *log);

/* Objects that our device has now. */
int watch_objects(void);
/* Return: whether they are as many as before, or will be within @seconds. */
bool watch_none_left(int seconds);

/* The device is another one. */
void watch_again(void);

/* Each kind of line that the kernel has logged, with how often it did. */
void watch_print_lines(void);

#endif /* WATCH_H */
