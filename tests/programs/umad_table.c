// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/infiniband/umadN and issmN: what each call says, and what goes from one
 * port to another. What is expected is what the kernel's own module does.
 *
 * usage: umad_table DEVICE GID PEER GID [compat] [limits]
 *   compat  this machine takes system calls of 32-bit programs
 *   limits  a file can hold as much as ours, which the kernel's own has not
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "umad_raw.h"
#include "umad_netlink.h"
#include "verdict.h"

#define PAGE 4096

static struct u_end here, there;
static struct u_record out, in;
static uint32_t next_tid = 0x1000;
/* Two pages: the second cannot be touched; one that can only be read. */
static char *edge, *read_only;
static void *volatile nowhere = (void *)8;

static int errno_of(int fd_or_minus)
{
	int err = errno;

	if (fd_or_minus >= 0) {
		close(fd_or_minus);
		return 0;
	}
	return err;
}

static void compose(int id, uint8_t class, uint8_t method)
{
	u_compose(&out, &here, &there, id, class, method, ++next_tid);
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
	EXPECT("numbers that nobody looks at", u_send(fd, &out, U_MAD), 0);
	compose(agent, 4, U_SEND);
	out.hdr.qpn = ~0u;
	EXPECT("a QP number of 32 bits", u_send(fd, &out, U_MAD), 0);
	compose(agent, 4, U_SEND);
	out.mad.base_version = 9;
	EXPECT("base version 9", u_send(fd, &out, U_MAD), 0);
	out.mad.base_version = 0x80;
	EXPECT("Omni-Path's length", u_send(fd, &out, 2048), EINVAL);
}

/* Who has the file may write, whoever that is. */
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
	EXPECT("an open of his", WEXITSTATUS(status), EACCES);
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

/* ---- from port to port ---- */

/* The file that answers, and that which asks. */
static int server, client, server_agent, client_agent;
static uint8_t talk_class = U_VENDOR;

static void begin_talk(int rmpp, uint32_t flags)
{
	client = u_open(&here, O_NONBLOCK);
	server = u_open(&there, O_NONBLOCK);
	client_agent = u_agent(client, 0, 0, rmpp && !flags, 0);
	server_agent = u_agent(server, U_VENDOR,
			       1 << U_GET | 1 << U_SET | 1 << U_SEND, rmpp, flags);
}

static void end_talk(void)
{
	close(client);
	close(server);
}

static int ask(uint8_t method, int timeout, size_t length)
{
	compose(client_agent, talk_class, method);
	out.hdr.timeout_ms = timeout;
	return u_send(client, &out, length);
}

/* What is in 'in' goes back as an answer. */
static int answer(size_t length)
{
	in.mad.method |= U_RESP;
	in.hdr.id = server_agent;
	in.hdr.qkey = htonl(U_QKEY);
	return u_send(server, &in, length);
}

static void header_came(const char *who, const struct u_end *from, int id)
{
	printf("header at the %s\n", who);
	EXPECT("id", in.hdr.id, id);
	EXPECT("status", in.hdr.status, 0);
	EXPECT("timeout", in.hdr.timeout_ms, 0);
	EXPECT("length", in.hdr.length, 64 + U_MAD);
	EXPECT("QP", ntohl(in.hdr.qpn), 1);
	EXPECT("Q_Key", in.hdr.qkey, 0);
	EXPECT("GRH", in.hdr.grh_present, 1);
	EXPECT("traffic class", in.hdr.traffic_class, 5);
	EXPECT("P_Key", in.hdr.pkey_index, 0);
	EXPECT("GID of the sender", memcmp(in.hdr.gid, from->gid, 16), 0);
	EXPECT("reserved", !memcmp(in.hdr.reserved, "\0\0\0\0\0\0", 6), 1);
}

static void request_and_answer(void)
{
	begin_talk(0, 0);
	compose(client_agent, U_VENDOR, U_GET);
	out.hdr.timeout_ms = 10000;
	out.hdr.traffic_class = 5;
	out.mad.tid = htobe64(0xdeadbeef00000077ull);
	memset(out.mad.data, 0x5a, sizeof(out.mad.data));
	EXPECT("a request", u_send(client, &out, U_MAD), 0);
	memset(&in.hdr, 0xee, sizeof(in.hdr) + U_MAD);
	EXPECT("comes", u_receive(server, &in, 400), 64 + U_MAD);
	header_came("server", &here, server_agent);
	EXPECT("own GID", in.hdr.gid_index, there.gid_index);
	EXPECT("data", memcmp(in.mad.data, out.mad.data, 216), 0);
	EXPECT("the lower TID is the program's", u_tid(&in), 0x77);
	EXPECT("the upper is not", u_tid_high(&in) == 0xdeadbeef, 0);
	memset(in.mad.data, 0xa5, 216);
	EXPECT("an answer", answer(U_MAD), 0);
	memset(&out.hdr, 0xee, sizeof(out.hdr));
	memcpy(&out.mad, &in.mad, U_MAD);
	memset(&in.hdr, 0xee, sizeof(in.hdr) + U_MAD);
	EXPECT("comes back", u_receive(client, &in, 320), 64 + U_MAD);
	header_came("client", &there, client_agent);
	EXPECT("as it was sent", memcmp(&in.mad, &out.mad, U_MAD), 0);
	in.mad.method &= ~U_RESP;
	EXPECT("the answer again", answer(U_MAD), 0);
	EXPECT("nobody waits for it", u_ready(client, 500), 0);
	EXPECT("no time-out either", U_ERR(read(client, &in, 320)), EAGAIN);
	end_talk();
}

static void other_methods(void)
{
	begin_talk(0, 0);
	EXPECT("Send", ask(U_SEND, 0, U_MAD), 0);
	EXPECT("comes (Send)", u_receive(server, &in, 320), 64 + U_MAD);
	EXPECT("its upper TID is not the program's", u_tid_high(&in) != 0, 1);
	EXPECT("Get of 64 bytes", ask(U_GET, 0, 64), 0);
	EXPECT("comes whole", u_receive(server, &in, 320), 64 + U_MAD);
	EXPECT("a method nobody has asked for", ask(7, 0, U_MAD), 0);
	EXPECT("then one", ask(U_SET, 0, U_MAD), 0);
	EXPECT("which comes", u_receive(server, &in, 320), 64 + U_MAD);
	EXPECT("first", in.mad.method, U_SET);
	/* A class that nobody has: the kernel says so. */
	compose(client_agent, U_VENDOR + 1, U_GET);
	out.hdr.timeout_ms = 20000;
	EXPECT("Get of a class without a taker", u_send(client, &out, U_MAD), 0);
	EXPECT("is answered", u_receive(client, &in, 320), 64 + U_MAD);
	EXPECT("by a refusal", ntohs(in.mad.status), 0xc);
	end_talk();
}

/* A MAD that waits to be read can not be lost by a bad read. */
static void reading(void)
{
	size_t k, bad = 0;

	begin_talk(0, 0);
	ask(U_SEND, 0, U_MAD);
	EXPECT("poll: there is one", u_ready(server, 20000), 1);
	EXPECT("room for the header", U_ERR(read(server, &in, 64)), EINVAL);
	EXPECT("a byte too little", U_ERR(read(server, &in, 319)), EINVAL);
	EXPECT("to nowhere", U_ERR(read(server, nowhere, 320)), EFAULT);
	EXPECT("to what is read-only", U_ERR(read(server, read_only, 320)), EFAULT);
	for (k = 1; k < 320; k += 11)
		bad += U_ERR(read(server, edge + PAGE - k, 320)) != EFAULT;
	EXPECT("to the end of memory", bad, 0);
	EXPECT("it is still there", u_ready(server, 0), 1);
	EXPECT("and is read", read(server, edge + PAGE - 320, 320), 320);
	EXPECT("once", U_ERR(read(server, &in, 320)), EAGAIN);
	end_talk();
}

static void no_op(int signal)
{
	(void)signal;
}

static void blocking(void)
{
	struct sigaction action = { .sa_handler = no_op };
	int status, fd, flags;
	pid_t pid;

	begin_talk(0, 0);
	flags = fcntl(server, F_GETFL);
	fcntl(server, F_SETFL, flags & ~O_NONBLOCK);
	pid = fork();
	if (!pid)
		_exit(read(server, &in, 320) == 320 ? 0 : 1);
	usleep(200000);
	EXPECT("a reader waits", waitpid(pid, &status, WNOHANG), 0);
	ask(U_SEND, 0, U_MAD);
	waitpid(pid, &status, 0);
	EXPECT("and gets it", WEXITSTATUS(status), 0);
	sigaction(SIGALRM, &action, NULL);
	alarm(1);
	EXPECT("a signal", U_ERR(read(server, &in, 320)), EINTR);
	fd = dup(server);
	close(server);
	ask(U_SEND, 0, U_MAD);
	EXPECT("the file outlives its first descriptor",
	       u_receive(fd, &in, 320), 320);
	server = fd;
	end_talk();
}

/* ---- time-outs, transactions ---- */

/* A method that is not answered, not even by a refusal. */
#define UNANSWERED 0x10

static void timeouts(void)
{
	struct ib_user_mad_hdr sent;

	begin_talk(0, 0);
	compose(client_agent, U_VENDOR, UNANSWERED);
	out.mad.tid = htobe64(0xdeadbeef00001234ull);
	out.hdr.timeout_ms = 100;
	out.hdr.retries = 1;
	out.hdr.traffic_class = 5;
	sent = out.hdr;
	sent.status = ETIMEDOUT;
	EXPECT("a request to nobody", u_send(client, &out, U_MAD), 0);
	EXPECT("times out", u_ready(client, 20000), 1);
	EXPECT("room for the header (time-out)", U_ERR(read(client, &in, 64)), EINVAL);
	EXPECT("a byte too little (time-out)", U_ERR(read(client, &in, 87)), EINVAL);
	EXPECT("to nowhere (time-out)", U_ERR(read(client, nowhere, 88)), EFAULT);
	memset(&in.hdr, 0xee, sizeof(in.hdr) + U_MAD);
	EXPECT("header and the MAD's header", u_receive(client, &in, 320), 88);
	EXPECT("as it was written", memcmp(&in.hdr, &sent, sizeof(sent)), 0);
	EXPECT("its lower TID", u_tid(&in), 0x1234);
	EXPECT("class", in.mad.mgmt_class, U_VENDOR);
	EXPECT("method", in.mad.method, UNANSWERED);
	EXPECT("no more than that", in.bytes[24], 0xee);
	EXPECT("once", u_ready(client, 400), 0);
	ask(UNANSWERED, -1, U_MAD);
	EXPECT("the longest time is no short one", u_ready(client, 500), 0);
	compose(client_agent, U_VENDOR, UNANSWERED);
	out.hdr.timeout_ms = 100;
	out.hdr.retries = -1;
	EXPECT("retries without end", u_send(client, &out, U_MAD), 0);
	EXPECT("are made", u_ready(client, 500), 0);
	EXPECT("the agent goes all the same", u_unregister(client, client_agent), 0);
	EXPECT("its requests with it", u_ready(client, 500), 0);
	end_talk();
}

static void old_layout(void)
{
	struct {
		struct ib_user_mad_hdr_old hdr;
		uint8_t mad[U_MAD];
	} __attribute__((packed)) old;
	struct ib_user_mad_reg_req req = { .qpn = 1 };

	begin_talk(0, 0);
	close(client);
	client = u_open(&here, O_NONBLOCK);
	u_register(client, &req);
	client_agent = req.id;
	compose(client_agent, U_VENDOR, U_GET);
	out.hdr.timeout_ms = 10000;
	memcpy(&old.hdr, &out.hdr, 56);
	memcpy(old.mad, &out.mad, U_MAD);
	EXPECT("a request without P_Key index", write(client, &old, sizeof(old)), 312);
	EXPECT("comes (old)", u_receive(server, &in, 320), 320);
	EXPECT("the answer (old)", answer(U_MAD), 0);
	EXPECT("is there (old)", u_ready(client, 20000), 1);
	EXPECT("a byte too little (old)", U_ERR(read(client, &old, 311)), EINVAL);
	EXPECT("comes back (old)", read(client, &old, sizeof(old)), 312);
	EXPECT("length (old)", old.hdr.length, 312);
	EXPECT("what was sent", memcmp(old.mad, &in.mad, U_MAD), 0);
	end_talk();
}

static void same_transaction(void)
{
	struct u_end elsewhere = there;
	int second;

	begin_talk(0, 0);
	second = u_agent(client, 0, 0, 0, 0);
	EXPECT("a request under way", ask(UNANSWERED, 300, U_MAD), 0);
	EXPECT("the same again", u_send(client, &out, U_MAD), EINVAL);
	out.mad.method = U_SET;
	EXPECT("another method", u_send(client, &out, U_MAD), EINVAL);
	out.hdr.timeout_ms = 0;
	EXPECT("waiting for nothing", u_send(client, &out, U_MAD), EINVAL);
	out.hdr.timeout_ms = 300;
	out.mad.tid |= htobe64(5ull << 32);
	EXPECT("another upper half", u_send(client, &out, U_MAD), EINVAL);
	memcpy(out.hdr.gid, here.gid, 16);
	EXPECT("another destination", u_send(client, &out, U_MAD), EINVAL);
	out.mad.method = UNANSWERED;
	out.mad.mgmt_class = U_VENDOR + 1;
	EXPECT("another class", u_send(client, &out, U_MAD), 0);
	out.mad.mgmt_class = U_VENDOR;
	out.hdr.id = second;
	EXPECT("another agent", u_send(client, &out, U_MAD), 0);
	/* Answers have their TID from who asked; many may ask with the same. */
	compose(client_agent, U_VENDOR, UNANSWERED | U_RESP);
	out.hdr.timeout_ms = 300;
	EXPECT("an answer that waits for one", u_send(client, &out, U_MAD), 0);
	EXPECT("the same answer again", u_send(client, &out, U_MAD), EINVAL);
	memcpy(out.hdr.gid, here.gid, 16);
	EXPECT("to another destination", u_send(client, &out, U_MAD), 0);
	out.mad.tid |= htobe64(5ull << 32);
	EXPECT("of another upper half", u_send(client, &out, U_MAD), 0);
	EXPECT("which is kept", u_receive(client, &in, 320), 88);
	while (u_ready(client, 1000))
		if (u_receive(client, &in, 320) != 88)
			break;
	EXPECT("the last of them", U_ERR(read(client, &in, 320)), EAGAIN);
	u_compose(&out, &here, &elsewhere, client_agent, U_VENDOR, UNANSWERED, 1);
	EXPECT("a TID is free again", u_send(client, &out, U_MAD), 0);
	end_talk();
}

/* ---- RMPP ---- */

static void fill(size_t from, size_t to)
{
	size_t i;

	for (i = from; i < to; i++)
		out.bytes[i] = i * 7 + (i >> 8);
}

static int send_transfer(int fd, int agent, uint8_t method, size_t length)
{
	compose(agent, talk_class, method);
	out.mad.rmpp_version = 1;
	out.mad.rmpp_type = RMPP_DATA;
	out.mad.rmpp_flags = 1;
	fill(U_VENDOR_HDR, length);
	return u_send(fd, &out, length);
}

static int same_data(size_t from, size_t to)
{
	return !memcmp(in.bytes + from, out.bytes + from, to - from);
}

static void transfer_too_long(void)
{
	const size_t length = 10000;

	EXPECT("a transfer", send_transfer(client, client_agent, U_SEND, length), 0);
	EXPECT("is there", u_ready(server, 20000), 1);
	EXPECT("room for no segment", U_ERR(read(server, &in, 319)), EINVAL);
	memset(&in.hdr, 0xee, sizeof(in.hdr) + length);
	EXPECT("room for one", U_ERR(read(server, &in, 320)), ENOSPC);
	EXPECT("the length is told", in.hdr.length, 64 + length);
	EXPECT("the first segment is given", same_data(U_VENDOR_HDR, U_MAD), 1);
	EXPECT("not more", in.bytes[U_MAD], 0xee);
	EXPECT("a byte too little", U_ERR(read(server, &in, 64 + length - 1)), ENOSPC);
	EXPECT("to the end of memory",
	       U_ERR(read(server, edge, 2 * PAGE + 4096)), EFAULT);
	EXPECT("it stays", u_ready(server, 0), 1);
	memset(&in.hdr, 0xee, sizeof(in.hdr) + length);
	EXPECT("room for all", read(server, &in, 64 + length), 64 + length);
	EXPECT("all of it", same_data(U_VENDOR_HDR, length), 1);
	EXPECT("once", U_ERR(read(server, &in, 320)), EAGAIN);
	EXPECT("its sender hears nothing", u_ready(client, 300), 0);
}

static void transfers(void)
{
	static const size_t lengths[] = {
		40, 41, 255, 256, 257, 471, 472, 473, 688, 5000, 65536, 400000,
	};
	size_t i, length;
	char text[64];

	begin_talk(1, 0);
	transfer_too_long();
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		length = lengths[i];
		snprintf(text, sizeof(text), "a transfer of %zu bytes", length);
		send_transfer(client, client_agent, U_SEND, length);
		EXPECT(text, u_receive(server, &in, sizeof(in)), 64 + length);
		EXPECT("its data", same_data(U_VENDOR_HDR, length), 1);
	}
	compose(client_agent, U_VENDOR, U_SEND);
	EXPECT("one that is none, too long", u_send(client, &out, 257), EINVAL);
	EXPECT("as long as it may be", u_send(client, &out, U_MAD), 0);
	EXPECT("comes", u_receive(server, &in, 320), 320);
	compose(client_agent, 4, U_SEND);
	EXPECT("a class without RMPP", u_send(client, &out, U_MAD), EINVAL);
	out.mad.rmpp_flags = 1;
	EXPECT("that claims to have it", u_send(client, &out, 1000), EINVAL);
	EXPECT("headers cut off", send_transfer(client, client_agent, U_SEND, 39),
	       EINVAL);
	end_talk();
}

static void transfer_headers(void)
{
	begin_talk(1, 0);
	compose(client_agent, U_VENDOR, U_SEND);
	out.mad.rmpp_version = 9;
	out.mad.rmpp_type = RMPP_ACK;
	out.mad.rmpp_flags = 3;
	out.mad.rmpp_status = 77;
	out.mad.rmpp_segment = htonl(99);
	EXPECT("the RMPP header is the kernel's", u_send(client, &out, 1000), 0);
	EXPECT("so it comes", u_receive(server, &in, sizeof(in)), 64 + 1000);
	EXPECT("version", in.mad.rmpp_version, 1);
	EXPECT("type", in.mad.rmpp_type, RMPP_DATA);
	EXPECT("RMPP status", in.mad.rmpp_status, 0);
	EXPECT("segment", ntohl(in.mad.rmpp_segment), 1);
	EXPECT("the OUI is not", memcmp(in.mad.oui, u_oui, 3), 0);
	end_talk();
}

static void long_answers(void)
{
	begin_talk(1, 0);
	EXPECT("a request", ask(U_GET, 10000, U_MAD), 0);
	EXPECT("comes", u_receive(server, &in, 320), 320);
	in.mad.rmpp_version = 1;
	in.mad.rmpp_type = RMPP_DATA;
	in.mad.rmpp_flags = 1;
	memset(in.mad.data, 0x3c, 3000 - 40);
	EXPECT("a long answer", answer(3000), 0);
	EXPECT("is there", u_ready(client, 20000), 1);
	EXPECT("needs room", U_ERR(read(client, &in, 320)), ENOSPC);
	EXPECT("so much", in.hdr.length, 3064);
	EXPECT("and is read", read(client, &in, 3064), 3064);
	EXPECT("to its end", in.bytes[2999], 0x3c);
	EXPECT("without a time-out", u_ready(client, 300), 0);
	end_talk();
	/* Nobody there puts it together, so nobody acknowledges. */
	begin_talk(1, 0);
	close(server);
	server = u_open(&there, O_NONBLOCK);
	EXPECT("a transfer to nobody",
	       send_transfer(client, client_agent, U_SEND, 1000), 0);
	EXPECT("times out without a limit", u_ready(client, 60000), 1);
	EXPECT("by its headers", u_receive(client, &in, 320), 88);
	EXPECT("which say so", in.hdr.status, ETIMEDOUT);
	end_talk();
}

/* Segments are the program's own. */
static void own_segments(void)
{
	uint64_t seen = 0;
	int k;

	begin_talk(1, IB_USER_MAD_USER_RMPP);
	EXPECT("no class, no RMPP of one's own",
	       u_agent(client, 0, 0, 1, IB_USER_MAD_USER_RMPP), -EINVAL);
	EXPECT("a request", ask(U_GET, 10000, U_MAD), 0);
	EXPECT("comes", u_receive(server, &in, 320), 320);
	EXPECT("a segment longer than a MAD", answer(257), EINVAL);
	in.mad.rmpp_version = 1;
	in.mad.rmpp_type = RMPP_DATA;
	for (k = 1; k <= 3; k++) {
		in.mad.rmpp_flags = k == 1 ? 3 : k == 3 ? 5 : 1;
		in.mad.rmpp_segment = htonl(k);
		while (answer(U_MAD) == EINVAL)
			usleep(1000);
	}
	for (k = 1; k <= 3; k++)
		if (u_receive(client, &in, 320) == 320)
			seen |= 1 << ntohl(in.mad.rmpp_segment);
	EXPECT("each segment of the answer comes", seen, 0xe);
	EXPECT("without a time-out", u_ready(client, 300), 0);
	end_talk();
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

/* ---- the end of a file ---- */

static void close_with_sends(void)
{
	int i, bad = 0;

	begin_talk(0, 0);
	for (i = 0; i < 1000; i++)
		bad += ask(UNANSWERED, 60000, U_MAD) != 0;
	for (i = 0; i < 100; i++)
		bad += ask(U_SEND, 0, U_MAD) != 0;
	EXPECT("a thousand requests under way", bad, 0);
	EXPECT("closed with them, and others unread", close(client), 0);
	close(server);
	begin_talk(0, 0);
	EXPECT("nothing of it is left for a new file", u_ready(server, 300), 0);
	end_talk();
	begin_talk(1, 0);
	bad = 0;
	for (i = 0; i < 20; i++)
		bad += send_transfer(client, client_agent, U_SEND, 20000) != 0;
	EXPECT("closed with transfers under way", bad, 0);
	end_talk();
}

/* ---- what a file can hold ---- */

#define LONG 400000
/* 64 MiB, by twice their length. */
#define FULL 83
#define HALF 41
/* The MAD layer has a bound for each agent, which these stay below. */
#define AGENTS 4

static void full_of_sends(void)
{
	int n = 0, err;

	begin_talk(1, 0);
	/* To nobody, so that they stay under way. */
	close(server);
	server = -1;
	while (!(err = send_transfer(client, client_agent, U_SEND, LONG)) && n < 1000)
		n++;
	EXPECT("sends are bounded", err, ENOMEM);
	EXPECT("by 64 MiB", n, FULL);
	EXPECT("their agent goes", u_unregister(client, client_agent), 0);
	client_agent = u_agent(client, 0, 0, 1, 0);
	EXPECT("there is room again", ask(U_SEND, 0, U_MAD), 0);
	end_talk();
}

/* Reads until there is nothing for a while. */
static void read_all(int fd, int *long_ones, int *timed_out)
{
	ssize_t n;

	*long_ones = *timed_out = 0;
	while (u_ready(fd, 3000) && (n = read(fd, &in, sizeof(in))) > 0) {
		*timed_out += in.hdr.status == ETIMEDOUT;
		*long_ones += n > LONG;
	}
}

/* The sender may not repeat itself as long as it is under way. */
static void wait_sent(int fd, struct u_record *r)
{
	r->mad.rmpp_flags = 0;
	while (u_send(fd, r, U_MAD) == EINVAL)
		usleep(1000);
}

static void full_of_unasked(void)
{
	int i, long_ones, timed_out;

	begin_talk(1, 0);
	for (i = 1; i < AGENTS; i++)
		u_agent(server, U_VENDOR + i, 1 << U_SEND, 1, 0);
	for (i = 0; i < HALF + 5; i++) {
		talk_class = U_VENDOR + i % AGENTS;
		send_transfer(client, client_agent, U_SEND, LONG);
		wait_sent(client, &out);
	}
	talk_class = U_VENDOR;
	read_all(server, &long_ones, &timed_out);
	EXPECT("what nobody asked for is bounded", long_ones, HALF);
	ask(U_SEND, 0, U_MAD);
	EXPECT("then there is room again", u_receive(server, &in, 320), 320);
	end_talk();
}

static void full_of_answers(void)
{
	const int asked = FULL + 7;
	int i, long_ones, timed_out;

	begin_talk(1, 0);
	for (i = 1; i < AGENTS; i++)
		u_agent(client, 0, 0, 1, 0);
	for (i = 0; i < asked; i++) {
		client_agent = i % AGENTS;
		ask(U_GET, 100000, U_MAD);
		if (u_receive(server, &in, 320) != 320)
			break;
		in.mad.rmpp_version = 1;
		in.mad.rmpp_type = RMPP_DATA;
		in.mad.rmpp_flags = 1;
		answer(LONG);
		wait_sent(server, &in);
	}
	EXPECT("many requests with long answers", i, asked);
	read_all(client, &long_ones, &timed_out);
	EXPECT("those with room are read", long_ones, FULL);
	EXPECT("those without have timed out", timed_out, asked - FULL);
	end_talk();
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
	int i;

	if (argc < 5 || !u_end_find(&here, argv[1], argv[2]) ||
	    !u_end_find(&there, argv[3], argv[4])) {
		fprintf(stderr, "usage: umad_table DEVICE GID PEER GID [compat] [limits]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	edge = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(edge + PAGE, PAGE, PROT_NONE);
	read_only = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	old_requests();
	new_requests();
	methods();
	limit();
	layouts();
	single_calls();
	request_and_answer();
	other_methods();
	reading();
	blocking();
	timeouts();
	old_layout();
	same_transaction();
	transfers();
	transfer_headers();
	long_answers();
	own_segments();
	subnet_manager();
	close_with_sends();
	chardevs();
	for (i = 5; i < argc; i++) {
		if (!strcmp(argv[i], "compat"))
			compat();
		if (!strcmp(argv[i], "limits")) {
			full_of_sends();
			full_of_unasked();
			full_of_answers();
		}
	}
	return verdict();
}
