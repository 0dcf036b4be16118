// SPDX-License-Identifier: GPL-2.0
/* Physical networks: which interfaces and RDMA devices are on the same one. */
#include <err.h>
#include <linux/smc.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netlink.h"
#include "rows.h"
#include "smc.h"

/* What the kernel says of a part that an entry does not have. */
static const char pnet_none[] = "n/a";
/* Letters and digits of a network, at most. */
#define PNET_LEN 16
/* A network of this name and the interface's number has no RDMA device. */
static const char pnet_off[] = "OFF";

static void pnet_begin(struct nl_request *r, int command, const char *id)
{
	nl_begin(r, nl_family(SMCR_GENL_FAMILY_NAME), command, 0);
	if (id)
		nl_add_text(r, SMC_PNETID_NAME, id);
}

static void pnet_show(const void *attributes, size_t size)
{
	const char *interface = nl_text(nl_find(attributes, size, SMC_PNETID_ETHNAME));
	const char *device = nl_text(nl_find(attributes, size, SMC_PNETID_IBNAME));

	row_begin();
	row_text("pnet", nl_text(nl_find(attributes, size, SMC_PNETID_NAME)));
	if (strcmp(interface, pnet_none))
		row_text("interface", interface);
	if (strcmp(device, pnet_none)) {
		row_text("device", device);
		row_number("port", nl_number(nl_find(attributes, size, SMC_PNETID_IBPORT)));
	}
	row_end();
}

void pnet_list(void)
{
	rows_begin();
	nl_dump(SMCR_GENL_FAMILY_NAME, SMC_PNETID_GET, pnet_show);
	rows_end();
}

void pnet_add_eth(const char *id, const char *interface)
{
	struct nl_request r;

	pnet_begin(&r, SMC_PNETID_ADD, id);
	nl_add_text(&r, SMC_PNETID_ETHNAME, interface);
	nl_talk(&r, NULL);
}

void pnet_add_ib(const char *id, const char *device, const char *port)
{
	struct nl_request r;
	uint8_t number;
	char *end;
	long value;

	value = strtol(port, &end, 10);
	if (*end || end == port || value < 1 || value > UINT8_MAX)
		errx(2, "no number of a port: %s", port);
	number = value;
	pnet_begin(&r, SMC_PNETID_ADD, id);
	nl_add_text(&r, SMC_PNETID_IBNAME, device);
	nl_add(&r, SMC_PNETID_IBPORT, &number, sizeof(number));
	nl_talk(&r, NULL);
}

void pnet_del(const char *id)
{
	struct nl_request r;

	pnet_begin(&r, SMC_PNETID_DEL, id);
	nl_talk(&r, NULL);
}

void pnet_flush(void)
{
	struct nl_request r;

	pnet_begin(&r, SMC_PNETID_FLUSH, NULL);
	nl_talk(&r, NULL);
}

static void pnet_name_off(char *id, size_t size, const char *interface)
{
	unsigned int index = if_nametoindex(interface);

	if (!index)
		err(1, "%s", interface);
	snprintf(id, size, "%s%u", pnet_off, index);
}

/**
 * pnet_disable - connections by an interface stay TCP's
 * @interface: its name
 *
 * The kernel looks for RDMA devices on the network of an interface. That of this one has none.
 */
void pnet_disable(const char *interface)
{
	char id[PNET_LEN + 1];

	pnet_name_off(id, sizeof(id), interface);
	pnet_add_eth(id, interface);
}

/**
 * pnet_enable - connections by an interface may use its RDMA device again
 * @interface: what pnet_disable() was called for
 */
void pnet_enable(const char *interface)
{
	char id[PNET_LEN + 1];

	pnet_name_off(id, sizeof(id), interface);
	pnet_del(id);
}
