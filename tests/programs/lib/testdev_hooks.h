/* SPDX-License-Identifier: GPL-2.0 */
/* The files that a device of ofed_testdev has in debugfs. */
#ifndef TESTDEV_HOOKS_H
#define TESTDEV_HOOKS_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *device;

static inline int hook(const char *file, const char *line)
{
	char path[256];
	int fd, ret = 0;

	snprintf(path, sizeof(path), "/sys/kernel/debug/ofed_testdev/%s/%s",
		 device, file);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -errno;
	if (write(fd, line, strlen(line)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* Return: how many objects of a kind there are, or -1. */
static inline int count_of(const char *kind)
{
	char path[256], name[32];
	int value, found = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/kernel/debug/ofed_testdev/%s/counts",
		 device);
	file = fopen(path, "r");
	if (!file)
		return -1;
	while (fscanf(file, "%31s %d", name, &value) == 2)
		if (!strcmp(name, kind))
			found = value;
	fclose(file);
	return found;
}

#endif /* TESTDEV_HOOKS_H */
