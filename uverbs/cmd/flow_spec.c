// SPDX-License-Identifier: GPL-2.0
/*
 * Steering rules in the layout of programs, turned into the kernel's. What a
 * rule refers to besides the QP is kept in its resources.
 */
#include <linux/export.h>
#include <linux/slab.h>

#include "flow_spec.h"
#include "../ioctl/uapi.h"

/**
 * flow_resources_alloc - make the list of what a flow rule uses
 * @num_specs: number of specs of the rule
 *
 * Context: process, may sleep.
 * Return: the list, for ib_uverbs_flow_resources_free(), or NULL (no memory).
 */
struct ib_uflow_resources *flow_resources_alloc(size_t num_specs)
{
	struct ib_uflow_resources *res = kzalloc(sizeof(*res), GFP_KERNEL_ACCOUNT);

	if (!res || !num_specs)
		return res;
	res->collection = kcalloc(num_specs, sizeof(*res->collection),
				  GFP_KERNEL_ACCOUNT);
	res->counters = kcalloc(num_specs, sizeof(*res->counters),
				GFP_KERNEL_ACCOUNT);
	if (!res->collection || !res->counters) {
		ib_uverbs_flow_resources_free(res);
		return NULL;
	}
	res->max = num_specs;
	return res;
}
OFED_EXPORT(flow_resources_alloc);

/**
 * flow_resources_add - keep what a spec refers to
 * @uflow_res: resources of the rule, one of max specs
 * @type: IB_FLOW_SPEC_ACTION_HANDLE or IB_FLOW_SPEC_ACTION_COUNT
 * @ibobj: struct ib_flow_action or struct ib_counters; busy until the resources
 *	   are freed
 *
 * Context: any.
 */
void flow_resources_add(struct ib_uflow_resources *uflow_res,
			enum ib_flow_spec_type type, void *ibobj)
{
	struct ib_flow_action *action = ibobj;
	struct ib_counters *counters = ibobj;

	if (WARN_ON_ONCE(uflow_res->num == uflow_res->max))
		return;
	switch (type) {
	case IB_FLOW_SPEC_ACTION_COUNT:
		uflow_res->counters[uflow_res->counters_num++] = counters;
		atomic_inc(&counters->usecnt);
		break;
	case IB_FLOW_SPEC_ACTION_HANDLE:
		uflow_res->collection[uflow_res->collection_num++] = action;
		atomic_inc(&action->usecnt);
		break;
	default:
		WARN_ON_ONCE(1);
		return;
	}
	uflow_res->num++;
}
OFED_EXPORT(flow_resources_add);

/**
 * uv_flow_resources_forget - free the resources of a flow rule alone
 * @uflow_res: resources, or NULL; the counters and actions may be gone
 *
 * Context: any but interrupts.
 */
void uv_flow_resources_forget(struct ib_uflow_resources *uflow_res)
{
	if (!uflow_res)
		return;
	kfree(uflow_res->counters);
	kfree(uflow_res->collection);
	kfree(uflow_res);
}

/**
 * ib_uverbs_flow_resources_free - let go of what a flow rule used
 * @uflow_res: resources, or NULL
 *
 * Context: any but interrupts.
 */
void ib_uverbs_flow_resources_free(struct ib_uflow_resources *uflow_res)
{
	size_t i;

	if (!uflow_res)
		return;
	for (i = 0; i < uflow_res->counters_num; i++)
		atomic_dec(&uflow_res->counters[i]->usecnt);
	for (i = 0; i < uflow_res->collection_num; i++)
		atomic_dec(&uflow_res->collection[i]->usecnt);
	uv_flow_resources_forget(uflow_res);
}
OFED_EXPORT(ib_uverbs_flow_resources_free);

/*
 * What the kernel knows of a filter, and where the kernel's spec of it has
 * value and mask. Programs' filters begin alike.
 */
struct filter {
	u32 type;
	u16 known;
	u16 spec_size;
	u16 val_at;
	u16 mask_at;
};

#define FILTER(type_, spec, filter_, last) {				\
	.type = (type_),						\
	.known = offsetofend(struct filter_, last),			\
	.spec_size = sizeof(struct spec),				\
	.val_at = offsetof(struct spec, val),				\
	.mask_at = offsetof(struct spec, mask),				\
}

static const struct filter filters[] = {
	FILTER(IB_FLOW_SPEC_ETH, ib_flow_spec_eth, ib_flow_eth_filter,
	       vlan_tag),
	FILTER(IB_FLOW_SPEC_IPV4, ib_flow_spec_ipv4, ib_flow_ipv4_filter,
	       flags),
	FILTER(IB_FLOW_SPEC_IPV6, ib_flow_spec_ipv6, ib_flow_ipv6_filter,
	       hop_limit),
	FILTER(IB_FLOW_SPEC_TCP, ib_flow_spec_tcp_udp, ib_flow_tcp_udp_filter,
	       src_port),
	FILTER(IB_FLOW_SPEC_UDP, ib_flow_spec_tcp_udp, ib_flow_tcp_udp_filter,
	       src_port),
	FILTER(IB_FLOW_SPEC_VXLAN_TUNNEL, ib_flow_spec_tunnel,
	       ib_flow_tunnel_filter, tunnel_id),
	FILTER(IB_FLOW_SPEC_ESP, ib_flow_spec_esp, ib_flow_esp_filter, seq),
	FILTER(IB_FLOW_SPEC_GRE, ib_flow_spec_gre, ib_flow_gre_filter, key),
	FILTER(IB_FLOW_SPEC_MPLS, ib_flow_spec_mpls, ib_flow_mpls_filter, tag),
};

static const struct filter *uv_filter_of(u32 type)
{
	int i;

	/* A tunnel within a tunnel is none that could be told apart. */
	if (type == (IB_FLOW_SPEC_INNER | IB_FLOW_SPEC_VXLAN_TUNNEL))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(filters); i++)
		if (filters[i].type == (type & ~IB_FLOW_SPEC_INNER))
			return &filters[i];
	return NULL;
}

/* Fields that have more room than they have bits. */
static bool uv_filter_fits(const union ib_flow_spec *spec)
{
	switch (spec->type & ~IB_FLOW_SPEC_INNER) {
	case IB_FLOW_SPEC_IPV6:
		return ntohl(spec->ipv6.val.flow_label) < BIT(20) &&
		       ntohl(spec->ipv6.mask.flow_label) < BIT(20);
	case IB_FLOW_SPEC_VXLAN_TUNNEL:
		return ntohl(spec->tunnel.val.tunnel_id) < BIT(24) &&
		       ntohl(spec->tunnel.mask.tunnel_id) < BIT(24);
	default:
		return true;
	}
}

static int uv_filter_from_user(const struct ib_uverbs_flow_spec_hdr *user,
			       union ib_flow_spec *spec)
{
	const struct filter *filter = uv_filter_of(user->type);
	const void *val = user + 1, *mask;
	size_t size, used;

	if (!filter)
		return -EINVAL;
	/* Value and mask, of the same size each. */
	size = (user->size - sizeof(*user)) / 2;
	mask = val + size;
	if (!size || size % 4)
		return -EINVAL;
	used = min_t(size_t, size, filter->known);
	/* What the kernel does not know must not be asked for. */
	if (memchr_inv(mask + used, 0, size - used))
		return -EINVAL;

	spec->type = user->type;
	spec->size = filter->spec_size;
	memcpy((void *)spec + filter->val_at, val, used);
	memcpy((void *)spec + filter->mask_at, mask, used);
	return uv_filter_fits(spec) ? 0 : -EINVAL;
}

/* Action or counters of a handle; the rule keeps it busy. */
static void *uv_resource_get(const struct uv_type *type, u32 handle,
			     enum ib_flow_spec_type spec_type,
			     struct ib_uflow_resources *resources,
			     struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uv_get_read(type, handle, attrs);
	void *object;

	if (IS_ERR(uobj))
		return ERR_CAST(uobj);
	object = uobj->object;
	flow_resources_add(resources, spec_type, object);
	uv_put_read(uobj);
	return object;
}

static int uv_use_action(const struct ib_uverbs_flow_spec_hdr *user,
			 struct ib_flow_spec_action_handle *spec,
			 struct ib_uflow_resources *resources,
			 struct uverbs_attr_bundle *attrs)
{
	const struct ib_uverbs_flow_spec_action_handle *from =
		(const void *)user;

	if (user->size != sizeof(*from))
		return -EINVAL;
	spec->act = uv_resource_get(&uv_type_flow_action, from->handle,
				    IB_FLOW_SPEC_ACTION_HANDLE, resources, attrs);
	spec->size = sizeof(*spec);
	return PTR_ERR_OR_ZERO(spec->act);
}

static int uv_use_counters(const struct ib_uverbs_flow_spec_hdr *user,
			   struct ib_flow_spec_action_count *spec,
			   struct ib_uflow_resources *resources,
			   struct uverbs_attr_bundle *attrs)
{
	const struct ib_uverbs_flow_spec_action_count *from =
		(const void *)user;

	if (user->size != sizeof(*from))
		return -EINVAL;
	spec->counters = uv_resource_get(&uv_type_counters, from->handle,
					 IB_FLOW_SPEC_ACTION_COUNT, resources,
					 attrs);
	spec->size = sizeof(*spec);
	return PTR_ERR_OR_ZERO(spec->counters);
}

static int uv_action_from_user(const struct ib_uverbs_flow_spec_hdr *user,
			       union ib_flow_spec *spec,
			       struct ib_uflow_resources *resources,
			       struct uverbs_attr_bundle *attrs)
{
	const struct ib_uverbs_flow_spec_action_tag *tag = (const void *)user;

	spec->type = user->type;
	switch (user->type) {
	case IB_FLOW_SPEC_ACTION_TAG:
		if (user->size != sizeof(*tag))
			return -EINVAL;
		spec->flow_tag.tag_id = tag->tag_id;
		spec->flow_tag.size = sizeof(spec->flow_tag);
		return 0;
	case IB_FLOW_SPEC_ACTION_DROP:
		if (user->size !=
		    sizeof(struct ib_uverbs_flow_spec_action_drop))
			return -EINVAL;
		spec->drop.size = sizeof(spec->drop);
		return 0;
	case IB_FLOW_SPEC_ACTION_HANDLE:
		return uv_use_action(user, &spec->action, resources, attrs);
	case IB_FLOW_SPEC_ACTION_COUNT:
		return uv_use_counters(user, &spec->flow_count, resources, attrs);
	default:
		return -EINVAL;
	}
}

/**
 * uv_flow_spec - turn one spec of a program into the kernel's
 * @user: the spec, copied, its size checked against what was copied
 * @spec: out, zeroed
 * @resources: of the rule, with room for one more
 * @attrs: of the command
 *
 * Return: 0, -EINVAL, or as uv_get_read() for the handle of what it refers to.
 */
int uv_flow_spec(const struct ib_uverbs_flow_spec_hdr *user,
		 union ib_flow_spec *spec, struct ib_uflow_resources *resources,
		 struct uverbs_attr_bundle *attrs)
{
	if (user->reserved)
		return -EINVAL;
	if (user->type >= IB_FLOW_SPEC_ACTION_TAG)
		return uv_action_from_user(user, spec, resources, attrs);
	return uv_filter_from_user(user, spec);
}
