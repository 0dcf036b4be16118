/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The version of all modules, as modinfo shows it, and of the firmware of all devices: a
 * device without hardware is its modules. Packages and dkms have its first two numbers from
 * here (tools/version).
 */
#ifndef OFED_VERSION_H
#define OFED_VERSION_H

#include <linux/stringify.h>

#define OFED_VERSION_MAJOR	0
#define OFED_VERSION_MINOR	1
#define OFED_VERSION_SUB	0

#define OFED_VERSION							\
	__stringify(OFED_VERSION_MAJOR) "."				\
	__stringify(OFED_VERSION_MINOR) "."				\
	__stringify(OFED_VERSION_SUB)
#define OFED_AUTHOR	"OFED maintainers <ofed@lists.example.org>"

#endif /* OFED_VERSION_H */
