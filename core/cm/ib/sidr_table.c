// SPDX-License-Identifier: GPL-2.0
/* Service id requests that wait for the consumer, to know one that is repeated. */
#include "core.h"

/* Guards the tree, and sidr_listed of ids. */
static DEFINE_SPINLOCK(cm_sidr_lock);
static struct rb_root requests = RB_ROOT;

static int cm_sidr_key_cmp(const struct cm_sidr_key *a, const struct cm_sidr_key *b)
{
	if (a->request_id != b->request_id)
		return be32_to_cpu(a->request_id) < be32_to_cpu(b->request_id) ?
		       -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->port != b->port)
		return a->port < b->port ? -1 : 1;
	if (a->lid != b->lid)
		return a->lid < b->lid ? -1 : 1;
	return memcmp(&a->gid, &b->gid, sizeof(a->gid));
}

static const struct cm_sidr_key *cm_sidr_key_of(const struct rb_node *node)
{
	return &rb_entry(node, struct cm_id, sidr)->sidr_key;
}

static int cm_sidr_add_cmp(struct rb_node *node, const struct rb_node *with)
{
	return cm_sidr_key_cmp(cm_sidr_key_of(node), cm_sidr_key_of(with));
}

static int cm_sidr_find_cmp(const void *key, const struct rb_node *node)
{
	return cm_sidr_key_cmp(key, cm_sidr_key_of(node));
}

void cm_sidr_key_make(struct cm_sidr_key *key, const struct cm_rx *rx)
{
	const struct ib_wc *wc = rx->wc->wc;
	const struct ib_grh *grh = rx->wc->recv_buf.grh;

	memset(key, 0, sizeof(*key));
	key->device = rx->port->dev->device;
	key->port = rx->port->num;
	key->lid = wc->slid;
	key->request_id = cm_sender_id(rx->mad);
	if (wc->wc_flags & IB_WC_GRH)
		key->gid = grh->sgid;
}

bool cm_sidr_known(const struct cm_sidr_key *key)
{
	struct rb_node *node;

	spin_lock_irq(&cm_sidr_lock);
	node = rb_find(key, &requests, cm_sidr_find_cmp);
	spin_unlock_irq(&cm_sidr_lock);
	return node;
}

/* Return: false when the request is there already. */
bool cm_sidr_list(struct cm_id *id)
{
	lockdep_assert_held(&id->lock);
	spin_lock(&cm_sidr_lock);
	id->sidr_listed = !rb_find_add(&id->sidr, &requests, cm_sidr_add_cmp);
	spin_unlock(&cm_sidr_lock);
	return id->sidr_listed;
}

void cm_sidr_forget(struct cm_id *id)
{
	lockdep_assert_held(&id->lock);
	spin_lock(&cm_sidr_lock);
	rb_erase(&id->sidr, &requests);
	id->sidr_listed = false;
	spin_unlock(&cm_sidr_lock);
}
