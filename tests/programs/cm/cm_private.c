// SPDX-License-Identifier: GPL-2.0
/*
 * Private data of every length, both ways, in requests, answers and refusals of
 * connected and of datagram services; one byte more is refused.
 *
 * cm_private serve ADDRESS PORT [STEP]
 * cm_private ask ADDRESS PORT [STEP [OWN-ADDRESS]]
 *
 * Both walk through the same list in the same order, so each knows what the other
 * says next; no more than a STEP-th of the lengths. There are no queue pairs: the one that
 * has none gives any number. In the end a few connections have the same numbers.
 */
#include "cm.h"

/* IB_CM_REJ_CONSUMER_DEFINED, IB_SIDR_REJECT */
#define REASON_RC	28
#define REASON_UD	2

/* IBA vol. 1, 12.6 and 12.11: bytes of a message, less 36 of the IP header (annex A11). */
static const struct kind {
	const char *name;
	enum rdma_port_space space;
	int request, answer, refusal;
} kinds[] = {
	{ "RC", RDMA_PS_TCP, 92 - 36, 196, 148 },
	{ "UD", RDMA_PS_UDP, 216 - 36, 136, 136 },
};

/* What becomes of a request. TOO_LONG: first one byte too much, which must fail. */
enum fate { ANSWERED, REFUSED, TOO_LONG, FATES };

static const char * const fates[] = { "answered", "refused", "with a byte too much" };

struct call {
	const struct kind *kind;
	enum fate fate;
	int request, reply;	/* bytes of private data there and back */
	int number;		/* what they are made from */
	int serial;		/* no two calls have the same */
};

static struct rdma_event_channel *channel;
static struct rdma_cm_id *listener[2];
static const char *own;
static const char *address;
static int port, step = 1;
static int wrong;

static uint8_t byte_of(const struct call *c, bool reply, int at)
{
	return c->number * 31 + at * 7 + reply * 101 + 1;
}

static void fill(const struct call *c, bool reply, uint8_t *data, int bytes)
{
	int i;

	for (i = 0; i < bytes; i++)
		data[i] = byte_of(c, reply, i);
}

#define COMPLAIN(c, format, ...) do {					\
	if (wrong++ < 20)						\
		printf("     %s %s, %d bytes there, %d back: " format "\n", \
		       (c)->kind->name, fates[(c)->fate], (c)->request,	\
		       (c)->reply, ##__VA_ARGS__);			\
} while (0)

/* All of the message's room arrives, whatever was said: the rest is zero. */
static void compare(const struct call *c, bool reply, int bytes, const uint8_t *data,
		    int arrived, int room)
{
	int i;

	if (arrived != room) {
		COMPLAIN(c, "%d bytes arrived, not %d", arrived, room);
		return;
	}
	for (i = 0; i < room; i++) {
		uint8_t expected = i < bytes ? byte_of(c, reply, i) : 0;

		if (data[i] != expected) {
			COMPLAIN(c, "byte %d is %02x instead of %02x", i, data[i], expected);
			return;
		}
	}
}

static struct rdma_cm_event *next_event(const struct call *c, enum rdma_cm_event_type type,
					int status)
{
	struct rdma_cm_event *event = cm_next(channel, CM_SECONDS * 1000);

	if (!event) {
		printf("FAIL %s %s, %d bytes: %s never came\n", c->kind->name,
		       fates[c->fate], c->request, cm_name(type));
		exit(1);
	}
	if (event->event != type || event->status != status) {
		printf("FAIL %s %s, %d bytes: %s %d instead of %s %d\n", c->kind->name,
		       fates[c->fate], c->request, cm_name(event->event), event->status,
		       cm_name(type), status);
		exit(1);
	}
	return event;
}

static void pass_event(const struct call *c, enum rdma_cm_event_type type)
{
	NEED(!rdma_ack_cm_event(next_event(c, type, 0)));
}

static void same(const struct call *c, const char *what, unsigned int is, unsigned int should)
{
	if (is != should)
		COMPLAIN(c, "%s is %#x, not %#x", what, is, should);
}

/*
 * The number of a queue pair that the other side has heard of is that of a stale
 * connection, and is refused: each call has its own, and each process. Both know
 * the lower bits.
 */
#define QPN_BITS 10

static uint32_t qp_num(const struct call *c)
{
	return ((uint32_t)getpid() << QPN_BITS | c->serial) & 0xffffff;
}

static void same_qp_num(const struct call *c, uint32_t is)
{
	same(c, "qp_num, lower bits", is & ((1 << QPN_BITS) - 1), c->serial);
}

/* Numbers that shall arrive as they were given, in their places. */
static struct rdma_conn_param parameters(const struct call *c, bool reply, uint8_t *data,
					 int bytes)
{
	fill(c, reply, data, bytes);
	return (struct rdma_conn_param){
		.private_data = bytes ? data : NULL, .private_data_len = bytes,
		.responder_resources = reply ? 2 : 3, .initiator_depth = reply ? 3 : 5,
		.flow_control = 1, .retry_count = 6, .rnr_retry_count = 5, .srq = 1,
		.qp_num = qp_num(c),
	};
}

/* ---- server ------------------------------------------------------------------- */

static void check_request(const struct call *c, const struct rdma_cm_event *event)
{
	const struct rdma_conn_param *p = &event->param.conn;

	if (c->kind->space == RDMA_PS_UDP) {
		compare(c, false, c->request, event->param.ud.private_data,
			event->param.ud.private_data_len, c->kind->request);
		return;
	}
	compare(c, false, c->request, p->private_data, p->private_data_len, c->kind->request);
	same(c, "responder_resources", p->responder_resources, 5);
	same(c, "initiator_depth", p->initiator_depth, 3);
	same(c, "flow_control", p->flow_control, 1);
	same(c, "retry_count", p->retry_count, 6);
	same(c, "rnr_retry_count", p->rnr_retry_count, 5);
	same(c, "srq", p->srq, 1);
	same_qp_num(c, p->qp_num);
}

/* One byte too much is EINVAL. A refusal may be tried again; an answer was the last word. */
static void server_too_long(const struct call *c, struct rdma_cm_id *id)
{
	uint8_t data[256];
	struct rdma_conn_param p = parameters(c, true, data, c->kind->answer + 1);

	if (!rdma_reject(id, data, c->kind->refusal + 1) || errno != EINVAL)
		COMPLAIN(c, "a refusal of %d bytes: %s", c->kind->refusal + 1, strerror(errno));
	if (!rdma_accept(id, &p) || errno != EINVAL)
		COMPLAIN(c, "an answer of %d bytes: %s", c->kind->answer + 1, strerror(errno));
}

static void serve(const struct call *c)
{
	struct rdma_cm_event *event = next_event(c, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
	struct rdma_cm_id *id = event->id;
	struct rdma_conn_param p;
	uint8_t data[256];

	check_request(c, event);
	NEED(event->listen_id == listener[c->kind - kinds]);
	NEED(!rdma_ack_cm_event(event));
	p = parameters(c, true, data, c->reply);
	switch (c->fate) {
	case ANSWERED:
		NEED(!rdma_accept(id, &p));
		if (c->kind->space == RDMA_PS_UDP)
			break;
		pass_event(c, RDMA_CM_EVENT_ESTABLISHED);
		pass_event(c, RDMA_CM_EVENT_DISCONNECTED);
		NEED(!rdma_disconnect(id));
		break;
	case REFUSED:
		NEED(!rdma_reject(id, p.private_data, p.private_data_len));
		break;
	default:
		server_too_long(c, id);
	}
	NEED(!rdma_destroy_id(id));
}

static void listen_all(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		NEED(!rdma_create_id(channel, &listener[i], NULL, kinds[i].space));
		NEED(!rdma_bind_addr(listener[i], cm_address(address, port)));
		NEED(!rdma_listen(listener[i], 4));
	}
}

/* ---- client ------------------------------------------------------------------- */

static struct rdma_cm_id *resolve(const struct call *c)
{
	struct rdma_cm_id *id;

	NEED(!rdma_create_id(channel, &id, NULL, c->kind->space));
	NEED(!rdma_resolve_addr(id, own ? cm_address(own, 0) : NULL,
				cm_address(address, port), CM_SECONDS * 1000));
	pass_event(c, RDMA_CM_EVENT_ADDR_RESOLVED);
	NEED(!rdma_resolve_route(id, CM_SECONDS * 1000));
	pass_event(c, RDMA_CM_EVENT_ROUTE_RESOLVED);
	return id;
}

static void finish_rc(const struct call *c, struct rdma_cm_id *id)
{
	struct rdma_cm_event *event = next_event(c, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
	const struct rdma_conn_param *p = &event->param.conn;

	compare(c, true, c->reply, p->private_data, p->private_data_len, c->kind->answer);
	same(c, "responder_resources", p->responder_resources, 3);
	same(c, "initiator_depth", p->initiator_depth, 2);
	same(c, "rnr_retry_count", p->rnr_retry_count, 5);
	same_qp_num(c, p->qp_num);
	NEED(!rdma_ack_cm_event(event));
	NEED(!rdma_establish(id));
	NEED(!rdma_disconnect(id));
	pass_event(c, RDMA_CM_EVENT_DISCONNECTED);
}

static void finish_ud(const struct call *c)
{
	struct rdma_cm_event *event = next_event(c, RDMA_CM_EVENT_ESTABLISHED, 0);
	const struct rdma_ud_param *p = &event->param.ud;

	compare(c, true, c->reply, p->private_data, p->private_data_len, c->kind->answer);
	same_qp_num(c, p->qp_num);
	same(c, "qkey", p->qkey, RDMA_UDP_QKEY);
	NEED(!rdma_ack_cm_event(event));
}

static void finish_refused(const struct call *c)
{
	bool ud = c->kind->space == RDMA_PS_UDP;
	struct rdma_cm_event *event =
		next_event(c, ud ? RDMA_CM_EVENT_UNREACHABLE : RDMA_CM_EVENT_REJECTED,
			   ud ? REASON_UD : REASON_RC);

	/* The side that gave up on an answer too long had nothing else to say. */
	if (c->fate == REFUSED && ud)
		compare(c, true, c->reply, event->param.ud.private_data,
			event->param.ud.private_data_len, c->kind->refusal);
	else if (c->fate == REFUSED)
		compare(c, true, c->reply, event->param.conn.private_data,
			event->param.conn.private_data_len, c->kind->refusal);
	NEED(!rdma_ack_cm_event(event));
}

static void ask(const struct call *c)
{
	struct rdma_cm_id *id = resolve(c);
	struct rdma_conn_param p;
	uint8_t data[256];

	if (c->fate == TOO_LONG) {
		p = parameters(c, false, data, c->kind->request + 1);
		if (!rdma_connect(id, &p) || errno != EINVAL)
			COMPLAIN(c, "a request of %d bytes: %s", c->kind->request + 1,
				 strerror(errno));
	}
	p = parameters(c, false, data, c->request);
	NEED(!rdma_connect(id, &p));
	if (c->fate != ANSWERED)
		finish_refused(c);
	else if (c->kind->space == RDMA_PS_UDP)
		finish_ud(c);
	else
		finish_rc(c, id);
	NEED(!rdma_destroy_id(id));
}

/* ---- the list ----------------------------------------------------------------- */

/* The next length of a list that has the longest ones whatever the step. */
static int after(int n, int a, int b)
{
	int next = n + step;

	if (n < a && next > a)
		next = a;
	if (n < b && next > b)
		next = b;
	return next;
}

static void walk(const struct kind *kind, enum fate fate, void (*one)(const struct call *))
{
	int back = fate == ANSWERED ? kind->answer : kind->refusal;
	int most = back > kind->request ? back : kind->request;
	int before = wrong, calls = 0, n;
	struct call c = { kind, fate };
	static int serial;

	if (fate == TOO_LONG)
		most = 0;
	for (n = 0; n <= most; n = after(n, kind->request, back)) {
		c.request = n % (kind->request + 1);
		c.reply = n % (back + 1);
		c.number = n;
		c.serial = ++serial;
		NEED(serial < (1 << QPN_BITS) - 1);
		one(&c);
		calls++;
	}
	printf("%s %s %s, 0 to %d bytes there, 0 to %d back (%d)\n",
	       wrong == before ? "ok  " : "FAIL", kind->name, fates[fate], kind->request,
	       back, calls);
	fflush(stdout);
}

/* A side that has ended a connection may connect the same queue pair at once. */
static void again(void (*one)(const struct call *))
{
	struct call c = { .kind = &kinds[0], .serial = (1 << QPN_BITS) - 1 };
	int before = wrong;

	for (c.number = 0; c.number < 3; c.number++)
		one(&c);
	printf("%s the same queue pairs again\n", wrong == before ? "ok  " : "FAIL");
}

int main(int argc, char **argv)
{
	bool server;
	int i, fate;

	if (argc < 4) {
		fprintf(stderr, "usage: cm_private serve|ask ADDRESS PORT [STEP [OWN]]\n");
		return 2;
	}
	server = !strcmp(argv[1], "serve");
	address = argv[2];
	port = atoi(argv[3]);
	if (argc > 4)
		step = atoi(argv[4]);
	if (argc > 5)
		own = argv[5];
	NEED((channel = rdma_create_event_channel()));
	if (server)
		listen_all();
	for (i = 0; i < 2; i++)
		for (fate = 0; fate < FATES; fate++)
			walk(&kinds[i], fate, server ? serve : ask);
	again(server ? serve : ask);
	for (i = 0; server && i < 2; i++)
		NEED(!rdma_destroy_id(listener[i]));
	rdma_destroy_event_channel(channel);
	return wrong != 0;
}
