// SPDX-License-Identifier: GPL-2.0
/* PortInfo (section 14.2.5.6): attributes of a port, and the state changes of a Set. */
#include <linux/jiffies.h>
#include <rdma/ib_mad.h>

#include "cable.h"
#include "fabric.h"
#include "node.h"
#include "sma.h"

#define HCA_CAPS	(IB_PORT_TRAP_SUP | IB_PORT_AUTO_MIGR_SUP |		\
			 IB_PORT_SL_MAP_SUP | IB_PORT_SYS_IMAGE_GUID_SUP |	\
			 IB_PORT_EXTENDED_SPEEDS_SUP | IB_PORT_CM_SUP |		\
			 IB_PORT_CLIENT_REG_SUP | IB_PORT_CAP_MASK_NOTICE_SUP | \
			 IB_PORT_OTHER_LOCAL_CHANGES_SUP)
#define SWITCH_CAPS	(IB_PORT_TRAP_SUP | IB_PORT_SL_MAP_SUP |		\
			 IB_PORT_SYS_IMAGE_GUID_SUP |				\
			 IB_PORT_EXTENDED_SPEEDS_SUP)

static u8 ibf_sma_port_halves(u8 high, u8 low)
{
	return FIELD_PREP(IBF_HIGH, high) | FIELD_PREP(IBF_LOW, low);
}

static u8 ibf_sma_port_high(u8 byte)
{
	return FIELD_GET(IBF_HIGH, byte);
}

static u8 ibf_sma_port_low(u8 byte)
{
	return FIELD_GET(IBF_LOW, byte);
}

/* An external port of a switch has neither a LID nor an M_Key. */
static bool ibf_is_end_port(const struct ibf_port *port)
{
	return !port->node->is_switch || !port->num;
}

static u8 ibf_vls_of(u8 code)
{
	return code ? min(1 << (code - 1), (int)IBF_DATA_VLS) : 1;
}

/* ---- values at power on ----------------------------------------------------------------- */

/**
 * ibf_port_info_init - set PortInfo to its values at power on
 * @port: the port; ibf_lock is held
 */
void ibf_port_info_init(struct ibf_port *port)
{
	struct ibf_port_info *info = &port->info;

	lockdep_assert_held(&ibf_lock);
	*info = (struct ibf_port_info){
		.gid_prefix = cpu_to_be64(IBF_DEFAULT_PREFIX),
		.width_enabled = IBF_WIDTH_ALL,
		.width_supported = IBF_WIDTH_ALL,
		.width_active = IBF_WIDTH_4X,
		.speed_state = ibf_sma_port_halves(IBF_SPEED_ALL, 0),
		.phys_default = ibf_sma_port_halves(0, IBF_PHYS_POLLING),
		.speed = ibf_sma_port_halves(IBF_SPEED_SDR, IBF_SPEED_ALL),
		.mtu_smsl = ibf_sma_port_halves(IB_MTU_4096, 0),
		.vl_cap = ibf_sma_port_halves(IBF_VL_CODE_8, 0),
		.arb_high_cap = 8,
		.arb_low_cap = 8,
		.mtu_cap = IB_MTU_4096,
		.vls_enforce = ibf_sma_port_halves(IBF_VL_CODE_8, 0),
		.resp_time = 16,
		.thresholds = ibf_sma_port_halves(8, 8),
		.ext_speed = ibf_sma_port_halves(0, IBF_EXT_ALL),
		.ext_enabled = IBF_EXT_ALL,
	};
	if (ibf_is_end_port(port)) {
		info->cap_mask = cpu_to_be32(port->num ? HCA_CAPS : SWITCH_CAPS);
		info->guid_cap = port->num ? IBF_GUIDS : 1;
	}
	port->lid = 0;
	port->lmc = 0;
	port->mtu = IB_MTU_4096;
	port->op_vls = IBF_DATA_VLS;
	port->enforce = 0;
	port->hoq_life = 0;
	port->leased = false;
	/* Port 0 has no link that could be down. */
	port->state = port->num ? IBF_STATE_DOWN : IBF_STATE_ACTIVE;
	port->phys = port->num ? IBF_PHYS_POLLING : IBF_PHYS_LINK_UP;
}

/* ---- Get -------------------------------------------------------------------------------- */

static void ibf_add_violations(const struct ibf_port *port,
			       struct ibf_port_info *info)
{
	struct ibt_port *ibt = port->ibt;

	if (!ibt)
		return;
	info->pkey_violations = cpu_to_be16(min_t(u32, U16_MAX,
		atomic_read(ibt_port_refused(ibt, false))));
	info->qkey_violations = cpu_to_be16(min_t(u32, U16_MAX,
		atomic_read(ibt_port_refused(ibt, true))));
}

/**
 * ibf_port_info_get - PortInfo of a port, without LocalPortNum
 * @port: the port; ibf_lock is held
 * @info: filled with the attribute
 */
void ibf_port_info_get(struct ibf_port *port, struct ibf_port_info *info)
{
	lockdep_assert_held(&ibf_lock);
	*info = port->info;
	info->lid = cpu_to_be16(port->lid);
	info->speed_state = ibf_sma_port_halves(ibf_sma_port_high(info->speed_state), port->state);
	info->phys_default = ibf_sma_port_halves(port->phys, ibf_sma_port_low(info->phys_default));
	info->mkey_lmc = (info->mkey_lmc & ~IBF_LMC) | port->lmc;
	if (port->mtu_max)
		info->mtu_cap = ibf_sma_port_halves(ibf_sma_port_high(info->mtu_cap),
						    port->mtu_max);
	ibf_add_violations(port, info);
}

/* ---- Set: checks ------------------------------------------------------------------------- */

static bool ibf_lids_ok(const struct ibf_port_info *to)
{
	u16 lid = be16_to_cpu(to->lid), sm_lid = be16_to_cpu(to->master_sm_lid);
	u16 mask = BIT(FIELD_GET(IBF_LMC, to->mkey_lmc)) - 1;

	return lid && lid < IBF_LID_MCAST && !(lid & mask) &&
	       sm_lid && sm_lid < IBF_LID_MCAST;
}

/* 0 is no change, @all enables everything that is supported. */
static bool ibf_enabled_ok(u8 to, u8 all, u8 supported)
{
	return !to || to == all || !(to & ~supported);
}

static bool ibf_speeds_ok(const struct ibf_port_info *to)
{
	u8 ext = to->ext_enabled & 0x1f;

	return ibf_enabled_ok(to->width_enabled, 0xff, IBF_WIDTH_ALL) &&
	       ibf_enabled_ok(ibf_sma_port_low(to->speed), 0xf, IBF_SPEED_ALL) &&
	       (ext == 30 || ibf_enabled_ok(ext, 0x1f, IBF_EXT_ALL));
}

static bool ibf_mtu_and_vls_ok(const struct ibf_port_info *to)
{
	u8 mtu = ibf_sma_port_high(to->mtu_smsl), vls = ibf_sma_port_high(to->vls_enforce);

	return mtu <= IB_MTU_4096 && vls <= IBF_VL_CODE_8;
}

/* Table 146: legal state changes. */
static bool ibf_states_ok(const struct ibf_port *port,
			  const struct ibf_port_info *to)
{
	u8 state = ibf_sma_port_low(to->speed_state), phys = ibf_sma_port_high(to->phys_default);
	u8 rest = ibf_sma_port_low(to->phys_default);

	if (rest > IBF_PHYS_POLLING || phys > IBF_PHYS_DISABLED)
		return false;
	if (phys && state > IBF_STATE_DOWN)
		return false;
	switch (state) {
	case 0:
	case IBF_STATE_DOWN:
		return true;
	case IBF_STATE_ARMED:
		return port->state == IBF_STATE_INIT ||
		       port->state == IBF_STATE_ARMED;
	case IBF_STATE_ACTIVE:
		return port->state == IBF_STATE_ARMED ||
		       port->state == IBF_STATE_ACTIVE;
	default:
		return false;
	}
}

/* ---- Set ------------------------------------------------------------------------------------ */

static void ibf_set_identity(struct ibf_port *port, const struct ibf_port_info *to)
{
	struct ibf_port_info *info = &port->info;
	u16 lid = be16_to_cpu(to->lid);
	u8 lmc = FIELD_GET(IBF_LMC, to->mkey_lmc);

	info->mkey = to->mkey;
	info->mkey_lease = to->mkey_lease;
	info->mkey_lmc = to->mkey_lmc & IBF_MKEY_PROTECT;
	info->timeout = to->timeout & IBF_TIMEOUT;
	if (!to->mkey_violations)
		info->mkey_violations = 0;
	if (port->lid != lid || port->lmc != lmc) {
		WRITE_ONCE(port->lid, lid);
		WRITE_ONCE(port->lmc, lmc);
		ibf_tell(port, IB_EVENT_LID_CHANGE);
	}
	if (info->master_sm_lid != to->master_sm_lid ||
	    ibf_sma_port_low(info->mtu_smsl) != ibf_sma_port_low(to->mtu_smsl)) {
		info->master_sm_lid = to->master_sm_lid;
		info->mtu_smsl = ibf_sma_port_halves(ibf_sma_port_high(info->mtu_smsl),
						     ibf_sma_port_low(to->mtu_smsl));
		ibf_tell(port, IB_EVENT_SM_CHANGE);
	}
	if (info->gid_prefix != to->gid_prefix) {
		info->gid_prefix = to->gid_prefix;
		ibf_tell(port, IB_EVENT_GID_CHANGE);
	}
	if (to->timeout & IBF_REREGISTER)
		ibf_tell(port, IB_EVENT_CLIENT_REREGISTER);
}

static void ibf_set_speeds(struct ibf_port_info *info,
			   const struct ibf_port_info *to)
{
	u8 ext = to->ext_enabled & 0x1f;

	if (to->width_enabled)
		info->width_enabled = to->width_enabled & IBF_WIDTH_ALL;
	if (ibf_sma_port_low(to->speed))
		info->speed = ibf_sma_port_halves(ibf_sma_port_high(info->speed),
						  ibf_sma_port_low(to->speed) & IBF_SPEED_ALL);
	if (ext)
		info->ext_enabled = ext == 30 ? 0 : ext & IBF_EXT_ALL;
}

/* 4.096 us * 2^life, at least a jiffy. */
static unsigned long ibf_hoq_jiffies(u8 hoq)
{
	u8 life = FIELD_GET(IBF_HOQ_LIFE, hoq);

	if (life >= IBF_HOQ_FOREVER)
		return 0;
	return usecs_to_jiffies((4096UL << life) / 1000) + 1;
}

static void ibf_set_link(struct ibf_port *port, const struct ibf_port_info *to)
{
	struct ibf_port_info *info = &port->info;
	u8 mtu = ibf_sma_port_high(to->mtu_smsl), vls = ibf_sma_port_high(to->vls_enforce);

	if (mtu) {
		info->mtu_smsl = ibf_sma_port_halves(mtu, ibf_sma_port_low(info->mtu_smsl));
		WRITE_ONCE(port->mtu, mtu);
		/* The MTU is visible before the new generation: pairs with ibf_path_resolve(). */
		smp_mb__before_atomic();
		atomic_inc(&port->generation);
	}
	if (vls)
		WRITE_ONCE(port->op_vls, ibf_vls_of(vls));
	WRITE_ONCE(port->enforce, to->vls_enforce &
		   (IBF_ENFORCE_IN | IBF_ENFORCE_OUT));
	info->vls_enforce = ibf_sma_port_halves(vls ?: ibf_sma_port_high(info->vls_enforce),
						ibf_sma_port_low(to->vls_enforce));
	info->vl_high_limit = to->vl_high_limit;
	info->hoq = to->hoq;
	WRITE_ONCE(port->hoq_life, ibf_hoq_jiffies(to->hoq));
	info->thresholds = to->thresholds;
	if (ibf_sma_port_low(to->phys_default))
		info->phys_default = ibf_sma_port_low(to->phys_default);
	ibf_set_speeds(info, to);
}

static void ibf_set_state(struct ibf_port *port, const struct ibf_port_info *to)
{
	u8 state = ibf_sma_port_low(to->speed_state), phys = ibf_sma_port_high(to->phys_default);

	if (!port->num)
		return;
	if (phys) {
		ibf_link_down(port, phys);
		ibf_link_train(port);
	} else if (state == IBF_STATE_DOWN) {
		ibf_link_down(port, ibf_sma_port_low(port->info.phys_default));
		ibf_link_train(port);
	} else if (state) {
		ibf_port_state(port, state);
	} else {
		/* A polling port trains when the Set has enabled what the peer supports. */
		ibf_link_train(port);
	}
}

static void ibf_clear_violations(const struct ibf_port *port,
				 const struct ibf_port_info *to)
{
	if (!port->ibt)
		return;
	if (!to->pkey_violations)
		atomic_set(ibt_port_refused(port->ibt, false), 0);
	if (!to->qkey_violations)
		atomic_set(ibt_port_refused(port->ibt, true), 0);
}

static bool ibf_sma_port_set(struct ibf_port *port, const struct ibf_port_info *to)
{
	if ((ibf_is_end_port(port) && !ibf_lids_ok(to)) || !ibf_speeds_ok(to) ||
	    !ibf_mtu_and_vls_ok(to) || (port->num && !ibf_states_ok(port, to)))
		return false;
	if (ibf_is_end_port(port))
		ibf_set_identity(port, to);
	ibf_set_link(port, to);
	ibf_clear_violations(port, to);
	ibf_set_state(port, to);
	return true;
}

/* The port that the modifier selects. 0: the HCA's own port, or port 0 of a switch. */
static struct ibf_port *ibf_named_port(const struct ibf_query *query)
{
	u32 num = query->mod & 0xff;

	/* Bit 31: the subnet manager supports extended speeds. */
	if (query->mod & 0x7fffff00 || num > query->node->num_ports)
		return NULL;
	if (!num)
		return query->port;
	return &query->node->ports[num];
}

/**
 * ibf_sma_port_info - Get or Set PortInfo
 * @query: the query
 *
 * Return: the status of the reply.
 */
u16 ibf_sma_port_info(struct ibf_query *query)
{
	struct ibf_port_info *info = (void *)query->data;
	struct ibf_port *port = ibf_named_port(query);
	bool foreign, done = true;

	if (!port)
		return IBF_SMP_BAD_FIELD;
	/*
	 * The M_Key of query->port was checked. Another end port has an M_Key of its
	 * own, and may belong to another subnet.
	 */
	foreign = ibf_is_end_port(port) && port != query->port;
	if (query->set)
		done = !foreign && ibf_sma_port_set(port, info);
	ibf_port_info_get(port, info);
	if (foreign)
		info->mkey = 0;
	info->local_port = query->in_port->num;
	return done ? 0 : IBF_SMP_BAD_FIELD;
}
