// SPDX-License-Identifier: GPL-2.0
/*
 * Commands of rdma_cm's node that Linux 6.17 brought: events that a program writes, and services
 * that the subnet administrator knows. The headers of the host may be older.
 *
 * cm_service there		are the commands there?
 * cm_service events		events written, and read again; what can not be written
 * cm_service bound		an id holds so many unread events, and has room again
 * cm_service refused -a ADDRESS  what RESOLVE_IB_SERVICE and its QUERY say of an id without
 *				device, of one at ADDRESS of a RoCE or iWARP device, and of
 *				requests that make no sense
 * cm_service register -d HCA -n NAME [-i ID] [-c COUNT] [-k LEASE]
 *				tell the subnet administrator of services ID, ID + 1, ...
 * cm_service find -d HCA -n NAME | -i ID  [-c COUNT]
 *				an id at the port finds them, and has their records
 * cm_service ended -d HCA	the id is destroyed while the question is under way
 *
 * Exit status: 0, 1, or 77 where the kernel has not the commands.
 */
#include <ctype.h>
#include <stdbool.h>
#include "cma_raw.h"
#include "umad_raw.h"

#define SKIP 77

/* The new uapi, by other names. */
enum { RESOLVE_SERVICE = 23, WRITE_EVENT = 24, QUERY_SERVICE = 3 };
enum { BY_ID = 1, BY_NAME = 2 };
enum { EV_ADDRINFO_RESOLVED = 16, EV_ADDRINFO_ERROR = 17, EV_USER = 18, EV_INTERNAL = 19 };

struct resolve_service {
	struct rdma_ucm_cmd_hdr hdr;
	uint32_t id, reserved;
	uint64_t service_id;
	uint8_t name[64];
	uint32_t flags, reserved2;
};

struct write_event {
	struct rdma_ucm_cmd_hdr hdr;
	uint32_t id, reserved, event, status;
	uint64_t arg;
	uint8_t rest[sizeof(struct rdma_ucm_ud_param) - sizeof(uint64_t)];
};

struct service_record {
	uint64_t id;
	uint8_t gid[16];
	uint16_t pkey, reserved;
	uint32_t lease;
	uint8_t key[16], name[64], data[64];
} __attribute__((packed));

struct services {
	uint32_t count, reserved;
	struct service_record rec[1000];
};

_Static_assert(sizeof(struct resolve_service) == 8 + 88, "layout");
_Static_assert(sizeof(struct write_event) == 8 + 16 + sizeof(struct rdma_ucm_ud_param), "layout");
_Static_assert(sizeof(struct service_record) == 176, "layout");

static const char *address, *hca, *name = "";
static uint64_t service_id;
static unsigned int count = 1;
static uint32_t lease = 600;
static int fd, failed;

static void check(bool ok, const char *what)
{
	if (!ok) {
		printf("not so: %s\n", what);
		failed = 1;
	}
}

static void need(bool ok, const char *what)
{
	if (!ok) {
		printf("FAIL: %s: %s\n", what, strerror(errno));
		exit(1);
	}
}

static uint32_t new_id(int file, uint64_t uid)
{
	struct rdma_ucm_create_id_resp resp;
	struct cma_world w = { .response = &resp };
	struct cma_packet p;

	cma_build(&p, cma_find(CMA(CREATE_ID)), &w, 0);
	p.create_id.uid = uid;
	need(!cma_send(file, &p), "CREATE_ID");
	return resp.id;
}

/* Return: the events of it that were read. */
static uint32_t end_id(int file, uint32_t id)
{
	struct rdma_ucm_destroy_id_resp resp = { 0 };
	struct cma_world w = { .response = &resp };

	need(!cma_issue(file, CMA(DESTROY_ID), &w, id), "DESTROY_ID");
	return resp.events_reported;
}

static int write_event(int file, uint32_t id, uint32_t event, uint32_t status, uint64_t arg)
{
	struct write_event p = {
		.hdr = { WRITE_EVENT, sizeof(p) - sizeof(p.hdr), 0 },
		.id = id, .event = event, .status = status, .arg = arg,
	};

	return cma_put(file, &p, sizeof(p));
}

static int resolve(uint32_t id, uint32_t flags, const char *by_name, size_t length)
{
	struct resolve_service p = {
		.hdr = { RESOLVE_SERVICE, sizeof(p) - sizeof(p.hdr), 0 },
		.id = id, .service_id = service_id, .flags = flags,
	};

	memcpy(p.name, by_name, length);
	return cma_put(fd, &p, sizeof(p));
}

static int query(uint32_t id, struct services *to, size_t room)
{
	struct cma_world w = { .response = to };
	struct cma_packet p;

	cma_build(&p, cma_find(CMA(QUERY)), &w, id);
	p.query.option = QUERY_SERVICE;
	p.hdr.out = room;
	memset(to, 0xee, sizeof(*to));
	return cma_send(fd, &p);
}

/* An id that is not there: known commands say ENOENT, others that there is no such command. */
static void need_commands(void)
{
	if (write_event(fd, ~0u, EV_USER, 0, 0) == ENOENT)
		return;
	printf("the kernel does not have the commands\n");
	exit(SKIP);
}

/* ---- events ---------------------------------------------------------------------- */

static void expect_event(uint32_t id, uint64_t uid, uint32_t type, uint32_t status, uint64_t arg)
{
	struct rdma_ucm_event_resp event;
	uint64_t got;

	need(!cma_event(fd, &event), "an event");
	memcpy(&got, &event.param, sizeof(got));
	check(event.id == id && event.uid == uid, "the event is of the id");
	check(event.event == type, "its type");
	check(event.status == status, "its status");
	check(got == arg, "its argument");
}

static void events(void)
{
	const uint64_t arg = 0x1122334455667788;
	uint32_t a = new_id(fd, 111), b = new_id(fd, 222);
	int other = open(CMA_DEV, O_RDWR), event;
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	check(poll(&ready, 1, 0) == 0, "no event before one is written");
	check(!write_event(fd, a, EV_USER, 0x87654321, arg), "USER");
	check(poll(&ready, 1, 0) == 1, "then there is one");
	check(!write_event(fd, b, EV_INTERNAL, 0, EV_ADDRINFO_RESOLVED), "INTERNAL");
	check(!write_event(fd, a, EV_USER, 0, 0), "USER, another");
	expect_event(a, 111, EV_USER, 0x87654321, arg);
	expect_event(b, 222, EV_INTERNAL, 0, EV_ADDRINFO_RESOLVED);
	expect_event(a, 111, EV_USER, 0, 0);
	check(poll(&ready, 1, 0) == 0, "and no other");

	for (event = 0; event < 40; event++)
		if (event != EV_USER && event != EV_INTERNAL)
			check(write_event(fd, a, event, 0, 0) == EINVAL, "no other type");
	check(write_event(fd, a, 0x80000000 | EV_USER, 0, 0) == EINVAL, "nor with more bits");
	check(write_event(fd, ~0u, EV_USER, 0, 0) == ENOENT, "an id that is not there");
	check(write_event(other, a, EV_USER, 0, 0) == EINVAL, "an id of another file");
	check(poll(&ready, 1, 0) == 0, "nothing of it is an event");

	/* An unread one goes with the id, and is not counted. */
	check(!write_event(fd, a, EV_USER, 0, 0), "one that is not read");
	check(end_id(fd, a) == 2, "two of the first were read");
	check(end_id(fd, b) == 1, "one of the second");
	check(poll(&ready, 1, 0) == 0, "the queue is empty");
	close(other);
}

static void bound(void)
{
	uint32_t id = new_id(fd, 1), other = new_id(fd, 2);
	int n = 0, err;

	while (!(err = write_event(fd, id, EV_USER, n, 0)) && n < 100000)
		n++;
	printf("%d events, then %s\n", n, strerror(err));
	check(err == ENOBUFS, "an end of it");
	check(!write_event(fd, other, EV_USER, 5, 7), "another id has room");
	expect_event(id, 1, EV_USER, 0, 0);
	check(!write_event(fd, id, EV_USER, n, 0), "room again");
	check(write_event(fd, id, EV_USER, 0, 0) == ENOBUFS, "for one");
	end_id(fd, id);
	expect_event(other, 2, EV_USER, 5, 7);
}

/* ---- services ---------------------------------------------------------------------- */

static struct services found;

static const char *error(int err)
{
	return err ? strerrorname_np(err) : "0";
}

static void refusals(const char *where, uint32_t id)
{
	char full[64];

	memset(full, 'n', sizeof(full));
	printf("%s, no flags: %s\n", where, error(resolve(id, 0, "a", 2)));
	printf("%s, unknown flags: %s\n", where, error(resolve(id, 5, "a", 2)));
	printf("%s, no name: %s\n", where, error(resolve(id, BY_NAME, "", 1)));
	printf("%s, name without end: %s\n", where, error(resolve(id, BY_NAME, full, sizeof(full))));
	printf("%s, by name: %s\n", where, error(resolve(id, BY_NAME, "a", 2)));
	printf("%s, by id: %s\n", where, error(resolve(id, BY_ID, "", 1)));
	printf("%s, by both: %s\n", where, error(resolve(id, BY_ID | BY_NAME, "a", 2)));
	printf("%s, records without room: %s\n", where, error(query(id, &found, 7)));
	printf("%s, records: %s\n", where, error(query(id, &found, 8)));
}

static void refused(void)
{
	struct cma_world w = { .local = address };
	uint32_t id = new_id(fd, 1);

	printf("no id: %s\n", error(resolve(~0u, BY_NAME, "a", 2)));
	refusals("no address", id);
	w.local = "0.0.0.0";
	need(!cma_issue(fd, CMA(BIND_IP), &w, id), "BIND_IP to all addresses");
	refusals("any address", id);
	end_id(fd, id);
	id = new_id(fd, 1);
	w.local = address;
	need(!cma_issue(fd, CMA(BIND_IP), &w, id), "BIND_IP");
	refusals("no SA", id);
	end_id(fd, id);
}

/* ---- InfiniBand -------------------------------------------------------------------- */

static void read_port(const char *file, char *line, size_t size)
{
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/%s", hca, file);
	f = fopen(path, "r");
	need(f && fgets(line, size, f), path);
	fclose(f);
}

/* "fe80:0000:..." of sysfs */
static void read_gid(uint8_t *gid)
{
	char line[64];

	read_port("gids/0", line, sizeof(line));
	line[strcspn(line, "\n")] = 0;
	need(inet_pton(AF_INET6, line, gid) == 1, "a GID");
}

static uint16_t read_lid(const char *file)
{
	char line[64];

	read_port(file, line, sizeof(line));
	return strtoul(line, NULL, 0);
}

static int umad_of_hca(void)
{
	char path[160], line[64];
	int n;

	for (n = 0; n < 64; n++) {
		FILE *f;

		snprintf(path, sizeof(path), "/sys/class/infiniband_mad/umad%d/ibdev", n);
		f = fopen(path, "r");
		if (!f)
			continue;
		need(fgets(line, sizeof(line), f), path);
		fclose(f);
		line[strcspn(line, "\n")] = 0;
		if (!strcmp(line, hca))
			return u_open_node("umad", n, O_RDWR);
	}
	return -1;
}

/* A MAD of the class of the SA: headers of 56 bytes, 200 of data. */
struct sa_mad {
	uint8_t base_version, mgmt_class, class_version, method;
	uint16_t status, specific;
	uint64_t tid;
	uint16_t attr_id, reserved;
	uint32_t attr_mod;
	uint8_t rmpp[12];
	uint64_t sm_key;
	uint16_t attr_offset, reserved2;
	uint64_t comp_mask;
	uint8_t data[200];
} __attribute__((packed));

_Static_assert(sizeof(struct sa_mad) == 256, "layout");

/* ServiceRecord's components: ID, GID, P_Key, lease, name. */
#define SA_COMPONENTS (1 << 0 | 1 << 1 | 1 << 2 | 1 << 4 | 1 << 6)

static void set_record(int umad, int agent, uint64_t id)
{
	struct {
		struct ib_user_mad_hdr hdr;
		struct sa_mad mad;
	} packet = {
		.hdr = { .id = agent, .timeout_ms = 2000, .retries = 3, .qpn = htonl(1),
			 .qkey = htonl(U_QKEY), .lid = htons(read_lid("sm_lid")) },
		.mad = { .base_version = 1, .mgmt_class = 3, .class_version = 2, .method = U_SET,
			 .tid = htobe64(id + 1), .attr_id = htons(0x31),
			 .comp_mask = htobe64(SA_COMPONENTS) },
	};
	struct service_record rec = {
		.id = htobe64(id), .pkey = htons(0xffff), .lease = htonl(lease),
	};
	struct pollfd ready = { .fd = umad, .events = POLLIN };

	read_gid(rec.gid);
	snprintf((char *)rec.name, sizeof(rec.name), "%s", name);
	memcpy(packet.mad.data, &rec, sizeof(rec));
	need(write(umad, &packet, sizeof(packet)) == sizeof(packet), "a MAD");
	need(poll(&ready, 1, 30000) == 1, "its answer");
	need(read(umad, &packet, sizeof(packet)) == sizeof(packet), "all of it");
	need(!packet.hdr.status, "an answer in time");
	need(!packet.mad.status, "which is yes");
}

static void register_services(void)
{
	int umad = umad_of_hca(), agent;
	unsigned int n;

	need(umad >= 0, "umad");
	need(!ioctl(umad, IB_USER_MAD_ENABLE_PKEY, NULL), "P_Keys of umad");
	{
		struct ib_user_mad_reg_req req = { .qpn = 1, .mgmt_class = 3, .mgmt_class_version = 2 };

		need(!u_register(umad, &req), "an agent");
		agent = req.id;
	}
	for (n = 0; n < count; n++)
		set_record(umad, agent, service_id + n);
	close(umad);
}

/* An id at the first port. */
static uint32_t id_at_port(void)
{
	struct cma_packet p;
	struct {
		uint16_t family, pkey;
		uint32_t flowinfo;
		uint8_t gid[16];
		uint64_t sid, sid_mask, scope;
	} *at = (void *)&p.bind.addr;
	uint32_t id = new_id(fd, 77);

	memset(&p, 0, sizeof(p));
	p.hdr = (struct rdma_ucm_cmd_hdr){ CMA(BIND), sizeof(p.bind), 0 };
	p.bind.id = id;
	p.bind.addr_size = sizeof(*at);
	at->family = CMA_AF_IB;
	at->pkey = htons(0xffff);
	read_gid(at->gid);
	/* Of port space TCP. */
	at->sid = htobe64(0x1060000);
	at->sid_mask = htobe64(~0xffffULL);
	need(!cma_send(fd, &p), "BIND");
	return id;
}

static int by_id(const void *a, const void *b)
{
	uint64_t x = be64toh(((const struct service_record *)a)->id);
	uint64_t y = be64toh(((const struct service_record *)b)->id);

	return x < y ? -1 : x > y;
}

static void expect_records(uint32_t id)
{
	size_t room = 8 + count * sizeof(found.rec[0]);
	uint8_t gid[16];
	unsigned int n;

	read_gid(gid);
	check(!query(id, &found, 8), "room for the count");
	printf("room for 8 bytes: %u records\n", found.count);
	check(found.rec[0].pkey == 0xeeee, "without room there is none");
	check(!query(id, &found, 8 + 175), "nearly room for one");
	printf("room for 183 bytes: %u records\n", found.count);
	check(found.rec[0].pkey == 0xeeee, "nearly is not enough");
	check(!query(id, &found, 8 + 176 + 175), "room for less than two");
	check(found.count == count && !found.reserved, "all are counted");
	check(found.rec[0].pkey == 0xffff && found.rec[1].pkey == 0xeeee, "one is there");
	check(!query(id, &found, room), "room for all");
	check(found.rec[count].pkey == 0xeeee, "there is no more");
	if (found.count != count)
		return;
	qsort(found.rec, count, sizeof(found.rec[0]), by_id);
	for (n = 0; n < count; n++) {
		check(be64toh(found.rec[n].id) == service_id + n, "its id");
		check(!memcmp(found.rec[n].gid, gid, sizeof(gid)), "its GID");
		check(ntohs(found.rec[n].pkey) == 0xffff, "its P_Key");
		check(!*name || !strcmp((char *)found.rec[n].name, name), "its name");
	}
}

static void find(void)
{
	uint32_t flags = *name ? BY_NAME : BY_ID, id = id_at_port();
	struct rdma_ucm_event_resp event;

	need(!resolve(id, flags, name, strlen(name) + 1), "RESOLVE_IB_SERVICE");
	need(!cma_event(fd, &event), "an event");
	check(event.uid == 77 && event.id == id, "the event is of the id");
	if (!count) {
		printf("event %u, status %d\n", event.event, event.status);
		check(event.event == EV_ADDRINFO_ERROR && (int)event.status == -ENODATA,
		      "there is none");
		/* And it may be asked again. */
		need(!resolve(id, flags, name, strlen(name) + 1), "RESOLVE_IB_SERVICE, again");
		need(!cma_event(fd, &event), "another event");
		check(event.event == EV_ADDRINFO_ERROR, "the same");
		check(query(id, &found, 8) == ENODATA, "no records");
	} else {
		check(event.event == EV_ADDRINFO_RESOLVED && !event.status, "they are found");
		expect_records(id);
		check(resolve(id, flags, name, strlen(name) + 1) == EINVAL, "once in its life");
	}
	end_id(fd, id);
}

static void ended(void)
{
	uint32_t id;
	int n, err;

	for (n = 0; n < 20; n++) {
		id = id_at_port();
		need(!resolve(id, BY_NAME, "nobody", 7), "RESOLVE_IB_SERVICE");
		err = resolve(id, BY_NAME, "nobody", 7);
		if (err != EINVAL)
			printf("two at a time: %s\n", error(err));
		end_id(fd, id);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	{ "there", need_commands }, { "events", events }, { "bound", bound },
	{ "refused", refused }, { "register", register_services }, { "find", find },
	{ "ended", ended },
};

static void read_options(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "a:c:d:i:k:n:")) != -1)
		switch (option) {
		case 'a': address = optarg; break;
		case 'c': count = atoi(optarg); break;
		case 'd': hca = optarg; break;
		case 'i': service_id = strtoull(optarg, NULL, 0); break;
		case 'k': lease = atoi(optarg); break;
		case 'n': name = optarg; break;
		default: exit(2);
		}
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc < 2)
		return 2;
	read_options(argc - 1, argv + 1);
	fd = open(CMA_DEV, O_RDWR | O_CLOEXEC);
	need(fd >= 0, CMA_DEV);
	if (strcmp(argv[1], "register"))
		need_commands();
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(modes[i].name, argv[1])) {
			modes[i].run();
			return failed;
		}
	return 2;
}
