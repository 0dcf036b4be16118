// SPDX-License-Identifier: GPL-2.0
/*
 * Which packets a port counts by their opcode (IBA vol. 1, 16.1.4), for which perfquery
 * has no option: a Set of PortOpRcvCounters and its kind, which clears them too.
 *
 * usage: pma_opcode DEVICE LID PORT OPCODE ATTRIBUTE...
 */
#include "umad_raw.h"

#define PERFORMANCE	0x04
#define DATA		64	/* of a MAD of that class */
#define SECONDS		20

static struct u_record r;

static int find_node(const char *device)
{
	char line[64];
	int i;

	for (i = 0; i < 64; i++)
		if (u_read_line(line, sizeof(line), "%s/umad%d/ibdev",
				"/sys/class/infiniband_mad", i) &&
		    !strcmp(line, device))
			return i;
	return -1;
}

/* Return: the status of the answer, or -1. */
static int set(int fd, int id, uint16_t lid, uint8_t port, uint8_t opcode, uint16_t attr)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	memset(&r, 0, sizeof(r.hdr) + U_MAD);
	r.hdr.id = id;
	r.hdr.qpn = htonl(1);
	r.hdr.qkey = htonl(U_QKEY);
	r.hdr.lid = htons(lid);
	r.hdr.timeout_ms = 1000;
	r.hdr.retries = SECONDS;
	r.mad.base_version = 1;
	r.mad.mgmt_class = PERFORMANCE;
	r.mad.class_version = 1;
	r.mad.method = U_SET;
	r.mad.tid = htobe64(attr);
	r.mad.attr_id = htons(attr);
	r.bytes[DATA] = opcode;
	r.bytes[DATA + 1] = port;
	memset(r.bytes + DATA + 2, 0xff, 2);
	if (write(fd, &r, sizeof(r.hdr) + U_MAD) < 0 ||
	    poll(&ready, 1, 2 * SECONDS * 1000) != 1 ||
	    read(fd, &r, sizeof(r.hdr) + U_MAD) < 0 || r.hdr.status ||
	    r.bytes[DATA] != opcode)
		return -1;
	return ntohs(r.mad.status);
}

int main(int argc, char **argv)
{
	int fd, id, i, status;

	if (argc < 6) {
		fprintf(stderr, "usage: pma_opcode DEVICE LID PORT OPCODE ATTRIBUTE...\n");
		return 2;
	}
	fd = u_open_node("umad", find_node(argv[1]), O_RDWR);
	/* Without it hdr has no P_Key index, and is shorter. */
	if (fd < 0 || ioctl(fd, IB_USER_MAD_ENABLE_PKEY)) {
		perror(argv[1]);
		return 1;
	}
	id = u_agent(fd, PERFORMANCE, 0, 0, 0);
	for (i = 5; i < argc; i++) {
		status = set(fd, id, strtol(argv[2], NULL, 0), strtol(argv[3], NULL, 0),
			     strtol(argv[4], NULL, 0), strtol(argv[i], NULL, 0));
		printf("attribute %s: status %d\n", argv[i], status);
		if (status)
			return 1;
	}
	return 0;
}
