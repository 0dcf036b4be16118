// SPDX-License-Identifier: GPL-2.0
/*
 * A kernel consumer with both ends of an iWARP connection: what programs can not
 * ask for, since their ABI has no word for it. A read of
 * /sys/kernel/debug/ofed_iwtest gets a line for each case.
 *
 *   address   of a device of this host; the connection goes from it to itself
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/inet.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include "../kunit/lib/consumer.h"

#define PORT	7300
#define BYTES	(4 * PAGE_SIZE)
#define PIECES	16
#define WORDS	100
#define PATIENCE (10 * HZ)
#define RIGHTS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ | \
		 IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)

static char *address = "10.0.0.1";
module_param(address, charp, 0444);

/**
 * struct end - one end of the connection
 * @id: its id, with its queue pair
 * @told: an event has come
 * @event: that event
 * @pd: protection domain
 * @cq: for both directions
 * @shared: it receives by @srq
 * @srq: shared receive queue
 * @mr: over all of @bytes
 * @bytes: memory
 */
struct end {
	struct rdma_cm_id *id;
	struct completion told;
	enum rdma_cm_event_type event;
	struct ib_pd *pd;
	struct ib_cq *cq;
	bool shared;
	struct ib_srq *srq;
	struct ib_mr *mr;
	u8 *bytes;
};

struct pair {
	struct rdma_cm_id *listener;
	struct end ask, hear;
	struct seq_file *out;
};

/* ---- connection -------------------------------------------------------------------- */

static int on_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct pair *pair = id->context;
	struct end *end = id == pair->ask.id ? &pair->ask : &pair->hear;

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		pair->hear.id = id;
	end->event = event->event;
	complete(&end->told);
	return 0;
}

static int wait_for_event(struct end *end, enum rdma_cm_event_type want)
{
	if (!wait_for_completion_timeout(&end->told, PATIENCE))
		return -ETIMEDOUT;
	return end->event == want ? 0 : -EPROTO;
}

static int make_srq(struct end *end)
{
	struct ib_srq_init_attr init = {
		.srq_type = IB_SRQT_BASIC, .attr = { .max_wr = 16, .max_sge = 1 },
	};

	if (end->shared)
		end->srq = ib_create_srq(end->pd, &init);
	return PTR_ERR_OR_ZERO(end->srq);
}

static int make_end(struct end *end)
{
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.cap = {
			.max_send_wr = 64, .max_recv_wr = 16,
			.max_send_sge = PIECES, .max_recv_sge = PIECES,
		},
	};
	struct ib_device *dev = end->id->device;
	int ret;

	end->bytes = kzalloc(BYTES, GFP_KERNEL);
	if (!end->bytes)
		return -ENOMEM;
	end->pd = ib_alloc_pd(dev, 0);
	if (IS_ERR(end->pd))
		return PTR_ERR(end->pd);
	end->cq = ib_alloc_cq(dev, NULL, 128, 0, IB_POLL_DIRECT);
	if (IS_ERR(end->cq))
		return PTR_ERR(end->cq);
	end->mr = ib_alloc_mr(end->pd, IB_MR_TYPE_MEM_REG, 2 * BYTES / PAGE_SIZE);
	if (IS_ERR(end->mr))
		return PTR_ERR(end->mr);
	init.send_cq = end->cq;
	init.recv_cq = end->cq;
	ret = make_srq(end);
	init.srq = end->srq;
	return ret ?: rdma_create_qp(end->id, end->pd, &init);
}

static void free_end(struct end *end)
{
	if (!end->id)
		return;
	if (end->id->qp) {
		rdma_disconnect(end->id);
		rdma_destroy_qp(end->id);
	}
	if (!IS_ERR_OR_NULL(end->srq))
		ib_destroy_srq(end->srq);
	if (!IS_ERR_OR_NULL(end->mr))
		ib_dereg_mr(end->mr);
	if (!IS_ERR_OR_NULL(end->cq))
		ib_free_cq(end->cq);
	if (!IS_ERR_OR_NULL(end->pd))
		ib_dealloc_pd(end->pd);
	kfree(end->bytes);
	rdma_destroy_id(end->id);
}

static int listen(struct pair *pair, struct sockaddr_in *at)
{
	int ret;

	pair->listener = rdma_create_id(&init_net, on_event, pair, RDMA_PS_TCP,
					IB_QPT_RC);
	if (IS_ERR(pair->listener))
		return PTR_ERR(pair->listener);
	ret = rdma_bind_addr(pair->listener, (struct sockaddr *)at);
	return ret ?: rdma_listen(pair->listener, 4);
}

static int resolve(struct pair *pair, struct sockaddr_in *at)
{
	struct end *ask = &pair->ask;
	int ret;

	ask->id = rdma_create_id(&init_net, on_event, pair, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(ask->id)) {
		ret = PTR_ERR(ask->id);
		ask->id = NULL;
		return ret;
	}
	ret = rdma_resolve_addr(ask->id, NULL, (struct sockaddr *)at, 5000) ?:
		wait_for_event(ask, RDMA_CM_EVENT_ADDR_RESOLVED);
	return ret ?: rdma_resolve_route(ask->id, 5000) ?:
		wait_for_event(ask, RDMA_CM_EVENT_ROUTE_RESOLVED);
}

/* rdma_cm gives a peer the rights to READ and WRITE, and no other. */
static int allow(struct end *end, int access)
{
	struct ib_qp_attr attr = { .qp_access_flags = access };

	return ib_modify_qp(end->id->qp, &attr, IB_QP_ACCESS_FLAGS);
}

/* rdma_cm wants this outside of its own calls, too. */
static int accept(struct end *end, struct rdma_conn_param *param)
{
	int ret;

	rdma_lock_handler(end->id);
	ret = rdma_accept(end->id, param);
	rdma_unlock_handler(end->id);
	return ret;
}

static int connect(struct pair *pair)
{
	struct rdma_conn_param param = {
		.responder_resources = 4, .initiator_depth = 4,
	};
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int ret;

	init_completion(&pair->ask.told);
	init_completion(&pair->hear.told);
	at.sin_addr.s_addr = in_aton(address);
	ret = listen(pair, &at) ?: resolve(pair, &at);
	ret = ret ?: make_end(&pair->ask) ?: rdma_connect(pair->ask.id, &param);
	ret = ret ?: wait_for_event(&pair->hear, RDMA_CM_EVENT_CONNECT_REQUEST);
	ret = ret ?: make_end(&pair->hear) ?: accept(&pair->hear, &param);
	ret = ret ?: wait_for_event(&pair->hear, RDMA_CM_EVENT_ESTABLISHED);
	ret = ret ?: wait_for_event(&pair->ask, RDMA_CM_EVENT_ESTABLISHED);
	return ret ?: allow(&pair->hear, RIGHTS);
}

static void disconnect(struct pair *pair)
{
	free_end(&pair->ask);
	free_end(&pair->hear);
	if (!IS_ERR_OR_NULL(pair->listener))
		rdma_destroy_id(pair->listener);
}

/* ---- requests ----------------------------------------------------------------------- */

static void row(struct pair *pair, bool good, const char *name, u64 have, u64 want)
{
	seq_printf(pair->out, "%s %s", good ? "ok  " : "FAIL", name);
	if (!good)
		seq_printf(pair->out, " (%#llx, %#llx expected)", have, want);
	seq_putc(pair->out, '\n');
}

static void same(struct pair *pair, u64 have, u64 want, const char *name)
{
	row(pair, have == want, name, have, want);
}

/* The next completion, within some time; -1: none. */
static int next_wc(struct end *end, struct ib_wc *wc)
{
	unsigned long until = jiffies + PATIENCE;

	while (time_before(jiffies, until)) {
		if (ib_poll_cq(end->cq, 1, wc) == 1)
			return wc->status;
		usleep_range(100, 200);
	}
	return -1;
}

static int done(struct end *end, const struct ib_send_wr *wr)
{
	const struct ib_send_wr *bad;
	struct ib_wc wc;
	int ret;

	ret = ib_post_send(end->id->qp, wr, &bad);
	return ret ?: next_wc(end, &wc);
}

static int post_recv(struct end *end)
{
	const struct ib_recv_wr *bad;
	struct ib_recv_wr wr = {};

	return ib_post_recv(end->id->qp, &wr, &bad);
}

static u64 at(struct end *end, u32 offset)
{
	/* The device copies by the CPU: its addresses are the kernel's. */
	return (uintptr_t)end->bytes + offset;
}

/* With a new key each time. */
static int reg_mr(struct end *end, int access)
{
	struct ib_reg_wr wr = { .wr.opcode = IB_WR_REG_MR, .mr = end->mr, .access = access };
	struct scatterlist sg;
	int n;

	sg_init_one(&sg, end->bytes, BYTES);
	if (ib_dma_map_sg(end->id->device, &sg, 1, DMA_BIDIRECTIONAL) != 1)
		return -EIO;
	n = ib_map_mr_sg(end->mr, &sg, 1, NULL, PAGE_SIZE);
	ib_dma_unmap_sg(end->id->device, &sg, 1, DMA_BIDIRECTIONAL);
	if (n != 1)
		return -EINVAL;
	ib_update_fast_reg_key(end->mr, (end->mr->rkey + 1) & 0xff);
	wr.key = end->mr->rkey;
	return done(end, &wr.wr);
}

/* Of PIECES pieces, which lie in the memory the other way round. */
static int rdma(struct pair *pair, enum ib_wr_opcode opcode, u32 there)
{
	u32 each = PAGE_SIZE / PIECES, i;
	struct ib_sge sge[PIECES];
	struct ib_rdma_wr wr = {
		.wr = { .opcode = opcode, .sg_list = sge, .num_sge = PIECES },
		.remote_addr = at(&pair->hear, there),
		.rkey = pair->hear.mr->rkey,
	};

	for (i = 0; i < PIECES; i++)
		sge[i] = (struct ib_sge){
			.addr = at(&pair->ask, (PIECES - 1 - i) * each),
			.length = each,
			.lkey = pair->ask.pd->local_dma_lkey,
		};
	return done(&pair->ask, &wr.wr);
}

static int atomic(struct pair *pair, enum ib_wr_opcode opcode, u64 operand, u64 swap,
		  u32 there)
{
	struct ib_sge sge = {
		.addr = at(&pair->ask, PAGE_SIZE), .length = sizeof(u64),
		.lkey = pair->ask.pd->local_dma_lkey,
	};
	struct ib_atomic_wr wr = {
		.wr = { .opcode = opcode, .sg_list = &sge, .num_sge = 1 },
		.remote_addr = at(&pair->hear, there), .rkey = pair->hear.mr->rkey,
		.compare_add = operand, .swap = swap,
	};

	return done(&pair->ask, &wr.wr);
}

/* ---- cases -------------------------------------------------------------------------- */

static void registration(struct pair *pair)
{
	same(pair, reg_mr(&pair->hear, RIGHTS), IB_WC_SUCCESS, "REG_MR");
}

static void sixteen_pieces(struct pair *pair)
{
	u32 i, wrong = 0;

	for (i = 0; i < PAGE_SIZE; i++)
		pair->ask.bytes[i] = i * 7 + (i >> 8);
	same(pair, rdma(pair, IB_WR_RDMA_WRITE, 0), IB_WC_SUCCESS, "WRITE of 16 pieces");
	memset(pair->ask.bytes, 0, PAGE_SIZE);
	same(pair, rdma(pair, IB_WR_RDMA_READ, 0), IB_WC_SUCCESS, "READ to 16 pieces");
	for (i = 0; i < PAGE_SIZE; i++)
		wrong += pair->ask.bytes[i] != (u8)(i * 7 + (i >> 8));
	same(pair, wrong, 0, "READ brings what was written");
	i = PAGE_SIZE - PAGE_SIZE / PIECES;
	same(pair, pair->hear.bytes[0], (i * 7 + (i >> 8)) & 0xff,
	     "and the pieces had their order");
}

static void atomics(struct pair *pair)
{
	u64 *word = (u64 *)(pair->hear.bytes + PAGE_SIZE);
	u64 *old = (u64 *)(pair->ask.bytes + PAGE_SIZE);
	u32 i;

	*word = 0x1122334455667788;
	same(pair, atomic(pair, IB_WR_ATOMIC_FETCH_AND_ADD, 0x100, 0, PAGE_SIZE),
	     IB_WC_SUCCESS, "FETCH_AND_ADD");
	same(pair, *old, 0x1122334455667788, "FETCH_AND_ADD brings what was there");
	same(pair, *word, 0x1122334455667888, "FETCH_AND_ADD adds");
	same(pair, atomic(pair, IB_WR_ATOMIC_CMP_AND_SWP, *word, 42, PAGE_SIZE),
	     IB_WC_SUCCESS, "CMP_AND_SWP");
	same(pair, *old, 0x1122334455667888, "CMP_AND_SWP brings what was there");
	same(pair, *word, 42, "CMP_AND_SWP swaps what is equal");
	same(pair, atomic(pair, IB_WR_ATOMIC_CMP_AND_SWP, 43, 1, PAGE_SIZE),
	     IB_WC_SUCCESS, "CMP_AND_SWP of something else");
	same(pair, *word, 42, "CMP_AND_SWP swaps nothing else");
	for (i = 0; i < 100; i++)
		if (atomic(pair, IB_WR_ATOMIC_FETCH_AND_ADD, 1, 0, PAGE_SIZE))
			break;
	same(pair, *word, 142, "100 of them are carried out once each");
	same(pair, atomic(pair, IB_WR_ATOMIC_FETCH_AND_ADD, 1, 0, PAGE_SIZE + 4), -EINVAL,
	     "FETCH_AND_ADD at no multiple of 8 is not taken");
}

/* More than the peer answers at a time, and READs between them. */
static void many_asks(struct pair *pair)
{
	struct ib_sge sge = {
		.addr = at(&pair->ask, PAGE_SIZE), .length = sizeof(u64),
		.lkey = pair->ask.pd->local_dma_lkey,
	};
	struct ib_atomic_wr add = {
		.wr = { .opcode = IB_WR_ATOMIC_FETCH_AND_ADD, .sg_list = &sge, .num_sge = 1 },
		.remote_addr = at(&pair->hear, PAGE_SIZE), .rkey = pair->hear.mr->rkey,
		.compare_add = 1,
	};
	struct ib_rdma_wr read = {
		.wr = { .opcode = IB_WR_RDMA_READ, .sg_list = &sge, .num_sge = 1 },
		.remote_addr = at(&pair->hear, PAGE_SIZE), .rkey = pair->hear.mr->rkey,
	};
	u64 *word = (u64 *)(pair->hear.bytes + PAGE_SIZE);
	const struct ib_send_wr *bad;
	struct ib_wc wc;
	u32 i, good = 0;

	*word = 0;
	for (i = 0; i < 32; i++)
		if (ib_post_send(pair->ask.id->qp, i % 2 ? &read.wr : &add.wr, &bad))
			break;
	for (i = 0; i < 32 && next_wc(&pair->ask, &wc) == IB_WC_SUCCESS; i++)
		good += wc.opcode == (i % 2 ? IB_WC_RDMA_READ : IB_WC_FETCH_ADD);
	same(pair, good, 32, "atomics and READs by turns, beyond the ORD");
	same(pair, *word, 16, "each atomic of them once");
	same(pair, *(u64 *)(pair->ask.bytes + PAGE_SIZE), 16, "the last READ saw all of them");
}

static void immediate_data(struct pair *pair)
{
	struct ib_wc wc = {};
	struct ib_sge sge = {
		.addr = at(&pair->ask, 0), .length = 2 * PAGE_SIZE + 5,
		.lkey = pair->ask.pd->local_dma_lkey,
	};
	struct ib_rdma_wr wr = {
		.wr = { .opcode = IB_WR_RDMA_WRITE_WITH_IMM, .sg_list = &sge, .num_sge = 1,
			.ex.imm_data = cpu_to_be32(0xcafe0001) },
		.remote_addr = at(&pair->hear, PAGE_SIZE), .rkey = pair->hear.mr->rkey,
	};

	memset(pair->ask.bytes, 'i', 2 * PAGE_SIZE + 5);
	same(pair, post_recv(&pair->hear), 0, "a receive request");
	same(pair, done(&pair->ask, &wr.wr), IB_WC_SUCCESS, "WRITE_WITH_IMM");
	same(pair, next_wc(&pair->hear, &wc), IB_WC_SUCCESS, "WRITE_WITH_IMM is heard of");
	same(pair, wc.opcode, IB_WC_RECV_RDMA_WITH_IMM, "as what it is");
	same(pair, wc.wc_flags & IB_WC_WITH_IMM ? be32_to_cpu(wc.ex.imm_data) : 0,
	     0xcafe0001, "with its four bytes");
	same(pair, wc.byte_len, 2 * PAGE_SIZE + 5, "and its length");
	row(pair, !memcmp(pair->hear.bytes + PAGE_SIZE, pair->ask.bytes, 2 * PAGE_SIZE + 5),
	    "and all of it is there", 0, 0);
}

static void invalidation(struct pair *pair)
{
	struct ib_send_wr send = {
		.opcode = IB_WR_SEND_WITH_INV,
		.ex.invalidate_rkey = pair->hear.mr->rkey,
	};
	struct ib_wc wc = {};
	struct ib_sge sge;
	struct ib_rdma_wr read = {
		.wr = { .opcode = IB_WR_RDMA_READ_WITH_INV, .sg_list = &sge, .num_sge = 1 },
		.remote_addr = at(&pair->hear, PAGE_SIZE),
	};

	same(pair, post_recv(&pair->hear), 0, "a receive request");
	same(pair, done(&pair->ask, &send), IB_WC_SUCCESS, "SEND_WITH_INV");
	same(pair, next_wc(&pair->hear, &wc), IB_WC_SUCCESS, "SEND_WITH_INV is received");
	same(pair, wc.wc_flags & IB_WC_WITH_INVALIDATE ? wc.ex.invalidate_rkey : 0,
	     send.ex.invalidate_rkey, "and says which key it took");
	same(pair, reg_mr(&pair->hear, RIGHTS), IB_WC_SUCCESS, "REG_MR once more");

	same(pair, reg_mr(&pair->ask, RIGHTS), IB_WC_SUCCESS, "REG_MR of a sink");
	sge = (struct ib_sge){ at(&pair->ask, 0), 64, pair->ask.mr->lkey };
	read.rkey = pair->hear.mr->rkey;
	memset(pair->ask.bytes, 0, 64);
	same(pair, done(&pair->ask, &read.wr), IB_WC_SUCCESS, "READ_WITH_INV");
	same(pair, pair->ask.bytes[63], 'i', "brings its bytes");
	same(pair, reg_mr(&pair->ask, RIGHTS), IB_WC_SUCCESS, "and its sink can be registered");
}

/* The last one: the connection ends with it. */
static void no_right(struct pair *pair)
{
	same(pair, allow(&pair->hear, IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE), 0,
	     "a queue pair without atomics");
	same(pair, atomic(pair, IB_WR_ATOMIC_FETCH_AND_ADD, 1, 0, PAGE_SIZE),
	     IB_WC_REM_ACCESS_ERR, "FETCH_AND_ADD that is not allowed");
}

static void requests(struct pair *pair)
{
	registration(pair);
	sixteen_pieces(pair);
	atomics(pair);
	many_asks(pair);
	immediate_data(pair);
	invalidation(pair);
	no_right(pair);
}

/* ---- the end ------------------------------------------------------------------------ */

/*
 * A target that refuses a login says so, disconnects, and drains its queue pair at once, which
 * ib_drain_qp() does by this.
 */
static int last_word(struct pair *pair)
{
	struct ib_qp_attr error = { .qp_state = IB_QPS_ERR };
	struct ib_send_wr wr = { .opcode = IB_WR_SEND };
	const struct ib_send_wr *bad;
	struct ib_wc wc;
	int ret;

	ret = connect(pair) ?: post_recv(&pair->hear);
	ret = ret ?: ib_post_send(pair->ask.id->qp, &wr, &bad);
	ret = ret ?: rdma_disconnect(pair->ask.id);
	ret = ret ?: ib_modify_qp(pair->ask.id->qp, &error, IB_QP_STATE);
	ret = ret ?: next_wc(&pair->hear, &wc);
	disconnect(pair);
	return ret;
}

static void last_words(struct seq_file *out)
{
	struct pair pair = {};
	int i, heard = 0;

	for (i = 0; i < WORDS; i++) {
		memset(&pair, 0, sizeof(pair));
		heard += !last_word(&pair);
	}
	pair.out = out;
	same(&pair, heard, WORDS, "what is sent right before the end arrives");
}

#include "ofed_iwtest_calls.h"

static int run(struct seq_file *out, void *unused)
{
	struct pair *pair = kzalloc(sizeof(*pair), GFP_KERNEL);
	int ret;

	if (!pair)
		return -ENOMEM;
	pair->out = out;
	ret = connect(pair);
	row(pair, !ret, "a connection", -ret, 0);
	if (!ret)
		requests(pair);
	disconnect(pair);
	kfree(pair);
	last_words(out);
	own_calls(out);
	return 0;
}

/* With room for all of it: else it would run again. */
static int open_file(struct inode *inode, struct file *file)
{
	return single_open_size(file, run, NULL, 4 * PAGE_SIZE);
}

static const struct file_operations file_ops = {
	.owner = THIS_MODULE,
	.open = open_file,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static struct dentry *file;

static int __init iwtest_init(void)
{
	file = debugfs_create_file("ofed_iwtest", 0400, NULL, NULL,
				   &file_ops);
	return PTR_ERR_OR_ZERO(file);
}

static void __exit iwtest_exit(void)
{
	debugfs_remove(file);
}

module_init(iwtest_init);
module_exit(iwtest_exit);

MODULE_DESCRIPTION("Test: a kernel consumer of iWARP");
MODULE_LICENSE("GPL");
