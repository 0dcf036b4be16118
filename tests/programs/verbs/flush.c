// SPDX-License-Identifier: GPL-2.0
/*
 * FLUSH (annex A19), which libibverbs 44 has no call for: two RC queue pairs of one
 * device, requests written into the ring by hand. Of memory that forgets only visibility
 * can be asked for.
 *
 * usage: flush DEVICE GID-INDEX
 */
#include "xrc_raw.h"
#include "verdict.h"

/* Of the uapi since 6.2, by number: this program is built with older headers, too. */
enum { WR_FLUSH = 14, WC_FLUSH = 8 };
enum { GLOBAL = 1, PERSISTENT = 2 };
enum { RANGE, WHOLE };
#define MAY_GLOBAL	(1 << 8)
#define MAY_PERSIST	(1 << 9)

/* Where struct rxe_send_wr has its union. */
struct flush_wr {
	uint64_t remote_addr;
	uint32_t length, rkey;
	uint8_t type, level;
};

static struct host host;
static struct queue cq;
static struct pair ends[2];
static struct region mr;
static uint8_t *area;

static void reconnect(void)
{
	struct ib_uverbs_wc wc;
	int i;

	for (i = 0; i < 2; i++)
		destroy_qp(&host, &ends[i]);
	while (poll_ring(cq.ring, &wc))
		;
	for (i = 0; i < 2; i++)
		ends[i] = make_qp(&host, RV_RC, host.pd[0], cq.handle);
	for (i = 0; i < 2; i++)
		connect_qp(&host, &ends[i], RV_RC, ends[!i].number, gid);
}

static void post(const struct rxe_send_wqe *wqe)
{
	memcpy(free_slot(ends[0].sq), wqe, sizeof(*wqe));
	produce(ends[0].sq);
	doorbell(&host, &ends[0]);
}

static int flush(uint64_t at, uint32_t length, uint32_t rkey, int type, int level,
		 struct ib_uverbs_wc *wc)
{
	struct rxe_send_wqe wqe = { .wr = { .wr_id = 7, .opcode = WR_FLUSH,
					    .send_flags = IBV_SEND_SIGNALED } };
	struct flush_wr what = { .remote_addr = at, .length = length, .rkey = rkey,
				 .type = type, .level = level };

	memcpy(&wqe.wr.wr, &what, sizeof(what));
	/* rdma_rxe takes the range from these. */
	wqe.iova = at;
	wqe.dma.length = length;
	wqe.dma.resid = length;
	post(&wqe);
	return wait_ring(cq.ring, wc);
}

static int write_bytes(uint32_t offset)
{
	struct rxe_send_wqe *wqe = calloc(1, sizeof(*wqe) + sizeof(struct rxe_sge));
	struct ib_uverbs_wc wc;

	NEED(wqe);
	wqe->wr.opcode = IBV_WR_RDMA_WRITE;
	wqe->wr.send_flags = IBV_SEND_SIGNALED;
	wqe->wr.wr.rdma.remote_addr = (uintptr_t)area + offset;
	wqe->wr.wr.rdma.rkey = mr.rkey;
	wqe->iova = (uintptr_t)area + offset;
	wqe->dma.resid = 8;
	wqe->dma.length = 8;
	wqe->dma.num_sge = 1;
	wqe->dma.sge[0] = (struct rxe_sge){ (uintptr_t)area, 8, mr.lkey };
	memcpy(free_slot(ends[0].sq), wqe, sizeof(*wqe) + sizeof(struct rxe_sge));
	free(wqe);
	produce(ends[0].sq);
	doorbell(&host, &ends[0]);
	return wait_ring(cq.ring, &wc);
}

static void good(void)
{
	uint64_t at = (uintptr_t)area;
	struct ib_uverbs_wc wc = {};

	memcpy(area, "flushed", 8);
	EXPECT("WRITE", write_bytes(4096), IBV_WC_SUCCESS);
	EXPECT("FLUSH of a range", flush(at + 4096, 8, mr.rkey, GLOBAL, RANGE, &wc),
	       IBV_WC_SUCCESS);
	EXPECT("its completion is one of a FLUSH", wc.opcode, WC_FLUSH);
	EXPECT("and has its wr_id", wc.wr_id, 7);
	EXPECT("the bytes are there", memcmp(area + 4096, "flushed", 8), 0);
	EXPECT("FLUSH of no bytes", flush(at, 0, mr.rkey, GLOBAL, RANGE, &wc), IBV_WC_SUCCESS);
	EXPECT("FLUSH of the whole region, whatever the range",
	       flush(0, 1, mr.rkey, GLOBAL, WHOLE, &wc), IBV_WC_SUCCESS);
	EXPECT("and WRITE goes on", write_bytes(8), IBV_WC_SUCCESS);
}

static void bad(const char *what, uint64_t at, uint32_t length, uint32_t rkey, int type, int level,
		int status)
{
	struct ib_uverbs_wc wc = {};

	reconnect();
	EXPECT(what, flush(at, length, rkey, type, level, &wc), status);
}

static void refused(void)
{
	uint64_t at = (uintptr_t)area;
	struct region none;

	bad("a byte behind the region", at + AREA - 7, 8, mr.rkey, GLOBAL, RANGE,
	    IBV_WC_REM_ACCESS_ERR);
	bad("a key of nothing", at, 8, mr.rkey ^ 1, GLOBAL, RANGE, IBV_WC_REM_ACCESS_ERR);
	bad("persistence, which the region does not grant", at, 8, mr.rkey, PERSISTENT, RANGE,
	    IBV_WC_REM_ACCESS_ERR);
	bad("both", at, 8, mr.rkey, GLOBAL | PERSISTENT, RANGE, IBV_WC_REM_ACCESS_ERR);
	bad("no placement", at, 8, mr.rkey, 0, RANGE, IBV_WC_REM_INV_REQ_ERR);
	bad("a placement that is none", at, 8, mr.rkey, GLOBAL | 4, RANGE, IBV_WC_REM_INV_REQ_ERR);
	bad("a selectivity that is none", at, 8, mr.rkey, GLOBAL, 2, IBV_WC_REM_INV_REQ_ERR);
	qp_rights &= ~MAY_GLOBAL;
	bad("a queue pair without the right", at, 8, mr.rkey, GLOBAL, RANGE, IBV_WC_REM_INV_REQ_ERR);
	qp_rights |= MAY_GLOBAL;
	EXPECT("no persistence of memory that forgets",
	       register_mr(&host, host.pd[0], area, ALL_RIGHTS | MAY_PERSIST, &none), -EINVAL);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	gid_index = atoi(argv[2]);
	choose_device(argv[1]);
	open_host(&host, 1);
	cq = make_cq(&host, 63);
	area = new_area();
	qp_rights |= MAY_GLOBAL | MAY_PERSIST;
	EXPECT("a region that grants FLUSH",
	       register_mr(&host, host.pd[0], area, ALL_RIGHTS | MAY_GLOBAL, &mr), 0);
	if (failed)
		return verdict();
	reconnect();
	good();
	refused();
	return verdict();
}
