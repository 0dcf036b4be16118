// SPDX-License-Identifier: GPL-2.0
/*
 * What rdma_cm tells in cases that are rare. Client and server are one process.
 *
 * cm_edges moved STEP COMMAND	a client, to STEP; COMMAND (of the shell) changes something
 *				meanwhile; then the events that come until UNREACHABLE, or
 *				until -w MS have gone without one
 * cm_edges scopes		a client, until its request is there: the addresses of both
 *				sides, with the interfaces that they name
 *
 *   -a ADDRESS[%INTERFACE]  -p PORT	where to
 *   -l ADDRESS				where the server listens, :: or 0.0.0.0 unless told
 *   -b ADDRESS[%INTERFACE]		from where
 *
 * Steps: addr route established disconnected
 */
#include <net/if.h>
#include "cm.h"

static const char *address = "10.0.0.1", *own, *any;
static int port = 7410, patience = CM_SECONDS * 1000;

/* "fe80::1%eth0" too */
static struct sockaddr *scoped(const char *text, int number)
{
	char *plain = strdup(text), *scope = strchr(plain, '%');
	struct sockaddr *addr;

	if (scope)
		*scope++ = 0;
	addr = cm_address(plain, number);
	if (scope)
		((struct sockaddr_in6 *)addr)->sin6_scope_id = if_nametoindex(scope);
	free(plain);
	return addr;
}

static const char *shown(struct sockaddr *addr)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;
	char *text = malloc(96), name[IF_NAMESIZE] = "0";

	if (addr->sa_family == AF_INET) {
		inet_ntop(AF_INET, &((struct sockaddr_in *)addr)->sin_addr, text, 64);
		return text;
	}
	inet_ntop(AF_INET6, &in6->sin6_addr, text, 64);
	if (in6->sin6_scope_id)
		if_indextoname(in6->sin6_scope_id, name);
	sprintf(text + strlen(text), "%%%s", name);
	return text;
}

static void show(const char *side, struct rdma_cm_id *of)
{
	printf("%s: %s to %s\n", side, shown(rdma_get_local_addr(of)),
	       shown(rdma_get_peer_addr(of)));
}

/* ---- both sides ----------------------------------------------------------------- */

static struct rdma_event_channel *at_server, *at_client;
static struct rdma_cm_id *listener, *accepted, *id;

static void make_qp(struct rdma_cm_id *of)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 2, .max_recv_wr = 2, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	NEED(!rdma_create_qp(of, NULL, &attr));
}

/* The next event has to be this one. */
static struct rdma_cm_event *await(struct rdma_event_channel *channel,
				   enum rdma_cm_event_type type)
{
	struct rdma_cm_event *event = cm_next(channel, CM_SECONDS * 1000);

	NEED(event);
	if (event->event != type) {
		printf("%s %d\n", cm_name(event->event), event->status);
		exit(1);
	}
	return event;
}

static void pass(struct rdma_event_channel *channel, enum rdma_cm_event_type type)
{
	NEED(!rdma_ack_cm_event(await(channel, type)));
}

static void serve(void)
{
	NEED((at_server = rdma_create_event_channel()));
	NEED(!rdma_create_id(at_server, &listener, NULL, RDMA_PS_TCP));
	if (!any)
		any = strchr(address, ':') ? "::" : "0.0.0.0";
	NEED(!rdma_bind_addr(listener, scoped(any, port)));
	NEED(!rdma_listen(listener, 8));
}

static void request(void)
{
	struct rdma_conn_param param = { .responder_resources = 1, .initiator_depth = 1,
					 .retry_count = 7, .rnr_retry_count = 7 };

	make_qp(id);
	NEED(!rdma_connect(id, &param));
}

static struct rdma_cm_id *requested(void)
{
	struct rdma_cm_event *event = await(at_server, RDMA_CM_EVENT_CONNECT_REQUEST);

	accepted = event->id;
	NEED(!rdma_ack_cm_event(event));
	return accepted;
}

static void accept_it(void)
{
	struct rdma_conn_param param = { .responder_resources = 1, .initiator_depth = 1,
					 .rnr_retry_count = 7 };

	make_qp(requested());
	NEED(!rdma_accept(accepted, &param));
	pass(at_client, RDMA_CM_EVENT_ESTABLISHED);
	pass(at_server, RDMA_CM_EVENT_ESTABLISHED);
}

static void resolve(void)
{
	NEED((at_client = rdma_create_event_channel()));
	NEED(!rdma_create_id(at_client, &id, NULL, RDMA_PS_TCP));
	NEED(!rdma_resolve_addr(id, own ? scoped(own, 0) : NULL, scoped(address, port),
				CM_SECONDS * 1000));
	pass(at_client, RDMA_CM_EVENT_ADDR_RESOLVED);
}

static void find_route(void)
{
	NEED(!rdma_resolve_route(id, CM_SECONDS * 1000));
	pass(at_client, RDMA_CM_EVENT_ROUTE_RESOLVED);
}

/* ---- modes ---------------------------------------------------------------------- */

static void go_to(const char *step)
{
	resolve();
	if (!strcmp(step, "addr"))
		return;
	find_route();
	if (!strcmp(step, "route"))
		return;
	serve();
	request();
	accept_it();
	if (!strcmp(step, "established"))
		return;
	NEED(!strcmp(step, "disconnected"));
	NEED(!rdma_disconnect(id));
	pass(at_server, RDMA_CM_EVENT_DISCONNECTED);
	NEED(!rdma_disconnect(accepted));
	pass(at_client, RDMA_CM_EVENT_DISCONNECTED);
}

static int moved(const char *step, const char *command)
{
	struct rdma_cm_event *event;
	bool over;

	go_to(step);
	NEED(!system(command));
	while ((event = cm_next(at_client, patience))) {
		printf("%s %d\n", cm_name(event->event), event->status);
		fflush(stdout);
		over = event->event == RDMA_CM_EVENT_UNREACHABLE;
		NEED(!rdma_ack_cm_event(event));
		if (over)
			return 0;
	}
	printf("nothing more\n");
	return 1;
}

static int scopes(void)
{
	serve();
	resolve();
	show("client", id);
	find_route();
	request();
	show("server", requested());
	NEED(!rdma_reject(accepted, NULL, 0));
	pass(at_client, RDMA_CM_EVENT_REJECTED);
	show("client, in the end", id);
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode;
	int option;

	while ((option = getopt(argc, argv, "a:p:b:l:w:")) != -1) {
		switch (option) {
		case 'a': address = optarg; break;
		case 'p': port = atoi(optarg); break;
		case 'b': own = optarg; break;
		case 'l': any = optarg; break;
		case 'w': patience = atoi(optarg); break;
		default: return 2;
		}
	}
	mode = optind < argc ? argv[optind] : "";
	if (!strcmp(mode, "moved") && optind + 2 < argc)
		return moved(argv[optind + 1], argv[optind + 2]);
	if (!strcmp(mode, "scopes"))
		return scopes();
	fprintf(stderr, "usage: cm_edges [option...] moved STEP COMMAND|scopes\n");
	return 2;
}
