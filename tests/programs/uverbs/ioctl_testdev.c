// SPDX-License-Identifier: GPL-2.0
/*
 * The driver's own objects, methods and attributes of ofed_testdev, by ioctl():
 * every way to give and to get a value, and what is left when the device goes.
 *
 * usage: ioctl_testdev DEVICE [hidden]	everything once; hidden: it has that object
 *	  ioctl_testdev DEVICE FILE	make one of each, then FILE, then wait until
 *					the device has gone
 */
#include <limits.h>
#include <poll.h>
#include <sys/wait.h>

#include "testdev_box.h"
#include "verdict.h"

/* ---- box: creation ---- */

static void check_texts(void)
{
	static const char *const texts[] = {
		"a", "8 bytes!", "9 bytes!!", "a text that lies in memory",
	};
	static char longest[TESTDEV_BOX_TEXT + 2];
	struct testdev_box_info info;
	char text[1024];
	uint32_t box;

	for (int i = 0; i < 4; i++) {
		memset(text, 0x55, sizeof(text));
		EXPECT("a box", box_create(texts[i], &box), 0);
		EXPECT("is queried", box_query(box, &info, sizeof(info), text,
					       sizeof(text)), 0);
		EXPECT("its text has its length", info.text_len,
		       strlen(texts[i]));
		EXPECT("and is the same", memcmp(text, texts[i],
						 strlen(texts[i])), 0);
		EXPECT("nothing behind it is written", text[strlen(texts[i])],
		       0x55);
		EXPECT("it goes", box_destroy(box), 0);
	}
	memset(longest, 'x', TESTDEV_BOX_TEXT);
	EXPECT("the longest text", box_create(longest, &box), 0);
	memset(text, 0x55, sizeof(text));
	EXPECT("into less room", box_query(box, &info, sizeof(info), text, 100),
	       0);
	EXPECT("fills it", text[99], 'x');
	EXPECT("and no more", text[100], 0x55);
	EXPECT("it goes", box_destroy(box), 0);
	longest[TESTDEV_BOX_TEXT] = 'x';
	EXPECT("a longer text", box_create(longest, &box), -E2BIG);
	EXPECT("no text", box_create("", &box), -EINVAL);
	EXPECT("none of them is left", count_of("box"), 0);
}

static void check_kinds(void)
{
	static const struct { uint64_t kind; int ret; } kinds[] = {
		{ TESTDEV_BOX_PAPER, 0 }, { TESTDEV_BOX_WOOD, 0 },
		{ TESTDEV_BOX_KINDS, -EOPNOTSUPP }, { UINT_MAX, -EOPNOTSUPP },
		{ 1ULL << 32, -EINVAL }, { ~0ULL, -EINVAL },
	};
	struct testdev_box_info info;
	uint32_t number;
	struct tree t;

	for (int i = 0; i < 6; i++) {
		box_tree(&t, "box", kinds[i].kind, &number);
		EXPECT("a kind", tree_send(w.fd, &t), kinds[i].ret);
		if (kinds[i].ret)
			continue;
		EXPECT("it is told", box_query(t.attr[0].data, &info,
					       sizeof(info), NULL, 0), 0);
		EXPECT("as it was", info.kind, kinds[i].kind);
		EXPECT("the number too", info.number, number);
		EXPECT("it goes", box_destroy(t.attr[0].data), 0);
	}
}

static void check_levels(void)
{
	static const struct { int64_t level; int ret; } levels[] = {
		{ 0, 0 }, { 5, 0 }, { -5, 0 }, { INT_MAX, 0 }, { INT_MIN, 0 },
		{ INT_MAX + 1LL, -EINVAL }, { INT_MIN - 1LL, -EINVAL },
		{ LLONG_MIN, -EINVAL }, { LLONG_MAX, -EINVAL },
	};
	struct testdev_box_info info;
	uint32_t number, box;
	struct tree t;

	for (int i = 0; i < 9; i++) {
		box_tree(&t, "box", 0, &number);
		BOX_IN(&t, LEVEL, levels[i].level);
		EXPECT("a level", tree_send(w.fd, &t), levels[i].ret);
		if (levels[i].ret)
			continue;
		box_query(t.attr[0].data, &info, sizeof(info), NULL, 0);
		EXPECT("it is kept with its sign", info.level, levels[i].level);
		EXPECT("it goes", box_destroy(t.attr[0].data), 0);
	}
	EXPECT("a box without", box_create("box", &box), 0);
	box_query(box, &info, sizeof(info), NULL, 0);
	EXPECT("has the level of those", info.level, TESTDEV_BOX_LEVEL);
	EXPECT("it goes", box_destroy(box), 0);
}

static void check_flags(void)
{
	static const struct { uint64_t flags; int size, ret; } flags[] = {
		{ 0, 4, 0 }, { TESTDEV_BOX_PAINTED, 4, 0 },
		{ TESTDEV_BOX_PAINTED | TESTDEV_BOX_LOCKED, 8, 0 },
		{ 2, 4, -EINVAL }, { 1ULL << 31, 4, -EINVAL },
		{ 1ULL << 32, 8, -EINVAL },
		{ TESTDEV_BOX_LOCKED | 1ULL << 63, 8, -EINVAL },
		{ 0, 5, -EINVAL }, { 0, 3, -EINVAL },
	};
	struct testdev_box_info info;
	uint32_t number;
	struct tree t;

	for (int i = 0; i < 9; i++) {
		box_tree(&t, "box", 0, &number);
		tree_in(&t, TESTDEV_ATTR_BOX_CREATE_FLAGS, &flags[i].flags,
			flags[i].size);
		EXPECT("flags", tree_send(w.fd, &t), flags[i].ret);
		if (flags[i].ret)
			continue;
		box_query(t.attr[0].data, &info, sizeof(info), NULL, 0);
		EXPECT("are kept", info.flags, flags[i].flags);
		EXPECT("it goes", box_destroy(t.attr[0].data), 0);
	}
	EXPECT("none of them is left", count_of("box"), 0);
}

/* A creation that fails at each of its steps leaves nothing. */
static void check_creation_fails(void)
{
	uint32_t number, box;
	struct tree t;

	EXPECT("the driver is to fail", hook("fail", "create_box 1 ENOSPC"), 0);
	EXPECT("it does", box_create("box", &box), -ENOSPC);
	EXPECT("no handle", handles_of(TESTDEV_OBJECT_BOX), 0);
	box_tree(&t, "box", 0, &number);
	tree_find(&t, TESTDEV_ATTR_BOX_CREATE_RESP_NUMBER)->data = 8;
	EXPECT("an answer to nowhere", tree_send(w.fd, &t), -EFAULT);
	EXPECT("no handle", handles_of(TESTDEV_OBJECT_BOX), 0);
	EXPECT("no box", count_of("box"), 0);
	box_tree(&t, "a text in memory", 0, &number);
	tree_find(&t, TESTDEV_ATTR_BOX_CREATE_TEXT)->data = 8;
	EXPECT("a text from nowhere", tree_send(w.fd, &t), -EFAULT);
	box_tree(&t, "box", 0, &number);
	EXPECT("and it works again", tree_send(w.fd, &t), 0);
	EXPECT("what was answered is marked", t.attr[3].flags,
	       UVERBS_ATTR_F_MANDATORY | UVERBS_ATTR_F_VALID_OUTPUT);
	EXPECT("what was given is not", t.attr[2].flags,
	       UVERBS_ATTR_F_MANDATORY);
	EXPECT("one handle", handles_of(TESTDEV_OBJECT_BOX), 1);
	EXPECT("a destruction that fails", hook("fail", "destroy_box 1 EBUSY"),
	       0);
	EXPECT("fails", box_destroy(t.attr[0].data), -EBUSY);
	EXPECT("and leaves it", handles_of(TESTDEV_OBJECT_BOX), 1);
	EXPECT("the next one works", box_destroy(t.attr[0].data), 0);
	EXPECT("once", box_destroy(t.attr[0].data), -ENOENT);
}

/* ---- box: use ---- */

static void check_query(void)
{
	struct {
		struct testdev_box_info info;
		char more[24];
	} answer;
	uint32_t box;

	EXPECT("a box to ask", box_create("box", &box), 0);
	memset(&answer, 0x55, sizeof(answer));
	EXPECT("a longer struct", box_query(box, &answer, sizeof(answer), NULL,
					    0), 0);
	EXPECT("ends with zeros", answer.more[0] | answer.more[23], 0);
	memset(&answer, 0x55, sizeof(answer));
	EXPECT("a shorter one", box_query(box, &answer, 16, NULL, 0), 0);
	EXPECT("has the start", answer.info.text_len, 3);
	EXPECT("and no more", answer.info.flags, 0x5555555555555555LL);
	EXPECT("the shortest", box_query(box, &answer, 12, NULL, 0), 0);
	EXPECT("too short", box_query(box, &answer, 11, NULL, 0), -EINVAL);
	EXPECT("to nowhere", box_query(box, (void *)8, 48, NULL, 0), -EFAULT);
	EXPECT("no such box", box_query(box + 1, &answer, 48, NULL, 0),
	       -ENOENT);
	EXPECT("a PD is none", box_query(w.pd, &answer, 48, NULL, 0), -EINVAL);
	EXPECT("it goes", box_destroy(box), 0);
}

static void check_shapes(void)
{
	struct testdev_block block = { 6, 7 }, wide = { ~0ULL, 2 };
	struct { struct testdev_block block; uint64_t more; } longer = {
		{ 2, 3 }, 0,
	};
	struct testdev_box_info info;
	uint32_t box, line = 99, number, locked = TESTDEV_BOX_LOCKED;
	struct tree t;

	EXPECT("a box to shape", box_create("box", &box), 0);
	EXPECT("a line", box_shape(box, TESTDEV_SHAPE_LINE, &line, 4), 0);
	box_query(box, &info, sizeof(info), NULL, 0);
	EXPECT("it is one", info.shape, TESTDEV_SHAPE_LINE);
	EXPECT("so long", info.size, 99);
	EXPECT("a block", box_shape(box, TESTDEV_SHAPE_BLOCK, &block, 16), 0);
	box_query(box, &info, sizeof(info), NULL, 0);
	EXPECT("so large", info.size, 42);
	EXPECT("a point", box_shape(box, TESTDEV_SHAPE_POINT, NULL, 0), 0);
	box_query(box, &info, sizeof(info), NULL, 0);
	EXPECT("of no size", info.size, 0);
	EXPECT("a point with data", box_shape(box, TESTDEV_SHAPE_POINT, &line,
					      4), -EINVAL);
	EXPECT("a short line", box_shape(box, TESTDEV_SHAPE_LINE, &line, 3),
	       -EINVAL);
	EXPECT("a short block", box_shape(box, TESTDEV_SHAPE_BLOCK, &block, 8),
	       -EINVAL);
	EXPECT("a block from nowhere", box_shape(box, TESTDEV_SHAPE_BLOCK,
						 (void *)8, 16), -EFAULT);
	EXPECT("a block too large", box_shape(box, TESTDEV_SHAPE_BLOCK, &wide,
					      16), -EOVERFLOW);
	longer.more = 1;
	EXPECT("a longer block", box_shape(box, TESTDEV_SHAPE_BLOCK, &longer,
					   24), -EOPNOTSUPP);
	EXPECT("no such shape", box_shape(box, TESTDEV_SHAPES, &line, 4),
	       -EOPNOTSUPP);
	EXPECT("it goes", box_destroy(box), 0);

	box_tree(&t, "box", 0, &number);
	BOX_IN(&t, FLAGS, locked);
	EXPECT("a locked box", tree_send(w.fd, &t), 0);
	EXPECT("keeps its shape", box_shape(t.attr[0].data, TESTDEV_SHAPE_POINT,
					    NULL, 0), -EPERM);
	EXPECT("it goes", box_destroy(t.attr[0].data), 0);
}

static void check_pack(void)
{
	uint32_t pds[TESTDEV_BOX_PDS + 1], box, cqs[2];
	struct testdev_box_info info;
	struct rv_world other = w;
	uint64_t sum, want = 0;

	EXPECT("a box to fill", box_create("box", &box), 0);
	for (int i = 0; i < TESTDEV_BOX_PDS + 1; i++) {
		EXPECT("a PD", rv_make_pd(&other), 0);
		pds[i] = other.pd;
		want += i < TESTDEV_BOX_PDS ? other.pd : 0;
	}
	EXPECT("eight handles", box_pack(box, pds, 32, &sum), 0);
	EXPECT("each is found", sum, want);
	box_query(box, &info, sizeof(info), NULL, 0);
	EXPECT("they are counted", info.pds, 8);
	EXPECT("two lie in the attribute", box_pack(box, pds, 8, &sum), 0);
	EXPECT("and are found", sum, pds[0] + pds[1]);
	EXPECT("three in memory", box_pack(box, pds, 12, &sum), 0);
	EXPECT("and are found", sum, pds[0] + pds[1] + pds[2]);
	EXPECT("nine", box_pack(box, pds, 36, &sum), -EINVAL);
	EXPECT("none", box_pack(box, pds, 0, &sum), -EINVAL);
	EXPECT("one and a half", box_pack(box, pds, 6, &sum), -EINVAL);
	EXPECT("from nowhere", box_pack(box, (void *)8, 12, &sum), -EFAULT);
	EXPECT("not given", box_pack(box, NULL, 0, &sum), 0);
	EXPECT("is nothing", sum, 0);
	cqs[0] = pds[0];
	cqs[1] = w.cq;
	EXPECT("one is a CQ", box_pack(box, cqs, 8, &sum), -EINVAL);
	cqs[1] = pds[0];
	EXPECT("the same twice", box_pack(box, cqs, 8, &sum), 0);
	for (int i = 0; i < TESTDEV_BOX_PDS + 1; i++) {
		other.pd = pds[i];
		EXPECT("none is held", rv_undo_pd(&other), 0);
	}
	EXPECT("one that is gone", box_pack(box, pds, 4, &sum), -ENOENT);
	EXPECT("it goes", box_destroy(box), 0);
}

/* ---- the rest ---- */

static void check_tools(void)
{
	static char text[40000], answer[65000];
	uint32_t object, box;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i * 7;
	EXPECT("echo", echo("abc", 3, 3, answer, 9), 0);
	EXPECT("three times", memcmp(answer, "abcabcabc", 9), 0);
	EXPECT("of much", echo(text, 30000, 2, answer, 60000), 0);
	EXPECT("twice", memcmp(answer + 30000, text, 30000), 0);
	EXPECT("too often", echo("abc", 3, 65, answer, 9), -EINVAL);
	EXPECT("never", echo("abc", 3, 0, answer, 9), 0);

	EXPECT("any handle: a PD", name_of(w.pd, &object), 0);
	EXPECT("is one", object, UVERBS_OBJECT_PD);
	EXPECT("any handle: a CQ", name_of(w.cq, &object), 0);
	EXPECT("is one", object, UVERBS_OBJECT_CQ);
	EXPECT("a box", box_create("box", &box), 0);
	EXPECT("any handle: a box", name_of(box, &object), 0);
	EXPECT("is one", object, TESTDEV_OBJECT_BOX);
	EXPECT("it goes", box_destroy(box), 0);
	EXPECT("any handle: none", name_of(box, &object), -ENOENT);
}

static void check_core_objects(void)
{
	uint32_t handle = 0, mark = 0x1234, answer = 0, cqe = 16, zero = 0, got;
	uint64_t user = 1;
	struct tree t;

	start(&t, UVERBS_OBJECT_PD, TESTDEV_METHOD_PD_QUERY);
	tree_add(&t, TESTDEV_ATTR_PD_QUERY_HANDLE, 0, w.pd);
	tree_out(&t, TESTDEV_ATTR_PD_QUERY_RESP, &handle, 4);
	EXPECT("the driver's method on a PD", tree_send(w.fd, &t), 0);
	EXPECT("finds it", handle, w.pd);

	for (int marked = 1; marked >= 0; marked--) {
		start(&t, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
		tree_add(&t, UVERBS_ATTR_CREATE_CQ_HANDLE, 0, 0);
		tree_in(&t, UVERBS_ATTR_CREATE_CQ_CQE, &cqe, 4);
		tree_in(&t, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, &user, 8);
		tree_in(&t, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, &zero, 4);
		tree_out(&t, UVERBS_ATTR_CREATE_CQ_RESP_CQE, &got, 4);
		if (marked) {
			tree_in(&t, TESTDEV_ATTR_CREATE_CQ_MARK, &mark, 4);
			tree_out(&t, TESTDEV_ATTR_CREATE_CQ_RESP_MARK, &answer,
				 4);
		}
		EXPECT("a CQ", tree_send(w.fd, &t), 0);
		EXPECT("its size", got, 16);
		EXPECT("its mark", answer, ~mark);
		handle = t.attr[0].data;
		EXPECT("it goes", rv_destroy_cq(&w, handle), 0);
	}
	start(&t, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE);
	tree_in(&t, TESTDEV_ATTR_CREATE_CQ_MARK, &mark, 4);
	EXPECT("a mark alone", tree_send(w.fd, &t), -EINVAL);
}

static int hidden_create(uint32_t *handle)
{
	struct tree t;
	int ret;

	start(&t, TESTDEV_OBJECT_HIDDEN, TESTDEV_METHOD_HIDDEN_CREATE);
	tree_add(&t, TESTDEV_ATTR_HIDDEN_HANDLE, 0, 0);
	ret = tree_send(w.fd, &t);
	*handle = t.attr[0].data;
	return ret;
}

/* Two devices of one driver may differ in what they have. */
static void check_hidden(bool there)
{
	uint32_t handle;
	struct tree t;

	if (!there) {
		EXPECT("an object that this device has not",
		       hidden_create(&handle), -EPROTONOSUPPORT);
		return;
	}
	EXPECT("an object that this device has", hidden_create(&handle), 0);
	start(&t, TESTDEV_OBJECT_HIDDEN, TESTDEV_METHOD_HIDDEN_DESTROY);
	tree_add(&t, TESTDEV_ATTR_HIDDEN_HANDLE, 0, handle);
	EXPECT("goes", tree_send(w.fd, &t), 0);
}

static int readable(int fd, int msec)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, msec) < 0 ? -errno : p.revents;
}

static int64_t bell_read(int fd)
{
	uint64_t rang;
	ssize_t ret = read(fd, &rang, sizeof(rang));

	return ret < 0 ? -errno : ret == sizeof(rang) ? (int64_t)rang : -EIO;
}

static void check_bell(void)
{
	int bell = bell_open(), other = bell_open();
	pid_t pid;
	int status;

	EXPECT("a bell", bell >= 0 && other >= 0, 1);
	EXPECT("two are counted", count_of("bell"), 2);
	EXPECT("it closes on exec", fcntl(bell, F_GETFD), FD_CLOEXEC);
	fcntl(bell, F_SETFL, O_NONBLOCK);
	EXPECT("silent at first", bell_read(bell), -EAGAIN);
	EXPECT("nothing to read", readable(bell, 0), 0);
	EXPECT("it rings", bell_ring(bell, 3), 0);
	EXPECT("and again", bell_ring(bell, 2), 0);
	EXPECT("something to read", readable(bell, 0), POLLIN);
	EXPECT("so often", bell_read(bell), 5);
	EXPECT("silent again", bell_read(bell), -EAGAIN);
	fcntl(bell, F_SETFL, 0);
	pid = fork();
	if (!pid)
		_exit(bell_read(bell) != 7);
	EXPECT("it rings for another process", bell_ring(bell, 7), 0);
	EXPECT("which hears it", waitpid(pid, &status, 0) == pid && !status, 1);
	EXPECT("no bell: -1", bell_ring(-1, 1), -EBADF);
	EXPECT("no bell: the asynchronous events", bell_ring(w.async_fd, 1),
	       -EBADF);
	EXPECT("no bell: a file", bell_ring(w.file, 1), -EBADF);
	EXPECT("no bell: the device", bell_ring(w.fd, 1), -EBADF);
	EXPECT("the driver is to fail", hook("fail", "open_bell 1 ENOSPC"), 0);
	EXPECT("it does", bell_open(), -ENOSPC);
	close(bell);
	EXPECT("one is closed", count_of("bell"), 1);
	close(other);
	EXPECT("both are", count_of("bell"), 0);
}

/* What is not destroyed goes with the file. */
static void check_close(void)
{
	int bell = bell_open();
	uint32_t box;

	for (int i = 0; i < 10; i++)
		EXPECT("a box to leave", box_create("left", &box), 0);
	EXPECT("ten are there", handles_of(TESTDEV_OBJECT_BOX), 10);
	EXPECT("ten are counted", count_of("box"), 10);
	rv_undo_context(&w);
	EXPECT("the bell went with its file", bell_read(bell), -EIO);
	close(bell);
	EXPECT("no box is left", count_of("box"), 0);
	EXPECT("no bell", count_of("bell"), 0);
	EXPECT("no context", count_of("ucontext"), 0);
}

static int everything(bool hidden)
{
	check_texts();
	check_kinds();
	check_levels();
	check_flags();
	check_creation_fails();
	check_query();
	check_shapes();
	check_pack();
	check_tools();
	check_core_objects();
	check_hidden(hidden);
	check_bell();
	check_close();
	return verdict();
}

/* The device goes while all of it is in use, and a thread waits for the bell. */
static int unplugged(const char *file)
{
	int bell = bell_open(), waits = bell_open(), status;
	uint32_t box;
	pid_t pid;

	EXPECT("two bells", bell >= 0 && waits >= 0, 1);
	EXPECT("a box", box_create("of a device that goes", &box), 0);
	EXPECT("a ring", bell_ring(bell, 1), 0);
	pid = fork();
	if (!pid)
		_exit(bell_read(waits) != -EIO);
	close(open(file, O_CREAT | O_WRONLY, 0600));
	EXPECT("the device goes", readable(bell, -1) & POLLIN, POLLIN);
	while (!(readable(bell, 100) & POLLERR))
		;
	EXPECT("the waiter is told", waitpid(pid, &status, 0) == pid && !status,
	       1);
	EXPECT("reading fails", bell_read(bell), -EIO);
	EXPECT("ringing fails", bell_ring(bell, 1), -EIO);
	EXPECT("creation fails", box_create("too late", &box), -EIO);
	EXPECT("destruction fails", box_destroy(box) < 0, 1);
	EXPECT("and there is none", handles_of(TESTDEV_OBJECT_BOX), 0);
	close(w.fd);
	close(w.async_fd);
	EXPECT("the bell outlives the file", bell_read(bell), -EIO);
	close(bell);
	close(waits);
	return verdict();
}

int main(int argc, char **argv)
{
	bool hidden = argc == 3 && !strcmp(argv[2], "hidden");
	int ret;

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: ioctl_testdev DEVICE [hidden | FILE]\n");
		return 2;
	}
	device = argv[1];
	setvbuf(stdout, NULL, _IOLBF, 0);
	ret = rv_world_init(&w, device);
	if (!ret)
		ret = rv_make_context(&w);
	if (!ret)
		ret = rv_make_pd(&w);
	if (!ret)
		ret = rv_make_channel(&w);
	if (!ret)
		ret = rv_make_cq(&w);
	if (ret) {
		fprintf(stderr, "%s: %s\n", device, strerror(-ret));
		return 2;
	}
	return argc == 2 || hidden ? everything(hidden) : unplugged(argv[2]);
}
