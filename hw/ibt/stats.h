/* SPDX-License-Identifier: GPL-2.0 */
/* The one list of counters: 'rdma statistic', sysfs hw_counters and the code. */
#ifndef IBT_STATS_H
#define IBT_STATS_H

#define IBT_STATS(X)							\
	X(TX_PKTS, "tx_packets")	/* given to the link */		\
	X(TX_BYTES, "tx_bytes")		/* of these, and local ones */	\
	X(TX_MCAST, "tx_multicast")	/* packets, of tx_packets */	\
	X(TX_RUNS, "tx_runs")		/* several of them in one skb */ \
	X(RX_LANES, "rx_lanes")		/* skbs left to another processor */ \
	X(RX_PKTS, "rx_packets")	/* well-formed, good ICRC */	\
	X(RX_BYTES, "rx_bytes")		/* of these, and local ones */	\
	X(LOCAL_MSGS, "local_messages")	/* delivered without packets */	\
	X(RX_LOCAL, "rx_local_messages") /* received so */		\
	X(DIRECT_MSGS, "direct_messages") /* of local_messages, to a neighbour */ \
	X(DIRECT_BYTES, "direct_bytes")	/* of tx_bytes, in these */	\
	X(RX_MALFORMED, "rx_malformed")	/* length, opcode, version */	\
	X(RX_ICRC, "rx_icrc_errors")					\
	X(RX_NO_QP, "rx_no_qp")		/* no such QP, or wrong state */	\
	X(RX_PKEY, "rx_pkey_errors")					\
	X(RX_QKEY, "rx_qkey_errors")					\
	X(RX_DUP, "duplicate_request")					\
	X(RX_SEQ, "out_of_sequence")	/* requests ahead of their turn */ \
	X(RX_DROP, "rx_dropped")	/* no room, no memory */	\
	X(RX_ECN, "np_ecn_marked_roce_packets")	/* marked on their way */ \
	X(CNP_SENT, "np_cnp_sent")	/* and their senders told so */	\
	X(CNP_TAKEN, "rp_cnp_handled")	/* such packets of a peer */	\
	X(CNP_IGNORED, "rp_cnp_ignored") /* and of others */		\
	X(TX_RNR, "sent_rnr_nak")					\
	X(RX_RNR, "rcvd_rnr_nak")					\
	X(TX_NAK, "sent_nak")						\
	X(RX_NAK, "rcvd_nak")						\
	X(RETRY_SEQ, "packet_seq_err")	/* retries after a NAK or gap */ \
	X(RETRY_TIMEOUT, "local_ack_timeout_err")			\
	X(RETRY_EARLY, "early_retransmits") /* before the timeout of the QP */ \
	X(RETRY_EXC, "retry_exceeded_err")				\
	X(RNR_EXC, "rnr_retry_exceeded_err")				\
	X(TX_BUSY, "tx_no_room")	/* the link asked to wait */	\
	X(TX_NOMEM, "tx_no_memory")					\
	X(TX_ERROR, "tx_errors")	/* the link had no way */	\
	X(ACCESS_ERR, "remote_access_errors") /* requests refused here */ \
	X(CQ_OVERRUN, "cq_overruns")					\
	X(MCAST_PKTS, "rx_multicast")

#define IBT_STAT_ENUM(id, name) IBT_STAT_##id,
enum ibt_stat { IBT_STATS(IBT_STAT_ENUM) IBT_STAT_NUM };

struct ib_device_ops;
struct rdma_counter;

/* ops.counter_alloc_stats: the same list for a counter of queue pairs. */
struct rdma_hw_stats *ibt_stats_of_counter(struct rdma_counter *counter);

extern const struct ib_device_ops ibt_stats_ops;

#endif /* IBT_STATS_H */
