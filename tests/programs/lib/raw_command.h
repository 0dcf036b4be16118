/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands by write(), without a library between the test and the kernel: where
 * a device's node is, and one command. Every call returns 0 or a negative errno.
 */
#ifndef RAW_COMMAND_H
#define RAW_COMMAND_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rdma/ib_user_verbs.h>

#define RV_EX 0x80000000u

/* Parts of the verbs ABI that its header leaves to the kernel's own. */
enum {
	RV_RC = 2, RV_UC = 3, RV_UD = 4, RV_RAW = 8, RV_XRC_INI = 9,
	RV_XRC_TGT = 10,
};

enum { RV_RESET, RV_INIT, RV_RTR, RV_RTS, RV_SQD, RV_SQE, RV_ERR };

enum {
	RV_STATE = 1, RV_ACCESS = 1 << 3, RV_PKEY = 1 << 4, RV_PORT = 1 << 5,
	RV_QKEY = 1 << 6, RV_AV = 1 << 7, RV_MTU = 1 << 8, RV_TIMEOUT = 1 << 9,
	RV_RETRY = 1 << 10, RV_RNR = 1 << 11, RV_RQ_PSN = 1 << 12,
	RV_RD_ATOMIC = 1 << 13, RV_MIN_RNR = 1 << 15, RV_SQ_PSN = 1 << 16,
	RV_DEST_RD_ATOMIC = 1 << 17, RV_DEST_QPN = 1 << 20,
};

/* ---- the device ---- */

struct rv_device {
	char node[64];
	bool ethernet;
	uint8_t gid[16];		/* index 0 of port 1 */
};

static inline bool rv_read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, text, size - 1);
	close(fd);
	if (got < 0)
		return false;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return true;
}

static inline void rv_parse_gid(const char *text, uint8_t gid[16])
{
	unsigned int word[8] = { 0 };
	int i;

	sscanf(text, "%4x:%4x:%4x:%4x:%4x:%4x:%4x:%4x", &word[0], &word[1],
	       &word[2], &word[3], &word[4], &word[5], &word[6], &word[7]);
	for (i = 0; i < 8; i++) {
		gid[2 * i] = word[i] >> 8;
		gid[2 * i + 1] = word[i];
	}
}

/* Return: 0, or -ENODEV while there is no char device of that name. */
static inline int rv_find(const char *name, struct rv_device *dev)
{
	char path[384], text[128];
	struct dirent *entry;
	int ret = -ENODEV;
	DIR *dir;

	dir = opendir("/sys/class/infiniband_verbs");
	if (!dir)
		return -ENODEV;
	while (ret && (entry = readdir(dir))) {
		snprintf(path, sizeof(path),
			 "/sys/class/infiniband_verbs/%s/ibdev", entry->d_name);
		if (!rv_read_file(path, text, sizeof(text)) ||
		    strcmp(text, name))
			continue;
		snprintf(dev->node, sizeof(dev->node), "/dev/infiniband/%.40s",
			 entry->d_name);
		ret = 0;
	}
	closedir(dir);
	snprintf(path, sizeof(path),
		 "/sys/class/infiniband/%s/ports/1/link_layer", name);
	dev->ethernet = rv_read_file(path, text, sizeof(text)) &&
		!strcmp(text, "Ethernet");
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gids/0",
		 name);
	if (rv_read_file(path, text, sizeof(text)))
		rv_parse_gid(text, dev->gid);
	return ret;
}

/* ---- one command ---- */

/* @cmd is the command without its header; a legacy response pointer is in it. */
static inline int rv_write(int fd, uint32_t number, const void *cmd,
			   size_t size, size_t resp_size)
{
	char buffer[1024];
	struct ib_uverbs_cmd_hdr hdr = {
		.command = number,
		.in_words = (sizeof(hdr) + size) / 4,
		.out_words = resp_size / 4,
	};

	memcpy(buffer, &hdr, sizeof(hdr));
	memcpy(buffer + sizeof(hdr), cmd, size);
	if (write(fd, buffer, sizeof(hdr) + size) < 0)
		return -errno;
	return 0;
}

static inline int rv_write_ex(int fd, uint32_t number, const void *cmd,
			      size_t size, void *resp, size_t resp_size)
{
	char buffer[1024] = { 0 };
	struct ib_uverbs_cmd_hdr hdr = {
		.command = number | RV_EX,
		.in_words = (size + 7) / 8,
		.out_words = resp_size / 8,
	};
	struct ib_uverbs_ex_cmd_hdr ex = { .response = (uintptr_t)resp };
	size_t total = sizeof(hdr) + sizeof(ex) + hdr.in_words * 8;

	memcpy(buffer, &hdr, sizeof(hdr));
	memcpy(buffer + sizeof(hdr), &ex, sizeof(ex));
	memcpy(buffer + sizeof(hdr) + sizeof(ex), cmd, size);
	if (write(fd, buffer, total) < 0)
		return -errno;
	return 0;
}

/* A legacy command with a type for its response: RV(fd, ALLOC_PD, cmd, resp). */
#define RV(fd, NAME, cmd, resp)						\
	((cmd).response = (uintptr_t)&(resp),				\
	 rv_write(fd, IB_USER_VERBS_CMD_##NAME, &(cmd), sizeof(cmd),	\
		  sizeof(resp)))
#define RV_QUIET(fd, NAME, cmd)						\
	rv_write(fd, IB_USER_VERBS_CMD_##NAME, &(cmd), sizeof(cmd), 0)
#define RV_EXT(fd, NAME, cmd, resp)					\
	rv_write_ex(fd, IB_USER_VERBS_EX_CMD_##NAME, &(cmd),		\
		    sizeof(cmd), &(resp), sizeof(resp))
#define RV_EXT_QUIET(fd, NAME, cmd)					\
	rv_write_ex(fd, IB_USER_VERBS_EX_CMD_##NAME, &(cmd),		\
		    sizeof(cmd), NULL, 0)

#endif /* RAW_COMMAND_H */
