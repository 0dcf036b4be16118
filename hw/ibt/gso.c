// SPDX-License-Identifier: GPL-2.0
/*
 * Runs: packets of one message that are equally long on the wire, but for the
 * last, go through the network stack as one skb, if the link has a way. What is
 * done once for each trip is most of the cost of a packet of 4 KiB. So do messages
 * of one packet each, to the same peer, that are equally long.
 *
 * Each packet lies in one piece: a page has as many as fit.
 */
#include <linux/mm.h>
#include <linux/percpu.h>

#include "crc.h"
#include "dev.h"
#include "inject.h"
#include "icrc.h"
#include "link.h"
#include "opcode.h"
#include "pkt.h"
#include "port.h"
#include "gso.h"
#include "stats.h"
#include "trace.h"
#include "tx.h"
#include "wire.h"

/* Of a page of a run. Larger ones are hard to get, and not kept per CPU. */
#define PAGE_ORDER	PAGE_ALLOC_COSTLY_ORDER

/*
 * Pages that a processor keeps, a MiB at most: what is on its way at a time. With fewer,
 * most are still in use when their turn comes.
 */
#define RING		32

/* Bytes from BTH to ICRC. */
static u32 ibt_wire_bytes(const struct ibt_opcode *op, u32 length)
{
	return op->length + ALIGN(length, 4) + IBT_ICRC_BYTES;
}

/* How many may leave together: from the next on, up to one that would be longer. */
static u32 ibt_equal_packets(const struct ibt_seg_desc *rest, u32 size, u32 most)
{
	u32 packets = ibt_packets(rest->left, rest->mtu);
	u32 last = rest->left - (packets - 1) * rest->mtu;

	if (packets > most)
		return most;
	return ibt_wire_bytes(rest->end, last) <= size ? packets : packets - 1;
}

/* What the link takes now. Injection wants to see single packets. */
static u32 ibt_link_most(const struct ibt_path *path, u32 size)
{
	const struct ibt_dev *dev = path->port->dev;

	if (!dev->link->run || ibt_fault_active(dev))
		return 1;
	return dev->link->run(path, size);
}

static u8 *ibt_packet_at(const struct ibt_gso *run, u32 index)
{
	return (u8 *)page_address(run->pages[index / run->in_page]) +
	       index % run->in_page * run->size;
}

/**
 * struct page_ring - pages of the GSO skbs that one processor has sent
 * @pages: each with a reference; of any order
 * @next: the one that was used the longest time ago
 *
 * A page is used again once the ring holds its only reference. Where memory is cleared as it
 * is allocated (init_on_alloc), to clear a new page costs half as much as to copy the payload.
 */
struct page_ring {
	struct page *pages[RING];
	u32 next;
};

/* Used with softirqs disabled. */
static DEFINE_PER_CPU(struct page_ring, page_ring);

/* A new one takes the place of what is still in use. */
static struct page *ibt_get_page_of_ring(u32 order, gfp_t gfp)
{
	struct page_ring *ring = this_cpu_ptr(&page_ring);
	struct page **place = &ring->pages[ring->next];
	struct page *page = *place;

	ring->next = (ring->next + 1) % RING;
	/* A reader puts its reference after it has read the page: later writes are safe. */
	if (!page || page_count(page) > 1 || compound_order(page) < order) {
		page = alloc_pages(gfp | __GFP_COMP, order);
		if (!page)
			return NULL;
		if (*place)
			put_page(*place);
		*place = page;
	}
	get_page(page);
	return page;
}

/**
 * ibt_gso_exit - free the pages that are kept for GSO skbs
 *
 * Context: process; no queue pair is left that sends.
 */
void ibt_gso_exit(void)
{
	struct page_ring *ring;
	int cpu, i;

	for_each_possible_cpu(cpu) {
		ring = per_cpu_ptr(&page_ring, cpu);
		for (i = 0; i < RING; i++)
			if (ring->pages[i])
				put_page(ring->pages[i]);
	}
}

/* @run->most becomes what there is memory for. */
static void ibt_get_pages(struct ibt_gso *run, u32 order, gfp_t gfp)
{
	u32 wanted;

	run->page_bytes = PAGE_SIZE << order;
	run->in_page = run->page_bytes / run->size;
	wanted = min_t(u32, DIV_ROUND_UP(run->most, run->in_page),
		       MAX_SKB_FRAGS);
	while (run->num_pages < wanted) {
		struct page *page = ibt_get_page_of_ring(order, gfp);

		if (!page)
			break;
		run->pages[run->num_pages++] = page;
	}
	run->most = min(run->most, run->num_pages * run->in_page);
}

static void ibt_put_pages(struct ibt_gso *run, u32 used)
{
	while (run->num_pages > used)
		put_page(run->pages[--run->num_pages]);
}

static bool ibt_get_memory(struct ibt_gso *run)
{
	u32 front = ALIGN(run->path->headroom, 16);
	u32 least = get_order(run->size);
	u32 order = clamp_t(u32, get_order(run->most * run->size), least,
			    max_t(u32, least, PAGE_ORDER));

	ibt_get_pages(run, order, GFP_NOWAIT | __GFP_NOWARN);
	/* One is no run: the caller will find memory for it, or count. */
	if (run->most < 2) {
		ibt_put_pages(run, 0);
		return false;
	}
	run->skb = alloc_skb(front, GFP_NOWAIT | __GFP_NOWARN);
	if (!run->skb) {
		ibt_put_pages(run, 0);
		return false;
	}
	skb_reserve(run->skb, front);
	return true;
}

/* @most packets of @size bytes. False: they are to be sent one by one. */
static bool ibt_run_begin(struct ibt_gso *run, struct ibt_path *path, u32 size, u32 most)
{
	if (most < 2)
		return false;
	run->path = path;
	run->num_pages = 0;
	run->most = most;
	run->packets = 0;
	run->size = size;
	run->last = 0;
	return ibt_get_memory(run);
}

/**
 * ibt_gso_begin - begin with packets that leave together
 * @run: filled in; ibt_gso_xmit() ends it
 * @path: where they go; the caller has a reference until then
 * @rest: what is to be sent
 * @most: packets that may leave now
 *
 * Context: softirqs disabled until ibt_gso_xmit().
 *
 * Return: false: the next packet is to be sent alone. There is nothing to end.
 */
bool ibt_gso_begin(struct ibt_gso *run, struct ibt_path *path,
		   const struct ibt_seg_desc *rest, u32 most)
{
	u32 size = ibt_wire_bytes(rest->next, rest->mtu);

	if (most < 2 || rest->left <= rest->mtu ||
	    rest->next->length > rest->middle->length)
		return false;
	return ibt_run_begin(run, path, size,
			     ibt_equal_packets(rest, size,
					       min(most, ibt_link_most(path, size))));
}

/**
 * ibt_gso_begin_msgs - begin with messages of one packet that leave together
 * @run: filled in; ibt_gso_xmit() ends it
 * @path: where they go; the caller has a reference until then
 * @op: what each packet is
 * @length: bytes of payload in each
 * @most: of them
 *
 * Context: softirqs disabled until ibt_gso_xmit().
 *
 * Return: false: the next packet is to be sent alone. There is nothing to end.
 */
bool ibt_gso_begin_msgs(struct ibt_gso *run, struct ibt_path *path,
			const struct ibt_opcode *op, u32 length, u32 most)
{
	u32 size = ibt_wire_bytes(op, length);

	if (most < 2)
		return false;
	return ibt_run_begin(run, path, size, min(most, ibt_link_most(path, size)));
}

/**
 * ibt_gso_payload_ptr - where the next payload is to be copied
 * @run: has fewer than @run->most packets
 * @op: what the packet is
 *
 * Nothing has to be taken back if nothing can be copied there.
 *
 * Context: softirqs disabled.
 */
u8 *ibt_gso_payload_ptr(const struct ibt_gso *run, const struct ibt_opcode *op)
{
	return ibt_packet_at(run, run->packets) + op->length;
}

/**
 * ibt_gso_add_pkt - a packet is a part of the run
 * @run: what ibt_gso_payload_ptr() said is filled
 * @pkt: its headers, as ibt_tx() wants them
 * @length: of its payload
 *
 * Context: softirqs disabled.
 */
void ibt_gso_add_pkt(struct ibt_gso *run, struct ibt_pkt *pkt, u32 length)
{
	u8 *at = ibt_packet_at(run, run->packets++);

	pkt->length = length;
	pkt->pad = ALIGN(length, 4) - length;
	pkt->payload = pkt->op->length;
	ibt_hdr_write(pkt, at);
	memset(at + pkt->payload + length, 0, pkt->pad);
	run->last = ibt_wire_bytes(pkt->op, length);
	trace_ibt_tx(run->path->port->dev, pkt);
}

/**
 * ibt_gso_set_ackreq - ask the peer for an answer to the last packet
 * @run: of a reliable queue pair; has packets
 *
 * That acknowledges those in front of it.
 *
 * Context: softirqs disabled.
 */
void ibt_gso_set_ackreq(const struct ibt_gso *run)
{
	struct ibt_wire_bth *bth = (void *)ibt_packet_at(run, run->packets - 1);

	bth->psn |= cpu_to_be32(IBT_BTH_ACKREQ);
}

static u32 ibt_bytes_of(const struct ibt_gso *run, u32 index)
{
	return index + 1 == run->packets ? run->last : run->size;
}

/* The pages that are in use become the skb's. */
static void ibt_attach_pages(struct ibt_gso *run)
{
	u32 used = DIV_ROUND_UP(run->packets, run->in_page);
	u32 left = (run->packets - 1) * run->size + run->last;
	u32 i, bytes;

	ibt_put_pages(run, used);
	for (i = 0; i < used; i++) {
		bytes = min(left, run->in_page * run->size);
		skb_add_rx_frag(run->skb, i, run->pages[i], 0, bytes,
				run->page_bytes);
		left -= bytes;
	}
}

/* Of @n packets from @index on, which are equally long. */
static void ibt_add_icrcs_of(const struct ibt_gso *run, u32 index, u32 n)
{
	u32 length = ibt_bytes_of(run, index);
	struct ibt_icrc_batch icrcs = { .n = 0 };
	__le32 icrc;
	u32 i;

	for (i = index; i < index + n; i++)
		ibt_icrcs_add(&icrcs, ibt_packet_at(run, i),
			      ibt_tx_seed(run->skb, run->path, i, length));
	ibt_icrcs_end(&icrcs, length);
	for (i = 0; i < n; i++) {
		icrc = ibt_icrcs_of(&icrcs, i);
		memcpy(ibt_packet_at(run, index + i) + length - sizeof(icrc), &icrc,
		       sizeof(icrc));
	}
}

static void ibt_add_icrcs(const struct ibt_gso *run)
{
	u32 most = ibt_crc32_most();
	u32 i, n;

	for (i = 0; i < run->packets; i += n) {
		n = min(most, run->packets - i);
		/* The last one may be shorter. */
		if (n > 1 && i + n == run->packets && run->last != run->size)
			n--;
		ibt_add_icrcs_of(run, i, n);
	}
}

/**
 * ibt_gso_xmit - send the packets of a run
 * @run: none of it is left
 * @flow: the same for all packets of a queue pair
 *
 * Context: softirqs disabled, interrupts enabled; locks of a queue pair may be held.
 *
 * Return: 0, or -EAGAIN: they are on their way, but wait for ibt_tx_wake(). Of
 * none: 0.
 */
int ibt_gso_xmit(struct ibt_gso *run, u32 flow)
{
	const struct ibt_link_ops *link = run->path->port->dev->link;
	struct sk_buff *skb = run->skb;
	u32 bytes, front;

	if (!run->packets) {
		ibt_put_pages(run, 0);
		kfree_skb(skb);
		return 0;
	}
	ibt_attach_pages(run);
	bytes = skb->len;
	skb_reset_transport_header(skb);
	link->build(skb, run->path, flow, run->packets > 1 ? run->size : 0);
	front = skb->len - bytes;
	__skb_pull(skb, front);
	ibt_add_icrcs(run);
	__skb_push(skb, front);
	if (run->packets > 1)
		ibt_count(run->path->port->dev, IBT_STAT_TX_RUNS);
	return ibt_tx_link(run->path, skb, run->packets, bytes);
}
