// SPDX-License-Identifier: GPL-2.0
/*
 * One end of a multicast group: UD messages, every byte and the header in front
 * of them compared.
 *
 * mcast DEVICE GID-INDEX MGID COUNT[,BYTES] receive READY-FILE [INTERFACE]
 * mcast DEVICE GID-INDEX MGID COUNT[,BYTES] send
 *
 * BYTES: the longest message, 1000 unless told; it may be one packet's at most.
 * READY-FILE is made when nothing that is sent from then on may get lost.
 * INTERFACE becomes a member of the IP group, as rdma_cm would make it: for a
 * device that leaves that to others, or a VLAN upon its own interface.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <infiniband/verbs.h>

#define QKEY 0x1ee7
#define GRH 40
#define SLOT (GRH + 4096)
#define MAX_COUNT 256

#define NEED(x) do { if (!(x)) { perror(#x); exit(1); } } while (0)

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_mr *mr;
static uint8_t *area;
static union ibv_gid mgid;
static int count;
static uint32_t most = 1000;

static void open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i;

	NEED(list);
	for (i = 0; list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			ctx = ibv_open_device(list[i]);
	NEED(ctx);
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(cq = ibv_create_cq(ctx, MAX_COUNT, NULL, NULL, 0));
	NEED(area = calloc(MAX_COUNT, SLOT));
	NEED(mr = ibv_reg_mr(pd, area, MAX_COUNT * SLOT, IBV_ACCESS_LOCAL_WRITE));
}

static void make_qp(void)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_UD,
		.cap = { .max_send_wr = MAX_COUNT, .max_recv_wr = MAX_COUNT,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY };

	NEED(qp = ibv_create_qp(pd, &init));
	NEED(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    IBV_QP_QKEY));
	a.qp_state = IBV_QPS_RTR;
	NEED(!ibv_modify_qp(qp, &a, IBV_QP_STATE));
	a.qp_state = IBV_QPS_RTS;
	NEED(!ibv_modify_qp(qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN));
}

static uint32_t length_of(int i) { return 1 + i * 397u % most; }
static uint8_t byte_of(int i, uint32_t at) { return i * 7 + at * 3 + 1; }

/* The first byte of each is another: 7 * 183 is 1 modulo 256. */
static uint8_t number_of(const uint8_t *message) { return (message[0] - 1) * 183; }

static struct ibv_wc next(void)
{
	time_t end = time(NULL) + 30;
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, &wc)) && time(NULL) < end)
		usleep(100);
	if (n != 1 || wc.status != IBV_WC_SUCCESS) {
		printf("FAIL %s\n", n == 1 ? ibv_wc_status_str(wc.status) : "nothing came");
		exit(1);
	}
	return wc;
}

static void compare(const uint8_t *slot, const struct ibv_wc *wc, int i)
{
	int is_ipv4 = !memcmp(&mgid, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
	const uint8_t *group = is_ipv4 ? mgid.raw + 12 : mgid.raw;
	int bytes = is_ipv4 ? 4 : 16;
	uint32_t j;

	if (!(wc->wc_flags & IBV_WC_GRH) || memcmp(slot + GRH - bytes, group, bytes)) {
		printf("FAIL message %d: not the group in its header\n", i);
		exit(1);
	}
	if (wc->byte_len != GRH + length_of(i)) {
		printf("FAIL message %d: %u bytes instead of %u\n", i, wc->byte_len - GRH,
		       length_of(i));
		exit(1);
	}
	for (j = 0; j < length_of(i); j++)
		if (slot[GRH + j] != byte_of(i, j)) {
			printf("FAIL message %d: byte %u\n", i, j);
			exit(1);
		}
}

static void join(const char *interface)
{
	int is_ipv4 = !memcmp(&mgid, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
	struct group_req req = { .gr_interface = if_nametoindex(interface) };
	struct sockaddr_in6 *ipv6 = (struct sockaddr_in6 *)&req.gr_group;
	struct sockaddr_in *ipv4 = (struct sockaddr_in *)&req.gr_group;
	int fd;

	NEED(req.gr_interface);
	req.gr_group.ss_family = is_ipv4 ? AF_INET : AF_INET6;
	if (is_ipv4)
		memcpy(&ipv4->sin_addr, mgid.raw + 12, 4);
	else
		memcpy(&ipv6->sin6_addr, mgid.raw, 16);
	/* A member as long as this process lives. */
	NEED((fd = socket(req.gr_group.ss_family, SOCK_DGRAM, 0)) >= 0);
	NEED(!setsockopt(fd, is_ipv4 ? IPPROTO_IP : IPPROTO_IPV6, MCAST_JOIN_GROUP, &req,
			 sizeof(req)));
}

static void receive(const char *ready, const char *interface)
{
	bool came[MAX_COUNT] = {};
	struct ibv_recv_wr *bad;
	struct ibv_wc wc;
	int i;

	for (i = 0; i < count; i++) {
		struct ibv_sge sge = { (uintptr_t)area + i * SLOT, SLOT, mr->lkey };
		struct ibv_recv_wr wr = { .wr_id = i, .sg_list = &sge, .num_sge = 1 };

		NEED(!ibv_post_recv(qp, &wr, &bad));
	}
	NEED(!ibv_attach_mcast(qp, &mgid, 0xc001));
	if (interface)
		join(interface);
	NEED(close(open(ready, O_CREAT | O_WRONLY, 0600)) == 0);
	/*
	 * Each once, in any order: a datagram passes another when its sender has
	 * moved to another CPU with a shorter queue of packets.
	 */
	for (i = 0; i < count; i++) {
		uint8_t *slot;
		int n;

		wc = next();
		slot = area + wc.wr_id * SLOT;
		n = number_of(slot + GRH);
		if (n >= count || came[n]) {
			printf("FAIL message %d for the second time, or none of them\n", n);
			exit(1);
		}
		came[n] = true;
		compare(slot, &wc, n);
	}
	NEED(!ibv_detach_mcast(qp, &mgid, 0xc001));
}

static void transmit(int gid_index)
{
	struct ibv_ah_attr to = {
		.is_global = 1, .port_num = 1, .dlid = 0xc001,
		.grh = { .dgid = mgid, .sgid_index = gid_index, .hop_limit = 8 },
	};
	struct ibv_send_wr *bad;
	struct ibv_ah *ah;
	uint32_t j;
	int i;

	NEED(ah = ibv_create_ah(pd, &to));
	for (i = 0; i < count; i++) {
		uint8_t *slot = area + i * SLOT;
		struct ibv_sge sge = { (uintptr_t)slot, length_of(i), mr->lkey };
		struct ibv_send_wr wr = {
			.wr_id = i, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
			.send_flags = IBV_SEND_SIGNALED,
			.wr.ud = { .ah = ah, .remote_qpn = 0xffffff, .remote_qkey = QKEY },
		};

		for (j = 0; j < length_of(i); j++)
			slot[j] = byte_of(i, j);
		NEED(!ibv_post_send(qp, &wr, &bad));
		next();
	}
	NEED(!ibv_destroy_ah(ah));
}

int main(int argc, char **argv)
{
	if (argc < 6 || inet_pton(AF_INET6, argv[3], &mgid) != 1) {
		fprintf(stderr, "usage: mcast DEVICE GID-INDEX MGID COUNT[,BYTES] receive FILE [INTERFACE]|send\n");
		return 2;
	}
	sscanf(argv[4], "%d,%u", &count, &most);
	NEED(count > 0 && count <= MAX_COUNT && most > 0 && most <= SLOT - GRH);
	open_device(argv[1]);
	make_qp();
	if (argc > 6)
		receive(argv[6], argv[7]);
	else
		transmit(atoi(argv[2]));
	NEED(!ibv_destroy_qp(qp));
	printf("%d messages\n", count);
	return 0;
}
