// SPDX-License-Identifier: GPL-2.0
/* Memory regions and windows. Nothing reads or writes through them. */
#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/kmemleak.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "ofed_testdev.h"

struct td_mr {
	struct ib_mr ib;
	struct ib_umem *umem;	/* user and dma-buf regions */
	int access;
	u64 *pages;		/* fast registration */
	u32 max_pages;
	u32 npages;
};

struct td_mw {
	struct ib_mw ib;
};

static struct td_mr *to_td_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct td_mr, ib);
}

/* The low byte is the consumer's part of a key, IBA 10.6.3.3. */
int td_key_get(struct testdev *td, u32 *key)
{
	int index = ida_alloc_range(&td->keys, 1, 0xffffff, GFP_KERNEL);

	if (index < 0)
		return index;
	*key = index << 8;
	return 0;
}

void td_key_put(struct testdev *td, u32 key)
{
	ida_free(&td->keys, key >> 8);
}

static struct td_mr *td_mr_alloc(struct testdev *td, int access)
{
	struct td_mr *mr;
	int ret;

	ret = td_get(td, TD_mr);
	if (ret)
		return ERR_PTR(ret);
	ret = -ENOMEM;
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		goto err_put;
	ret = td_key_get(td, &mr->ib.lkey);
	if (ret)
		goto err_free;
	mr->ib.rkey = mr->ib.lkey;
	/* Set by the core as well, but td_mr_free() may come before that. */
	mr->ib.device = &td->ib;
	mr->access = access;
	return mr;

err_free:
	kfree(mr);
err_put:
	td_put(td, TD_mr);
	return ERR_PTR(ret);
}

static bool td_mr_is_odp(const struct td_mr *mr)
{
	return IS_ENABLED(CONFIG_INFINIBAND_ON_DEMAND_PAGING) && mr->umem &&
		mr->umem->is_odp;
}

void td_mr_free(struct ib_mr *ibmr)
{
	struct td_mr *mr = to_td_mr(ibmr);
	struct testdev *td = to_td(mr->ib.device);

	/* The key may carry another low byte by now, never another index. */
	if (td_mr_is_odp(mr))
		td_odp_forget(td, mr->ib.lkey);
	td_key_put(td, mr->ib.lkey);
	ib_umem_release(mr->umem);
	kvfree(mr->pages);
	kfree(mr);
	td_put(td, TD_mr);
}

static struct ib_mr *td_get_dma_mr(struct ib_pd *pd, int access)
{
	int ret = td_fault(pd->device, get_dma_mr);
	struct td_mr *mr;

	if (ret)
		return ERR_PTR(ret);
	mr = td_mr_alloc(to_td(pd->device), access);
	return IS_ERR(mr) ? ERR_CAST(mr) : &mr->ib;
}

static struct td_mr *td_mr_of_user(struct testdev *td, u64 start, u64 length,
				   int access)
{
	struct td_mr *mr = td_mr_alloc(td, access);
	struct ib_umem *umem;

	if (IS_ERR(mr))
		return mr;
	if (IS_ENABLED(CONFIG_INFINIBAND_ON_DEMAND_PAGING) &&
	    access & IB_ACCESS_ON_DEMAND)
		umem = td_odp_get(td, mr->ib.lkey, start, length, access);
	else
		umem = ib_umem_get_va(&td->ib, start, length, access);
	if (IS_ERR(umem)) {
		td_mr_free(&mr->ib);
		return ERR_CAST(umem);
	}
	mr->umem = umem;
	return mr;
}

struct ib_mr *td_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
				    u64 virt_addr, int access,
				    COMPAT_DMAH_PARAM struct ib_udata *udata)
{
	int ret = td_fault(pd->device, reg_user_mr);
	struct td_mr *mr;

	if (ret)
		return ERR_PTR(ret);
	mr = td_mr_of_user(to_td(pd->device), start, length, access);
	return IS_ERR(mr) ? ERR_CAST(mr) : &mr->ib;
}

/* Nothing uses the addresses, so letting go of them is all there is to do. */
static void td_move_notify(struct dma_buf_attachment *attach)
{
	struct ib_umem_dmabuf *umem_dmabuf = attach->importer_priv;

	dma_resv_assert_held(attach->dmabuf->resv);
	ib_umem_dmabuf_unmap_pages(umem_dmabuf);
}

static const struct dma_buf_attach_ops td_attach_ops = {
	.allow_peer2peer = true,
	.compat_move_notify = td_move_notify,
};

static struct ib_umem_dmabuf *td_dmabuf_import(struct testdev *td, u64 offset,
					       u64 length, int fd, int access)
{
	struct ib_umem_dmabuf *umem_dmabuf;
	struct dma_resv *resv;
	int ret;

	if (!READ_ONCE(td->dmabuf_dynamic))
		return ib_umem_dmabuf_get_pinned(&td->ib, offset, length, fd,
						 access);
	umem_dmabuf = ib_umem_dmabuf_get(&td->ib, offset, length, fd, access,
					 &td_attach_ops);
	if (IS_ERR(umem_dmabuf))
		return umem_dmabuf;
	resv = umem_dmabuf->attach->dmabuf->resv;
	dma_resv_lock(resv, NULL);
	ret = ib_umem_dmabuf_map_pages(umem_dmabuf);
	dma_resv_unlock(resv);
	if (ret) {
		ib_umem_release(&umem_dmabuf->umem);
		return ERR_PTR(ret);
	}
	return umem_dmabuf;
}

static struct ib_mr *td_reg_user_mr_dmabuf(struct ib_pd *pd, u64 offset,
					   u64 length, u64 virt_addr, int fd,
					   int access, COMPAT_DMAH_PARAM
					   struct compat_op_attrs *attrs)
{
	struct testdev *td = to_td(pd->device);
	int ret = td_fault(pd->device, reg_user_mr_dmabuf);
	struct ib_umem_dmabuf *umem_dmabuf;
	struct td_mr *mr;

	if (ret)
		return ERR_PTR(ret);
	/* Attaching takes a struct device. */
	if (td->cfg.virt_dma)
		return ERR_PTR(-EOPNOTSUPP);
	mr = td_mr_alloc(td, access);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	umem_dmabuf = td_dmabuf_import(td, offset, length, fd, access);
	if (IS_ERR(umem_dmabuf)) {
		td_mr_free(&mr->ib);
		return ERR_CAST(umem_dmabuf);
	}
	mr->umem = &umem_dmabuf->umem;
	return &mr->ib;
}

/* The core does it as well; some drivers are faster, rxe of 6.12 among them. */
static void td_mr_moves(struct ib_mr *ibmr, int flags, struct ib_pd *pd)
{
	if (flags & IB_MR_REREG_PD)
		ibmr->pd = pd;
}

static struct ib_mr *td_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				      u64 length, u64 virt_addr, int access,
				      struct ib_pd *pd, struct ib_udata *udata)
{
	struct testdev *td = to_td(ibmr->device);
	struct td_mr *mr = to_td_mr(ibmr);
	int ret = td_fault(ibmr->device, rereg_user_mr);
	struct ib_umem *umem;

	if (ret)
		return ERR_PTR(ret);
	if (flags & ~IB_MR_REREG_SUPPORTED)
		return ERR_PTR(-EOPNOTSUPP);
	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->access;
	if (!(flags & IB_MR_REREG_TRANS)) {
		mr->access = access;
		td_mr_moves(ibmr, flags, pd);
		return NULL;
	}
	if (READ_ONCE(td->rereg_new)) {
		mr = td_mr_of_user(td, start, length, access);
		return IS_ERR(mr) ? ERR_CAST(mr) : &mr->ib;
	}
	/* What hooks know of it goes with its key only. */
	if (td_mr_is_odp(mr))
		return ERR_PTR(-EOPNOTSUPP);
	umem = ib_umem_get_va(&td->ib, start, length, access);
	if (IS_ERR(umem))
		return ERR_CAST(umem);
	ib_umem_release(mr->umem);
	mr->umem = umem;
	mr->access = access;
	td_mr_moves(ibmr, flags, pd);
	return NULL;
}

int td_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	int ret = td_fault(ibmr->device, dereg_mr);

	if (ret) {
		/* Of a device that refuses until it goes, it is never freed. */
		kmemleak_not_leak(to_td_mr(ibmr));
		return ret;
	}
	td_mr_free(ibmr);
	return 0;
}

static struct ib_mr *td_alloc_mr(struct ib_pd *pd, enum ib_mr_type type,
				 u32 max_num_sg)
{
	int ret = td_fault(pd->device, alloc_mr);
	struct td_mr *mr;

	if (ret)
		return ERR_PTR(ret);
	if (type != IB_MR_TYPE_MEM_REG && type != IB_MR_TYPE_SG_GAPS)
		return ERR_PTR(-EINVAL);
	if (!max_num_sg || max_num_sg > TD_MAX_PAGES)
		return ERR_PTR(-EINVAL);
	mr = td_mr_alloc(to_td(pd->device), 0);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->max_pages = max_num_sg;
	mr->pages = kvcalloc(max_num_sg, sizeof(*mr->pages), GFP_KERNEL);
	if (!mr->pages) {
		td_mr_free(&mr->ib);
		return ERR_PTR(-ENOMEM);
	}
	return &mr->ib;
}

static int td_set_page(struct ib_mr *ibmr, u64 address)
{
	struct td_mr *mr = to_td_mr(ibmr);

	if (mr->npages == mr->max_pages)
		return -ENOMEM;
	mr->pages[mr->npages++] = address;
	return 0;
}

static int td_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
			unsigned int *offset)
{
	int ret = td_fault(ibmr->device, map_mr_sg);

	if (ret)
		return ret;
	to_td_mr(ibmr)->npages = 0;
	return ib_sg_to_pages(ibmr, sg, nents, offset, td_set_page);
}

static int td_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice what,
			u32 flags, struct ib_sge *sge, u32 count,
			struct uverbs_attr_bundle *attrs)
{
	return td_fault(pd->device, advise_mr);
}

/* A region over device memory: a key with nothing behind it. */
struct ib_mr *td_mr_of_dm(struct ib_pd *pd, u64 length)
{
	struct td_mr *mr = td_mr_alloc(to_td(pd->device), 0);

	return IS_ERR(mr) ? ERR_CAST(mr) : &mr->ib;
}

static int td_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	struct testdev *td = to_td(ibmw->device);
	int ret = td_fault(ibmw->device, alloc_mw);

	if (ret)
		return ret;
	ret = td_get(td, TD_mw);
	if (ret)
		return ret;
	ret = td_key_get(td, &ibmw->rkey);
	if (ret)
		td_put(td, TD_mw);
	return ret;
}

static int td_dealloc_mw(struct ib_mw *ibmw)
{
	struct testdev *td = to_td(ibmw->device);
	int ret = td_fault(ibmw->device, dealloc_mw);

	if (ret)
		return ret;
	td_key_put(td, ibmw->rkey);
	td_put(td, TD_mw);
	return 0;
}

const struct ib_device_ops td_mr_ops = {
	.get_dma_mr = td_get_dma_mr,
	.reg_user_mr = td_reg_user_mr,
	.reg_user_mr_dmabuf = td_reg_user_mr_dmabuf,
	.rereg_user_mr = td_rereg_user_mr,
	.dereg_mr = td_dereg_mr,
	.alloc_mr = td_alloc_mr,
	.map_mr_sg = td_map_mr_sg,
	.advise_mr = td_advise_mr,
	.alloc_mw = td_alloc_mw,
	.dealloc_mw = td_dealloc_mw,
	INIT_RDMA_OBJ_SIZE(ib_mw, td_mw, ib),
};
