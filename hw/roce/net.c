// SPDX-License-Identifier: GPL-2.0
/* State of each namespace. */
#include <linux/rtnetlink.h>
#include <linux/wait.h>

#include "dev.h"
#include "net.h"

unsigned int roce_net_id;
static DECLARE_WAIT_QUEUE_HEAD(roce_idle);

/* The exit of the namespace waits for the device from now on. Context: rtnl. */
void roce_net_hold(struct roce_dev *rd)
{
	ASSERT_RTNL();
	atomic_inc(&roce_net_of(rd->net)->users);
	rd->counted = true;
}

/* The namespace may be gone when this returns. */
void roce_net_put(struct roce_dev *rd)
{
	if (rd->counted && atomic_dec_and_test(&roce_net_of(rd->net)->users))
		wake_up_all(&roce_idle);
	rd->counted = false;
}

/* Waits until the namespace has no device. Context: process, may sleep. */
void roce_net_wait(struct net *net)
{
	wait_event(roce_idle, !atomic_read(&roce_net_of(net)->users));
}
