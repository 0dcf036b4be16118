/* SPDX-License-Identifier: GPL-2.0 */
/* What the world of inputs is made of, found and opened with privileges. */
#ifndef SETUP_H
#define SETUP_H

#include <stdbool.h>
#include <stdint.h>

struct setup_device {
	char node[64];		/* of uverbs */
	char peer_node[64];	/* of the device at the other end, or empty */
	bool ethernet;
	uint32_t driver_id, index;
	uint8_t gid[16];
	uint8_t ip_index;	/* of the GID of 10.0.0.1, RoCE version 2 */
};

extern struct setup_device setup_device;

void setup_find(void);
void setup_open(void);
/* What an input's process opens before it is a user's. */
void setup_input(void);

#endif /* SETUP_H */
