// SPDX-License-Identifier: GPL-2.0
/*
 * Terminate messages, RFC 5040 4.8. Which parts of the offending segment belong
 * in follows from the error: section 4.8, figure 10.
 */
#include <linux/bitfield.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "term.h"

#define LAYER_OF(what)	((what) >> 12)
#define ETYPE_OF(what)	((what) >> 8 & 0xf)

static void iw_term_put16(u8 *to, u16 value)
{
	__be16 wire = cpu_to_be16(value);

	memcpy(to, &wire, sizeof(wire));
}

static void iw_term_put32(u8 *to, u32 value)
{
	__be32 wire = cpu_to_be32(value);

	memcpy(to, &wire, sizeof(wire));
}

static u16 iw_term_get16(const u8 *from)
{
	__be16 wire;

	memcpy(&wire, from, sizeof(wire));
	return be16_to_cpu(wire);
}

static u32 iw_term_get32(const u8 *from)
{
	__be32 wire;

	memcpy(&wire, from, sizeof(wire));
	return be32_to_cpu(wire);
}

/* Errors of the lower layer, and those of the host, blame no segment. */
static bool iw_blames_segment(u16 what)
{
	if (LAYER_OF(what) == IW_LAYER_LLP)
		return false;
	return ETYPE_OF(what);
}

/**
 * iw_term_build - the payload of a Terminate
 * @term: why
 * @to: filled in
 *
 * Context: any. Return: bytes of it.
 */
u32 iw_term_build(const struct iw_term_msg *term, u8 *to)
{
	u32 word = FIELD_PREP(IW_TERM_LAYER_MASK, LAYER_OF(term->what)) |
		   FIELD_PREP(IW_TERM_ETYPE_MASK, ETYPE_OF(term->what)) |
		   FIELD_PREP(IW_TERM_CODE_MASK, term->what & 0xff);
	u8 *at = to + IW_TERM_WORD_BYTES;

	if (term->ddp_bytes && iw_blames_segment(term->what)) {
		word |= IW_TERM_HAS_LENGTH | IW_TERM_HAS_DDP;
		iw_term_put16(at, term->length);
		at += IW_MPA_LENGTH_BYTES;
		memcpy(at, term->ddp, term->ddp_bytes);
		at += term->ddp_bytes;
		if (term->read) {
			word |= IW_TERM_HAS_RDMAP;
			memcpy(at, term->request, sizeof(term->request));
			at += sizeof(term->request);
		}
	}
	iw_term_put32(to, word);
	return at - to;
}

/* The DDP header tells its own length. */
static u32 iw_ddp_bytes_of(u8 control)
{
	return control & IW_DDP_TAGGED ?
		sizeof(struct iw_tagged) - IW_MPA_LENGTH_BYTES :
		sizeof(struct iw_untagged) - IW_MPA_LENGTH_BYTES;
}

/**
 * iw_term_parse - read the payload of a Terminate
 * @term: filled in
 * @from: the payload
 * @bytes: of it
 *
 * Context: any. Return: false when it is too short for what it says.
 */
bool iw_term_parse(struct iw_term_msg *term, const u8 *from, u32 bytes)
{
	const u8 *end = from + bytes;
	u32 word;

	*term = (struct iw_term_msg){};
	if (bytes < IW_TERM_WORD_BYTES)
		return false;
	word = iw_term_get32(from);
	from += IW_TERM_WORD_BYTES;
	term->what = FIELD_GET(IW_TERM_LAYER_MASK, word) << 12 |
		     FIELD_GET(IW_TERM_ETYPE_MASK, word) << 8 |
		     FIELD_GET(IW_TERM_CODE_MASK, word);
	if (word & IW_TERM_HAS_LENGTH) {
		if (end - from < IW_MPA_LENGTH_BYTES)
			return false;
		term->length = iw_term_get16(from);
		from += IW_MPA_LENGTH_BYTES;
	}
	if (word & IW_TERM_HAS_DDP) {
		if (from == end || end - from < iw_ddp_bytes_of(*from))
			return false;
		term->ddp_bytes = iw_ddp_bytes_of(*from);
		memcpy(term->ddp, from, term->ddp_bytes);
		from += term->ddp_bytes;
	}
	if (word & IW_TERM_HAS_RDMAP) {
		if (end - from < sizeof(term->request))
			return false;
		term->read = true;
		memcpy(term->request, from, sizeof(term->request));
	}
	return true;
}

/**
 * iw_term_of_fault - what RFC 5040 calls what is wrong with a key
 * @fault: that
 * @tagged: a tagged segment named it: DDP's error, RFC 5041 6.2
 */
enum iw_term iw_term_of_fault(enum soft_access_err fault, bool tagged)
{
	switch (fault) {
	case SOFT_ERR_KEY:
		return tagged ? IW_TERM_DDP_STAG : IW_TERM_RDMAP_STAG;
	case SOFT_ERR_BOUNDS:
		return tagged ? IW_TERM_DDP_BOUNDS : IW_TERM_RDMAP_BOUNDS;
	default:
		/* DDP knows no rights. */
		return IW_TERM_RDMAP_ACCESS;
	}
}
