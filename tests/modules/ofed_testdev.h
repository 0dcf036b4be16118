/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ofed_testdev: an ib_device without hardware. It has every op a test may want
 * to reach, completes what it is given without sending anything anywhere, and
 * makes any op fail on order. See ofed_testdev_main.c for its files.
 *
 * Lock order: hook_lock > td_qp.lock > td_srq.lock > td_cq.lock.
 */
#ifndef OFED_TESTDEV_H
#define OFED_TESTDEV_H

#include <linux/debugfs.h>
#include <linux/idr.h>
#include <linux/platform_device.h>
#include <linux/xarray.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "ofed_testdev_abi.h"

#define TD_MAX_PORTS	4
#define TD_PKEYS	16
#define TD_GIDS		16
#define TD_MAX_WR	1024
#define TD_MAX_SGE	16
#define TD_MAX_INLINE	256
#define TD_MAX_CQE	4096
#define TD_MAX_PAGES	512
#define TD_DM_SIZE	(64 * PAGE_SIZE)
#define TD_VFS		4

enum td_op {
#define TD_OP(name) TD_OP_##name,
#include "ofed_testdev_ops.h"
	TD_OP_COUNT
};

enum td_kind {
#define TD_KIND(name, max) TD_##name,
#include "ofed_testdev_kinds.h"
	TD_KIND_COUNT
};

struct td_counts {
	atomic_t live[TD_KIND_COUNT];
};

#define TD_FAULT_ALWAYS	U32_MAX

struct td_fault {
	u32 left;		/* fails when this reaches 0; 0: not armed */
	int error;		/* negative errno */
	u64 calls;
	u64 failed;
};

/* How a device is to be; from module parameters, changed by words of 'add'. */
struct td_config {
	bool ib;		/* InfiniBand ports instead of RoCE */
	bool disassociate;	/* has disassociate_ucontext */
	bool virt_dma;		/* no DMA device: addresses are pointers */
	bool get_netdev;	/* op get_netdev, not ib_device_set_netdev() */
	bool split_cq;		/* has pre_destroy_cq and post_destroy_cq */
	bool part;		/* of another device */
	bool robust;		/* checks lengths of udata, since 7.x */
	bool leaves;		/* leaves completions of a destroyed QP in its CQs */
	u32 ports;
	u32 vectors;
	char netdev[IFNAMSIZ];
};

struct td_port {
	enum ib_port_state state;
	u16 lid;
	u16 sm_lid;
	u32 cap_mask;
	u16 pkeys[TD_PKEYS];
	union ib_gid gids[TD_GIDS];
};

struct td_vf {
	int link_state;
	u64 node_guid;
	u64 port_guid;
};

struct testdev {
	struct ib_device ib;
	struct td_config cfg;
	struct platform_device *pdev;	/* DMA device and parent, or NULL */
	struct workqueue_struct *wq;	/* every call into a consumer */
	struct dentry *dir;
	struct page *page;		/* mmap offset 0 */
	struct td_counts counts;

	/* In td_devices, guarded by td_devices_lock. */
	struct list_head entry;

	/* Guards fault[]; taken in any context. */
	spinlock_t fault_lock;
	struct td_fault fault[TD_OP_COUNT];

	/* Guards ndev, port[] and vf[]. */
	spinlock_t lock;
	struct net_device *ndev;	/* with a reference, or NULL */
	struct td_port port[TD_MAX_PORTS];
	struct td_vf vf[TD_VFS];

	/*
	 * Keeps what a hook found in the tables below alive: objects leave
	 * their table under it.
	 */
	struct mutex hook_lock;
	struct xarray cqs;
	struct xarray qps;
	struct xarray srqs;
	struct xarray wqs;
	struct xarray odps;		/* struct td_odp, by index of the key */
	struct xarray flows;		/* those refused stay until the device goes */
	u32 next_cqn;
	u32 next_qpn;
	u32 next_srqn;
	u32 next_wqn;

	struct ida keys;		/* of MRs and MWs */
	bool hold;			/* posted work waits for a hook */
	bool rereg_new;			/* rereg_user_mr returns a new MR */
	bool dmabuf_dynamic;		/* import without pinning */
	atomic64_t sent;
	atomic64_t received;

	/* Of 7.x. */
	bool want_buffer;		/* a program has to name one for a queue */
	bool pooled;			/* regions of programs come from pools */
	u64 caps;			/* rights of the last context */
	atomic_t next_frmr;
	struct {			/* as struct p2pdma_provider */
		struct device *owner;
		u64 bus_offset;
	} provider;
};

/* A posted work request as far as its completion needs it. */
struct td_wr {
	u64 wr_id;
	u32 byte_len;
	enum ib_wc_opcode opcode;
	bool signaled;
};

/* A ring of them, guarded by the lock of the object that it is in. */
struct td_wrq {
	struct td_wr *wr;
	u32 size;
	u32 head;
	u32 count;
	u32 max_sge;
};

struct td_cq {
	struct ib_cq ib;
	u32 cqn;
	bool freed;
	struct work_struct notify;

	/* Guards what follows; taken in any context. */
	spinlock_t lock;
	struct ib_wc *ring;
	u32 head;
	u32 count;
	int armed;		/* IB_CQ_SOLICITED_MASK bits */
	bool fire;		/* the handler is owed a call */
	bool overflow;		/* so is the event handler */
	bool closing;
};

struct td_srq {
	struct ib_srq ib;
	u32 srqn;
	struct work_struct event;

	/* Guards what follows; taken in any context. */
	spinlock_t lock;
	struct td_wrq rq;
	u32 limit;
};

struct td_qp {
	struct ib_qp ib;
	struct td_cq *scq;	/* NULL where the type has none, as below */
	struct td_cq *rcq;
	struct td_srq *srq;
	struct ib_qp_cap cap;
	bool sig_all;
	bool auto_recv;		/* receives complete by themselves */
	struct work_struct event;

	/* Guards what follows; taken in any context. */
	spinlock_t lock;
	enum ib_qp_state state;
	struct ib_qp_attr attr;
	struct td_wrq sq;
	struct td_wrq rq;
	unsigned long events;	/* bit: enum ib_event_type to be delivered */
	struct list_head mcast;
};

struct td_wq {
	struct ib_wq ib;
	u32 wqn;
};

static inline struct testdev *to_td(struct ib_device *ibdev)
{
	return container_of(ibdev, struct testdev, ib);
}

static inline struct td_cq *to_td_cq(struct ib_cq *ibcq)
{
	return ibcq ? container_of(ibcq, struct td_cq, ib) : NULL;
}

static inline struct td_srq *to_td_srq(struct ib_srq *ibsrq)
{
	return ibsrq ? container_of(ibsrq, struct td_srq, ib) : NULL;
}

static inline struct td_qp *to_td_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct td_qp, ib);
}

/* ofed_testdev_main.c */
void td_default_config(struct td_config *cfg);
struct dentry *td_debugfs_root(void);

/* ofed_testdev_ctl.c */
int td_ctl_run(char *line);
extern const struct file_operations td_ctl_fops;

/* ofed_testdev_device.c */
extern struct list_head td_devices;
extern struct mutex td_devices_lock;
struct ib_device *td_device_find(const char *name);
int td_device_add(const char *name, const struct td_config *cfg,
		  struct net_device *ndev, char *faults);

/* ofed_testdev_port.c */
void td_ports_init(struct testdev *td);
extern const struct file_operations td_port_fops;

/* ofed_testdev_netdev.c */
int td_netdev_attach(struct testdev *td, struct net_device *ndev);
void td_netdev_drop(struct testdev *td);
int td_netdev_init(void);
void td_netdev_exit(void);

/* ofed_testdev_fault.c */
void td_mcast_end(struct td_qp *qp);
int td_fault_check(struct testdev *td, enum td_op op);
int td_fault_arm(struct testdev *td, char *order);
extern const struct file_operations td_fault_fops;

/* The errno that the next call of an op was ordered to return, or 0. */
#define td_fault(ibdev, op) td_fault_check(to_td(ibdev), TD_OP_##op)

/* ofed_testdev_count.c */
extern struct td_counts td_total;
int td_get(struct testdev *td, enum td_kind kind);
void td_put(struct testdev *td, enum td_kind kind);
u32 td_kind_max(enum td_kind kind);
extern const struct file_operations td_counts_fops;

/* ofed_testdev_hook.c: consumers are called from here */
ssize_t td_hook_line(char *line, size_t size, const char __user *buf,
		     size_t count);
extern const struct file_operations td_event_fops;
extern const struct file_operations td_complete_fops;
extern const struct file_operations td_hold_fops;

/* ofed_testdev_cq.c */
void td_cq_push(struct td_cq *cq, const struct ib_wc *wc, bool solicited);
void td_cq_forget(struct td_cq *cq, struct ib_qp *ibqp);

/* ofed_testdev_post.c */
int td_wrq_init(struct td_wrq *q, u32 size, u32 max_sge);
void td_wrq_free(struct td_wrq *q);
int td_wrq_add(struct td_wrq *q, const struct td_wr *wr);
bool td_wrq_take(struct td_wrq *q, struct td_wr *wr);
void td_qp_run(struct td_qp *qp);
void td_qp_complete(struct td_qp *qp, bool recv, const struct td_wr *wr,
		    enum ib_wc_status status);
int td_recv_wr(const struct ib_recv_wr *recv, u32 max_sge, struct td_wr *wr);

/* ofed_testdev_srq.c */
bool td_srq_take(struct td_srq *srq, struct td_wr *wr);

/* ofed_testdev_mr.c */
int td_key_get(struct testdev *td, u32 *key);
void td_key_put(struct testdev *td, u32 key);
struct ib_mr *td_mr_of_dm(struct ib_pd *pd, u64 length);
void td_mr_free(struct ib_mr *ibmr);

/* Ops that those of 7.x stand in front of. */
struct rdma_ah_init_attr;
int td_enable_driver(struct ib_device *ibdev);
void td_dealloc_driver(struct ib_device *ibdev);
int td_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata);
int td_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int td_create_user_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr, struct ib_udata *udata);
int td_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		 struct compat_op_attrs *attrs);
int td_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata);
int td_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init, struct ib_udata *udata);
struct ib_mr *td_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
			     COMPAT_DMAH_PARAM struct ib_udata *udata);
int td_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);

/* ofed_testdev_ucontext.c */
struct page *td_map_page(struct rdma_user_mmap_entry *entry);

/* ofed_testdev_ucap.c, where the kernel has rights by open files: words of ctl */
int td_ucap_offer(char *args);
int td_ucap_withdraw(char *args);

/* ofed_testdev_odp.c, where the kernel has on-demand paging */
struct ib_umem *td_odp_get(struct testdev *td, u32 key, u64 start, u64 length,
			   int access);
void td_odp_forget(struct testdev *td, u32 key);
extern const struct file_operations td_odp_fops;

/* ofed_testdev_dmabuf.c */
int td_dmabuf_init(void);
void td_dmabuf_exit(void);

/* ofed_testdev_uapi.c, ofed_testdev_bell.c */
extern const struct uapi_definition td_uapi_defs[], td_bell_defs[];
int td_mark_cq(struct ib_udata *udata);

/* ofed_testdev_flow.c: what was never destroyed */
void td_free_flows(struct testdev *td);

/* One piece of the op table per file; ib_set_device_ops() merges them. */
extern const struct ib_device_ops td_device_ops, td_port_ops, td_roce_ops,
	td_ib_ops, td_netdev_ops, td_vf_ops, td_ucontext_ops,
	td_disassociate_ops, td_pd_ops, td_ah_ops, td_cq_ops, td_split_cq_ops,
	td_qp_ops, td_post_ops, td_srq_ops, td_mr_ops, td_wq_ops, td_mcast_ops,
	td_flow_ops, td_dm_ops, td_stats_ops, td_res_ops, td_sub_ops,
	td_dmah_ops, td_cntr_ops, td_speed_ops, td_ucap_ops, td_buffer_ops,
	td_frmr_ops, td_export_ops, td_robust_ops;

#endif /* OFED_TESTDEV_H */
