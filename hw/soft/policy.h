/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Policy: which processor does the work of a queue pair, and how much of it in one go.
 *
 * Sending, answering and receiving are tasks (task.h). The rule is the same for all of them:
 * the context that finds a task idle runs it, and what is more than its budget goes to a work.
 * Three cases hand a task to another processor at once, if soft_helper() names one:
 *
 *	doorbell of a user	--- stream of short sends --------> sq.task
 *	ACK that lets much leave --- IBT_SEND_MUCH ----------------> sq.task
 *	GSO skb from this host	--- IBT_LANES_LEAST bytes or more -> task of the lane
 *
 * What soft_helper() knows of a processor:
 *
 *	            began within SOFT_HELPER_PROMPT
 *	 +-----------------------------------------------------+
 *	 v                                                     |
 *	PROMPT --- began later ---> NOT ASKED for LEAST --- asked again
 *	                                ^                      | began later: twice as long,
 *	                                +----------------------+ at most MOST
 *
 * No processor is relied upon. A task that has been queued for soft_task_patience and has not
 * begun is begun by the next caller, or by its timer.
 */
#ifndef OFED_SOFT_POLICY_H
#define OFED_SOFT_POLICY_H

#include <linux/jiffies.h>
#include <linux/sizes.h>
#include <linux/time64.h>

/* ---- budgets: rounds that one context runs before the rest goes to a work ------------ */

/* A softirq has other packets to receive: four rounds are 256 KiB. */
#define SOFT_ROUNDS_SOFTIRQ	4
/* A program that rings a doorbell: a message of 1 MiB, and the rounds that end it. */
#define SOFT_ROUNDS_DOORBELL	20
/* A work: it yields to the other works of its queue after a few milliseconds. */
#define SOFT_ROUNDS_WORK	64
/* A timer runs in a softirq. */
#define SOFT_ROUNDS_TIMER	SOFT_ROUNDS_SOFTIRQ

/* ---- late: when others may begin what is queued --------------------------------------- */

/*
 * ns. A worker that is woken on an idle processor begins within 0.1 ms. To send a message of
 * 64 KiB takes 0.1 ms, so a stream loses at most ten of them to a processor that is held.
 */
#define SOFT_PATIENCE		NSEC_PER_MSEC

/* ---- helper.c: which processor is asked ------------------------------------------------ */

/* ns. An idle processor wakes in tens of us; another task's tick is 4 ms at 250 Hz. */
#define SOFT_HELPER_PROMPT	(300 * NSEC_PER_USEC)
/* Jiffies for which a processor that was late is not asked, the first time and at most. */
#define SOFT_HELPER_LEAST	(1 + HZ / 100)
#define SOFT_HELPER_MOST	(HZ / 2)
/* Processors that are looked at. Where there are many, the first ones are mostly free. */
#define SOFT_HELPER_LOOKS	8

/* ---- doorbell.c: what is a stream of doorbells ------------------------------------------ */

/* A pause is short below 1/2 of the time of a send: then posting alone is the faster half. */
#define SOFT_DB_SHORT		2
/* Short pauses in a row that make a stream; a few WQEs that are posted together are none. */
#define SOFT_DB_AGAIN		4
/* ns. The time of a send counts up to this: most of a longer one was spent elsewhere. */
#define SOFT_DB_MOST_COST	(200 * NSEC_PER_USEC)
/* Of requests with more payload than this the call is a small part of the cost. */
#define SOFT_DB_SMALL_PKTS	4		/* InfiniBand transport: packets */
#define SOFT_DB_SMALL_BYTES	SZ_4K		/* iWARP: bytes */

/* ---- poller_thread.c: when doorbells are read without a call ------------------------------ */

/* ns. A program that calls at longer intervals has no gain from a processor of its own. */
#define SOFT_POLL_SHORT		(100 * NSEC_PER_USEC)
/* Calls in a row at shorter ones that wake the thread. */
#define SOFT_POLL_AGAIN		8
/* ns. It stays awake for so long when nothing rings, at first, at least and at most. */
#define SOFT_POLL_FIRST		(200 * NSEC_PER_USEC)
#define SOFT_POLL_LEAST		(50 * NSEC_PER_USEC)
#define SOFT_POLL_MOST		NSEC_PER_MSEC
/* Jiffies for which it is not woken, when another task wanted the processor. */
#define SOFT_POLL_PAUSE_LEAST	1UL
#define SOFT_POLL_PAUSE_MOST	(HZ / 2UL)
/* Jiffies. A thread that could not be made is not tried again before: trying stops all forks. */
#define SOFT_POLL_TRY		HZ
/* ns. Less than this was not worth the switch: the next pause is twice as long. */
#define SOFT_POLL_WORTH		(20 * NSEC_PER_MSEC)
/* ns. A round in which nothing had rung takes less than 1 us; of this one much was taken away. */
#define SOFT_POLL_LONG		(200 * NSEC_PER_USEC)
/* Doorbells between two looks at whether another task wants the processor. */
#define SOFT_POLL_ROUND		32
/* Times that the timer expires after the thread sleeps: each serves a word of the page. */
#define SOFT_POLL_REST		64

/* ---- hw/ibt/rx_steer.c: lanes ------------------------------------------------------------ */

/* Lanes of a device: more processors than these do not receive for one interface. */
#define SOFT_MOST_LANES		8
/* Bytes. The checksum and copy of fewer are done before another processor wakes. */
#define IBT_LANES_LEAST		SZ_8K

#endif /* OFED_SOFT_POLICY_H */
