/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Packets on an InfiniBand cable, and management attributes. Sections and tables are
 * those of the InfiniBand Architecture Specification, volume 1. The header has wire
 * formats alone. Attributes that <rdma/ib_smi.h> and <rdma/ib_pma.h> define completely
 * are not repeated here.
 */
#ifndef IBF_WIRE_H
#define IBF_WIRE_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>

#define IBF_LID_MCAST		0xc000	/* the first of groups, section 4.1.3 */
#define IBF_LID_PERMISSIVE	0xffff
#define IBF_DEFAULT_PREFIX	0xfe80000000000000ULL	/* section 4.1.1 */

/**
 * struct ibf_lrh - Local Route Header, section 7.7
 * @vl: IBF_LRH_VL, and the link version, which is 0
 * @sl: IBF_LRH_SL, 2 reserved bits, IBF_LRH_LNH
 * @dlid: destination
 * @length: IBF_LRH_LENGTH: words of 4 bytes from here to the end of the ICRC
 * @slid: source
 */
struct ibf_lrh {
	u8 vl;
	u8 sl;
	__be16 dlid;
	__be16 length;
	__be16 slid;
};
static_assert(sizeof(struct ibf_lrh) == 8);

#define IBF_LRH_VL		GENMASK(7, 4)
#define IBF_LRH_LVER		GENMASK(3, 0)
#define IBF_LRH_SL		GENMASK(7, 4)
#define IBF_LRH_LNH		GENMASK(1, 0)
#define IBF_LRH_LENGTH		GENMASK(10, 0)
#define IBF_LNH_RAW		0	/* a header with an Ethertype is next */
#define IBF_LNH_LOCAL		2	/* the BTH is next */
#define IBF_LNH_GLOBAL		3	/* a GRH is next */

/**
 * struct ibf_ud - BTH and DETH of a datagram, sections 9.2 and 9.3.2
 * @opcode: IBF_UD_SEND_ONLY
 * @flags: SE, M, pad count, transport version
 * @pkey: partition
 * @dqpn: 8 reserved bits, destination QP
 * @psn: AckReq, 7 reserved bits, PSN
 * @qkey: key of the destination
 * @sqpn: 8 reserved bits, source QP
 */
struct ibf_ud {
	u8 opcode;
	u8 flags;
	__be16 pkey;
	__be32 dqpn;
	__be32 psn;
	__be32 qkey;
	__be32 sqpn;
};
static_assert(sizeof(struct ibf_ud) == 20);

#define IBF_UD_SEND_ONLY	0x64	/* table 38 */
#define IBF_UD_TVER		GENMASK(3, 0)
#define IBF_UD_PAD		GENMASK(5, 4)
#define IBF_UD_MIG		BIT(6)
#define IBF_24			GENMASK(23, 0)
#define IBF_BTH_BYTES		12

/**
 * struct ibf_switch_info - SwitchInfo, section 14.2.5.4
 * @lft_cap: entries of the linear table
 * @rft_cap: 0: no random table
 * @mft_cap: entries of the multicast table
 * @lft_top: last entry of the linear table in use
 * @default_port: (random table only)
 * @default_mcast_primary: port for groups outside of the table
 * @default_mcast_other: port for such packets that came in by the primary one
 * @flags: IBF_SWITCH_*
 * @lids_per_port: (random table only)
 * @enforce_cap: entries of the P_Key table of each port
 * @caps: IBF_SWITCH_CAP_*
 * @reserved: 0
 * @mft_top: last entry of the multicast table in use
 */
struct ibf_switch_info {
	__be16 lft_cap;
	__be16 rft_cap;
	__be16 mft_cap;
	__be16 lft_top;
	u8 default_port;
	u8 default_mcast_primary;
	u8 default_mcast_other;
	u8 flags;
	__be16 lids_per_port;
	__be16 enforce_cap;
	u8 caps;
	u8 reserved;
	__be16 mft_top;
};
static_assert(sizeof(struct ibf_switch_info) == 20);

#define IBF_SWITCH_LIFE		GENMASK(7, 3)
#define IBF_SWITCH_CHANGED	BIT(2)	/* a port has changed its state */
#define IBF_SWITCH_CAP_IN	BIT(7)	/* P_Keys are enforced inbound */
#define IBF_SWITCH_CAP_OUT	BIT(6)

/**
 * struct ibf_port_info - PortInfo, section 14.2.5.6
 * @mkey: Management Key
 * @gid_prefix: of the subnet
 * @lid: base LID
 * @master_sm_lid: of the master subnet manager
 * @cap_mask: enum ib_port_capability_mask_bits
 * @diag_code: 0
 * @mkey_lease: seconds
 * @local_port: the port that the SMP came in by
 * @width_enabled: LinkWidthEnabled, a mask of IBF_WIDTH_*
 * @width_supported: LinkWidthSupported, a mask of IBF_WIDTH_*
 * @width_active: LinkWidthActive, one of IBF_WIDTH_*
 * @speed_state: LinkSpeedSupported, PortState
 * @phys_default: PortPhysicalState, LinkDownDefaultState
 * @mkey_lmc: M_KeyProtectBits (7:6), LMC (2:0)
 * @speed: LinkSpeedActive, LinkSpeedEnabled
 * @mtu_smsl: NeighborMTU, MasterSMSL
 * @vl_cap: VLCap, InitType
 * @vl_high_limit: VLHighLimit
 * @arb_high_cap: entries of the table of high priority
 * @arb_low_cap: of low priority
 * @mtu_cap: InitTypeReply, MTUCap
 * @hoq: VLStallCount (7:5), HOQLife (4:0)
 * @vls_enforce: OperationalVLs, IBF_ENFORCE_*
 * @mkey_violations: SMPs with a wrong M_Key
 * @pkey_violations: packets with a wrong P_Key
 * @qkey_violations: datagrams with a wrong Q_Key
 * @guid_cap: entries of GUIDInfo
 * @timeout: ClientReregister (7), SubnetTimeOut (4:0)
 * @resp_time: RespTimeValue (4:0)
 * @thresholds: LocalPhyErrors, OverrunErrors
 * @credit_hint: MaxCreditHint
 * @latency: LinkRoundTripLatency (23:0)
 * @cap_mask2: CapabilityMask2
 * @ext_speed: LinkSpeedExtActive, LinkSpeedExtSupported
 * @ext_enabled: LinkSpeedExtEnabled (4:0)
 *
 * Where a byte has two fields the first one named is in bits 7:4.
 */
struct ibf_port_info {
	__be64 mkey;
	__be64 gid_prefix;
	__be16 lid;
	__be16 master_sm_lid;
	__be32 cap_mask;
	__be16 diag_code;
	__be16 mkey_lease;
	u8 local_port;
	u8 width_enabled;
	u8 width_supported;
	u8 width_active;
	u8 speed_state;
	u8 phys_default;
	u8 mkey_lmc;
	u8 speed;
	u8 mtu_smsl;
	u8 vl_cap;
	u8 vl_high_limit;
	u8 arb_high_cap;
	u8 arb_low_cap;
	u8 mtu_cap;
	u8 hoq;
	u8 vls_enforce;
	__be16 mkey_violations;
	__be16 pkey_violations;
	__be16 qkey_violations;
	u8 guid_cap;
	u8 timeout;
	u8 resp_time;
	u8 thresholds;
	__be16 credit_hint;
	__be32 latency;
	__be16 cap_mask2;
	u8 ext_speed;
	u8 ext_enabled;
};
static_assert(sizeof(struct ibf_port_info) == 64);

#define IBF_HIGH		GENMASK(7, 4)
#define IBF_LOW			GENMASK(3, 0)
#define IBF_MKEY_PROTECT	GENMASK(7, 6)
#define IBF_LMC			GENMASK(2, 0)
#define IBF_HOQ_LIFE		GENMASK(4, 0)
#define IBF_HOQ_FOREVER		20	/* this and above: no limit */
#define IBF_ENFORCE_IN		BIT(3)
#define IBF_ENFORCE_OUT		BIT(2)
#define IBF_REREGISTER		BIT(7)
#define IBF_TIMEOUT		GENMASK(4, 0)

/* LinkWidth*. */
enum {
	IBF_WIDTH_1X	= BIT(0),
	IBF_WIDTH_4X	= BIT(1),
	IBF_WIDTH_8X	= BIT(2),
	IBF_WIDTH_12X	= BIT(3),
	IBF_WIDTH_ALL	= 0x0f,
};

/* LinkSpeed*, and LinkSpeedExt*. */
enum {
	IBF_SPEED_SDR	= BIT(0),
	IBF_SPEED_DDR	= BIT(1),
	IBF_SPEED_QDR	= BIT(2),
	IBF_SPEED_ALL	= 0x07,
	IBF_EXT_FDR	= BIT(0),
	IBF_EXT_EDR	= BIT(1),
	IBF_EXT_HDR	= BIT(2),
	IBF_EXT_ALL	= 0x07,
};

/* PortState and PortPhysicalState, where 0 asks for no change. */
enum {
	IBF_STATE_DOWN		= 1,
	IBF_STATE_INIT		= 2,
	IBF_STATE_ARMED		= 3,
	IBF_STATE_ACTIVE	= 4,
	IBF_PHYS_SLEEP		= 1,
	IBF_PHYS_POLLING	= 2,
	IBF_PHYS_DISABLED	= 3,
	IBF_PHYS_LINK_UP	= 5,
};

/* Operational VLs, VLCap: 1: VL0, 2: VL0-1, 3: VL0-3, 4: VL0-7, 5: VL0-14. */
#define IBF_VL_CODE_8		4

/* Traps of section 14.2.5.1 that <rdma/ib_smi.h> does not name. */
enum {
	IBF_TRAP_LINK_STATE	= 128,
	IBF_TRAP_INTEGRITY	= 129,
	IBF_TRAP_OVERRUN	= 130,
	IBF_TRAP_WATCHDOG	= 131,
	IBF_TRAP_CAPS		= 144,
	IBF_TRAP_BAD_MKEY	= 256,
	IBF_TRAP_BAD_PKEY	= 257,
	IBF_TRAP_BAD_QKEY	= 258,
	IBF_TRAP_SWITCH_PKEY	= 259,
};

/**
 * struct ibf_switch_pkey - details of trap 259, section 14.2.5.1
 * @valid: IBF_VALID_*
 * @lid1: source LID of the packet
 * @lid2: destination LID
 * @pkey: P_Key
 * @sl_qp1: IBF_NOTICE_SL, source QP
 * @qp2: destination QP
 * @gid1: source GID, if the packet has a GRH
 * @gid2: destination GID, if the packet has a GRH
 * @sw_lid: LID of the switch
 * @port: port that refused the packet
 */
struct ibf_switch_pkey {
	__be16 valid;
	__be16 lid1;
	__be16 lid2;
	__be16 pkey;
	__be32 sl_qp1;
	__be32 qp2;
	u8 gid1[16];
	u8 gid2[16];
	__be16 sw_lid;
	u8 port;
} __packed;
static_assert(sizeof(struct ibf_switch_pkey) == 51);

#define IBF_NOTICE_SL		GENMASK(31, 28)
/* Which fields are valid. */
#define IBF_VALID_LIDS		(BIT(0) | BIT(1))
#define IBF_VALID_PKEY		BIT(2)
#define IBF_VALID_SL		BIT(3)
#define IBF_VALID_QP1		BIT(4)
#define IBF_VALID_QP2		BIT(5)
#define IBF_VALID_GIDS		(BIT(6) | BIT(7))

/**
 * struct ibf_samples_control - PortSamplesControl, section 16.1.3.2
 * @opcode: (vendors)
 * @port_select: port, or all
 * @tick: length of a tick
 * @counter_width: of the results
 * @counter_masks: what each of the first ten counters can count, 3 bits each
 * @counter_masks10: the other five
 * @mechanisms: sampling mechanisms beside mechanism 0
 * @status: IBF_SAMPLES_*
 * @option_mask: supported optional counters, IBF_OPTIONS
 * @vendor_mask: (vendors)
 * @start: ticks until the interval begins
 * @interval: length of the interval in ticks
 * @tag: number chosen by the requester
 * @select: quantity that each counter counts
 *
 * The struct of <rdma/ib_pma.h> has padding in front of @option_mask.
 */
struct ibf_samples_control {
	u8 opcode;
	u8 port_select;
	u8 tick;
	u8 counter_width;
	__be32 counter_masks;
	__be16 counter_masks10;
	u8 mechanisms;
	u8 status;
	__be64 option_mask;
	__be64 vendor_mask;
	__be32 start;
	__be32 interval;
	__be16 tag;
	__be16 select[15];
} __packed;
static_assert(sizeof(struct ibf_samples_control) == 68);

/* Attributes of the PMA that <rdma/ib_pma.h> does not name, section 16.1.4. */
#define IBF_PMA_RCV_ERROR_DETAILS	cpu_to_be16(0x0015)
#define IBF_PMA_XMIT_DISCARD_DETAILS	cpu_to_be16(0x0016)
#define IBF_PMA_OP_RCV_COUNTERS		cpu_to_be16(0x0017)
#define IBF_PMA_FLOW_CTL_COUNTERS	cpu_to_be16(0x0018)
#define IBF_PMA_VL_OP_PACKETS		cpu_to_be16(0x0019)
#define IBF_PMA_VL_OP_DATA		cpu_to_be16(0x001a)
#define IBF_PMA_VL_XMIT_WAIT		cpu_to_be16(0x001c)
#define IBF_PMA_EXT_SPEEDS		cpu_to_be16(0x001f)
#define IBF_PMA_XMIT_DATA_SL		cpu_to_be16(0x0036)
#define IBF_PMA_RCV_DATA_SL		cpu_to_be16(0x0037)

/* OptionMask: which of these counters there are. */
#define IBF_OPTIONS	(GENMASK_ULL(21, 6) | BIT_ULL(23) | \
			 GENMASK_ULL(28, 24) | GENMASK_ULL(56, 55))

/**
 * struct ibf_pma_head - what most attributes of section 16.1.4 begin with; their
 *			 counters follow, all of one width
 * @opcode: BTH opcode of what is counted; else reserved
 * @port_select: port, or all
 * @counter_select: which of the counters a Set clears
 */
struct ibf_pma_head {
	u8 opcode;
	u8 port_select;
	__be16 counter_select;
};
static_assert(sizeof(struct ibf_pma_head) == 4);

/**
 * struct ibf_ext_speeds - PortExtendedSpeedsCounters, section 16.1.4.12
 * @reserved: 0
 * @port_select: port, or all
 * @reserved2: 0
 * @counter_select: which of the counters a Set clears, in their order
 * @sync_errors: SyncHeaderErrorCounter
 * @unknown_blocks: UnknownBlockCounter
 * @lane_errors: ErrorDetectionCounterLane*
 * @fec_corrected: FECCorrectableBlockCounterLane*
 * @fec_uncorrected: FECUncorrectableBlockCounterLane*
 */
struct ibf_ext_speeds {
	u8 reserved;
	u8 port_select;
	u8 reserved2[6];
	__be64 counter_select;
	__be16 sync_errors;
	__be16 unknown_blocks;
	__be16 lane_errors[12];
	__be32 fec_corrected[12];
	__be32 fec_uncorrected[12];
} __packed;
static_assert(sizeof(struct ibf_ext_speeds) == 140);

/* Bits of its CounterSelect. */
#define IBF_EXT_UNKNOWN_BLOCKS	BIT_ULL(1)
#define IBF_EXT_LANE_ERRORS	BIT_ULL(2)	/* of lane 0; the others follow */

/* SampleStatus. */
enum {
	IBF_SAMPLES_DONE	= 0,
	IBF_SAMPLES_STARTED	= 1,	/* the time until it begins runs */
	IBF_SAMPLES_RUNNING	= 2,
};

#define IBF_SMP_BAD_ATTR	0x000c	/* method and attribute, section 13.4.7 */
#define IBF_SMP_BAD_FIELD	0x001c
#define IBF_MAD_BAD_VERSION	0x0004

#endif /* IBF_WIRE_H */
