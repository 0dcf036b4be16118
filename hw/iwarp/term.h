/* SPDX-License-Identifier: GPL-2.0 */
/* Terminate messages, RFC 5040 4.8: built and read. */
#ifndef IW_TERM_H
#define IW_TERM_H

#include "../soft/mr_table.h"
#include "wire.h"

/**
 * struct iw_term_msg - why a stream ends
 * @what: enum iw_term
 * @length: (@ddp_bytes) ULPDU length of the segment that is to blame
 * @ddp_bytes: of @ddp, 0: not one segment is to blame
 * @ddp: its DDP header with RDMAP's control byte
 * @read: it was a READ request, which follows
 * @request: that one
 */
struct iw_term_msg {
	u16 what;
	u16 length;
	u8 ddp_bytes;
	bool read;
	u8 ddp[18];
	u8 request[IW_READ_REQ_BYTES];
};

/* Return: bytes of the payload in @to, which has room for IW_TERM_MAX_BYTES. */
u32 iw_term_build(const struct iw_term_msg *term, u8 *to);
/* Return: false: too short for what it says of itself. */
bool iw_term_parse(struct iw_term_msg *term, const u8 *from, u32 bytes);

enum iw_term iw_term_of_fault(enum soft_access_err fault, bool tagged);

#endif /* IW_TERM_H */
