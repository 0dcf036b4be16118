/* SPDX-License-Identifier: GPL-2.0 */
/* One process with both ends of a connection; see main.c. */
#ifndef INSNS_H
#define INSNS_H

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NEED(what) do {							\
	if (!(what)) {							\
		fprintf(stderr, "%s:%d: %s: %m\n", __FILE__, __LINE__, #what);	\
		exit(1);						\
	}								\
} while (0)

#define BYTES	(4 << 20)	/* of the memory of an end */
#define ARRIVES	(2 << 20)	/* where in it messages arrive */

/* What the command line says of one end. */
struct place {
	const char *dev, *address;
	int gid;
};

struct end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *sends, *receives;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	struct rdma_cm_id *id;
	union ibv_gid gid;
	struct ibv_port_attr port;
	int gid_index;
	char *memory;
};

struct cell {
	const char *name;
	enum ibv_wr_opcode op;
	size_t size;
	long messages;
	void (*work)(const struct cell *cell, struct end *a, struct end *b);
};

/* ends.c */
void ends_meet(struct end *a, struct end *b, const struct place places[2]);

/* cells.c */
void cell_parse(struct cell *cell, const char *name);

/* main.c */
void mark_on(void);
void mark_off(void);

#endif
