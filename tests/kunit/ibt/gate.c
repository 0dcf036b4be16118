// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>

#include "gate.h"

struct gate gate;

void pass_gate(u32 number)
{
	if (number != READ_ONCE(gate.at))
		return;
	complete(&gate.reached);
	wait_for_completion_timeout(&gate.open, 30 * HZ);
}

enum fake_fate through_gate(u32 number, const u8 *bth)
{
	pass_gate(number);
	gate.seen[bth[0]]++;
	return FAKE_PASS;
}

void close_gate(u32 at, fake_script *script)
{
	fake_restart(NULL);
	memset(&gate, 0, sizeof(gate));
	gate.at = at;
	init_completion(&gate.reached);
	init_completion(&gate.open);
	fake_restart(script);
}

void reach_gate(const struct pair *pair)
{
	KUNIT_EXPECT_TRUE(pair->test,
			  wait_for_completion_timeout(&gate.reached, 20 * HZ));
}

static u32 line_length(struct ibt_port *port, const struct list_head *line)
{
	const struct list_head *entry;
	u32 length = 0;

	spin_lock_irq(&port->tx_wait_lock);
	list_for_each(entry, line)
		length++;
	spin_unlock_irq(&port->tx_wait_lock);
	return length;
}

u32 queue_when_waiting(const struct pair *pair, int which, bool answering,
		       u32 number)
{
	struct ibt_port *port = ibt_dev_port(dev_of(which), 1);
	const struct list_head *line = answering ? &port->answering :
						   &port->waiting;
	unsigned long deadline = jiffies + 20 * HZ;

	while (line_length(port, line) < number && time_before(jiffies, deadline))
		usleep_range(500, 1000);
	KUNIT_EXPECT_EQ(pair->test, line_length(port, line), number);
	return skb_queue_len(&fake.queue);
}

struct ib_qp *make_qp(struct pair *pair, int which, struct ib_srq *srq)
{
	struct end *e = &pair->end[which];
	struct ib_qp *first = e->qp;
	struct ib_qp_init_attr attr = {
		.qp_type = pair->type,
		.send_cq = e->send_cq,
		.recv_cq = e->recv_cq,
		.srq = srq,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap = {
			.max_send_wr = 2, .max_send_sge = 1,
			.max_recv_wr = srq ? 0 : 2,
			.max_recv_sge = srq ? 0 : 1,
		},
	};
	struct ib_qp *qp = ib_create_qp(e->pd, &attr);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(pair->test, qp);
	e->qp = qp;
	KUNIT_EXPECT_EQ(pair->test, ends_connect(pair, which), 0);
	e->qp = first;
	return qp;
}
