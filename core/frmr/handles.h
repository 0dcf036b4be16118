/* SPDX-License-Identifier: GPL-2.0 */
/* A stack of memory region handles, which knows how many of them lay unused. */
#ifndef OFED_CORE_FRMR_HANDLES_H
#define OFED_CORE_FRMR_HANDLES_H

#include <linux/types.h>

/**
 * struct ofed_frmr_handles - handles that no memory region has
 * @array: the handles; the last is given out first
 * @cnt: number of handles
 * @size: handles that @array has room for
 * @unused: handles that were not needed since ofed_frmr_handles_tick(): the lowest @cnt since.
 *	    Handles of a pool are alike, so that the number says all
 *
 * All zero: an empty stack. The caller has a lock.
 */
struct ofed_frmr_handles {
	u32 *array;
	u32 cnt;
	u32 size;
	u32 unused;
};

int ofed_frmr_handles_reserve(struct ofed_frmr_handles *handles, u32 size);
void ofed_frmr_handles_push(struct ofed_frmr_handles *handles, u32 handle);
bool ofed_frmr_handles_pop(struct ofed_frmr_handles *handles, u32 *handle);
u32 ofed_frmr_handles_take_unused(struct ofed_frmr_handles *handles, u32 keep, u32 *taken, u32 max);
void ofed_frmr_handles_tick(struct ofed_frmr_handles *handles);
void ofed_frmr_handles_free(struct ofed_frmr_handles *handles);

#endif /* OFED_CORE_FRMR_HANDLES_H */
