// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/infiniband/ucmN: two ends that talk, by every message that the CM has, and what becomes of
 * one when the other goes.
 *
 * usage: ucm_talk DEVICE GID-INDEX PEER GID-INDEX
 */
#include <signal.h>
#include <sys/wait.h>

#include "ucm_world.h"

#define SERVICE 0x8000

static uint8_t sent[255];
static struct ibcm_event event;

static bool has_data(const struct ibcm_event *e, size_t len)
{
	return e->resp.present & IB_UCM_PRES_DATA && !memcmp(e->data, sent, len);
}

static bool has_info(const struct ibcm_event *e, size_t len)
{
	return e->resp.present & IB_UCM_PRES_INFO && !memcmp(e->info, sent, len);
}

/* ---- a connection, from its request to its end ------------------------------------------ */

static void see_request(void)
{
	const struct ib_ucm_req_event_resp *req = &event.resp.u.req_resp;

	EXPECT("the event is the listener's", event.resp.uid, 3);
	EXPECT("its private data", has_data(&event, 92), true);
	EXPECT("its primary path", event.resp.present & IB_UCM_PRES_PRIMARY, IB_UCM_PRES_PRIMARY);
	EXPECT("leads back here", memcmp(req->primary_path.dgid, &here.gid, 16), 0);
	EXPECT("from there", memcmp(req->primary_path.sgid, &there.gid, 16), 0);
	EXPECT("no alternate path", event.resp.present & IB_UCM_PRES_ALTERNATE, 0);
	EXPECT("queue pair", req->remote_qpn, asking_qpn);
	EXPECT("type", req->qp_type, IBV_QPT_RC);
	EXPECT("PSN", req->starting_psn, 0x1111);
	EXPECT("responder resources", req->responder_resources, 4);
	EXPECT("initiator depth", req->initiator_depth, 3);
	EXPECT("retries", req->retry_count, 6);
	EXPECT("RNR retries", req->rnr_retry_count, 5);
	EXPECT("port", req->port, 1);
}

static void see_attributes(const struct pair *p)
{
	struct ib_ucm_attr_id_resp a = {}, b = {};
	struct ibv_qp_attr attr;
	int mask;

	EXPECT("attributes of the active id", ibcm_attr(here.fd, p->active, &a), 0);
	EXPECT("attributes of the passive id", ibcm_attr(there.fd, p->passive, &b), 0);
	EXPECT("they are of one service", a.service_id == b.service_id, true);
	EXPECT("which is ours", be64toh(a.service_id), SERVICE);
	EXPECT("the passive id knows the active one", b.remote_id == a.local_id, true);
	EXPECT("and is known", a.remote_id == b.local_id, true);
	EXPECT("to be ready to receive",
	       ibcm_qp_attr(here.fd, p->active, IBV_QPS_RTR, &attr, &mask), 0);
	EXPECT("the other queue pair", attr.dest_qp_num, replying_qpn);
	EXPECT("its PSN", attr.rq_psn, 0x1111);
	EXPECT("ready to send", ibcm_qp_attr(here.fd, p->active, IBV_QPS_RTS, &attr, &mask), 0);
	EXPECT("PSN of it", attr.sq_psn, 0x2222);
	EXPECT("no attributes of another state",
	       ibcm_qp_attr(here.fd, p->active, 99, &attr, &mask), EINVAL);
}

static void life(void)
{
	struct ib_user_path_rec path = path_to(&here, &there);
	struct ib_ucm_mra mra = { .data = (uintptr_t)sent, .len = 222, .timeout = 20 };
	struct pair p;
	uint32_t n;

	EXPECT("a listener", ibcm_create(there.fd, 3, &p.listener), 0);
	EXPECT("it listens", ibcm_listen(there.fd, p.listener, SERVICE), 0);
	EXPECT("an id", ibcm_create(here.fd, 1, &p.active), 0);
	EXPECT("REQ", request(p.active, SERVICE, &path, sent, 92), 0);
	EXPECT("REQ has come", next_event(there.fd, IBCM_REQ_RECEIVED, &event), 0);
	p.passive = event.resp.id;
	see_request();
	mra.id = p.passive;
	EXPECT("MRA", IBCM(there.fd, SEND_MRA, mra, 0), 0);
	EXPECT("MRA has come", next_event(here.fd, IBCM_MRA_RECEIVED, &event), 0);
	EXPECT("its private data", has_data(&event, 222), true);
	EXPECT("its time", event.resp.u.mra_resp.timeout, 20);
	EXPECT("REP", reply(p.passive, 2, sent, 196), 0);
	EXPECT("REP has come", next_event(here.fd, IBCM_REP_RECEIVED, &event), 0);
	EXPECT("the event is the id's", event.resp.uid, 1);
	EXPECT("with its number", event.resp.id, p.active);
	EXPECT("its private data", has_data(&event, 196), true);
	EXPECT("queue pair", event.resp.u.rep_resp.remote_qpn, replying_qpn);
	EXPECT("RNR retries", event.resp.u.rep_resp.rnr_retry_count, 2);
	EXPECT("RTU", ibcm_private(here.fd, IB_USER_CM_CMD_SEND_RTU, p.active, sent, 224), 0);
	EXPECT("RTU has come", next_event(there.fd, IBCM_RTU_RECEIVED, &event), 0);
	EXPECT("the event has the name of REP", event.resp.uid, 2);
	EXPECT("its private data", has_data(&event, 224), true);
	EXPECT("it is connected already",
	       ibcm_notify(there.fd, p.passive, IBV_EVENT_COMM_EST), EISCONN);
	see_attributes(&p);
	EXPECT("DREQ", ibcm_private(there.fd, IB_USER_CM_CMD_SEND_DREQ, p.passive, sent, 220), 0);
	EXPECT("DREQ has come", next_event(here.fd, IBCM_DREQ_RECEIVED, &event), 0);
	EXPECT("its private data", has_data(&event, 220), true);
	EXPECT("DREP", ibcm_private(here.fd, IB_USER_CM_CMD_SEND_DREP, p.active, sent, 224), 0);
	EXPECT("DREP has come", next_event(there.fd, IBCM_DREP_RECEIVED, &event), 0);
	EXPECT("its private data", has_data(&event, 224), true);
	EXPECT("the end of TimeWait", next_event(there.fd, IBCM_TIMEWAIT_EXIT, &event), 0);
	EXPECT("the passive id goes", ibcm_destroy(there.fd, p.passive, &n), 0);
	EXPECT("three events of it were read", n, 3);
	EXPECT("the listener goes", ibcm_destroy(there.fd, p.listener, &n), 0);
	EXPECT("one event of it was read", n, 1);
	EXPECT("the active id goes", ibcm_destroy(here.fd, p.active, NULL), 0);
}

/* ---- requests that come to nothing ------------------------------------------------------- */

static void rejected(void)
{
	struct ib_user_path_rec path = path_to(&here, &there);
	uint32_t listener, id, active;

	EXPECT("another id", ibcm_create(here.fd, 1, &active), 0);
	EXPECT("REQ to no service", request(active, SERVICE, &path, NULL, 0), 0);
	EXPECT("REJ has come", next_event(here.fd, IBCM_REJ_RECEIVED, &event), 0);
	EXPECT("as the service is not known", event.resp.u.rej_resp.reason, 8);
	EXPECT("a listener again", ibcm_create(there.fd, 3, &listener), 0);
	EXPECT("it listens", ibcm_listen(there.fd, listener, SERVICE), 0);
	EXPECT("REQ by the same id", request(active, SERVICE, &path, NULL, 0), 0);
	EXPECT("REQ has come", next_event(there.fd, IBCM_REQ_RECEIVED, &event), 0);
	id = event.resp.id;
	EXPECT("REJ", ibcm_reject(there.fd, id, 28, sent, 72, sent, 148), 0);
	EXPECT("REJ has come", next_event(here.fd, IBCM_REJ_RECEIVED, &event), 0);
	EXPECT("its reason", event.resp.u.rej_resp.reason, 28);
	EXPECT("its private data", has_data(&event, 148), true);
	EXPECT("its additional information", has_info(&event, 72), true);
	EXPECT("no REP after that", reply(id, 2, NULL, 0), EINVAL);
	EXPECT("the id of the request goes", ibcm_destroy(there.fd, id, NULL), 0);
	/* An id that is not accepted is rejected when it goes. */
	EXPECT("REQ once more", request(active, SERVICE, &path, NULL, 0), 0);
	EXPECT("REQ has come", next_event(there.fd, IBCM_REQ_RECEIVED, &event), 0);
	EXPECT("the id of the request goes", ibcm_destroy(there.fd, event.resp.id, NULL), 0);
	EXPECT("REJ has come", next_event(here.fd, IBCM_REJ_RECEIVED, &event), 0);
	/* Nor is it known before its event is read: the listener takes it along. */
	EXPECT("REQ that is not read", request(active, SERVICE, &path, NULL, 0), 0);
	while (is_silent(there.fd))
		usleep(1000);
	EXPECT("the listener goes", ibcm_destroy(there.fd, listener, NULL), 0);
	EXPECT("REJ has come", next_event(here.fd, IBCM_REJ_RECEIVED, &event), 0);
	EXPECT("no event is left", is_silent(there.fd), true);
	EXPECT("the active id goes", ibcm_destroy(here.fd, active, NULL), 0);
}

/* ---- service id resolution ------------------------------------------------------------------ */

static int sidr_request(uint32_t id, const void *data, uint8_t len)
{
	struct ib_user_path_rec path = path_to(&here, &there);
	struct ib_ucm_sidr_req req = {
		.id = id, .timeout = 1000, .max_cm_retries = 15, .sid = htobe64(SERVICE),
		.data = (uintptr_t)data, .len = len, .path = (uintptr_t)&path,
	};

	return IBCM(here.fd, SEND_SIDR_REQ, req, 0);
}

static void resolution(void)
{
	struct ib_ucm_sidr_rep rep = {
		.qpn = 0x33, .qkey = 0x3333, .info = (uintptr_t)sent, .data = (uintptr_t)sent,
		.info_len = 72, .data_len = 136,
	};
	uint32_t listener, active;

	EXPECT("an id", ibcm_create(here.fd, 1, &active), 0);
	EXPECT("SIDR_REQ to no service", sidr_request(active, NULL, 0), 0);
	EXPECT("SIDR_REP has come", next_event(here.fd, IBCM_SIDR_REP_RECEIVED, &event), 0);
	EXPECT("the service is not supported", event.resp.u.sidr_rep_resp.status, 1);
	EXPECT("a listener", ibcm_create(there.fd, 3, &listener), 0);
	EXPECT("it listens", ibcm_listen(there.fd, listener, SERVICE), 0);
	EXPECT("SIDR_REQ", sidr_request(active, sent, 216), 0);
	EXPECT("SIDR_REQ has come", next_event(there.fd, IBCM_SIDR_REQ_RECEIVED, &event), 0);
	EXPECT("the event is the listener's", event.resp.uid, 3);
	EXPECT("its private data", has_data(&event, 216), true);
	EXPECT("its partition", event.resp.u.sidr_req_resp.pkey, 0xffff);
	EXPECT("its port", event.resp.u.sidr_req_resp.port, 1);
	rep.id = event.resp.id;
	EXPECT("SIDR_REP", IBCM(there.fd, SEND_SIDR_REP, rep, 0), 0);
	EXPECT("SIDR_REP has come", next_event(here.fd, IBCM_SIDR_REP_RECEIVED, &event), 0);
	EXPECT("its queue pair", event.resp.u.sidr_rep_resp.qpn, 0x33);
	EXPECT("its key", event.resp.u.sidr_rep_resp.qkey, 0x3333);
	EXPECT("its private data", has_data(&event, 136), true);
	EXPECT("its information", has_info(&event, 72), true);
	EXPECT("no second SIDR_REP", IBCM(there.fd, SEND_SIDR_REP, rep, 0), EINVAL);
	EXPECT("the id of the request goes", ibcm_destroy(there.fd, rep.id, NULL), 0);
	EXPECT("the listener goes", ibcm_destroy(there.fd, listener, NULL), 0);
	EXPECT("the active id goes", ibcm_destroy(here.fd, active, NULL), 0);
}

/* ---- events that are not read --------------------------------------------------------------- */

static int read_to(void *response, void *data, uint8_t data_len)
{
	struct ib_ucm_event_get req = {
		.response = (uintptr_t)response, .data = (uintptr_t)data,
		.info = (uintptr_t)event.info, .data_len = data_len, .info_len = sizeof(event.info),
	};

	return IBCM(there.fd, EVENT, req, sizeof(event.resp));
}

/* Where there is no information, it does not matter where that would go: no endless try. */
static void nothing_to_nowhere(struct ib_user_path_rec *path)
{
	struct ib_ucm_event_get req = {
		.response = (uintptr_t)&event.resp, .data = (uintptr_t)event.data,
		.info = -PAGE, .data_len = sizeof(event.data),
	};
	uint32_t active;

	EXPECT("another id", ibcm_create(here.fd, 1, &active), 0);
	EXPECT("its REQ", request(active, SERVICE, path, sent, 92), 0);
	alarm(30);
	EXPECT("EVENT, no information to an address of the kernel",
	       IBCM(there.fd, EVENT, req, sizeof(event.resp)), 0);
	alarm(0);
	EXPECT("it is the REQ", event.resp.event, IBCM_REQ_RECEIVED);
	EXPECT("that id goes", ibcm_destroy(here.fd, active, NULL), 0);
}

/* An event that cannot be given stays, and is the same when it can. */
static void misread(void)
{
	struct ib_user_path_rec path = path_to(&here, &there);
	uint32_t listener, active;
	char *fresh;

	EXPECT("a listener", ibcm_create(there.fd, 3, &listener), 0);
	EXPECT("it listens", ibcm_listen(there.fd, listener, SERVICE), 0);
	EXPECT("an id", ibcm_create(here.fd, 1, &active), 0);
	EXPECT("REQ", request(active, SERVICE, &path, sent, 92), 0);
	EXPECT("EVENT, to nowhere", read_to(NULL, event.data, 255), EFAULT);
	EXPECT("EVENT, to what can only be read", read_to(read_only, event.data, 255), EFAULT);
	EXPECT("EVENT, over the edge", read_to(edge + PAGE - 64, event.data, 255), EFAULT);
	EXPECT("EVENT, data over the edge", read_to(&event.resp, edge + PAGE - 64, 255), EFAULT);
	EXPECT("EVENT, no room for data", read_to(&event.resp, event.data, 91), ENOSPC);
	/* Pages that are not there yet come when they are written. */
	fresh = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT("EVENT, to fresh pages", read_to(fresh, fresh + PAGE, 92), 0);
	EXPECT("it is REQ", ((struct ib_ucm_event_resp *)fresh)->event, IBCM_REQ_RECEIVED);
	EXPECT("with its data", memcmp(fresh + PAGE, sent, 92), 0);
	EXPECT("the active id goes", ibcm_destroy(here.fd, active, NULL), 0);
	nothing_to_nowhere(&path);
	EXPECT("the listener goes", ibcm_destroy(there.fd, listener, NULL), 0);
}

#define MANY 400

/* A listener that reads nothing has 128 requests; of the others the peers will ask again. */
static void flood(void)
{
	struct ib_user_path_rec path = path_to(&here, &there);
	uint32_t listener, id;
	int fd = there.fd, n = 0;
	size_t i;

	EXPECT("a file", (there.fd = ibcm_open(there.device, O_NONBLOCK)) >= 0, true);
	EXPECT("a listener", ibcm_create(there.fd, 3, &listener), 0);
	EXPECT("it listens", ibcm_listen(there.fd, listener, SERVICE), 0);
	for (i = 0; i < MANY; i++)
		TRY(!ibcm_create(here.fd, 1, &id) && !request(id, SERVICE, &path, NULL, 0));
	/* Most have arrived when one that came later is refused its service. */
	EXPECT("one more id", ibcm_create(here.fd, 4, &id), 0);
	EXPECT("REQ to no service", request(id, SERVICE + 1, &path, NULL, 0), 0);
	EXPECT("REJ has come", next_event(here.fd, IBCM_REJ_RECEIVED, &event), 0);
	EXPECT("of that one", event.resp.uid, 4);
	while (!ibcm_event(there.fd, &event))
		n++;
	printf("     %d of %d requests\n", n, MANY);
	EXPECT("some requests have room, and not all", n > 0 && n < MANY, true);
	close(there.fd);
	there.fd = fd;
	/* The others end with this file. */
	close(here.fd);
	EXPECT("a new file", (here.fd = ibcm_open(here.device, 0)) >= 0, true);
}

/* ---- the end of one side -------------------------------------------------------------------- */

static void closed(void)
{
	struct pair p;
	int fd = here.fd;

	EXPECT("a file for one connection", (here.fd = ibcm_open(here.device, 0)) >= 0, true);
	EXPECT("both ends are connected", connect_pair(&p, SERVICE), true);
	close(here.fd);
	here.fd = fd;
	EXPECT("a close: DREQ has come", next_event(there.fd, IBCM_DREQ_RECEIVED, &event), 0);
	EXPECT("of the passive id", event.resp.uid, 2);
	EXPECT("it goes", ibcm_destroy(there.fd, p.passive, NULL), 0);
	EXPECT("the listener goes", ibcm_destroy(there.fd, p.listener, NULL), 0);
}

/* The client of a listener that the parent has; it ends by a signal. */
static void connect_and_wait(int go)
{
	struct ib_user_path_rec path = path_to(&here, &there);
	struct ibcm_event e;
	uint32_t id;
	char byte;

	/* Commands are for the process that has opened the file. */
	TRY((here.fd = ibcm_open(here.device, 0)) >= 0);
	TRY(read(go, &byte, 1) == 1);
	TRY(!ibcm_create(here.fd, 1, &id) && !request(id, SERVICE, &path, NULL, 0));
	TRY(!next_event(here.fd, IBCM_REP_RECEIVED, &e));
	TRY(!ibcm_private(here.fd, IB_USER_CM_CMD_SEND_RTU, id, NULL, 0));
	pause();
}

static void killed(void)
{
	uint32_t listener, passive;
	int pipes[2];
	pid_t child;

	TRY(!pipe(pipes));
	child = fork();
	if (!child)
		connect_and_wait(pipes[0]);
	EXPECT("a listener", ibcm_create(there.fd, 3, &listener), 0);
	EXPECT("it listens", ibcm_listen(there.fd, listener, SERVICE), 0);
	TRY(write(pipes[1], "", 1) == 1);
	EXPECT("REQ of another process", next_event(there.fd, IBCM_REQ_RECEIVED, &event), 0);
	passive = event.resp.id;
	EXPECT("REP", reply(passive, 2, NULL, 0), 0);
	EXPECT("RTU has come", next_event(there.fd, IBCM_RTU_RECEIVED, &event), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	EXPECT("it is killed: DREQ has come", next_event(there.fd, IBCM_DREQ_RECEIVED, &event), 0);
	EXPECT("the passive id goes", ibcm_destroy(there.fd, passive, NULL), 0);
	EXPECT("the listener goes", ibcm_destroy(there.fd, listener, NULL), 0);
	close(pipes[0]);
	close(pipes[1]);
}

/* The queue pair has heard of the peer before the RTU came. */
static void established(void)
{
	struct ib_user_path_rec path = path_to(&here, &there);
	struct pair p;

	EXPECT("a listener", ibcm_create(there.fd, 3, &p.listener), 0);
	EXPECT("it listens", ibcm_listen(there.fd, p.listener, SERVICE), 0);
	EXPECT("an id", ibcm_create(here.fd, 1, &p.active), 0);
	EXPECT("REQ", request(p.active, SERVICE, &path, NULL, 0), 0);
	EXPECT("REQ has come", next_event(there.fd, IBCM_REQ_RECEIVED, &event), 0);
	p.passive = event.resp.id;
	EXPECT("REP", reply(p.passive, 2, NULL, 0), 0);
	EXPECT("data has come",
	       ibcm_notify(there.fd, p.passive, IBV_EVENT_COMM_EST), 0);
	EXPECT("it is connected", next_event(there.fd, IBCM_USER_ESTABLISHED, &event), 0);
	EXPECT("an event that is none", ibcm_notify(there.fd, p.passive, 99), EINVAL);
	EXPECT("REP has come", next_event(here.fd, IBCM_REP_RECEIVED, &event), 0);
	EXPECT("all go", destroy_pair(&p), true);
}

int main(int argc, char **argv)
{
	size_t i;

	if (!world_init(argc, argv))
		return 2;
	for (i = 0; i < sizeof(sent); i++)
		sent[i] = i + 1;
	life();
	rejected();
	resolution();
	established();
	misread();
	closed();
	killed();
	flood();
	return verdict();
}
