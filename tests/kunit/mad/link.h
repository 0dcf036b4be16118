/* SPDX-License-Identifier: GPL-2.0 */
/* Client and server of mad_link_kunit.ko: see link_test.c. */
#ifndef MAD_LINK_H
#define MAD_LINK_H

#include <kunit/test.h>
#include <rdma/ib_mad.h>

#include "ibt_fake_link.h"

#define LIMIT		(60 * HZ)
/* Attributes that the server knows, each with an answer of its own. */
#define ATTR_SHORT	cpu_to_be16(0xff01)
#define ATTR_LONG	cpu_to_be16(0xff02)
#define ATTR_SILENT	cpu_to_be16(0xff03)
/* A class that no agent registers for, with the headers of the SA's. */
#define CLASS_NOBODY	(IB_MGMT_CLASS_SUBN_ADM + 0x3d)

/**
 * struct mad_link_client - what comes back to the client
 * @agent: registration
 * @answered: the receive handler was called so often
 * @sent: the send handler was called so often
 * @status: of the last one sent
 * @retries: of the last one sent
 * @mad_status: of the last one received
 * @length: of the last one received
 * @intact: it names its question, and has the bytes that it should have
 * @padded: behind what came, each of its segments has zeros up to its full size
 * @done: completed at each call of the send handler
 */
struct mad_link_client {
	struct ib_mad_agent *agent;
	atomic_t answered;
	atomic_t sent;
	enum ib_wc_status status;
	int retries;
	u16 mad_status;
	int length;
	bool intact;
	bool padded;
	struct completion done;
};

extern struct mad_link_client mad_link_client;

/**
 * struct raw_segment - an RMPP packet that no RMPP is behind
 * @method: of the SA class
 * @base_version: of the MAD
 * @tid: transaction
 * @number: of the segment
 * @flags: IB_MGMT_RMPP_FLAG_*
 * @length: in its RMPP header
 * @bytes: of data behind the class header
 */
struct raw_segment {
	u8 method;
	u8 base_version;
	u64 tid;
	u32 number;
	u8 flags;
	u32 length;
	int bytes;
};

/* Both devices, with ports that can do @caps, client and server. */
int mad_link_open(u32 caps);
/* The agents go, if they are there; then the devices. */
void mad_link_leave(void);
void mad_link_close(void);

struct ib_mad_send_buf *mad_link_question(struct kunit *test, u8 class,
					  __be16 attr, int timeout_ms,
					  int retries);
void mad_link_free(struct ib_mad_send_buf *buf);
void mad_link_reset(void);
/* Wait for the next call of the client's send handler. */
void mad_link_wait(struct kunit *test);
/* Ask, and wait for it. */
void mad_link_ask(struct kunit *test, u8 class, __be16 attr, int timeout_ms,
		  int retries);
/* The server sends one to the client. */
void mad_link_raw(struct kunit *test, const struct raw_segment *raw);

extern struct kunit_suite mad_link_ends_suite;

#endif /* MAD_LINK_H */
