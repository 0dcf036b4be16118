/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one place that knows kernel versions. The code is written for the API of
 * 6.12; here older kernels learn to spell it. Force-included in front of every
 * file. A macro COMPAT_HAVE_x comes from Kbuild.probe, never from a version
 * number; each says which kernel brought the thing and when the line can go.
 */
#ifndef OFED_COMPAT_H
#define OFED_COMPAT_H

#include <linux/types.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "Linux 6.1 is the oldest kernel that is supported"
#endif

/*
 * Since 6.2 a FOLL_LONGTERM pin for reading gives the owner its own copy of a
 * zero page or page cache page first. Before, only a forced write fault does,
 * and without it a region would miss what the owner writes later. Drop with
 * 6.1. (<linux/mm.h> is not included here: macros are looked up where used.)
 */
#ifdef COMPAT_GUP_NO_UNSHARE
#define compat_gup_read_longterm() (FOLL_WRITE | FOLL_FORCE)
#else
#define compat_gup_read_longterm() (0)
#endif

/*
 * Parts of <rdma/ib_umem.h> that 6.1 lacks (check_rereg and revocation came in
 * 6.12 stable, dma_device in 6.12). The code is built for both; it is
 * exported where the kernel's header declares it. Drop with 6.1.
 */
struct device;
struct ib_device;
struct ib_umem;
struct ib_umem_dmabuf;

#ifdef COMPAT_HAVE_UMEM_CHECK_REREG
#define COMPAT_EXPORT_CHECK_REREG(sym) EXPORT_SYMBOL(sym)
#else
#define COMPAT_EXPORT_CHECK_REREG(sym) static_assert(1)
int ib_umem_check_rereg(struct ib_umem *umem, int flags, int new_access);
#endif

#ifdef COMPAT_HAVE_DMABUF_DMA_DEVICE
#define COMPAT_EXPORT_DMABUF_DMA_DEVICE(sym) EXPORT_SYMBOL(sym)
#else
#define COMPAT_EXPORT_DMABUF_DMA_DEVICE(sym) static_assert(1)
struct ib_umem_dmabuf *
ib_umem_dmabuf_get_pinned_with_dma_device(struct ib_device *device,
					  struct device *dma_device,
					  unsigned long offset, size_t size,
					  int fd, int access);
#endif

#ifdef COMPAT_HAVE_DMABUF_REVOKE
#define COMPAT_EXPORT_DMABUF_REVOKE(sym) EXPORT_SYMBOL(sym)
#define compat_dmabuf_mark_revoked(umem_dmabuf) ((umem_dmabuf)->revoked = 1)
#else
#define COMPAT_EXPORT_DMABUF_REVOKE(sym) static_assert(1)
#define compat_dmabuf_mark_revoked(umem_dmabuf) do { } while (0)
struct ib_umem_dmabuf *
ib_umem_dmabuf_get_pinned_revocable_and_lock(struct ib_device *device,
					     unsigned long offset, size_t size,
					     int fd, int access);
void ib_umem_dmabuf_set_revoke_locked(struct ib_umem_dmabuf *umem_dmabuf,
				      void (*revoke)(void *priv), void *priv);
void ib_umem_dmabuf_revoke_lock(struct ib_umem_dmabuf *umem_dmabuf);
void ib_umem_dmabuf_revoke_unlock(struct ib_umem_dmabuf *umem_dmabuf);
void ib_umem_dmabuf_revoke(struct ib_umem_dmabuf *umem_dmabuf);
#endif

/*
 * ib_device_ops.create_cq takes the attribute bundle since 6.9, and took the
 * driver's udata before, and so does reg_user_mr_dmabuf. Drop when 6.12 is the
 * oldest kernel.
 */
#ifdef COMPAT_HAVE_CREATE_CQ_ATTRS
#define compat_create_cq(cq, attr, bundle) \
	((cq)->device->ops.create_cq((cq), (attr), (bundle)))
#define compat_reg_user_mr_dmabuf(pd, offset, len, iova, fd, access, bundle) \
	((pd)->device->ops.reg_user_mr_dmabuf((pd), (offset), (len), (iova), \
					      (fd), (access), (bundle)))
#else
#define compat_create_cq(cq, attr, bundle) \
	((cq)->device->ops.create_cq((cq), (attr), \
				     (bundle) ? &(bundle)->driver_udata : NULL))
#define compat_reg_user_mr_dmabuf(pd, offset, len, iova, fd, access, bundle) \
	((pd)->device->ops.reg_user_mr_dmabuf((pd), (offset), (len), (iova), \
					      (fd), (access), \
					      &(bundle)->driver_udata))
#endif

/*
 * The driver's end of the same change: the last argument of ops.create_cq, and
 * of ops.reg_user_mr_dmabuf, which changed with it. compat_op_udata() is the
 * driver's udata in it. Drop when 6.12 is the oldest kernel.
 */
#ifdef COMPAT_HAVE_CREATE_CQ_ATTRS
#define compat_op_attrs uverbs_attr_bundle
#define compat_op_udata(attrs) ((attrs) ? &(attrs)->driver_udata : NULL)
#else
#define compat_op_attrs ib_udata
#define compat_op_udata(attrs) (attrs)
#endif

/*
 * Since 6.12 struct ib_qp has room for a handler of the core's own in front of
 * the consumer's, and for the completion that the drain of a QP with an SRQ
 * waits for. Before, the consumer's handler is called by the driver and a drain
 * does not wait for the SRQ. Drop when 6.12 is the oldest kernel.
 */
#ifdef COMPAT_HAVE_QP_SRQ_COMPLETION
#define compat_qp_set_handler(qp, core_handler, users_handler) do { \
	init_completion(&(qp)->srq_completion); \
	(qp)->registered_event_handler = (users_handler); \
	(qp)->event_handler = (core_handler); \
} while (0)
#define compat_qp_users_handler(qp) ((qp)->registered_event_handler)
#define compat_qp_last_wqe(qp) complete(&(qp)->srq_completion)
#define compat_qp_wait_last_wqe(qp, limit) \
	(wait_for_completion_timeout(&(qp)->srq_completion, (limit)) != 0)
#else
#define compat_qp_set_handler(qp, core_handler, users_handler) do { \
	(void)(core_handler); \
	(qp)->event_handler = (users_handler); \
} while (0)
#define compat_qp_users_handler(qp) ((qp)->event_handler)
#define compat_qp_last_wqe(qp) do { } while (0)
#define compat_qp_wait_last_wqe(qp, limit) ((void)(qp), (void)(limit), false)
#endif

/*
 * Names of ATOMIC WRITE: since 6.2 in <rdma/ib_verbs.h>, <rdma/ib_pack.h> and the
 * uapi. The numbers are the uapi's and the wire's. (Before, the kernel had given
 * the completion's number to IB_WC_MASKED_COMP_SWAP; no request of these
 * drivers ends with that.) Drop with 6.1.
 */
#ifndef COMPAT_HAVE_ATOMIC_WRITE
#define IB_OPCODE_ATOMIC_WRITE 0x1d
#define IB_DEVICE_ATOMIC_WRITE BIT_ULL(40)
#define IB_WR_ATOMIC_WRITE ((enum ib_wr_opcode)15)
#define IB_WC_ATOMIC_WRITE ((enum ib_wc_opcode)9)
#endif

/*
 * Names of FLUSH: since 6.2 in the same headers. A core that does not know it lets no
 * program have the rights, so devices announce it only where the core does. Drop with
 * 6.1.
 */
#ifdef COMPAT_HAVE_FLUSH
#define COMPAT_DEVICE_FLUSH \
	(IB_DEVICE_FLUSH_GLOBAL | IB_DEVICE_FLUSH_PERSISTENT)
#define compat_rxe_flush(wr) (&(wr)->wr.flush)
#else
#define COMPAT_DEVICE_FLUSH 0
/* As 6.2 has it in struct rxe_send_wr. */
struct compat_rxe_flush {
	__aligned_u64 remote_addr;
	__u32 length;
	__u32 rkey;
	__u8 type;
	__u8 level;
};
#define compat_rxe_flush(send) \
	((const struct compat_rxe_flush *)&(send)->wr)
#define IB_OPCODE_FLUSH 0x1c
#define IB_WR_FLUSH ((enum ib_wr_opcode)14)
#define IB_WC_FLUSH ((enum ib_wc_opcode)8)
#define IB_ACCESS_FLUSH_GLOBAL BIT(8)
#define IB_ACCESS_FLUSH_PERSISTENT BIT(9)
#define IB_FLUSH_GLOBAL BIT(0)
#define IB_FLUSH_PERSISTENT BIT(1)
#define IB_FLUSH_RANGE 0
#define IB_FLUSH_MR 1
#endif

/* In enum ib_rate since 6.9. Drop when 6.12 is the oldest kernel. */
#ifndef COMPAT_HAVE_RATE_800
#define IB_RATE_800_GBPS ((enum ib_rate)23)
#endif

/*
 * In <rdma/ib_verbs.h> since 6.12: a rescan of one RoCE port, and the removal
 * of a netdev's GIDs. Built for both, exported where declared. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_RESCAN_PORT
#define COMPAT_EXPORT_RESCAN_PORT(sym) EXPORT_SYMBOL(sym)
#else
#define COMPAT_EXPORT_RESCAN_PORT(sym) static_assert(1)
struct net_device;
void rdma_roce_rescan_port(struct ib_device *ib_dev, u32 port);
void roce_del_all_netdev_gids(struct ib_device *ib_dev, u32 port,
			      struct net_device *ndev);
#endif

/*
 * Public since 6.9; before, the core had it for itself. Drop when 6.12 is the
 * oldest kernel.
 */
#ifdef COMPAT_HAVE_GET_NETDEV
#define COMPAT_EXPORT_GET_NETDEV(sym) EXPORT_SYMBOL(sym)
#else
#define COMPAT_EXPORT_GET_NETDEV(sym) static_assert(1)
struct ib_device;
struct net_device;
struct net_device *ib_device_get_netdev(struct ib_device *ib_dev,
					unsigned int port);
#endif

/*
 * Since 6.12 a device may be a part of another one, and netlink tells. True
 * when the message has no room. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_SUBDEV
#define compat_subdev_init(device) do { \
	mutex_init(&(device)->subdev_lock); \
	INIT_LIST_HEAD(&(device)->subdev_list_head); \
	INIT_LIST_HEAD(&(device)->subdev_list); \
} while (0)
#define compat_nl_put_subdev(msg, device) \
	(((device)->type && nla_put_u8((msg), RDMA_NLDEV_ATTR_DEV_TYPE, \
				       (device)->type)) || \
	 ((device)->parent && \
	  nla_put_string((msg), RDMA_NLDEV_ATTR_PARENT_NAME, \
			 (device)->parent->name)) || \
	 nla_put_u8((msg), RDMA_NLDEV_ATTR_NAME_ASSIGN_TYPE, \
		    (device)->name_assign_type))
#else
#define compat_subdev_init(device) do { } while (0)
#define compat_nl_put_subdev(msg, device) ((void)(msg), (void)(device), false)
#endif

/*
 * What concerns parts of devices: entries of tables that are there where the
 * kernel has the thing. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_SUBDEV
#define COMPAT_SUBDEV(...) __VA_ARGS__,
#define compat_subdevs_remove(device) ofed_subdevs_remove(device)
#define compat_subdev_leave(device) ofed_subdev_leave(device)
/* The lock of a device that has parts is taken outside of theirs. */
#define compat_subdev_lockdep(device) do { \
	static struct lock_class_key parent_key; \
	if ((device)->ops.add_sub_dev) \
		lockdep_set_class(&(device)->unregistration_lock, \
				  &parent_key); \
} while (0)
#define compat_set_sub_ops(device, ops) ib_set_device_ops((device), (ops))
#else
#define COMPAT_SUBDEV(...)
#define compat_subdevs_remove(device) do { } while (0)
#define compat_subdev_leave(device) do { } while (0)
#define compat_subdev_lockdep(device) do { } while (0)
#define compat_set_sub_ops(device, ops) do { } while (0)
#endif

/*
 * Since 6.12 drivers add to answers about SRQs, and give theirs raw. Drop with
 * 6.1.
 */
#ifdef COMPAT_HAVE_FILL_SRQ
#define COMPAT_SRQ_RAW(...) __VA_ARGS__,
#define compat_fill_srq(device) ((device)->ops.fill_res_srq_entry)
#define compat_fill_srq_raw(device) ((device)->ops.fill_res_srq_entry_raw)
#define compat_fill_srq_ops(fill, raw) \
	.fill_res_srq_entry = (fill), .fill_res_srq_entry_raw = (raw),
#else
struct sk_buff;
struct ib_srq;
#define COMPAT_SRQ_RAW(...)
#define compat_fill_srq(device) \
	((void)(device), (int (*)(struct sk_buff *, struct ib_srq *))NULL)
#define compat_fill_srq_raw(device) compat_fill_srq(device)
#define compat_fill_srq_ops(fill, raw)
#endif

/*
 * Since 6.12 a group of NETLINK_RDMA hears of devices and their netdevs. Drop
 * with 6.1.
 */
#ifdef COMPAT_HAVE_NL_NOTIFY
#define compat_nl_notify(device, port, event) \
	rdma_nl_notify_event((device), (port), RDMA_##event##_EVENT)
#define compat_nl_tell_of_new(device) ofed_nldev_tell_of_new(device)
#define compat_nl_put_monitor(msg) \
	nla_put_u8((msg), RDMA_NLDEV_SYS_ATTR_MONITOR_MODE, 1)
#else
#define compat_nl_notify(device, port, event) do { } while (0)
#define compat_nl_tell_of_new(device) do { } while (0)
#define compat_nl_put_monitor(msg) ((void)(msg), false)
#endif

/*
 * class.dev_uevent and class.devnode take a const device since 6.2 and 6.3.
 * Drop when 6.12 is the oldest kernel.
 */
#ifdef COMPAT_HAVE_CONST_CLASS_OPS
#define compat_class_device const struct device
#else
#define compat_class_device struct device
#endif

/*
 * In <rdma/ib_verbs.h> since 6.12: zap what is mapped of a device. Built for
 * both, exported where declared. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_MMAP_DISASSOCIATE
#define COMPAT_EXPORT_MMAP_DISASSOCIATE(sym) EXPORT_SYMBOL(sym)
#else
#define COMPAT_EXPORT_MMAP_DISASSOCIATE(sym) static_assert(1)
void rdma_user_mmap_disassociate(struct ib_device *device);
#endif

/*
 * Since 6.3 the flags of an area are changed by a function. The mmap lock is held
 * for writing. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_VM_FLAGS_SET
#define compat_vm_flags_set(vma, bits) vm_flags_set(vma, bits)
#else
#define compat_vm_flags_set(vma, bits) ((vma)->vm_flags |= (bits))
#endif

/*
 * Since 6.6 a table of sysctls is registered with its size, and since 6.11 an
 * empty entry at its end is an error. @table has one, which @size does not count.
 * Drop when 6.12 is the oldest kernel.
 */
#ifdef COMPAT_HAVE_NET_SYSCTL_SIZE
#define compat_register_net_sysctl(net, path, table, size) \
	register_net_sysctl_sz((net), (path), (table), (size))
#else
#define compat_register_net_sysctl(net, path, table, size) \
	register_net_sysctl((net), (path), (table))
#endif

/*
 * Since 6.12 the SMI part of a device may be a device of its own. It is there
 * for management, not for programs. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_SUBDEV
#define compat_is_smi_dev(device) ((device)->type == RDMA_DEVICE_TYPE_SMI)
#else
#define compat_is_smi_dev(device) ((void)(device), false)
#endif

/*
 * The count in the callback of ib_sa_path_rec_get() is unsigned, which 6.1 has
 * signed. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_UNSIGNED_NUM_PRS
#define compat_num_prs unsigned int
#else
#define compat_num_prs int
#endif

/*
 * FLUSH came in 6.2, and with it rights that a connection's QP is given where
 * the device has it. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_ACCESS_FLUSH
#define compat_access_flush(device) \
	((device)->attrs.device_cap_flags & \
	 (IB_DEVICE_FLUSH_GLOBAL | IB_DEVICE_FLUSH_PERSISTENT) ? \
	 IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT : 0)
#else
#define compat_access_flush(device) ((void)(device), 0)
#endif

/*
 * 6.12 has room for the whole speed of a port in the answer to QUERY_PORT.
 * Before, those bytes are reserved. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_PORT_SPEED_EX
#define compat_port_set_speed(resp, speed) ((resp)->active_speed_ex = (speed))
#else
#define compat_port_set_speed(resp, speed) ((void)(resp))
#endif

/*
 * 6.12 has issmN for ports with subnet management alone; before, each port with MADs
 * has it. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_SUBDEV
#define compat_has_issm(device, port) rdma_cap_ib_smi((device), (port))
#else
#define compat_has_issm(device, port) ((void)(device), (void)(port), true)
#endif

/*
 * Pages into a TCP stream by reference: by MSG_SPLICE_PAGES where sendpage is
 * gone (6.5). The caller holds the socket's lock, and the call does not sleep;
 * @more says that more data follows. Returns the bytes that it took, or an
 * errno. (Headers of the network are not included here: macros are looked up
 * where used.) Drop the first when 6.12 is the oldest kernel.
 */
#ifdef COMPAT_HAVE_SENDPAGE
#define compat_tcp_send_page(sk, page, offset, bytes, more) \
	kernel_sendpage_locked((sk), (page), (offset), (bytes), \
			       MSG_DONTWAIT | MSG_NOSIGNAL | ((more) ? \
			       MSG_MORE | MSG_SENDPAGE_NOTLAST : 0))
#else
#define compat_tcp_send_page(sk, page, offset, bytes, more) ({ \
	struct bio_vec vec_; \
	struct msghdr msg_ = { \
		.msg_flags = MSG_SPLICE_PAGES | MSG_DONTWAIT | MSG_NOSIGNAL | \
			     ((more) ? MSG_MORE : 0), \
	}; \
	bvec_set_page(&vec_, (page), (bytes), (offset)); \
	iov_iter_bvec(&msg_.msg_iter, ITER_SOURCE, &vec_, 1, (bytes)); \
	tcp_sendmsg_locked((sk), &msg_, (bytes)); \
})
#endif

/* Since 6.2 a socket of the kernel says that the task's page is not for it. */
#ifdef COMPAT_HAVE_SK_TASK_FRAG
#define compat_sk_no_task_frag(sk) ((sk)->sk_use_task_frag = false)
#else
#define compat_sk_no_task_frag(sk) ((void)(sk))
#endif

/*
 * A socket of the kernel that keeps its namespace, as those of programs do: TCP
 * goes on with it after it was released. Since 6.2 the tracker knows sockets that
 * do not. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_NETNS_TRACKER_FREE
#define compat_sock_untrack(sk) \
	__netns_tracker_free(sock_net(sk), &(sk)->ns_tracker, false)
#else
#define compat_sock_untrack(sk) do { } while (0)
#endif
#define compat_sock_hold_net(sk) do { \
	compat_sock_untrack(sk); \
	(sk)->sk_net_refcnt = 1; \
	get_net_track(sock_net(sk), &(sk)->ns_tracker, GFP_KERNEL); \
	sock_inuse_add(sock_net(sk), 1); \
} while (0)

#endif /* OFED_COMPAT_H */
