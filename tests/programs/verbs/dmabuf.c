// SPDX-License-Identifier: GPL-2.0
/*
 * Regions of dma-bufs: which are taken, and that messages and atomics reach their bytes. The
 * exporter is /dev/udmabuf with 'udmabuf', or the test device.
 *
 * usage: dmabuf DEVICE GID-INDEX udmabuf|testdev
 */
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "../../modules/ofed_testdev_abi.h"
#include "two_qps.h"
#include "verdict.h"

#define PAGES	16
#define AT	(3 * 4096 + 256)	/* of the region in the buffer */
#define LENGTH	(8 * 4096 + 100)
#define IOVA	0x7000100ULL	/* no address of this program */

static uint8_t own[LENGTH];
static struct ibv_mr *own_mr;
static long page;

static int by_testdev(size_t size)
{
	struct testdev_dmabuf_create create = { .size = size };
	int fd = open("/dev/ofed_testdev", O_RDWR | O_CLOEXEC);

	NEED(fd >= 0);
	NEED(!ioctl(fd, TESTDEV_DMABUF_CREATE, &create));
	close(fd);
	return create.fd;
}

static int by_udmabuf(size_t size)
{
	int memory = memfd_create("dmabuf", MFD_ALLOW_SEALING), fd, file;
	struct udmabuf_create create = { .memfd = memory, .size = size };

	NEED(memory >= 0 && !ftruncate(memory, size));
	NEED(!fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK));
	NEED((file = open("/dev/udmabuf", O_RDWR)) >= 0);
	NEED((fd = ioctl(file, UDMABUF_CREATE, &create)) >= 0);
	close(file);
	close(memory);
	return fd;
}

/* Return: 0 and it is gone again, or errno. */
static int taken(int fd, uint64_t offset, size_t length, uint64_t iova, int access)
{
	struct ibv_mr *mr = ibv_reg_dmabuf_mr(pd, offset, length, iova, fd, access);

	if (!mr)
		return errno;
	NEED(!ibv_dereg_mr(mr));
	return 0;
}

static void which_are_taken(int fd, size_t size)
{
	int plain = memfd_create("plain", 0);
	struct ibv_mr *mr;

	NEED(plain >= 0 && !ftruncate(plain, size));
	EXPECT("all of it", taken(fd, 0, size, 0, RIGHTS), 0);
	EXPECT("its last byte", taken(fd, size - 1, 1, page - 1, RIGHTS), 0);
	EXPECT("one byte more", taken(fd, size - 1, 2, page - 1, RIGHTS), EINVAL);
	EXPECT("beyond its end", taken(fd, size + page, 1, 0, RIGHTS), EINVAL);
	EXPECT("an offset that wraps", taken(fd, -page, 2 * page, 0, RIGHTS), EINVAL);
	EXPECT("an address that wraps", taken(fd, 0, 2 * page, -page, RIGHTS), EINVAL);
	EXPECT("an address at another byte of its page", taken(fd, 8, 8, 16, RIGHTS), EINVAL);
	EXPECT("no file", taken(-1, 0, page, 0, RIGHTS), EBADF);
	EXPECT("another file", taken(plain, 0, page, 0, RIGHTS), EINVAL);
	EXPECT("on demand", taken(fd, 0, page, 0, RIGHTS | IBV_ACCESS_ON_DEMAND), EINVAL);
	NEED(mr = ibv_reg_dmabuf_mr(pd, 0, page, 0, fd, RIGHTS));
	EXPECT("it is not registered anew",
	       ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, pd, NULL, 0, 0) != 0, 1);
	NEED(!ibv_dereg_mr(mr));
	close(plain);
}

static void fill(uint8_t *to, uint8_t seed)
{
	for (int i = 0; i < LENGTH; i++)
		to[i] = i * 7 + i / 256 + seed;
}

/* The bytes in front of the region and behind it stay as they are. */
static bool all_else_is_zero(const uint8_t *buffer, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (buffer[i] && (i < AT || i >= AT + LENGTH))
			return false;
	return true;
}

static void data_moves(uint8_t *buffer, size_t size, const struct ibv_mr *mr)
{
	struct ibv_sge sge = { IOVA, LENGTH, mr->lkey };
	struct ibv_recv_wr receive = { .sg_list = &sge, .num_sge = 1 }, *bad;
	uint64_t *word = (uint64_t *)(buffer + AT);
	uint64_t mine = (uintptr_t)own;

	fill(own, 1);
	EXPECT("WRITE to it", request(IBV_WR_RDMA_WRITE, mine, own_mr->lkey, LENGTH, IOVA,
				      mr->rkey), 0);
	EXPECT("has its bytes", memcmp(buffer + AT, own, LENGTH), 0);
	fill(buffer + AT, 2);
	EXPECT("READ of it", request(IBV_WR_RDMA_READ, mine, own_mr->lkey, LENGTH, IOVA,
				     mr->rkey), 0);
	EXPECT("has those", memcmp(buffer + AT, own, LENGTH), 0);
	fill(buffer + AT, 3);
	EXPECT("WRITE from it", request(IBV_WR_RDMA_WRITE, IOVA, mr->lkey, LENGTH, mine,
					own_mr->rkey), 0);
	EXPECT("has these", memcmp(buffer + AT, own, LENGTH), 0);
	fill(own, 4);
	NEED(!ibv_post_recv(qp[1], &receive, &bad));
	NEED(!ibv_post_send(qp[0], &(struct ibv_send_wr){
		.opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED, .num_sge = 1,
		.sg_list = &(struct ibv_sge){ mine, LENGTH, own_mr->lkey } },
		&(struct ibv_send_wr *){ NULL }));
	EXPECT("SEND to it", done(2), 0);
	EXPECT("is received there", memcmp(buffer + AT, own, LENGTH), 0);
	*word = 37;
	EXPECT("FETCH AND ADD", request(IBV_WR_ATOMIC_FETCH_AND_ADD, mine, own_mr->lkey, 8, IOVA,
					mr->rkey), 0);
	EXPECT("finds what was there", *(uint64_t *)own, 37);
	EXPECT("and adds", *word, 42);
	EXPECT("nothing else is written", all_else_is_zero(buffer, size), 1);
	EXPECT("one byte behind it is an error",
	       request(IBV_WR_RDMA_WRITE, mine, own_mr->lkey, 1, IOVA + LENGTH, mr->rkey),
	       IBV_WC_REM_ACCESS_ERR);
}

int main(int argc, char **argv)
{
	size_t size;
	uint8_t *buffer;
	struct ibv_mr *mr;
	int fd, gid_index;
	bool udmabuf;

	if (argc != 4)
		return 2;
	page = sysconf(_SC_PAGESIZE);
	size = PAGES * page;
	gid_index = atoi(argv[2]);
	udmabuf = !strcmp(argv[3], "udmabuf");
	NEED(ctx = open_named(argv[1]));
	NEED(pd = ibv_alloc_pd(ctx));
	fd = udmabuf ? by_udmabuf(size) : by_testdev(size);
	which_are_taken(fd, size);
	if (!udmabuf)
		EXPECT("memory of a device", taken(by_testdev(TESTDEV_DMABUF_FOREIGN * page), 0, page, 0, RIGHTS),
		       EOPNOTSUPP);

	buffer = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	NEED(buffer != MAP_FAILED);
	NEED(mr = ibv_reg_dmabuf_mr(pd, AT, LENGTH, IOVA, fd, RIGHTS));
	/* The region keeps it. */
	close(fd);
	ready(gid_index);
	NEED(own_mr = ibv_reg_mr(pd, own, sizeof(own), RIGHTS));
	data_moves(buffer, size, mr);
	/* The region goes with the program. */
	return verdict();
}
