/* SPDX-License-Identifier: GPL-2.0 */
/* The one list of counters: 'rdma statistic', sysfs hw_counters and the code. */
#ifndef IW_STATS_H
#define IW_STATS_H

#define IW_STATS(X)							\
	X(TX_FPDUS, "tx_fpdus")						\
	X(TX_BYTES, "tx_bytes")		/* of FPDUs */			\
	X(TX_BATCHES, "tx_batches")	/* calls of the socket */	\
	X(TX_STALLED, "tx_stalled")	/* the socket had no room */	\
	X(TX_LOCAL, "tx_local_fpdus")	/* that TCP has not seen */	\
	X(RX_FPDUS, "rx_fpdus")						\
	X(RX_BYTES, "rx_bytes")		/* of FPDUs */			\
	X(RX_JOINED, "rx_joined")	/* came in several pieces */	\
	X(RX_CRC, "rx_crc_errors")					\
	X(RX_MALFORMED, "rx_malformed")	/* DDP or RDMAP says no */	\
	X(TX_TERM, "sent_terminate")					\
	X(RX_TERM, "rcvd_terminate")					\
	X(ACCESS_ERR, "remote_access_errors") /* requests refused here */ \
	X(NO_BUFFER, "no_receive_buffer")				\
	X(CONNECTS, "connections_made")					\
	X(ACCEPTS, "connections_taken")					\
	X(REFUSED, "connections_refused")				\
	X(RESETS, "connections_reset")					\
	X(CQ_OVERRUN, "cq_overruns")

#define IW_STAT_ENUM(id, name) IW_STAT_##id,
enum iw_stat { IW_STATS(IW_STAT_ENUM) IW_STAT_NUM };

extern const struct ib_device_ops iw_stats_ops;

#endif /* IW_STATS_H */
