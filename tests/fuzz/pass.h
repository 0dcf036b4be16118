/* SPDX-License-Identifier: GPL-2.0 */
/* An input that is run by two processes in turn, and files that one gets from the other. */
#ifndef PASS_H
#define PASS_H

#include <stdbool.h>
#include <stdint.h>

/* Return: whether this process does that operation of the input. */
bool pass_turn(uint32_t operation);
/* The other one goes on. */
void pass_done(void);
/* Behind the last operation. */
void pass_end(void);

/* @fd is used by what follows. */
void uverbs_adopt(int fd);
void ucma_adopt(int fd);

/* The file of rdma_cm, and an id that it has made. */
int ucma_file(void);
void ucma_keep(uint32_t id);

#endif /* PASS_H */
