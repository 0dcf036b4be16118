// SPDX-License-Identifier: GPL-2.0
/* Conversations on /dev/infiniband/rdma_cm: commands, and the events that answer them. */
#include "cma_raw.h"

#include "choice.h"
#include "op.h"
#include "pass.h"

#define FILES	2
#define IDS	8

static struct file {
	int fd;
	uint32_t id[IDS], count;
} files[FILES] = { { .fd = -1 }, { .fd = -1 } };

static uint32_t groups[IDS], group_count;
static char response[4096] __attribute__((aligned(8)));
static int option_value[64];

static struct file *file(void)
{
	struct file *f = &files[!choice(6)];

	if (f->fd < 0) {
		f->fd = open(CMA_DEV, O_RDWR | O_CLOEXEC | O_NONBLOCK);
		world_keep_fd(dup(f->fd));
	}
	return f;
}

/* Its ids are small numbers. */
void ucma_adopt(int fd)
{
	close(files[1].fd);
	files[1] = (struct file){ .fd = dup(fd), .id = { 0, 1, 2, 3 }, .count = 4 };
}

static void keep_id(struct file *f, uint32_t id)
{
	f->id[f->count++ % IDS] = id;
}

int ucma_file(void)
{
	return file()->fd;
}

void ucma_keep(uint32_t id)
{
	for (int i = 0; i < IDS; i++)
		if (files[0].id[i] == id)
			return;
	keep_id(&files[0], id);
}

static uint32_t any_id(struct file *f)
{
	uint32_t n = f->count < IDS ? f->count : IDS;

	if (!n || !choice(24))
		return choice(2) ? choice(16) : choice_odd();
	return f->id[(f->count - 1 - choice(n)) % IDS];
}

/* ---- addresses ---- */

static uint32_t ip4(struct sockaddr_storage *to)
{
	static const char *const known[] = {
		"10.0.0.1", "10.0.0.1", "10.0.0.2", "0.0.0.0", "127.0.0.1", "10.0.0.77",
		"239.1.2.3", "239.1.2.4",
	};

	uint32_t i = choice(8);

	/* Where a peer out of TCP listens. */
	cma_ip(to, i == 1 && world.listen_fd >= 0 ? "10.0.0.3" : known[i], choice(4) ? 7000 + choice(4) : choice(65536));
	return sizeof(struct sockaddr_in);
}

static uint32_t ip6(struct sockaddr_storage *to)
{
	static const char *const known[] = {
		"fd00::1", "fd00::2", "::", "::1", "fe80::ff:fe00:1", "ff0e::5", "::ffff:10.0.0.1",
		"fe80::1",
	};
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = htons(7000 + choice(4)) };

	inet_pton(AF_INET6, known[choice(8)], &a.sin6_addr);
	a.sin6_scope_id = choice(4);
	memcpy(to, &a, sizeof(a));
	return sizeof(a);
}

struct sockaddr_ib {
	uint16_t family, pkey;
	uint32_t flow;
	uint8_t gid[16];
	uint64_t sid, mask, scope;
};

static uint32_t native(struct sockaddr_storage *to)
{
	static const uint64_t sids[] = { 0x01061b58, 0x01110000, 0, 0x01060000, 0x1000 };
	struct sockaddr_ib a = { .family = CMA_AF_IB, .pkey = choice(2) ? 0xffff : 0 };

	if (choice(4))
		memcpy(a.gid, world.gid[choice(2)], 16);
	a.sid = htobe64(sids[choice(5)] + choice(2));
	a.mask = choice(4) ? ~0ull : choice_odd();
	memcpy(to, &a, sizeof(a));
	return sizeof(a);
}

static uint32_t address(struct sockaddr_storage *to)
{
	uint32_t way = choice(16);

	memset(to, 0, sizeof(*to));
	if (way < 2)
		return ip6(to);
	if (way < 4 || (way < 12 && !strcmp(world.driver, "ib")))
		return native(to);
	return ip4(to);
}

/* ---- a command ---- */

static void addresses(struct cma_packet *p, const struct cma_command *c)
{
	struct sockaddr_storage a;
	uint32_t size = address(&a), odd = choice(24) ? size : choice_odd();

	switch (c->number) {
	case CMA(BIND_IP):
		memcpy(&p->bind_ip.addr, &a, sizeof(p->bind_ip.addr));
		break;
	case CMA(BIND):
		memcpy(&p->bind.addr, &a, sizeof(p->bind.addr));
		p->bind.addr_size = odd;
		break;
	case CMA(RESOLVE_IP):
		memcpy(&p->resolve_ip.dst_addr, &a, sizeof(p->resolve_ip.dst_addr));
		break;
	case CMA(RESOLVE_ADDR):
		memcpy(&p->resolve_addr.dst_addr, &a, sizeof(p->resolve_addr.dst_addr));
		p->resolve_addr.dst_size = odd;
		if (choice(4))
			break;
		p->resolve_addr.src_size = address(&a);
		memcpy(&p->resolve_addr.src_addr, &a, sizeof(p->resolve_addr.src_addr));
		break;
	case CMA(JOIN_IP_MCAST):
		memcpy(&p->join_ip_mcast.addr, &a, sizeof(p->join_ip_mcast.addr));
		break;
	case CMA(JOIN_MCAST):
		memcpy(&p->join_mcast.addr, &a, sizeof(p->join_mcast.addr));
		p->join_mcast.addr_size = odd;
		p->join_mcast.join_flags = choice(4);
		break;
	}
}

static void parameters(struct rdma_ucm_conn_param *param)
{
	param->qp_num = world_number(WORLD_QPN);
	param->qkey = choice(4) ? 0x01234567 : choice_word();
	param->valid = choice(8);
	param->private_data_len = choice(4) ? choice(57) : choice(256);
	param->responder_resources = choice(4) ? choice(8) : choice(256);
	param->initiator_depth = choice(4) ? choice(8) : choice(256);
	param->srq = choice(4) == 0;
	memset(param->private_data, choice(256), sizeof(param->private_data));
}

static void details(struct cma_packet *p, const struct cma_command *c)
{
	static const uint32_t spaces[] = { RDMA_PS_TCP, RDMA_PS_UDP, RDMA_PS_IPOIB, RDMA_PS_IB };

	switch (c->number) {
	case CMA(CREATE_ID):
		p->create_id.ps = choice(16) ? spaces[choice(4)] : choice_word();
		p->create_id.qp_type = choice(8) ? (uint8_t[]){ 0, 2, 4 }[choice(3)] : choice(16);
		break;
	case CMA(CONNECT):
		parameters(&p->connect.conn_param);
		break;
	case CMA(ACCEPT):
		parameters(&p->accept.conn_param);
		break;
	case CMA(LISTEN):
		p->listen.backlog = choice(4) ? choice(4) : choice_odd();
		break;
	case CMA(REJECT):
		p->reject.private_data_len = choice(256);
		p->reject.reason = choice(40);
		break;
	case CMA(QUERY):
		p->query.option = choice(4);
		break;
	case CMA(INIT_QP_ATTR):
		p->init_qp_attr.qp_state = choice(8);
		break;
	case CMA(NOTIFY):
		p->notify.event = choice(16);
		break;
	case CMA(SET_OPTION):
		p->set_option.level = choice(3);
		p->set_option.optname = choice(6);
		p->set_option.optlen = (uint32_t[]){ 1, 4, 64, 72, 144, 0, 65536, 8 }[choice(8)];
		option_value[0] = choice_odd();
		break;
	case CMA(MIGRATE_ID):
		p->migrate_id.fd = choice(4) ? files[choice(2)].fd : world_fd();
		break;
	}
}

static void bend(struct cma_packet *p, const struct cma_command *c, size_t *length)
{
	uint32_t number;

	switch (choice(6)) {
	case 0:
		p->hdr.in = choice_odd();
		break;
	case 1:
		p->hdr.out = choice_odd();
		break;
	case 2:
		*length = choice(sizeof(*p));
		break;
	case 3:
		cma_set_response(p, c, choice_odd());
		break;
	default:
		number = choice_odd();
		memcpy(p->body + choice(c->size / 4) * 4, &number, 4);
		break;
	}
}

static int issue(struct file *f, const struct cma_command *c, uint32_t id, bool plain)
{
	struct cma_world w = {
		.local = "10.0.0.1", .group = "239.1.2.3", .port = 7000 + choice(4),
		.from = files[0].fd, .response = response, .option = option_value,
	};
	size_t length = cma_length(c);
	struct cma_packet p;
	int ret;

	cma_build(&p, c, &w, id);
	if (!plain || choice(3)) {
		addresses(&p, c);
		details(&p, c);
	}
	if (!plain && !choice(5))
		bend(&p, c, &length);
	ret = write(f->fd, &p, length) < 0 ? errno : 0;
	feature(F_UCMA + (c - cma_commands), ret);
	return ret;
}

static uint32_t answer(void)
{
	uint32_t id;

	memcpy(&id, response, sizeof(id));
	return id;
}

static void note(struct file *f, const struct cma_command *c)
{
	if (c->number == CMA(CREATE_ID))
		keep_id(f, answer());
	else if (c->number == CMA(JOIN_MCAST) || c->number == CMA(JOIN_IP_MCAST))
		groups[group_count++ % IDS] = answer();
}

static void op_command(void)
{
	struct file *f = file();
	const struct cma_command *c = &cma_commands[choice(CMA_COMMANDS)];
	uint32_t id = any_id(f);

	if (c->number == CMA(LEAVE_MCAST) && group_count)
		id = groups[choice(group_count < IDS ? group_count : IDS)];
	if (!issue(f, c, id, false))
		note(f, c);
}

/* ---- several in a row ---- */

static int step(struct file *f, uint32_t number, uint32_t id)
{
	return issue(f, cma_find(number), id, true);
}

static void op_serve(void)
{
	struct file *f = file();

	if (step(f, CMA(CREATE_ID), 0))
		return;
	keep_id(f, answer());
	if (!step(f, choice(2) ? CMA(BIND) : CMA(BIND_IP), answer()) && choice(8))
		step(f, CMA(LISTEN), f->id[(f->count - 1) % IDS]);
}

static void op_ask(void)
{
	struct file *f = file();

	if (step(f, CMA(CREATE_ID), 0))
		return;
	keep_id(f, answer());
	step(f, choice(2) ? CMA(RESOLVE_ADDR) : CMA(RESOLVE_IP), answer());
}

static void op_join(void)
{
	struct file *f = file();
	const struct cma_command *c = cma_find(choice(2) ? CMA(JOIN_MCAST) : CMA(JOIN_IP_MCAST));

	if (!issue(f, c, any_id(f), true))
		note(f, c);
}

/* What a program does next. */
static void follow(struct file *f, const struct rdma_ucm_event_resp *event)
{
	uint32_t id = event->id;

	switch (event->event) {
	case EV_ADDR_RESOLVED:
		step(f, CMA(RESOLVE_ROUTE), id);
		break;
	case EV_ROUTE_RESOLVED:
		step(f, CMA(CONNECT), id);
		break;
	case EV_CONNECT_REQUEST:
		keep_id(f, id);
		step(f, choice(8) ? CMA(ACCEPT) : CMA(REJECT), id);
		break;
	case EV_CONNECT_RESPONSE:
		step(f, CMA(ACCEPT), id);
		break;
	case EV_ESTABLISHED:
		if (!choice(3))
			step(f, CMA(DISCONNECT), id);
		break;
	}
}

static void op_event(void)
{
	struct rdma_ucm_event_resp event;
	struct file *f = file();
	struct pollfd ready = { f->fd, POLLIN, 0 };

	for (uint32_t n = 1 + choice(6); n; n--) {
		if (poll(&ready, 1, choice(2) * 10) != 1)
			return;
		if (step(f, CMA(GET_EVENT), 0))
			return;
		memcpy(&event, response, sizeof(event));
		feature(F_EVENT + event.event % 32, 0);
		if (choice(8))
			follow(f, &event);
	}
}

static void op_end(void)
{
	struct file *f = file();

	if (!choice(12)) {
		close(f->fd);
		*f = (struct file){ .fd = -1 };
		return;
	}
	step(f, choice(3) ? CMA(DESTROY_ID) : CMA(DISCONNECT), any_id(f));
}

const struct op ucma_ops[] = {
	{ "ucma.command", op_command, 12, 0 },
	{ "ucma.serve", op_serve, 4, 0 },
	{ "ucma.ask", op_ask, 6, 0 },
	{ "ucma.event", op_event, 10, 0 },
	{ "ucma.join", op_join, 3, 0 },
	{ "ucma.end", op_end, 3, 0 },
	{ 0 }
};
