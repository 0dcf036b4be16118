// SPDX-License-Identifier: GPL-2.0
/*
 * Private data of iWARP connections. rdma_cm carries 255 bytes, MPA 512: so this talks
 * to the iWARP CM itself, with both ends of each connection. A read of
 * /sys/kernel/debug/ofed_iwpd gets a line for each case.
 *
 *   ask, hear            devices: of the one that connects, and of the one that listens
 *   ask_at, hear_at      addresses of theirs
 *   ask_most, hear_most  bytes that are sent and received; more of them are asked of
 *                        drivers of ours alone, which refuse what MPA has no room for
 *
 * An event has 8 bits for the length of what came, too. What the driver hands over is
 * looked at before the CM copies that much of it.
 */
#include <linux/debugfs.h>
#include <linux/in.h>
#include <linux/inet.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/random.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include <rdma/ib_verbs.h>
#include <rdma/iw_cm.h>

#include "find_device.h"

#define PORT	7400
#define ROOM	1024
/* RFC 5044 7.1; RFC 6581 9 takes four of them. */
#define MPA	512
#define ENHANCED 508
#define PATIENCE (10 * HZ)

static char *ask = "iwarp0", *hear = "iwarp0";
static char *ask_at = "10.0.0.1", *hear_at = "10.0.0.1";
static uint ask_most = ENHANCED, hear_most = ENHANCED;
module_param(ask, charp, 0444);
module_param(hear, charp, 0444);
module_param(ask_at, charp, 0444);
module_param(hear_at, charp, 0444);
module_param(ask_most, uint, 0444);
module_param(hear_most, uint, 0444);

static const u32 sizes[] = {
	0, 1, 251, 252, 253, 255, 256, 257, 507, 508, 509, 511, 512, 513
};

/**
 * struct end - one end of the connection
 * @dev: its device
 * @id: its id
 * @pd: protection domain
 * @cq: for both directions
 * @qp: queue pair
 * @deliver: where the driver's events go
 * @told: an event has come that something waits for
 * @closed: the last one has come
 * @status: of that event
 * @due: bytes of private data that the peer sends
 * @given: so many bytes of what the driver handed over
 * @length: of private data, as the event has it
 * @event: those
 */
struct end {
	struct ib_device *dev;
	struct iw_cm_id *id;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	iw_event_handler deliver;
	struct completion told;
	struct completion closed;
	int status;
	u32 due;
	u8 given[ROOM];
	u32 length;
	u8 event[U8_MAX];
};

/* The steps of a connection: 0 or an errno of each that was gone. */
struct steps {
	int asked, heard, answered, told, up;
};

/* RFC 5044 7.1.1 */
struct frame {
	u8 key[16];
	u8 flags, revision;
	__be16 length;
	u8 bytes[ROOM];
} __packed;

struct pair {
	struct seq_file *out;
	struct iw_cm_id *listener;
	struct end ask, hear;
	struct steps steps;
	u8 request[ROOM], answer[ROOM];
	struct frame frame;
};

/* ---- events -------------------------------------------------------------------------- */

static bool has_data(const struct iw_cm_event *event)
{
	return event->event == IW_CM_EVENT_CONNECT_REQUEST ||
	       event->event == IW_CM_EVENT_CONNECT_REPLY;
}

/* In front of the CM. siw points to nothing where it has nothing. */
static int on_driver(struct iw_cm_id *id, struct iw_cm_event *event)
{
	struct end *end = id->context;

	if (has_data(event) && virt_addr_valid(event->private_data))
		memcpy(end->given, event->private_data, end->due);
	return end->deliver(id, event);
}

static int on_event(struct iw_cm_id *id, struct iw_cm_event *event)
{
	struct end *end = id->context;

	if (event->event == IW_CM_EVENT_CONNECT_REQUEST) {
		/* One at a time. */
		if (end->id)
			return -EBUSY;
		end->id = id;
	}
	if (has_data(event)) {
		end->length = event->private_data_len;
		if (end->length)
			memcpy(end->event, event->private_data, end->length);
	}
	if (event->event == IW_CM_EVENT_CLOSE) {
		complete(&end->closed);
	} else if (event->event != IW_CM_EVENT_DISCONNECT) {
		end->status = event->status;
		complete(&end->told);
	}
	return 0;
}

static int next_event(struct end *end)
{
	if (!wait_for_completion_timeout(&end->told, PATIENCE))
		return -ETIMEDOUT;
	return end->status;
}

/* ---- ends ---------------------------------------------------------------------------- */

static void set_address(struct sockaddr_storage *to, const char *text, u16 port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };

	in.sin_addr.s_addr = in_aton(text);
	memcpy(to, &in, sizeof(in));
}

static struct iw_cm_id *make_id(struct end *end)
{
	struct iw_cm_id *id = iw_create_cm_id(end->dev, on_event, end);

	if (IS_ERR(id))
		return NULL;
	end->deliver = id->event_handler;
	id->event_handler = on_driver;
	return id;
}

static int make_qp(struct end *end)
{
	struct ib_qp_init_attr init = {
		.qp_type = IB_QPT_RC,
		.cap = {
			.max_send_wr = 4, .max_recv_wr = 4,
			.max_send_sge = 1, .max_recv_sge = 1,
		},
	};
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT };
	int mask, ret;

	end->pd = ib_alloc_pd(end->dev, 0);
	if (IS_ERR(end->pd))
		return PTR_ERR(end->pd);
	end->cq = ib_alloc_cq(end->dev, NULL, 16, 0, IB_POLL_DIRECT);
	if (IS_ERR(end->cq))
		return PTR_ERR(end->cq);
	init.send_cq = end->cq;
	init.recv_cq = end->cq;
	end->qp = ib_create_qp(end->pd, &init);
	if (IS_ERR(end->qp))
		return PTR_ERR(end->qp);
	ret = iw_cm_init_qp_attr(end->id, &attr, &mask);
	return ret ?: ib_modify_qp(end->qp, &attr, mask);
}

static void free_end(struct end *end)
{
	if (end->id)
		iw_destroy_cm_id(end->id);
	if (!IS_ERR_OR_NULL(end->qp))
		ib_destroy_qp(end->qp);
	if (!IS_ERR_OR_NULL(end->cq))
		ib_free_cq(end->cq);
	if (!IS_ERR_OR_NULL(end->pd))
		ib_dealloc_pd(end->pd);
	end->id = NULL;
	end->qp = NULL;
	end->cq = NULL;
	end->pd = NULL;
}

static void clear_end(struct end *end, u32 due)
{
	reinit_completion(&end->told);
	reinit_completion(&end->closed);
	end->due = due;
	end->length = 0;
	memset(end->given, 0, sizeof(end->given));
	memset(end->event, 0, sizeof(end->event));
}

static int listen(struct pair *pair)
{
	pair->listener = make_id(&pair->hear);
	if (!pair->listener)
		return -ENOMEM;
	set_address(&pair->listener->local_addr, hear_at, PORT);
	return iw_cm_listen(pair->listener, 4);
}

/* ---- a connection --------------------------------------------------------------------- */

static int connect(struct pair *pair, u32 bytes)
{
	struct iw_cm_conn_param param = {
		.private_data = pair->request, .private_data_len = bytes,
		.ord = 1, .ird = 1,
	};
	struct end *end = &pair->ask;
	int ret;

	end->id = make_id(end);
	if (!end->id)
		return -ENOMEM;
	set_address(&end->id->local_addr, ask_at, 0);
	set_address(&end->id->remote_addr, hear_at, PORT);
	ret = make_qp(end);
	if (ret)
		return ret;
	param.qpn = end->qp->qp_num;
	return iw_cm_connect(end->id, &param);
}

static int answer(struct pair *pair, u32 bytes, bool yes)
{
	struct iw_cm_conn_param param = {
		.private_data = pair->answer, .private_data_len = bytes,
		.ord = 1, .ird = 1,
	};
	struct end *end = &pair->hear;
	int ret;

	if (!yes)
		return iw_cm_reject(end->id, pair->answer, bytes);
	ret = make_qp(end);
	if (ret)
		return ret;
	param.qpn = end->qp->qp_num;
	return iw_cm_accept(end->id, &param);
}

static void begin(struct pair *pair, u32 bytes, u32 answer_bytes)
{
	pair->steps = (struct steps){ 1, 1, 1, 1, 1 };
	get_random_bytes(pair->request, sizeof(pair->request));
	get_random_bytes(pair->answer, sizeof(pair->answer));
	clear_end(&pair->ask, answer_bytes);
	clear_end(&pair->hear, bytes);
}

/* As far as it gets. */
static void converse(struct pair *pair, u32 bytes, u32 answer_bytes, bool yes)
{
	struct steps *steps = &pair->steps;

	begin(pair, bytes, answer_bytes);
	steps->asked = connect(pair, bytes);
	if (steps->asked)
		return;
	steps->heard = next_event(&pair->hear);
	if (steps->heard)
		return;
	steps->answered = answer(pair, answer_bytes, yes);
	steps->told = next_event(&pair->ask);
	if (yes && !steps->answered && !steps->told)
		steps->up = next_event(&pair->hear);
}

static void part(struct pair *pair)
{
	if (!pair->steps.up) {
		iw_cm_disconnect(pair->ask.id, 0);
		wait_for_completion_timeout(&pair->ask.closed, PATIENCE);
		wait_for_completion_timeout(&pair->hear.closed, PATIENCE);
	}
	free_end(&pair->ask);
	free_end(&pair->hear);
}

/* ---- cases ----------------------------------------------------------------------------- */

static void row(struct pair *pair, bool good, const char *what, u32 bytes,
		const char *more)
{
	const struct steps *steps = &pair->steps;

	seq_printf(pair->out, "%s %s of %u bytes%s", good ? "ok  " : "FAIL", what,
		   bytes, more);
	if (!good)
		seq_printf(pair->out, " (asked %d, heard %d, answered %d, told %d, up %d, events of %u and %u)",
			   steps->asked, steps->heard, steps->answered, steps->told,
			   steps->up, pair->hear.length, pair->ask.length);
	seq_putc(pair->out, '\n');
}

static bool ours(const struct end *end)
{
	return !strncmp(end->dev->name, "iwarp", 5);
}

/* All of it, and as much as an event can say. */
static bool has(const struct end *end, const u8 *sent, u32 bytes)
{
	u32 can = min_t(u32, bytes, U8_MAX);

	if (memcmp(end->given, sent, bytes))
		return false;
	/* Another driver may say what it likes of more. */
	if (bytes > can && !ours(end))
		return true;
	return end->length == can && !memcmp(end->event, sent, can);
}

static void request_of(struct pair *pair, u32 bytes)
{
	const struct steps *steps = &pair->steps;

	if (bytes > ask_most && (!ours(&pair->ask) || bytes <= ENHANCED))
		return;
	converse(pair, bytes, 0, true);
	if (bytes > ask_most) {
		row(pair, steps->asked == -EINVAL, "request", bytes, " is EINVAL");
	} else {
		row(pair, !steps->up && has(&pair->hear, pair->request, bytes), "request",
		    bytes, "");
	}
	part(pair);
}

static void reply_of(struct pair *pair, u32 bytes)
{
	const struct steps *steps = &pair->steps;
	u32 most = ours(&pair->ask) ? ENHANCED : MPA;

	if (bytes > hear_most && (!ours(&pair->hear) || bytes <= most))
		return;
	converse(pair, 0, bytes, true);
	if (bytes > hear_most) {
		row(pair, steps->answered == -EINVAL, "reply", bytes, " is EINVAL");
		row(pair, steps->told < 0 && steps->told != -ETIMEDOUT, "reply", bytes,
		    ": the waiter for it is told");
	} else {
		row(pair, !steps->up && has(&pair->ask, pair->answer, bytes), "reply",
		    bytes, "");
	}
	part(pair);
}

static void reject_of(struct pair *pair, u32 bytes)
{
	const struct steps *steps = &pair->steps;
	bool refused;

	converse(pair, 0, bytes, false);
	/* siw says something else, and yet something else when there are no bytes. */
	refused = ours(&pair->ask) ? steps->told == -ECONNREFUSED :
		steps->told < 0 && steps->told != -ETIMEDOUT;
	row(pair, !steps->answered && refused && has(&pair->ask, pair->answer, bytes),
	    "rejection", bytes, "");
	part(pair);
}

static void the_most(struct pair *pair)
{
	converse(pair, ask_most, hear_most, true);
	row(pair, !pair->steps.up && has(&pair->hear, pair->request, ask_most) &&
	    has(&pair->ask, pair->answer, hear_most), "both a request", ask_most,
	    " and the longest reply");
	part(pair);
}

static void all_cases(struct pair *pair)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		request_of(pair, sizes[i]);
		reply_of(pair, sizes[i]);
		/* iw_cm_reject() has 8 bits for it. */
		if (sizes[i] <= min_t(u32, hear_most, U8_MAX))
			reject_of(pair, sizes[i]);
	}
	the_most(pair);
}

/* ---- a peer by hand -------------------------------------------------------------------- */

#define HEADER	offsetof(struct frame, bytes)
#define CRCS	0x40
#define WORDS	0x10

static struct socket *raw_connect(void)
{
	struct sockaddr_storage at;
	struct socket *sock;
	int ret;

	ret = sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP, &sock);
	if (ret)
		return ERR_PTR(ret);
	sock->sk->sk_rcvtimeo = PATIENCE;
	set_address(&at, hear_at, PORT);
	ret = kernel_connect(sock, (struct sockaddr_unsized *)&at, sizeof(struct sockaddr_in), 0);
	if (!ret)
		return sock;
	sock_release(sock);
	return ERR_PTR(ret);
}

static int raw_ask(struct socket *sock, struct pair *pair, u8 revision, u32 bytes)
{
	struct frame *frame = &pair->frame;
	u32 words = revision > 1 ? 4 : 0;
	struct kvec vec = { frame, HEADER + words + bytes };
	struct msghdr msg = {};

	memcpy(frame->key, "MPA ID Req Frame", sizeof(frame->key));
	frame->flags = words ? CRCS | WORDS : CRCS;
	frame->revision = revision;
	frame->length = htons(words + bytes);
	/* One READ at a time, either way. */
	memcpy(frame->bytes, "\0\1\0\1", words);
	memcpy(frame->bytes + words, pair->request, bytes);
	return kernel_sendmsg(sock, &msg, &vec, 1, vec.iov_len) == vec.iov_len ? 0 : -EIO;
}

/* Until the end, or as much as is expected. */
static int raw_hear(struct socket *sock, struct pair *pair, u8 revision, u32 bytes)
{
	struct frame *frame = &pair->frame;
	u32 words = revision > 1 ? 4 : 0;
	struct kvec vec = { frame, HEADER + words + bytes };
	struct msghdr msg = {};
	int ret;

	memset(frame, 0, sizeof(*frame));
	ret = kernel_recvmsg(sock, &msg, &vec, 1, vec.iov_len, MSG_WAITALL);
	if (ret <= 0)
		return ret ?: -ECONNRESET;
	if (ret != vec.iov_len || frame->revision != revision ||
	    frame->length != htons(words + bytes) ||
	    memcmp(frame->key, "MPA ID Rep Frame", sizeof(frame->key)))
		return -EPROTO;
	memcpy(pair->ask.given, frame->bytes + words, bytes);
	return 0;
}

static void raw_converse(struct pair *pair, u8 revision, u32 bytes, u32 answer_bytes)
{
	struct steps *steps = &pair->steps;
	struct socket *sock = raw_connect();

	begin(pair, bytes, answer_bytes);
	if (IS_ERR(sock))
		return;
	steps->asked = raw_ask(sock, pair, revision, bytes);
	/* No consumer hears of what is too long. */
	if (bytes <= MPA)
		steps->heard = next_event(&pair->hear);
	if (!steps->heard)
		steps->answered = answer(pair, answer_bytes, true);
	steps->told = raw_hear(sock, pair, revision, answer_bytes);
	if (!steps->told)
		steps->up = next_event(&pair->hear);
	sock_release(sock);
	if (!steps->up)
		wait_for_completion_timeout(&pair->hear.closed, PATIENCE);
	free_end(&pair->hear);
}

static void by_hand(struct pair *pair, u8 revision, u32 most)
{
	const char *more = revision > 1 ? ", revision 2" : ", revision 1";
	const struct steps *steps = &pair->steps;

	raw_converse(pair, revision, most, most);
	row(pair, !steps->up && has(&pair->hear, pair->request, most) &&
	    !memcmp(pair->ask.given, pair->answer, most),
	    "request and reply by hand", most, more);
	raw_converse(pair, revision, 0, most + 1);
	row(pair, steps->answered == -EINVAL && steps->told == -ECONNRESET,
	    "EINVAL and a reset: reply by hand", most + 1, more);
	raw_converse(pair, revision, MPA + 1, 0);
	row(pair, steps->heard > 0 && steps->told == -ECONNRESET &&
	    !completion_done(&pair->hear.told), "no consumer hears of a request", MPA + 1, more);
}

static struct ib_device *init_end(struct end *end, const char *name)
{
	init_completion(&end->told);
	init_completion(&end->closed);
	end->dev = find_device(name);
	return end->dev;
}

static int run(struct seq_file *out, void *unused)
{
	struct pair *pair = kzalloc(sizeof(*pair), GFP_KERNEL);
	int ret = -ENODEV;

	if (!pair)
		return -ENOMEM;
	pair->out = out;
	if (init_end(&pair->ask, ask) && init_end(&pair->hear, hear))
		ret = listen(pair);
	if (!ret)
		all_cases(pair);
	if (!ret && ours(&pair->hear)) {
		by_hand(pair, 1, MPA);
		by_hand(pair, 2, ENHANCED);
	}
	if (pair->listener)
		iw_destroy_cm_id(pair->listener);
	if (pair->hear.dev)
		ib_device_put(pair->hear.dev);
	if (pair->ask.dev)
		ib_device_put(pair->ask.dev);
	kfree(pair);
	return ret;
}

/* With room for all of it: else it would run again. */
static int open_file(struct inode *inode, struct file *file)
{
	return single_open_size(file, run, NULL, 4 * PAGE_SIZE);
}

static const struct file_operations file_ops = {
	.owner = THIS_MODULE,
	.open = open_file,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static struct dentry *file;

static int __init iwpd_init(void)
{
	if (ask_most > ROOM || hear_most > ROOM)
		return -EINVAL;
	file = debugfs_create_file("ofed_iwpd", 0400, NULL, NULL, &file_ops);
	return PTR_ERR_OR_ZERO(file);
}

static void __exit iwpd_exit(void)
{
	debugfs_remove(file);
}

module_init(iwpd_init);
module_exit(iwpd_exit);

MODULE_DESCRIPTION("Test: private data of iWARP");
MODULE_LICENSE("GPL");
