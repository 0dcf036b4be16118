/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included by ofed_iwtest.c: handlers that take the lock that the consumer holds while it
 * calls the device.
 */
#define CALLS 500

static struct consumer consumer;
static struct pair *called;

static int post_write(u64 id)
{
	struct ib_sge sge = {
		.addr = at(&called->ask, 0), .length = 64,
		.lkey = called->ask.pd->local_dma_lkey,
	};
	struct ib_rdma_wr wr = {
		.wr = { .opcode = IB_WR_RDMA_WRITE, .wr_id = id, .sg_list = &sge,
			.num_sge = 1 },
		.remote_addr = at(&called->hear, 0), .rkey = called->hear.mr->rkey,
	};
	const struct ib_send_wr *bad;

	return ib_post_send(called->ask.id->qp, &wr.wr, &bad);
}

static void expect_calls(struct pair *pair, const char *name)
{
	same(pair, consumer_over(&consumer), true, name);
	same(pair, consumer.nested, 0, "no handler inside of a call of its consumer");
	same(pair, consumer.failed, 0, "each completion in its turn");
	same(pair, consumer.done, CALLS, "all of them");
}

static void completions(struct pair *pair)
{
	struct ib_cq *cq = pair->ask.cq;

	consumer_init(&consumer, post_write, CALLS);
	consumer_attach(&consumer, cq, pair->ask.id->qp);
	ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
	consumer_post_all(&consumer);
	expect_calls(pair, "a handler that takes the lock held while posting");
	consumer_init(&consumer, post_write, CALLS);
	consumer_post_first(&consumer, cq);
	expect_calls(pair, "the same, interrupts disabled, and it posts");
}

/* modify_qp may sleep: it is called without the lock, but by the same consumer. */
static void asynchronous(struct pair *pair)
{
	struct ib_qp_attr error = { .qp_state = IB_QPS_ERR };
	int ret;

	consumer_init(&consumer, NULL, 0);
	consumer_attach(&consumer, pair->hear.cq, pair->hear.id->qp);
	consumer.owner = current;
	ret = ib_modify_qp(pair->hear.id->qp, &error, IB_QP_STATE);
	consumer.owner = NULL;
	same(pair, ret, 0, "the error state of a queue pair with an SRQ");
	same(pair, consumer_over(&consumer), true, "has its event");
	same(pair, consumer.nested, 0, "which does not come inside of modify_qp");
}

static void own_calls(struct seq_file *out)
{
	struct pair *pair = kzalloc(sizeof(*pair), GFP_KERNEL);
	int ret;

	if (!pair)
		return;
	pair->out = out;
	pair->hear.shared = true;
	called = pair;
	ret = connect(pair) ?: reg_mr(&pair->hear, RIGHTS);
	row(pair, !ret, "a connection with an SRQ", -ret, 0);
	if (!ret) {
		completions(pair);
		asynchronous(pair);
	}
	disconnect(pair);
	kfree(pair);
}
