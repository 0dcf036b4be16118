// SPDX-License-Identifier: GPL-2.0
/*
 * End-to-end credits (IBA 9.7.7.2): a responder may report with each ACK how many receive
 * WQEs it has. The limit sequence number is that of the message that takes the last of them:
 * the number of completed messages plus the credits. A SEND, or a WRITE with immediate data,
 * beyond that is limited. It begins when all requests before it are acknowledged, and with one
 * packet. The response to that packet tells whether there is a receive WQE after all.
 *
 * Before the first answer nothing is known of the peer's credits, and nothing is limited. A
 * responder that does not count them says so by a code of its own, as that of this engine does.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "credit.h"
#include "opcode.h"
#include "pkt.h"
#include "wqe.h"

/* Table 46: what the codes 0 to 30 stand for. */
static const u16 credit_counts[] = {
	0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
	1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
};

/**
 * ibt_credit_take - what the peer says about its receive requests
 * @credit: of the requester
 * @syndrome: of the AETH of an ACK, or of the answer of a READ or atomic
 * @msn: of that AETH
 *
 * The limit never goes back: an answer that does is older than the one before.
 *
 * Context: sq.lock held.
 */
void ibt_credit_take(struct ibt_credit *credit, u8 syndrome, u32 msn)
{
	u8 code = syndrome & IBT_AETH_VALUE;
	u32 limit;

	BUILD_BUG_ON(ARRAY_SIZE(credit_counts) != IBT_ACK_NO_CREDITS);
	if (likely(code == IBT_ACK_NO_CREDITS)) {
		credit->counted = false;
		return;
	}
	limit = ibt_psn_add(msn, credit_counts[code]);
	if (!credit->counted || ibt_psn_diff(limit, credit->limit) > 0)
		credit->limit = limit;
	credit->counted = true;
}

/**
 * ibt_credit_left - how many messages may begin without a look at each
 * @credit: of the requester
 * @info: of their opcode
 *
 * Context: sq.lock held.
 *
 * Return: 0: the next one is limited.
 */
u32 ibt_credit_left(const struct ibt_credit *credit, const struct ibt_wr_info *info)
{
	bool takes = info->verb == IBT_SEND || info->extra == IBT_IMM;

	if (likely(!credit->counted) || !takes)
		return U32_MAX;
	return max(ibt_psn_diff(credit->limit, credit->last), 0);
}
