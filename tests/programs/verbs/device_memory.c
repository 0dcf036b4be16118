// SPDX-License-Identifier: GPL-2.0
/*
 * Device memory: how much there is for each user, what the program reads and writes there, which
 * regions are made of it, and that messages and atomics reach their bytes.
 *
 * usage: device_memory DEVICE GID-INDEX	all of it
 *        device_memory DEVICE none		without messages
 *        device_memory DEVICE GID-INDEX hold	messages without an end
 *        device_memory DEVICE none charged BYTES FILE
 *				FILE has a number that grows with device memory
 */
#include <sys/wait.h>

#include "two_qps.h"
#include "verdict.h"

#define AT	(4096 + 256)		/* of the region in the memory */
#define LENGTH	(3 * 4096 + 100)
#define SIZE	(6 * 4096)
#define USERS	4			/* that can have all that is announced */

static uint8_t own[LENGTH], before[SIZE], after[SIZE];
static struct ibv_mr *own_mr;
static size_t most, page;

static struct ibv_dm *alloc(size_t length, uint32_t align)
{
	struct ibv_alloc_dm_attr attr = { .length = length, .log_align_req = align };

	return ibv_alloc_dm(ctx, &attr);
}

/* Return: 0 and it is gone again, or errno. */
static int given(size_t length, uint32_t align)
{
	struct ibv_dm *dm = alloc(length, align);

	if (!dm)
		return errno;
	NEED(!ibv_free_dm(dm));
	return 0;
}

static int given_with(uint32_t comp_mask)
{
	struct ibv_alloc_dm_attr attr = { .length = page, .comp_mask = comp_mask };

	return ibv_alloc_dm(ctx, &attr) ? 0 : errno;
}

static size_t announced(void)
{
	struct ibv_device_attr_ex attr;

	NEED(!ibv_query_device_ex(ctx, NULL, &attr));
	return attr.max_dm_size;
}

static void how_much(void)
{
	struct ibv_dm *dm;

	EXPECT("one byte", given(1, 0), 0);
	EXPECT("aligned to a page", given(100, 12), 0);
	EXPECT("aligned to more", given(100, 13), EINVAL);
	EXPECT("nothing", given(0, 0), EINVAL);
	EXPECT("more than is announced", given(most + 1, 0), EINVAL);
	EXPECT("an attribute that is none", given_with(1), EINVAL);
	for (int i = 0; i < 3; i++)
		EXPECT("all that is announced", given(most, 0), 0);
	NEED(dm = alloc(most - page, 0));
	EXPECT("what is left", given(page, 0), 0);
	EXPECT("more than is left", given(page + 1, 0), ENOMEM);
	NEED(!ibv_free_dm(dm));
}

/* ---- users ------------------------------------------------------------------------- */

/* Takes all, says how that ended, and keeps it until @go_on is closed. */
static void be_user(int user, const char *name, int tell, int go_on)
{
	int ret = 0;

	NEED(!setuid(1000 + user));
	NEED(ctx = open_named(name));
	if (!alloc(most, 0))
		ret = errno;
	NEED(write(tell, &ret, sizeof(ret)) == sizeof(ret));
	NEED(!read(go_on, &ret, 1));
	exit(0);
}

static void for_whom(const char *name)
{
	int told[2], stop[2], ret;
	char text[64];

	NEED(!pipe(told) && !pipe(stop));
	for (int i = 0; i <= USERS; i++) {
		if (!fork()) {
			close(stop[1]);
			be_user(i, name, told[1], stop[0]);
		}
		NEED(read(told[0], &ret, sizeof(ret)) == sizeof(ret));
		snprintf(text, sizeof(text), "all of it for user %d", i);
		EXPECT(text, ret, i < USERS ? 0 : ENOMEM);
	}
	EXPECT("nothing for another", given(1, 0), ENOMEM);
	close(stop[1]);
	while (wait(&ret) > 0)
		EXPECT("a user ends", ret, 0);
	EXPECT("all of it again", given(most, 0), 0);
	close(stop[0]);
	close(told[0]);
	close(told[1]);
}

/* ---- by the program ---------------------------------------------------------------- */

static void fill(uint8_t *to, size_t length, uint8_t seed)
{
	for (size_t i = 0; i < length; i++)
		to[i] = i * 7 + i / 256 + seed;
}

static bool zero(const uint8_t *at, size_t length)
{
	while (length && !*at)
		at++, length--;
	return !length;
}

static void copies(void)
{
	struct ibv_dm *dm;

	NEED(dm = alloc(SIZE, 0));
	NEED(!ibv_memcpy_from_dm(after, dm, 0, SIZE));
	EXPECT("all zero", zero(after, SIZE), 1);
	fill(before, SIZE, 1);
	EXPECT("a copy to it", ibv_memcpy_to_dm(dm, 0, before, SIZE), 0);
	EXPECT("and a part", ibv_memcpy_to_dm(dm, 100, before, 8), 0);
	memcpy(before + 100, before, 8);
	EXPECT("a copy from it", ibv_memcpy_from_dm(after, dm, 0, SIZE), 0);
	EXPECT("is the same", memcmp(before, after, SIZE), 0);
	EXPECT("no half words", ibv_memcpy_to_dm(dm, 2, before, 4), EFAULT);
	EXPECT("nor of length", ibv_memcpy_from_dm(after, dm, 0, 2), EFAULT);
	EXPECT("not beyond its end", ibv_memcpy_to_dm(dm, SIZE - 4, before, 8), EFAULT);
	EXPECT("from there neither", ibv_memcpy_from_dm(after, dm, SIZE + 4, 0), EFAULT);
	EXPECT("its last word", ibv_memcpy_from_dm(after, dm, SIZE - 4, 4), 0);
	NEED(!ibv_free_dm(dm));
	NEED(dm = alloc(SIZE, 0));
	NEED(!ibv_memcpy_from_dm(after, dm, 0, SIZE));
	EXPECT("another is all zero again", zero(after, SIZE), 1);
	NEED(!ibv_free_dm(dm));
}

/* ---- regions ----------------------------------------------------------------------- */

static int taken(struct ibv_dm *dm, uint64_t offset, size_t length, int access)
{
	struct ibv_mr *mr = ibv_reg_dm_mr(pd, dm, offset, length, access);

	if (!mr)
		return errno;
	NEED(!ibv_dereg_mr(mr));
	return 0;
}

static void which_regions(int rights)
{
	const int zero_based = rights | IBV_ACCESS_ZERO_BASED;
	struct ibv_dm *dm;
	struct ibv_mr *mr;

	NEED(dm = alloc(SIZE, 0));
	EXPECT("all of it", taken(dm, 0, SIZE, zero_based), 0);
	EXPECT("no byte of it", taken(dm, SIZE, 0, zero_based), 0);
	EXPECT("its last byte", taken(dm, SIZE - 1, 1, zero_based), 0);
	EXPECT("one byte more", taken(dm, SIZE - 1, 2, zero_based), EINVAL);
	EXPECT("an offset that wraps", taken(dm, -page, 2 * page, zero_based), EINVAL);
	EXPECT("not zero based", taken(dm, 0, SIZE, rights), EINVAL);
	EXPECT("WRITE of a peer, none of its own",
	       taken(dm, 0, SIZE, IBV_ACCESS_ZERO_BASED | IBV_ACCESS_REMOTE_WRITE), EINVAL);
	EXPECT("on demand", taken(dm, 0, SIZE, zero_based | IBV_ACCESS_ON_DEMAND) != 0, 1);
	NEED(mr = ibv_reg_dm_mr(pd, dm, 0, SIZE, zero_based));
	EXPECT("it is kept by its region", ibv_free_dm(dm), EBUSY);
	EXPECT("which is not registered anew",
	       ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, pd, NULL, 0, 0) != 0, 1);
	NEED(!ibv_dereg_mr(mr));
	EXPECT("and then goes", ibv_free_dm(dm), 0);
}

/* ---- messages ---------------------------------------------------------------------- */

static struct ibv_dm *memory;
static struct ibv_mr *mr;

/* The region has what @own has, and nothing else is written. */
static bool is_own(void)
{
	memset(before, 0, SIZE);
	memcpy(before + AT, own, LENGTH);
	NEED(!ibv_memcpy_from_dm(after, memory, 0, SIZE));
	return !memcmp(before, after, SIZE);
}

static void set(uint8_t seed)
{
	memset(before, 0, SIZE);
	fill(before + AT, LENGTH, seed);
	NEED(!ibv_memcpy_to_dm(memory, 0, before, SIZE));
}

static int send_to(uint64_t to, uint32_t to_key, uint64_t from, uint32_t from_key, uint32_t length)
{
	struct ibv_recv_wr receive = { .num_sge = 1,
		.sg_list = &(struct ibv_sge){ to, length, to_key } }, *bad_receive;
	struct ibv_send_wr send = { .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
		.num_sge = 1, .sg_list = &(struct ibv_sge){ from, length, from_key } }, *bad_send;

	NEED(!ibv_post_recv(qp[1], &receive, &bad_receive));
	NEED(!ibv_post_send(qp[0], &send, &bad_send));
	return done(2);
}

static void of_bytes(uint64_t mine)
{
	fill(own, LENGTH, 1);
	EXPECT("WRITE to it", request(IBV_WR_RDMA_WRITE, mine, own_mr->lkey, LENGTH, 0,
				      mr->rkey), 0);
	EXPECT("has its bytes", is_own(), 1);
	set(2);
	EXPECT("READ of it", request(IBV_WR_RDMA_READ, mine, own_mr->lkey, LENGTH, 0, mr->rkey), 0);
	EXPECT("has those", is_own(), 1);
	set(3);
	EXPECT("WRITE from it", request(IBV_WR_RDMA_WRITE, 0, mr->lkey, LENGTH, mine,
					own_mr->rkey), 0);
	EXPECT("has these", is_own(), 1);
	fill(own, LENGTH, 4);
	EXPECT("READ into it", request(IBV_WR_RDMA_READ, 0, mr->lkey, LENGTH, mine,
				       own_mr->rkey), 0);
	EXPECT("has that", is_own(), 1);
	fill(own, LENGTH, 5);
	EXPECT("SEND to it", send_to(0, mr->lkey, mine, own_mr->lkey, LENGTH), 0);
	EXPECT("is received there", is_own(), 1);
	set(6);
	EXPECT("SEND from it", send_to(mine, own_mr->lkey, 0, mr->lkey, LENGTH), 0);
	EXPECT("is received here", is_own(), 1);
}

static uint64_t word(void)
{
	uint64_t value;

	NEED(!ibv_memcpy_from_dm(&value, memory, AT + 8, sizeof(value)));
	return value;
}

static void of_words(uint64_t mine)
{
	uint64_t value = 0;

	NEED(!ibv_memcpy_to_dm(memory, AT + 8, &value, sizeof(value)));
	EXPECT("FETCH AND ADD", request(IBV_WR_ATOMIC_FETCH_AND_ADD, mine, own_mr->lkey, 8, 8,
					mr->rkey), 0);
	EXPECT("finds what was there", *(uint64_t *)own, 0);
	EXPECT("and adds", word(), 5);
	EXPECT("COMPARE AND SWAP", request(IBV_WR_ATOMIC_CMP_AND_SWP, mine, own_mr->lkey, 8, 8,
					   mr->rkey), 0);
	EXPECT("finds that", *(uint64_t *)own, 5);
	EXPECT("and swaps", word(), 6);
}

static void errors(int gid_index, uint64_t mine)
{
	EXPECT("one byte behind it is an error",
	       request(IBV_WR_RDMA_WRITE, mine, own_mr->lkey, 1, LENGTH, mr->rkey),
	       IBV_WC_REM_ACCESS_ERR);
	ready(gid_index);
	EXPECT("an address that wraps is one",
	       request(IBV_WR_RDMA_READ, mine, own_mr->lkey, 8, -4ULL, mr->rkey),
	       IBV_WC_REM_ACCESS_ERR);
	ready(gid_index);
	EXPECT("behind it, of this end, is one",
	       request(IBV_WR_RDMA_WRITE, LENGTH - 4, mr->lkey, 8, mine, own_mr->rkey),
	       IBV_WC_LOC_PROT_ERR);
	ready(gid_index);
	NEED(!ibv_dereg_mr(mr));
	EXPECT("the key of a region that is gone is one",
	       request(IBV_WR_RDMA_WRITE, mine, own_mr->lkey, 4, 0, mr->rkey),
	       IBV_WC_REM_ACCESS_ERR);
}

static void messages_begin(int gid_index)
{
	NEED(memory = alloc(SIZE, 3));
	NEED(mr = ibv_reg_dm_mr(pd, memory, AT, LENGTH, RIGHTS | IBV_ACCESS_ZERO_BASED));
	NEED(own_mr = ibv_reg_mr(pd, own, sizeof(own), RIGHTS));
	ready(gid_index);
}

/* Until the device goes, or this process does. */
static int hold(int gid_index)
{
	messages_begin(gid_index);
	NEED(alloc(most - SIZE, 0));
	puts("ready");
	fflush(stdout);
	while (!request(IBV_WR_RDMA_WRITE, (uintptr_t)own, own_mr->lkey, LENGTH, 0, mr->rkey) &&
	       !request(IBV_WR_RDMA_READ, (uintptr_t)own, own_mr->lkey, LENGTH, 0, mr->rkey))
		;
	/* What is mapped stays memory. */
	return ibv_memcpy_to_dm(memory, 0, before, SIZE);
}

static long charge(const char *path)
{
	FILE *file = fopen(path, "r");
	long number;

	NEED(file && fscanf(file, "%ld", &number) == 1);
	fclose(file);
	return number;
}

static void charged(long least, const char *path)
{
	long start = charge(path);
	struct ibv_dm *dm;

	NEED(dm = alloc(most, 0));
	EXPECT("it is charged to the cgroup", charge(path) - start >= least, 1);
	NEED(!ibv_free_dm(dm));
	EXPECT("and nothing of what is gone", charge(path) - start < least, 1);
}

int main(int argc, char **argv)
{
	int gid_index;
	bool none;

	if (argc < 3)
		return 2;
	page = sysconf(_SC_PAGESIZE);
	none = !strcmp(argv[2], "none");
	gid_index = atoi(argv[2]);
	NEED(ctx = open_named(argv[1]));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(most = announced());
	if (argc == 4)
		return hold(gid_index);
	if (argc == 6) {
		charged(atol(argv[4]), argv[5]);
		return verdict();
	}
	how_much();
	for_whom(argv[1]);
	copies();
	which_regions(none ? RIGHTS & ~IBV_ACCESS_REMOTE_ATOMIC : RIGHTS);
	if (!none) {
		messages_begin(gid_index);
		of_bytes((uintptr_t)own);
		of_words((uintptr_t)own);
		errors(gid_index, (uintptr_t)own);
	}
	/* The rest goes with the program. */
	return verdict();
}
