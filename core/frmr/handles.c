// SPDX-License-Identifier: GPL-2.0
/* A stack of memory region handles. */
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "handles.h"

#define FRMR_HANDLES_MIN 16
/* More would not be a power of two in 32 bits. */
#define FRMR_HANDLES_MAX (1U << 31)

/**
 * ofed_frmr_handles_reserve - make room
 * @handles: the stack
 * @size: handles that it will have at most until the next call
 *
 * An array that is four times too large becomes smaller, if there is memory for that. Context:
 * process, may sleep.
 *
 * Return: 0, -ENOMEM.
 */
int ofed_frmr_handles_reserve(struct ofed_frmr_handles *handles, u32 size)
{
	u32 *array;

	if (size > FRMR_HANDLES_MAX)
		return -ENOMEM;
	size = roundup_pow_of_two(max_t(u32, size, FRMR_HANDLES_MIN));
	if (size <= handles->size && size > handles->size / 4)
		return 0;
	array = kvmalloc_array(size, sizeof(*array), GFP_KERNEL_ACCOUNT);
	if (!array)
		return size <= handles->size ? 0 : -ENOMEM;
	if (handles->cnt)
		memcpy(array, handles->array, handles->cnt * sizeof(*array));
	kvfree(handles->array);
	handles->array = array;
	handles->size = size;
	return 0;
}

/**
 * ofed_frmr_handles_push - put a handle on the stack
 * @handles: the stack, with room reserved
 * @handle: the handle
 */
void ofed_frmr_handles_push(struct ofed_frmr_handles *handles, u32 handle)
{
	if (!WARN_ON_ONCE(handles->cnt >= handles->size))
		handles->array[handles->cnt++] = handle;
}

/**
 * ofed_frmr_handles_pop - take the handle that came last
 * @handles: the stack
 * @handle: out
 *
 * Return: false if there is none.
 */
bool ofed_frmr_handles_pop(struct ofed_frmr_handles *handles, u32 *handle)
{
	if (!handles->cnt)
		return false;
	*handle = handles->array[--handles->cnt];
	handles->unused = min(handles->unused, handles->cnt);
	return true;
}

/**
 * ofed_frmr_handles_take_unused - take handles that were not needed for a period
 * @handles: the stack
 * @keep: handles that stay in any case
 * @taken: out
 * @max: length of @taken
 *
 * Return: number of handles in @taken; less than @max: no more are left to take.
 */
u32 ofed_frmr_handles_take_unused(struct ofed_frmr_handles *handles, u32 keep, u32 *taken, u32 max)
{
	u32 spare = handles->cnt > keep ? handles->cnt - keep : 0;
	u32 cnt = min3(spare, handles->unused, max);

	handles->cnt -= cnt;
	handles->unused -= cnt;
	if (cnt)
		memcpy(taken, handles->array + handles->cnt, cnt * sizeof(*taken));
	return cnt;
}

/**
 * ofed_frmr_handles_tick - a period ends and another one begins
 * @handles: the stack
 */
void ofed_frmr_handles_tick(struct ofed_frmr_handles *handles)
{
	handles->unused = handles->cnt;
}

/**
 * ofed_frmr_handles_free - free the stack, not the handles on it
 * @handles: the stack; empty afterwards
 *
 * Context: process, may sleep.
 */
void ofed_frmr_handles_free(struct ofed_frmr_handles *handles)
{
	kvfree(handles->array);
	*handles = (struct ofed_frmr_handles){};
}
