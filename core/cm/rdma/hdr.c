// SPDX-License-Identifier: GPL-2.0
/*
 * rdma_cm: the addresses in front of the private data of REQ and SIDR REQ
 * (IBA vol. 1 annex A11, "RDMA IP CM service").
 */
#include <kunit/visibility.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "cma.h"

#define VERSION 0
/* The upper half of the second byte. */
#define IPV4 0x40
#define IPV6 0x60
#define IPV_MASK 0xf0

/**
 * struct cma_hdr - as it is on the wire
 * @version: major and minor version
 * @ipv: IP version in the upper half
 * @src_port: port of the asking side; that of the other is in the service id
 * @src: address of the asking side, an IPv4 one in the last four bytes
 * @dst: address that it asks for
 */
struct cma_hdr {
	u8 version;
	u8 ipv;
	__be16 src_port;
	u8 src[16];
	u8 dst[16];
};
static_assert(sizeof(struct cma_hdr) == CMA_HDR_SIZE);

/* Where the address of an IPv4 host begins. */
#define V4_AT 12

/* Room that the header takes of the private data: none for AF_IB. */
size_t cma_hdr_room(sa_family_t family)
{
	return family == AF_IB ? 0 : CMA_HDR_SIZE;
}
EXPORT_SYMBOL_IF_KUNIT(cma_hdr_room);

static void cma_put_ip(u8 *to, const struct sockaddr *addr)
{
	if (addr->sa_family == AF_INET)
		memcpy(to + V4_AT, &((struct sockaddr_in *)addr)->sin_addr,
		       sizeof(struct in_addr));
	else
		memcpy(to, &((struct sockaddr_in6 *)addr)->sin6_addr,
		       sizeof(struct in6_addr));
}

/**
 * cma_hdr_build - write the header
 * @data: CMA_HDR_SIZE bytes
 * @src: local address with port
 * @dst: remote address, of the same family
 *
 * Pure. Return: 0, or -EINVAL for other families than IPv4 and IPv6.
 */
int cma_hdr_build(void *data, const struct sockaddr *src,
		  const struct sockaddr *dst)
{
	struct cma_hdr hdr = { .version = VERSION };

	if (src->sa_family != dst->sa_family)
		return -EINVAL;
	if (src->sa_family == AF_INET)
		hdr.ipv = IPV4;
	else if (src->sa_family == AF_INET6)
		hdr.ipv = IPV6;
	else
		return -EINVAL;
	hdr.src_port = cma_port_of(src);
	cma_put_ip(hdr.src, src);
	cma_put_ip(hdr.dst, dst);
	memcpy(data, &hdr, sizeof(hdr));
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(cma_hdr_build);

static void cma_get_ip(struct sockaddr *addr, u8 ipv, const u8 *from, __be16 port)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;
	struct sockaddr_in *in = (struct sockaddr_in *)addr;

	if (ipv == IPV4) {
		memset(in, 0, sizeof(*in));
		in->sin_family = AF_INET;
		memcpy(&in->sin_addr, from + V4_AT, sizeof(in->sin_addr));
	} else {
		memset(in6, 0, sizeof(*in6));
		in6->sin6_family = AF_INET6;
		memcpy(&in6->sin6_addr, from, sizeof(in6->sin6_addr));
	}
	cma_set_port(addr, port);
}

/**
 * cma_hdr_parse - read the header of a request
 * @data: private data, CMA_HDR_SIZE bytes at least
 * @service_id: service asked for
 * @local: out: the local address, room for a sockaddr_storage
 * @remote: out: the peer's address
 *
 * Pure. Return: 0, -EAFNOSUPPORT when there is no IP version (the private data
 * of a request between AF_IB addresses has no header and is all the
 * consumer's), -EINVAL for a version of the header that is not known.
 */
int cma_hdr_parse(const void *data, __be64 service_id, struct sockaddr *local,
		  struct sockaddr *remote)
{
	struct cma_hdr hdr;
	u8 ipv;

	memcpy(&hdr, data, sizeof(hdr));
	if (hdr.version != VERSION)
		return -EINVAL;
	ipv = hdr.ipv & IPV_MASK;
	if (ipv != IPV4 && ipv != IPV6)
		return -EAFNOSUPPORT;
	cma_get_ip(local, ipv, hdr.dst, cma_port_of_service(service_id));
	cma_get_ip(remote, ipv, hdr.src, hdr.src_port);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(cma_hdr_parse);

/**
 * cma_private_data - private data of a request: header, then the consumer's
 * @id: id that connects
 * @param: what the consumer has to say
 * @limit: how much the message holds
 * @length: out: length
 *
 * Context: process, may sleep. Return: the data, to be freed with kfree(), NULL
 * when its length is 0; or ERR_PTR: -EINVAL (too long), -ENOMEM.
 */
void *cma_private_data(struct cma_id *id, const struct rdma_conn_param *param,
		       u8 limit, u8 *length)
{
	size_t head = cma_hdr_room(cma_family(id));
	size_t own = param->private_data ? param->private_data_len : 0;
	u8 *data;
	int ret;

	if (head + own > limit)
		return ERR_PTR(-EINVAL);
	*length = head + own;
	if (!*length)
		return NULL;
	data = kzalloc(*length, GFP_KERNEL);
	if (!data)
		return ERR_PTR(-ENOMEM);
	if (head) {
		ret = cma_hdr_build(data, cma_src(id), cma_dst(id));
		if (ret) {
			kfree(data);
			return ERR_PTR(ret);
		}
	}
	if (own)
		memcpy(data + head, param->private_data, own);
	return data;
}
