/* SPDX-License-Identifier: GPL-2.0 */
/* One end of a conversation, and what it knows of the other one, its partner. */
#ifndef ENDPOINT_H
#define ENDPOINT_H

#include "cache.h"
#include "link.h"
#include "request.h"
#include "room.h"

/* A packet that came before its turn. */
struct early {
	TAILQ_ENTRY(early) entry;
	struct packet packet;
	char data[];
};

struct partner {
	uint32_t next_seq;	/* of the next message to the peer */
	uint32_t acked;		/* the peer has all before this one */
	uint32_t expected;	/* the next message from the peer */
	bool news;		/* the peer has not been sent that number */
	unsigned int credits;	/* free receive buffers of the peer's */
	unsigned int owed;	/* free ones of this side that the peer does not know of */
	struct mx_request *partial;	/* the expected message, of which a part has come */
	TAILQ_HEAD(, early) early;
	unsigned int early_now, early_ever;
};

struct mx_endpoint {
	struct request_queue queue[QUEUES];
	struct partner partner;
	struct link link;
	struct rooms rooms;
	struct cache cache;
	enum mx_return dead;	/* why nothing moves any more, or MX_SUCCESS */
};

/* endpoint.c */
void endpoint_die(struct mx_endpoint *ep, enum mx_return why);

/* progress.c */
bool progress(struct mx_endpoint *ep);
void progress_wait(struct mx_endpoint *ep, int ms);

/* send.c, and post.c, which makes work requests */
void send_begin(struct mx_endpoint *ep, struct mx_request *r);
bool send_requests(struct mx_endpoint *ep);
void send_completed(struct mx_endpoint *ep, struct mx_request *r);
void send_acked_and_completed(struct mx_endpoint *ep, struct mx_request *r);
void send_notify(struct mx_endpoint *ep, struct mx_request *r);
const char *send_notified(struct mx_endpoint *ep, const struct packet *p);
void post_request(struct mx_endpoint *ep, struct mx_request *r);
void post_control(struct mx_endpoint *ep, enum wire_type type);

/* recv.c, and incoming.c, which knows packets */
void recv_begin(struct mx_endpoint *ep, struct mx_request *r);
const char *recv_message(struct mx_endpoint *ep, const struct packet *p, bool *complete);
const char *incoming(struct mx_endpoint *ep, const void *from, uint32_t bytes);

/* partner.c */
const char *partner_heard(struct mx_endpoint *ep, const struct packet *p);
void partner_stamp(struct mx_endpoint *ep, struct packet *p);
bool partner_has_news(const struct mx_endpoint *ep);

/* match.c */
struct mx_request *match_receive(struct mx_endpoint *ep, uint64_t bits);
struct mx_request *match_message(struct mx_endpoint *ep, uint64_t match, uint64_t mask);

#endif /* ENDPOINT_H */
