// SPDX-License-Identifier: GPL-2.0
/*
 * Many connections, many at a time.
 *
 * cm_storm connect	each is made, with queue pairs, and ended; the rate is printed
 * cm_storm backlog	requests of clients that give up at once, to a server that sleeps:
 *			no more than the backlog says are left of them; then more clients
 *			than that wait for it, and all are served
 *
 *   -a ADDRESS  -p PORT  -n COUNT  -w how many at a time  -l BACKLOG
 *   -N NAMESPACE (of the server)  -g: the device may go, which ends it
 *   -m FILE: made when the first connection is there
 *
 * Server and client are processes of their own.
 */
#include <sys/prctl.h>
#include "cm.h"

/* IB_CM_REJ_STALE_CONN: the number of a queue pair came again too early. */
#define REASON_STALE	10

static const char *address = "10.0.0.1", *namespace, *mark;
static int port = 7401, count = 1000, window = 64, backlog = 64;
static bool may_go;

static struct rdma_event_channel *channel;

/* One for all connections of a process. */
static struct ibv_pd *pd;
static struct ibv_cq *cq;

static bool make_qp(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	if (!pd && (!(pd = ibv_alloc_pd(id->verbs)) ||
		    !(cq = ibv_create_cq(id->verbs, 16, NULL, NULL, 0))))
		return false;
	attr.send_cq = cq;
	attr.recv_cq = cq;
	return !rdma_create_qp(id, pd, &attr);
}

static void end_id(struct rdma_cm_id *id)
{
	if (id->qp)
		rdma_destroy_qp(id);
	NEED(!rdma_destroy_id(id));
}

static void no_more(void)
{
	if (cq)
		ibv_destroy_cq(cq);
	if (pd)
		ibv_dealloc_pd(pd);
	rdma_destroy_event_channel(channel);
}

/* Out of an event, which is given back: its id may be destroyed now. */
struct what {
	enum rdma_cm_event_type event;
	struct rdma_cm_id *id;
	int status;
};

static bool next(struct what *w, int ms)
{
	struct rdma_cm_event *event = cm_next(channel, ms);

	if (!event)
		return false;
	*w = (struct what){ event->event, event->id, event->status };
	NEED(!rdma_ack_cm_event(event));
	return true;
}

/* ---- server ------------------------------------------------------------------- */

static void answer(struct rdma_cm_id *id)
{
	struct rdma_conn_param p = { .retry_count = 7, .rnr_retry_count = 7 };

	/* A client that gave up meanwhile makes the answer fail. */
	if (!make_qp(id) || rdma_accept(id, &p)) {
		if (!may_go)
			printf("server: no answer: %s\n", strerror(errno));
		end_id(id);
	}
}

/* False when the listener's device has gone. */
static bool server_event(const struct what *w, struct rdma_cm_id *listener)
{
	switch (w->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		answer(w->id);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		rdma_disconnect(w->id);
		end_id(w->id);
		break;
	default:
		if (w->id == listener)
			return false;
		end_id(w->id);
	}
	return true;
}

/* How many requests wait, not one of them answered. */
static int drain(void)
{
	struct what w;
	int n = 0;

	while (next(&w, 0)) {
		NEED(w.event == RDMA_CM_EVENT_CONNECT_REQUEST);
		end_id(w.id);
		n++;
	}
	return n;
}

/* Told what to do by @control: 'd' count what waits, 's' serve, until it is closed. */
static int server(int ready, int control)
{
	struct pollfd pfd[2] = { { .fd = control, .events = POLLIN }, { .events = POLLIN } };
	struct rdma_cm_id *listener;
	bool serves = false;
	struct what w;
	char order;
	int n = 0;

	cm_enter(namespace);
	NEED((channel = rdma_create_event_channel()));
	NEED(!rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP));
	NEED(!rdma_bind_addr(listener, cm_address(address, port)));
	NEED(!rdma_listen(listener, backlog));
	NEED(write(ready, &n, sizeof(n)) == sizeof(n));
	pfd[1].fd = channel->fd;
	for (;;) {
		NEED(poll(pfd, serves ? 2 : 1, -1) > 0);
		if (!pfd[0].revents) {
			if (next(&w, 0) && !server_event(&w, listener))
				break;
			continue;
		}
		if (read(control, &order, 1) != 1)
			break;
		serves = order == 's';
		if (serves)
			continue;
		n = drain();
		NEED(write(ready, &n, sizeof(n)) == sizeof(n));
	}
	NEED(!rdma_destroy_id(listener));
	/* Connections that are left go with the process. */
	return 0;
}

/* ---- client ------------------------------------------------------------------- */

static int begun, done, under_way, asked, again, gone;

/* What an id is there for. */
enum purpose { CONNECT, GIVE_UP };

static void begin(void)
{
	struct rdma_cm_id *id;

	NEED(!rdma_create_id(channel, &id, NULL, RDMA_PS_TCP));
	if (rdma_resolve_addr(id, NULL, cm_address(address, port), CM_SECONDS * 1000)) {
		NEED(may_go);
		gone++;
		end_id(id);
		return;
	}
	begun++;
	under_way++;
}

static void over(struct rdma_cm_id *id)
{
	end_id(id);
	under_way--;
}

static void request(struct rdma_cm_id *id, enum purpose purpose)
{
	struct rdma_conn_param p = { .retry_count = 7, .rnr_retry_count = 7,
				     .qp_num = 0x100000 + asked };

	if ((purpose == CONNECT && !make_qp(id)) || rdma_connect(id, &p)) {
		NEED(may_go);
		gone++;
		over(id);
		return;
	}
	asked++;
	if (purpose == GIVE_UP)
		over(id);
}

static void established(struct rdma_cm_id *id)
{
	if (mark) {
		int fd = open(mark, O_CREAT | O_WRONLY, 0600);

		NEED(fd >= 0);
		close(fd);
		mark = NULL;
	}
	if (rdma_disconnect(id)) {
		NEED(may_go);
		over(id);
	}
}

static void failed(const struct what *w)
{
	if (may_go) {
		gone++;
	} else if (w->event == RDMA_CM_EVENT_REJECTED && w->status == REASON_STALE) {
		again++;
		begun--;
	} else {
		printf("FAIL after %d: %s %d\n", done, cm_name(w->event), w->status);
		exit(1);
	}
	over(w->id);
}

static void client_event(const struct what *w, enum purpose purpose)
{
	switch (w->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		NEED(!rdma_resolve_route(w->id, CM_SECONDS * 1000) || may_go);
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		request(w->id, purpose);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		established(w->id);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		done++;
		over(w->id);
		break;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		gone++;
		over(w->id);
		break;
	default:
		failed(w);
	}
}

static void one_event(enum purpose purpose)
{
	struct what w;

	if (!next(&w, CM_SECONDS * 1000)) {
		printf("FAIL after %d of %d, %d under way: nothing happens\n", done, begun,
		       under_way);
		exit(1);
	}
	client_event(&w, purpose);
}

static void connect_all(void)
{
	double start = cm_now();

	while ((begun < count && !gone) || under_way)
		if (begun < count && under_way < window && !gone)
			begin();
		else
			one_event(CONNECT);
	printf("%d connections, %d at a time: %.0f in a second", done, window,
	       done / (cm_now() - start));
	if (again)
		printf(", %d asked again for a number that was used before", again);
	puts(gone ? "; the device went" : "");
	NEED(done == count || gone);
}

static long memory(const char *field)
{
	FILE *file = fopen("/proc/meminfo", "r");
	size_t l = strlen(field);
	char line[128];
	long kb = -1;

	NEED(file);
	while (kb < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, field, l) && line[l] == ':')
			kb = atol(line + l + 1);
	fclose(file);
	return kb;
}

static int waiting(int ready, int control)
{
	int n;

	NEED(write(control, "d", 1) == 1);
	NEED(read(ready, &n, sizeof(n)) == sizeof(n));
	return n;
}

static void give_up_all(int ready, int control)
{
	long slab = memory("SUnreclaim"), available = memory("MemAvailable");
	int n;

	while (begun < count || under_way)
		if (begun < count && under_way < window)
			begin();
		else
			one_event(GIVE_UP);
	available -= memory("MemAvailable");
	slab = memory("SUnreclaim") - slab;
	n = waiting(ready, control);
	printf("%d requests given up, %d wait; memory available %ld kB less, slabs %ld kB more\n",
	       asked, n, available, slab);
	/* While they are counted, those under way come in. */
	NEED(n > 0 && n <= backlog + window);
}

/* All at once; one that finds no room asks again. */
static void fill_backlog(int ready, int control)
{
	give_up_all(ready, control);
	begun = 0;
	asked = 0;
	count = window;
	while (begun < count)
		begin();
	while (asked < count)
		one_event(CONNECT);
	NEED(write(control, "s", 1) == 1);
	connect_all();
}

static int storm(bool serve)
{
	int ready[2], control[2], status, n;
	pid_t pid;

	NEED(!pipe2(ready, O_CLOEXEC) && !pipe2(control, O_CLOEXEC));
	NEED((pid = fork()) >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ready[0]);
		close(control[1]);
		exit(server(ready[1], control[0]));
	}
	close(ready[1]);
	close(control[0]);
	NEED(read(ready[0], &n, sizeof(n)) == sizeof(n));
	NEED((channel = rdma_create_event_channel()));
	if (serve) {
		NEED(write(control[1], "s", 1) == 1);
		connect_all();
	} else {
		fill_backlog(ready[0], control[1]);
	}
	close(control[1]);
	no_more();
	NEED(waitpid(pid, &status, 0) == pid);
	return !(WIFEXITED(status) && !WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
	int option;

	setlinebuf(stdout);
	while ((option = getopt(argc, argv, "a:p:n:w:l:N:m:g")) != -1) {
		switch (option) {
		case 'a': address = optarg; break;
		case 'p': port = atoi(optarg); break;
		case 'n': count = atoi(optarg); break;
		case 'w': window = atoi(optarg); break;
		case 'l': backlog = atoi(optarg); break;
		case 'N': namespace = optarg; break;
		case 'm': mark = optarg; break;
		case 'g': may_go = true; break;
		default: return 2;
		}
	}
	if (optind < argc && !strcmp(argv[optind], "connect"))
		return storm(true);
	if (optind < argc && !strcmp(argv[optind], "backlog"))
		return storm(false);
	fprintf(stderr, "usage: cm_storm [option...] connect|backlog\n");
	return 2;
}
