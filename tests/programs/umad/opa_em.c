// SPDX-License-Identifier: GPL-2.0
/*
 * A small Ethernet manager: one MAD of the class Ethernet management of Omni-Path (0x34, version
 * 0x80) to the agent of a port, and what it answers.
 *
 * usage: opa_em DEVICE LID get ATTRIBUTE VPORT [FIELD=VALUE...]
 *	  opa_em DEVICE LID set ATTRIBUTE VPORT [FIELD=VALUE...] [MAC=DLID...]
 *	  opa_em DEVICE LID traps COUNT
 *	  opa_em DEVICE LID join MGID	(LID of the subnet manager)
 *   ATTRIBUTE  class, port, macs, ucast, mcast, delete, summary, errors, or a number
 *   FIELD      of the attribute; a Set of 'port' and 'class' keeps what is not named
 *   MAC=DLID   entries of 'macs', from 'offset' on; a DLID 0 has no entry
 * Each field of the answer is a line "FIELD VALUE". Status 0: answered; 1: refused, and "status
 * N" says how; 3: no answer; 2: wrong words. 'traps' waits for so many, a line each. 'join'
 * makes the port a member of a group, which is made if there is none, so that switches forward
 * what is sent there: "mlid N".
 */
#include "umad_raw.h"

#define EMA_CLASS	0x34
#define EMA_VERSION	0x80
#define EMA_MAD		2048
#define TRAP		0x05
#define WAIT_MS		20000
#define ENTRY		16	/* of the table of MACs: address, mask, DLID and side data */
#define FIRST_ENTRY	8
#define MOST_ENTRIES	((EMA_MAD - U_VENDOR_HDR - FIRST_ENTRY) / ENTRY)

static const uint8_t oui[3] = { 0x00, 0x06, 0x6a };
static struct u_record out, in;

/* Where a field is, behind the header of the class; 6 bytes are an Ethernet address. */
struct field {
	const char *name;
	uint16_t at;
	uint8_t bytes;
};

static const struct field class_fields[] = {
	{ "base_version", 0, 1 }, { "class_version", 1, 1 }, { "capabilities", 2, 2 },
	{ "trap_lid", 60, 4 }, { }
};

static const struct field port_fields[] = {
	{ "fabric", 0, 2 }, { "vesw", 2, 2 }, { "default_ports", 10, 2 }, { "pkey", 14, 2 },
	{ "mcast_dlid", 20, 4 }, { "ucast_dlid", 24, 4 }, { "rc", 88, 4 }, { "mtu", 148, 2 },
	{ "number", 152, 4 }, { "link", 156, 1 }, { "mac", 160, 6 }, { "config", 166, 1 },
	{ "oper", 167, 1 }, { "mac_entries", 168, 2 }, { "digest", 172, 4 }, { "slid", 180, 4 },
	{ "sc", 216, 1 }, { "vl", 217, 1 }, { "mcast_sc", 218, 1 }, { "mcast_vl", 219, 1 },
	{ "ucast_generation", 268, 2 }, { "mcast_generation", 270, 2 }, { }
};

static const struct field macs_fields[] = {
	{ "offset", 0, 2 }, { "entries", 2, 2 }, { "digest", 4, 4 }, { }
};

static const struct field list_fields[] = {
	{ "start", 0, 2 }, { "entries", 2, 2 }, { "total", 4, 2 }, { "generation", 6, 2 }, { }
};

#define GROUP(d, at) \
	{ d "_unicast", at, 8 }, { d "_mcastbcast", at + 8, 8 }, { d "_untagged", at + 16, 8 }, \
	{ d "_vlan", at + 24, 8 }, { d "_64", at + 32, 8 }, { d "_65_127", at + 40, 8 }, \
	{ d "_128_255", at + 48, 8 }, { d "_256_511", at + 56, 8 }, { d "_512_1023", at + 64, 8 }, \
	{ d "_1024_1518", at + 72, 8 }, { d "_1519_max", at + 80, 8 }

static const struct field summary_fields[] = {
	{ "instance", 0, 2 }, { "vesw", 2, 2 }, { "number", 4, 4 }, { "tx_errors", 8, 8 },
	{ "rx_errors", 16, 8 }, { "tx_packets", 24, 8 }, { "rx_packets", 32, 8 },
	{ "tx_bytes", 40, 8 }, { "rx_bytes", 48, 8 }, GROUP("tx", 56), GROUP("rx", 144), { }
};

static const struct field errors_fields[] = {
	{ "instance", 0, 2 }, { "vesw", 2, 2 }, { "number", 4, 4 }, { "tx_errors", 8, 8 },
	{ "rx_errors", 16, 8 }, { "tx_dlid_zero", 64, 8 }, { "tx_logic", 80, 8 },
	{ "tx_drop_state", 96, 8 }, { "rx_bad_vesw", 104, 8 }, { "rx_runt", 120, 8 },
	{ "rx_oversize", 128, 8 }, { "rx_drop_state", 152, 8 }, { "rx_logic", 160, 8 }, { }
};

static const struct field no_fields[] = { { } };

static const struct attribute {
	const char *name;
	uint16_t id;
	const struct field *fields;
} attributes[] = {
	{ "class", 0x01, class_fields }, { "port", 0x11, port_fields },
	{ "macs", 0x12, macs_fields }, { "ucast", 0x13, list_fields },
	{ "mcast", 0x14, list_fields }, { "delete", 0x15, port_fields },
	{ "summary", 0x20, summary_fields }, { "errors", 0x22, errors_fields },
};

static uint64_t read_number(const uint8_t *at, int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

static void write_number(uint8_t *at, int bytes, uint64_t value)
{
	while (bytes--) {
		at[bytes] = value;
		value >>= 8;
	}
}

static bool read_mac(const char *text, uint8_t *mac)
{
	return sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", mac, mac + 1, mac + 2, mac + 3,
		      mac + 4, mac + 5) == 6;
}

static void show_mac(const char *what, const uint8_t *mac, const char *end)
{
	printf("%s%02x:%02x:%02x:%02x:%02x:%02x%s", what, mac[0], mac[1], mac[2], mac[3], mac[4],
	       mac[5], end);
}

/* ---- the MAD ------------------------------------------------------------------------------ */

static void begin(int id, uint16_t lid, uint8_t method, uint16_t attribute, uint32_t vport)
{
	memset(&out, 0, sizeof(out.hdr) + EMA_MAD);
	out.hdr.id = id;
	out.hdr.qpn = htonl(1);
	out.hdr.qkey = htonl(U_QKEY);
	out.hdr.lid = htons(lid);
	out.hdr.timeout_ms = WAIT_MS / 4;
	out.mad.base_version = EMA_VERSION;
	out.mad.class_version = EMA_VERSION;
	out.mad.mgmt_class = EMA_CLASS;
	out.mad.method = method;
	out.mad.tid = htobe64(getpid());
	out.mad.attr_id = htons(attribute);
	out.mad.attr_mod = htonl(vport);
	memcpy(out.mad.oui, oui, 3);
}

/* Return: the MAD's status, or 3 << 16: none came. */
static int ask(int fd)
{
	if (u_send(fd, &out, EMA_MAD) || u_receive(fd, &in, sizeof(in)) < 64 + U_VENDOR_HDR ||
	    in.hdr.status)
		return 3 << 16;
	return ntohs(in.mad.status);
}

/* ---- words -------------------------------------------------------------------------------- */

static uint8_t *data_of(struct u_record *r)
{
	return r->bytes + U_VENDOR_HDR;
}

static bool set_field(const struct field *fields, const char *word)
{
	const char *value = strchr(word, '=');
	const struct field *f;

	for (f = fields; value && f->name; f++) {
		if (strlen(f->name) != (size_t)(value - word) ||
		    strncmp(f->name, word, value - word))
			continue;
		if (f->bytes == 6)
			return read_mac(value + 1, data_of(&out) + f->at);
		write_number(data_of(&out) + f->at, f->bytes, strtoull(value + 1, NULL, 0));
		return true;
	}
	return false;
}

static bool add_entry(const char *word, int number)
{
	uint8_t *at = data_of(&out) + FIRST_ENTRY + number * ENTRY;
	const char *dlid = strchr(word, '=');

	if (!dlid || number >= MOST_ENTRIES || !read_mac(word, at))
		return false;
	memset(at + 6, 0xff, 6);
	write_number(at + 12, 4, strtoull(dlid + 1, NULL, 0) << 8);
	if (!strtoull(dlid + 1, NULL, 0))
		memset(at, 0, ENTRY);
	return true;
}

/* Fields, and for the table of MACs what is none. */
static bool set_words(const struct attribute *a, int argc, char **argv)
{
	int i, entries = 0;

	for (i = 0; i < argc; i++) {
		if (set_field(a->fields, argv[i]))
			continue;
		if (a->fields != macs_fields || !add_entry(argv[i], entries++)) {
			fprintf(stderr, "opa_em: %s has no '%s'\n", a->name, argv[i]);
			return false;
		}
	}
	if (entries)
		write_number(data_of(&out) + 2, 2, entries);
	return true;
}

static void show_entries(const struct attribute *a)
{
	uint32_t i, number = read_number(data_of(&in) + 2, 2);
	const uint8_t *at = data_of(&in) + FIRST_ENTRY;

	for (i = 0; a->fields == macs_fields && i < number && i < MOST_ENTRIES; i++, at += ENTRY) {
		show_mac("entry ", at, "");
		printf(" %lu\n", (long)read_number(at + 12, 4) >> 8);
	}
	for (i = 0; a->fields == list_fields && i < number && i < 300; i++, at += 6)
		show_mac("address ", at, "\n");
}

static void show(const struct attribute *a)
{
	const struct field *f;

	for (f = a->fields; f->name; f++)
		if (f->bytes == 6) {
			printf("%s", f->name);
			show_mac(" ", data_of(&in) + f->at, "\n");
		} else {
			printf("%s %lu\n", f->name,
			       (long)read_number(data_of(&in) + f->at, f->bytes));
		}
	show_entries(a);
}

/* ---- commands ----------------------------------------------------------------------------- */

static int finish(int status, const struct attribute *a)
{
	if (status == 3 << 16) {
		printf("no answer\n");
		return 3;
	}
	if (status) {
		printf("status %d\n", status);
		return 1;
	}
	if (a)
		show(a);
	return 0;
}

/* What a Set does not name stays as a Get has it. */
static int one_mad(int fd, int id, uint16_t lid, const struct attribute *a, int argc, char **argv)
{
	const bool set = !strcmp(argv[3], "set");
	uint32_t vport = strtoul(argv[5], NULL, 0);
	int status;

	if (set && (a->fields == port_fields || a->fields == class_fields) && a->id != 0x15) {
		begin(id, lid, U_GET, a->id, vport);
		status = ask(fd);
		if (status)
			return finish(status, a);
		begin(id, lid, U_SET, a->id, vport);
		memcpy(data_of(&out), data_of(&in), EMA_MAD - U_VENDOR_HDR);
		out.mad.tid = htobe64(getpid() + 1);
	} else {
		begin(id, lid, set ? U_SET : U_GET, a->id, vport);
	}
	if (!set_words(a, argc - 6, argv + 6))
		return 2;
	return finish(ask(fd), a);
}

static int traps(int fd, int count)
{
	const uint8_t *trap = data_of(&in) + 32;

	while (count--) {
		if (u_receive(fd, &in, sizeof(in)) < 64 + U_VENDOR_HDR + 48)
			return 3;
		printf("trap vesw %lu number %lu vport %u kind %u issuer %lu\n",
		       (long)read_number(trap + 2, 2), (long)read_number(trap + 4, 4), trap[10],
		       trap[11], (long)read_number(data_of(&in) + 8, 4));
		fflush(stdout);
	}
	return 0;
}

/* ---- a group, of the subnet administration (IBA vol. 1, 15.2.5.17) --------------------- */

#define SA_CLASS	0x03
#define SA_VERSION	2
#define SA_MASK		48
#define SA_DATA		56
#define MEMBER		0x38	/* MCMemberRecord */
#define FULL_MEMBER	1
/* MGID, PortGID, Q_Key, TClass, P_Key, SL, FlowLabel, JoinState */
#define TO_CREATE	(1 << 0 | 1 << 1 | 1 << 2 | 1 << 6 | 1 << 7 | 1 << 12 | 1 << 13 | 1 << 16)

static int join(int fd, int id, uint16_t lid, const char *device, const char *mgid)
{
	uint8_t *record = out.bytes + SA_DATA;
	char gid[64] = "";

	begin(id, lid, U_SET, MEMBER, 0);
	out.mad.base_version = 1;
	out.mad.mgmt_class = SA_CLASS;
	out.mad.class_version = SA_VERSION;
	memset(out.mad.oui - 1, 0, 4);
	write_number(out.bytes + SA_MASK, 8, TO_CREATE);
	u_read_line(gid, sizeof(gid), "/sys/class/infiniband/%s/ports/%d/gids/0", device, 1);
	if (inet_pton(AF_INET6, mgid, record) != 1 || inet_pton(AF_INET6, gid, record + 16) != 1)
		return 2;
	write_number(record + 40, 2, 0xffff);
	record[48] = FULL_MEMBER;
	if (u_send(fd, &out, U_MAD) || u_receive(fd, &in, sizeof(in)) != 64 + U_MAD ||
	    in.hdr.status)
		return finish(3 << 16, NULL);
	if (!in.mad.status)
		printf("mlid %lu\n", (long)read_number(in.bytes + SA_DATA + 36, 2));
	return finish(ntohs(in.mad.status), NULL);
}

static int node_of(const char *device)
{
	char line[64];
	int i;

	for (i = 0; i < 64; i++)
		if (u_read_line(line, sizeof(line), "%s/umad%d/ibdev",
				"/sys/class/infiniband_mad", i) && !strcmp(line, device))
			return i;
	return -1;
}

static const struct attribute *attribute_of(const char *name)
{
	static struct attribute other = { .fields = no_fields };
	size_t i;

	for (i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
		if (!strcmp(attributes[i].name, name))
			return &attributes[i];
	other.name = name;
	other.id = strtoul(name, NULL, 0);
	return other.id ? &other : NULL;
}

int main(int argc, char **argv)
{
	const bool listen = argc == 5 && !strcmp(argv[3], "traps");
	const bool joins = argc == 5 && !strcmp(argv[3], "join");
	struct ib_user_mad_reg_req2 req = u_wish(EMA_CLASS, listen ? 1 << TRAP : 0, 0);
	const struct attribute *a = argc > 5 ? attribute_of(argv[4]) : NULL;
	int fd;

	if (!listen && !joins && (!a || (strcmp(argv[3], "get") && strcmp(argv[3], "set")))) {
		fprintf(stderr, "usage: opa_em DEVICE LID get|set|traps|join ...\n");
		return 2;
	}
	req.mgmt_class_version = EMA_VERSION;
	req.oui = oui[0] << 16 | oui[1] << 8 | oui[2];
	/* It only asks. */
	if (joins)
		req = u_wish(0, 0, 0);
	fd = u_open_node("umad", node_of(argv[1]), O_RDWR);
	if (fd < 0 || u_register2(fd, &req)) {
		perror(argv[1]);
		return 2;
	}
	if (listen)
		return traps(fd, atoi(argv[4]));
	if (joins)
		return join(fd, req.id, strtoul(argv[2], NULL, 0), argv[1], argv[4]);
	return one_mad(fd, req.id, strtoul(argv[2], NULL, 0), a, argc, argv);
}
