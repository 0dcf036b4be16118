// SPDX-License-Identifier: GPL-2.0
/*
 * Between structs and the wire, by tables of <rdma/ib_pack.h>.
 *
 * A field is a string of bits, the most significant first, on both sides: on
 * the wire it begins at any bit of a 32-bit word and may run into the next
 * ones; in the struct it is the end of a big-endian member. One copy of bits
 * therefore serves every width and position, words need no special treatment,
 * and neither side has to be aligned.
 */
#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <rdma/ib_pack.h>

#define WORD_BITS 32

/* Copies less than a byte, such that neither side crosses one. */
static void mad_copy_piece(u8 *dst, unsigned int dst_bit, const u8 *src,
			   unsigned int src_bit, unsigned int bits)
{
	unsigned int shift = 8 - dst_bit - bits;
	u8 mask = (0xff >> (8 - bits)) << shift;
	u8 value = *src >> (8 - src_bit - bits) << shift;

	*dst = (*dst & ~mask) | (value & mask);
}

static void mad_copy_bits(u8 *dst, unsigned int dst_at, const u8 *src,
			  unsigned int src_at, unsigned int bits)
{
	unsigned int piece;

	if (!((dst_at | src_at | bits) % 8)) {
		memcpy(dst + dst_at / 8, src + src_at / 8, bits / 8);
		return;
	}
	while (bits) {
		piece = min3(bits, 8 - dst_at % 8, 8 - src_at % 8);
		mad_copy_piece(dst + dst_at / 8, dst_at % 8,
			       src + src_at / 8, src_at % 8, piece);
		dst_at += piece;
		src_at += piece;
		bits -= piece;
	}
}

static void mad_zero_bits(u8 *dst, unsigned int at, unsigned int bits)
{
	static const u8 zero;
	unsigned int piece;

	for (; bits; at += piece, bits -= piece) {
		piece = min(bits, 8 - at % 8);
		mad_copy_piece(dst + at / 8, at % 8, &zero, 0, piece);
	}
}

/* Where a field is on the wire and in its struct, counted in bits. */
struct field_place {
	unsigned int wire;	/* first bit that has a value */
	unsigned int member;	/* first bit of it in the member */
	unsigned int bits;	/* how many the two have in common */
	unsigned int lead;	/* bits of the wire that the member lacks */
};

static struct field_place mad_place_of(const struct ib_field *field)
{
	unsigned int room = field->struct_size_bytes * 8;
	struct field_place place;

	place.bits = min_t(unsigned int, field->size_bits, room);
	place.lead = field->size_bits - place.bits;
	place.member = room - place.bits;
	place.wire = field->offset_words * WORD_BITS + field->offset_bits +
		     place.lead;
	return place;
}

/**
 * ib_pack - write a struct as a header or record of the wire
 * @desc: the fields; one without a member (struct_size_bytes is 0) is reserved
 *	  and written as zero
 * @desc_len: how many
 * @structure: the struct; its members are big-endian
 * @buf: where to; bits that no field names stay as they are
 *
 * A value that is too large loses its upper bits. Context: any.
 */
void ib_pack(const struct ib_field *desc, int desc_len, void *structure,
	     void *buf)
{
	const struct ib_field *field;
	struct field_place place;

	for (field = desc; field < desc + desc_len; field++) {
		place = mad_place_of(field);
		mad_zero_bits(buf, place.wire - place.lead, place.lead);
		mad_copy_bits(buf, place.wire,
			      structure + field->struct_offset_bytes, place.member,
			      place.bits);
	}
}
OFED_EXPORT(ib_pack);

/**
 * ib_unpack - read a header or record of the wire into a struct
 * @desc: the fields; reserved ones are skipped
 * @desc_len: how many
 * @buf: the wire
 * @structure: where to; members that no field names stay as they are
 *
 * Context: any.
 */
void ib_unpack(const struct ib_field *desc, int desc_len, void *buf,
	       void *structure)
{
	const struct ib_field *field;
	struct field_place place;
	u8 *member;

	for (field = desc; field < desc + desc_len; field++) {
		place = mad_place_of(field);
		member = structure + field->struct_offset_bytes;
		mad_zero_bits(member, 0, place.member);
		mad_copy_bits(member, place.member, buf, place.wire, place.bits);
	}
}
OFED_EXPORT(ib_unpack);
