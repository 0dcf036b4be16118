// SPDX-License-Identifier: GPL-2.0
/*
 * Every completion status and every asynchronous event that the InfiniBand
 * specification names (vol. 1, 11.6.2 and 11.6.3), each by its real cause.
 *
 * usage: statuses DEVICE GID-INDEX NETDEV LOOPBACK
 *
 * Side 0 asks, side 1 answers; both are queue pairs of DEVICE. A row says what
 * either side must see: completions, events and states, and nothing else. All
 * rows run without packets and with them, by the module parameter LOOPBACK (a
 * file), and must look the same. Those at the end are of the port, on NETDEV,
 * and of the device, which is gone afterwards.
 */
#include <arpa/inet.h>
#include <netinet/ip.h>
#include <netinet/udp.h>

#include "statuses.h"

/* ---- causes: completion statuses ----------------------------------------- */

static void plain_send(void)
{
	receive(4096);
	ask(IBV_WR_SEND, 4096);
}

static void short_receive(void)
{
	receive(16);
	ask(IBV_WR_SEND, 64);
}

static void short_receive_long(void)
{
	receive(MTU + 1);
	ask(IBV_WR_SEND, 3 * MTU);
}

static void long_datagram(void)
{
	ask(IBV_WR_SEND, 5000);
}

static void unknown_opcode(void)
{
	struct ibv_send_wr wr = { .opcode = 77 };

	ask_with(wr, piece(&side[0], 8));
}

static void read_request(void)
{
	ask(IBV_WR_RDMA_READ, 8);
}

static void alien_handle(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND, .wr.ud.ah = foreign_ah };

	ask_with(wr, piece(&side[0], 8));
}

static void wrong_lkey(enum ibv_wr_opcode opcode, uint32_t length)
{
	struct ibv_send_wr wr = { .opcode = opcode };
	struct ibv_sge sge = piece(&side[0], length);

	if (opcode == IBV_WR_RDMA_READ) {
		wr.wr.rdma.remote_addr = (uintptr_t)side[1].area;
		wr.wr.rdma.rkey = side[1].mr->rkey;
	}
	sge.lkey ^= 0x5a;
	ask_with(wr, sge);
}

static void send_wrong_lkey(void) { receive(8); wrong_lkey(IBV_WR_SEND, 8); }
static void send_wrong_lkey_long(void) { receive(AREA); wrong_lkey(IBV_WR_SEND, 3 * MTU); }
static void read_wrong_lkey(void) { wrong_lkey(IBV_WR_RDMA_READ, 8); }
static void datagram_wrong_lkey(void) { wrong_lkey(IBV_WR_SEND, 8); }

static void send_past_region(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	struct ibv_sge sge = piece(&side[0], 8);

	receive(8);
	sge.addr += AREA - 4;
	ask_with(wr, sge);
}

static void receive_wrong_lkey(void)
{
	struct ibv_sge sge = piece(&side[1], 4096);

	sge.lkey ^= 0x5a;
	receive_into(sge);
	ask(IBV_WR_SEND, 8);
}

/* Nothing may be written by it: plain_mr is of side 1, for reading only. */
static void receive_read_only(void)
{
	receive_into((struct ibv_sge){ (uintptr_t)plain_mr->addr, 4096, plain_mr->lkey });
	ask(IBV_WR_SEND, 8);
}

static void error_with_receive(void)
{
	receive(8);
	to_state(1, IBV_QPS_ERR);
}

static void error_with_send(void)
{
	ask(IBV_WR_SEND, 8);
	to_state(0, IBV_QPS_ERR);
}

static void bind_without_right(void)
{
	struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
	struct ibv_send_wr *bad, wr = { .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED };

	NEED(mw);
	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
	wr.bind_mw.bind_info = (struct ibv_mw_bind_info){
		.mr = plain_mr, .addr = (uintptr_t)plain_mr->addr, .length = 8,
		.mw_access_flags = IBV_ACCESS_REMOTE_READ,
	};
	NEED(!ibv_post_send(side[0].qp, &wr, &bad));
	settle();
	NEED(!ibv_dealloc_mw(mw));
}

static void invalidate_nothing(void)
{
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_LOCAL_INV, .send_flags = IBV_SEND_SIGNALED,
		.invalidate_rkey = bad_key(),
	};

	NEED(!ibv_post_send(side[0].qp, &wr, &bad));
}

static void write_imm(uint32_t length)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.wr.rdma = { (uintptr_t)side[1].area, bad_key() },
	};

	receive(8);
	ask_with(wr, piece(&side[0], length));
}

static void write_imm_wrong_key(void) { write_imm(8); }
static void write_imm_wrong_key_long(void) { write_imm(3 * MTU); }

static void invalidate_wrong_key(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND_WITH_INV, .invalidate_rkey = bad_key() };

	receive(8);
	ask_with(wr, piece(&side[0], 8));
}

static void write_request(void) { ask(IBV_WR_RDMA_WRITE, 8); }
static void write_wrong_key(void) { ask_key(IBV_WR_RDMA_WRITE, 8, bad_key()); }
static void write_wrong_key_long(void) { ask_key(IBV_WR_RDMA_WRITE, 3 * MTU, bad_key()); }
static void read_wrong_key(void) { ask_key(IBV_WR_RDMA_READ, 3 * MTU, bad_key()); }
static void write_no_right(void) { ask_key(IBV_WR_RDMA_WRITE, 8, plain_mr->rkey); }

static void read_past_region(void)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_READ,
		.wr.rdma = { (uintptr_t)side[1].area + AREA - 4, side[1].mr->rkey },
	};

	ask_with(wr, piece(&side[0], 8));
}

static void atomic_no_right(void)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
		.wr.atomic = { .remote_addr = (uintptr_t)plain_mr->addr, .rkey = plain_mr->rkey,
			       .compare_add = 1 },
	};

	ask_with(wr, piece(&side[0], 8));
}

static void lonely_send(void)
{
	ask(IBV_WR_SEND, 8);
}

/* ---- causes: a forged packet --------------------------------------------- */

static uint32_t crc32(uint32_t crc, const uint8_t *data, size_t length)
{
	while (length--) {
		crc ^= *data++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

struct forged {
	struct iphdr ip;
	struct udphdr udp;
	uint8_t bth[12];
	uint8_t aeth[4];
	uint8_t payload[8];
	uint32_t icrc;
} __attribute__((packed));

/* IBA annex A17: what routers change is covered as ones. */
static uint32_t icrc_of(struct forged f)
{
	uint8_t lrh[8];

	memset(lrh, 0xff, sizeof(lrh));
	f.ip.tos = 0xff;
	f.ip.ttl = 0xff;
	f.ip.check = 0xffff;
	f.udp.check = 0xffff;
	f.bth[4] = 0xff;
	return ~crc32(crc32(~0u, lrh, 8), (uint8_t *)&f, offsetof(struct forged, icrc));
}

/* An answer to side 0's READ of 64 bytes that has 8 of them only. */
static void forge_answer(void)
{
	const uint32_t qpn = side[0].qp->qp_num;
	struct forged f = {
		.ip = { .version = 4, .ihl = 5, .tot_len = htons(sizeof(f)), .id = htons(0x4242),
			.frag_off = htons(0x4000), .ttl = 64, .protocol = IPPROTO_UDP },
		.udp = { .source = htons(0xc123), .dest = htons(4791),
			 .len = htons(sizeof(f) - sizeof(f.ip)) },
		.bth = { 0x10, 0x40, 0xff, 0xff, 0, qpn >> 16, qpn >> 8, qpn,
			 0, PSN >> 16, PSN >> 8 & 0xff, PSN & 0xff },
		.aeth = { 0x1f, 0, 0, 1 },
	};
	struct sockaddr_in to = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);

	NEED(fd >= 0);
	memcpy(&f.ip.saddr, gid.raw + 12, 4);
	memcpy(&f.ip.daddr, gid.raw + 12, 4);
	memcpy(&to.sin_addr, gid.raw + 12, 4);
	f.icrc = icrc_of(f);
	NEED(sendto(fd, &f, sizeof(f), 0, (struct sockaddr *)&to, sizeof(to)) == sizeof(f));
	close(fd);
}

static void forged_read(void)
{
	ask(IBV_WR_RDMA_READ, 64);
	/* A worker may be the one that sends it. */
	doze(100);
	forge_answer();
}

/* ---- causes: events ------------------------------------------------------ */

static void two_sends(void)
{
	receive(8);
	receive(8);
	ask(IBV_WR_SEND, 8);
	ask(IBV_WR_SEND, 8);
}

static void drain(void)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1 };

	ask(IBV_WR_SEND, 8);
	/* In state SQD only what was sent before is completed. */
	doze(100);
	NEED(!ibv_modify_qp(side[0].qp, &a, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY));
	doze(30);
	collect_events();
	if (side[0].events)
		wrong = "drained while a request has no answer";
	receive(8);
}

static void limit(void)
{
	struct ibv_srq_attr a = { .srq_limit = 2 };

	receive(8);
	receive(8);
	NEED(!ibv_modify_srq(side[1].srq, &a, IBV_SRQ_LIMIT));
	ask(IBV_WR_SEND, 8);
}

static void last_wqe(void)
{
	receive(8);
	to_state(1, IBV_QPS_ERR);
}

/* ---- the table ----------------------------------------------------------- */

#define ERR IBV_QPS_ERR
#define SQE IBV_QPS_SQE
#define BOTH .state = { ERR, ERR }
#define ASKER .state = { ERR }

static const struct row rows[] = {
	{ "SUCCESS", "a message", plain_send, .send = S(SUCCESS), .recv = S(SUCCESS) },
	{ "LOC_LEN_ERR, REM_INV_REQ_ERR", "a SEND longer than the receive", short_receive,
	  .send = S(REM_INV_REQ_ERR), .recv = S(LOC_LEN_ERR), BOTH },
	{ "LOC_LEN_ERR, REM_INV_REQ_ERR", "the same in several packets", short_receive_long,
	  .send = S(REM_INV_REQ_ERR), .recv = S(LOC_LEN_ERR), BOTH },
	{ "LOC_LEN_ERR", "a datagram longer than the MTU", long_datagram, IBV_QPT_UD,
	  .send = S(LOC_LEN_ERR), .state = { SQE } },
	{ "LOC_QP_OP_ERR", "no such opcode", unknown_opcode, .send = S(LOC_QP_OP_ERR), ASKER },
	{ "LOC_QP_OP_ERR", "READ on UC", read_request, IBV_QPT_UC,
	  .send = S(LOC_QP_OP_ERR), .state = { SQE } },
	{ "LOC_QP_OP_ERR", "an address handle of another PD", alien_handle, IBV_QPT_UD,
	  .send = S(LOC_QP_OP_ERR), .state = { SQE } },
	{ "LOC_PROT_ERR", "SEND by a wrong lkey", send_wrong_lkey, .send = S(LOC_PROT_ERR), ASKER },
	{ "LOC_PROT_ERR", "a long SEND by a wrong lkey", send_wrong_lkey_long,
	  .send = S(LOC_PROT_ERR), ASKER },
	{ "LOC_PROT_ERR", "SEND from behind the region", send_past_region,
	  .send = S(LOC_PROT_ERR), ASKER },
	{ "LOC_PROT_ERR", "READ to a wrong lkey", read_wrong_lkey, .send = S(LOC_PROT_ERR), ASKER },
	{ "LOC_PROT_ERR", "SEND by a wrong lkey, UC", send_wrong_lkey, IBV_QPT_UC,
	  .send = S(LOC_PROT_ERR), .state = { SQE } },
	{ "LOC_PROT_ERR", "SEND by a wrong lkey, UD", datagram_wrong_lkey, IBV_QPT_UD,
	  .send = S(LOC_PROT_ERR), .state = { SQE } },
	{ "LOC_PROT_ERR, REM_OP_ERR", "a receive with a wrong lkey", receive_wrong_lkey,
	  .send = S(REM_OP_ERR), .recv = S(LOC_PROT_ERR), BOTH },
	{ "LOC_PROT_ERR, REM_OP_ERR", "a receive into read-only memory", receive_read_only,
	  .send = S(REM_OP_ERR), .recv = S(LOC_PROT_ERR), BOTH },
	{ "LOC_PROT_ERR", "a receive with a wrong lkey, UC", receive_wrong_lkey, IBV_QPT_UC,
	  .send = S(SUCCESS), .recv = S(LOC_PROT_ERR), .state = { 0, ERR } },
	{ "LOC_PROT_ERR", "a receive with a wrong lkey, UD", receive_wrong_lkey, IBV_QPT_UD,
	  .send = S(SUCCESS), .recv = S(LOC_PROT_ERR), .state = { 0, ERR } },
	{ "WR_FLUSH_ERR", "a receive in the error state", error_with_receive,
	  .recv = S(WR_FLUSH_ERR), .state = { 0, ERR } },
	{ "WR_FLUSH_ERR", "a send without an answer in the error state", error_with_send,
	  .send = S(WR_FLUSH_ERR), ASKER },
	{ "MW_BIND_ERR", "a window on a region that allows none", bind_without_right,
	  .send = S(MW_BIND_ERR), ASKER },
	{ "MW_BIND_ERR", "LOCAL_INV of a key that is none", invalidate_nothing,
	  .send = S(MW_BIND_ERR), ASKER },
	{ "BAD_RESP_ERR", "a forged READ response of the wrong length", forged_read,
	  .state_1 = IBV_QPS_INIT, .timeout = 20, .send = S(BAD_RESP_ERR), ASKER },
	{ "LOC_ACCESS_ERR, REM_ACCESS_ERR", "WRITE with immediate by a wrong rkey",
	  write_imm_wrong_key, .send = S(REM_ACCESS_ERR), .recv = S(LOC_ACCESS_ERR), BOTH },
	{ "LOC_ACCESS_ERR, REM_ACCESS_ERR", "SEND with invalidate of a wrong rkey",
	  invalidate_wrong_key, .send = S(REM_ACCESS_ERR), .recv = S(LOC_ACCESS_ERR), BOTH },
	/* No receive is taken before the last packet. */
	{ "REM_ACCESS_ERR, QP_ACCESS_ERR", "a long WRITE with immediate by a wrong rkey",
	  write_imm_wrong_key_long, .send = S(REM_ACCESS_ERR), .recv = S(WR_FLUSH_ERR),
	  .events = { 0, EV(QP_ACCESS_ERR) }, BOTH },
	{ "REM_INV_REQ_ERR, QP_REQ_ERR", "WRITE to a queue pair that allows none", write_request,
	  .rights_1 = NO_RIGHTS, .send = S(REM_INV_REQ_ERR), .events = { 0, EV(QP_REQ_ERR) }, BOTH },
	{ "REM_INV_REQ_ERR, QP_REQ_ERR", "READ from a queue pair that allows none", read_request,
	  .rights_1 = IBV_ACCESS_REMOTE_WRITE, .send = S(REM_INV_REQ_ERR),
	  .events = { 0, EV(QP_REQ_ERR) }, BOTH },
	{ "REM_ACCESS_ERR, QP_ACCESS_ERR", "WRITE by a wrong rkey", write_wrong_key,
	  .send = S(REM_ACCESS_ERR), .events = { 0, EV(QP_ACCESS_ERR) }, BOTH },
	{ "REM_ACCESS_ERR, QP_ACCESS_ERR", "a long WRITE by a wrong rkey", write_wrong_key_long,
	  .send = S(REM_ACCESS_ERR), .events = { 0, EV(QP_ACCESS_ERR) }, BOTH },
	{ "REM_ACCESS_ERR, QP_ACCESS_ERR", "WRITE to a region that allows none", write_no_right,
	  .send = S(REM_ACCESS_ERR), .events = { 0, EV(QP_ACCESS_ERR) }, BOTH },
	{ "REM_ACCESS_ERR, QP_ACCESS_ERR", "a long READ by a wrong rkey", read_wrong_key,
	  .send = S(REM_ACCESS_ERR), .events = { 0, EV(QP_ACCESS_ERR) }, BOTH },
	{ "REM_ACCESS_ERR, QP_ACCESS_ERR", "READ from behind the region", read_past_region,
	  .send = S(REM_ACCESS_ERR), .events = { 0, EV(QP_ACCESS_ERR) }, BOTH },
	{ "REM_ACCESS_ERR, QP_ACCESS_ERR", "FETCH_ADD in a region that allows none",
	  atomic_no_right, .send = S(REM_ACCESS_ERR), .events = { 0, EV(QP_ACCESS_ERR) }, BOTH },
	{ "RETRY_EXC_ERR", "a peer that is not there yet", lonely_send, .state_1 = IBV_QPS_INIT,
	  .retry = 1, .timeout = 12, .send = S(RETRY_EXC_ERR), ASKER },
	{ "RNR_RETRY_EXC_ERR", "a peer without receives", lonely_send, .rnr_retry = 1,
	  .send = S(RNR_RETRY_EXC_ERR), ASKER },

	{ "(none)", "UC: a SEND longer than the receive is dropped", short_receive, IBV_QPT_UC,
	  .send = S(SUCCESS) },
	{ "(none)", "UC: WRITE by a wrong rkey is dropped", write_wrong_key, IBV_QPT_UC,
	  .send = S(SUCCESS) },
	{ "(none)", "UD: a datagram without a receive is dropped", lonely_send, IBV_QPT_UD,
	  .send = S(SUCCESS) },

	{ "CQ_ERR, QP_FATAL", "the CQ of receives overflows", two_sends, .recv_cqe = 1,
	  .poll_late = true, .send = S(SUCCESS), .recv = S(SUCCESS),
	  .events = { 0, EV(QP_FATAL) }, .other = EV(CQ_ERR), .state = { 0, ERR } },
	{ "COMM_EST", "a message in state RTR", plain_send, .state_1 = IBV_QPS_RTR,
	  .send = S(SUCCESS), .recv = S(SUCCESS), .events = { 0, EV(COMM_EST) } },
	{ "SQ_DRAINED", "the last answer in state SQD", drain, .send = S(SUCCESS),
	  .recv = S(SUCCESS), .events = { EV(SQ_DRAINED) }, .state = { IBV_QPS_SQD } },
	{ "SRQ_LIMIT_REACHED", "fewer receives than the limit", limit, .srq = true,
	  .send = S(SUCCESS), .recv = S(SUCCESS), .other = EV(SRQ_LIMIT_REACHED) },
	{ "QP_LAST_WQE_REACHED", "the error state of a queue pair with an SRQ", last_wqe,
	  .srq = true, .events = { 0, EV(QP_LAST_WQE_REACHED) }, .state = { 0, ERR } },
	{ "QP_LAST_WQE_REACHED", "the same by a failure", write_wrong_key, .srq = true,
	  .send = S(REM_ACCESS_ERR),
	  .events = { 0, EV(QP_ACCESS_ERR) | EV(QP_LAST_WQE_REACHED) }, BOTH },
};

/* ---- port and device ----------------------------------------------------- */

/* @command makes @event, and no other one. */
static void shell_row(const char *name, const char *command, uint32_t event, uint32_t also)
{
	char line[256];
	int left = 3000, calm = 100;

	snprintf(line, sizeof(line), command, netdev);
	collect_events();
	other_events = 0;
	NEED(!system(line));
	while (left-- && calm) {
		collect_events();
		if ((other_events & event) == event)
			calm--;
		doze(1);
	}
	if ((other_events & ~also) != event)
		printf("     | events: %x, not %x\n", other_events, event);
	verdict((other_events & ~also) == event, "of the port", name, line);
}

static void port_rows(void)
{
	shell_row("PORT_ERR", "ip link set %s down", EV(PORT_ERR), EV(GID_CHANGE));
	shell_row("PORT_ACTIVE", "ip link set %s up", EV(PORT_ACTIVE), EV(GID_CHANGE));
	shell_row("GID_CHANGE", "ip addr add 10.99.0.1/24 dev %s", EV(GID_CHANGE), 0);
	shell_row("GID_CHANGE", "ip addr del 10.99.0.1/24 dev %s", EV(GID_CHANGE), 0);
}

/* The core takes alternate paths on InfiniBand only, as the kernel's own does. */
static void migration_row(void)
{
	struct ibv_qp_attr a = {
		.path_mig_state = IBV_MIG_REARM, .alt_port_num = 1, .alt_timeout = 14,
		.alt_ah_attr = { .is_global = 1, .port_num = 1,
				 .grh = { .dgid = gid, .sgid_index = gid_index, .hop_limit = 64 } },
	};
	int ret;

	row = &rows[0];
	set_up();
	ret = ibv_modify_qp(side[0].qp, &a, IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE);
	verdict(ret == EINVAL, "Ethernet", "PATH_MIG, PATH_MIG_ERR", "no alternate path is taken");
	tear_down();
	printf("n/a  LID_CHANGE, PKEY_CHANGE, SM_CHANGE, CLIENT_REREGISTER: there is no subnet manager\n");
	printf("n/a  SRQ_ERR: needs XRC, see xrc_rereg\n");
}

static void device_row(void)
{
	char line[128];

	snprintf(line, sizeof(line), "rdma link delete %s", dev_name);
	shell_row("DEVICE_FATAL", line, EV(DEVICE_FATAL), EV(PORT_ERR) | EV(GID_CHANGE));
}

/* ---- all of it ----------------------------------------------------------- */

static long local_messages(void)
{
	char path[160];
	long value = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/hw_counters/local_messages",
		 dev_name);
	f = fopen(path, "r");
	NEED(f && fscanf(f, "%ld", &value) == 1);
	fclose(f);
	return value;
}

static void run_all(const char *file, bool on)
{
	const char *way = on ? "without packets" : "by packets";
	FILE *f = fopen(file, "w");
	long before = local_messages();

	NEED(f && fprintf(f, "%d\n", on) > 0 && !fclose(f));
	for (row = rows; row < rows + sizeof(rows) / sizeof(rows[0]); row++)
		run_row(way);
	verdict((local_messages() > before) == on, way, "messages went", way);
}

static void open_all(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_ah_attr to = { .is_global = 1, .port_num = 1 };
	void *plain;

	for (; *list && strcmp(ibv_get_device_name(*list), dev_name); list++)
		;
	NEED(*list);
	NEED(ctx = ibv_open_device(*list));
	NEED(!fcntl(ctx->async_fd, F_SETFL, O_NONBLOCK));
	NEED(!ibv_query_gid(ctx, 1, gid_index, &gid));
	NEED(pd = ibv_alloc_pd(ctx));
	NEED(other_pd = ibv_alloc_pd(ctx));
	for (int s = 0; s < 2; s++) {
		NEED(side[s].area = aligned_alloc(4096, AREA));
		NEED(side[s].mr = ibv_reg_mr(pd, side[s].area, AREA, ALL_RIGHTS));
	}
	NEED(plain = aligned_alloc(4096, 4096));
	NEED(plain_mr = ibv_reg_mr(pd, plain, 4096, 0));
	to.grh.dgid = gid;
	to.grh.sgid_index = gid_index;
	to.grh.hop_limit = 64;
	NEED(ah = ibv_create_ah(pd, &to));
	NEED(foreign_ah = ibv_create_ah(other_pd, &to));
}

int main(int argc, char **argv)
{
	if (argc != 5)
		return 2;
	dev_name = argv[1];
	gid_index = atoi(argv[2]);
	netdev = argv[3];
	setvbuf(stdout, NULL, _IOLBF, 0);
	open_all();
	run_all(argv[4], false);
	run_all(argv[4], true);
	migration_row();
	port_rows();
	device_row();
	printf("%d rows, %d failures\n", rows_run, failures);
	return failures != 0;
}
