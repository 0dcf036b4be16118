// SPDX-License-Identifier: GPL-2.0
/*
 * Agents of programs: what they ask for, their numbers, their end.
 */
#include <linux/bitmap.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "umad.h"

/* Both requests in one form. */
struct wish {
	u32 qpn;
	u32 flags;
	u8 rmpp_version;
	struct ib_mad_reg_req req;
};

/* Return: a number that is free, or -ENOMEM. */
static int umad_free_number(const struct umad_file *file)
{
	int i;

	lockdep_assert_held_write(&file->agents_lock);
	for (i = 0; i < UMAD_AGENTS; i++)
		if (!file->agents[i])
			return i;
	return -ENOMEM;
}

static void umad_agent_free(struct umad_agent *agent)
{
	ib_unregister_mad_agent(agent->mad);
	kfree(agent);
}

static struct umad_agent *umad_agent_new(struct umad_file *file, int number,
					 struct wish *wish)
{
	struct umad_agent *agent = kzalloc(sizeof(*agent), GFP_KERNEL_ACCOUNT);
	struct ib_mad_agent *mad;

	if (!agent)
		return ERR_PTR(-ENOMEM);
	agent->file = file;
	agent->number = number;
	mad = ib_register_mad_agent(file->port->ib_dev, file->port->port_num,
				    wish->qpn ? IB_QPT_GSI : IB_QPT_SMI,
				    wish->req.mgmt_class ? &wish->req : NULL,
				    wish->rmpp_version, umad_sent,
				    umad_received, agent, wish->flags);
	if (IS_ERR(mad)) {
		kfree(agent);
		return ERR_CAST(mad);
	}
	agent->mad = mad;
	return agent;
}

/*
 * Return: the number of a new agent, or an errno. The newer request (@newer)
 * implies that the program knows of the P_Key index in headers: it decides
 * their layout, unless the file had an agent before.
 */
static int umad_add_agent(struct umad_file *file, struct wish *wish, bool newer)
{
	struct umad_agent *agent;
	int number;

	lockdep_assert_held_write(&file->agents_lock);
	number = umad_free_number(file);
	if (number < 0)
		return number;
	agent = umad_agent_new(file, number, wish);
	if (IS_ERR(agent))
		return PTR_ERR(agent);
	file->agents[number] = agent;
	if (newer && !file->used)
		WRITE_ONCE(file->pkey, true);
	file->used = true;
	return number;
}

/* Tell the program its agent's number; an agent without one is unregistered. */
static int umad_tell_number(struct umad_file *file, u32 __user *to, u32 number)
{
	if (!put_user(number, to))
		return 0;
	umad_agent_unregister(file, number);
	return -EFAULT;
}

/**
 * umad_agent_register - IB_USER_MAD_REGISTER_AGENT
 * @file: owner of the new agent
 * @arg: struct ib_user_mad_reg_req
 *
 * Return: 0, -EFAULT, -EPIPE (the device is gone), -EINVAL (no such QP), -ENOMEM
 * (there are UMAD_AGENTS), or an errno of ib_register_mad_agent().
 */
int umad_agent_register(struct umad_file *file, void __user *arg)
{
	struct ib_user_mad_reg_req __user *to = arg;
	struct ib_user_mad_reg_req user;
	struct wish wish = {};
	int ret = -EPIPE;

	if (copy_from_user(&user, arg, sizeof(user)))
		return -EFAULT;
	wish.qpn = user.qpn;
	wish.rmpp_version = user.rmpp_version;
	wish.req.mgmt_class = user.mgmt_class;
	wish.req.mgmt_class_version = user.mgmt_class_version;
	memcpy(wish.req.oui, user.oui, sizeof(user.oui));
	/* Its words are longs, but of lower alignment than those of a bitmap. */
	memcpy(wish.req.method_mask, user.method_mask,
	       sizeof(user.method_mask));

	down_write(&file->agents_lock);
	if (!file->dead)
		ret = wish.qpn > 1 ?
		      umad_refuse(file, -EINVAL, "agent of QP%u", wish.qpn) :
		      umad_add_agent(file, &wish, false);
	up_write(&file->agents_lock);
	return ret < 0 ? ret : umad_tell_number(file, &to->id, ret);
}

/* Return: whether there is such an OUI; without a class it does not matter. */
static bool umad_set_oui(struct ib_mad_reg_req *req, u32 oui)
{
	req->oui[0] = oui >> 16;
	req->oui[1] = oui >> 8;
	req->oui[2] = oui;
	return !req->mgmt_class || oui <= 0xffffff;
}

/**
 * umad_agent_register2 - IB_USER_MAD_REGISTER_AGENT2
 * @file: owner of the new agent
 * @arg: struct ib_user_mad_reg_req2
 *
 * On a request with unknown flags the program is told the known ones.
 * Return: as umad_agent_register(); also -EINVAL for unknown flags and for an
 * OUI of more than 24 bits.
 */
int umad_agent_register2(struct umad_file *file, void __user *arg)
{
	struct ib_user_mad_reg_req2 __user *to = arg;
	struct ib_user_mad_reg_req2 user;
	struct wish wish = {};
	bool unknown, ok;
	int ret = -EPIPE;

	if (copy_from_user(&user, arg, sizeof(user)))
		return -EFAULT;
	wish.qpn = user.qpn;
	wish.flags = user.flags;
	wish.rmpp_version = user.rmpp_version;
	wish.req.mgmt_class = user.mgmt_class;
	wish.req.mgmt_class_version = user.mgmt_class_version;
	bitmap_from_arr64(wish.req.method_mask, user.method_mask,
			  IB_MGMT_MAX_METHODS);
	ok = umad_set_oui(&wish.req, user.oui);
	unknown = wish.qpn <= 1 && wish.flags & ~IB_USER_MAD_REG_FLAGS_CAP;

	down_write(&file->agents_lock);
	if (!file->dead)
		ret = wish.qpn > 1 || unknown || !ok ?
		      umad_refuse(file, -EINVAL, "agent of QP%u, flags 0x%x, OUI 0x%x",
				  wish.qpn, wish.flags, user.oui) :
		      umad_add_agent(file, &wish, true);
	up_write(&file->agents_lock);
	if (ret == -EINVAL && unknown &&
	    put_user((u32)IB_USER_MAD_REG_FLAGS_CAP, &to->flags))
		return -EFAULT;
	return ret < 0 ? ret : umad_tell_number(file, &to->id, ret);
}

/**
 * umad_agent_unregister - IB_USER_MAD_UNREGISTER_AGENT
 * @file: owner of the agent
 * @number: as the program sent it
 *
 * MADs that it has received stay to be read; its sends that wait for a response
 * do not come back. Return: 0, or -EINVAL (no such agent).
 */
int umad_agent_unregister(struct umad_file *file, u32 number)
{
	struct umad_agent *agent;

	if (number >= UMAD_AGENTS)
		return umad_refuse(file, -EINVAL, "there is no agent %u", number);
	number = array_index_nospec(number, UMAD_AGENTS);
	/* To the end with the lock: the device waits for it before it goes. */
	down_write(&file->agents_lock);
	agent = file->agents[number];
	file->agents[number] = NULL;
	if (agent)
		umad_agent_free(agent);
	up_write(&file->agents_lock);
	return agent ? 0 : umad_refuse(file, -EINVAL, "there is no agent %u", number);
}

/* The end of all agents of @file, which gets no new ones. */
void umad_agents_end(struct umad_file *file)
{
	u32 number;

	for (number = 0; number < UMAD_AGENTS; number++)
		umad_agent_unregister(file, number);
}
