// SPDX-License-Identifier: GPL-2.0
/*
 * Memory on demand under traffic: two queue pairs of one device, whose regions lose their pages
 * in all the ways that a program has. Each message is compared.
 *
 * usage: odp_traffic DEVICE GID-INDEX ROUNDS
 *	  odp_traffic DEVICE GID-INDEX charged PARTS FILE
 *	ROUNDS	messages against a thread that takes the memory away
 *	PARTS	of an implicit region, which the kernel keeps entries of
 *	FILE	memory.current of the memory cgroup that the program is in
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "odp_ends.h"
#include "verdict.h"

/* ---- pages that are absent ---------------------------------------------------------- */

static void first_touch(void)
{
	static const uint32_t lengths[] = { 1, 8, 1024, 4096, 5000, 65536, BYTES - 100 };
	uint32_t offset = 100, i;

	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		renew(MAP_PRIVATE);
		fill(from.at + offset, lengths[i], i);
		EXPECT("WRITE to pages that were never touched",
		       request(IBV_WR_RDMA_WRITE, offset, lengths[i]), 0);
		EXPECT("its bytes", same(offset, lengths[i]), 1);
		renew(MAP_PRIVATE);
		fill(to.at + offset, lengths[i], i);
		EXPECT("READ into pages that were never touched",
		       request(IBV_WR_RDMA_READ, offset, lengths[i]), 0);
		EXPECT("its bytes", same(offset, lengths[i]), 1);
		renew(MAP_PRIVATE);
		fill(from.at + offset, lengths[i], i);
		EXPECT("SEND to pages that were never touched", send_one(offset, lengths[i]), 0);
		EXPECT("its bytes", same(offset, lengths[i]), 1);
	}
}

static void zero_pages(void)
{
	renew(MAP_PRIVATE);
	memset(to.at, 7, BYTES);
	EXPECT("WRITE from pages that were never touched",
	       request(IBV_WR_RDMA_WRITE, 10, 3 * PAGE), 0);
	EXPECT("sends zeros", zeros(to.at + 10, 3 * PAGE), 1);
	memset(from.at, 8, 4 * PAGE);
	EXPECT("WRITE after the program wrote there", request(IBV_WR_RDMA_WRITE, 10, 3 * PAGE), 0);
	EXPECT("sends what it wrote", same(10, 3 * PAGE), 1);
	gone(&from);
	gone(&to);
	EXPECT("READ of pages that were given back", request(IBV_WR_RDMA_READ, 10, 3 * PAGE), 0);
	EXPECT("brings zeros", zeros(from.at + 10, 3 * PAGE), 1);
}

static void atomics(void)
{
	uint64_t *word, *result;

	renew(MAP_PRIVATE);
	word = (uint64_t *)(to.at + 8);
	result = (uint64_t *)(from.at + 8);
	EXPECT("FETCH_ADD, both absent", request(IBV_WR_ATOMIC_FETCH_AND_ADD, 8, 8), 0);
	EXPECT("the word", *word, 5);
	EXPECT("what it was", *result, 0);
	gone(&from);
	EXPECT("FETCH_ADD, the result absent", request(IBV_WR_ATOMIC_FETCH_AND_ADD, 8, 8), 0);
	EXPECT("the word, added to once", *word, 10);
	EXPECT("what it was", *result, 5);
	gone(&to);
	EXPECT("FETCH_ADD, the word absent", request(IBV_WR_ATOMIC_FETCH_AND_ADD, 8, 8), 0);
	EXPECT("the word", *word, 5);
}

/* librxe has no ibv_advise_mr(). */
static int advise(uint32_t advice, uint32_t flags, uint64_t at, uint32_t length, uint32_t lkey)
{
	struct ibv_sge sge = { at, length, lkey };
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attrs[4];
	} cmd = {
		.hdr = { .length = sizeof(cmd), .object_id = UVERBS_OBJECT_MR,
			 .method_id = UVERBS_METHOD_ADVISE_MR, .num_attrs = 4,
			 .driver_id = RDMA_DRIVER_RXE },
		.attrs = {
			{ .attr_id = UVERBS_ATTR_ADVISE_MR_PD_HANDLE,
			  .flags = UVERBS_ATTR_F_MANDATORY, .data = pd->handle },
			{ .attr_id = UVERBS_ATTR_ADVISE_MR_ADVICE, .len = 8,
			  .flags = UVERBS_ATTR_F_MANDATORY, .data = advice },
			{ .attr_id = UVERBS_ATTR_ADVISE_MR_FLAGS, .len = 4,
			  .flags = UVERBS_ATTR_F_MANDATORY, .data = flags },
			{ .attr_id = UVERBS_ATTR_ADVISE_MR_SGE_LIST, .len = sizeof(sge),
			  .flags = UVERBS_ATTR_F_MANDATORY, .data = (uintptr_t)&sge },
		},
	};

	return ioctl(ctx->cmd_fd, RDMA_VERBS_IOCTL, &cmd) ? -errno : 0;
}

/* ---- what a program does to its memory ----------------------------------------------- */

/* The child writes to its copy before the device writes, or looks at it afterwards. */
static void forks(void)
{
	int fds[2], back[2], status = 1;
	char byte = 0;
	pid_t child;

	renew(MAP_PRIVATE);
	memset(to.at, 1, BYTES);
	fill(from.at, BYTES, 3);
	EXPECT("WRITE before fork", request(IBV_WR_RDMA_WRITE, 0, 2 * PAGE), 0);
	NEED(!pipe(fds) && !pipe(back));
	child = fork();
	NEED(child >= 0);
	if (!child) {
		unsigned char was = to.at[0];

		to.at[1] = 99;
		if (write(back[1], "r", 1) != 1 || read(fds[0], &byte, 1) != 1)
			_exit(2);
		_exit(to.at[0] != was || to.at[4 * PAGE] != 1);
	}
	NEED(read(back[0], &byte, 1) == 1);
	fill(from.at, BYTES, 4);
	EXPECT("WRITE after fork", request(IBV_WR_RDMA_WRITE, 0, 8 * PAGE), 0);
	EXPECT("the parent has it", same(0, 8 * PAGE), 1);
	NEED(write(fds[1], "g", 1) == 1 && waitpid(child, &status, 0) == child);
	EXPECT("the child has not", status, 0);
}

static void moves(void)
{
	unsigned char *away, *at;

	renew(MAP_PRIVATE);
	fill(from.at, BYTES, 5);
	memset(to.at, 1, BYTES);
	EXPECT("WRITE before mremap", request(IBV_WR_RDMA_WRITE, 0, BYTES), 0);
	at = map(MAP_PRIVATE);
	away = mremap(to.at, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, at);
	NEED(away == at);
	EXPECT("WRITE to where no memory is any more", request(IBV_WR_RDMA_WRITE, 0, 8),
	       IBV_WC_REM_ACCESS_ERR);
	reconnect(IBV_QPT_RC);
	NEED(mmap(to.at, BYTES, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == to.at);
	fill(from.at, BYTES, 6);
	EXPECT("WRITE to new memory at the old address", request(IBV_WR_RDMA_WRITE, 0, BYTES), 0);
	EXPECT("which has it", same(0, BYTES), 1);
	fill(from.at, BYTES, 5);
	EXPECT("what was moved is as it was", memcmp(away, from.at, BYTES), 0);
	munmap(away, BYTES);
}

static void refused(const char *what, int got, int want)
{
	EXPECT(what, got, want);
	reconnect(IBV_QPT_RC);
	renew(MAP_PRIVATE);
}

static void unmapped(void)
{
	uint32_t n = 3 * PAGE;

	renew(MAP_PRIVATE);
	munmap(to.at, BYTES);
	refused("WRITE to no memory", request(IBV_WR_RDMA_WRITE, 0, n), IBV_WC_REM_ACCESS_ERR);
	munmap(to.at, BYTES);
	refused("READ of no memory", request(IBV_WR_RDMA_READ, 0, n), IBV_WC_REM_ACCESS_ERR);
	munmap(to.at, BYTES);
	refused("FETCH_ADD to no memory", request(IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 8),
		IBV_WC_REM_ACCESS_ERR);
	munmap(to.at, BYTES);
	refused("SEND to no memory", send_one(0, n),
		IBV_WC_REM_OP_ERR + 100 * IBV_WC_LOC_PROT_ERR);
	munmap(from.at, BYTES);
	refused("WRITE from no memory", request(IBV_WR_RDMA_WRITE, 0, n), IBV_WC_LOC_PROT_ERR);
	munmap(from.at, BYTES);
	refused("READ into no memory", request(IBV_WR_RDMA_READ, 0, n), IBV_WC_LOC_PROT_ERR);
	memset(from.at, 3, BYTES);
	munmap(to.at + 2 * PAGE, PAGE);
	refused("WRITE over a hole", request(IBV_WR_RDMA_WRITE, 0, 8 * PAGE),
		IBV_WC_REM_ACCESS_ERR);
	munmap(to.at + 2 * PAGE, PAGE);
	EXPECT("WRITE up to a hole", request(IBV_WR_RDMA_WRITE, 0, 2 * PAGE), 0);
	EXPECT("and behind it", request(IBV_WR_RDMA_WRITE, 3 * PAGE, 4 * PAGE), 0);
	NEED(!mprotect(to.at, PAGE, PROT_READ));
	EXPECT("READ of what may only be read", request(IBV_WR_RDMA_READ, 0, PAGE), 0);
	refused("WRITE to it", request(IBV_WR_RDMA_WRITE, 0, PAGE), IBV_WC_REM_ACCESS_ERR);
}

/* The first @pages of @m become memory that the kernel itself does not map. */
static void hide(struct mem *m, unsigned int pages)
{
	int fd = syscall(SYS_memfd_secret, 0);

	NEED(fd >= 0 && !ftruncate(fd, pages * PAGE));
	NEED(mmap(m->at, pages * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
	     m->at);
	close(fd);
	memset(m->at, 5, pages * PAGE);
}

/* To the memory manager these pages are like any other; a copy by the kernel would be its end. */
static void secrets(void)
{
	int fd = syscall(SYS_memfd_secret, 0);

	if (fd < 0) {
		puts("     this kernel has no secret memory");
		return;
	}
	close(fd);
	renew(MAP_PRIVATE);
	hide(&to, 8);
	refused("WRITE to secret memory", request(IBV_WR_RDMA_WRITE, 0, 2 * PAGE),
		IBV_WC_REM_ACCESS_ERR);
	hide(&to, 8);
	refused("READ of secret memory", request(IBV_WR_RDMA_READ, 0, PAGE), IBV_WC_REM_ACCESS_ERR);
	hide(&to, 8);
	refused("FETCH_ADD to secret memory", request(IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 8),
		IBV_WC_REM_ACCESS_ERR);
	hide(&from, 8);
	refused("WRITE from secret memory", request(IBV_WR_RDMA_WRITE, 0, 2 * PAGE),
		IBV_WC_LOC_PROT_ERR);
	hide(&to, 4);
	fill(from.at, BYTES, 14);
	EXPECT("WRITE behind secret memory", request(IBV_WR_RDMA_WRITE, 4 * PAGE, 4 * PAGE), 0);
	EXPECT("its bytes", same(4 * PAGE, 4 * PAGE), 1);
	EXPECT("advice about both", advise(IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE, 1,
					   (uintptr_t)to.at, 8 * PAGE, to.mr->lkey), -EFAULT);
}

/* ---- kinds of regions and queue pairs ------------------------------------------------ */

/* Memory that is mapped after the registration, and some that is far away. */
static void implicit(void)
{
	struct ibv_mr *all = ibv_reg_mr(pd, NULL, SIZE_MAX, RIGHTS | IBV_ACCESS_ON_DEMAND);
	struct mem kept[2] = { from, to };

	EXPECT("a region of all memory", !!all, 1);
	if (!all)
		return;
	from = (struct mem){ map(MAP_PRIVATE), all };
	to = (struct mem){ map(MAP_PRIVATE), all };
	fill(from.at, BYTES, 9);
	EXPECT("WRITE", request(IBV_WR_RDMA_WRITE, 50, BYTES - 50), 0);
	EXPECT("its bytes", same(50, BYTES - 50), 1);
	gone(&from);
	EXPECT("READ", request(IBV_WR_RDMA_READ, 50, BYTES - 50), 0);
	EXPECT("its bytes", same(50, BYTES - 50), 1);
	munmap(to.at, BYTES);
	EXPECT("WRITE to no memory", request(IBV_WR_RDMA_WRITE, 0, 8), IBV_WC_REM_ACCESS_ERR);
	reconnect(IBV_QPT_RC);
	to.at = (unsigned char *)0xffffffffffff0000UL;
	EXPECT("WRITE to the kernel", request(IBV_WR_RDMA_WRITE, 0, 8), IBV_WC_REM_ACCESS_ERR);
	reconnect(IBV_QPT_RC);
	munmap(from.at, BYTES);
	NEED(!ibv_dereg_mr(all));
	from = kept[0];
	to = kept[1];
}

static void unreliable(void)
{
	reconnect(IBV_QPT_UC);
	renew(MAP_PRIVATE);
	fill(from.at, BYTES, 11);
	EXPECT("UC SEND, the place absent", send_one(0, 5 * PAGE), 0);
	EXPECT("its bytes", same(0, 5 * PAGE), 1);
	fill(from.at, BYTES, 12);
	EXPECT("UC WRITE, the place absent", request(IBV_WR_RDMA_WRITE, 8 * PAGE, 5 * PAGE), 0);
	EXPECT("its bytes, some time", arrives(8 * PAGE, 5 * PAGE), 1);
	gone(&from);
	EXPECT("UC SEND, the source absent", send_one(0, 5 * PAGE), 0);
	EXPECT("zeros", zeros(to.at, 5 * PAGE), 1);
	reconnect(IBV_QPT_RC);
}

static void datagrams(void)
{
	struct ibv_ah_attr attr = way();
	struct ibv_ah *ah = ibv_create_ah(pd, &attr);
	struct ibv_sge sge = { .length = 1000 };
	struct ibv_send_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1,
				  .opcode = IBV_WR_SEND }, *bad;
	struct ibv_wc wc;

	NEED(ah);
	reconnect(IBV_QPT_UD);
	renew(MAP_PRIVATE);
	memset(to.at, 1, PAGE);
	sge.addr = (uintptr_t)from.at + PAGE - 500;
	sge.lkey = from.mr->lkey;
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = ends[1]->qp_num;
	wr.wr.ud.remote_qkey = 0x11111111;
	/* The place is absent: that datagram is lost, and brings it in. */
	receive(0, 1040);
	NEED(!ibv_post_send(ends[0], &wr, &bad));
	EXPECT("a datagram, the source absent", wait_wc(&wc), 0);
	usleep(50000);
	if (!ibv_poll_cq(cq, 1, &wc)) {
		fill(from.at, BYTES, 13);
		NEED(!ibv_post_send(ends[0], &wr, &bad));
		EXPECT("another one", wait_wc(&wc), 0);
		EXPECT("arrives", wait_wc(&wc), 0);
		EXPECT("its bytes", memcmp(to.at + 40, (void *)sge.addr, 1000), 0);
	}
	reconnect(IBV_QPT_RC);
	ibv_destroy_ah(ah);
}

/* ---- advice -------------------------------------------------------------------------- */

static int present(const unsigned char *at, int pages)
{
	unsigned char core[64];
	int i, n = 0;

	NEED(!mincore((void *)at, pages * PAGE, core));
	for (i = 0; i < pages; i++)
		n += core[i] & 1;
	return n;
}

static void advice(void)
{
	struct ibv_mr *pinned;
	uint64_t at;

	renew(MAP_PRIVATE);
	at = (uintptr_t)to.at;
	EXPECT("NO_FAULT", advise(IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT, 1, at, BYTES,
				  to.mr->lkey), 0);
	EXPECT("brings nothing in", present(to.at, 64), 0);
	EXPECT("PREFETCH_WRITE", advise(IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE, 1, at,
					8 * PAGE, to.mr->lkey), 0);
	EXPECT("brings in what it names", present(to.at, 64), 8);
	EXPECT("PREFETCH without FLUSH", advise(IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH, 0, at,
						PAGE, to.mr->lkey), 0);
	EXPECT("a flag that is none", advise(0, 2, at, PAGE, to.mr->lkey), -EINVAL);
	EXPECT("behind the end", advise(0, 1, at + BYTES, PAGE, to.mr->lkey), -EFAULT);
	EXPECT("a key of nothing", advise(0, 1, at, PAGE, to.mr->lkey ^ 1), -ENOENT);
	munmap(to.at, PAGE);
	EXPECT("no memory", advise(0, 1, at, PAGE, to.mr->lkey), -EFAULT);
	EXPECT("no memory, without FLUSH", advise(0, 0, at, PAGE, to.mr->lkey), 0);
	pinned = ibv_reg_mr(pd, from.at, BYTES, IBV_ACCESS_LOCAL_WRITE);
	NEED(pinned);
	EXPECT("a region that is not on demand",
	       advise(0, 1, (uintptr_t)from.at, PAGE, pinned->lkey), -EINVAL);
	NEED(!ibv_dereg_mr(pinned));
}

/* ---- a thread takes pages away ------------------------------------------------------- */

static atomic_int stop;
static struct mem victims[2];

static void *thief(void *unused)
{
	unsigned int seed = 7, i, first;

	(void)unused;
	for (i = 0; !stop; i++) {
		struct mem *m = &victims[i & 1];

		first = rand_r(&seed) % 64;
		madvise(m->at + first * PAGE, (64 - first) * PAGE, MADV_DONTNEED);
		if (i % 64 == 63) {
			pid_t child = fork();

			if (!child)
				_exit(0);
			waitpid(child, NULL, 0);
		}
		if (i % 8 == 7)
			usleep(50);
	}
	return NULL;
}

/* Shared memory keeps its bytes when its pages go. */
static void fight(int rounds)
{
	static const enum ibv_wr_opcode ops[] = { IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
						  IBV_WR_SEND, IBV_WR_ATOMIC_FETCH_AND_ADD };
	int i, bad_status = 0, bad_bytes = 0;
	unsigned int seed = 1;
	pthread_t other;

	renew(MAP_SHARED);
	victims[0] = from;
	victims[1] = to;
	puts("     fight");
	fflush(stdout);
	NEED(!pthread_create(&other, NULL, thief, NULL));
	for (i = 0; i < rounds; i++) {
		uint32_t length = 1 + rand_r(&seed) % (BYTES / 2);
		uint32_t offset = rand_r(&seed) % (BYTES / 2) & ~7;
		enum ibv_wr_opcode op = ops[i & 3];

		if (op == IBV_WR_ATOMIC_FETCH_AND_ADD) {
			uint64_t *word = (uint64_t *)(to.at + offset), was = *word;

			bad_status += request(op, offset, 8) != 0;
			bad_bytes += *word != was + 5 ||
				     *(uint64_t *)(from.at + offset) != was;
			continue;
		}
		fill(op == IBV_WR_RDMA_READ ? to.at + offset : from.at + offset, length, i);
		bad_status += (op == IBV_WR_SEND ? send_one(offset, length) :
						   request(op, offset, length)) != 0;
		bad_bytes += !same(offset, length);
	}
	stop = 1;
	pthread_join(other, NULL);
	EXPECT("messages against a thief that failed", bad_status, 0);
	EXPECT("messages that lost bytes", bad_bytes, 0);
}

/* ---- what the kernel keeps ----------------------------------------------------------- */

#define PART		(2UL << 20)
/* Three lists of 512 words, and more. */
#define PART_KEEPS	(3 * 512 * 8UL)

static unsigned long charged_now(const char *name)
{
	FILE *file = fopen(name, "r");
	unsigned long bytes;

	NEED(file && fscanf(file, "%lu", &bytes) == 1);
	fclose(file);
	return bytes;
}

/* It is the requests of a peer that make the kernel keep entries, each READ those of another part. */
static int charged(unsigned long parts, const char *name)
{
	unsigned long i, before;
	unsigned char *all;
	int bad = 0;

	from.at = map(MAP_PRIVATE);
	memset(from.at, 1, BYTES);
	NEED((from.mr = ibv_reg_mr(pd, from.at, BYTES, RIGHTS)));
	NEED((to.mr = ibv_reg_mr(pd, NULL, SIZE_MAX, RIGHTS | IBV_ACCESS_ON_DEMAND)));
	all = mmap(NULL, parts * PART, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		   -1, 0);
	NEED(all != MAP_FAILED);
	before = charged_now(name);
	for (i = 0; i < parts; i++) {
		to.at = all + i * PART;
		bad += request(IBV_WR_RDMA_READ, 0, 8) != 0;
	}
	EXPECT("READs that failed", bad, 0);
	EXPECT("entries are charged", charged_now(name) - before >= parts * PART_KEEPS, 1);
	NEED(!ibv_dereg_mr(to.mr));
	return verdict();
}

int main(int argc, char **argv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_device_attr_ex attr;
	int i;

	if ((argc != 4 && argc != 6) || !list)
		return 2;
	for (i = 0; list[i] && strcmp(ibv_get_device_name(list[i]), argv[1]); i++)
		;
	NEED(list[i] && (ctx = ibv_open_device(list[i])));
	gid_index = atoi(argv[2]);
	NEED(!ibv_query_gid(ctx, 1, gid_index, &gid));
	NEED(!ibv_query_device_ex(ctx, NULL, &attr));
	EXPECT("the device says so", attr.odp_caps.general_caps,
	       IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT);
	NEED((pd = ibv_alloc_pd(ctx)) && (cq = ibv_create_cq(ctx, 64, NULL, NULL, 0)));
	if (failed)
		return verdict();
	reconnect(IBV_QPT_RC);
	if (argc == 6)
		return charged(strtoul(argv[4], NULL, 0), argv[5]);
	first_touch();
	zero_pages();
	atomics();
	forks();
	moves();
	unmapped();
	secrets();
	implicit();
	unreliable();
	datagrams();
	advice();
	fight(atoi(argv[3]));
	return verdict();
}
