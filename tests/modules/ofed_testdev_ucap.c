// SPDX-License-Identifier: GPL-2.0
/* Rights that a program proves by open files, since 7.x: words of ctl offer and withdraw them. */
#include <linux/module.h>
#include <rdma/ib_ucaps.h>

#include "ofed_testdev.h"

int td_ucap_offer(char *args)
{
	unsigned int type;

	return kstrtouint(strim(args), 0, &type) ?: ib_create_ucap(type);
}

int td_ucap_withdraw(char *args)
{
	unsigned int type;
	int ret = kstrtouint(strim(args), 0, &type);

	if (!ret)
		ib_remove_ucap(type);
	return ret;
}

static int td_ucap_alloc_ucontext(struct ib_ucontext *uc, struct ib_udata *udata)
{
	WRITE_ONCE(to_td(uc->device)->caps, uc->enabled_caps);
	return td_alloc_ucontext(uc, udata);
}

const struct ib_device_ops td_ucap_ops = {
	.alloc_ucontext = td_ucap_alloc_ucontext,
};
