/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What software devices share: rings that user space maps, memory regions and
 * windows with the one copy cursor, completion queues. Nothing here knows a
 * transport.
 *
 * All of its headers at once, for a file that uses most of them.
 */
#ifndef OFED_SOFT_H
#define OFED_SOFT_H

#include "bell.h"
#include "cq.h"
#include "crc.h"
#include "dev.h"
#include "flush.h"
#include "hold.h"
#include "iter.h"
#include "mr.h"
#include "mw.h"
#include "ring.h"
#include "stats.h"
#include "task.h"
#include "trial.h"

#endif /* OFED_SOFT_H */
