// SPDX-License-Identifier: GPL-2.0
/* Refusal of inbound segments: the stream ends with a Terminate. */
#include "rdmap.h"

/*
 * End the stream with a Terminate about the segment of @hdr. If the memory of a loopback
 * sender is gone, the error is local to the sender, which ends the stream.
 */
void iw_refuse(struct iw_qp *qp, const struct iw_fpdu *view,
	       const union iw_hdr *hdr, enum iw_term what)
{
	struct iw_term_msg term = { .length = view->ulpdu };
	const u8 *ddp = hdr->bytes + IW_MPA_LENGTH_BYTES;

	if (iw_fpdu_src_fault(view))
		return;
	term.ddp_bytes = *ddp & IW_DDP_TAGGED ?
		sizeof(hdr->tagged) - IW_MPA_LENGTH_BYTES :
		sizeof(hdr->untagged) - IW_MPA_LENGTH_BYTES;
	memcpy(term.ddp, ddp, term.ddp_bytes);
	if ((hdr->tagged.rdmap & IW_RDMAP_OPCODE_MASK) == IW_RDMAP_READ_REQ &&
	    view->ulpdu >= sizeof(hdr->read) - IW_MPA_LENGTH_BYTES) {
		term.read = true;
		memcpy(term.request, hdr->bytes + sizeof(hdr->untagged),
		       sizeof(term.request));
	}
	iw_qp_fail(qp, what, &term);
}
