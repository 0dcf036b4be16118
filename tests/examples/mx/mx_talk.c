// SPDX-License-Identifier: GPL-2.0
/*
 * mx_talk		waits for the other one
 * mx_talk HOST		sends it a message each way, and both print what their requests went through
 */
#include <stdio.h>
#include <stdlib.h>
#include "mx.h"

#define SERVICE	"20080"
#define LONGEST	(1u << 20)

/* Tiny, small, medium, large, and tiny once more: its end says that a receive has it. */
static const uint32_t lengths[] = { 32, 100, 10000, LONGEST, 32 };

static enum mx_return talk_one(struct mx_endpoint *ep, bool sends, unsigned int i, char *buffer)
{
	struct mx_request *request;
	struct mx_status status;
	enum mx_return bad;
	bool done;

	if (!sends)
		bad = mx_irecv(ep, buffer, LONGEST, i, ~0ull, NULL, &request);
	else if (i < 4)
		bad = mx_isend(ep, buffer, lengths[i], i, NULL, &request);
	else
		bad = mx_issend(ep, buffer, lengths[i], i, NULL, &request);
	if (!bad)
		bad = mx_wait(ep, &request, MX_FOREVER, &status, &done);
	if (bad || status.code)
		return bad ? bad : status.code;
	printf("%u bytes: %s\n", status.xfer_length, status.life);
	return MX_SUCCESS;
}

int main(int argc, char **argv)
{
	char *buffer = calloc(1, LONGEST);
	struct mx_endpoint *ep;
	enum mx_return bad;
	unsigned int i;

	if (argc > 2 || !buffer) {
		fprintf(stderr, "usage: mx_talk [HOST]\n");
		return 2;
	}
	bad = argc > 1 ? mx_connect(argv[1], SERVICE, &ep) : mx_listen(SERVICE, &ep);
	for (i = 0; i < 5 && !bad; i++)
		bad = talk_one(ep, argc > 1, i, buffer);
	if (bad)
		fprintf(stderr, "mx_talk: %s\n", mx_strerror(bad));
	else
		mx_close(ep);
	free(buffer);
	return bad != MX_SUCCESS;
}
