/* SPDX-License-Identifier: GPL-2.0 */
/* Start-up frames of MPA: RFC 5044 7.1, RFC 6581. Nothing here knows a socket. */
#ifndef IW_MPA_H
#define IW_MPA_H

#include "wire.h"

/* Ready-to-receive indications of the MPA initiator, RFC 6581 5 */
enum iw_rtr {
	IW_RTR_NONE	= 0,
	IW_RTR_SEND	= BIT(0),
	IW_RTR_WRITE	= BIT(1),
	IW_RTR_READ	= BIT(2),
};

/**
 * struct iw_mpa_frame - a request or a reply
 * @reply: it is a reply
 * @reject: (reply) no
 * @crc: its sender wants CRCs
 * @markers: its sender wants to receive markers
 * @enhanced: it has @ird, @ord and the two below
 * @p2p: either side may send first
 * @rtr: (@p2p) set of enum iw_rtr
 * @rev: 1 or 2
 * @ird: READs that its sender answers at a time
 * @ord: READs that its sender asks at a time
 * @pd_bytes: private data, without the words of @enhanced
 */
struct iw_mpa_frame {
	bool reply;
	bool reject;
	bool crc;
	bool markers;
	bool enhanced;
	bool p2p;
	u8 rtr;
	u8 rev;
	u16 ird;
	u16 ord;
	u16 pd_bytes;
};

/**
 * struct iw_mpa_terms - result of the MPA negotiation
 * @crc: FPDUs have CRCs
 * @p2p: the first FPDU of the initiator is @rtr
 * @rtr: one of enum iw_rtr
 * @ird: inbound READs at a time
 * @ord: outbound READs at a time
 */
struct iw_mpa_terms {
	bool crc;
	bool p2p;
	u8 rtr;
	u32 ird;
	u32 ord;
};

#define IW_MPA_MAX_FRAME	(sizeof(struct iw_mpa_hdr) + IW_MPA_MAX_PD)

/* Private data that a frame has room for, RFC 6581 9. */
static inline u32 iw_mpa_max_pd(bool enhanced)
{
	return IW_MPA_MAX_PD - (enhanced ? sizeof(struct iw_mpa_enhanced) : 0);
}

u32 iw_mpa_build(const struct iw_mpa_frame *frame, const void *pd, u8 *to);
int iw_mpa_frame_bytes(const u8 *header, bool reply);
int iw_mpa_parse(struct iw_mpa_frame *frame, const u8 *from, bool reply,
		 const u8 **pd);
void iw_mpa_answer(struct iw_mpa_frame *reply, struct iw_mpa_terms *terms,
		   const struct iw_mpa_frame *request, u32 ird, u32 ord,
		   bool crc);
int iw_mpa_agree(struct iw_mpa_terms *terms, const struct iw_mpa_frame *request,
		 const struct iw_mpa_frame *reply, u32 max_ird);

#endif /* IW_MPA_H */
