// SPDX-License-Identifier: GPL-2.0
/*
 * Arithmetic on umems: page sizes, blocks and copies, over lists of DMA
 * addresses that are made up here.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <rdma/ib_umem.h>
#include <rdma/iter.h>

#define MAX_SEGS 4
#define MAX_BLOCKS 8

struct seg {
	u64 addr;
	u32 len;
};

/* A list ends with the first segment of length 0. */
static unsigned int fill_list(struct scatterlist *list, const struct seg *segs)
{
	unsigned int n;

	sg_init_table(list, MAX_SEGS);
	for (n = 0; n < MAX_SEGS && segs[n].len; n++) {
		sg_dma_address(&list[n]) = segs[n].addr;
		sg_dma_len(&list[n]) = segs[n].len;
	}
	return n;
}

static void fill_umem(struct ib_umem *umem, struct scatterlist *list,
		      const struct seg *segs, unsigned long address,
		      size_t length)
{
	memset(umem, 0, sizeof(*umem));
	umem->address = address;
	umem->iova = address;
	umem->length = length;
	umem->sgt_append.sgt.sgl = list;
	umem->sgt_append.sgt.nents = fill_list(list, segs);
	umem->sgt_append.sgt.orig_nents = umem->sgt_append.sgt.nents;
}

struct pgsz_case {
	const char *name;
	struct seg segs[MAX_SEGS];
	unsigned long address;
	size_t length;
	u64 virt;
	unsigned long sizes;
	unsigned long best;
};

static const struct pgsz_case pgsz_cases[] = {
	{
		.name = "inside one page: the smallest size",
		.segs = { { 0x40000000, SZ_4K } },
		.address = 0x7000, .length = SZ_4K, .virt = 0x7000,
		.sizes = SZ_4K | SZ_2M | SZ_1G, .best = SZ_4K,
	}, {
		.name = "few bytes, device has smaller pages than the host",
		.segs = { { 0x40000000, SZ_4K } },
		.address = 0x7040, .length = 100, .virt = 0x7040,
		.sizes = SZ_256 | SZ_1K | SZ_4K, .best = SZ_256,
	}, {
		.name = "one aligned huge page",
		.segs = { { 0x40000000, SZ_2M } },
		.address = SZ_2M, .length = SZ_2M, .virt = SZ_2M,
		.sizes = SZ_4K | SZ_2M | SZ_1G, .best = SZ_2M,
	}, {
		.name = "contiguous, but shifted against the device's view",
		.segs = { { 0x40001000, SZ_2M } },
		.address = SZ_2M, .length = SZ_2M, .virt = SZ_2M,
		.sizes = SZ_4K | SZ_2M | SZ_1G, .best = SZ_4K,
	}, {
		.name = "two huge pages far apart",
		.segs = { { 0x40000000, SZ_2M }, { 0x80000000, SZ_2M } },
		.address = SZ_4M, .length = SZ_4M, .virt = SZ_4M,
		.sizes = SZ_4K | SZ_2M | SZ_4M, .best = SZ_2M,
	}, {
		.name = "a segment that ends inside a huge page",
		.segs = { { 0x40000000, SZ_1M }, { 0x80000000, SZ_1M } },
		.address = SZ_2M, .length = SZ_2M, .virt = SZ_2M,
		.sizes = SZ_4K | SZ_64K | SZ_1M | SZ_2M, .best = SZ_1M,
	}, {
		.name = "the last segment may end anywhere",
		.segs = { { 0x40000000, SZ_2M }, { 0x80000000, SZ_4K } },
		.address = SZ_2M, .length = SZ_2M + 100, .virt = SZ_2M,
		.sizes = SZ_4K | SZ_2M, .best = SZ_2M,
	}, {
		.name = "begins in the middle of the first page",
		.segs = { { 0x40000000, SZ_8K } },
		.address = 0x7800, .length = SZ_4K, .virt = 0x7800,
		.sizes = SZ_4K, .best = SZ_4K,
	}, {
		.name = "zero based, offsets agree",
		.segs = { { 0x40000000, SZ_2M } },
		.address = 0x7f0000000000, .length = SZ_2M, .virt = 0,
		.sizes = SZ_4K | SZ_2M, .best = SZ_2M,
	}, {
		.name = "zero based, offsets differ",
		.segs = { { 0x40000000, SZ_8K } },
		.address = 0x7800, .length = SZ_4K, .virt = 0,
		.sizes = SZ_4K | SZ_2M, .best = 0,
	}, {
		.name = "no size is small enough",
		.segs = { { 0x40000000, SZ_4K }, { 0x50001000, SZ_4K } },
		.address = 0x8000, .length = SZ_8K, .virt = 0x8000,
		.sizes = SZ_2M | SZ_1G, .best = 0,
	}, {
		.name = "a small region across a huge boundary",
		.segs = { { 0x403ff000, SZ_8K } },
		.address = 0x3ff000, .length = SZ_8K, .virt = 0x3ff000,
		.sizes = SZ_4K | SZ_2M, .best = SZ_2M,
	}, {
		.name = "the highest address bit changes",
		.segs = { { 0x7ffffffffffff000, SZ_8K } },
		.address = 0x1000, .length = SZ_8K,
		.virt = 0x7ffffffffffff000,
		.sizes = SZ_4K, .best = SZ_4K,
	}, {
		.name = "ends at the top of the address space",
		.segs = { { 0xfffffffffffff000, SZ_4K } },
		.address = 0x1000, .length = SZ_4K,
		.virt = 0xfffffffffffff000,
		.sizes = SZ_4K | SZ_2M, .best = SZ_4K,
	}, {
		.name = "no bytes at all",
		.segs = { { 0x40000000, SZ_4K } },
		.address = 0x7040, .length = 0, .virt = 0x7040,
		.sizes = SZ_4K | SZ_2M, .best = SZ_4K,
	}, {
		.name = "a device without page sizes",
		.segs = { { 0x40000000, SZ_4K } },
		.address = 0x7000, .length = SZ_4K, .virt = 0x7000,
		.sizes = 0, .best = 0,
	},
};

static void umem_best_pgsz(struct kunit *test)
{
	struct scatterlist list[MAX_SEGS];
	const struct pgsz_case *c;
	struct ib_umem umem;
	int i;

	for (i = 0; i < ARRAY_SIZE(pgsz_cases); i++) {
		c = &pgsz_cases[i];
		fill_umem(&umem, list, c->segs, c->address, c->length);
		KUNIT_EXPECT_EQ_MSG(test, c->best,
				    ib_umem_find_best_pgsz(&umem, c->sizes,
							   c->virt),
				    "%s", c->name);
		KUNIT_EXPECT_EQ_MSG(test, c->virt, umem.iova, "%s", c->name);
	}
}

struct block_case {
	const char *name;
	struct seg segs[MAX_SEGS];
	unsigned long pgsz;
	unsigned int count;
	u64 blocks[MAX_BLOCKS];
};

static const struct block_case block_cases[] = {
	{
		.name = "empty list",
		.pgsz = SZ_4K, .count = 0,
	}, {
		.name = "pages",
		.segs = { { 0x10000, SZ_4K }, { 0x30000, SZ_8K } },
		.pgsz = SZ_4K, .count = 3,
		.blocks = { 0x10000, 0x30000, 0x31000 },
	}, {
		.name = "starts and ends inside a block",
		.segs = { { 0x10800, SZ_4K } },
		.pgsz = SZ_4K, .count = 2,
		.blocks = { 0x10000, 0x11000 },
	}, {
		.name = "ends at the end of a block",
		.segs = { { 0x10800, 0x800 }, { 0x20000, 1 } },
		.pgsz = SZ_4K, .count = 2,
		.blocks = { 0x10000, 0x20000 },
	}, {
		.name = "one block in three adjacent segments",
		.segs = { { 0x200000, SZ_1M }, { 0x300000, SZ_512K },
			  { 0x380000, SZ_512K }, { 0x800000, SZ_2M } },
		.pgsz = SZ_2M, .count = 2,
		.blocks = { 0x200000, 0x800000 },
	}, {
		.name = "a short segment, the next one elsewhere",
		.segs = { { 0x10000, 512 }, { 0x30000, 512 } },
		.pgsz = SZ_4K, .count = 2,
		.blocks = { 0x10000, 0x30000 },
	}, {
		.name = "adjacent segments, the block ends in the second",
		.segs = { { 0x10000, 0x800 }, { 0x10800, 0x1000 } },
		.pgsz = SZ_4K, .count = 2,
		.blocks = { 0x10000, 0x11000 },
	}, {
		.name = "blocks smaller than a page",
		.segs = { { 0x10000, SZ_4K } },
		.pgsz = SZ_1K, .count = 4,
		.blocks = { 0x10000, 0x10400, 0x10800, 0x10c00 },
	}, {
		.name = "up to the last address there is",
		.segs = { { 0xffffffffffffe000, SZ_8K } },
		.pgsz = SZ_4K, .count = 2,
		.blocks = { 0xffffffffffffe000, 0xfffffffffffff000 },
	},
};

static void umem_block_iter(struct kunit *test)
{
	struct scatterlist list[MAX_SEGS];
	const struct block_case *c;
	struct ib_block_iter iter;
	unsigned int nents, n;
	int i;

	for (i = 0; i < ARRAY_SIZE(block_cases); i++) {
		c = &block_cases[i];
		nents = fill_list(list, c->segs);
		n = 0;
		rdma_for_each_block(list, &iter, nents, c->pgsz) {
			KUNIT_ASSERT_LT_MSG(test, n, c->count, "%s", c->name);
			KUNIT_EXPECT_EQ_MSG(test, c->blocks[n],
					    rdma_block_iter_dma_address(&iter),
					    "%s, block %u", c->name, n);
			n++;
		}
		KUNIT_EXPECT_EQ_MSG(test, c->count, n, "%s", c->name);
	}
}

static void umem_num_blocks(struct kunit *test)
{
	struct ib_umem umem = {};

	umem.iova = 0x1000;
	umem.length = SZ_4K;
	KUNIT_EXPECT_EQ(test, (size_t)1, ib_umem_num_dma_blocks(&umem, SZ_4K));
	KUNIT_EXPECT_EQ(test, (size_t)1, ib_umem_num_dma_blocks(&umem, SZ_2M));
	KUNIT_EXPECT_EQ(test, (size_t)4, ib_umem_num_dma_blocks(&umem, SZ_1K));

	umem.iova = 0x1fff;
	umem.length = 2;
	KUNIT_EXPECT_EQ(test, (size_t)2, ib_umem_num_dma_blocks(&umem, SZ_4K));
	KUNIT_EXPECT_EQ(test, (size_t)2, ib_umem_num_dma_blocks(&umem, SZ_8K));
	KUNIT_EXPECT_EQ(test, (size_t)1, ib_umem_num_dma_blocks(&umem, SZ_16K));

	umem.length = 0;
	umem.iova = 0x2000;
	KUNIT_EXPECT_EQ(test, (size_t)0, ib_umem_num_dma_blocks(&umem, SZ_4K));
}

/* The walk over a umem gives exactly as many blocks as the header promises. */
static void umem_block_count(struct kunit *test)
{
	static const unsigned long sizes[] = { SZ_1K, SZ_4K, SZ_64K, SZ_2M };
	static const struct seg segs[MAX_SEGS] = { { SZ_2M, SZ_4M } };
	static const struct {
		unsigned long address;
		size_t length;
	} ranges[] = {
		{ 0x200000, SZ_4M }, { 0x200000, 1 }, { 0x200c00, 0x1000 },
		{ 0x200fff, 2 }, { 0x200400, SZ_2M }, { 0x200800, 0x3ff800 },
	};
	struct scatterlist list[MAX_SEGS];
	struct ib_block_iter iter;
	struct ib_umem umem;
	size_t n;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		for (j = 0; j < ARRAY_SIZE(sizes); j++) {
			fill_umem(&umem, list, segs, ranges[i].address,
				  ranges[i].length);
			n = 0;
			rdma_umem_for_each_dma_block(&umem, &iter, sizes[j]) {
				u64 first = ALIGN_DOWN(ranges[i].address,
						       sizes[j]);

				KUNIT_EXPECT_EQ(test, first + n * sizes[j],
						rdma_block_iter_dma_address(&iter));
				n++;
			}
			KUNIT_EXPECT_EQ(test, n,
					ib_umem_num_dma_blocks(&umem,
							       sizes[j]));
		}
	}
}

/* Two pages that do not follow each other, bytes numbered modulo 251. */
#define COPY_OFFSET 100
#define COPY_LENGTH (2 * PAGE_SIZE - 300)

static u8 byte_at(size_t pos)
{
	return (COPY_OFFSET + pos) % 251;
}

static void umem_copy_from(struct kunit *test)
{
	struct scatterlist list[2];
	struct ib_umem umem = {};
	u8 *out, *mem;
	size_t i;

	mem = kunit_kmalloc(test, 4 * PAGE_SIZE, GFP_KERNEL);
	out = kunit_kzalloc(test, 2 * PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mem);
	KUNIT_ASSERT_NOT_NULL(test, out);
	mem = PTR_ALIGN(mem, PAGE_SIZE);
	for (i = 0; i < PAGE_SIZE; i++) {
		mem[i] = i % 251;
		mem[2 * PAGE_SIZE + i] = (PAGE_SIZE + i) % 251;
	}
	sg_init_table(list, 2);
	sg_set_buf(&list[0], mem, PAGE_SIZE);
	sg_set_buf(&list[1], mem + 2 * PAGE_SIZE, PAGE_SIZE);
	umem.address = 0x7f0000000000 + COPY_OFFSET;
	umem.length = COPY_LENGTH;
	umem.sgt_append.sgt.sgl = list;
	umem.sgt_append.sgt.orig_nents = 2;

	KUNIT_EXPECT_EQ(test, 0, ib_umem_copy_from(out, &umem, 0, COPY_LENGTH));
	for (i = 0; i < COPY_LENGTH; i++)
		KUNIT_ASSERT_EQ(test, byte_at(i), out[i]);

	/* Across the pages, and the very last byte. */
	KUNIT_EXPECT_EQ(test, 0,
			ib_umem_copy_from(out, &umem, PAGE_SIZE - 150, 100));
	KUNIT_EXPECT_EQ(test, byte_at(PAGE_SIZE - 150), out[0]);
	KUNIT_EXPECT_EQ(test, byte_at(PAGE_SIZE - 51), out[99]);
	KUNIT_EXPECT_EQ(test, 0,
			ib_umem_copy_from(out, &umem, COPY_LENGTH - 1, 1));
	KUNIT_EXPECT_EQ(test, byte_at(COPY_LENGTH - 1), out[0]);
	KUNIT_EXPECT_EQ(test, 0, ib_umem_copy_from(out, &umem, COPY_LENGTH, 0));

	/* Outside, and where offset plus length wraps. */
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ib_umem_copy_from(out, &umem, COPY_LENGTH, 1));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ib_umem_copy_from(out, &umem, COPY_LENGTH + 1, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ib_umem_copy_from(out, &umem, 1, COPY_LENGTH));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ib_umem_copy_from(out, &umem, 1, SIZE_MAX));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ib_umem_copy_from(out, &umem, SIZE_MAX, 1));

	/* The pages of a dma-buf are not for the CPU. */
	umem.is_dmabuf = 1;
	KUNIT_EXPECT_EQ(test, -EINVAL, ib_umem_copy_from(out, &umem, 0, 1));
}

static struct kunit_case umem_cases[] = {
	KUNIT_CASE(umem_best_pgsz),
	KUNIT_CASE(umem_block_iter),
	KUNIT_CASE(umem_num_blocks),
	KUNIT_CASE(umem_block_count),
	KUNIT_CASE(umem_copy_from),
	{}
};

static struct kunit_suite umem_suite = {
	.name = "ofed_umem",
	.test_cases = umem_cases,
};
kunit_test_suite(umem_suite);

MODULE_DESCRIPTION("KUnit tests of umem arithmetic");
MODULE_LICENSE("GPL");
