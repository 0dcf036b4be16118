// SPDX-License-Identifier: GPL-2.0
/*
 * The socket that owns the packets of a device until they are sent: it accounts their
 * memory, which limits what the device may queue in the network stack.
 */
#include <linux/net.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <net/ip.h>
#include <net/sock.h>

#include "dev.h"
#include "tx.h"

/*
 * Bytes (skb->truesize) of a device in the network stack. Above ROCE_TX_STOP the engine
 * must pause; at ROCE_TX_GO it may continue.
 */
#define ROCE_TX_STOP	(2 << 20)
#define ROCE_TX_GO	(ROCE_TX_STOP / 2)

/* sk_write_space: a packet was freed, in any context. */
static void roce_write_space(struct sock *sk)
{
	struct roce_dev *rd;

	/* sk_wmem_alloc was decreased, then the flag is read: pairs with roce_tx_state(). */
	smp_mb__after_atomic();
	rcu_read_lock();
	rd = rcu_dereference_sk_user_data(sk);
	if (rd && test_bit(0, &rd->tx_full) &&
	    refcount_read(&sk->sk_wmem_alloc) <= ROCE_TX_GO &&
	    test_and_clear_bit(0, &rd->tx_full))
		ibt_tx_wake(rd->port);
	rcu_read_unlock();
}

int roce_tx_open(struct roce_dev *rd)
{
	struct sock *sk;
	int ret;

	rd->taken = alloc_percpu(unsigned long);
	if (!rd->taken)
		return -ENOMEM;
	ret = sock_create_kern(rd->net, AF_INET, SOCK_DGRAM, IPPROTO_UDP,
			       &rd->tx);
	if (ret) {
		rd->tx = NULL;
		free_percpu(rd->taken);
		rd->taken = NULL;
		return ret;
	}
	sk = rd->tx->sk;
	/*
	 * The ends have agreed on a path MTU. What the stack has learned of a route, while the
	 * interface had a smaller one, would drop packets of IPv4 for ten minutes more.
	 */
	ip_sock_set_mtu_discover(sk, IP_PMTUDISC_PROBE);
	write_lock_bh(&sk->sk_callback_lock);
	rcu_assign_sk_user_data(sk, rd);
	rd->write_space = sk->sk_write_space;
	sk->sk_write_space = roce_write_space;
	write_unlock_bh(&sk->sk_callback_lock);
	return 0;
}

/*
 * After a grace period no call of ibt_tx_wake() is in progress. Only roce_socket_exit()
 * waits for tasks inside of roce_write_space() itself.
 */
void roce_tx_mute(struct roce_dev *rd)
{
	struct sock *sk;

	if (!rd->tx)
		return;
	sk = rd->tx->sk;
	write_lock_bh(&sk->sk_callback_lock);
	rcu_assign_sk_user_data(sk, NULL);
	sk->sk_write_space = rd->write_space;
	write_unlock_bh(&sk->sk_callback_lock);
}

/*
 * Packets may stay in the network stack for long. Each holds the sock, which is freed
 * with the last packet, without code of this module.
 */
void roce_tx_close(struct roce_dev *rd)
{
	if (rd->tx)
		sock_release(rd->tx);
	free_percpu(rd->taken);
}

void roce_tx_charge(struct roce_dev *rd, struct sk_buff *skb)
{
	this_cpu_add(*rd->taken, skb->truesize);
	skb_set_owner_w(skb, rd->tx->sk);
}

/*
 * Return value of xmit() after a packet was sent. Once the flag is set, the thread that
 * frees a packet sees it and calls ibt_tx_wake(). If enough packets were freed before,
 * this function makes the call.
 */
int roce_tx_state(struct roce_dev *rd)
{
	struct sock *sk = rd->tx->sk;

	if (likely(refcount_read(&sk->sk_wmem_alloc) <= ROCE_TX_STOP))
		return 0;
	set_bit(0, &rd->tx_full);
	/* The flag is set, then sk_wmem_alloc is read: pairs with roce_write_space(). */
	smp_mb__after_atomic();
	if (refcount_read(&sk->sk_wmem_alloc) > ROCE_TX_GO)
		return -EAGAIN;
	if (test_and_clear_bit(0, &rd->tx_full))
		ibt_tx_wake(rd->port);
	return 0;
}

/*
 * Is any packet of the device still in the network stack? A packet to this host counts
 * until IP receives it; the loopback interface ends that earlier.
 */
bool roce_tx_left(const struct roce_dev *rd)
{
	return sk_wmem_alloc_get(rd->tx->sk);
}

/* A packet charged between the two reads makes @gone smaller, which is harmless. */
void roce_tx_passage(const struct roce_dev *rd, struct ibt_passage *passage)
{
	int cpu;

	passage->taken = 0;
	for_each_possible_cpu(cpu)
		passage->taken += READ_ONCE(*per_cpu_ptr(rd->taken, cpu));
	passage->gone = passage->taken - sk_wmem_alloc_get(rd->tx->sk);
}
