/* SPDX-License-Identifier: GPL-2.0 */
/* Two ports of this host, and memory to be wrong about. */
#ifndef UMAD_WORLD_H
#define UMAD_WORLD_H

#include <sys/mman.h>

#include "umad_raw.h"
#include "verdict.h"

#define PAGE 4096

static struct u_end here, there;
static struct u_record out, in;
static uint32_t next_tid = 0x1000;
/* Two pages: the second cannot be touched; one that can only be read. */
static char *edge, *read_only;
static void *volatile nowhere = (void *)8;

static inline void compose(int id, uint8_t class, uint8_t method)
{
	u_compose(&out, &here, &there, id, class, method, ++next_tid);
}

/* Of the words of a program: DEVICE GID PEER GID. */
static inline bool world_init(int argc, char **argv)
{
	if (argc < 5 || !u_end_find(&here, argv[1], argv[2]) ||
	    !u_end_find(&there, argv[3], argv[4])) {
		fprintf(stderr, "usage: %s DEVICE GID PEER GID [WORD]\n", argv[0]);
		return false;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	edge = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(edge + PAGE, PAGE, PROT_NONE);
	read_only = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return true;
}

#endif /* UMAD_WORLD_H */
