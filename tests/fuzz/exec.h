/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One input, in a process of its own. For ARCH=um a new address space is a copy of its whole
 * memory's page tables, many times what an input costs: so that process shares the memory of
 * its parent, the host, which is another one after some inputs.
 */
#ifndef EXEC_H
#define EXEC_H

#include "input.h"

enum exec_end {
	EXEC_DONE,
	EXEC_LATE,	/* it had to be killed; blocking calls may be meant so */
	EXEC_STUCK,	/* and did not end when it was: a fault of the kernel */
};

void exec_init(void);

/*
 * What its operations chose is in @in afterwards, unless the process died before it could
 * tell. @random: what they choose by behind the end of their bytes.
 */
enum exec_end exec_run(struct input *in, uint64_t random);

/* The next input gets another host: what that has open is out of date. */
void exec_renew(void);

#endif /* EXEC_H */
