// SPDX-License-Identifier: GPL-2.0
/*
 * How fast this kernel can do what no software device does without: the checksum
 * of each packet, at both ends, and the copy to where it belongs. Measured as the
 * file debugfs/ofed_ceiling is read, one line for each kind and size:
 *
 *   <what> <driver> <bytes> <MB/s>
 *
 * for the benchmark, which prints it beside the figures that it limits.
 */
#include <crypto/hash.h>
#include <linux/crc32.h>
#include <linux/debugfs.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>

#define CEILING_TIME	(20 * NSEC_PER_MSEC)	/* of one measurement */
#define CEILING_TIMES	5	/* the best of them counts */
#define CEILING_AT_ONCE	SZ_64K		/* bytes between two looks at the clock */
#define CEILING_SLICE	32U		/* bytes of a packet, then as many of the next */

static const u32 ceiling_sizes[] = { 64, 1024, 4096, SZ_64K, SZ_1M, SZ_4M };

/* One is read, the other written. */
struct ceiling {
	u8 *from, *to;
	struct crypto_shash *hash;
	u32 sum;	/* keeps the compiler from leaving out what is never looked at */
	u32 sums[4];
};

/* One by one: the next needs the result of the one before. */
static void ceiling_crc32_le(struct ceiling *c, u32 size)
{
	c->sum = crc32_le(c->sum, c->from, size);
}

/* Of four packets in turns: they do not wait for each other. */
static void ceiling_slices(struct ceiling *c, u32 size)
{
	u32 part = size / ARRAY_SIZE(c->sums);
	u32 done, i, bytes;

	for (done = 0; done < part; done += bytes) {
		bytes = min(part - done, CEILING_SLICE);
		for (i = 0; i < ARRAY_SIZE(c->sums); i++)
			c->sums[i] = crc32_le(c->sums[i], c->from + i * part + done, bytes);
	}
}

static void ceiling_crc32c_le(struct ceiling *c, u32 size)
{
	c->sum = compat_crc32c(c->sum, c->from, size);
}

static void ceiling_shash(struct ceiling *c, u32 size)
{
	SHASH_DESC_ON_STACK(desc, c->hash);

	desc->tfm = c->hash;
	crypto_shash_digest(desc, c->from, size, (u8 *)&c->sum);
}

static void ceiling_memcpy(struct ceiling *c, u32 size)
{
	memcpy(c->to, c->from, size);
	barrier_data(c->to);
}

/* Return: megabytes (of 10^6 bytes) in a second. */
static u64 ceiling_once(struct ceiling *c, u32 size,
			void (*run)(struct ceiling *c, u32 size))
{
	u32 i, times = max_t(u32, CEILING_AT_ONCE / size, 1);
	u64 spent, bytes = 0, start;

	run(c, size);
	start = ktime_get_ns();
	do {
		for (i = 0; i < times; i++)
			run(c, size);
		bytes += (u64)times * size;
		cond_resched();
		spent = ktime_get_ns() - start;
	} while (spent < CEILING_TIME);
	return div64_u64(bytes * 1000, spent);
}

static u64 ceiling_rate(struct ceiling *c, u32 size,
			void (*run)(struct ceiling *c, u32 size))
{
	u64 best = 0;
	u32 i;

	for (i = 0; i < CEILING_TIMES; i++)
		best = max(best, ceiling_once(c, size, run));
	return best;
}

static void ceiling_print(struct seq_file *file, struct ceiling *c,
			  const char *what, const char *driver,
			  void (*run)(struct ceiling *c, u32 size))
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ceiling_sizes); i++)
		seq_printf(file, "%s %s %u %llu\n", what, driver,
			   ceiling_sizes[i],
			   ceiling_rate(c, ceiling_sizes[i], run));
}

/* The fastest that is loaded, if any is: @name as the crypto API has it. */
static void ceiling_hash(struct seq_file *file, struct ceiling *c,
			 const char *name, const char *what)
{
	c->hash = crypto_alloc_shash(name, 0, 0);
	if (IS_ERR(c->hash))
		return;
	ceiling_print(file, c, what,
		      crypto_tfm_alg_driver_name(crypto_shash_tfm(c->hash)),
		      ceiling_shash);
	crypto_free_shash(c->hash);
}

static int ceiling_show(struct seq_file *file, void *unused)
{
	struct ceiling c = { };
	int ret = -ENOMEM;

	c.from = vzalloc(SZ_4M);
	c.to = vzalloc(SZ_4M);
	if (!c.from || !c.to)
		goto err_free;
	ceiling_print(file, &c, "crc32_le", "crc32_le", ceiling_crc32_le);
	ceiling_print(file, &c, "slices", "crc32_le", ceiling_slices);
	ceiling_print(file, &c, "crc32c_le", "crc32c_le", ceiling_crc32c_le);
	ceiling_print(file, &c, "memcpy", "memcpy", ceiling_memcpy);
	ret = 0;
	ceiling_hash(file, &c, "crc32", "shash");
	ceiling_hash(file, &c, "crc32c", "crc32c");
err_free:
	vfree(c.to);
	vfree(c.from);
	return ret;
}
DEFINE_SHOW_ATTRIBUTE(ceiling);

static struct dentry *ceiling_file;

static int __init ceiling_init(void)
{
	ceiling_file = debugfs_create_file("ofed_ceiling", 0400, NULL, NULL,
					   &ceiling_fops);
	return PTR_ERR_OR_ZERO(ceiling_file);
}

static void __exit ceiling_exit(void)
{
	debugfs_remove(ceiling_file);
}

module_init(ceiling_init);
module_exit(ceiling_exit);
MODULE_DESCRIPTION("What limits a software RDMA device, measured");
MODULE_LICENSE("GPL");
