// SPDX-License-Identifier: GPL-2.0
/*
 * Verified messages until a device goes, or this process does.
 *
 * usage: traffic DEVICE ADDRESS PEER-DEVICE PEER-ADDRESS READY
 *
 * Makes the file READY when messages flow. When a device has gone, every file
 * descriptor of its context must answer, also to readers that sleep in it, and
 * everything can be destroyed and closed. On a device that stays, all goes on
 * as usual. Status 0: all that was so.
 */
#include <pthread.h>

#include "innocent.h"

#define PATIENCE	120	/* seconds until a read has to return */

struct watch {
	struct side *side;
	pthread_t async, completions;
	volatile bool gone;		/* IBV_EVENT_DEVICE_FATAL */
	volatile int async_errno;	/* the end of the file: 0 not yet */
	volatile int completions_errno;
};

static struct watch watches[2];
static int failures;

static void expect(const char *what, bool right)
{
	if (right)
		return;
	printf("FAIL %s (errno %d: %s)\n", what, errno, strerror(errno));
	failures++;
}

static void *read_async(void *arg)
{
	struct watch *w = arg;
	struct ibv_async_event event;

	while (!ibv_get_async_event(w->side->ctx, &event)) {
		bool fatal = event.event_type == IBV_EVENT_DEVICE_FATAL;

		ibv_ack_async_event(&event);
		w->gone |= fatal;
		/* The stock core of 6.1 has no end after that. */
		if (fatal && getenv("CORE") && !strcmp(getenv("CORE"), "stock"))
			return NULL;
	}
	w->async_errno = errno;
	return NULL;
}

static void *read_completions(void *arg)
{
	struct watch *w = arg;
	struct ibv_cq *cq;
	void *context;

	while (!ibv_get_cq_event(w->side->channel, &cq, &context))
		ibv_ack_cq_events(cq, 1);
	w->completions_errno = errno;
	return NULL;
}

static bool any_gone(void *arg)
{
	(void)arg;
	return watches[0].gone || watches[1].gone;
}

/* Within reason. */
static bool joined(pthread_t thread)
{
	struct timespec end = { .tv_sec = time(NULL) + PATIENCE };

	errno = pthread_timedjoin_np(thread, NULL, &end);
	return !errno;
}

static bool fine(int ret, bool gone)
{
	errno = ret;
	return !ret || (gone && ret == EIO);
}

static void check_gone(struct watch *w)
{
	struct side *s = w->side;
	struct pollfd p = { .fd = s->channel->fd, .events = POLLIN };
	struct ibv_device_attr attr;

	expect("a sleeper at the async fd", joined(w->async));
	expect("a sleeper at the completion channel", joined(w->completions));
	expect("which says EIO", w->completions_errno == EIO);
	expect("poll() of it says so", poll(&p, 1, 0) == 1 && p.revents & (POLLERR | POLLHUP));
	errno = ibv_query_device(s->ctx, &attr);
	expect("a command gives EIO", errno == EIO);
	errno = 0;
	expect("and one more", !ibv_alloc_pd(s->ctx) && errno == EIO);
}

static void check_there(struct watch *w)
{
	struct ibv_port_attr attr;
	int i, ret;

	ret = ibv_query_port(w->side->ctx, 1, &attr);
	/* If it goes at this very moment, the event comes. */
	for (i = 0; i < 100 && ret == EIO && !w->gone; i++)
		usleep(100000);
	expect("the device that stays answers", fine(ret, w->gone));
}

static void end_side(struct watch *w)
{
	struct side *s = w->side;

	expect("destroy QP", fine(ibv_destroy_qp(s->qp), w->gone));
	expect("dereg MR", fine(ibv_dereg_mr(s->mr), w->gone));
	expect("destroy CQ", fine(ibv_destroy_cq(s->cq), w->gone));
	/* Readers that still sleep there are woken by nothing but the end. */
	if (!w->gone) {
		pthread_cancel(w->completions);
		pthread_cancel(w->async);
		joined(w->completions);
		joined(w->async);
	}
	expect("close the channel", fine(ibv_destroy_comp_channel(s->channel), w->gone));
	expect("dealloc PD", fine(ibv_dealloc_pd(s->pd), w->gone));
	expect("close", !ibv_close_device(s->ctx));
}

int main(int argc, char **argv)
{
	struct pair pair = { .seed = getpid(), .stop = any_gone };
	enum pair_result result = PAIR_OK;
	time_t end;
	int i;

	if (argc < 6) {
		fprintf(stderr, "usage: traffic DEVICE ADDRESS PEER-DEVICE PEER-ADDRESS READY\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!pair_open(&pair, argv[1], argv[2], argv[3], argv[4])) {
		printf("FAIL set-up: %s\n", strerror(errno));
		return 1;
	}
	for (i = 0; i < 2; i++) {
		struct watch *w = &watches[i];

		w->side = &pair.side[i];
		if (pthread_create(&w->async, NULL, read_async, w) ||
		    pthread_create(&w->completions, NULL, read_completions, w))
			return 1;
		ibv_req_notify_cq(w->side->cq, 0);
	}
	while (!result) {
		result = pair_step(&pair);
		if (pair.messages == 3)
			close(open(argv[5], O_CREAT | O_RDWR, 0600));
		/* A device may go between two messages. */
		if (!result && any_gone(NULL))
			result = PAIR_STOPPED;
	}
	expect("every byte", result != PAIR_WRONG);
	/* A failure may be the first that is seen of the end. */
	for (end = time(NULL) + PATIENCE; !any_gone(NULL) && time(NULL) < end;)
		usleep(10000);
	expect("a device has gone", any_gone(NULL));
	/* Of two, both may go. */
	usleep(200000);
	for (i = 0; i < 2; i++)
		if (watches[i].gone)
			check_gone(&watches[i]);
		else
			check_there(&watches[i]);
	for (i = 0; i < 2; i++)
		end_side(&watches[i]);
	printf("%ld messages, gone %d %d\n%d failed\n", pair.messages,
	       watches[0].gone, watches[1].gone, failures);
	return failures ? 1 : 0;
}
