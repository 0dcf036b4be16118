// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/infiniband/umadN and issmN: what each call says. What is expected is what the
 * kernel's own module does.
 *
 * usage: umad_table DEVICE GID PEER GID [compat]
 *   compat  this machine takes system calls of 32-bit programs
 */
#include <sys/wait.h>

#include "umad_netlink.h"
#include "umad_world.h"

static int errno_of(int fd_or_minus)
{
	int err = errno;

	if (fd_or_minus >= 0) {
		close(fd_or_minus);
		return 0;
	}
	return err;
}

static int fault_read_only(int fd, unsigned long command, const void *req,
			   size_t size)
{
	mprotect(read_only, PAGE, PROT_READ | PROT_WRITE);
	memcpy(read_only, req, size);
	mprotect(read_only, PAGE, PROT_READ);
	return U_ERR(ioctl(fd, command, read_only));
}

/* ---- agents ---- */

static void old_requests(void)
{
	struct ib_user_mad_reg_req req = { .id = 77, .qpn = 1 };
	int fd = u_open(&here, O_NONBLOCK);

	EXPECT("no such ioctl", U_ERR(ioctl(fd, _IO(0x1b, 9), 0)), ENOTTY);
	EXPECT("P_Key mode", U_ERR(ioctl(fd, IB_USER_MAD_ENABLE_PKEY, 0)), 0);
	EXPECT("P_Key mode again", U_ERR(ioctl(fd, IB_USER_MAD_ENABLE_PKEY, 0)), 0);
	EXPECT("an agent", u_register(fd, &req), 0);
	EXPECT("the first is 0", req.id, 0);
	EXPECT("P_Key mode, too late",
	       U_ERR(ioctl(fd, IB_USER_MAD_ENABLE_PKEY, 0)), EINVAL);
	req.qpn = 0;
	EXPECT("QP0 of a port without", u_register(fd, &req), EPROTONOSUPPORT);
	req.qpn = 2;
	EXPECT("QP2", u_register(fd, &req), EINVAL);
	req.qpn = 1;
	req.mgmt_class = 4;
	req.mgmt_class_version = 1;
	req.method_mask[0] = 1 << U_GET;
	EXPECT("a class", u_register(fd, &req), 0);
	EXPECT("it is 1", req.id, 1);
	EXPECT("the class again", u_register(fd, &req), EINVAL);
	req.mgmt_class = U_VENDOR;
	memcpy(req.oui, u_oui, 3);
	EXPECT("a class with an OUI", u_register(fd, &req), 0);
	memset(req.oui, 0, 3);
	EXPECT("without it", u_register(fd, &req), EINVAL);
	EXPECT("request nowhere",
	       U_ERR(ioctl(fd, IB_USER_MAD_REGISTER_AGENT, 8)), EFAULT);
	req.mgmt_class = 0;
	EXPECT("nowhere to put the number",
	       fault_read_only(fd, IB_USER_MAD_REGISTER_AGENT, &req, sizeof(req)),
	       EFAULT);
	EXPECT("that left no agent", u_agent(fd, 0, 0, 0, 0), 3);
	EXPECT("it goes", u_unregister(fd, 0), 0);
	EXPECT("it is gone", u_unregister(fd, 0), EINVAL);
	EXPECT("one that never was", u_unregister(fd, 31), EINVAL);
	EXPECT("number 32", u_unregister(fd, 32), EINVAL);
	EXPECT("number -1", u_unregister(fd, ~0u), EINVAL);
	EXPECT("number nowhere",
	       U_ERR(ioctl(fd, IB_USER_MAD_UNREGISTER_AGENT, 8)), EFAULT);
	close(fd);
}

static void new_flags(int fd)
{
	struct ib_user_mad_reg_req2 req = u_wish(0, 0, 0);

	req.flags = 2;
	EXPECT("an unknown flag", u_register2(fd, &req), EINVAL);
	EXPECT("the known ones are told", req.flags, IB_USER_MAD_REG_FLAGS_CAP);
	EXPECT("and no number", req.id, ~0u);
	req.flags = 6;
	EXPECT("nowhere to tell them",
	       fault_read_only(fd, IB_USER_MAD_REGISTER_AGENT2, &req, sizeof(req)),
	       EFAULT);
	req.flags = IB_USER_MAD_USER_RMPP;
	EXPECT("RMPP of one's own without a class", u_register2(fd, &req), EINVAL);
	req = u_wish(U_VENDOR, 1 << U_GET, 1);
	req.flags = IB_USER_MAD_USER_RMPP;
	EXPECT("with one", u_register2(fd, &req), 0);
	u_unregister(fd, req.id);
}

static int refuse(int fd, const char *text, struct ib_user_mad_reg_req2 req)
{
	EXPECT(text, u_register2(fd, &req), EINVAL);
	return req.id;
}

static void new_requests(void)
{
	struct ib_user_mad_reg_req2 req = u_wish(0, 0, 0);
	int fd = u_open(&here, O_NONBLOCK);

	EXPECT("request nowhere (2)",
	       U_ERR(ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, 8)), EFAULT);
	new_flags(fd);
	req.qpn = 2;
	refuse(fd, "QP2 (2)", req);
	req.qpn = 0;
	EXPECT("QP0 (2)", u_register2(fd, &req), EPROTONOSUPPORT);
	req = u_wish(0, 0, 0);
	req.oui = 1 << 24;
	EXPECT("an OUI that is none does not matter without a class",
	       u_register2(fd, &req), 0);
	u_unregister(fd, req.id);
	req.mgmt_class = U_VENDOR;
	refuse(fd, "with one it does", req);
	req.oui = 0;
	refuse(fd, "no OUI", req);
	refuse(fd, "RMPP version 2", u_wish(U_VENDOR, 2, 2));
	refuse(fd, "RMPP version 2, no class", u_wish(0, 0, 2));
	refuse(fd, "RMPP in a class without", u_wish(U_VENDOR_OLD, 2, 1));
	refuse(fd, "subnet management on QP1", u_wish(0x01, 2, 0));
	refuse(fd, "by a directed route", u_wish(0x81, 2, 0));
	refuse(fd, "a class beyond the last", u_wish(0x50, 2, 0));
	req = u_wish(4, 2, 0);
	req.mgmt_class_version = 0x90;
	refuse(fd, "a version that is none", req);
	req = u_wish(4, 2, 0);
	req.res = 7;
	req.reserved[1] = 4;
	EXPECT("reserved fields do not matter", u_register2(fd, &req), 0);
	EXPECT("no number was lost", req.id, 0);
	EXPECT("nowhere to put the number (2)",
	       fault_read_only(fd, IB_USER_MAD_REGISTER_AGENT2, &(struct
	       ib_user_mad_reg_req2){ .qpn = 1 }, sizeof(req)), EFAULT);
	EXPECT("that left no agent (2)", u_agent(fd, 0, 0, 0, 0), 1);
	close(fd);
}

static void methods(void)
{
	int a = u_open(&here, O_NONBLOCK), b = u_open(&here, O_NONBLOCK);

	EXPECT("method 1", u_agent(a, U_VENDOR, 1 << 1, 0, 0), 0);
	EXPECT("again", u_agent(a, U_VENDOR, 1 << 1, 0, 0), -EINVAL);
	EXPECT("with others", u_agent(a, U_VENDOR, 1 << 1 | 1 << 2, 0, 0), -EINVAL);
	EXPECT("of another file", u_agent(b, U_VENDOR, 1 << 1, 0, 0), -EINVAL);
	EXPECT("none at all", u_agent(a, U_VENDOR, 0, 0, 0), 1);
	EXPECT("method 2 of another file", u_agent(b, U_VENDOR, 1 << 2, 0, 0), 0);
	close(b);
	EXPECT("free when that is closed", u_agent(a, U_VENDOR, 1 << 2, 0, 0), 2);
	u_unregister(a, 0);
	EXPECT("free when its agent goes", u_agent(a, U_VENDOR, 1 << 1, 0, 0), 0);
	close(a);
}

static void limit(void)
{
	int fd = u_open(&here, O_NONBLOCK), i, got = 0;

	for (i = 0; i < U_MAX_AGENTS; i++)
		got += u_agent(fd, 0, 0, 0, 0) == i;
	EXPECT("32 agents in order", got, U_MAX_AGENTS);
	EXPECT("no 33rd", u_agent(fd, 0, 0, 0, 0), -ENOMEM);
	u_unregister(fd, 7);
	u_unregister(fd, 3);
	EXPECT("the lowest free number", u_agent(fd, 0, 0, 0, 0), 3);
	EXPECT("then the next", u_agent(fd, 0, 0, 0, 0), 7);
	EXPECT("and no more", u_agent(fd, 0, 0, 0, 0), -ENOMEM);
	close(fd);
}

static void layouts(void)
{
	struct ib_user_mad_reg_req req = { .qpn = 3 };
	struct ib_user_mad_reg_req2 req2 = u_wish(0, 0, 0);
	int fd = u_open(&here, O_NONBLOCK);

	EXPECT("55 bytes of room", U_ERR(read(fd, &in, 55)), EINVAL);
	EXPECT("56 bytes: the old layout", U_ERR(read(fd, &in, 56)), EAGAIN);
	compose(0, 4, U_SEND);
	EXPECT("a write without an agent", U_ERR(write(fd, &out, 312)), EIO);
	u_register(fd, &req);
	req2.flags = 8;
	u_register2(fd, &req2);
	EXPECT("refused requests decide nothing", U_ERR(read(fd, &in, 56)), EAGAIN);
	req.qpn = 1;
	u_register(fd, &req);
	req2.flags = 0;
	EXPECT("the newer request after the older", u_register2(fd, &req2), 0);
	EXPECT("changes nothing", U_ERR(read(fd, &in, 56)), EAGAIN);
	close(fd);
	fd = u_open(&here, O_NONBLOCK);
	EXPECT("the newer request first", u_register2(fd, &req2), 0);
	EXPECT("is for the new layout", U_ERR(read(fd, &in, 63)), EINVAL);
	EXPECT("of 64 bytes", U_ERR(read(fd, &in, 64)), EAGAIN);
	close(fd);
}

/* ---- one call ---- */

static void write_lengths(int fd, int agent)
{
	static const struct {
		const char *text;
		uint8_t class;
		size_t least;
	} rows[] = {
		{ "class 0x09: least", U_VENDOR_OLD, 36 },
		{ "class 0x04: least", 4, 36 },
		{ "class 0x01: least", 1, 36 },
		{ "class 0x30: least", U_VENDOR, 40 },
		{ "class 0x03: least", 3, 56 },
	};
	size_t i, length;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (length = 0; length <= U_MAD; length++) {
			compose(agent, rows[i].class, U_SEND);
			if (!u_send(fd, &out, length))
				break;
		}
		EXPECT(rows[i].text, length, rows[i].least);
		compose(agent, rows[i].class, U_SEND);
		EXPECT("less than that",
		       u_send(fd, &out, rows[i].least - 1), EINVAL);
	}
	compose(agent, U_VENDOR, U_SEND);
	EXPECT("a whole MAD", u_send(fd, &out, U_MAD), 0);
	compose(agent, U_VENDOR, U_SEND);
	EXPECT("one byte more", u_send(fd, &out, U_MAD + 1), EINVAL);
	EXPECT("much more", u_send(fd, &out, 100000), EINVAL);
	EXPECT("nothing", U_ERR(write(fd, &out, 0)), EINVAL);
}

static void write_faults(int fd, int agent)
{
	size_t k, bad = 0;

	EXPECT("from nowhere", U_ERR(write(fd, nowhere, 320)), EFAULT);
	compose(agent, 4, U_SEND);
	for (k = 1; k < 320; k += 11) {
		memcpy(edge + PAGE - k, &out, k);
		bad += U_ERR(write(fd, edge + PAGE - k, 320)) != EFAULT;
	}
	EXPECT("from the end of memory", bad, 0);
	memcpy(edge + PAGE - 320, &out, 320);
	EXPECT("just not there", U_ERR(write(fd, edge + PAGE - 320, 320)), 0);
}

static void write_addresses(int fd, int agent)
{
	compose(agent, 4, U_SEND);
	out.hdr.id = 31;
	EXPECT("no such agent", u_send(fd, &out, U_MAD), EIO);
	out.hdr.id = 32;
	EXPECT("agent 32", u_send(fd, &out, U_MAD), EINVAL);
	out.hdr.id = ~0u;
	EXPECT("agent -1", u_send(fd, &out, U_MAD), EINVAL);
	out.hdr.id = 32;
	EXPECT("too short for it to matter", u_send(fd, &out, 35), EINVAL);
	out.hdr.id = agent;
	out.hdr.grh_present = 0;
	EXPECT("Ethernet without a GID", u_send(fd, &out, U_MAD), EINVAL);
	out.hdr.grh_present = 1;
	out.hdr.gid_index = 200;
	EXPECT("no such GID here", u_send(fd, &out, U_MAD), ENODATA);
	out.hdr.gid_index = here.gid_index;
	out.hdr.grh_present = 77;
	out.hdr.sl = out.hdr.path_bits = out.hdr.traffic_class = 255;
	out.hdr.flow_label = ~0u;
	out.hdr.qkey = 0;
	EXPECT("numbers that are not looked at", u_send(fd, &out, U_MAD), 0);
	compose(agent, 4, U_SEND);
	out.hdr.qpn = ~0u;
	EXPECT("a QP number of 32 bits", u_send(fd, &out, U_MAD), 0);
	compose(agent, 4, U_SEND);
	out.mad.base_version = 9;
	EXPECT("base version 9", u_send(fd, &out, U_MAD), 0);
	out.mad.base_version = 0x80;
	EXPECT("Omni-Path's length", u_send(fd, &out, 2048), EINVAL);
}

/* The holder of the file may write, with any credentials. */
static void other_user(int fd, int agent)
{
	int status;
	pid_t pid;

	compose(agent, 4, U_SEND);
	pid = fork();
	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(99);
		_exit(u_send(fd, &out, U_MAD));
	}
	waitpid(pid, &status, 0);
	EXPECT("a write of another user", WEXITSTATUS(status), 0);
	pid = fork();
	if (!pid)
		_exit(setuid(65534) ? 99 : errno_of(u_open(&here, 0)));
	waitpid(pid, &status, 0);
	EXPECT("an open of its own", WEXITSTATUS(status), EACCES);
}

static void single_calls(void)
{
	struct pollfd p = { .events = POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM };
	int fd = u_open(&here, O_NONBLOCK), agent = u_agent(fd, 0, 0, 0, 0);

	p.fd = fd;
	poll(&p, 1, 0);
	EXPECT("poll: it can be written", p.revents, POLLOUT | POLLWRNORM);
	EXPECT("nothing to read", U_ERR(read(fd, &in, 64)), EAGAIN);
	EXPECT("no room", U_ERR(read(fd, &in, 0)), EINVAL);
	EXPECT("too little room", U_ERR(read(fd, &in, 63)), EINVAL);
	EXPECT("nothing to read to nowhere", U_ERR(read(fd, nowhere, 320)), EAGAIN);
	EXPECT("pread", U_ERR(pread(fd, &in, 320, 0)), ESPIPE);
	EXPECT("lseek", U_ERR(lseek(fd, 0, 0)), ESPIPE);
	write_lengths(fd, agent);
	write_faults(fd, agent);
	write_addresses(fd, agent);
	other_user(fd, agent);
	EXPECT("none of it has come back", u_ready(fd, 300), 0);
	close(fd);
}

/* ---- issm ---- */

static int port_says_sm(void)
{
	unsigned int caps = 0;
	char line[64];

	if (u_read_line(line, sizeof(line),
			"/sys/class/infiniband/%s/ports/%d/cap_mask",
			here.device, 1))
		caps = strtoul(line, NULL, 0);
	return !!(caps & 2);
}

static int open_issm(int flags)
{
	return u_open_node("issm", here.node, flags);
}

/* Newer kernels have it for ports with subnet management alone. */
static bool has_issm(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/class/infiniband_mad/issm%d", here.node);
	return !access(path, F_OK);
}

static void subnet_manager(void)
{
	int fd = open_issm(O_RDONLY | O_NONBLOCK), status;
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };
	pid_t pid;

	EXPECT("issm opens", fd >= 0, 1);
	EXPECT("the port says so", port_says_sm(), 1);
	EXPECT("a second open", errno_of(open_issm(O_RDWR | O_NONBLOCK)), EAGAIN);
	EXPECT("it changes nothing", port_says_sm(), 1);
	EXPECT("read", U_ERR(read(fd, &in, 64)), EINVAL);
	EXPECT("ioctl", U_ERR(ioctl(fd, IB_USER_MAD_ENABLE_PKEY, 0)), ENOTTY);
	EXPECT("lseek", U_ERR(lseek(fd, 0, 0)), ESPIPE);
	poll(&p, 1, 0);
	EXPECT("poll", p.revents, POLLIN | POLLOUT);
	pid = fork();
	if (!pid) {
		close(fd);
		alarm(20);
		fd = open_issm(O_RDONLY);
		_exit(fd < 0 ? 1 : !port_says_sm());
	}
	usleep(300000);
	EXPECT("an open without O_NONBLOCK waits", waitpid(pid, &status, WNOHANG), 0);
	close(fd);
	waitpid(pid, &status, 0);
	EXPECT("until it can", status, 0);
	EXPECT("the last has closed", port_says_sm(), 0);
	EXPECT("write-only will do", errno_of(open_issm(O_WRONLY | O_NONBLOCK)), 0);
	EXPECT("and goes", port_says_sm(), 0);
}

/* ---- netlink ---- */

static void chardevs(void)
{
	struct stat node;
	char path[64];

	snprintf(path, sizeof(path), "/dev/infiniband/umad%d", here.node);
	stat(path, &node);
	EXPECT("netlink: umad of a port", u_chardev(here.device, 1, "umad"),
	       node.st_rdev);
	EXPECT("netlink: issm of a port", u_chardev(here.device, 1, "issm"),
	       -EOPNOTSUPP);
	EXPECT("netlink: umad without a port", u_chardev(here.device, 0, "umad"),
	       -EINVAL);
	EXPECT("netlink: umad of port 2", u_chardev(here.device, 2, "umad"),
	       -EINVAL);
}

/* ---- 32-bit calls ---- */

#ifdef __x86_64__
static long call32(long number, long a, long b, long c)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret)
			 : "a"(number), "b"(a), "c"(b), "d"(c)
			 : "memory", "r8", "r9", "r10", "r11");
	return (int)ret;
}
#else
#define call32(...) -ENOSYS
#endif

static void compat(void)
{
	struct ib_user_mad_reg_req2 *req2;
	struct ib_user_mad_reg_req *req;
	const int ioctl32 = 54;
	int fd = u_open(&here, O_NONBLOCK);
	uint32_t *id;
	char *low = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	req = (void *)low;
	req2 = (void *)(low + 64);
	id = (void *)(low + 128);
	EXPECT("32 bits: P_Key mode",
	       call32(ioctl32, fd, IB_USER_MAD_ENABLE_PKEY, 0), 0);
	req->qpn = 1;
	req->mgmt_class = 4;
	req->mgmt_class_version = 1;
	/* Its words are of 32 bits: method 33 is bit 1 of the second. */
	((uint32_t *)req->method_mask)[1] = 2;
	EXPECT("32 bits: an agent",
	       call32(ioctl32, fd, IB_USER_MAD_REGISTER_AGENT, (long)req), 0);
	*req2 = u_wish(4, 1ull << 33, 0);
	EXPECT("32 bits: its method is taken",
	       call32(ioctl32, fd, IB_USER_MAD_REGISTER_AGENT2, (long)req2), -EINVAL);
	*req2 = u_wish(4, 1ull << 1, 0);
	EXPECT("32 bits: another one is not",
	       call32(ioctl32, fd, IB_USER_MAD_REGISTER_AGENT2, (long)req2), 0);
	*id = req2->id;
	EXPECT("32 bits: it goes",
	       call32(ioctl32, fd, IB_USER_MAD_UNREGISTER_AGENT, (long)id), 0);
	EXPECT("32 bits: no such ioctl", call32(ioctl32, fd, _IO(0x1b, 9), 0),
	       -ENOTTY);
	close(fd);
}

int main(int argc, char **argv)
{
	if (!world_init(argc, argv))
		return 2;
	old_requests();
	new_requests();
	methods();
	limit();
	layouts();
	single_calls();
	if (has_issm())
		subnet_manager();
	chardevs();
	if (argc > 5)
		compat();
	return verdict();
}
