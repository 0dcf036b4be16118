// SPDX-License-Identifier: GPL-2.0
/*
 * A device goes while a program has connections, a listener and unread events by its ucmN, and
 * waits for more.
 *
 * usage: ucm_unplug DEVICE GID-INDEX PEER GID-INDEX FILE
 *	Make use of DEVICE, then FILE, then wait until the device has gone.
 */
#include <pthread.h>

#include "ucm_world.h"

static struct ibcm_event waited;
static short polled;

static void *wait_event(void *result)
{
	*(int *)result = ibcm_event(here.fd, &waited);
	return NULL;
}

static void *wait_poll(void *unused)
{
	struct pollfd p = { .fd = here.fd, .events = POLLIN };

	if (poll(&p, 1, SECONDS * 1000) == 1)
		polled = p.revents;
	return unused;
}

int main(int argc, char **argv)
{
	struct ibcm_event event;
	pthread_t reader, poller;
	uint32_t listener, id;
	struct pair p;
	int err = -1;

	if (!world_init(argc, argv) || argc < 6)
		return 2;
	EXPECT("both ends are connected", connect_pair(&p, 0x9000), true);
	EXPECT("a listener", ibcm_create(here.fd, 5, &listener), 0);
	EXPECT("it listens", ibcm_listen(here.fd, listener, 0x9001), 0);
	pthread_create(&reader, NULL, wait_event, &err);
	pthread_create(&poller, NULL, wait_poll, NULL);
	usleep(300000);
	close(open(argv[5], O_CREAT | O_WRONLY, 0600));

	pthread_join(reader, NULL);
	EXPECT("the reader: the device is gone", err, EIO);
	pthread_join(poller, NULL);
	EXPECT("poll() says so", polled, POLLERR | POLLHUP);
	EXPECT("CREATE_ID", ibcm_create(here.fd, 0, &id), EIO);
	EXPECT("DESTROY_ID", ibcm_destroy(here.fd, p.active, NULL), EIO);
	EXPECT("SEND_DREQ",
	       ibcm_private(here.fd, IB_USER_CM_CMD_SEND_DREQ, p.active, NULL, 0), EIO);
	EXPECT("LISTEN", ibcm_listen(here.fd, listener, 0x9002), EIO);
	EXPECT("EVENT", ibcm_event(here.fd, &event), EIO);
	EXPECT("the peer is told: DREQ", next_event(there.fd, IBCM_DREQ_RECEIVED, &event), 0);
	EXPECT("its id goes", ibcm_destroy(there.fd, p.passive, NULL), 0);
	EXPECT("the node is gone", ibcm_open(here.device, 0) < 0 ? errno : 0, ENOENT);
	close(here.fd);
	return verdict();
}
