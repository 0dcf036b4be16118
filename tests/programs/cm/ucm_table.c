// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/infiniband/ucmN: what each command says to what is not right.
 *
 * usage: ucm_table DEVICE GID-INDEX PEER GID-INDEX [compat|fill]
 *   compat  this machine takes system calls of 32-bit programs
 *   fill    nothing else than as many ids as there can be
 */
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "ucm_world.h"

#define C(name) IB_USER_CM_CMD_##name
#define NONE 0xff

/* Where a command has what. */
static const struct row {
	const char *name;
	uint8_t cmd, size;
	uint16_t room;
	uint8_t id, response, data, len, most, info, info_len, path;
} rows[] = {
#define SIZE(type) sizeof(struct ib_ucm_##type)
#define AT(type, member) offsetof(struct ib_ucm_##type, member)
#define PLAIN NONE, NONE, NONE, 0, NONE, NONE, NONE
#define PRIVATE(name, most) \
	{ #name, C(name), SIZE(private_data), 0, AT(private_data, id), NONE, \
	  AT(private_data, data), AT(private_data, len), most, NONE, NONE, NONE }
	{ "CREATE_ID", C(CREATE_ID), SIZE(create_id), SIZE(create_id_resp), NONE,
	  AT(create_id, response), NONE, NONE, 0, NONE, NONE, NONE },
	{ "DESTROY_ID", C(DESTROY_ID), SIZE(destroy_id), SIZE(destroy_id_resp),
	  AT(destroy_id, id), AT(destroy_id, response), NONE, NONE, 0, NONE, NONE, NONE },
	{ "ATTR_ID", C(ATTR_ID), SIZE(attr_id), SIZE(attr_id_resp), AT(attr_id, id),
	  AT(attr_id, response), NONE, NONE, 0, NONE, NONE, NONE },
	{ "LISTEN", C(LISTEN), SIZE(listen), 0, AT(listen, id), PLAIN },
	{ "NOTIFY", C(NOTIFY), SIZE(notify), 0, AT(notify, id), PLAIN },
	{ "SEND_REQ", C(SEND_REQ), SIZE(req), 0, AT(req, id), NONE, AT(req, data), AT(req, len),
	  92, NONE, NONE, AT(req, primary_path) },
	{ "SEND_REP", C(SEND_REP), SIZE(rep), 0, AT(rep, id), NONE, AT(rep, data), AT(rep, len),
	  196, NONE, NONE, NONE },
	PRIVATE(SEND_RTU, 224),
	PRIVATE(SEND_DREQ, 220),
	PRIVATE(SEND_DREP, 224),
	{ "SEND_REJ", C(SEND_REJ), SIZE(info), 0, AT(info, id), NONE, AT(info, data),
	  AT(info, data_len), 148, AT(info, info), AT(info, info_len), NONE },
	{ "SEND_MRA", C(SEND_MRA), SIZE(mra), 0, AT(mra, id), NONE, AT(mra, data), AT(mra, len),
	  222, NONE, NONE, NONE },
	{ "SEND_SIDR_REQ", C(SEND_SIDR_REQ), SIZE(sidr_req), 0, AT(sidr_req, id), NONE,
	  AT(sidr_req, data), AT(sidr_req, len), 216, NONE, NONE, AT(sidr_req, path) },
	{ "SEND_SIDR_REP", C(SEND_SIDR_REP), SIZE(sidr_rep), 0, AT(sidr_rep, id), NONE,
	  AT(sidr_rep, data), AT(sidr_rep, data_len), 136, AT(sidr_rep, info),
	  AT(sidr_rep, info_len), NONE },
	{ "EVENT", C(EVENT), SIZE(event_get), SIZE(event_resp), NONE, NONE, NONE, NONE, 0, NONE,
	  NONE, NONE },
	{ "INIT_QP_ATTR", C(INIT_QP_ATTR), SIZE(init_qp_attr), sizeof(struct ib_uverbs_qp_attr),
	  AT(init_qp_attr, id), AT(init_qp_attr, response), NONE, NONE, 0, NONE, NONE, NONE },
};

static uint8_t bytes[256];
static char text[128];
static uint32_t mine, foreign, gone;
static int nonblock;

static const char *say(const struct row *r, const char *what)
{
	snprintf(text, sizeof(text), "%s, %s", r->name, what);
	return text;
}

static void put32(uint8_t at, uint32_t value)
{
	memcpy(bytes + at, &value, sizeof(value));
}

static void put64(uint8_t at, const void *value)
{
	uint64_t address = (uintptr_t)value;

	memcpy(bytes + at, &address, sizeof(address));
}

/* A request with an id and a response that would do, and nothing else. */
static void compose(const struct row *r)
{
	static uint8_t response[256];

	memset(bytes, 0, sizeof(bytes));
	if (r->id != NONE)
		put32(r->id, mine);
	if (r->response != NONE)
		put64(r->response, response);
}

static int run(const struct row *r)
{
	return ibcm_write(nonblock, r->cmd, bytes, r->size, r->room);
}

/* ---- the frame --------------------------------------------------------------------- */

static int raw(const void *from, size_t count)
{
	return write(nonblock, from, count) < 0 ? errno : 0;
}

/* A process that was born after the open has credentials of its own. */
static int raw_in_child(void)
{
	struct ib_ucm_cmd_hdr hdr = { C(CREATE_ID), 0, 0 };
	pid_t child = fork();
	int status;

	if (!child)
		_exit(raw(&hdr, sizeof(hdr)));
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void frame(void)
{
	struct ib_ucm_cmd_hdr hdr = { C(CREATE_ID), 0, 0 };
	uint32_t id = 0;

	EXPECT("a write of nothing", raw(&hdr, 0), EINVAL);
	EXPECT("a write of 7 bytes", raw(&hdr, 7), EINVAL);
	EXPECT("a header that is nowhere", raw((void *)8, 64), EFAULT);
	EXPECT("a header at the edge", raw(edge + PAGE - 4, 64), EFAULT);
	EXPECT("command 18", ibcm_write(nonblock, 18, &id, 4, 0), EINVAL);
	EXPECT("command 2^32 - 1", ibcm_write(nonblock, ~0u, &id, 4, 0), EINVAL);
	EXPECT("SEND_LAP", ibcm_write(nonblock, C(SEND_LAP), bytes, SIZE(lap), 0), ENOSYS);
	EXPECT("SEND_APR", ibcm_write(nonblock, C(SEND_APR), bytes, SIZE(info), 0), ENOSYS);
	EXPECT("a read", read(nonblock, bytes, 8) < 0 ? errno : 0, EINVAL);
	EXPECT("by another process, as which it was not opened", raw_in_child(), EACCES);
	EXPECT("an ioctl", ioctl(nonblock, _IO(0x1b, 1), 0) < 0 ? errno : 0, ENOTTY);
}

/* What is shorter than it has to be. */
static void lengths(const struct row *r)
{
	struct {
		struct ib_ucm_cmd_hdr hdr;
		uint8_t request[256];
	} message = { .hdr = { r->cmd, r->size, r->room } };
	char *at = edge + PAGE - sizeof(message.hdr) - r->size + 1;

	compose(r);
	EXPECT(say(r, "a byte too short"),
	       ibcm_write(nonblock, r->cmd, bytes, r->size - 1, r->room), EINVAL);
	EXPECT(say(r, "nothing of it"), ibcm_write(nonblock, r->cmd, bytes, 0, r->room), EINVAL);
	EXPECT(say(r, "less than the header says"), raw(&message, sizeof(message.hdr) + 4), EINVAL);
	if (r->room)
		EXPECT(say(r, "no room for the response"),
		       ibcm_write(nonblock, r->cmd, bytes, r->size, r->room - 1), ENOSPC);
	memcpy(at, &message, sizeof(message.hdr));
	EXPECT(say(r, "its last byte cannot be read"),
	       raw(at, sizeof(message.hdr) + r->size), EFAULT);
}

/* ---- members ------------------------------------------------------------------------ */

static void ids(const struct row *r)
{
	const struct {
		const char *name;
		uint32_t id;
	} bad[] = {
		{ "an id that never was", 12345 }, { "id 2^32 - 1", ~0u },
		{ "an id of another file", foreign }, { "an id that is gone", gone },
	};
	size_t i;

	for (i = 0; r->id != NONE && i < sizeof(bad) / sizeof(bad[0]); i++) {
		compose(r);
		put32(r->id, bad[i].id);
		EXPECT(say(r, bad[i].name), run(r), ENOENT);
	}
}

static void responses(const struct row *r)
{
	const struct {
		const char *name;
		void *to;
	} bad[] = {
		{ "a response to nowhere", NULL }, { "a response to the kernel", (void *)-PAGE },
		{ "a response that can only be read", read_only },
		{ "a response over the edge", edge + PAGE - 2 },
	};
	size_t i;

	/* An id has to be as it was; only one that is connected has attributes to tell. */
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (r->response == NONE || r->cmd == C(INIT_QP_ATTR) || r->cmd == C(DESTROY_ID))
			continue;
		compose(r);
		put64(r->response, bad[i].to);
		EXPECT(say(r, bad[i].name), run(r), EFAULT);
	}
}

static void data(const struct row *r, const char *what, uint8_t at, uint8_t len, uint8_t most)
{
	struct ib_user_path_rec path = path_to(&here, &there);
	static uint8_t content[255];

	if (at == NONE)
		return;
	compose(r);
	if (r->path != NONE)
		put64(r->path, &path);
	bytes[len] = 1;
	EXPECT(say(r, "data that is nowhere"), run(r), EFAULT);
	put64(at, edge + PAGE - 1);
	bytes[len] = 2;
	EXPECT(say(r, "data over the edge"), run(r), EFAULT);
	put64(at, content);
	bytes[len] = 255;
	EXPECT(say(r, "255 bytes of data"), run(r), EINVAL);
	bytes[len] = most + 1;
	EXPECT(say(r, what), run(r), EINVAL);
}

static void paths(const struct row *r)
{
	struct ib_user_path_rec path = path_to(&here, &there);

	if (r->path == NONE)
		return;
	compose(r);
	EXPECT(say(r, "no path"), run(r), EINVAL);
	put64(r->path, (void *)8);
	EXPECT(say(r, "a path that is nowhere"), run(r), EFAULT);
	put64(r->path, edge + PAGE - 63);
	EXPECT(say(r, "a path over the edge"), run(r), EFAULT);
	path.sgid[15]++;
	put64(r->path, &path);
	EXPECT(say(r, "a path from another device"), run(r), ENOENT);
}

/* ---- what the state of an id allows --------------------------------------------------- */

static void states(const struct row *r)
{
	const bool any = r->cmd == C(CREATE_ID) || r->cmd == C(DESTROY_ID) || r->cmd == C(ATTR_ID) ||
			 r->cmd == C(LISTEN) || r->cmd == C(EVENT) || r->path != NONE;

	compose(r);
	if (!any)
		EXPECT(say(r, "an idle id"), run(r), EINVAL);
}

static void requests(void)
{
	struct ib_user_path_rec path = path_to(&here, &there);
	struct ib_ucm_req req = {
		.id = mine, .qp_type = IBV_QPT_RC, .sid = htobe64(0x7000), .peer_to_peer = 1,
		.primary_path = (uintptr_t)&path,
	};

	EXPECT("SEND_REQ, peer to peer", IBCM(nonblock, SEND_REQ, req, 0), EINVAL);
	req.peer_to_peer = 0;
	req.alternate_path = 8;
	EXPECT("SEND_REQ, an alternate path that is nowhere", IBCM(nonblock, SEND_REQ, req, 0),
	       EFAULT);
	req.alternate_path = 0;
	req.qp_type = 77;
	EXPECT("SEND_REQ, no type of queue pairs", IBCM(nonblock, SEND_REQ, req, 0), EINVAL);
}

static void listening(void)
{
	struct ib_ucm_listen req = { .service_id = htobe64(0x7001), .id = mine };
	struct ib_ucm_attr_id_resp attr = {};
	uint32_t other;

	req.service_mask = htobe64(~0xffull);
	EXPECT("LISTEN, for a range", IBCM(nonblock, LISTEN, req, 0), EINVAL);
	EXPECT("another id", ibcm_create(nonblock, 0, &other), 0);
	EXPECT("LISTEN, of the range that is assigned",
	       ibcm_listen(nonblock, other, 0x0200000000000001), EINVAL);
	req.service_mask = ~0ull;
	EXPECT("LISTEN, for one service", IBCM(nonblock, LISTEN, req, 0), 0);
	EXPECT("LISTEN, once more", IBCM(nonblock, LISTEN, req, 0), EINVAL);
	EXPECT("LISTEN, by another", ibcm_listen(nonblock, other, 0x7001), EBUSY);
	EXPECT("LISTEN, for any service", ibcm_listen(nonblock, other, 0x0200000000000000),
	       0);
	EXPECT("which is told", ibcm_attr(nonblock, other, &attr), 0);
	EXPECT("it is of the range for that", be64toh(attr.service_id) >> 56, 2);
	EXPECT("and the mask is of all bits", attr.service_mask, ~0ull);
	EXPECT("it ends", ibcm_destroy(nonblock, other, NULL), 0);
}

/* ---- limits ------------------------------------------------------------------------------ */

/* Return: how many ids there could be. */
static int fill(int fd, int *err)
{
	uint32_t id;
	int n = 0;

	while (!(*err = ibcm_create(fd, 0, &id)) && n < 100000)
		n++;
	return n;
}

static void limits(void)
{
	int fd = ibcm_open(here.device, 0), err;
	uint32_t id;

	EXPECT("so many ids can be", fill(fd, &err), 16384);
	EXPECT("CREATE_ID, one more", err, ENOMEM);
	EXPECT("one goes", ibcm_destroy(fd, 77, NULL), 0);
	EXPECT("one comes", ibcm_create(fd, 0, &id), 0);
	EXPECT("with its number", id, 77);
	close(fd);
}

#if defined(__x86_64__)
/* write() of a 32-bit program. */
static long write32(int fd, const void *from, size_t count)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret)
			 : "a"(4), "b"((long)fd), "c"(from), "d"(count) : "memory");
	return ret;
}
#else
static long write32(int fd, const void *from, size_t count)
{
	return write(fd, from, count);
}
#endif

static void compat(void)
{
	struct {
		struct ib_ucm_cmd_hdr hdr;
		struct ib_ucm_create_id req;
	} *low = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
		      -1, 0);
	uint32_t *id = (uint32_t *)((char *)low + 256);

	low->hdr = (struct ib_ucm_cmd_hdr){ C(CREATE_ID), sizeof(low->req), sizeof(*id) };
	low->req.response = (uintptr_t)id;
	*id = ~0u;
	EXPECT("32 bits: an id", write32(nonblock, low, sizeof(*low)), sizeof(*low));
	EXPECT("32 bits: it is there", ibcm_destroy(nonblock, *id, NULL), 0);
	low->hdr.cmd = 18;
	EXPECT("32 bits: no such command", write32(nonblock, low, sizeof(*low)), -EINVAL);
}

int main(int argc, char **argv)
{
	const char *word = argc > 5 ? argv[5] : "";
	struct ibcm_event event;
	uint32_t again;
	size_t i;
	int err;

	if (!world_init(argc, argv))
		return 2;
	if (!strcmp(word, "fill")) {
		printf("%d ids\n", fill(here.fd, &err));
		return 0;
	}
	TRY((nonblock = ibcm_open(here.device, O_NONBLOCK)) >= 0);
	TRY(!ibcm_create(nonblock, 0, &mine));
	TRY(!ibcm_create(nonblock, 0, &gone) && !ibcm_destroy(nonblock, gone, NULL));
	for (i = 0; i < 5; i++)
		TRY(!ibcm_create(here.fd, 0, &foreign));

	frame();
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		lengths(&rows[i]);
		ids(&rows[i]);
		responses(&rows[i]);
		data(&rows[i], "more data than the message has room for", rows[i].data, rows[i].len,
		     rows[i].most);
		data(&rows[i], "more information than there is room for", rows[i].info,
		     rows[i].info_len, 72);
		paths(&rows[i]);
		states(&rows[i]);
	}
	EXPECT("ids that could not be told are gone", ibcm_create(nonblock, 0, &again), 0);
	EXPECT("the number says so", again, gone);
	requests();
	listening();
	EXPECT("EVENT, there is none", ibcm_event(nonblock, &event), EAGAIN);
	EXPECT("nor does poll() say so", is_silent(nonblock), true);
	limits();
	if (!strcmp(word, "compat"))
		compat();
	return verdict();
}
