/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Included first by the sources that ack_test.c tests: what is inline or a macro, and so cannot
 * be played by a function of its name.
 */
#ifndef ACK_PLAYED_H
#define ACK_PLAYED_H

#include <linux/cpumask.h>
#include <linux/smp.h>
#include "hw/ibt/qp.h"
#include "hw/ibt/responder.h"

/* Processors of the rows, of which this one has a row running. */
enum { HERE = 3, THERE, OFFLINE };
extern int played_cpu;

#undef smp_processor_id
#define smp_processor_id() played_cpu
#undef cpu_online
#define cpu_online(cpu) ((cpu) != OFFLINE)

void played_resp_schedule(struct ibt_qp *qp, unsigned long delay);
#define ibt_resp_schedule played_resp_schedule

#endif /* ACK_PLAYED_H */
