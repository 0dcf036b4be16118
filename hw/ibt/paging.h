/* SPDX-License-Identifier: GPL-2.0 */
/* A queue pair waits for pages of memory on demand. */
#ifndef IBT_PAGING_H
#define IBT_PAGING_H

#include <linux/types.h>

#include "../soft/mr_table.h"

struct ibt_qp;
struct ibt_wqe;
struct soft_iter;

void ibt_paging_init(struct ibt_qp *qp);

/* sq.lock held. False: what @it names can not be there. */
bool ibt_sq_page_in(struct ibt_qp *qp, const struct soft_iter *it, u32 bytes, bool write);
bool ibt_sq_answer_page_in(struct ibt_qp *qp, const struct soft_iter *it, u32 bytes);
bool ibt_sq_read_ready(struct ibt_qp *qp, const struct ibt_wqe *wqe);
void ibt_wqe_no_data(struct ibt_qp *qp, struct ibt_wqe *wqe, enum soft_access_err fault,
		     u32 offset, u32 bytes);

/* resp.lock held. False: as above. */
bool ibt_resp_page_in(struct ibt_qp *qp, const struct soft_iter *it, u64 bytes, bool write);
bool ibt_resp_word_page_in(struct ibt_qp *qp, struct soft_region *region, u64 va, bool write);

/* Is there any memory on demand? Then what can not wait in the middle does not begin. */
static inline bool ibt_may_page(const struct soft_mem *mem)
{
	return unlikely(atomic_read(&mem->on_demand));
}

#endif /* IBT_PAGING_H */
