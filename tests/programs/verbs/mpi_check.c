// SPDX-License-Identifier: GPL-2.0
/*
 * What MPI moves, every byte compared: messages of sizes from nothing up, sums over all,
 * all to all, columns of a matrix; and one-sided puts, gets and counting.
 *
 * usage: mpi_check MOST [two-sided]
 *
 * MOST: bytes of the longest message. By any even number of processes.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY		8192		/* numbers that go from each to each */
#define ROWS		256
#define COLUMNS		7
#define SOME_COLUMNS	3
#define ROUNDS		100

static int me, all;
static long bad;

static unsigned char byte_of(size_t at, int round)
{
	return at * 131 + round * 17 + (at >> 8);
}

static void fill(unsigned char *at, size_t length, int round)
{
	for (size_t i = 0; i < length; i++)
		at[i] = byte_of(i, round);
}

static void compare(const unsigned char *at, size_t length, int round)
{
	for (size_t i = 0; i < length; i++)
		bad += at[i] != byte_of(i, round);
}

static void expect(long got, long want)
{
	bad += got != want;
}

static void *some(size_t bytes)
{
	void *at = calloc(1, bytes);

	if (!at)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return at;
}

/* Which part went wrong, if one did. */
static void part(const char *name)
{
	static long before;
	long sum;

	MPI_Allreduce(&bad, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	if (!me)
		printf("%s %s, %d processes\n", sum == before ? "ok  " : "FAIL", name, all);
	fflush(stdout);
	before = sum;
}

/* ---- two-sided ----------------------------------------------------------------- */

static void back_and_forth(unsigned char *at, size_t length, int round)
{
	/* The other half of all, which is on the other host. */
	int peer = (me + all / 2) % all;

	if (me < all / 2) {
		fill(at, length, round);
		MPI_Send(at, length, MPI_BYTE, peer, round, MPI_COMM_WORLD);
		memset(at, 0, length);
	}
	MPI_Recv(at, length, MPI_BYTE, peer, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	compare(at, length, me < all / 2 ? round + 1 : round);
	if (me >= all / 2) {
		fill(at, length, round + 1);
		MPI_Send(at, length, MPI_BYTE, peer, round, MPI_COMM_WORLD);
	}
}

static void messages(size_t most)
{
	unsigned char *at = some(most + 1);

	for (size_t length = 0; length <= most; length = length ? length * 4 + length % 2 : 1)
		for (int round = 0; round < (length > 65536 ? 2 : 10); round++)
			back_and_forth(at, length, round);
	free(at);
	part("messages");
}

static void sums(void)
{
	long *in = some(MANY * sizeof(long)), *out = some(MANY * sizeof(long));

	for (int i = 0; i < MANY; i++)
		in[i] = i + me;
	MPI_Allreduce(in, out, MANY, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	for (int i = 0; i < MANY; i++)
		expect(out[i], (long)all * i + all * (all - 1) / 2);
	free(in);
	free(out);
	part("sums over all");
}

static void all_to_all(void)
{
	long *in = some(all * MANY * sizeof(long)), *out = some(all * MANY * sizeof(long));

	for (long i = 0; i < (long)all * MANY; i++)
		in[i] = me * 1000000L + i;
	MPI_Alltoall(in, MANY, MPI_LONG, out, MANY, MPI_LONG, MPI_COMM_WORLD);
	for (int p = 0; p < all; p++)
		for (long i = 0; i < MANY; i++)
			expect(out[p * MANY + i], p * 1000000L + (long)me * MANY + i);
	free(in);
	free(out);
	part("all to all");
}

static void columns(void)
{
	int *in = some(ROWS * COLUMNS * sizeof(int)), *out = some(ROWS * COLUMNS * sizeof(int));
	int before = (me + all - 1) % all;
	MPI_Datatype some_columns;

	MPI_Type_vector(ROWS, SOME_COLUMNS, COLUMNS, MPI_INT, &some_columns);
	MPI_Type_commit(&some_columns);
	for (int i = 0; i < ROWS * COLUMNS; i++)
		in[i] = i + me;
	MPI_Sendrecv(in, 1, some_columns, (me + 1) % all, 9, out, 1, some_columns, before, 9,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < ROWS * COLUMNS; i++)
		expect(out[i], i % COLUMNS < SOME_COLUMNS ? i + before : 0);
	MPI_Type_free(&some_columns);
	free(in);
	free(out);
	part("columns of a matrix");
}

/* ---- one-sided ----------------------------------------------------------------- */

#define WINDOW	(4 * MANY)
#define PUT_AT	(2 * MANY)
#define COUNT	5

static void put_and_get(MPI_Win window, const long *base)
{
	long *in = some(MANY * sizeof(long)), *out = some(MANY * sizeof(long));
	int next = (me + 1) % all, before = (me + all - 1) % all;

	for (int i = 0; i < MANY; i++)
		in[i] = me * 77 + i;
	MPI_Put(in, MANY, MPI_LONG, next, PUT_AT, MANY, MPI_LONG, window);
	MPI_Win_flush(next, window);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_sync(window);
	for (int i = 0; i < MANY; i++)
		expect(base[PUT_AT + i], before * 77 + i);
	part("puts");
	MPI_Get(out, MANY, MPI_LONG, next, PUT_AT, MANY, MPI_LONG, window);
	MPI_Win_flush(next, window);
	for (int i = 0; i < MANY; i++)
		expect(out[i], me * 77 + i);
	free(in);
	free(out);
	part("gets");
}

static void counting(MPI_Win window)
{
	long one = 1, old, count;

	for (int i = 0; i < ROUNDS; i++) {
		MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, COUNT, MPI_SUM, window);
		MPI_Win_flush(0, window);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Get(&count, 1, MPI_LONG, 0, COUNT, 1, MPI_LONG, window);
	MPI_Win_flush(0, window);
	expect(count, (long)ROUNDS * all);
	part("counting together");
}

static void one_sided(void)
{
	MPI_Win window;
	long *base;

	MPI_Win_allocate(WINDOW * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
			 &base, &window);
	memset(base, 0, WINDOW * sizeof(long));
	MPI_Win_lock_all(0, window);
	MPI_Barrier(MPI_COMM_WORLD);
	put_and_get(window, base);
	counting(window);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_unlock_all(window);
	MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
	long sum;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &all);
	if (argc < 2 || all % 2) {
		fprintf(stderr, "usage: mpi_check MOST [two-sided], an even number of them\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	messages(strtoul(argv[1], NULL, 0));
	sums();
	all_to_all();
	columns();
	if (argc == 2)
		one_sided();
	MPI_Allreduce(&bad, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	if (!me)
		printf("%ld wrong\n", sum);
	MPI_Finalize();
	return sum ? 1 : 0;
}
