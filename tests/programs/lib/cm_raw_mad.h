/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Management datagrams by hand: where the fields are (IBA vol. 1 chapters 12, 13,
 * 15 and 16), and good ones to begin with. Offsets are those of the whole MAD.
 */
#ifndef CM_RAW_MAD_H
#define CM_RAW_MAD_H

#include <stdint.h>
#include <string.h>
#include <infiniband/verbs.h>

#define MAD_SIZE	256
#define MAD_MOST	1024	/* some are too long */
#define MAD_QKEY	0x80010000

/* The header that all have. */
enum {
	MAD_BASE = 0, MAD_CLASS = 1, MAD_VERSION = 2, MAD_METHOD = 3,
	MAD_STATUS = 4, MAD_TID = 8, MAD_ATTR = 16, MAD_MODIFIER = 20,
	MAD_DATA = 24,
};

/* What follows in classes that may send more than one: RMPP. */
enum { RMPP_VERSION = 24, RMPP_TYPE = 25, RMPP_FLAGS = 26, RMPP_STATUS = 27,
       RMPP_SEGMENT = 28, RMPP_LENGTH = 32 };
#define VENDOR_OUI 37

enum cm_attribute {
	CM_REQ = 0x10, CM_MRA, CM_REJ, CM_REP, CM_RTU, CM_DREQ, CM_DREP,
	CM_SIDR_REQ, CM_SIDR_REP, CM_LAP, CM_APR, CM_LAST = CM_APR,
};
#define CM_KINDS (CM_LAST - CM_REQ + 1)

/* Of most messages of the CM. */
enum { CM_OURS = 24, CM_THEIRS = 28 };
enum { REQ_SERVICE = 32, REQ_GUID = 40, REQ_QPN = 56, REQ_PRIVATE = 164,
       REP_QPN = 36, SIDR_SERVICE = 32 };

struct mad {
	uint8_t bytes[MAD_MOST];
	uint32_t length;
};

/* The ends of a conversation, as the sender knows them. */
struct mad_names {
	uint32_t ours, theirs;
	uint32_t qpn;		/* of the queue pair that we say we have */
	uint32_t their_qpn;
	uint64_t tid;
};

/* Where all of them come from and go to. */
struct mad_world {
	union ibv_gid own, peer;	/* GIDs */
	uint64_t guid;
	uint16_t port;			/* of the listeners */
};

static inline void mad_put(struct mad *m, int at, uint64_t value, int bytes)
{
	while (bytes--)
		m->bytes[at++] = value >> 8 * bytes;
}

static inline uint64_t mad_get(const uint8_t *mad, int at, int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | mad[at++];
	return value;
}

static inline void mad_begin(struct mad *m, uint8_t class, uint8_t version,
			     uint8_t method, uint16_t attr, uint64_t tid)
{
	memset(m, 0, sizeof(*m));
	m->length = MAD_SIZE;
	mad_put(m, MAD_BASE, 1, 1);
	mad_put(m, MAD_CLASS, class, 1);
	mad_put(m, MAD_VERSION, version, 1);
	mad_put(m, MAD_METHOD, method, 1);
	mad_put(m, MAD_TID, tid, 8);
	mad_put(m, MAD_ATTR, attr, 2);
}

/* Service ids of rdma_cm: the port space and the port (annex A11). */
static inline uint64_t mad_service(uint16_t space, uint16_t port)
{
	return (uint64_t)space << 16 | port;
}

/* What rdma_cm puts in front of the private data: the addresses, of IPv4. */
static inline void mad_put_ip(struct mad *m, int at, const struct mad_world *w)
{
	mad_put(m, at + 1, 4 << 4, 1);
	mad_put(m, at + 2, 1234, 2);
	memcpy(m->bytes + at + 16, w->own.raw + 12, 4);
	memcpy(m->bytes + at + 32, w->peer.raw + 12, 4);
}

/* Both paths of a REQ have the same shape, so has the one of a LAP. */
static inline void mad_put_path(struct mad *m, int at, const struct mad_world *w)
{
	mad_put(m, at, 0xffff, 2);
	mad_put(m, at + 2, 0xffff, 2);
	memcpy(m->bytes + at + 4, w->own.raw, 16);
	memcpy(m->bytes + at + 20, w->peer.raw, 16);
	mad_put(m, at + 39, 3, 1);		/* packet rate */
	mad_put(m, at + 41, 64, 1);		/* hop limit */
	mad_put(m, at + 42, 8, 1);		/* the same subnet */
	mad_put(m, at + 43, 16 << 3, 1);	/* timeout of the ACK */
}

static inline void mad_req(struct mad *m, const struct mad_world *w,
			   const struct mad_names *n, uint64_t service)
{
	mad_put(m, CM_OURS, n->ours, 4);
	mad_put(m, REQ_SERVICE, service, 8);
	mad_put(m, REQ_GUID, w->guid, 8);
	mad_put(m, REQ_QPN, n->qpn << 8 | 1, 4);	/* responder resources */
	mad_put(m, 63, 1, 1);				/* initiator depth */
	mad_put(m, 67, 14 << 3 | 1, 1);			/* timeout; flow control */
	mad_put(m, 68, 77 << 8 | 14 << 3 | 7, 4);	/* PSN, timeout, retries */
	mad_put(m, 72, 0xffff, 2);			/* P_Key */
	mad_put(m, 74, 3 << 4 | 7, 1);			/* MTU 1024, RNR retries */
	mad_put(m, 75, 15 << 4, 1);			/* retries of the CM */
	mad_put_path(m, 76, w);
	mad_put_ip(m, REQ_PRIVATE, w);
}

static inline void mad_lap(struct mad *m, const struct mad_world *w,
			   const struct mad_names *n)
{
	mad_put(m, 36, n->their_qpn << 8 | 14 << 3, 4);
	mad_put_path(m, 44, w);
	/* Here the flow label and the traffic class share a word. */
	mad_put(m, 84, 3, 1);
}

static inline void mad_sidr_req(struct mad *m, const struct mad_world *w,
				const struct mad_names *n, uint64_t service)
{
	mad_put(m, 24, n->ours, 4);
	mad_put(m, 28, 0xffff, 2);
	mad_put(m, SIDR_SERVICE, service, 8);
	mad_put_ip(m, 40, w);
}

static inline void mad_sidr_rep(struct mad *m, const struct mad_names *n,
				uint64_t service)
{
	mad_put(m, 24, n->theirs, 4);
	mad_put(m, 32, n->qpn << 8, 4);
	mad_put(m, 36, service, 8);
	mad_put(m, 44, 0x01234567, 4);
}

static inline void mad_rep(struct mad *m, const struct mad_world *w,
			   const struct mad_names *n)
{
	mad_put(m, REP_QPN, n->qpn, 3);
	mad_put(m, 44, 77, 3);
	mad_put(m, 48, 1, 1);
	mad_put(m, 49, 1, 1);
	mad_put(m, 50, 15 << 3 | 1, 1);
	mad_put(m, 51, 7 << 5, 1);
	mad_put(m, 52, w->guid, 8);
}

/* A good message of the CM; @service only for those that have one. */
static inline void mad_cm(struct mad *m, enum cm_attribute attr,
			  const struct mad_world *w, const struct mad_names *n,
			  uint64_t service)
{
	mad_begin(m, 7, 2, 3, attr, n->tid);
	mad_put(m, CM_OURS, n->ours, 4);
	mad_put(m, CM_THEIRS, n->theirs, 4);
	switch (attr) {
	case CM_REQ:
		mad_put(m, CM_THEIRS, 0, 4);
		mad_req(m, w, n, service);
		break;
	case CM_MRA:
		mad_put(m, 33, 10 << 3, 1);
		break;
	case CM_REJ:
		mad_put(m, 34, 28, 2);
		break;
	case CM_REP:
		mad_rep(m, w, n);
		break;
	case CM_DREQ:
		mad_put(m, 32, n->their_qpn, 3);
		break;
	case CM_SIDR_REQ:
		mad_sidr_req(m, w, n, service);
		break;
	case CM_SIDR_REP:
		mad_put(m, CM_THEIRS, 0, 4);
		mad_sidr_rep(m, n, service);
		break;
	case CM_LAP:
		mad_lap(m, w, n);
		break;
	case CM_RTU:
	case CM_DREP:
	case CM_APR:
		break;
	}
}

/* What other classes have: some of their methods and attributes. */
struct mad_kind {
	uint8_t class, version, methods[6];
	uint16_t attrs[6];
};

static const struct mad_kind mad_kinds[] = {
	/* SMPs with a LID and with a route */
	{ 0x01, 1, { 1, 2, 5, 0x81, 7, 6 }, { 0x10, 0x11, 0x15, 0x14, 2, 0x20 } },
	{ 0x81, 1, { 1, 2, 0x81 }, { 0x10, 0x11, 0x15, 0x14, 0x16, 0x17 } },
	/* SA */
	{ 0x03, 2, { 1, 0x12, 0x92, 0x81, 0x14, 0x95 },
	  { 0x35, 0x11, 0x38, 1, 0x31, 0x30 } },
	/* performance, baseboard, device, communication, SNMP */
	{ 0x04, 1, { 1, 2, 0x81 }, { 1, 0x12, 0x1d, 0x10, 0x11, 0x18 } },
	{ 0x05, 1, { 1, 2, 3, 5, 0x81 }, { 1, 0x10, 0x11, 0x20, 0x21 } },
	{ 0x06, 1, { 1, 2, 0x81, 5 }, { 1, 0x10, 0x11, 0x12, 0x20 } },
	{ 0x07, 2, { 1, 2, 0x81, 3 }, { 1, 0x1b, 0x1c, 0, 0xf, 0x1d } },
	{ 0x08, 1, { 3, 1 }, { 1, 0x10, 0x11, 0x12 } },
	/* of vendors, without and with their OUI; BIS; congestion */
	{ 0x09, 1, { 1, 2, 0x81, 0x7f, 3 }, { 1, 0x10, 0xff00 } },
	{ 0x0a, 1, { 1, 2, 0x81 }, { 0x10, 0x11, 0x50 } },
	{ 0x30, 1, { 1, 2, 0x81, 3, 0x12, 0x92 }, { 1, 0x10, 0xff00 } },
	{ 0x4f, 1, { 1, 2, 0x81, 3, 0x92 }, { 1, 0x10, 0xff00 } },
	{ 0x12, 1, { 1, 2, 0x81, 0x92 }, { 1, 0x10, 0x20 } },
	{ 0x21, 2, { 1, 2, 0x81 }, { 1, 0x11, 0x12 } },
};
#define MAD_KINDS (sizeof(mad_kinds) / sizeof(mad_kinds[0]))

#endif /* CM_RAW_MAD_H */
