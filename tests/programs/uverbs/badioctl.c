// SPDX-License-Identifier: GPL-2.0
/*
 * Malformed RDMA_VERBS_IOCTL calls, one line 'case: errno' each, so that the
 * answers of two cores can be compared. Each case has a client of its own; after
 * a refusal it must have as many objects and descriptors as before ('STATE
 * CHANGED' tells otherwise).
 *
 * usage: badioctl DEVICE [7]
 *	  7: what 7.x adds, alone
 */
#include "ioctl_case.h"
#include "raw.h"

static char *edge;	/* last byte of a mapped page, then nothing */

#define KERNEL_ADDRESS 0xffff888000000000ULL

/* ---- the header ---- */

static void headers_of(const struct ioctl_method *m)
{
	CASE(m, "", "length 0", t.hdr.length = 0);
	CASE(m, "", "length one less", t.hdr.length--);
	CASE(m, "", "length one more", t.hdr.length++);
	CASE(m, "", "length of one attribute less", t.hdr.length -= 16);
	CASE(m, "", "length of one attribute more", t.hdr.length += 16);
	CASE(m, "", "length 65535", t.hdr.length = 65535);
	CASE(m, "", "length 4097", t.hdr.length = 4097);
	CASE(m, "", "reserved1", t.hdr.reserved1 = 1);
	CASE(m, "", "reserved1 high", t.hdr.reserved1 = 1ULL << 63);
	CASE(m, "", "reserved2", t.hdr.reserved2 = 1);
	CASE(m, "", "num_attrs 0", t.hdr.num_attrs = 0);
	CASE(m, "", "no attributes", t.hdr.num_attrs = 0; tree_fit(&t));
	CASE(m, "", "num_attrs one more", t.hdr.num_attrs++);
	CASE(m, "", "num_attrs 65535", t.hdr.num_attrs = 65535);
	CASE(m, "", "driver 0", t.hdr.driver_id = 0);
	CASE(m, "", "driver of another", t.hdr.driver_id ^= 3);
	CASE(m, "", "driver all ones", t.hdr.driver_id = ~0u);
}

/* Only the first @length bytes of the tree are there, at the end of memory. */
static void cut(const struct ioctl_method *m, const char *what, size_t length,
		unsigned long number)
{
	char *at = edge + 1 - length;

	begin(m);
	memcpy(at, &t, length);
	tell("", what, ioctl(w.raw.fd, number, at) ? errno : 0);
}

static void cuts_of(const struct ioctl_method *m)
{
	cut(m, "nothing of it", 0, RDMA_VERBS_IOCTL);
	cut(m, "half a header", 12, RDMA_VERBS_IOCTL);
	cut(m, "a header", sizeof(t.hdr), RDMA_VERBS_IOCTL);
	cut(m, "half an attribute", sizeof(t.hdr) + 8, RDMA_VERBS_IOCTL);
	cut(m, "ioctl of the next number", 64, RDMA_VERBS_IOCTL + 1);
	cut(m, "ioctl that only writes", 64,
	    _IOW(RDMA_IOCTL_MAGIC, 1, struct ib_uverbs_ioctl_hdr));
	cut(m, "ioctl of another size", 64, _IOWR(RDMA_IOCTL_MAGIC, 1, int));
}

static void numbers(void)
{
	static const uint16_t ids[] = {
		17, 18, 19, 20, 21, 22, 30, 31, 32, 63, 64, 255, 4095, 0x1000,
		0x1001, 0x1007, 0x1008, 0x1009, 0x100b, 0x100c, 0x100d, 0x1fff,
		0x2000, 0x3000, 0x8000, 0xf000, 0xffff,
	};
	const struct ioctl_method *m = method_of(UVERBS_OBJECT_PD,
						 UVERBS_METHOD_PD_DESTROY);
	char what[64];

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		snprintf(what, sizeof(what), "object %#x", ids[i]);
		CASE(m, "", what, t.hdr.object_id = ids[i]);
		snprintf(what, sizeof(what), "method %#x", ids[i]);
		CASE(m, "", what, t.hdr.method_id = ids[i]);
		snprintf(what, sizeof(what), "both %#x", ids[i]);
		CASE(m, "", what,
		     t.hdr.object_id = t.hdr.method_id = ids[i]);
	}
	for (uint16_t o = 0; o < OBJECTS; o++)
		for (uint16_t n = 0; n < 8; n++) {
			snprintf(what, sizeof(what), "object %u method %u", o, n);
			CASE(m, "", what,
			     t.hdr.object_id = o; t.hdr.method_id = n;
			     t.hdr.num_attrs = 0; tree_fit(&t));
		}
}

static void without_context(const struct ioctl_method *m, size_t count)
{
	for (; count; m++, count--) {
		int fd, err;

		if (before_context(m))
			continue;
		begin(m);
		fd = open(w.raw.dev.node, O_RDWR | O_CLOEXEC);
		err = -tree_send(fd, &t);
		close(fd);
		tell("", "before GET_CONTEXT", err);
	}
}

static void second_context(void)
{
	const struct ioctl_method *m =
		method_of(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);

	begin(method_of(UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY));
	world_tree(&t, &w, m);
	method_name = m->name;
	tell("", "a second time", sent());
}

/* ---- one attribute ---- */

/* In the tree of the case now begun; added if a good call does without it. */
static struct ib_uverbs_attr *spot(const struct ioctl_attr *a)
{
	struct ib_uverbs_attr *at = tree_find(&t, a->id);

	return at ? at : world_attr(&t, &w, a);
}

#define ATTR(m, a, what, ...) do {					\
	begin(m);							\
	struct ib_uverbs_attr *at __attribute__((unused)) = spot(a);	\
	__VA_ARGS__;							\
	tell((a)->name, what, sent());					\
} while (0)

/* The kernel's own core of 6.1 takes the missing CQ of a WQ for one, and dies. */
static bool kills_stock(const struct ioctl_method *m, const struct ioctl_attr *a)
{
	return m->object == UVERBS_OBJECT_WQ &&
		m->method == UVERBS_METHOD_WQ_CREATE &&
		a->id == UVERBS_ATTR_CREATE_WQ_CQ_HANDLE;
}

static void flags_of(const struct ioctl_method *m, const struct ioctl_attr *a)
{
	ATTR(m, a, "there", (void)0);
	if (!kills_stock(m, a))
		ATTR(m, a, "missing", tree_drop(&t, a->id));
	ATTR(m, a, "twice", t.attr[t.hdr.num_attrs++] = *at; tree_fit(&t));
	ATTR(m, a, "first",
	     struct ib_uverbs_attr kept = t.attr[0]; t.attr[0] = *at; *at = kept);
	ATTR(m, a, "not mandatory", at->flags = 0);
	ATTR(m, a, "valid output too", at->flags |= UVERBS_ATTR_F_VALID_OUTPUT);
	ATTR(m, a, "flag 4", at->flags |= 4);
	ATTR(m, a, "flag 0x8000", at->flags |= 0x8000);
	ATTR(m, a, "reserved", at->attr_data.reserved = 1);
	ATTR(m, a, "reserved high", at->attr_data.reserved = 0x8000);
	ATTR(m, a, "all reserved, not mandatory",
	     at->attr_data.reserved = 0xffff; at->flags = 0);
}

static void handles_of(const struct ioctl_method *m, const struct ioctl_attr *a)
{
	static const uint64_t bad[] = {
		0x7fffffff, 0x80000000, 0xffffffff, 12345, ~0ULL, 1ULL << 63,
	};
	char what[64];

	ATTR(m, a, "len 4", at->len = 4);
	ATTR(m, a, "len 65535", at->len = 65535);
	ATTR(m, a, "high half", at->data |= 1ULL << 32);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(what, sizeof(what), "%#llx", (long long)bad[i]);
		ATTR(m, a, what, at->data = bad[i]);
	}
	for (int i = 1; i < (w.with_7 ? V7_OBJECTS : OBJECTS); i++) {
		if (i == a->kind)
			continue;
		snprintf(what, sizeof(what), "of object %d", i);
		begin(m);
		if (w.use[i] == NO_HANDLE) {
			world_close(&w);
			continue;
		}
		spot(a)->data = w.use[i];
		tell(a->name, what, sent());
	}
}

static void new_of(const struct ioctl_method *m, const struct ioctl_attr *a)
{
	ATTR(m, a, "len 4", at->len = 4);
	ATTR(m, a, "data", at->data = 1);
	ATTR(m, a, "data all ones", at->data = ~0ULL);
}

static void fds_of(const struct ioctl_method *m, const struct ioctl_attr *a)
{
	ATTR(m, a, "len 4", at->len = 4);
	ATTR(m, a, "-1", at->data_s64 = -1);
	ATTR(m, a, "0xffffffff", at->data_s64 = 0xffffffff);
	ATTR(m, a, "-2147483649", at->data_s64 = -2147483649LL);
	ATTR(m, a, "high half", at->data |= 1ULL << 32);
	ATTR(m, a, "12345", at->data_s64 = 12345);
	ATTR(m, a, "the uverbs file", at->data_s64 = w.raw.fd);
	ATTR(m, a, "a plain file", at->data_s64 = w.raw.file);
	ATTR(m, a, "the asynchronous events", at->data_s64 = w.raw.async_fd);
	ATTR(m, a, "the channel", at->data_s64 = w.raw.channel);
	ATTR(m, a, "a copy", at->data_s64 = copy = dup(at->data_s64);
	     world_count(&w, &before));
	/* Of another file of the same device. */
	struct world other = w;

	need(world_open(&other), "objects");
	ATTR(m, a, "of another file", at->data_s64 = world_fd(&other, a));
	world_close(&other);
}

static void sizes_of(const struct ioctl_method *m, const struct ioctl_attr *a,
		     bool in)
{
	static const uint16_t sizes[] = { 0, 1, 4, 7, 8, 9, 12, 16, 4096, 65535 };
	char what[64];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (sizes[i] == a->len)
			continue;
		snprintf(what, sizeof(what), "len %u", sizes[i]);
		ATTR(m, a, what, at->len = sizes[i];
		     if (in && sizes[i] > 8) at->data = value_in(a, world_in));
	}
	ATTR(m, a, "one byte short", at->len--);
	ATTR(m, a, "one byte long", at->len++;
	     if (in && at->len > 8) at->data = value_in(a, world_in));
	if (!in)
		return;
	ATTR(m, a, "four ones longer", at->len += 4;
	     value_in(a, world_in);
	     memset(world_in + a->len, 0xff, 4);
	     if (at->len > 8)
		     at->data = (uintptr_t)world_in;
	     else
		     memcpy(&at->data, world_in, 8));
	ATTR(m, a, "from memory that is not there", at->len = 16; at->data = 8);
}

static void pointers_of(const struct ioctl_method *m, const struct ioctl_attr *a)
{
	ATTR(m, a, "null", at->data = 0);
	ATTR(m, a, "faults", at->data = 8);
	ATTR(m, a, "in the kernel", at->data = KERNEL_ADDRESS);
	ATTR(m, a, "at the end of memory",
	     at->data = (uintptr_t)edge + 1 - at->len / 2);
}

static void values_of(const struct ioctl_method *m, const struct ioctl_attr *a)
{
	static const uint64_t values[] = {
		0, 1, 2, 3, 8, 255, 256, 4096, 0x7fffffff, 0x80000000,
		0xffffffff, 1ULL << 32, ~0ULL,
	};
	char what[64];

	if (a->len > 8 || a->value == SPECIAL_COMMAND)
		return;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		snprintf(what, sizeof(what), "= %#llx", (long long)values[i]);
		ATTR(m, a, what, at->data = values[i]);
	}
	if (a->type != T_FLAGS)
		return;
	for (int bit = 0; bit < 64; bit += 3) {
		snprintf(what, sizeof(what), "of 8 bytes, bit %d", bit);
		ATTR(m, a, what, at->len = 8; at->data = 1ULL << bit);
	}
}

static void attribute(const struct ioctl_method *m, const struct ioctl_attr *a)
{
	flags_of(m, a);
	switch (a->type) {
	case T_NEW:
	case T_NEW_FD:
		new_of(m, a);
		break;
	case T_USE:
	case T_GONE:
		handles_of(m, a);
		break;
	case T_FD:
	case T_RAW_FD:
		fds_of(m, a);
		break;
	case T_OUT:
		sizes_of(m, a, false);
		pointers_of(m, a);
		break;
	default:
		sizes_of(m, a, true);
		if (a->len > 8)
			pointers_of(m, a);
		values_of(m, a);
		break;
	}
}

/* ---- one method ---- */

static void unknown_attributes(const struct ioctl_method *m)
{
	static const uint16_t ids[] = {
		16, 25, 31, 32, 63, 64, 0xfff, 0x1002, 0x101d, 0x101e, 0x101f,
		0x1020, 0x1fff, 0x2000, 0x8000, 0xffff,
	};
	char what[64];

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		snprintf(what, sizeof(what), "attribute %#x", ids[i]);
		CASE(m, "", what, tree_add(&t, ids[i], 0, 0));
		snprintf(what, sizeof(what), "attribute %#x, optional", ids[i]);
		CASE(m, "", what, tree_add(&t, ids[i], 8, 1)->flags = 0);
	}
	CASE(m, "", "an optional one first",
	     memmove(&t.attr[1], &t.attr[0], t.hdr.num_attrs * 16);
	     t.hdr.num_attrs++; tree_fit(&t);
	     t.attr[0] = (struct ib_uverbs_attr){ .attr_id = 31 });
	CASE(m, "", "an optional one with every field set",
	     *tree_add(&t, 31, 65535, ~0ULL) = (struct ib_uverbs_attr){
		.attr_id = 31, .len = 65535, .data = ~0ULL,
		.attr_data.reserved = 0xffff });
	CASE(m, "", "forty optional ones",
	     while (t.hdr.num_attrs < 40) tree_add(&t, 31, 0, 0)->flags = 0);
}

/* Return: whether the device has it. */
static bool works(const struct ioctl_method *m)
{
	int err;

	begin(m);
	err = sent();
	tell("", "as it is", err);
	return err != EPROTONOSUPPORT;
}

/* What the table of before has as well is not done again. */
static bool is_of_before(const struct ioctl_method *m, const struct ioctl_attr *a)
{
	for (size_t i = 0; i < METHODS; i++)
		for (const struct ioctl_attr *b = ioctl_methods[i].attr; b->name; b++)
			if (ioctl_methods[i].object == m->object &&
			    ioctl_methods[i].method == m->method && b->id == a->id)
				return true;
	return false;
}

static void methods_of_7(void)
{
	w.with_7 = true;
	without_context(methods_7, METHODS_7);
	for (size_t i = 0; i < METHODS_7; i++) {
		const struct ioctl_method *m = &methods_7[i];

		if (!works(m))
			continue;
		for (const struct ioctl_attr *a = m->attr; a->name; a++)
			if (!is_of_before(m, a))
				attribute(m, a);
		unknown_attributes(m);
	}
}

/* ---- write() commands inside ---- */

static struct client old;
static const struct command *command;
static char command_out[4096];

static void begin_write(const struct command *c)
{
	struct packet p;

	need(world_open(&w), "objects");
	world_count(&w, &before);
	memset(&old, 0, sizeof(old));
	old.handle[PD] = w.use[UVERBS_OBJECT_PD];
	old.handle[CQ] = w.use[UVERBS_OBJECT_CQ];
	/* Of the type that the table's commands are for. */
	old.handle[QP] = w.spare[UVERBS_OBJECT_QP];
	old.handle[SRQ] = w.use[UVERBS_OBJECT_SRQ];
	old.handle[MR] = w.use[UVERBS_OBJECT_MR];
	old.handle[MW] = w.use[UVERBS_OBJECT_MW];
	old.handle[AH] = w.use[UVERBS_OBJECT_AH];
	old.qpn = w.raw.rc_num;
	build(&p, c, &old);
	memcpy(world_in, body(&p), c->size + 64);
	command = c;
	method_name = c->name;

	tree_start(&t, w.driver, UVERBS_OBJECT_DEVICE,
		   UVERBS_METHOD_INVOKE_WRITE);
	tree_in(&t, UVERBS_ATTR_WRITE_CMD, &(uint64_t){ c->number }, 8);
	tree_in(&t, UVERBS_ATTR_CORE_IN, world_in, c->size);
	if (c->response)
		tree_out(&t, UVERBS_ATTR_CORE_OUT, command_out, c->response);
	/* Drivers answer where there is a ring to be mapped, and want to. */
	if (strstr(c->name, "CREATE_") || c->number == CMD(RESIZE_CQ))
		tree_out(&t, UVERBS_ATTR_UHW_OUT, command_out + 2048,
			 ANSWER_ROOM);
}

static struct ib_uverbs_attr *driver_out(void)
{
	struct ib_uverbs_attr *a = tree_find(&t, UVERBS_ATTR_UHW_OUT);

	return a ? a : tree_out(&t, UVERBS_ATTR_UHW_OUT, command_out + 2048,
				ANSWER_ROOM);
}

#define CORE_IN tree_find(&t, UVERBS_ATTR_CORE_IN)
#define CORE_OUT tree_find(&t, UVERBS_ATTR_CORE_OUT)
#define WRITE(c, what, ...) do {					\
	begin_write(c);							\
	__VA_ARGS__;							\
	tell("by ioctl,", what, -tree_send(w.raw.fd, &t));		\
} while (0)

/* The descriptor that a creation answers with would stay open. */
static bool makes_descriptor(const struct command *c)
{
	return c->number == CMD(CREATE_COMP_CHANNEL) ||
		c->number == CMD(GET_CONTEXT);
}

/* Inline or not, with @more bytes that are zeros or ones. */
static void core_in(uint16_t len, int more)
{
	struct ib_uverbs_attr *a = CORE_IN;

	memset(world_in + command->size, more, 64);
	a->len = len;
	if (len > 8) {
		a->data = (uintptr_t)world_in;
	} else {
		a->data = 0;
		memcpy(&a->data, world_in, len);
	}
}

static void write_in(const struct command *c)
{
	WRITE(c, "no input", tree_drop(&t, UVERBS_ATTR_CORE_IN));
	WRITE(c, "input of 0", core_in(0, 0));
	WRITE(c, "input one byte short", core_in(c->size - 1, 0));
	WRITE(c, "input eight bytes short", core_in(c->size - 8, 0));
	WRITE(c, "input one zero more", core_in(c->size + 1, 0));
	WRITE(c, "input eight zeros more", core_in(c->size + 8, 0));
	WRITE(c, "input eight ones more", core_in(c->size + 8, 255));
	WRITE(c, "input faults", core_in(c->size < 9 ? 9 : c->size, 0);
	      CORE_IN->data = 8);
	WRITE(c, "input ends early", core_in(c->size < 16 ? 16 : c->size, 0);
	      memcpy(edge + 1 - 8, world_in, 8);
	      CORE_IN->data = (uintptr_t)edge + 1 - 8);
	WRITE(c, "driver input inline",
	      tree_add(&t, UVERBS_ATTR_UHW_IN, 8, 0));
	WRITE(c, "driver input of ones",
	      tree_add(&t, UVERBS_ATTR_UHW_IN, 8, ~0ULL));
	WRITE(c, "driver input faults",
	      tree_add(&t, UVERBS_ATTR_UHW_IN, 64, 8));
}

static void write_out(const struct command *c)
{
	WRITE(c, "no driver output", tree_drop(&t, UVERBS_ATTR_UHW_OUT));
	WRITE(c, "driver output", driver_out());
	WRITE(c, "driver output of 4", driver_out()->len = 4);
	WRITE(c, "driver output faults", driver_out()->data = 8);
	if (!c->response) {
		WRITE(c, "output of 8",
		      tree_out(&t, UVERBS_ATTR_CORE_OUT, command_out, 8));
		return;
	}
	WRITE(c, "no output", tree_drop(&t, UVERBS_ATTR_CORE_OUT));
	WRITE(c, "output of 0", CORE_OUT->len = 0);
	WRITE(c, "output of 1", CORE_OUT->len = 1);
	WRITE(c, "output of 4", CORE_OUT->len = 4);
	WRITE(c, "output null", CORE_OUT->data = 0);
	WRITE(c, "output faults", CORE_OUT->data = 8);
	WRITE(c, "output in the kernel", CORE_OUT->data = KERNEL_ADDRESS);
	WRITE(c, "output ends early", CORE_OUT->data = (uintptr_t)edge + 1 - 2);
}

static void write_number(const struct command *c)
{
	struct ib_uverbs_attr *a;
	static const uint64_t numbers[] = {
		6, 7, 22, 49, 63, 64, 255, 0x40000000, 0x80000000 + 2,
		0x80000000 + 63, 0x80000000 + 64, 1ULL << 32, ~0ULL,
	};
	char what[64];

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		snprintf(what, sizeof(what), "as number %#llx",
			 (long long)numbers[i]);
		WRITE(c, what, a = tree_find(&t, UVERBS_ATTR_WRITE_CMD);
		      a->data = numbers[i]);
	}
	WRITE(c, "high half of its number",
	      a = tree_find(&t, UVERBS_ATTR_WRITE_CMD); a->data |= 1ULL << 32);
	WRITE(c, "without number", tree_drop(&t, UVERBS_ATTR_WRITE_CMD));
}

static void write_handles(const struct command *c)
{
	static const uint32_t bad[] = { 0xffffffff, 12345 };
	char what[64];

	for (int h = 0; h < 4 && c->handle[h].kind_plus_1; h++)
		for (int i = 0; i < 2; i++) {
			snprintf(what, sizeof(what), "handle %d is %#x", h, bad[i]);
			WRITE(c, what,
			      memcpy(world_in + c->handle[h].offset, &bad[i], 4);
			      core_in(c->size, 0));
		}
}

static void writes(void)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		const struct command *c = &commands[i];

		if (makes_descriptor(c))
			continue;
		WRITE(c, "as it is", (void)0);
		write_in(c);
		write_out(c);
		write_handles(c);
	}
	write_number(find(CMD(QUERY_PORT)));
	write_number(find(EX(QUERY_DEVICE)));
}

int main(int argc, char **argv)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: badioctl DEVICE [7]\n");
		return 2;
	}
	if (map == MAP_FAILED || mprotect(map + page, page, PROT_NONE))
		return 2;
	edge = map + page - 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	need(world_find(&w, argv[1]), argv[1]);

	if (argc == 3) {
		methods_of_7();
		return wrong;
	}
	without_context(ioctl_methods, METHODS);
	second_context();
	numbers();
	headers_of(method_of(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE));
	cuts_of(method_of(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE));
	headers_of(method_of(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT));
	for (size_t i = 0; i < METHODS; i++) {
		const struct ioctl_method *m = &ioctl_methods[i];

		if (!works(m))
			continue;
		for (const struct ioctl_attr *a = m->attr; a->name; a++)
			attribute(m, a);
		unknown_attributes(m);
	}
	writes();
	return wrong;
}
