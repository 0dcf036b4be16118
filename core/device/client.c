// SPDX-License-Identifier: GPL-2.0
/*
 * Clients: kernel users that want to hear of every device.
 *
 * A (client, device) pair is made by add() and ended by remove(), each exactly
 * once. device->unregistration_lock serialises the pairs of one device, so two
 * threads that meet, one with a new client and one with a new device, can not
 * both make the pair: the second finds the mark PAIRED on the client's slot in
 * device->client_data.
 *
 * Locks: device->unregistration_lock outside of
 *   clients_rwsem		  guards clients and next_client_id
 *   device->client_data_rwsem	  guards the marks; held for reading while a
 *				  client is called for information
 */
#include <linux/kmod.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#include "device.h"

#define PAIRED XA_MARK_1

/* Guards clients and next_client_id. */
static DECLARE_RWSEM(clients_rwsem);
static DEFINE_XARRAY_FLAGS(clients, XA_FLAGS_ALLOC);
static u32 next_client_id;

static void device_client_put(struct ib_client *client)
{
	if (refcount_dec_and_test(&client->uses))
		complete(&client->uses_zero);
}

/* The first client at or after @id, with a use that keeps it registered. */
static struct ib_client *device_client_from(unsigned long *id)
{
	struct ib_client *client, *found = NULL;

	down_read(&clients_rwsem);
	xa_for_each_start(&clients, *id, client, *id)
		if (refcount_inc_not_zero(&client->uses)) {
			found = client;
			break;
		}
	up_read(&clients_rwsem);
	return found;
}

static void device_unmark_and_erase(struct ib_device *device, u32 client_id)
{
	down_write(&device->client_data_rwsem);
	xa_erase(&device->client_data, client_id);
	up_write(&device->client_data_rwsem);
}

static void device_pair(struct ib_device *device, struct ib_client *client)
{
	lockdep_assert_held(&device->unregistration_lock);

	if (!device->kverbs_provider && !client->no_kverbs_req)
		return;
	if (xa_get_mark(&device->client_data, client->client_id, PAIRED))
		return;

	/* The slot exists before add(), which may store its data in it. */
	if (xa_err(xa_store(&device->client_data, client->client_id, NULL,
			    GFP_KERNEL)))
		return;
	if (client->add && client->add(device)) {
		device_unmark_and_erase(device, client->client_id);
		return;
	}
	down_write(&device->client_data_rwsem);
	xa_set_mark(&device->client_data, client->client_id, PAIRED);
	up_write(&device->client_data_rwsem);
}

static void device_unpair(struct ib_device *device, struct ib_client *client)
{
	void *data;

	lockdep_assert_held(&device->unregistration_lock);

	down_write(&device->client_data_rwsem);
	if (!xa_get_mark(&device->client_data, client->client_id, PAIRED)) {
		up_write(&device->client_data_rwsem);
		return;
	}
	xa_clear_mark(&device->client_data, client->client_id, PAIRED);
	data = xa_load(&device->client_data, client->client_id);
	up_write(&device->client_data_rwsem);

	/* ib_get_client_data() still works in remove(). */
	if (client->remove)
		client->remove(device, data);
	device_unmark_and_erase(device, client->client_id);
}

void ofed_clients_add(struct ib_device *device)
{
	struct ib_client *client;
	unsigned long id = 0;

	while ((client = device_client_from(&id))) {
		device_pair(device, client);
		device_client_put(client);
		id++;
	}
}

/*
 * The last client before @end that has a pair with @device. It may be one that
 * is being unregistered, and can not go away as long as the caller holds
 * unregistration_lock: ib_unregister_client() has to take that of each device.
 */
static struct ib_client *device_last_paired(struct ib_device *device, u32 *end)
{
	struct ib_client *client, *found = NULL;
	unsigned long id;

	lockdep_assert_held(&device->unregistration_lock);
	if (!*end)
		return NULL;
	down_read(&clients_rwsem);
	xa_for_each_range(&clients, id, client, 0, *end - 1)
		if (xa_get_mark(&device->client_data, id, PAIRED))
			found = client;
	if (found)
		*end = found->client_id;
	up_read(&clients_rwsem);
	return found;
}

void ofed_clients_remove(struct ib_device *device)
{
	struct ib_client *client;
	u32 end = INT_MAX;

	/* Later clients may stand on earlier ones: last in, first out. */
	while ((client = device_last_paired(device, &end)))
		device_unpair(device, client);
}

void ofed_clients_renamed(struct ib_device *device)
{
	struct ib_client *client;
	unsigned long id = 0;

	while ((client = device_client_from(&id))) {
		down_read(&device->client_data_rwsem);
		if (client->rename &&
		    xa_get_mark(&device->client_data, id, PAIRED))
			client->rename(device,
				       xa_load(&device->client_data, id));
		up_read(&device->client_data_rwsem);
		device_client_put(client);
		id++;
	}
}

/*
 * Holds only the memory of the device while it waits for the lock: an
 * unregistration that has the lock waits for ib_device_try_get() references.
 */
static void device_pair_with_all(struct ib_client *client)
{
	struct ib_device *device;
	unsigned long index = 0;

	while ((device = ofed_device_next(&index))) {
		mutex_lock(&device->unregistration_lock);
		if (refcount_read(&device->refcount))
			device_pair(device, client);
		mutex_unlock(&device->unregistration_lock);
		put_device(&device->dev);
		index++;
	}
}

/**
 * ib_register_client - hear of every device from now on
 * @client: client; its add() is called for each device there is before this
 *	    returns, and later for each new one
 *
 * Context: process, may sleep. Return: 0, or -ENOMEM.
 */
int ib_register_client(struct ib_client *client)
{
	int ret;

	refcount_set(&client->uses, 1);
	init_completion(&client->uses_zero);

	down_write(&clients_rwsem);
	ret = xa_alloc(&clients, &client->client_id, client,
		       XA_LIMIT(next_client_id, INT_MAX), GFP_KERNEL);
	if (!ret)
		next_client_id = client->client_id + 1;
	up_write(&clients_rwsem);
	if (ret)
		return ret;

	device_pair_with_all(client);
	return 0;
}
OFED_EXPORT(ib_register_client);

/**
 * ib_unregister_client - hear of devices no more
 * @client: registered client
 *
 * Its remove() has been called for every device when this returns.
 * Context: process, may sleep; not from a callback of a client.
 */
void ib_unregister_client(struct ib_client *client)
{
	struct ib_device *device;
	unsigned long index = 0;

	/* Once its uses have come to zero, no thread pairs it with a device. */
	device_client_put(client);
	wait_for_completion(&client->uses_zero);

	while ((device = ofed_device_next(&index))) {
		mutex_lock(&device->unregistration_lock);
		device_unpair(device, client);
		mutex_unlock(&device->unregistration_lock);
		put_device(&device->dev);
		index++;
	}

	down_write(&clients_rwsem);
	xa_erase(&clients, client->client_id);
	up_write(&clients_rwsem);
}
OFED_EXPORT(ib_unregister_client);

/**
 * ib_set_client_data - keep a pointer of a client with a device
 * @device: device, in or after the client's add() for it
 * @client: the client
 * @data: what ib_get_client_data() and remove() shall get; NULL is allowed
 *
 * Context: any.
 */
void ib_set_client_data(struct ib_device *device, struct ib_client *client,
			void *data)
{
	if (WARN_ON(IS_ERR(data)))
		data = NULL;
	/* The slot is there: storing into it allocates nothing. */
	WARN_ON(xa_is_err(xa_store(&device->client_data, client->client_id,
				   data, GFP_NOWAIT)));
}
OFED_EXPORT(ib_set_client_data);

/**
 * ib_get_net_dev_by_params - find the upper netdev that an address belongs to
 * @dev: RDMA device the request came in on
 * @port: port number
 * @pkey: P_Key of the request
 * @gid: its destination GID, or NULL
 * @addr: its IP address
 *
 * Asks the clients that make netdevs (IPoIB). Context: process, may sleep.
 * Return: the netdev with a reference (dev_put), or NULL.
 */
struct net_device *ib_get_net_dev_by_params(struct ib_device *dev, u32 port,
					    u16 pkey, const union ib_gid *gid,
					    const struct sockaddr *addr)
{
	struct net_device *ndev = NULL;
	struct ib_client *client;
	unsigned long id = 0;

	if (!rdma_protocol_ib(dev, port))
		return NULL;

	while (!ndev && (client = device_client_from(&id))) {
		down_read(&dev->client_data_rwsem);
		if (client->get_net_dev_by_params &&
		    xa_get_mark(&dev->client_data, id, PAIRED))
			ndev = client->get_net_dev_by_params(dev, port, pkey,
				gid, addr, xa_load(&dev->client_data, id));
		up_read(&dev->client_data_rwsem);
		device_client_put(client);
		id++;
	}
	return ndev;
}
OFED_EXPORT(ib_get_net_dev_by_params);

static int device_ask_client(struct ib_client *client, struct ib_device *device,
			     struct ib_client_nl_info *res)
{
	u32 id = client->client_id;
	int ret = -EOPNOTSUPP;

	if (!device) {
		if (client->get_global_nl_info)
			ret = client->get_global_nl_info(res);
		return ret;
	}
	down_read(&device->client_data_rwsem);
	if (!xa_get_mark(&device->client_data, id, PAIRED))
		ret = -ENOENT;
	else if (client->get_nl_info)
		ret = client->get_nl_info(device,
			xa_load(&device->client_data, id), res);
	up_read(&device->client_data_rwsem);
	return ret;
}

static int device_find_and_ask(struct ib_device *device, const char *name,
			       struct ib_client_nl_info *res)
{
	struct ib_client *client;
	unsigned long id = 0;
	int ret = -ENOENT;

	while (ret == -ENOENT && (client = device_client_from(&id))) {
		if (!strcmp(client->name, name))
			ret = device_ask_client(client, device, res);
		device_client_put(client);
		id++;
	}
	return ret;
}

int ofed_client_nl_info(struct ib_device *device, const char *client_name,
			struct ib_client_nl_info *res)
{
	int ret = device_find_and_ask(device, client_name, res);

	if (ret == -ENOENT) {
		request_module("rdma-client-%s", client_name);
		ret = device_find_and_ask(device, client_name, res);
	}
	if (!ret && WARN_ON(!res->cdev))
		return -EINVAL;
	return ret;
}
