// SPDX-License-Identifier: GPL-2.0
/* Work requests of the send side: what each opcode means, the memory and the PSNs of one. */
#include "../soft/iter.h"
#include "../soft/mr_table.h"
#include "../soft/piece.h"
#include "opcode.h"
#include "pkt.h"
#include "qp.h"
#include "sq.h"
#include "wqe.h"

#define ON_RC	(BIT(IBT_RC) | BIT(IBT_XRC))
#define ON_CONN	(ON_RC | BIT(IBT_UC))
#define ON_ALL	(ON_CONN | BIT(IBT_UD))

/* IBA vol. 1 table 96: which transports know which operations. */
const struct ibt_wr_info ibt_wr_infos[IBT_WR_INFOS] = {
	[IB_WR_RDMA_WRITE] = { IBT_WR_DATA, IBT_WRITE, 0, ON_CONN,
			       .wc = IB_WC_RDMA_WRITE },
	[IB_WR_RDMA_WRITE_WITH_IMM] = { IBT_WR_DATA, IBT_WRITE, IBT_IMM,
					ON_CONN, .wc = IB_WC_RDMA_WRITE },
	[IB_WR_SEND] = { IBT_WR_DATA, IBT_SEND, 0, ON_ALL,
			 .wc = IB_WC_SEND },
	[IB_WR_SEND_WITH_IMM] = { IBT_WR_DATA, IBT_SEND, IBT_IMM, ON_ALL,
				  .wc = IB_WC_SEND },
	/* A SEND of more than a packet, which is cut (struct ibt_offload). */
	[IB_WR_LSO] = { IBT_WR_DATA, IBT_SEND, 0, BIT(IBT_UD),
			.kernel_only = true, .wc = IB_WC_LSO },
	[IB_WR_SEND_WITH_INV] = { IBT_WR_DATA, IBT_SEND, IBT_IETH, ON_RC,
				  .wc = IB_WC_SEND },
	[IB_WR_RDMA_READ] = { IBT_WR_RD_ATOMIC, IBT_READ, 0, ON_RC,
			      .wc = IB_WC_RDMA_READ },
	[IB_WR_ATOMIC_CMP_AND_SWP] = { IBT_WR_RD_ATOMIC, IBT_CMP_SWAP, 0, ON_RC,
				       .wc = IB_WC_COMP_SWAP },
	[IB_WR_ATOMIC_FETCH_AND_ADD] = { IBT_WR_RD_ATOMIC, IBT_FETCH_ADD, 0, ON_RC,
					 .wc = IB_WC_FETCH_ADD },
	/* Annex A19. XRC has no opcode for it. */
	[IB_WR_ATOMIC_WRITE] = { IBT_WR_ATOMIC_WRITE, IBT_ATOMIC_WRITE, 0,
				 BIT(IBT_RC), .wc = IB_WC_ATOMIC_WRITE },
	[IB_WR_FLUSH] = { IBT_WR_RD_ATOMIC, IBT_FLUSH, 0, BIT(IBT_RC),
			  .user_only = true, .wc = IB_WC_FLUSH },
	[IB_WR_LOCAL_INV] = { IBT_WR_LOCAL_OP, .transports = ON_CONN,
			      .wc = IB_WC_LOCAL_INV },
	[IB_WR_BIND_MW] = { IBT_WR_LOCAL_OP, .transports = ON_CONN,
			    .user_only = true, .wc = IB_WC_BIND_MW },
	[IB_WR_REG_MR] = { IBT_WR_LOCAL_OP, .transports = ON_CONN,
			   .kernel_only = true, .wc = IB_WC_REG_MR },
};

static_assert(IB_WR_REG_MR < IBT_WR_INFOS - 1);

/* Where the bytes of a message come from. */
void ibt_wqe_src_iter(struct ibt_qp *qp, const struct ibt_wqe *wqe,
		      struct soft_iter *it)
{
	if (wqe->is_inline)
		soft_iter_bytes(it, (void *)wqe->data, wqe->length);
	else
		soft_iter_list(it, &ibt_qp_dev(qp)->soft.mem, qp->ib.pd,
			       wqe->sge, wqe->num_sge, 0);
}

/* Where the bytes of an answer go. */
void ibt_wqe_dst_iter(struct ibt_qp *qp, const struct ibt_wqe *wqe,
		      struct soft_iter *it)
{
	soft_iter_list(it, &ibt_qp_dev(qp)->soft.mem, qp->ib.pd, wqe->sge,
		       wqe->num_sge, IB_ACCESS_LOCAL_WRITE);
}

/* The bytes of a message that is in one piece: that has one SGE, or inline data. */
bool ibt_wqe_piece(struct ibt_qp *qp, const struct ibt_wqe *wqe, struct soft_piece *from)
{
	if (wqe->is_inline) {
		*from = (struct soft_piece){ .bytes = (void *)wqe->data };
		return wqe->length;
	}
	if (wqe->num_sge != 1 || !wqe->length)
		return false;
	*from = (struct soft_piece){
		.mem = &ibt_qp_dev(qp)->soft.mem,
		.cache = &qp->sq.source_key,
		.pd = qp->ib.pd,
		.iova = wqe->sge[0].addr,
		.key = wqe->sge[0].lkey,
		.covers = wqe->sge[0].length,
	};
	return true;
}

/* Is all of the request's own memory there? */
enum soft_access_err ibt_wqe_check_sge(struct ibt_qp *qp, const struct ibt_wqe *wqe,
				       const struct ibt_wr_info *info)
{
	enum soft_access_err fault;
	struct soft_iter it;

	if (wqe->is_inline)
		return SOFT_OK;
	if (info->kind == IBT_WR_RD_ATOMIC)
		ibt_wqe_dst_iter(qp, wqe, &it);
	else
		ibt_wqe_src_iter(qp, wqe, &it);
	fault = soft_iter_check(&it);
	soft_iter_end(&it);
	return fault;
}

/* Its PSNs: of the answer's packets, if it is a READ. */
void ibt_wqe_assign_psn(struct ibt_qp *qp, struct ibt_wqe *wqe)
{
	struct ibt_sq *sq = &qp->sq;
	u32 packets;

	lockdep_assert_held(&sq->lock);
	if (wqe->numbered)
		return;
	packets = ibt_packets(wqe->length, qp->mtu);
	wqe->first_psn = sq->psn;
	wqe->last_psn = ibt_psn_add(sq->psn, packets - 1);
	wqe->numbered = true;
	wqe->begun = false;
	sq->psn = ibt_psn_add(sq->psn, packets);
	qp->credit.last = ibt_psn_add(qp->credit.last, 1);
}
