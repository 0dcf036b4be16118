/* SPDX-License-Identifier: GPL-2.0 */
/* The measuring program of 'make bench': what its files have between them. */
#ifndef BENCH_H
#define BENCH_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs.h>

#define MOST_QPS	1024
#define HANG		30	/* seconds without anything */

#define NEED(x) do { if (!(x)) { \
	fprintf(stderr, "%s: %s: %s (%s:%d)\n", me ? "serve" : "ask", #x, \
		strerror(errno), __FILE__, __LINE__); exit(1); } } while (0)

/* CALLS: none of a device, but what each of its doorbells takes at least. */
enum work { STREAM, PINGPONG, IDLE, CALLS };

/* What a message is, or a round of them. */
enum op {
	WRITE, READ, SEND, FADD, CSWAP, TCP,
	WRITE_READ,		/* a WRITE, and when it is complete a READ */
	WRITE_READ_QUIET,	/* both at once, and nothing is said of the WRITE */
};

/*
 * How a side learns of a completion. Two that poll need a processor each. ALONE is
 * one process that has both ends and polls both: what the stack takes, without the
 * scheduler.
 */
enum waiting { POLL, EVENT, ALONE };

/* What is measured: the words of the command line. */
struct cell {
	const char *tag, *wire, *netns, *address, *bind;
	const char *dev[2];
	long gid[2];
	long work, op, type, wait;
	long size, qps, mtu, port;
	double seconds;
	int batch, window, credit;	/* see stream.c */
};

extern struct cell cell;
extern int me;				/* 0 asks, 1 serves */

struct result {
	long messages;			/* or rounds of them */
	double seconds;
	double best;			/* messages in a second, of the best piece */
	long bytes_per_qp;		/* of IDLE alone */
};

/* ---- oob.c: what the sides tell each other beside the wire ---------------------- */

extern int oob;

void oob_fork(void);
void oob_serve(int port);
void oob_ask(const char *address, int port);
void oob_swap(const void *mine, void *theirs, size_t size);
void oob_meet(void);
int tcp_listen(int port);
int tcp_connect(const char *address, int port);

/* ---- usage.c -------------------------------------------------------------------- */

struct usage {
	double when;
	double user, sys;		/* of this process */
	double cpu[3];			/* of the machine: user, system, interrupts */
	double wire;			/* bytes that passed cell.wire */
};

double now(void);
void usage_take(struct usage *u);
void usage_since(struct usage *u, const struct usage *before);
long memory_used(void);

/* ---- side.c: one end of a connection of verbs ----------------------------------- */

struct facts {
	union ibv_gid gid;
	uint64_t address;
	uint32_t rkey;
	uint32_t qpn[MOST_QPS];
};

struct side {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_ah *ah;
	struct ibv_qp *qp[MOST_QPS];
	uint8_t *memory;		/* what leaves, then what arrives */
	size_t arrives;
	long gid_index;
	bool armed;
	unsigned int unacked;		/* events */
	struct facts own, other;
};

/* In wr_id, above the number of the queue pair. */
#define RECEIVED	(1ULL << 32)
#define CREDIT		(2ULL << 32)

void side_open(struct side *s, int end);
void side_connect(struct side *s);
void side_receive(struct side *s, int q);
void side_post(struct side *s, int q, enum op op, bool signaled);
void side_write_read(struct side *s);
void side_credit(struct side *s, int q);
int side_poll(struct side *s, struct ibv_wc *wc, int most);
int side_wait(struct side *s, struct ibv_wc *wc, int most, double patience);
bool side_told(void);

/* ---- cm.c ------------------------------------------------------------------------ */

struct ibv_context *cm_begin(void);
void cm_connect(struct side *s, int q, struct ibv_qp_init_attr *attr);

/* ---- what is measured ------------------------------------------------------------ */

void stream_plan(void);
void stream_begin(struct side *s);
void stream(struct side *s, double seconds, struct result *r);
void pingpong_begin(struct side *s);
void pingpong(struct side *s, double seconds, struct result *r);
void pingpong_alone(struct side *a, struct side *b, double seconds, struct result *r);
void tcp_open(int fd[2]);
void tcp_stream(const int fd[2], double seconds, struct result *r);
void tcp_pingpong(const int fd[2], double seconds, struct result *r);

#endif /* BENCH_H */
