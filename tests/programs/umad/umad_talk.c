// SPDX-License-Identifier: GPL-2.0
/*
 * Management datagrams from one port to another, by umadN of both: requests, answers,
 * time-outs, transactions, long messages. What is expected is what the kernel's own
 * module does.
 *
 * usage: umad_talk DEVICE GID PEER GID [limits]
 *   limits  a file can hold as much as ours, which the kernel's own has not; the sender of a MAD
 *           is told as its packet says it
 */
#include <signal.h>
#include <sys/wait.h>

#include "umad_ends.h"

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
	EXPECT("no reader waits for it", u_ready(client, 500), 0);
	EXPECT("no time-out either", U_ERR(read(client, &in, 320)), EAGAIN);
	end_talk();
}

static void other_methods(void)
{
	begin_talk(0, 0);
	EXPECT("Send", ask(U_SEND, 0, U_MAD), 0);
	EXPECT("comes (Send)", u_receive(server, &in, 320), 64 + U_MAD);
	EXPECT("its upper TID is not the program's", u_tid_high(&in) != 0, 1);
	EXPECT("its service level", in.hdr.sl, 0);
	EXPECT("Get of 64 bytes", ask(U_GET, 0, 64), 0);
	EXPECT("comes whole", u_receive(server, &in, 320), 64 + U_MAD);
	EXPECT("a method without an agent", ask(7, 0, U_MAD), 0);
	EXPECT("then one", ask(U_SET, 0, U_MAD), 0);
	EXPECT("which comes", u_receive(server, &in, 320), 64 + U_MAD);
	EXPECT("first", in.mad.method, U_SET);
	/* A class without an agent: the kernel says so. */
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
	EXPECT("a request to an absent peer", u_send(client, &out, U_MAD), 0);
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
	/* Answers have their TID from the requester; many may ask with the same. */
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
	/* No agent there puts it together, so none acknowledges. */
	begin_talk(1, 0);
	close(server);
	server = u_open(&there, O_NONBLOCK);
	EXPECT("a transfer to an absent peer",
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

/* ---- the end of a file ---- */

static void close_with_sends(void)
{
	int i, bad = 0, last = u_open(&there, O_NONBLOCK);

	u_agent(last, U_VENDOR + 1, 1 << U_SEND, 0, 0);
	begin_talk(0, 0);
	for (i = 0; i < 1000; i++)
		bad += ask(UNANSWERED, 60000, U_MAD) != 0;
	for (i = 0; i < 100; i++)
		bad += ask(U_SEND, 0, U_MAD) != 0;
	EXPECT("a thousand requests under way", bad, 0);
	/* What comes after all of it, and goes elsewhere. */
	compose(client_agent, U_VENDOR + 1, U_SEND);
	bad = u_send(client, &out, U_MAD);
	EXPECT("all of it has come", !bad && u_ready(last, 20000), 1);
	close(last);
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

/* ---- its sender ---- */

/* For IPv4 the sender's own core puts the route's hop limit in place of the program's. */
static void packet_header(const char *from, const char *to, bool own_hops)
{
	struct u_end near, far;

	printf("from %s\n", from);
	EXPECT("the GIDs are there", u_end_find(&near, here.device, from) &&
				     u_end_find(&far, there.device, to), 1);
	begin_talk(0, 0);
	u_compose(&out, &near, &far, client_agent, U_VENDOR, U_SEND, ++next_tid);
	out.hdr.hop_limit = 7;
	out.hdr.traffic_class = 8;
	EXPECT("Send, of few hops", u_send(client, &out, U_MAD), 0);
	EXPECT("comes", u_receive(server, &in, 320), 320);
	if (own_hops)
		EXPECT("hop limit of the packet", in.hdr.hop_limit, 7);
	EXPECT("its traffic class", in.hdr.traffic_class, 8);
	EXPECT("its source", memcmp(in.hdr.gid, near.gid, 16), 0);
	EXPECT("its destination", in.hdr.gid_index, far.gid_index);
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
	/* To an absent peer, so that they stay in flight. */
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
	EXPECT("what is unsolicited is bounded", long_ones, HALF);
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

int main(int argc, char **argv)
{
	if (!world_init(argc, argv))
		return 2;
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
	close_with_sends();
	if (argc > 5) {
		packet_header(argv[2], argv[4], true);
		packet_header("::ffff:10.0.0.1", "::ffff:10.0.0.2", false);
		full_of_sends();
		full_of_unasked();
		full_of_answers();
	}
	return verdict();
}
