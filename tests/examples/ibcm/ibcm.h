/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The InfiniBand CM by /dev/infiniband/ucmN: a function for each command, in place of libibcm,
 * which distributions no longer have. Each returns 0, or an errno as the kernel gave it.
 */
#ifndef IBCM_H
#define IBCM_H

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>
#include "../../../include/uapi/ofed/ib_user_cm.h"

/* enum ib_cm_event_type of libibcm and of the kernel. */
enum ibcm_event_type {
	IBCM_REQ_ERROR, IBCM_REQ_RECEIVED, IBCM_REP_ERROR, IBCM_REP_RECEIVED, IBCM_RTU_RECEIVED,
	IBCM_USER_ESTABLISHED, IBCM_DREQ_ERROR, IBCM_DREQ_RECEIVED, IBCM_DREP_RECEIVED,
	IBCM_TIMEWAIT_EXIT, IBCM_MRA_RECEIVED, IBCM_REJ_RECEIVED, IBCM_LAP_ERROR,
	IBCM_LAP_RECEIVED, IBCM_APR_RECEIVED, IBCM_SIDR_REQ_ERROR, IBCM_SIDR_REQ_RECEIVED,
	IBCM_SIDR_REP_RECEIVED,
};

struct ibcm_event {
	struct ib_ucm_event_resp resp;
	uint8_t data[255];
	uint8_t info[255];
};

/* libibverbs has it, for librdmacm; none of its headers that are installed does. */
void ibv_copy_qp_attr_from_kern(struct ibv_qp_attr *to, struct ib_uverbs_qp_attr *from);

#define TRY(x) do {							\
	if (!(x)) {							\
		fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #x, strerror(errno)); \
		exit(1);						\
	}								\
} while (0)

/* ucmN of a device, or -1. */
static inline int ibcm_open(const char *device, int flags)
{
	char path[64], name[64];
	FILE *ibdev;
	int i;

	for (i = 0; i < 32; i++) {
		snprintf(path, sizeof(path), "/sys/class/infiniband_cm/ucm%d/ibdev", i);
		ibdev = fopen(path, "r");
		if (!ibdev)
			continue;
		if (fscanf(ibdev, "%63s", name) != 1)
			name[0] = 0;
		fclose(ibdev);
		if (strcmp(name, device))
			continue;
		snprintf(path, sizeof(path), "/dev/infiniband/ucm%d", i);
		return open(path, O_RDWR | flags);
	}
	errno = ENOENT;
	return -1;
}

/* A command; the caller chooses the lengths. */
static inline int ibcm_write(int fd, uint32_t cmd, const void *request, size_t size, size_t room)
{
	struct {
		struct ib_ucm_cmd_hdr hdr;
		uint8_t request[256];
	} message = { .hdr = { cmd, size, room } };
	ssize_t n;

	memcpy(message.request, request, size);
	n = write(fd, &message, sizeof(message.hdr) + size);
	if (n < 0)
		return errno;
	return n == (ssize_t)(sizeof(message.hdr) + size) ? 0 : EPROTO;
}

/* One that has the lengths of its struct. */
#define IBCM(fd, cmd, request, room) \
	ibcm_write(fd, IB_USER_CM_CMD_##cmd, &(request), sizeof(request), room)

static inline int ibcm_create(int fd, uint64_t uid, uint32_t *id)
{
	struct ib_ucm_create_id_resp resp = {};
	struct ib_ucm_create_id req = { uid, (uintptr_t)&resp };
	int err = IBCM(fd, CREATE_ID, req, sizeof(resp));

	*id = resp.id;
	return err;
}

/* @events: how many the program has read; NULL: it does not matter. */
static inline int ibcm_destroy(int fd, uint32_t id, uint32_t *events)
{
	struct ib_ucm_destroy_id_resp resp = {};
	struct ib_ucm_destroy_id req = { (uintptr_t)&resp, id };
	int err = IBCM(fd, DESTROY_ID, req, sizeof(resp));

	if (events)
		*events = resp.events_reported;
	return err;
}

static inline int ibcm_attr(int fd, uint32_t id, struct ib_ucm_attr_id_resp *resp)
{
	struct ib_ucm_attr_id req = { (uintptr_t)resp, id };

	return IBCM(fd, ATTR_ID, req, sizeof(*resp));
}

static inline int ibcm_listen(int fd, uint32_t id, uint64_t service)
{
	struct ib_ucm_listen req = { .service_id = htobe64(service), .id = id };

	return IBCM(fd, LISTEN, req, 0);
}

static inline int ibcm_notify(int fd, uint32_t id, enum ibv_event_type event)
{
	struct ib_ucm_notify req = { id, event };

	return IBCM(fd, NOTIFY, req, 0);
}

/* RTU, DREQ or DREP. */
static inline int ibcm_private(int fd, uint32_t cmd, uint32_t id, const void *data, uint8_t len)
{
	struct ib_ucm_private_data req = { (uintptr_t)data, id, len };

	return ibcm_write(fd, cmd, &req, sizeof(req), 0);
}

static inline int ibcm_reject(int fd, uint32_t id, uint32_t reason, const void *ari,
			      uint8_t ari_len, const void *data, uint8_t data_len)
{
	struct ib_ucm_info req = {
		.id = id, .status = reason, .info = (uintptr_t)ari, .data = (uintptr_t)data,
		.info_len = ari_len, .data_len = data_len,
	};

	return IBCM(fd, SEND_REJ, req, 0);
}

/* Waits for the next event, unless the node is open with O_NONBLOCK. */
static inline int ibcm_event(int fd, struct ibcm_event *event)
{
	struct ib_ucm_event_get req = {
		.response = (uintptr_t)&event->resp,
		.data = (uintptr_t)event->data, .info = (uintptr_t)event->info,
		.data_len = sizeof(event->data), .info_len = sizeof(event->info),
	};

	return IBCM(fd, EVENT, req, sizeof(event->resp));
}

/* The attributes for the next state of a queue pair, as the connection has them. */
static inline int ibcm_qp_attr(int fd, uint32_t id, enum ibv_qp_state state,
			       struct ibv_qp_attr *attr, int *mask)
{
	struct ib_uverbs_qp_attr resp = {};
	struct ib_ucm_init_qp_attr req = { (uintptr_t)&resp, id, state };
	int err = IBCM(fd, INIT_QP_ATTR, req, sizeof(resp));

	if (err)
		return err;
	memset(attr, 0, sizeof(*attr));
	ibv_copy_qp_attr_from_kern(attr, &resp);
	/* It leaves out what the caller knows. */
	attr->qp_state = state;
	*mask = resp.qp_attr_mask;
	return 0;
}

/*
 * Bring a queue pair to a state as the connection of @id has it. What it receives begins with @psn,
 * which is that of this side's REQ or REP: the CM does not know the one of a REP to come.
 */
static inline int ibcm_modify(int fd, uint32_t id, struct ibv_qp *qp, enum ibv_qp_state state,
			      uint32_t psn)
{
	struct ibv_qp_attr attr;
	int mask, err = ibcm_qp_attr(fd, id, state, &attr, &mask);

	if (err)
		return err;
	attr.rq_psn = psn;
	return ibv_modify_qp(qp, &attr, mask);
}

/*
 * A path from port 1 to a port of the same subnet. What the subnet administrator would say of it
 * is the same for all of a small fabric; on RoCE the GIDs are what counts.
 */
static inline struct ib_user_path_rec ibcm_path(struct ibv_context *verbs, int gid_index,
						const union ibv_gid *to, uint16_t lid)
{
	struct ib_user_path_rec path = {
		.dlid = htobe16(lid), .pkey = htobe16(0xffff), .hop_limit = 0, .reversible = 1,
		.numb_path = 1, .mtu_selector = 2, .rate_selector = 2, .rate = 3,
		.packet_life_time_selector = 2, .packet_life_time = 14,
	};
	struct ibv_port_attr port;
	union ibv_gid from;

	TRY(!ibv_query_port(verbs, 1, &port));
	TRY(!ibv_query_gid(verbs, 1, gid_index, &from));
	memcpy(path.sgid, &from, sizeof(path.sgid));
	memcpy(path.dgid, to, sizeof(path.dgid));
	path.slid = htobe16(port.lid);
	path.mtu = port.active_mtu;
	return path;
}

/* Verbs of a device by its name, or NULL. */
static inline struct ibv_context *ibcm_verbs(const char *device)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *verbs = NULL;
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), device))
			verbs = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return verbs;
}

#endif /* IBCM_H */
