// SPDX-License-Identifier: GPL-2.0
/* Which parts of READ responses are due. */
#include "pkt.h"
#include "read_part.h"

static u32 ibt_read_part_at(const struct ibt_read_parts *parts, u32 age)
{
	return (parts->oldest + age) % IBT_READ_PARTS;
}

/**
 * ibt_read_part_add - one part more is due
 * @parts: of the responder
 * @part: what is to be sent
 *
 * Context: any.
 *
 * Return: false: there are too many, or this one is due already.
 */
bool ibt_read_part_add(struct ibt_read_parts *parts, const struct ibt_read_resp *part)
{
	u32 i;

	for (i = 0; i < parts->num; i++)
		if (parts->part[ibt_read_part_at(parts, i)].psn == part->psn)
			return false;
	if (parts->num == IBT_READ_PARTS)
		return false;
	parts->part[ibt_read_part_at(parts, parts->num++)] = *part;
	return true;
}

/**
 * ibt_read_part_take - the part that was requested first
 * @parts: of the responder
 * @part: is filled in
 *
 * Context: any.
 *
 * Return: false: none is due.
 */
bool ibt_read_part_take(struct ibt_read_parts *parts, struct ibt_read_resp *part)
{
	if (!parts->num)
		return false;
	*part = parts->part[parts->oldest];
	parts->oldest = ibt_read_part_at(parts, 1);
	parts->num--;
	return true;
}

/**
 * ibt_read_part_due_before - is a part due that begins before a PSN?
 * @parts: of the responder
 * @psn: the PSN
 *
 * Context: any.
 */
bool ibt_read_part_due_before(const struct ibt_read_parts *parts, u32 psn)
{
	u32 i;

	for (i = 0; i < parts->num; i++)
		if (ibt_psn_diff(parts->part[ibt_read_part_at(parts, i)].psn, psn) < 0)
			return true;
	return false;
}
