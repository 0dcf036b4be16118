// SPDX-License-Identifier: GPL-2.0
/*
 * A device goes while a program has everything of its umadN and issmN in use.
 *
 * usage: umad_unplug DEVICE GID FILE ours|theirs
 *	Make use of it, then FILE, then wait until the device has gone.
 *   theirs  the kernel's own module, which leaves a blocked read and a blocked open
 *	     of issmN to a signal; nothing else is different
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "umad_raw.h"
#include "verdict.h"

#define SECONDS 60

static struct u_end end;
static struct u_record out, in;

/* ---- waiters ---- */

struct waiter {
	const char *text;
	void (*wait)(struct waiter *w);
	pthread_t thread;
	int fd;
	long result;
	atomic_bool over;
};

static void wait_read(struct waiter *w)
{
	static struct u_record record;

	w->result = U_ERR(read(w->fd, &record, 320));
}

static void wait_poll(struct waiter *w)
{
	struct pollfd p = { .fd = w->fd, .events = POLLIN };

	poll(&p, 1, -1);
	w->result = p.revents;
}

static void wait_issm(struct waiter *w)
{
	w->result = U_ERR(u_open_node("issm", end.node, O_RDONLY));
}

static void *wait_thread(void *arg)
{
	struct waiter *w = arg;

	w->wait(w);
	atomic_store(&w->over, true);
	return NULL;
}

static bool is_over(struct waiter *w, int seconds)
{
	int i;

	for (i = 0; i < seconds * 100 && !atomic_load(&w->over); i++)
		usleep(10000);
	return atomic_load(&w->over);
}

/* It sleeps in the kernel. */
static void begin(struct waiter *w)
{
	pthread_create(&w->thread, NULL, wait_thread, w);
	usleep(300000);
	EXPECT(w->text, atomic_load(&w->over), false);
}

static void no_op(int signal)
{
	(void)signal;
}

/* @want: what it gives when the device goes; 0: nothing but a signal ends it */
static void finish(struct waiter *w, const char *text, long want)
{
	struct sigaction action = { .sa_handler = no_op };

	if (want) {
		EXPECT(text, is_over(w, SECONDS) ? w->result : -1, want);
		return;
	}
	sigaction(SIGUSR1, &action, NULL);
	while (!is_over(w, 1))
		pthread_kill(w->thread, SIGUSR1);
}

/* ---- files with all that they can have ---- */

static int busy_file(uint8_t class, bool unread)
{
	int fd = u_open(&end, O_NONBLOCK), i, agent, taker;

	agent = u_agent(fd, 0, 0, 1, 0);
	taker = u_agent(fd, class, 1 << U_SEND, 1, 0);
	EXPECT("two agents", agent == 0 && taker == 1, 1);
	for (i = 0; unread && i < 10; i++) {
		u_compose(&out, &end, &end, agent, class, U_SEND, 100 + i);
		u_send(fd, &out, U_MAD);
	}
	if (unread)
		EXPECT("something unread", u_ready(fd, 20000), 1);
	for (i = 0; i < 100; i++) {
		u_compose(&out, &end, &end, agent, class, 0x10, 200 + i);
		out.hdr.timeout_ms = 600000;
		u_send(fd, &out, U_MAD);
	}
	/* To an absent peer, so that it stays in flight. */
	u_compose(&out, &end, &end, agent, class + 8, U_SEND, 300);
	out.mad.rmpp_version = 1;
	out.mad.rmpp_type = RMPP_DATA;
	out.mad.rmpp_flags = 1;
	EXPECT("a transfer under way", u_send(fd, &out, 20000), 0);
	return fd;
}

static bool gone(void)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s", end.device);
	return access(path, F_OK);
}

static void dead_file(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };
	struct ib_user_mad_reg_req2 req2 = u_wish(0, 0, 0);
	struct ib_user_mad_reg_req req = { .qpn = 1 };

	poll(&p, 1, 0);
	EXPECT("poll", p.revents, POLLERR);
	EXPECT("read", U_ERR(read(fd, &in, 320)), EIO);
	EXPECT("read again", U_ERR(read(fd, &in, 320)), EIO);
	EXPECT("read without room", U_ERR(read(fd, &in, 20)), EINVAL);
	u_compose(&out, &end, &end, 0, U_VENDOR, U_SEND, 400);
	EXPECT("write", u_send(fd, &out, U_MAD), EIO);
	EXPECT("write of too little", u_send(fd, &out, 2), EINVAL);
	EXPECT("register", u_register(fd, &req), EPIPE);
	EXPECT("register (2)", u_register2(fd, &req2), EPIPE);
	req2.qpn = 2;
	EXPECT("register a QP that is none", u_register2(fd, &req2), EPIPE);
	EXPECT("unregister", u_unregister(fd, 0), EINVAL);
	EXPECT("P_Key mode", U_ERR(ioctl(fd, IB_USER_MAD_ENABLE_PKEY, 0)), EINVAL);
}

int main(int argc, char **argv)
{
	struct waiter reader = { "a reader waits", wait_read };
	struct waiter poller = { "a poller waits", wait_poll };
	struct waiter opener = { "an open of issm waits", wait_issm };
	int quiet, unread, idle, issm, i;
	bool ours, has_issm;

	if (argc < 5 || !u_end_find(&end, argv[1], argv[2])) {
		fprintf(stderr, "usage: umad_unplug DEVICE GID FILE ours|theirs\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	ours = !strcmp(argv[4], "ours");
	unread = busy_file(U_VENDOR, true);
	quiet = busy_file(U_VENDOR + 1, false);
	idle = u_open(&end, 0);
	issm = u_open_node("issm", end.node, O_RDONLY);
	has_issm = issm >= 0 || errno != ENOENT;
	EXPECT("issm is held", issm >= 0, has_issm);
	reader.fd = poller.fd = idle;
	begin(&reader);
	begin(&poller);
	if (has_issm)
		begin(&opener);
	close(open(argv[3], O_WRONLY | O_CREAT, 0600));

	for (i = 0; i < SECONDS * 100 && !gone(); i++)
		usleep(10000);
	EXPECT("the device goes, however many use it", gone(), 1);
	finish(&poller, "the poller is woken", POLLERR);
	finish(&reader, "the reader is woken", ours ? EIO : 0);
	if (has_issm)
		finish(&opener, "the open of issm fails", ours ? ENXIO : 0);
	dead_file(unread);
	dead_file(quiet);
	EXPECT("read that would wait", U_ERR(read(idle, &in, 320)), EIO);
	EXPECT("open", U_ERR(u_open(&end, 0)), ENOENT);
	EXPECT("close", close(unread) | close(quiet) | close(idle), 0);
	EXPECT("close of issm", close(issm), has_issm ? 0 : -1);
	return verdict();
}
