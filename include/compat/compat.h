/* SPDX-License-Identifier: GPL-2.0 */
/*
 * This folder alone knows kernel versions. The code is written for the API of 7.3; here older
 * kernels learn to spell it, one file per topic. This file is force-included in front of every other
 * file, so it includes few of the kernel's headers: macros are looked up where used. A macro
 * COMPAT_HAVE_x comes from Kbuild.probe, never from a version number; each says which kernel brought
 * the thing and when the line can go.
 */
#ifndef OFED_COMPAT_H
#define OFED_COMPAT_H

#include <linux/types.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "Linux 6.1 is the oldest kernel that is supported"
#endif

#include "device.h"
#include "lib.h"
#include "mm.h"
#include "net.h"
#include "netlink.h"
#include "ops.h"
#include "sa.h"
#include "umem.h"
#include "uverbs.h"
#include "verbs.h"

#endif /* OFED_COMPAT_H */
