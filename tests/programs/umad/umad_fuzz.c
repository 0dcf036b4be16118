// SPDX-License-Identifier: GPL-2.0
/*
 * Mutated writes, reads and ioctls on /dev/infiniband/umadN of two ports that talk
 * to each other, by several threads on files that they share. Six of ten calls are
 * what an honest program would do; the rest is bent.
 *
 * usage: umad_fuzz [-n CALLS] [-s SEED] [-t THREADS] [-c] DEVICE GID PEER GID
 *   -c  fail unless each kind of call succeeded at least once
 *
 * It does not judge errors: the kernel's silence and, afterwards, its counts are
 * the test. A file is opened again after its device has gone.
 */
#include "fuzz_threads.h"
#include "umad_raw.h"

#define FILES 6
#define CLASSES 4

enum kind {
	OPEN, PKEY, REGISTER, REGISTER2, UNREGISTER, SEND, REQUEST, ANSWER,
	TRANSFER, READ, POLL, ISSM, KINDS
};

static const char *const names[KINDS] = {
	"open", "P_Key mode", "register", "register 2", "unregister", "send",
	"request", "answer", "transfer", "read", "poll", "issm",
};

/* What all threads and both processes see. */
struct shared {
	atomic_long left, restarts;
	atomic_long good[KINDS], bad[KINDS];
};

/* An open file; racy, and meant to be. */
struct context {
	atomic_int fd;
};

static struct shared *shared;
static struct context files[FILES];
static struct u_end ends[2];
static const char *gids[2];
static char *read_only;
static atomic_uint next_tid;

static void count(enum kind kind, int err)
{
	atomic_fetch_sub(&shared->left, 1);
	atomic_fetch_add(err ? &shared->bad[kind] : &shared->good[kind], 1);
}

static int fd_of(struct thread *t)
{
	return atomic_load(&t->ctx->fd);
}

/* Files of even number are of the first port. */
static int side_of(struct thread *t)
{
	return (t->ctx - files) & 1;
}

/* Everything of it goes, with MADs unread and others under way. */
static void renew(struct thread *t)
{
	int fd = u_open(&ends[side_of(t)], O_NONBLOCK);

	count(OPEN, fd < 0);
	if (fd < 0) {
		/* It may be another one by now. */
		usleep(1000);
		return;
	}
	if (chance(t, 70))
		count(PKEY, U_ERR(ioctl(fd, IB_USER_MAD_ENABLE_PKEY, 0)));
	u_agent(fd, 0, 0, chance(t, 70), 0);
	u_agent(fd, U_VENDOR + below(t, CLASSES), 1 << below(t, 4), 1, 0);
	fd = atomic_exchange(&t->ctx->fd, fd);
	if (fd >= 0)
		close(fd);
}

static uint32_t odd_number(struct thread *t)
{
	static const uint32_t odd[] = {
		0, 1, 2, 7, 8, 23, 24, 31, 32, 36, 40, 56, 64, 128, 255, 256,
		257, 2048, 65535, 0x7fffffff, 0x80000000, 0xffffffff,
	};

	return chance(t, 60) ? odd[below(t, sizeof(odd) / sizeof(odd[0]))] : rnd(t);
}

/* At the end of memory a byte too many is a fault. */
static void *place(struct thread *t, const void *data, size_t size)
{
	if (chance(t, 2))
		return read_only;
	if (chance(t, 1))
		return (void *)0xffff888000000000ull;
	return memcpy(t->edge + 4096 - size, data, size);
}

static void bend(struct thread *t, void *data, size_t size)
{
	int times = 1 + below(t, 3);
	uint32_t number;

	while (times--) {
		number = odd_number(t);
		if (chance(t, 50))
			((uint8_t *)data)[below(t, size)] = number;
		else
			memcpy((char *)data + below(t, size / 4) * 4, &number, 4);
	}
}

/* ---- agents ---- */

static void register_old(struct thread *t)
{
	struct ib_user_mad_reg_req req = { .qpn = 1 };

	if (chance(t, 50)) {
		req.mgmt_class = chance(t, 80) ? U_VENDOR + below(t, CLASSES) : 4;
		req.mgmt_class_version = 1;
		req.method_mask[0] = 1u << below(t, 4);
		memcpy(req.oui, u_oui, 3);
	}
	req.rmpp_version = req.mgmt_class != 4 && chance(t, 60);
	if (chance(t, 30))
		bend(t, &req, sizeof(req));
	count(REGISTER, U_ERR(ioctl(fd_of(t), IB_USER_MAD_REGISTER_AGENT,
				    place(t, &req, sizeof(req)))));
}

static void register_new(struct thread *t)
{
	struct ib_user_mad_reg_req2 req = u_wish(0, 0, chance(t, 60));

	if (chance(t, 60))
		req = u_wish(U_VENDOR + below(t, CLASSES), below(t, 16),
			     chance(t, 70));
	if (req.mgmt_class && chance(t, 20))
		req.flags = IB_USER_MAD_USER_RMPP;
	if (chance(t, 30))
		bend(t, &req, sizeof(req));
	count(REGISTER2, U_ERR(ioctl(fd_of(t), IB_USER_MAD_REGISTER_AGENT2,
				     place(t, &req, sizeof(req)))));
}

static void unregister(struct thread *t)
{
	uint32_t number = chance(t, 90) ? below(t, 12) : odd_number(t);

	count(UNREGISTER, U_ERR(ioctl(fd_of(t), IB_USER_MAD_UNREGISTER_AGENT,
				      place(t, &number, 4))));
}

/* ---- datagrams ---- */

#define ROOM 8192
struct record {
	struct ib_user_mad_hdr hdr;
	union {
		struct u_mad mad;
		uint8_t bytes[ROOM];
	};
};

static _Thread_local struct record out, in;

/* Return: what write() did, of a header of either layout. */
static int put(struct thread *t, struct record *r, size_t length)
{
	size_t size = sizeof(r->hdr) + length;
	const void *from = r;

	if (chance(t, 40)) {
		bend(t, r, chance(t, 60) ? sizeof(r->hdr) + 56 : size);
		/* A name without an answer takes its time. */
		memcpy(r->hdr.gid, ends[below(t, 2)].gid, 16);
		if (chance(t, 20))
			size = chance(t, 50) ? below(t, size + 1) : odd_number(t) % sizeof(*r);
	}
	if (chance(t, 20))
		memmove((char *)r + 56, (char *)r + 64, size > 64 ? size - 64 : 0);
	if (size <= 4096 && chance(t, 30))
		from = place(t, r, size);
	return U_ERR(write(fd_of(t), from, size));
}

static void compose(struct thread *t, uint8_t method)
{
	int side = side_of(t);

	u_compose((struct u_record *)&out, &ends[side], &ends[below(t, 2)],
		  below(t, 4), U_VENDOR + below(t, CLASSES), method,
		  chance(t, 90) ? atomic_fetch_add(&next_tid, 1) : below(t, 8));
}

static void send_one(struct thread *t)
{
	compose(t, chance(t, 90) ? U_SEND : rnd(t));
	count(SEND, put(t, &out, U_MAD));
}

static void request(struct thread *t)
{
	compose(t, chance(t, 50) ? U_GET : below(t, 16));
	out.hdr.timeout_ms = chance(t, 90) ? 1 + below(t, 50) : odd_number(t);
	out.hdr.retries = chance(t, 90) ? below(t, 3) : odd_number(t);
	count(REQUEST, put(t, &out, U_MAD));
}

static void transfer(struct thread *t)
{
	size_t length = 40 + below(t, chance(t, 80) ? 2000 : ROOM - 40);

	compose(t, chance(t, 80) ? U_SEND : rnd(t));
	out.mad.rmpp_version = 1;
	out.mad.rmpp_type = chance(t, 70) ? RMPP_DATA : below(t, 6);
	out.mad.rmpp_flags = chance(t, 80) ? 1 : rnd(t);
	out.mad.rmpp_segment = htonl(chance(t, 50) ? 1 : odd_number(t));
	out.mad.rmpp_length = htonl(odd_number(t));
	out.hdr.timeout_ms = chance(t, 50) ? 1 + below(t, 50) : 0;
	count(TRANSFER, put(t, &out, chance(t, 70) ? length : U_MAD));
}

static void answer(struct thread *t)
{
	in.mad.method |= U_RESP;
	in.hdr.qkey = htonl(U_QKEY);
	in.hdr.timeout_ms = 0;
	out = in;
	count(ANSWER, put(t, &out, chance(t, 80) ? U_MAD : 40 + below(t, 4000)));
}

static void read_one(struct thread *t)
{
	size_t room = chance(t, 80) ? sizeof(in) : below(t, 400);
	ssize_t n;

	if (chance(t, 5))
		n = read(fd_of(t), room < 4000 ? t->edge + 4096 - room / 2 : read_only,
			 room);
	else
		n = read(fd_of(t), &in, room);
	count(READ, n < 0);
	if (n < 0 && errno == EIO)
		renew(t);
	else if (n >= 320 && room == sizeof(in) && !in.hdr.status && chance(t, 80))
		answer(t);
}

static void poll_one(struct thread *t)
{
	struct pollfd p = { fd_of(t), POLLIN, 0 };

	count(POLL, poll(&p, 1, below(t, 3)) < 0);
	if (p.revents & POLLIN)
		read_one(t);
}

static void issm(struct thread *t)
{
	int fd = u_open_node("issm", ends[side_of(t)].node, O_RDWR | O_NONBLOCK);

	count(ISSM, fd < 0);
	if (fd >= 0)
		close(fd);
}

static void one_turn(struct thread *t)
{
	uint32_t n = below(t, 1000);

	t->ctx = &files[below(t, FILES)];
	if (n < 40)
		register_old(t);
	else if (n < 100)
		register_new(t);
	else if (n < 130)
		unregister(t);
	else if (n < 300)
		send_one(t);
	else if (n < 500)
		request(t);
	else if (n < 600)
		transfer(t);
	else if (n < 800)
		read_one(t);
	else if (n < 980)
		poll_one(t);
	else if (n < 985)
		count(PKEY, U_ERR(ioctl(fd_of(t), IB_USER_MAD_ENABLE_PKEY, rnd(t))));
	else if (n < 992)
		issm(t);
	else
		renew(t);
}

/* ---- processes ---- */

static int child(uint64_t seed, int threads)
{
	int i;

	for (i = 0; i < FILES; i++) {
		atomic_store(&files[i].fd, u_open(&ends[i & 1], O_NONBLOCK));
		if (atomic_load(&files[i].fd) < 0) {
			perror("umad");
			return 2;
		}
	}
	threads_run(seed, threads, 8192, &shared->left, one_turn);
	return 0;
}

/* Return: number of calls that never succeeded. */
static int summary(void)
{
	int never = 0, i;

	for (i = 0; i < KINDS; i++) {
		long good = atomic_load(&shared->good[i]);

		/* Not every kernel has it for every port. */
		if (i == ISSM && access("/dev/infiniband/issm0", F_OK))
			continue;
		printf("%-12s %8ld %8ld%s\n", names[i], good,
		       atomic_load(&shared->bad[i]),
		       good ? "" : "  never succeeded");
		never += !good;
	}
	return never;
}

int main(int argc, char **argv)
{
	struct plan plan = { .seed = time(NULL), .count = 10000, .threads = 4 };
	int option;

	while ((option = getopt(argc, argv, "n:s:t:c")) != -1)
		if (!plan_option(&plan, option))
			return 2;
	if (argc - optind != 4)
		return 2;
	gids[0] = argv[optind + 1];
	gids[1] = argv[optind + 3];
	if (!u_end_find(&ends[0], argv[optind], gids[0]) ||
	    !u_end_find(&ends[1], argv[optind + 2], gids[1])) {
		fprintf(stderr, "usage: umad_fuzz [-n CALLS] [-s SEED] [-t THREADS] [-c] DEVICE GID PEER GID\n");
		return 2;
	}
	shared = mmap((void *)0x1234560000, sizeof(*shared),
		      PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (shared == MAP_FAILED) {
		perror("mmap");
		return 2;
	}
	read_only = mmap(NULL, 2 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	return plan_run(&plan, &shared->left, &shared->restarts, child, summary);
}
