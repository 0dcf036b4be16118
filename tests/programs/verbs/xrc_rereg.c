// SPDX-License-Identifier: GPL-2.0
/*
 * What a device can do and librxe can not: XRC, and regions that are registered
 * again. Commands by write(), rings mapped and filled by hand.
 *
 * usage: xrc_rereg -d DEVICE -g GID-INDEX -p PORT [HOST]
 *
 * Without HOST: the target, which has the queues and regions, and decides what is
 * done and what must come of it. With HOST: the initiator, which obeys. They may
 * be on one host or on two.
 */
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "xrc_raw.h"

static int wire;

/* ---- between the two ----------------------------------------------------- */

enum { CONNECT = 1000, END };
enum { STRAIGHT, MANY_SGES, WRONG_SUM };

struct order {
	uint32_t what;			/* a work request's opcode, or above */
	uint32_t bend;			/* what is malformed in it */
	uint32_t qpn, srqn, rkey, length, seed, imm;
	uint64_t va, compare_add, swap;
	uint8_t gid[16];
};

struct answer {
	int32_t status;
	uint32_t qpn, sum;
	uint64_t original;
	uint8_t gid[16];
};

static void pass(void *data, size_t length, bool out)
{
	for (size_t done = 0; done < length;) {
		ssize_t n = out ? write(wire, (char *)data + done, length - done) :
				  read(wire, (char *)data + done, length - done);

		NEED(n > 0);
		done += n;
	}
}

static void meet(const char *port, const char *host)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM,
				  .ai_flags = host ? 0 : AI_PASSIVE }, *at;
	int one = 1;

	NEED(!getaddrinfo(host, port, &hints, &at));
	NEED((wire = socket(at->ai_family, at->ai_socktype, 0)) >= 0);
	if (host) {
		NEED(!connect(wire, at->ai_addr, at->ai_addrlen));
	} else {
		int fd = wire;

		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		NEED(!bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, 1));
		NEED((wire = accept(fd, NULL, NULL)) >= 0);
		close(fd);
	}
	setsockopt(wire, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	freeaddrinfo(at);
}

static void fill(uint8_t *at, uint32_t length, uint32_t seed)
{
	for (uint32_t i = 0; i < length; i++) {
		seed = seed * 1664525 + 1013904223;
		at[i] = seed >> 24;
	}
}

static uint32_t sum_of(const uint8_t *at, uint32_t length)
{
	uint32_t sum = length;

	while (length--)
		sum = (sum << 5 | sum >> 27) ^ *at++;
	return sum;
}

/* ---- initiator ----------------------------------------------------------- */

static void fill_wqe(struct rxe_send_wqe *wqe, const struct order *o, const uint8_t *area,
		     uint32_t lkey)
{
	bool atomic = o->what == IBV_WR_ATOMIC_CMP_AND_SWP || o->what == IBV_WR_ATOMIC_FETCH_AND_ADD;

	memset(wqe, 0, sizeof(*wqe));
	wqe->wr.wr_id = o->seed;
	wqe->wr.opcode = o->what;
	wqe->wr.send_flags = IBV_SEND_SIGNALED;
	wqe->wr.reserved = o->srqn;
	wqe->wr.ex.imm_data = o->imm;
	if (atomic) {
		wqe->wr.wr.atomic.remote_addr = o->va;
		wqe->wr.wr.atomic.rkey = o->rkey;
		wqe->wr.wr.atomic.compare_add = o->compare_add;
		wqe->wr.wr.atomic.swap = o->swap;
	} else {
		wqe->wr.wr.rdma.remote_addr = o->va;
		wqe->wr.wr.rdma.rkey = o->rkey;
	}
	wqe->dma.length = o->length + (o->bend == WRONG_SUM);
	wqe->dma.num_sge = o->bend == MANY_SGES ? 999 : 1;
	wqe->dma.sge[0] = (struct rxe_sge){ (uintptr_t)area, o->length, lkey };
}

static struct answer obey(struct host *h, struct pair *p, struct queue *cq,
			  const struct order *o, uint8_t *area, uint32_t lkey)
{
	struct answer a = {};
	struct ib_uverbs_wc wc;

	if (o->what == CONNECT) {
		while (poll_ring(cq->ring, &wc))
			;
		destroy_qp(h, p);
		*p = make_qp(h, RV_XRC_INI, h->pd[0], cq->handle);
		connect_qp(h, p, RV_XRC_INI, o->qpn, o->gid);
		a.qpn = p->number;
		memcpy(a.gid, gid, 16);
		return a;
	}
	if (o->what == IBV_WR_RDMA_READ)
		memset(area, 0, o->length);
	else
		fill(area, o->length, o->seed);
	fill_wqe(free_slot(p->sq), o, area, lkey);
	produce(p->sq);
	doorbell(h, p);
	a.status = wait_ring(cq->ring, &wc);
	a.sum = sum_of(area, o->length);
	memcpy(&a.original, area, 8);
	return a;
}

static int initiator(void)
{
	struct host h = {};
	struct pair p = {};
	struct queue cq;
	uint8_t *area = new_area();
	struct region mr;
	struct answer a;
	struct order o;

	open_host(&h, 1);
	cq = make_cq(&h, 63);
	mr = make_mr(&h, h.pd[0], area);
	for (;;) {
		pass(&o, sizeof(o), false);
		if (o.what == END)
			return 0;
		a = obey(&h, &p, &cq, &o, area, mr.lkey);
		pass(&a, sizeof(a), true);
	}
}

/* ---- target -------------------------------------------------------------- */

static struct host main_host, other_host;
static struct pair target;
static struct queue no_cq;
static struct shared srq[3];		/* PD 0, PD 1, of another context */
static struct region mr;
static uint8_t *area[2];
static int failures, checks;
static uint32_t seed = 1;

static void check(bool good, const char *what)
{
	printf("%s %s\n", good ? "ok  " : "FAIL", what);
	checks++;
	failures += !good;
}

/* A new queue pair at both ends. The initiator connects its own to a number that does
 * not receive yet, and is told to do something only when it does.
 */
static void reconnect(void)
{
	struct order o = { .what = CONNECT };
	struct ib_uverbs_wc wc;
	struct answer a;

	destroy_qp(&main_host, &target);
	for (int i = 0; i < 3; i++)
		while (poll_ring(srq[i].cq.ring, &wc))
			;
	target = make_qp(&main_host, RV_XRC_TGT, main_host.xrcd, no_cq.handle);
	o.qpn = target.number;
	memcpy(o.gid, gid, 16);
	pass(&o, sizeof(o), true);
	pass(&a, sizeof(a), false);
	connect_qp(&main_host, &target, RV_XRC_TGT, a.qpn, a.gid);
}

static void post_receive(struct shared *s, void *at, uint32_t length, uint32_t lkey, uint32_t sges)
{
	struct rxe_recv_wqe *wqe = free_slot(s->ring);

	memset(wqe, 0, sizeof(*wqe));
	wqe->wr_id = 0xabc;
	wqe->dma.length = length;
	wqe->dma.num_sge = sges;
	wqe->dma.sge[0] = (struct rxe_sge){ (uintptr_t)at, length, lkey };
	produce(s->ring);
}

static struct answer give(struct order o)
{
	struct answer a;

	o.seed = ++seed;
	pass(&o, sizeof(o), true);
	pass(&a, sizeof(a), false);
	return a;
}

static bool holds(const uint8_t *at, uint32_t length)
{
	uint8_t *want = malloc(length);
	bool same;

	NEED(want);
	fill(want, length, seed);
	same = !memcmp(at, want, length);
	free(want);
	return same;
}

static bool nothing_else(const struct shared *but)
{
	struct ib_uverbs_wc wc;

	for (int i = 0; i < 3; i++)
		if (&srq[i] != but && poll_ring(srq[i].cq.ring, &wc))
			return false;
	return true;
}

static void try_order(struct shared *s, struct order o, const char *what)
{
	struct ib_uverbs_wc wc = {};
	struct answer a;
	bool good;

	o.what = o.imm ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND;
	o.srqn = s->number;
	memset(s->area, 0xee, AREA);
	post_receive(s, s->area, AREA, s->lkey, 1);
	a = give(o);
	good = a.status == IBV_WC_SUCCESS && !wait_ring(s->cq.ring, &wc) &&
	       wc.wr_id == 0xabc && wc.byte_len == o.length && wc.opcode == IBV_WC_RECV &&
	       wc.qp_num == target.number && holds(s->area, o.length) &&
	       s->area[o.length] == 0xee && nothing_else(s);
	if (o.imm)
		good = good && wc.wc_flags & IBV_WC_WITH_IMM && wc.ex.imm_data == o.imm;
	check(good, what);
}

static void try_send(struct shared *s, uint32_t length, uint32_t imm, const char *what)
{
	try_order(s, (struct order){ .length = length, .imm = imm }, what);
}

/* A WRITE, by the SRQ @s, to @va; it must be at @at afterwards. */
static void try_write(const struct shared *s, uint64_t va, uint8_t *at, const char *what)
{
	const uint32_t length = 5000;
	struct answer a;

	memset(at, 0xee, length + 1);
	a = give((struct order){ .what = IBV_WR_RDMA_WRITE, .srqn = s->number, .va = va,
				 .rkey = mr.rkey, .length = length });
	check(a.status == IBV_WC_SUCCESS && holds(at, length) && at[length] == 0xee, what);
}

static void try_read(const struct shared *s, uint64_t va, uint8_t *at, const char *what)
{
	const uint32_t length = 5001;
	struct answer a;

	fill(at, length, seed + 99);
	a = give((struct order){ .what = IBV_WR_RDMA_READ, .srqn = s->number, .va = va,
				 .rkey = mr.rkey, .length = length });
	check(a.status == IBV_WC_SUCCESS && a.sum == sum_of(at, length), what);
}

/* @o must end with @status and change nothing; both begin anew then. */
static void refuse(struct order o, int status, const char *what)
{
	struct answer a;
	uint32_t before[2];
	bool same = true;

	for (int i = 0; i < 2; i++) {
		fill(area[i], AREA, seed + i);
		before[i] = sum_of(area[i], AREA);
	}
	if (!o.length)
		o.length = 64;
	o.rkey = mr.rkey;
	a = give(o);
	for (int i = 0; i < 2; i++)
		same = same && before[i] == sum_of(area[i], AREA);
	if (a.status != status)
		printf("     | status %d, not %d\n", a.status, status);
	check(a.status == status && same, what);
	reconnect();
}

static uint64_t va_of(const void *at)
{
	return (uintptr_t)at;
}

static void write_imm(void)
{
	struct ib_uverbs_wc wc = {};
	struct answer a;

	post_receive(&srq[0], srq[0].area, 8, srq[0].lkey, 1);
	a = give((struct order){ .what = IBV_WR_RDMA_WRITE_WITH_IMM, .srqn = srq[0].number,
				 .va = va_of(area[0]), .rkey = mr.rkey, .length = 3000, .imm = 77 });
	check(a.status == IBV_WC_SUCCESS && !wait_ring(srq[0].cq.ring, &wc) &&
	      wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM && wc.ex.imm_data == 77 &&
	      wc.byte_len == 3000 && holds(area[0], 3000), "XRC: WRITE with immediate");
}

static void atomics(void)
{
	const uint64_t start = 0x1122334455667788, other = 42;
	struct order o = { .what = IBV_WR_ATOMIC_FETCH_AND_ADD, .srqn = srq[0].number,
			   .va = va_of(area[0]), .rkey = mr.rkey, .length = 8, .compare_add = 5 };
	struct answer a;
	uint64_t now;

	memcpy(area[0], &start, 8);
	a = give(o);
	memcpy(&now, area[0], 8);
	check(!a.status && a.original == start && now == start + 5, "XRC: FETCH_ADD");
	o.what = IBV_WR_ATOMIC_CMP_AND_SWP;
	o.compare_add = start + 5;
	o.swap = other;
	a = give(o);
	memcpy(&now, area[0], 8);
	check(!a.status && a.original == start + 5 && now == other, "XRC: CMP_SWAP");
}

static void xrc(void)
{
	struct shared basic, alien;
	char name[] = "/tmp/xrcd.XXXXXX";
	int file = mkstemp(name);

	try_send(&srq[0], 100, 0, "XRC: SEND");
	try_send(&srq[1], 5000, 4711, "XRC: a long SEND with immediate to another SRQ");
	try_send(&srq[2], 3000, 0, "XRC: SEND to an SRQ of another context of the domain");
	try_send(&srq[0], AREA - 1, 0, "XRC: SEND of 64 packets");
	try_write(&srq[0], va_of(area[0]), area[0], "XRC: WRITE");
	write_imm();
	try_read(&srq[0], va_of(area[0]), area[0], "XRC: READ");
	atomics();

	refuse((struct order){ .what = IBV_WR_RDMA_WRITE, .srqn = srq[1].number, .va = va_of(area[0]) },
	       IBV_WC_REM_ACCESS_ERR, "XRC: WRITE by an SRQ of another PD is refused");
	refuse((struct order){ .what = IBV_WR_SEND, .srqn = 0xabcdef }, IBV_WC_REM_INV_REQ_ERR,
	       "XRC: SEND to an SRQ that is not there is refused");
	basic = make_srq(&main_host, main_host.pd[0], IBV_SRQT_BASIC, 0, 15);
	refuse((struct order){ .what = IBV_WR_SEND, .srqn = basic.number }, IBV_WC_REM_INV_REQ_ERR,
	       "XRC: SEND to an SRQ that is not of XRC is refused");
	NEED(file >= 0);
	unlink(name);
	alien = make_srq(&main_host, main_host.pd[0], IBV_SRQT_XRC,
			 open_domain(&main_host, file, O_CREAT), 15);
	refuse((struct order){ .what = IBV_WR_SEND, .srqn = alien.number }, IBV_WC_REM_INV_REQ_ERR,
	       "XRC: SEND to an SRQ of another domain is refused");
}

/* Elements of mapped rings that no library writes. */
static void malformed(void)
{
	struct ib_uverbs_wc wc = {};
	struct answer a;

	refuse((struct order){ .what = IBV_WR_SEND, .srqn = srq[0].number, .bend = MANY_SGES },
	       IBV_WC_LOC_QP_OP_ERR, "a send with 999 pieces");
	try_order(&srq[0], (struct order){ .length = 64, .bend = WRONG_SUM },
		  "a send with a length that is not that of its pieces: those count");
	refuse((struct order){ .what = IBV_WR_LOCAL_INV + 100 }, IBV_WC_LOC_QP_OP_ERR,
	       "a send without a meaning");
	post_receive(&srq[0], srq[0].area, 8, srq[0].lkey, 99);
	a = give((struct order){ .what = IBV_WR_SEND, .srqn = srq[0].number, .length = 8 });
	check(a.status == IBV_WC_REM_OP_ERR &&
	      wait_ring(srq[0].cq.ring, &wc) == IBV_WC_LOC_QP_OP_ERR && wc.wr_id == 0xabc,
	      "a receive with 99 pieces: LOC_QP_OP_ERR here, REM_OP_ERR there");
	reconnect();
}

/* ---- regions again ------------------------------------------------------- */

static void rereg_errors(void)
{
	struct host *h = &main_host;
	void *hole = mmap(NULL, AREA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(rereg(h, &mr, 0, 0, 0, 0, 0) == -EINVAL, "rereg: nothing to change");
	check(rereg(h, &mr, 8, 0, 0, 0, 0) == -EOPNOTSUPP, "rereg: an unknown flag");
	check(rereg(h, &mr, IBV_REREG_MR_CHANGE_PD, 0, 0, 0, 0xffff) == -EINVAL ||
	      rereg(h, &mr, IBV_REREG_MR_CHANGE_PD, 0, 0, 0, 0xffff) == -ENOENT,
	      "rereg: a PD that is not there");
	check(rereg(h, &mr, IBV_REREG_MR_CHANGE_TRANSLATION, hole, va_of(hole), 0, 0) == -EFAULT,
	      "rereg: addresses without memory");
	check(rereg(h, &mr, IBV_REREG_MR_CHANGE_TRANSLATION, area[0], va_of(area[0]) + 1, 0, 0) ==
	      -EINVAL, "rereg: another offset in the page");
	check(rereg(h, &mr, IBV_REREG_MR_CHANGE_ACCESS, 0, 0, IBV_ACCESS_REMOTE_WRITE, 0) == -EINVAL,
	      "rereg: to be written by a peer, but not here");
	try_write(&srq[0], va_of(area[0]), area[0], "rereg: after a failure all is as before");
}

static void rereg_translation(void)
{
	const struct region old = mr;
	const uint64_t far = 0x7000000000;

	check(!rereg(&main_host, &mr, IBV_REREG_MR_CHANGE_TRANSLATION, area[1], va_of(area[1]), 0, 0) &&
	      mr.lkey == old.lkey && mr.rkey == old.rkey, "rereg: other memory, the same keys");
	memset(area[0], 0x77, AREA);
	try_write(&srq[0], va_of(area[1]) + 10, area[1] + 10, "rereg: WRITE to the new memory");
	try_read(&srq[0], va_of(area[1]), area[1], "rereg: READ of the new memory");
	check(area[0][0] == 0x77 && area[0][20] == 0x77, "rereg: the old memory is left alone");
	refuse((struct order){ .what = IBV_WR_RDMA_READ, .srqn = srq[0].number, .va = va_of(area[0]) },
	       IBV_WC_REM_ACCESS_ERR, "rereg: READ of the old memory is refused");
	check(!rereg(&main_host, &mr, IBV_REREG_MR_CHANGE_TRANSLATION, area[0], far, 0, 0),
	      "rereg: another name for the first byte");
	try_write(&srq[0], far + 4097, area[0] + 4097, "rereg: WRITE by that name");
}

static void rereg_access(void)
{
	check(!rereg(&main_host, &mr, IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_ACCESS,
		     area[0], va_of(area[0]), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ, 0),
	      "rereg: to be read only");
	try_read(&srq[0], va_of(area[0]), area[0], "rereg: READ is fine");
	refuse((struct order){ .what = IBV_WR_RDMA_WRITE, .srqn = srq[0].number, .va = va_of(area[0]) },
	       IBV_WC_REM_ACCESS_ERR, "rereg: WRITE is refused");
	refuse((struct order){ .what = IBV_WR_ATOMIC_FETCH_AND_ADD, .srqn = srq[0].number,
			       .va = va_of(area[0]), .length = 8, .compare_add = 1 },
	       IBV_WC_REM_ACCESS_ERR, "rereg: FETCH_ADD is refused");
	check(!rereg(&main_host, &mr, IBV_REREG_MR_CHANGE_ACCESS, 0, 0, ALL_RIGHTS, 0),
	      "rereg: all rights again");
	try_write(&srq[0], va_of(area[0]), area[0], "rereg: WRITE is fine again");
}

static void rereg_pd(void)
{
	struct ib_uverbs_wc wc = {};
	struct answer a;

	check(!rereg(&main_host, &mr, IBV_REREG_MR_CHANGE_PD, 0, 0, 0, main_host.pd[1]),
	      "rereg: into another PD");
	try_write(&srq[1], va_of(area[0]), area[0], "rereg: WRITE by an SRQ of that PD");
	refuse((struct order){ .what = IBV_WR_RDMA_WRITE, .srqn = srq[0].number, .va = va_of(area[0]) },
	       IBV_WC_REM_ACCESS_ERR, "rereg: WRITE by an SRQ of the old PD is refused");
	post_receive(&srq[0], area[0], 64, mr.lkey, 1);
	a = give((struct order){ .what = IBV_WR_SEND, .srqn = srq[0].number, .length = 8 });
	check(a.status == IBV_WC_REM_OP_ERR &&
	      wait_ring(srq[0].cq.ring, &wc) == IBV_WC_LOC_PROT_ERR,
	      "rereg: a receive of the old PD into it fails");
	reconnect();
	check(!rereg(&main_host, &mr, IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS |
		     IBV_REREG_MR_CHANGE_TRANSLATION, area[1], va_of(area[1]), ALL_RIGHTS,
		     main_host.pd[0]), "rereg: all of it at once");
	try_write(&srq[0], va_of(area[1]), area[1], "rereg: WRITE as it is now");
	post_receive(&srq[0], area[1], 64, mr.lkey, 1);
	a = give((struct order){ .what = IBV_WR_SEND, .srqn = srq[0].number, .length = 64 });
	check(!a.status && !wait_ring(srq[0].cq.ring, &wc) && holds(area[1], 64),
	      "rereg: a receive into it");
}

/* ---- an SRQ that can not tell -------------------------------------------- */

static void srq_error(void)
{
	const uint32_t want = 1 << IBV_EVENT_CQ_ERR | 1 << IBV_EVENT_SRQ_ERR | 1 << IBV_EVENT_QP_FATAL;
	struct shared small = make_srq(&main_host, main_host.pd[0], IBV_SRQT_XRC, main_host.xrcd, 1);
	struct ib_uverbs_async_event_desc event;
	struct answer a;
	uint32_t seen = 0;

	for (int i = 0; i < 3; i++)
		post_receive(&small, small.area, 64, small.lkey, 1);
	while (read(main_host.async_fd, &event, sizeof(event)) == sizeof(event))
		;
	for (int i = 0; i < 2; i++)
		give((struct order){ .what = IBV_WR_SEND, .srqn = small.number, .length = 8 });
	for (int left = 20000; left && (seen & want) != want; left--) {
		if (read(main_host.async_fd, &event, sizeof(event)) == sizeof(event))
			seen |= 1u << event.event_type;
		else
			doze();
	}
	seen &= ~(1u << IBV_EVENT_COMM_EST);
	if (seen != want)
		printf("     | events %x, not %x\n", seen, want);
	check(seen == want, "SRQ_ERR: the CQ of an XRC SRQ overflows");
	reconnect();
	a = give((struct order){ .what = IBV_WR_SEND, .srqn = small.number, .length = 8 });
	check(a.status == IBV_WC_REM_OP_ERR, "REM_OP_ERR: SEND to it, with a receive left");
	reconnect();
	try_send(&srq[0], 64, 0, "the other SRQs of the domain go on");
}

static int target_main(void)
{
	char name[] = "/tmp/xrcd.XXXXXX";
	struct order o = { .what = END };
	int file = mkstemp(name);

	NEED(file >= 0);
	unlink(name);
	open_host(&main_host, 2);
	open_host(&other_host, 1);
	main_host.xrcd = open_domain(&main_host, file, O_CREAT);
	other_host.xrcd = open_domain(&other_host, file, 0);
	no_cq = make_cq(&main_host, 1);
	srq[0] = make_srq(&main_host, main_host.pd[0], IBV_SRQT_XRC, main_host.xrcd, 63);
	srq[1] = make_srq(&main_host, main_host.pd[1], IBV_SRQT_XRC, main_host.xrcd, 63);
	srq[2] = make_srq(&other_host, other_host.pd[0], IBV_SRQT_XRC, other_host.xrcd, 63);
	for (int i = 0; i < 2; i++)
		area[i] = new_area();
	mr = make_mr(&main_host, main_host.pd[0], area[0]);

	reconnect();
	xrc();
	malformed();
	rereg_errors();
	rereg_translation();
	rereg_access();
	rereg_pd();
	srq_error();
	pass(&o, sizeof(o), true);
	printf("%d checks, %d failures\n", checks, failures);
	return failures != 0;
}

int main(int argc, char **argv)
{
	const char *name = NULL, *port = NULL;
	int option;

	while ((option = getopt(argc, argv, "d:g:p:")) != -1) {
		switch (option) {
		case 'd': name = optarg; break;
		case 'g': gid_index = atoi(optarg); break;
		case 'p': port = optarg; break;
		default: return 2;
		}
	}
	if (!name || !port)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	choose_device(name);
	meet(port, argv[optind]);
	return argv[optind] ? initiator() : target_main();
}
