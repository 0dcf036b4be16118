// SPDX-License-Identifier: GPL-2.0
/*
 * Malformed and misplaced commands on /dev/infiniband/rdma_cm, one line 'case:
 * errno' each, so that the answers of two cores can be compared. Each case has
 * files of its own; after a refusal the id must be there still ('STATE CHANGED'
 * tells otherwise).
 *
 * usage: badcma			all of it
 *	  badcma connect		one good connection
 *	  badcma remove COMMAND		commands on an id that has lost its
 *					device, which the shell's COMMAND removes
 */
#include <sys/mman.h>

#include "cma_states.h"

static char *edge;	/* first byte that is not there */
static int wrong, no_node[2];

static const char *name_of(int err)
{
	return err ? strerrorname_np(err) : "0";
}

static void report(const char *command, enum state state, const char *what, int err)
{
	printf("%s %s: %s", command, what, name_of(err));
	if (err && ((state == MCAST && cma_issue(u.owner, CMA(LEAVE_MCAST), &world, u.mcast)) ||
		    cma_issue(u.owner, CMA(DESTROY_ID), &world, u.id))) {
		printf(" STATE CHANGED");
		wrong = 1;
	}
	printf("\n");
	close(u.fd);
	close(u.other);
	close(u.peer);
}

static void make(struct cma_packet *p, const struct cma_command *c, enum state state)
{
	bring(state);
	cma_build(p, c, &world, c->number == CMA(LEAVE_MCAST) && state == MCAST ?
		  u.mcast : u.id);
}

/* In the state @s; the rest may bend p, its length and where it is written. */
#define CASE_IN(s, c, what, ...) do {					\
	struct cma_packet p;						\
	size_t len = cma_length(c);					\
	int fd;								\
	make(&p, c, s);							\
	fd = u.owner == u.other ? u.fd : u.owner;			\
	__VA_ARGS__;							\
	report((c)->name, s, what, cma_put(fd, &p, len));		\
} while (0)

#define PLACE(c) ((c)->number < sizeof(place) / sizeof(place[0]) ? place[(c)->number] : FRESH)
#define CASE(c, what, ...) CASE_IN(PLACE(c), c, what, __VA_ARGS__)

/* ---- what can be wrong with every command alike ---- */

static void shape(const struct cma_command *c)
{
	CASE(c, "as it is", (void)len);
	CASE(c, "one byte less written", len--);
	CASE(c, "one byte more written", len++);
	CASE(c, "200 bytes more written", len += 200);
	CASE(c, "in one less", p.hdr.in--);
	CASE(c, "in one more", p.hdr.in++);
	CASE(c, "in 0", p.hdr.in = 0);
	CASE(c, "in 0, header only", p.hdr.in = 0; len = 8);
	CASE(c, "in 4", p.hdr.in = 4);
	CASE(c, "in one less, one less written", p.hdr.in--; len--);
	CASE(c, "in 65535", p.hdr.in = 65535);
	CASE(c, "out 0", p.hdr.out = 0);
	CASE(c, "out one less", p.hdr.out--);
	CASE(c, "out 4", p.hdr.out = 4);
	CASE(c, "out 65535", p.hdr.out = 65535);
	if (c->response >= 0) {
		CASE(c, "response null", cma_set_response(&p, c, 0));
		CASE(c, "response faults", cma_set_response(&p, c, 8));
		CASE(c, "response at the end of memory",
		     cma_set_response(&p, c, (uintptr_t)edge - 2));
		CASE(c, "response in the kernel",
		     cma_set_response(&p, c, 0xffff888000000000ULL));
	}
}

/* The last @length bytes of a command that is there; the rest is written too. */
static void at_edge(const struct cma_command *c, const char *what, size_t there,
		    uint16_t in)
{
	struct cma_packet p;

	make(&p, c, PLACE(c));
	p.hdr.in = in;
	memcpy(edge - there, &p, there);
	report(c->name, PLACE(c), what,
	       cma_put(u.owner == u.other ? u.fd : u.owner, edge - there, cma_length(c)));
}

static void faults(const struct cma_command *c)
{
	at_edge(c, "header faults", 4, c->size);
	at_edge(c, "body faults", 8, c->size);
	at_edge(c, "body faults though in is 0", 8, 0);
	at_edge(c, "last byte faults", cma_length(c) - 1, c->size);
	at_edge(c, "ends with memory", cma_length(c), c->size);
}

static void ids(const struct cma_command *c)
{
	static const uint32_t bad[] = { 0xffffffff, 0x7fffffff, 0x80000000, 12345 };
	char what[32];
	size_t i;

	if (c->id < 0)
		return;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(what, sizeof(what), "id is %#x", bad[i]);
		CASE(c, what, cma_set_id(&p, c, bad[i]));
	}
	CASE(c, "id is another file's", cma_set_id(&p, c, create(u.peer, RDMA_PS_TCP)));
	CASE(c, "id was destroyed", uint32_t gone = create(u.fd, RDMA_PS_TCP);
	     step(u.fd, CMA(DESTROY_ID), gone); cma_set_id(&p, c, gone));
	CASE(c, "bad id, out 0", cma_set_id(&p, c, 12345); p.hdr.out = 0);
}

/* Every command in every state. */
static void matrix(void)
{
	char what[64];
	size_t i;
	int s;

	for (i = 0; i < CMA_COMMANDS; i++)
		for (s = 0; s < STATES; s++) {
			/* Whether there is an event yet is a matter of time. */
			if (cma_commands[i].number == CMA(GET_EVENT) && s != PENDING)
				continue;
			snprintf(what, sizeof(what), "when %s", state_name[s]);
			CASE_IN(s, &cma_commands[i], what, (void)len);
		}
}

static void numbers(void)
{
	static const uint32_t n[] = { 13, 23, 24, 64, 128, 0x7fffffff, 0x80000000, 0xffffffff };
	struct cma_command c = { .size = 16, .id = -1, .response = -1 };
	char name[32];
	size_t i;

	c.name = name;
	for (i = 0; i < sizeof(n) / sizeof(n[0]); i++) {
		c.number = n[i];
		snprintf(name, sizeof(name), "command %#x", n[i]);
		CASE_IN(FRESH, &c, "16 bytes", (void)len);
		CASE_IN(FRESH, &c, "in 65535", p.hdr.in = 65535);
	}
	/* Fewer bytes than a header. */
	for (i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "write of %zu", i);
		bring(FRESH);
		report(name, FRESH, "bytes", cma_put(u.fd, response, i));
	}
}

/* ---- well-formed but for one value ---- */

#define VALUE(c, s, field, v) CASE(cma_find(CMA(c)), #field " = " #v, p.s.field = v)

static void values_of_id(void)
{
	static const int spaces[] = { 0, 1, RDMA_PS_IPOIB, RDMA_PS_IB, RDMA_PS_UDP, 0x107, 0xffff };
	char what[64];
	size_t i;
	int t;

	for (i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
		snprintf(what, sizeof(what), "ps %#x", spaces[i]);
		CASE(cma_find(CMA(CREATE_ID)), what, p.create_id.ps = spaces[i]);
	}
	for (t = 0; t < 256; t += t < 16 ? 1 : 80) {
		snprintf(what, sizeof(what), "ps IB, QP type %d", t);
		CASE(cma_find(CMA(CREATE_ID)), what, p.create_id.ps = RDMA_PS_IB;
		     p.create_id.qp_type = t);
	}
	VALUE(CREATE_ID, create_id, uid, 0);
	VALUE(CREATE_ID, create_id, reserved[0], 1);
	VALUE(DESTROY_ID, destroy_id, reserved, 1);
	VALUE(MIGRATE_ID, migrate_id, fd, -1);
	VALUE(MIGRATE_ID, migrate_id, fd, 12345);
	CASE(cma_find(CMA(MIGRATE_ID)), "fd of a pipe", p.migrate_id.fd = no_node[0]);
	VALUE(MIGRATE_ID, migrate_id, fd, u.fd);
	VALUE(MIGRATE_ID, migrate_id, fd, u.peer);
	CASE_IN(FRESH, cma_find(CMA(MIGRATE_ID)), "to where it is", p.migrate_id.fd = u.fd);
	CASE_IN(LISTENING, cma_find(CMA(MIGRATE_ID)), "of a listener to where it is",
		p.migrate_id.fd = u.fd);
}

static const int families[] = { 0, 1, AF_INET, AF_INET6, CMA_AF_IB, 77, 65535 };
static const char *const hosts[] = { "0.0.0.0", "127.0.0.1", "10.0.0.2", "192.0.2.1",
				     "239.1.2.3", "255.255.255.255" };

static void values_of_bind(void)
{
	static const int sizes[] = { 0, 1, 8, 16, 28, 48, 128, 65535 };
	char what[64];
	size_t f, i;

	for (f = 0; f < sizeof(families) / sizeof(families[0]); f++) {
		snprintf(what, sizeof(what), "family %d", families[f]);
		CASE(cma_find(CMA(BIND_IP)), what, p.bind_ip.addr.sin6_family = families[f]);
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			snprintf(what, sizeof(what), "family %d, size %d", families[f], sizes[i]);
			CASE(cma_find(CMA(BIND)), what, p.bind.addr_size = sizes[i];
			     memset(&p.bind.addr, 0, sizeof(p.bind.addr));
			     p.bind.addr.ss_family = families[f]);
		}
	}
	for (i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		CASE(cma_find(CMA(BIND)), hosts[i], cma_ip(&p.bind.addr, hosts[i], 0));
		CASE(cma_find(CMA(BIND_IP)), hosts[i], cma_ip(&p.bind_ip.addr, hosts[i], 0));
	}
	VALUE(BIND, bind, reserved, 1);
	CASE_IN(LISTENING, cma_find(CMA(BIND)), "a port that is taken",
		cma_ip(&p.bind.addr, world.local, u.port); p.bind.id = create(u.fd, RDMA_PS_TCP));
	VALUE(LISTEN, listen, backlog, 0);
	VALUE(LISTEN, listen, backlog, 1024);
	VALUE(LISTEN, listen, backlog, 1025);
	VALUE(LISTEN, listen, backlog, 0x7fffffff);
	VALUE(LISTEN, listen, backlog, 0xffffffff);
}

static void values_of_resolve(void)
{
	static const int sizes[] = { 0, 1, 16, 28, 48, 128, 65535 };
	const struct cma_command *c = cma_find(CMA(RESOLVE_ADDR));
	const struct cma_command *old = cma_find(CMA(RESOLVE_IP));
	char what[64];
	size_t f, i;

	for (f = 0; f < sizeof(families) / sizeof(families[0]); f++) {
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			snprintf(what, sizeof(what), "source family %d, size %d", families[f],
				 sizes[i]);
			CASE(c, what, p.resolve_addr.src_size = sizes[i];
			     p.resolve_addr.src_addr.ss_family = families[f]);
			snprintf(what, sizeof(what), "family %d, size %d", families[f], sizes[i]);
			CASE(c, what, p.resolve_addr.dst_size = sizes[i];
			     p.resolve_addr.dst_addr.ss_family = families[f]);
		}
		snprintf(what, sizeof(what), "source family %d", families[f]);
		CASE(old, what, p.resolve_ip.src_addr.sin6_family = families[f]);
		snprintf(what, sizeof(what), "family %d", families[f]);
		CASE(old, what, p.resolve_ip.dst_addr.sin6_family = families[f]);
	}
	for (i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
		snprintf(what, sizeof(what), "source %s", hosts[i]);
		CASE(c, what, p.resolve_addr.src_size = sizeof(struct sockaddr_in);
		     cma_ip(&p.resolve_addr.src_addr, hosts[i], 0));
		CASE(c, hosts[i], cma_ip(&p.resolve_addr.dst_addr, hosts[i], 7171));
	}
	VALUE(RESOLVE_ADDR, resolve_addr, reserved, 1);
	VALUE(RESOLVE_ADDR, resolve_addr, timeout_ms, 0);
	VALUE(RESOLVE_ADDR, resolve_addr, timeout_ms, 0xffffffff);
	VALUE(RESOLVE_ROUTE, resolve_route, timeout_ms, 0);
	VALUE(RESOLVE_ROUTE, resolve_route, timeout_ms, 0xffffffff);
}

static void values_of_connection(void)
{
	const size_t short_connect = offsetof(struct rdma_ucm_connect, ece);
	const size_t short_accept = offsetof(struct rdma_ucm_accept, ece);
	char what[64];
	int r;

	VALUE(CONNECT, connect, conn_param.valid, 0);
	VALUE(CONNECT, connect, conn_param.private_data_len, 56);
	VALUE(CONNECT, connect, conn_param.private_data_len, 57);
	VALUE(CONNECT, connect, conn_param.private_data_len, 255);
	VALUE(CONNECT, connect, conn_param.qp_num, 0xffffffff);
	VALUE(CONNECT, connect, conn_param.responder_resources, 255);
	VALUE(CONNECT, connect, conn_param.retry_count, 255);
	VALUE(CONNECT, connect, conn_param.rnr_retry_count, 255);
	VALUE(CONNECT, connect, ece.vendor_id, 0xffffffff);
	CASE(cma_find(CMA(CONNECT)), "without ECE", p.hdr.in = short_connect);
	CASE(cma_find(CMA(CONNECT)), "with half of ECE", p.hdr.in = short_connect + 4);
	CASE(cma_find(CMA(CONNECT)), "less than without ECE", p.hdr.in = short_connect - 1);
	VALUE(ACCEPT, accept, conn_param.valid, 0);
	VALUE(ACCEPT, accept, uid, 0);
	VALUE(ACCEPT, accept, conn_param.private_data_len, 196);
	VALUE(ACCEPT, accept, conn_param.private_data_len, 197);
	VALUE(ACCEPT, accept, conn_param.private_data_len, 255);
	CASE(cma_find(CMA(ACCEPT)), "without ECE", p.hdr.in = short_accept);
	CASE(cma_find(CMA(ACCEPT)), "less than without ECE", p.hdr.in = short_accept - 1);
	for (r = 0; r < 64; r++) {
		snprintf(what, sizeof(what), "reason %d", r);
		CASE(cma_find(CMA(REJECT)), what, p.reject.reason = r);
	}
	VALUE(REJECT, reject, private_data_len, 148);
	VALUE(REJECT, reject, private_data_len, 149);
	VALUE(REJECT, reject, private_data_len, 255);
	for (r = 0; r < 20; r++) {
		snprintf(what, sizeof(what), "event %d", r);
		CASE(cma_find(CMA(NOTIFY)), what, p.notify.event = r);
	}
	VALUE(NOTIFY, notify, event, 0xffffffff);
}

static void values_of_query(void)
{
	static const int rooms[] = { 0, 7, 8, 79, 80, 152, 271, 272, 279, 280 };
	const struct cma_command *c = cma_find(CMA(QUERY));
	char what[64];
	uint32_t o;
	size_t i;

	for (o = 0; o < 5; o++)
		for (i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
			snprintf(what, sizeof(what), "option %u, out %d", o, rooms[i]);
			CASE(c, what, p.query.option = o; p.hdr.out = rooms[i]);
			snprintf(what, sizeof(what), "option %u, out %d, unbound", o, rooms[i]);
			CASE_IN(FRESH, c, what, p.query.option = o; p.hdr.out = rooms[i]);
		}
	VALUE(QUERY, query, option, 0xffffffff);
	CASE(c, "option and id", p.query.option = 9; p.query.id = 12345);
	CASE(cma_find(CMA(QUERY_ROUTE)), "out 199", p.hdr.out = 199);
	CASE(cma_find(CMA(QUERY_ROUTE)), "out 200", p.hdr.out = 200);
	CASE(cma_find(CMA(GET_EVENT)), "out 323", p.hdr.out = 323);
	CASE(cma_find(CMA(GET_EVENT)), "out 324", p.hdr.out = 324);
	for (o = 0; o < 9; o++) {
		snprintf(what, sizeof(what), "state %u", o);
		CASE(cma_find(CMA(INIT_QP_ATTR)), what, p.init_qp_attr.qp_state = o);
		CASE_IN(CONNECTED, cma_find(CMA(INIT_QP_ATTR)), what,
			p.init_qp_attr.qp_state = o; p.init_qp_attr.id = u.id);
	}
	VALUE(INIT_QP_ATTR, init_qp_attr, qp_state, 0xffffffff);
}

#define WHOLE_PATH (IB_PATH_GMP | IB_PATH_PRIMARY | IB_PATH_BIDIRECTIONAL)

static void values_of_option(void)
{
	static const uint32_t sizes[] = { 0, 1, 2, 4, 8, 71, 72, 144, 4096, 0x7fffffff, 0xffffffff };
	const struct cma_command *c = cma_find(CMA(SET_OPTION));
	char what[64];
	uint32_t level, name;
	size_t i;

	for (level = 0; level < 3; level++)
		for (name = 0; name < 5; name++)
			for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
				snprintf(what, sizeof(what), "level %u, option %u, size %u", level,
					 name, sizes[i]);
				CASE(c, what, p.set_option.level = level;
				     p.set_option.optname = name; p.set_option.optlen = sizes[i]);
			}
	VALUE(SET_OPTION, set_option, optval, 0);
	VALUE(SET_OPTION, set_option, optval, 8);
	CASE(c, "value and id", p.set_option.optval = 8; p.set_option.id = 12345);
	CASE(c, "value and level", p.set_option.optval = 8; p.set_option.level = 9);
	for (i = 0; i < 8; i++) {
		snprintf(what, sizeof(what), "path with flags %zu", i);
		CASE_IN(FRESH, c, what, p.set_option.level = 1; p.set_option.optname = 1;
			p.set_option.optlen = 72; option[0] = i);
		CASE_IN(ADDR, c, what, p.set_option.level = 1; p.set_option.optname = 1;
			p.set_option.optlen = 72; option[0] = i);
		CASE_IN(ROUTE, c, what, p.set_option.level = 1; p.set_option.optname = 1;
			p.set_option.optlen = 72; option[0] = i);
	}
	CASE_IN(ADDR, c, "path", p.set_option.level = 1; p.set_option.optname = 1;
		p.set_option.optlen = 72; option[0] = WHOLE_PATH);
	CASE_IN(ADDR, c, "path as second", p.set_option.level = 1; p.set_option.optname = 1;
		p.set_option.optlen = 144; option[18] = WHOLE_PATH);
	CASE_IN(ADDR, c, "path in bytes that are no multiple", p.set_option.level = 1;
		p.set_option.optname = 1; p.set_option.optlen = 76; option[0] = WHOLE_PATH);
}

static void values_of_mcast(void)
{
	static const int sizes[] = { 0, 1, 16, 28, 48, 128, 65535 };
	const struct cma_command *c = cma_find(CMA(JOIN_MCAST));
	char what[64];
	size_t f, i;

	for (f = 0; f < sizeof(families) / sizeof(families[0]); f++) {
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			/* Any GID may be a group of AF_IB. */
			if (families[f] == CMA_AF_IB)
				continue;
			snprintf(what, sizeof(what), "family %d, size %d", families[f], sizes[i]);
			CASE(c, what, p.join_mcast.addr_size = sizes[i];
			     p.join_mcast.addr.ss_family = families[f]);
		}
		snprintf(what, sizeof(what), "family %d", families[f]);
		CASE(cma_find(CMA(JOIN_IP_MCAST)), what,
		     p.join_ip_mcast.addr.sin6_family = families[f]);
	}
	for (i = 0; i < 6; i++) {
		snprintf(what, sizeof(what), "join flags %zu", i);
		CASE(c, what, p.join_mcast.join_flags = i);
	}
	VALUE(JOIN_MCAST, join_mcast, join_flags, 65535);
	CASE(c, "bad family, out 0", p.join_mcast.addr.ss_family = 77; p.hdr.out = 0);
	CASE(c, "bad size, out 0", p.join_mcast.addr_size = 1; p.hdr.out = 0);
	CASE(c, "bad flags, bad id", p.join_mcast.join_flags = 7; p.join_mcast.id = 12345);
	CASE_IN(MCAST, c, "the same again", (void)len);
	CASE(cma_find(CMA(LEAVE_MCAST)), "by another file", fd = u.peer);
}

/* ---- an id after its device has gone ---- */

static void lose_device(const char *remove)
{
	size_t i;
	int err, n;

	bring(CONNECTED);
	must(system(remove) ? EIO : 0, remove);
	/* The connection breaks or not, in either order; then the device goes. */
	for (n = 0; n < 500; n++) {
		err = cma_issue(u.fd, CMA(QUERY), &world, u.id);
		if (err == ENXIO)
			break;
		usleep(10000);
	}
	for (i = 0; i < CMA_COMMANDS; i++) {
		if (cma_commands[i].id < 0 || cma_commands[i].number == CMA(DESTROY_ID) ||
		    cma_commands[i].number == CMA(LEAVE_MCAST))
			continue;
		world.from = u.fd;
		err = cma_issue(u.fd, cma_commands[i].number, &world, u.id);
		printf("%s without device: %s\n", cma_commands[i].name, name_of(err));
	}
	err = cma_issue(u.fd, CMA(DESTROY_ID), &world, u.id);
	printf("DESTROY_ID without device: %s\n", name_of(err));
	err = cma_issue(u.fd, CMA(DESTROY_ID), &world, u.id);
	printf("DESTROY_ID again: %s\n", name_of(err));
}

int main(int argc, char **argv)
{
	size_t page = sysconf(_SC_PAGESIZE), i;
	char *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED || mprotect(map + page, page, PROT_NONE))
		return 2;
	if (pipe(no_node))
		return 2;
	edge = map + page;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2 && !strcmp(argv[1], "connect")) {
		bring(CONNECTED);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "remove")) {
		lose_device(argv[2]);
		return 0;
	}
	numbers();
	for (i = 0; i < CMA_COMMANDS; i++) {
		shape(&cma_commands[i]);
		faults(&cma_commands[i]);
		ids(&cma_commands[i]);
	}
	matrix();
	values_of_id();
	values_of_bind();
	values_of_resolve();
	values_of_connection();
	values_of_query();
	values_of_option();
	values_of_mcast();
	return wrong;
}
