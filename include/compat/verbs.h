/* SPDX-License-Identifier: GPL-2.0 */
/* Verbs: ops of drivers, opcodes, queue pairs. */
#ifndef OFED_COMPAT_VERBS_H
#define OFED_COMPAT_VERBS_H

/*
 * The driver's end of what ops.h has for the core: the last argument of ops.create_cq, and
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

/* In enum ib_rate since 6.9. Drop when 6.12 is the oldest kernel. */
#ifndef COMPAT_HAVE_RATE_800
#define IB_RATE_800_GBPS ((enum ib_rate)23)
#endif

/*
 * In 7.3 ops.reg_user_mr takes a DMA handle: a parameter of a declaration, the
 * argument of a call, and whether a program gave one. Drop with 6.12.
 */
#ifdef COMPAT_HAVE_DMAH
#define COMPAT_DMAH_PARAM struct ib_dmah *dmah,
#define COMPAT_DMAH_ARG dmah,
#define compat_is_dmah() ((dmah) != NULL)
#else
#define COMPAT_DMAH_PARAM
#define COMPAT_DMAH_ARG
#define compat_is_dmah() (false)
#endif

/* In 7.3 only a program's CQ changes its size, which is unsigned. Drop with 6.12. */
#ifdef COMPAT_HAVE_RESIZE_USER_CQ
#define compat_cqe unsigned int
#else
#define resize_user_cq resize_cq
#define compat_cqe int
#endif

/* 7.3 creates a program's CQ by an op of its own. Drop with 6.12. */
#ifdef COMPAT_HAVE_CREATE_USER_CQ
#define COMPAT_CREATE_USER_CQ(op) .create_user_cq = (op),
#else
#define COMPAT_CREATE_USER_CQ(op)
#endif

/* Ops of counters are told the port since 7.x. Drop with 6.12. */
#ifdef COMPAT_HAVE_COUNTER_OPCNT
#define COMPAT_COUNTER_PARAMS(...) __VA_ARGS__, u32 port
#define COMPAT_COUNTER_OPS(type, init) \
	.size_rdma_counter = sizeof(type), .counter_init = (init),
#else
#define COMPAT_COUNTER_PARAMS(...) __VA_ARGS__
#define COMPAT_COUNTER_OPS(type, init)
#endif

/* Which processors serve a completion vector: no op any more since 6.16. Drop with 6.12. */
#ifdef COMPAT_HAVE_VECTOR_AFFINITY
#define COMPAT_VECTOR_AFFINITY(op) .get_vector_affinity = (op),
#else
#define COMPAT_VECTOR_AFFINITY(op)
#endif

#endif /* OFED_COMPAT_VERBS_H */
