// SPDX-License-Identifier: GPL-2.0
/* The four ways as work requests: inline, from a small room, in fragments, by rendezvous. */
#include <arpa/inet.h>
#include <endian.h>
#include <string.h>
#include "endpoint.h"

static struct packet post_packet(const struct mx_request *r, enum wire_type type)
{
	return (struct packet){ .type = type, .seq = r->seq, .length = r->length,
				.match = r->match };
}

static void post_wr(struct mx_endpoint *ep, struct mx_request *r, struct ibv_send_wr *wr)
{
	wr->wr_id = (uintptr_t)r;
	wr->send_flags |= IBV_SEND_SIGNALED;
	if (r)
		r->packets++;
	link_post_send(ep, wr);
}

/* Copied into the work request by the processor: there is no key, and nothing to keep. */
static void post_inline(struct mx_endpoint *ep, struct mx_request *r, struct packet *p,
			const void *data, uint32_t bytes)
{
	struct wire_header header;
	struct ibv_sge sge[2] = { { (uintptr_t)&header, sizeof(header) },
				  { (uintptr_t)data, bytes } };
	struct ibv_send_wr wr = { .sg_list = sge, .num_sge = bytes ? 2 : 1,
				  .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_INLINE };

	partner_stamp(ep, p);
	header = wire_pack(p);
	post_wr(ep, r, &wr);
}

/* Copied into registered memory, from where the device takes it. */
static void post_copy(struct mx_endpoint *ep, struct mx_request *r, struct packet *p, char *room,
		      uint32_t bytes)
{
	struct ibv_sge sge = { (uintptr_t)room, sizeof(struct wire_header) + bytes,
			       ep->rooms.mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND };
	struct wire_header header;

	partner_stamp(ep, p);
	header = wire_pack(p);
	memcpy(room, &header, sizeof(header));
	memcpy(room + sizeof(header), (char *)r->buffer + p->offset, bytes);
	post_wr(ep, r, &wr);
}

/* A small message is one packet, a medium one as many as it has fragments. */
static void post_copies(struct mx_endpoint *ep, struct mx_request *r, enum wire_type type)
{
	struct packet p = post_packet(r, type);
	room_packet_t *room = r->room;

	for (; p.offset < r->length; p.offset += WIRE_FRAGMENT)
		post_copy(ep, r, &p, *room++, wire_min(r->length - p.offset, WIRE_FRAGMENT));
}

/* Tiny, small or medium: the data is copied, and the device may come to it when it likes. */
static void post_buffered(struct mx_endpoint *ep, struct mx_request *r)
{
	struct packet p = post_packet(r, WIRE_TINY);

	if (r->type == SEND_TINY)
		post_inline(ep, r, &p, r->buffer, r->length);
	else
		post_copies(ep, r, r->type == SEND_SMALL ? WIRE_SMALL : WIRE_MEDIUM);
	request_step(ep, r, BUFFERED_SENDQ, BUFFERED | MCP, SEND_QUEUED);
}

static bool post_has_window(struct mx_endpoint *ep, struct mx_request *r, int access)
{
	r->window = cache_get(&ep->cache, r->buffer, r->status.xfer_length, access);
	if (r->window)
		return true;
	r->status.code = MX_BAD_MEMORY;
	r->status.xfer_length = 0;
	return false;
}

/* The rendezvous: the peer is told where the message is. */
static void post_large(struct mx_endpoint *ep, struct mx_request *r)
{
	struct packet p = post_packet(r, WIRE_LARGE);
	struct wire_window window = { 0 };

	if (r->length && post_has_window(ep, r, IBV_ACCESS_REMOTE_READ)) {
		window.address = htobe64((uintptr_t)r->buffer);
		window.rkey = htonl(r->window->mr->rkey);
	}
	post_inline(ep, r, &p, &window, sizeof(window));
	request_step(ep, r, LARGE_SENDQ, MCP, SEND_QUEUED);
}

/* iWARP places what it reads as the peer's writes: the window must allow them. */
static void post_get(struct mx_endpoint *ep, struct mx_request *r)
{
	int access = IBV_ACCESS_LOCAL_WRITE | (ep->link.iwarp ? IBV_ACCESS_REMOTE_WRITE : 0);
	struct ibv_sge sge = { (uintptr_t)r->buffer, r->status.xfer_length };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_READ,
		.wr.rdma = { be64toh(r->peer.address), ntohl(r->peer.rkey) },
	};

	if (!post_has_window(ep, r, access)) {
		send_notify(ep, r);
		return;
	}
	sge.lkey = r->window->mr->lkey;
	post_wr(ep, r, &wr);
	request_step(ep, r, LARGE_GETQ, MCP, SEND_QUEUED);
}

static void post_notify(struct mx_endpoint *ep, struct mx_request *r)
{
	struct packet p = { .type = WIRE_NOTIFY, .seq = r->seq };
	struct wire_notify notify = {
		.seq = htonl(r->peer_seq), .xfer_length = htonl(r->status.xfer_length),
		.failed = htonl(r->status.code == MX_BAD_MEMORY),
	};

	post_inline(ep, r, &p, &notify, sizeof(notify));
	request_step(ep, r, LARGE_GETQ, MCP, SEND_QUEUED);
}

void post_request(struct mx_endpoint *ep, struct mx_request *r)
{
	if (r->notifying)
		post_notify(ep, r);
	else if (r->type == RECV_LARGE)
		post_get(ep, r);
	else if (r->type == SEND_LARGE)
		post_large(ep, r);
	else
		post_buffered(ep, r);
}

/* A packet without a message. */
void post_control(struct mx_endpoint *ep, enum wire_type type)
{
	struct packet p = { .type = type };

	post_inline(ep, NULL, &p, NULL, 0);
}
