// SPDX-License-Identifier: GPL-2.0
/*
 * A connection step by step, and an end in the middle of it.
 *
 * cm_steps kill		each side dies at each of its steps (SIGKILL): the other
 *				hears of it, and the next connection works
 * cm_steps once		one connection, both sides; every event as it should be
 * cm_steps hold SIDE STEP FILE	SIDE stops at STEP, FILE is made; then the device goes,
 *				and both sides must be told
 * cm_steps serve [STEP]	until SIGTERM; SIGKILL to itself at STEP
 * cm_steps ask [EVENT]		one connection; its last event, "DISCONNECTED 0" unless told
 *
 *   -a ADDRESS  -p PORT  -b OWN-ADDRESS (client)  -N NAMESPACE (of the server)
 *   -t rc|ud|reject	reject: the server does	-w MS	for address and route
 *
 * Steps of the server: request qp accept established disconnected
 * Steps of the client: addr route qp connect established disconnect
 */
#include <sys/prctl.h>
#include "cm.h"

#define MESSAGE 64

enum type { RC, UD, REJECT };

static enum type type = RC;
static const char *address = "10.0.0.1", *own, *namespace;
static int port = 7400, patience = 60000;

static const char *chosen;	/* the step of this process */
static bool killing;		/* what it does there: die, or stop */
static bool held;

static struct rdma_event_channel *channel;
static struct rdma_cm_id *listener;

/* One line for the parent. */
static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

/* True if this side does nothing of its own any more. */
static bool reach(const char *step)
{
	if (held)
		return true;
	if (!chosen || strcmp(chosen, step))
		return false;
	say("AT %s", step);
	if (killing)
		raise(SIGKILL);
	held = true;
	return true;
}

/* ---- messages ----------------------------------------------------------------- */

/* What hangs at an id: one message out, one in. */
struct talk {
	uint8_t out[MESSAGE], in[MESSAGE];
	struct ibv_mr *out_mr, *in_mr;
};

static bool make_qp(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = type == UD ? IBV_QPT_UD : IBV_QPT_RC,
		.cap = { .max_send_wr = 2, .max_recv_wr = 2, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct talk *talk = calloc(1, sizeof(*talk));

	id->context = talk;
	if (rdma_create_qp(id, NULL, &attr))
		return false;
	talk->out_mr = rdma_reg_msgs(id, talk->out, MESSAGE);
	talk->in_mr = rdma_reg_msgs(id, talk->in, MESSAGE);
	return talk->out_mr && talk->in_mr && (type == UD ||
	       !rdma_post_recv(id, NULL, talk->in, MESSAGE, talk->in_mr));
}

static void end_id(struct rdma_cm_id *id)
{
	struct talk *talk = id->context;

	if (talk) {
		if (talk->out_mr)
			rdma_dereg_mr(talk->out_mr);
		if (talk->in_mr)
			rdma_dereg_mr(talk->in_mr);
		free(talk);
	}
	if (id->qp)
		rdma_destroy_qp(id);
	NEED(!rdma_destroy_id(id));
}

static bool event_waits(void)
{
	struct pollfd pfd = { channel->fd, POLLIN };

	return poll(&pfd, 1, 0) == 1;
}

/* False if an event came first: the other side has gone. */
static bool completion(struct ibv_cq *cq)
{
	double end = cm_now() + CM_SECONDS;
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, &wc))) {
		NEED(cm_now() < end);
		if (event_waits())
			return false;
		usleep(200);
	}
	return n == 1 && wc.status == IBV_WC_SUCCESS;
}

static void client_message(struct rdma_cm_id *id)
{
	struct talk *talk = id->context;
	int i;

	for (i = 0; i < MESSAGE; i++)
		talk->out[i] = i * 3 + port;
	if (rdma_post_send(id, NULL, talk->out, MESSAGE, talk->out_mr, IBV_SEND_SIGNALED) ||
	    !completion(id->send_cq) || !completion(id->recv_cq)) {
		say("NO DATA");
		return;
	}
	for (i = 0; i < MESSAGE; i++)
		if ((talk->in[i] ^ talk->out[i]) != 0xff)
			break;
	say(i == MESSAGE ? "DATA" : "WRONG DATA");
}

static void server_message(struct rdma_cm_id *id)
{
	struct talk *talk = id->context;
	int i;

	if (!completion(id->recv_cq))
		return;
	for (i = 0; i < MESSAGE; i++)
		talk->out[i] = ~talk->in[i];
	/* The other side may die while this goes; its last event tells. */
	if (!rdma_post_send(id, NULL, talk->out, MESSAGE, talk->out_mr, IBV_SEND_SIGNALED))
		completion(id->send_cq);
}

/* ---- server ------------------------------------------------------------------- */

static void answer(struct rdma_cm_id *id)
{
	struct rdma_conn_param p = { .responder_resources = 1, .initiator_depth = 1,
				     .rnr_retry_count = 7, .retry_count = 7 };

	id->context = NULL;	/* the listener's */
	if (reach("request"))
		return;
	if (type == REJECT) {
		if (rdma_reject(id, "no", 2))
			say("REJECT-FAILED %s", strerror(errno));
		end_id(id);
		return;
	}
	if (!make_qp(id)) {
		say("QP-FAILED %s", strerror(errno));
		end_id(id);
		say("GONE");
		return;
	}
	if (reach("qp"))
		return;
	if (type == UD)
		p.qp_num = id->qp->qp_num;
	if (rdma_accept(id, &p)) {
		say("ACCEPT-FAILED %s", strerror(errno));
		end_id(id);
		say("GONE");
		return;
	}
	reach("accept");
}

/* False when there is nothing left to serve. */
static bool server_event(enum rdma_cm_event_type event, struct rdma_cm_id *id)
{
	switch (event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		answer(id);
		return true;
	case RDMA_CM_EVENT_ESTABLISHED:
		if (held)
			return true;
		server_message(id);
		reach("established");
		return true;
	case RDMA_CM_EVENT_DISCONNECTED:
		if (reach("disconnected"))
			return true;
		rdma_disconnect(id);
		break;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		return true;
	default:
		break;
	}
	if (id == listener)
		return false;
	end_id(id);
	say("GONE");
	return true;
}

static int server(int control)
{
	struct rdma_cm_event *event;

	cm_enter(namespace);
	NEED((channel = rdma_create_event_channel()));
	NEED(!rdma_create_id(channel, &listener, NULL, type == UD ? RDMA_PS_UDP : RDMA_PS_TCP));
	NEED(!rdma_bind_addr(listener, cm_address(address, port)));
	NEED(!rdma_listen(listener, 8));
	say("LISTENING");
	for (;;) {
		struct pollfd pfd[2] = { { channel->fd, POLLIN }, { control, POLLIN } };
		enum rdma_cm_event_type what;
		struct rdma_cm_id *id;

		NEED(poll(pfd, 2, -1) > 0);
		if (!(pfd[0].revents & POLLIN))
			break;	/* the parent has closed its end */
		NEED(!rdma_get_cm_event(channel, &event));
		what = event->event;
		id = event->id;
		say("%s %d", cm_name(what), event->status);
		NEED(!rdma_ack_cm_event(event));
		if (!server_event(what, id))
			break;
	}
	NEED(!rdma_destroy_id(listener));
	say("END");
	return 0;
}

/* ---- client ------------------------------------------------------------------- */

static void connect_now(struct rdma_cm_id *id)
{
	struct rdma_conn_param p = { .responder_resources = 1, .initiator_depth = 1,
				     .retry_count = 7, .rnr_retry_count = 7 };

	if (reach("route"))
		return;
	NEED(make_qp(id));
	if (reach("qp"))
		return;
	NEED(!rdma_connect(id, &p));
	reach("connect");
}

/* False after the last event. */
static bool client_event(enum rdma_cm_event_type event, struct rdma_cm_id *id)
{
	switch (event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		if (!reach("addr"))
			NEED(!rdma_resolve_route(id, patience));
		return true;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		connect_now(id);
		return true;
	case RDMA_CM_EVENT_ESTABLISHED:
		if (type == UD)
			return false;
		client_message(id);
		if (reach("established"))
			return true;
		NEED(!rdma_disconnect(id));
		reach("disconnect");
		return true;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		return true;
	default:
		/* The side that stopped waits for more than that: the device's end. */
		return held && event != RDMA_CM_EVENT_DEVICE_REMOVAL;
	}
}

static int client(void)
{
	enum rdma_cm_event_type what;
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;

	NEED((channel = rdma_create_event_channel()));
	NEED(!rdma_create_id(channel, &id, NULL, type == UD ? RDMA_PS_UDP : RDMA_PS_TCP));
	if (rdma_resolve_addr(id, own ? cm_address(own, 0) : NULL, cm_address(address, port),
			      patience)) {
		say("RESOLVE-FAILED %s", strerror(errno));
		return 1;
	}
	do {
		event = cm_next(channel, CM_SECONDS * 1000);
		if (!event) {
			say("SILENCE");
			return 1;
		}
		what = event->event;
		say("%s %d", cm_name(what), event->status);
		NEED(!rdma_ack_cm_event(event));
	} while (client_event(what, id));
	end_id(id);
	say("END");
	return 0;
}

/* ---- the parent of both ------------------------------------------------------- */

struct side {
	pid_t pid;
	int lines, control;
	char heard[4096];	/* all it has said so far */
	size_t length, seen;
};

static void start(struct side *s, bool serves, const char *step, bool kill_there)
{
	int out[2], control[2];

	memset(s, 0, sizeof(*s));
	NEED(!pipe2(out, O_CLOEXEC) && !pipe2(control, O_CLOEXEC));
	fflush(stdout);
	NEED((s->pid = fork()) >= 0);
	if (!s->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		NEED(dup2(out[1], 1) == 1);
		close(out[0]);
		close(control[1]);
		chosen = step;
		killing = kill_there;
		exit(serves ? server(control[0]) : client());
	}
	close(out[1]);
	close(control[0]);
	s->lines = out[0];
	s->control = control[1];
}

/* Reads what the side says, until one of @texts ("A|B") begins a new line of it. */
static bool hear(struct side *s, const char *texts)
{
	double end = cm_now() + CM_SECONDS;

	for (;;) {
		char *line = s->heard + s->seen, *stop;
		struct pollfd pfd = { s->lines, POLLIN };
		ssize_t n;

		while ((stop = strchr(line, '\n'))) {
			const char *t = texts;

			s->seen = stop + 1 - s->heard;
			do {
				size_t l = strcspn(t, "|");

				if (!strncmp(line, t, l))
					return true;
				t += l;
			} while (*t++);
			line = stop + 1;
		}
		if (poll(&pfd, 1, (end - cm_now()) * 1000) <= 0)
			return false;
		n = read(s->lines, s->heard + s->length, sizeof(s->heard) - 1 - s->length);
		if (n <= 0)
			return false;
		s->length += n;
	}
}

/* The side ends by itself; true if it did so in good order. */
static bool join(struct side *s)
{
	int status;

	close(s->control);
	hear(s, "-");	/* to the end of what it says */
	close(s->lines);
	/* It closed its output, so it is about to end, or hangs and is stopped here. */
	alarm(CM_SECONDS);
	NEED(waitpid(s->pid, &status, 0) == s->pid);
	alarm(0);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void stop(struct side *s)
{
	kill(s->pid, SIGKILL);
	join(s);
}

static int wrong;

static void row(bool good, const char *name, const struct side *server, const struct side *client)
{
	printf("%s %s\n", good ? "ok  " : "FAIL", name);
	if (!good) {
		wrong++;
		printf("server said:\n%s", server->heard);
		printf("client said:\n%s", client->heard);
	}
	fflush(stdout);
}

/* A whole connection with a server that listens. */
static bool good_client(struct side *c)
{
	const char *last = type == UD ? "ESTABLISHED 0" :
			   type == REJECT ? "REJECTED 28" : "DISCONNECTED 0";
	bool good;

	start(c, false, NULL, false);
	good = hear(c, "ADDR_RESOLVED 0") && hear(c, "ROUTE_RESOLVED 0");
	if (type == RC)
		good = good && hear(c, "ESTABLISHED 0") && hear(c, "DATA");
	good = good && hear(c, last) && hear(c, "END");
	return join(c) && good;
}

static int once(void)
{
	struct side s, c;
	bool good;

	start(&s, true, NULL, false);
	good = hear(&s, "LISTENING") && good_client(&c) && hear(&s, "CONNECT_REQUEST 0");
	if (type == RC)
		good = good && hear(&s, "ESTABLISHED 0") && hear(&s, "DISCONNECTED 0") &&
		       hear(&s, "GONE");
	good = join(&s) && good;
	row(good, "one connection, step by step", &s, &c);
	return wrong;
}

static const struct {
	const char *name;
	bool server;
	const char *step;
	const char *told;	/* what the other side hears in the end */
} rows[] = {
	{ "the server dies with a request not answered", true, "request", "REJECTED 28" },
	{ "the server dies with a queue pair but no answer", true, "qp", "REJECTED 28" },
	{ "the server dies after its answer", true, "accept",
	  "REJECTED|DISCONNECTED|CONNECT_ERROR" },
	{ "the server dies while connected", true, "established", "DISCONNECTED 0" },
	{ "the server dies when the client disconnects", true, "disconnected", "DISCONNECTED" },
	{ "the client dies with an address", false, "addr", NULL },
	{ "the client dies with a route", false, "route", NULL },
	{ "the client dies with a queue pair", false, "qp", NULL },
	{ "the client dies with a request on its way", false, "connect", "GONE" },
	{ "the client dies while connected", false, "established", "DISCONNECTED 0" },
	{ "the client dies when it disconnects", false, "disconnect", "DISCONNECTED 0" },
};

static void one_death(int i)
{
	bool of_server = rows[i].server, good;
	struct side s, c, next;

	start(&s, true, of_server ? rows[i].step : NULL, true);
	good = hear(&s, "LISTENING");
	start(&c, false, of_server ? NULL : rows[i].step, true);
	if (of_server) {
		good = good && hear(&s, "AT") && hear(&c, rows[i].told) && hear(&c, "END");
		join(&s);
		good = join(&c) && good;
	} else {
		good = good && hear(&c, "AT");
		join(&c);
		if (rows[i].told)
			good = good && hear(&s, rows[i].told);
	}
	row(good, rows[i].name, &s, &c);
	if (of_server) {
		start(&s, true, NULL, false);
		NEED(hear(&s, "LISTENING"));
	}
	good = good_client(&next) && hear(&s, "GONE");
	good = join(&s) && good;
	row(good, "  and the next connection works", &s, &next);
}

static int deaths(void)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		one_death(i);
	return wrong;
}

static int hold(const char *side, const char *step, const char *file)
{
	bool of_server = !strcmp(side, "server"), good;
	struct side s, c;
	int fd;

	start(&s, true, of_server ? step : NULL, false);
	good = hear(&s, "LISTENING");
	start(&c, false, of_server ? NULL : step, false);
	good = good && hear(of_server ? &s : &c, "AT");
	NEED((fd = open(file, O_CREAT | O_WRONLY, 0600)) >= 0);
	close(fd);
	/* The side that did not stop may hear first that the other one has gone. */
	good = good && hear(of_server ? &s : &c, "DEVICE_REMOVAL") &&
	       hear(of_server ? &c : &s,
		    "DEVICE_REMOVAL|DISCONNECTED|REJECTED|UNREACHABLE");
	if (!good) {
		stop(&s);
		stop(&c);
	} else {
		good = hear(&s, "END") && hear(&c, "END");
		good = join(&s) && good;
		good = join(&c) && good;
	}
	row(good, "the device went", &s, &c);
	return wrong;
}

static int ask(const char *last)
{
	char expected[64];
	struct side c;
	bool good;

	snprintf(expected, sizeof(expected), "%s", last ? last :
		 type == UD ? "ESTABLISHED 0" : "DISCONNECTED 0");
	start(&c, false, NULL, false);
	good = hear(&c, expected) && hear(&c, "END");
	good = join(&c) && good;
	printf("%s", c.heard);
	return !good;
}

static int serve(const char *step)
{
	int control[2];

	/* There is no write and no close: until a signal. */
	NEED(!pipe(control));
	chosen = step;
	killing = true;
	return server(control[0]);
}

int main(int argc, char **argv)
{
	const char *mode, *one, *two, *three;
	int option;

	while ((option = getopt(argc, argv, "a:p:b:N:t:w:")) != -1) {
		switch (option) {
		case 'a': address = optarg; break;
		case 'p': port = atoi(optarg); break;
		case 'b': own = optarg; break;
		case 'N': namespace = optarg; break;
		case 'w': patience = atoi(optarg); break;
		case 't':
			type = !strcmp(optarg, "ud") ? UD : !strcmp(optarg, "reject") ? REJECT : RC;
			break;
		default: return 2;
		}
	}
	mode = optind < argc ? argv[optind] : "";
	one = optind + 1 < argc ? argv[optind + 1] : NULL;
	two = optind + 2 < argc ? argv[optind + 2] : NULL;
	three = optind + 3 < argc ? argv[optind + 3] : NULL;
	if (!strcmp(mode, "kill"))
		return deaths() != 0;
	if (!strcmp(mode, "once"))
		return once() != 0;
	if (!strcmp(mode, "hold") && three)
		return hold(one, two, three) != 0;
	if (!strcmp(mode, "serve"))
		return serve(one);
	if (!strcmp(mode, "ask"))
		return ask(one);
	fprintf(stderr, "usage: cm_steps [option...] kill|once|hold SIDE STEP FILE|serve [STEP]|ask [EVENT]\n");
	return 2;
}
