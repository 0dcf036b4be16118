// SPDX-License-Identifier: GPL-2.0
/*
 * What 7.x adds to a device, one line for each call and answer, so that two cores can be compared:
 * speed of a port, completion counters, DMA handles, regions by one method, buffers of queues, rights
 * by open files, pools of regions, dma-bufs of offsets.
 *
 * usage: ioctl_objects_7 DEVICE
 */
#include <sched.h>
#include <sys/mman.h>

#include "objects_7.h"

/* ---- answers about the device ---- */

static void port_speed(void)
{
	START_OLD(DEVICE, QUERY_PORT_SPEED);
	if (!send_7("speed"))
		value("speed", got(V7_ATTR_QUERY_PORT_SPEED_RESP));
	give(V7_ATTR_QUERY_PORT_SPEED_PORT_NUM, 8, 0);
	send_7("speed of port 0");
	give(V7_ATTR_QUERY_PORT_SPEED_PORT_NUM, 8, 77);
	send_7("speed of port 77");
	give(V7_ATTR_QUERY_PORT_SPEED_PORT_NUM, 8, 1);
	hook("fail", "query_port_speed 1 EIO");
	send_7("speed that the driver does not know");
}

static void counter_caps(void)
{
	START_OLD(DEVICE, QUERY_COMP_CNTR_CAPS);
	if (!send_7("what counters can")) {
		value("most", got(V7_ATTR_QUERY_COMP_CNTR_CAPS_MAX_COUNTERS));
		value("greatest", got(V7_ATTR_QUERY_COMP_CNTR_CAPS_MAX_VALUE));
		value("kinds", got(V7_ATTR_QUERY_COMP_CNTR_CAPS_SUPPORTED_QP_ATTACH_OPS));
	}
	hook("fail", "query_comp_cntr_caps 1 EIO");
	send_7("caps that the driver does not know");
}

/* ---- completion counters ---- */

static void counter_read(uint32_t counter, uint64_t entry)
{
	START_7(COMP_CNTR, COMP_CNTR_READ);
	give(V7_ATTR_READ_COMP_CNTR_HANDLE, 0, counter);
	give(V7_ATTR_READ_COMP_CNTR_ENTRY, 8, entry);
	if (!send_7("read"))
		value("counter", got(V7_ATTR_READ_COMP_CNTR_RESP_VALUE));
}

static void counter_modify(uint32_t counter, uint64_t entry, uint64_t op, uint64_t v)
{
	START_7(COMP_CNTR, COMP_CNTR_MODIFY);
	give(V7_ATTR_MODIFY_COMP_CNTR_HANDLE, 0, counter);
	give(V7_ATTR_MODIFY_COMP_CNTR_ENTRY, 8, entry);
	give(V7_ATTR_MODIFY_COMP_CNTR_OP, 8, op);
	give(V7_ATTR_MODIFY_COMP_CNTR_VALUE, 8, v);
	send_7(op ? "increment" : "set");
}

static void attach(const char *text, uint32_t qp, uint32_t counter, uint32_t kinds)
{
	START_OLD(QP, QP_ATTACH_COMP_CNTR);
	give(V7_ATTR_QP_ATTACH_COMP_CNTR_HANDLE, 0, qp);
	give(V7_ATTR_QP_ATTACH_COMP_CNTR_CNTR_HANDLE, 0, counter);
	give(V7_ATTR_QP_ATTACH_COMP_CNTR_OP_MASK, 4, kinds);
	send_7(text);
}

static void counter_ends(const char *text, uint32_t counter)
{
	gone(text, V7_OBJECT_COMP_CNTR, V7_METHOD_COMP_CNTR_DESTROY, counter);
}

static void counter_values(uint32_t counter)
{
	counter_read(counter, 0);
	counter_modify(counter, 0, 0, 5);
	counter_modify(counter, 0, 1, 3);
	counter_read(counter, 0);
	counter_read(counter, 1);
	counter_modify(counter, 1, 1, 1ULL << 40);
	counter_read(counter, 1);
	counter_read(counter, 2);
	counter_modify(counter, 2, 0, 1);
	counter_modify(counter, 0, 2, 1);
}

static void counters(void)
{
	uint32_t one, two, qp = w.spare[UVERBS_OBJECT_QP];

	START_7(COMP_CNTR, COMP_CNTR_CREATE);
	one = made("a counter");
	two = made("another");
	hook("fail", "create_comp_cntr 1 ENOSPC");
	made("one that the driver refuses");
	counter_values(one);

	attach("for nothing", qp, one, 0);
	attach("for what is not known", qp, one, 1 << 6);
	attach("for what the driver has not", qp, one, 1 << 3);
	attach("for sends", qp, one, 1);
	attach("for sends again", qp, one, 1);
	attach("another for sends", qp, two, 1);
	attach("another for sends and receives", qp, two, 3);
	attach("for receives, too", qp, one, 2);
	attach("another for reads", qp, two, 4);
	attach("for sends of another queue pair", w.use[UVERBS_OBJECT_QP], one, 1);
	counter_ends("it stays as long", one);
	counter_modify(one, 0, 0, 1);
	START(QP, QP_DESTROY);
	give(UVERBS_ATTR_DESTROY_QP_HANDLE, 0, qp);
	send_7("the queue pair goes");
	counter_ends("it stays for the other", one);
	counter_ends("another goes", two);
	counter_ends("once", two);
	START_7(COMP_CNTR, COMP_CNTR_CREATE);
	one = made("a third");
	hook("fail", "destroy_comp_cntr 1 EIO");
	counter_ends("of a driver that refuses", one);
	counter_ends("which then does not", one);
}

/* ---- DMA handles, and regions ---- */

static uint32_t dmah(const char *text, uint16_t id, uint16_t len, uint64_t v)
{
	START_7(DMAH, DMAH_ALLOC);
	if (id)
		give(id, len, v);
	return made(text);
}

static void dmah_ends(const char *text, uint32_t handle)
{
	gone(text, V7_OBJECT_DMAH, V7_METHOD_DMAH_FREE, handle);
}

static void dmah_hints(void)
{
	cpu_set_t all, last;

	dmah("of processor 0", V7_ATTR_ALLOC_DMAH_CPU_ID, 4, 0);
	dmah("of processor 1", V7_ATTR_ALLOC_DMAH_CPU_ID, 4, 1);
	dmah("of processor 100000", V7_ATTR_ALLOC_DMAH_CPU_ID, 4, 100000);
	dmah("of processor ~0", V7_ATTR_ALLOC_DMAH_CPU_ID, 4, ~0u);
	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&last);
	CPU_SET(1, &last);
	sched_setaffinity(0, sizeof(last), &last);
	dmah("of one that the program may not run on", V7_ATTR_ALLOC_DMAH_CPU_ID, 4, 0);
	sched_setaffinity(0, sizeof(all), &all);
	for (int type = 0; type < 4; type++) {
		START_7(DMAH, DMAH_ALLOC);
		give(V7_ATTR_ALLOC_DMAH_TPH_MEM_TYPE, 0, 0);
		tree_find(&t, V7_ATTR_ALLOC_DMAH_TPH_MEM_TYPE)->attr_data.enum_data.elem_id = type;
		made("of a type of memory");
	}
	for (uint64_t hint = 0; hint < 6; hint++)
		dmah("with a hint", V7_ATTR_ALLOC_DMAH_PH, 1, hint);
	hook("fail", "alloc_dmah 1 ENOSPC");
	dmah("that the driver refuses", 0, 0, 0);
}

static uint32_t region(const char *text, uint32_t handle)
{
	uint32_t mr;

	START_OLD(MR, REG_MR);
	if (handle != NO_HANDLE)
		give(V7_ATTR_REG_MR_DMA_HANDLE, 0, handle);
	mr = made(text);
	if (mr != NO_HANDLE)
		value("its keys are one", got(V7_ATTR_REG_MR_RESP_LKEY) ==
		      got(V7_ATTR_REG_MR_RESP_RKEY));
	return mr;
}

static void region_ends(const char *text, uint32_t mr)
{
	gone(text, UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, mr);
}

static void rereg(const char *text, uint32_t mr, uint32_t flags)
{
	struct ib_uverbs_rereg_mr cmd = {
		.mr_handle = mr, .flags = flags, .start = world_memory(),
		.length = 4096, .hca_va = world_memory(),
		.pd_handle = w.raw.pd, .access_flags = 1,
	};
	struct ib_uverbs_rereg_mr_resp resp = {};

	told(text, RV(w.raw.fd, REREG_MR, cmd, resp));
}

static void dmahs(void)
{
	uint32_t handle = dmah("without a hint", 0, 0, 0), mr, plain;

	dmah_hints();
	mr = region("a region of it", handle);
	dmah_ends("it stays as long", handle);
	rereg("its region changes rights", mr, 4);
	rereg("its region changes place", mr, 1);
	region_ends("the region goes", mr);
	mr = region("a region of it", handle);
	hook("rereg_new", "1");
	rereg("its region becomes another", mr, 1);
	hook("rereg_new", "0");
	dmah_ends("whether it stays with that", handle);
	region_ends("the other region goes", mr);
	handle = dmah("a new one", 0, 0, 0);
	plain = region("a region without", NO_HANDLE);
	hook("fail", "dealloc_dmah 1 EIO");
	dmah_ends("of a driver that refuses", handle);
	dmah_ends("it goes", handle);
	dmah_ends("once", handle);
	region_ends("the region without goes", plain);
}

/* An address, a dma-buf, or both: what is there of them, by bits. */
static void region_of(const char *text, int parts, int fd)
{
	START_OLD(MR, REG_MR);
	if (!(parts & 1))
		tree_drop(&t, V7_ATTR_REG_MR_ADDR);
	if (parts & 2)
		give(V7_ATTR_REG_MR_FD, 0, fd);
	if (parts & 4)
		give(V7_ATTR_REG_MR_FD_OFFSET, 8, 0);
	made(text);
}

static void regions(void)
{
	region_of("a region of nothing", 0, -1);
	region_of("of an address", 1, -1);
	region_of("of a dma-buf without offset", 2, w.dmabuf);
	region_of("of an address and a dma-buf", 3, w.dmabuf);
	region_of("of an offset", 4, -1);
	region_of("of an address and an offset", 5, -1);
	region_of("of a dma-buf", 6, w.dmabuf);
	region_of("of all", 7, w.dmabuf);
	region_of("of what is no dma-buf", 6, w.raw.fd);
	region_of("of a closed one", 6, 12345);
	START_OLD(MR, REG_MR);
	give(V7_ATTR_REG_MR_LENGTH, 8, 0);
	made("of no bytes");
	give(V7_ATTR_REG_MR_LENGTH, 8, 4096);
	give(V7_ATTR_REG_MR_IOVA, 8, world_memory() + 8);
	made("at an address of other alignment");
	give(V7_ATTR_REG_MR_IOVA, 8, world_memory());
	give(V7_ATTR_REG_MR_ACCESS_FLAGS, 4, 2);
	made("written by others alone");
	give(V7_ATTR_REG_MR_ACCESS_FLAGS, 4, 1 << 6);
	made("on demand");
	give(V7_ATTR_REG_MR_DMA_HANDLE, 0, w.use[V7_OBJECT_DMAH]);
	made("on demand, with a DMA handle");
	hook("fail", "reg_user_mr 1 EPERM");
	give(V7_ATTR_REG_MR_ACCESS_FLAGS, 4, 1);
	made("of a driver that refuses");
}

/* ---- buffers of queues ---- */

static void cq_parts(const char *text, int parts, uint64_t length)
{
	START(CQ, CQ_CREATE);
	if (parts & 1)
		give(V7_ATTR_CREATE_CQ_BUFFER_VA, 8, world_memory());
	if (parts & 2)
		give(V7_ATTR_CREATE_CQ_BUFFER_LENGTH, 8, length);
	if (parts & 4)
		give(V7_ATTR_CREATE_CQ_BUFFER_FD, 0, w.dmabuf);
	if (parts & 8)
		give(V7_ATTR_CREATE_CQ_BUFFER_OFFSET, 8, 0);
	made(text);
}

static void cq_buffers(void)
{
	struct v7_buffer buffer = { .type = 1, .addr = world_memory(), .length = 8192 };
	char text[64];

	for (int parts = 0; parts < 16; parts++) {
		snprintf(text, sizeof(text), "a CQ with parts %#x of a buffer", parts);
		cq_parts(text, parts, 8192);
	}
	cq_parts("short", 3, 4095);
	cq_parts("short, of a dma-buf", 14, 4095);
	cq_parts("longer than the dma-buf", 14, 65537);
	START(CQ, CQ_CREATE);
	give(V7_ATTR_CREATE_CQ_BUFFER_VA, 8, world_memory());
	give_buffer(V7_ATTR_CREATE_CQ_BUF_UMEM, &buffer);
	made("by an address and by a descriptor");
	give(V7_ATTR_CREATE_CQ_BUFFER_LENGTH, 8, 8192);
	made("by a range and by a descriptor");
}

static void buffer_of(const char *what, const char *text, uint16_t object, uint16_t method,
		      uint16_t id, struct v7_buffer buffer)
{
	char line[128];

	start_7(object, method);
	give_buffer(id, &buffer);
	snprintf(line, sizeof(line), "%s %s", what, text);
	made(line);
}

static void descriptors(const char *what, uint16_t object, uint16_t method, uint16_t id)
{
	struct v7_buffer good = { .type = 1, .addr = world_memory(), .length = 8192 };
	struct v7_buffer b = good;

#define ONE(text, ...) do {						\
	b = good;							\
	__VA_ARGS__;							\
	buffer_of(what, text, object, method, id, b);			\
} while (0)
	ONE("of a buffer", (void)0);
	ONE("of a dma-buf", b.type = 0; b.fd = w.dmabuf; b.addr = 0);
	ONE("of the end of a dma-buf", b.type = 0; b.fd = w.dmabuf; b.addr = 65536 - 4096);
	ONE("of what is no dma-buf", b.type = 0; b.fd = w.raw.fd; b.addr = 0);
	ONE("of type 2", b.type = 2);
	ONE("of an address and a file", b.fd = w.dmabuf);
	ONE("of an address and no file", b.fd = -1);
	ONE("with a flag", b.flags = 1);
	ONE("with an optional flag", b.optional_flags = 1);
	ONE("of no bytes", b.length = 0);
	ONE("of a byte less", b.length = 4095);
	ONE("of just enough", b.length = 4096);
	ONE("of an odd address", b.addr += 3);
	ONE("of memory that is not there", b.addr = 4096);
	ONE("of the end of addresses", b.addr = -4096ULL);
	ONE("of all bytes", b.length = ~0ULL);
#undef ONE
}

static void queue_buffers(void)
{
	cq_buffers();
	descriptors("CQ", UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, V7_ATTR_CREATE_CQ_BUF_UMEM);
	descriptors("QP", UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, V7_ATTR_CREATE_QP_BUF_UMEM);
	descriptors("RQ", UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE,
		    V7_ATTR_CREATE_QP_RQ_BUF_UMEM);
	descriptors("SQ", UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE,
		    V7_ATTR_CREATE_QP_SQ_BUF_UMEM);
	descriptors("SRQ", UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE,
		    V7_ATTR_CREATE_SRQ_BUF_UMEM);
	hook("want_buffer", "1");
	START(CQ, CQ_CREATE);
	made("a CQ that needs a buffer");
	START(QP, QP_CREATE);
	made("a QP that needs a buffer");
	START(SRQ, SRQ_CREATE);
	made("an SRQ that needs a buffer");
	told("a CQ by write that needs a buffer", rv_make_cq(&w.raw));
	told("an SRQ by write that needs a buffer", rv_make_srq(&w.raw));
	hook("want_buffer", "0");
	START(CQ, CQ_CREATE);
	hook("fail", "create_user_cq 1 EPERM");
	made("a CQ of a program that the driver refuses");
	made("a CQ of a program");
	told("of another size", rv_make_resize(&w.raw));
}

/* ---- rights by open files ---- */

static uint64_t caps(void)
{
	unsigned long long bits = 0;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/kernel/debug/ofed_testdev/%s/caps", device);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%llu", &bits) != 1)
		bits = ~0ULL;
	if (file)
		fclose(file);
	return bits;
}

static void context(const char *text, const int *fds, uint16_t len)
{
	int fd = open(w.raw.dev.node, O_RDWR | O_CLOEXEC);

	START(DEVICE, GET_CONTEXT);
	give(V7_ATTR_GET_CONTEXT_FD_ARR, len, len > 8 ? (uintptr_t)fds : 0);
	if (len <= 8)
		memcpy(&tree_find(&t, V7_ATTR_GET_CONTEXT_FD_ARR)->data, fds, len);
	if (!told(text, tree_send(fd, &t)))
		value("rights", caps());
	close(fd);
}

static int right(const char *name)
{
	int fd = -1;

	/* udev makes the node when it hears of the device. */
	for (int i = 0; i < 100 && fd < 0; i++) {
		fd = open(name, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			usleep(50000);
	}
	told(name, fd < 0 ? -errno : 0);
	return fd;
}

static void rights(void)
{
	int fds[4];

	ctl("ucap 2");
	ctl("ucap 0");
	ctl("ucap 1");
	fds[0] = right("/dev/infiniband/mlx5_perm_ctrl_local");
	fds[1] = right("/dev/infiniband/mlx5_perm_ctrl_other_vhca");
	fds[2] = fds[0];
	fds[3] = w.raw.file;
	context("a context with a right", fds, 4);
	context("with the other", fds + 1, 4);
	context("with both", fds, 8);
	context("with one twice", fds, 12);
	context("with a file that is none", fds, 16);
	context("with such a file alone", fds + 3, 4);
	context("with no file", &(int){ -1 }, 4);
	context("with a closed one", &(int){ 12345 }, 4);
	context("with half a file", fds, 2);
	context("with a file and a half", fds, 6);
	ctl("ucap 0");
	ctl("noucap 0");
	context("with one that is offered still", fds, 4);
	ctl("noucap 0");
	context("with one that is withdrawn", fds, 4);
	ctl("ucap 0");
	context("with one that is offered anew", fds, 4);
	ctl("noucap 0");
	ctl("noucap 1");
	close(fds[0]);
	close(fds[1]);
}

/* ---- dma-bufs of offsets of mmap() ---- */

static int dmabuf_of(const char *text, uint64_t offset)
{
	START_7(DMABUF, DMABUF_ALLOC);
	give(V7_ATTR_ALLOC_DMABUF_PGOFF, 8, offset / 4096);
	return send_7(text) ? -1 : (int)t.attr[0].data_s64;
}

static uint32_t import(const char *text, int fd, uint64_t length)
{
	START(MR, REG_DMABUF_MR);
	give(UVERBS_ATTR_REG_DMABUF_MR_FD, 4, fd);
	give(UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 8, length);
	return made(text);
}

/* What a process can do with one. */
static void dmabuf_as_file(int fd)
{
	void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	told("it is mapped", map == MAP_FAILED ? -errno : 0);
	if (map != MAP_FAILED)
		munmap(map, 4096);
	value("its size", lseek(fd, 0, SEEK_END));
	value("flags of the descriptor", fcntl(fd, F_GETFD));
	value("flags of the file", fcntl(fd, F_GETFL) & (O_ACCMODE | O_CLOEXEC));
}

static void imports(int fd)
{
	uint32_t mr;

	import("a region of it, pinned", fd, 4096);
	hook("dmabuf_dynamic", "1");
	mr = import("a region of it, which may lose it", fd, 4096);
	if (mr != NO_HANDLE)
		region_ends("which goes", mr);
	import("a region longer than it", fd, 8192);
	hook("dmabuf_dynamic", "0");
}

static void dmabufs(void)
{
	int io = dmabuf_of("a dma-buf of registers", w.raw.io_offset), again, held;

	again = dmabuf_of("another", w.raw.io_offset);
	dmabuf_of("of what is no offset", 77 * 4096);
	hook("fail", "mmap_get_pfns 1 EIO");
	dmabuf_of("of memory that the driver does not know", w.raw.io_offset);
	hook("fail", "pgoff_to_mmap_entry 1 EIO");
	dmabuf_of("of an offset that the driver does not know", w.raw.io_offset);
	dmabuf_as_file(io);
	imports(io);
	held = dup(again);
	close(again);
	imports(held);
	close(held);
	close(io);
	io = dmabuf_of("once more", w.raw.ram_offset);
	world_close(&w);
	imports(io);
	dmabuf_as_file(io);
	told("objects anew", world_open(&w));
	imports(io);
	close(io);
}

/* ---- pools of regions ---- */

static void pools(void)
{
	uint32_t mr, second;

	hook("pooled", "1");
	mr = region("a region of a pool", NO_HANDLE);
	value("there are handles", count_of("frmr") > 0);
	second = region("another", NO_HANDLE);
	region_ends("it goes", mr);
	mr = region("one more", NO_HANDLE);
	value("handles for both", count_of("frmr") >= 2);
	hook("fail", "create_frmrs always ENOSPC");
	START_OLD(MR, REG_MR);
	give(V7_ATTR_REG_MR_LENGTH, 8, 3 * 4096);
	made("of another length, which the driver refuses");
	hook("fail", "create_frmrs 0 ENOSPC");
	region_ends("the first goes", mr);
	region_ends("the second goes", second);
	hook("pooled", "0");
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: ioctl_objects_7 DEVICE\n");
		return 2;
	}
	device = argv[1];
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (world_find(&w, device))
		return 2;
	w.with_7 = true;
	if (world_open(&w)) {
		fprintf(stderr, "%s: no objects: %s\n", device, strerror(errno));
		return 2;
	}
	port_speed();
	counter_caps();
	counters();
	dmahs();
	regions();
	queue_buffers();
	rights();
	pools();
	dmabufs();
	world_close(&w);
	return 0;
}
