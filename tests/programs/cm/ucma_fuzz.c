// SPDX-License-Identifier: GPL-2.0
/*
 * Conversations on /dev/infiniband/rdma_cm with mutated commands, by several
 * threads on files that they share. Threads listen, connect to each other by the
 * loopback, answer the events, join groups and move ids between the files. Six
 * of ten commands are what an honest program would write; the rest is bent.
 *
 * usage: ucma_fuzz [-a ADDRESS] [-g GROUP] [-n COMMANDS] [-s SEED] [-t THREADS]
 *		    [-c]
 *   -c  fail unless each kind of command succeeded at least once
 *
 * It does not judge errors: the kernel's silence and, afterwards, its counts are
 * the test. A response pointer gone wild may hit the program itself, so the work
 * is done by a child, which is started again (with the next seed) if it dies of
 * that. Killing the parent kills the child.
 */
#include "cma_raw.h"
#include "fuzz_threads.h"

#define FILES 4
#define POOL 32
#define PORTS 16

enum kind { ID, LISTENER, DATAGRAM, MCAST, KINDS };

/* What all threads and both processes see. */
struct shared {
	atomic_long left;
	atomic_long good[CMA_COMMANDS], bad[CMA_COMMANDS];
	atomic_long events[16], restarts;
};

/* One open file and what is known of its ids; racy, and meant to be. */
struct context {
	atomic_int fd;
	atomic_uint pool[KINDS][POOL], next[KINDS];
};

static struct shared *shared;
static struct context files[FILES];
static atomic_uint ports[PORTS], next_port;
static const char *local = "10.0.0.1", *group = "239.1.2.3";
static char *read_only;
static _Thread_local int options[64];

/* ---- what is known ---- */

/* Plus one, so that zero is none. */
static void remember(struct context *file, enum kind kind, uint32_t id)
{
	uint32_t at = atomic_fetch_add(&file->next[kind], 1) % POOL;

	atomic_store(&file->pool[kind][at], id + 1);
}

static void forget(struct context *file, uint32_t id)
{
	int kind, i;

	for (kind = 0; kind < KINDS; kind++)
		for (i = 0; i < POOL; i++) {
			uint32_t known = id + 1;

			atomic_compare_exchange_strong(&file->pool[kind][i],
						       &known, 0);
		}
}

/* One that lives, unless another thread was faster; 0 is a good guess as well. */
static uint32_t pick(struct thread *t, struct context *file, enum kind kind)
{
	uint32_t id = 0;
	int i;

	for (i = 0; !id && i < 16; i++)
		id = atomic_load(&file->pool[kind][below(t, POOL)]);
	return id ? id - 1 : 0;
}

static uint16_t pick_port(struct thread *t)
{
	uint16_t port = 0;
	int i;

	for (i = 0; !port && i < 8; i++)
		port = atomic_load(&ports[below(t, PORTS)]);
	return port ? port : 7171;
}

/*
 * On the first file GET_EVENT blocks. A thread that waits there has seen an event that
 * another thread was faster to read, so there is always one that does not wait,
 * as long as the file is open.
 */
static bool blocks(const struct context *file)
{
	return file == &files[0];
}

static int file_open_new(void)
{
	return open(CMA_DEV, O_RDWR | O_CLOEXEC | O_NONBLOCK);
}

/* Everything of it goes, with events unread and connections half open. */
static void file_renew(struct context *file)
{
	int kind, i, fd = file_open_new();

	if (fd < 0)
		return;
	for (kind = 0; kind < KINDS; kind++)
		for (i = 0; i < POOL; i++)
			atomic_store(&file->pool[kind][i], 0);
	fd = atomic_exchange(&file->fd, fd);
	if (fd >= 0)
		close(fd);
}

/* ---- a bent command ---- */

static uint32_t odd_number(struct thread *t)
{
	static const uint32_t odd[] = {
		0, 1, 2, 7, 8, 16, 27, 28, 48, 77, 128, 255, 256, 0x106, 0x111,
		0x13f, 4095, 65535, 0x7fffffff, 0x80000000, 0xffffffff,
	};

	return chance(t, 60) ? odd[below(t, sizeof(odd) / sizeof(odd[0]))] : rnd(t);
}

static uint64_t odd_address(struct thread *t)
{
	switch (below(t, 6)) {
	case 0:
		return 0;
	case 1:
		return 8;
	case 2:
		return 0xffff888000000000ull;
	case 3:
		return (uintptr_t)read_only;
	case 4:
		return (uintptr_t)t->edge + 4096 - below(t, 300);
	}
	return (uintptr_t)t->response + below(t, 64);
}

/* Return: bytes to write. */
static size_t bend(struct thread *t, const struct cma_command *c,
		   struct cma_packet *p, size_t length)
{
	int times = 1 + below(t, 3);
	uint32_t number;

	while (times--)
		switch (below(t, 9)) {
		case 0:
			p->hdr.in = chance(t, 50) ? p->hdr.in - 1u : odd_number(t);
			break;
		case 1:
			p->hdr.out = chance(t, 50) ? p->hdr.out - 1u : odd_number(t);
			break;
		case 2:
			length = chance(t, 50) && length ? length - 1 :
				 below(t, sizeof(*p));
			break;
		case 3:
			p->hdr.cmd = chance(t, 80) ? below(t, 25) : rnd(t);
			break;
		case 4:
			cma_set_response(p, c, odd_address(t));
			break;
		case 5:
			cma_set_id(p, c, chance(t, 50) ? below(t, 64) : odd_number(t));
			break;
		case 6:
			p->body[below(t, c->size)] = rnd(t);
			break;
		default:
			number = odd_number(t);
			memcpy(p->body + below(t, c->size / 4) * 4, &number, 4);
			break;
		}
	return length;
}

/* ---- one command ---- */

/* Return: whether the command was what it was meant to be, and succeeded. */
static bool run(struct thread *t, const struct cma_command *c, struct cma_packet *p)
{
	const size_t size = cma_length(c);
	bool bent = chance(t, 40);
	size_t length = size;
	const void *from = p;
	ssize_t ret;

	if (bent)
		length = bend(t, c, p, length);
	/* At the end of memory a byte too many is a fault. */
	if (chance(t, 30))
		from = memcpy(t->edge + 4096 - length, p, length);
	atomic_fetch_sub(&shared->left, 1);
	ret = write(atomic_load(&t->ctx->fd), from, length);
	if (ret < 0) {
		atomic_fetch_add(&shared->bad[c - cma_commands], 1);
		return false;
	}
	if (!bent)
		atomic_fetch_add(&shared->good[c - cma_commands], 1);
	return !bent;
}

static const struct cma_command *compose(struct thread *t, struct cma_packet *p,
					 uint32_t number, uint32_t id)
{
	const struct cma_command *c = cma_find(number);
	struct cma_world w = {
		.local = local, .group = group, .port = pick_port(t),
		.from = atomic_load(&files[below(t, FILES)].fd),
		.response = t->response, .option = options,
	};

	cma_build(p, c, &w, id);
	return c;
}

static bool simply(struct thread *t, uint32_t number, uint32_t id)
{
	struct cma_packet p;
	const struct cma_command *c = compose(t, &p, number, id);

	return run(t, c, &p);
}

static uint32_t answer(struct thread *t)
{
	uint32_t id;

	memcpy(&id, t->response, sizeof(id));
	return id;
}

/* Return: the id plus one, or 0. */
static uint32_t create(struct thread *t, enum kind kind)
{
	struct cma_packet p;
	const struct cma_command *c = compose(t, &p, CMA(CREATE_ID), 0);

	p.create_id.uid = 1 + below(t, 1000);
	if (kind == DATAGRAM)
		p.create_id.ps = chance(t, 90) ? RDMA_PS_UDP : RDMA_PS_IPOIB;
	if (!run(t, c, &p))
		return 0;
	remember(t->ctx, kind, answer(t));
	return answer(t) + 1;
}

/* ---- what programs do ---- */

static void note_port(struct thread *t, uint32_t id)
{
	struct rdma_ucm_query_addr_resp *resp = (void *)t->response;
	struct sockaddr_in addr;

	if (!simply(t, CMA(QUERY), id))
		return;
	memcpy(&addr, &resp->src_addr, sizeof(addr));
	if (addr.sin_port)
		atomic_store(&ports[atomic_fetch_add(&next_port, 1) % PORTS],
			     ntohs(addr.sin_port));
}

static void serve(struct thread *t)
{
	uint32_t id = create(t, chance(t, 80) ? LISTENER : DATAGRAM);

	if (!id--)
		return;
	if (simply(t, chance(t, 80) ? CMA(BIND) : CMA(BIND_IP), id) &&
	    simply(t, CMA(LISTEN), id))
		note_port(t, id);
}

static void connect_to(struct thread *t)
{
	uint32_t id = create(t, chance(t, 85) ? ID : DATAGRAM);

	if (id--)
		simply(t, chance(t, 80) ? CMA(RESOLVE_ADDR) : CMA(RESOLVE_IP), id);
}

static void join_one(struct thread *t)
{
	uint32_t id = chance(t, 50) ? pick(t, t->ctx, DATAGRAM) + 1 :
		      create(t, DATAGRAM);

	if (!id--)
		return;
	simply(t, CMA(BIND), id);
	if (simply(t, chance(t, 80) ? CMA(JOIN_MCAST) : CMA(JOIN_IP_MCAST), id))
		remember(t->ctx, MCAST, answer(t));
}

static void leave_one(struct thread *t)
{
	uint32_t number = pick(t, t->ctx, MCAST);

	if (simply(t, CMA(LEAVE_MCAST), number))
		forget(t->ctx, number);
}

static void accept_or_not(struct thread *t, uint32_t id, bool valid)
{
	struct cma_packet p;
	const struct cma_command *c;

	remember(t->ctx, ID, id);
	simply(t, CMA(INIT_QP_ATTR), id);
	if (chance(t, 10)) {
		simply(t, CMA(REJECT), id);
		return;
	}
	c = compose(t, &p, CMA(ACCEPT), id);
	p.accept.conn_param.valid = valid;
	/* Sooner than the peer says so, a message may have told that it is up. */
	if (run(t, c, &p) && valid && chance(t, 60))
		simply(t, CMA(NOTIFY), id);
}

static void end_one(struct thread *t, uint32_t id)
{
	if (simply(t, CMA(DESTROY_ID), id))
		forget(t->ctx, id);
}

static void answer_event(struct thread *t, const struct rdma_ucm_event_resp *event)
{
	const uint32_t id = event->id;

	switch (event->event) {
	case EV_ADDR_RESOLVED:
		simply(t, CMA(RESOLVE_ROUTE), id);
		break;
	case EV_ROUTE_RESOLVED:
		simply(t, CMA(QUERY_ROUTE), id);
		simply(t, CMA(CONNECT), id);
		break;
	case EV_CONNECT_REQUEST:
		accept_or_not(t, id, true);
		break;
	case EV_CONNECT_RESPONSE:
		accept_or_not(t, id, false);
		break;
	case EV_ESTABLISHED:
		simply(t, CMA(NOTIFY), id);
		simply(t, CMA(DISCONNECT), id);
		break;
	case EV_MULTICAST_JOIN:
		break;
	default:
		end_one(t, id);
	}
}

static void read_event(struct thread *t)
{
	struct pollfd ready = { atomic_load(&t->ctx->fd), POLLIN, 0 };
	struct rdma_ucm_event_resp event;

	if (blocks(t->ctx) && poll(&ready, 1, 0) != 1)
		return;
	if (!simply(t, CMA(GET_EVENT), 0))
		return;
	memcpy(&event, t->response, sizeof(event));
	atomic_fetch_add(&shared->events[event.event % 16], 1);
	if (chance(t, 85))
		answer_event(t, &event);
}

static void migrate(struct thread *t)
{
	struct context *from = &files[below(t, FILES)];
	enum kind kind = below(t, MCAST);
	uint32_t id = pick(t, from, kind);
	struct cma_packet p;
	const struct cma_command *c = compose(t, &p, CMA(MIGRATE_ID), id);

	p.migrate_id.fd = atomic_load(&from->fd);
	if (!run(t, c, &p))
		return;
	forget(from, id);
	remember(t->ctx, kind, id);
}

/* Any command on any id, in whatever state that is. */
static void anything(struct thread *t)
{
	const struct cma_command *c = &cma_commands[below(t, CMA_COMMANDS)];
	struct cma_packet p;

	if (c->number == CMA(DESTROY_ID) && chance(t, 70))
		return;
	if (c->number == CMA(GET_EVENT) && blocks(t->ctx))
		return;
	compose(t, &p, c->number, pick(t, t->ctx, below(t, KINDS)));
	switch (c->number) {
	case CMA(SET_OPTION):
		p.set_option.level = below(t, 2);
		p.set_option.optname = below(t, 4);
		p.set_option.optlen = p.set_option.level ? 72 :
			p.set_option.optname % 3 ? 4 : 1;
		options[0] = IB_PATH_GMP | IB_PATH_PRIMARY | IB_PATH_BIDIRECTIONAL;
		break;
	case CMA(QUERY):
		p.query.option = below(t, 3);
		break;
	case CMA(INIT_QP_ATTR):
		p.init_qp_attr.qp_state = below(t, 4);
		break;
	case CMA(BIND):
		if (chance(t, 30)) {
			memset(&p.bind.addr, 0, sizeof(p.bind.addr));
			p.bind.addr.ss_family = CMA_AF_IB;
			p.bind.addr_size = 48;
		}
		break;
	}
	run(t, c, &p);
}

static void one_turn(struct thread *t)
{
	uint32_t n = below(t, 100);

	t->ctx = &files[below(t, FILES)];
	if (n < 5)
		serve(t);
	else if (n < 20)
		connect_to(t);
	else if (n < 60)
		read_event(t);
	else if (n < 65)
		join_one(t);
	else if (n < 69)
		leave_one(t);
	else if (n < 73)
		migrate(t);
	else if (n < 80)
		end_one(t, pick(t, t->ctx, below(t, MCAST)));
	else
		anything(t);
	if (!blocks(t->ctx) && !below(t, 500))
		file_renew(t->ctx);
}

/* ---- processes ---- */

static int child(uint64_t seed, int threads)
{
	int i;

	for (i = 0; i < FILES; i++) {
		atomic_store(&files[i].fd, file_open_new());
		if (atomic_load(&files[i].fd) < 0) {
			perror(CMA_DEV);
			return 2;
		}
	}
	fcntl(files[0].fd, F_SETFL, 0);
	threads_run(seed, threads, 8192, &shared->left, one_turn);
	return 0;
}

/* Return: number of commands that never succeeded. */
static int summary(void)
{
	long good = 0, bad = 0;
	int never = 0;
	size_t i;

	for (i = 0; i < CMA_COMMANDS; i++) {
		long g = atomic_load(&shared->good[i]);
		long b = atomic_load(&shared->bad[i]);

		printf("%-16s %8ld %8ld%s\n", cma_commands[i].name, g, b,
		       g ? "" : "  never succeeded");
		never += !g;
		good += g;
		bad += b;
	}
	for (i = 0; i < 16; i++)
		if (atomic_load(&shared->events[i]))
			printf("event %zu: %ld\n", i, atomic_load(&shared->events[i]));
	printf("%ld good, %ld refused, %d kinds never succeeded, %ld restarts\n",
	       good, bad, never, atomic_load(&shared->restarts));
	return never;
}

int main(int argc, char **argv)
{
	struct plan plan = { .seed = time(NULL), .count = 10000, .threads = 4 };
	int option;

	while ((option = getopt(argc, argv, "a:g:n:s:t:c")) != -1) {
		if (option == 'a') {
			local = optarg;
		} else if (option == 'g') {
			group = optarg;
		} else if (!plan_option(&plan, option)) {
			fprintf(stderr, "usage: ucma_fuzz [-a ADDRESS] [-g GROUP] [-n COMMANDS] [-s SEED] [-t THREADS] [-c]\n");
			return 2;
		}
	}

	/*
	 * Far from all else: a response must not get here by one byte of its
	 * address that is another. ARCH=um ends at 2^39.
	 */
	shared = mmap((void *)0x1234560000, sizeof(*shared),
		      PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (shared == MAP_FAILED) {
		perror("mmap");
		return 2;
	}
	read_only = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	return plan_run(&plan, &shared->left, &shared->restarts, child, summary);
}
