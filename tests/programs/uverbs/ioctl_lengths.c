// SPDX-License-Identifier: GPL-2.0
/*
 * The driver's part of a command, of a device that says that it checks all lengths: shorter and
 * longer ones of a PD's creation and of its answer, one line each.
 *
 * usage: ioctl_lengths DEVICE
 */
#include "objects_7.h"

static struct testdev_robust_pd *request = (void *)world_in;
static struct ib_uverbs_alloc_pd_resp answer;
static unsigned char driver_answer[64];

/* A PD by INVOKE_WRITE, with @in bytes for the driver and room for @out. */
static int make_pd(uint16_t in, uint16_t out)
{
	uint64_t command = IB_USER_VERBS_CMD_ALLOC_PD;

	tree_start(&t, w.driver, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	tree_in(&t, UVERBS_ATTR_WRITE_CMD, &command, 8);
	tree_in(&t, UVERBS_ATTR_CORE_IN, &(uint64_t){ 0 }, 8);
	tree_out(&t, UVERBS_ATTR_CORE_OUT, &answer, sizeof(answer));
	if (in)
		tree_in(&t, UVERBS_ATTR_UHW_IN, request, in);
	memset(driver_answer, 0x55, sizeof(driver_answer));
	if (out)
		tree_out(&t, UVERBS_ATTR_UHW_OUT, driver_answer, out);
	return tree_send(w.raw.fd, &t);
}

static void lengths(void)
{
	static const uint16_t sizes[] = { 0, 1, 4, 7, 8, 9, 12, 15, 16, 17, 24, 64 };
	char text[64];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		snprintf(text, sizeof(text), "a request of %u bytes", sizes[i]);
		told(text, make_pd(sizes[i], 16));
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		snprintf(text, sizeof(text), "an answer of %u bytes", sizes[i]);
		told(text, make_pd(16, sizes[i]));
		for (int byte = 0; byte <= sizes[i] && byte < 64; byte++)
			printf("%02x", driver_answer[byte]);
		printf("\n");
	}
}

static void contents(void)
{
	world_in[20] = 1;
	told("more than the driver knows", make_pd(24, 16));
	world_in[20] = 0;
	for (int bit = 0; bit < 32; bit += 5) {
		request->comp_mask = 1u << bit;
		told("a flag", make_pd(16, 16));
	}
	request->comp_mask = 3;
	request->later = ~0ULL;
	told("all that it knows", make_pd(16, 16));
	told("the later one left out", make_pd(8, 16));
}

static void core_support(void)
{
	int fd = open(w.raw.dev.node, O_RDWR | O_CLOEXEC);

	START(DEVICE, GET_CONTEXT);
	if (!told("a context", tree_send(fd, &t)))
		value("what the core has", got(UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT));
	close(fd);
	START(DEVICE, QUERY_CONTEXT);
	if (!send_7("asked for it"))
		value("what the core has", got(UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT));
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: ioctl_lengths DEVICE\n");
		return 2;
	}
	device = argv[1];
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (world_find(&w, device) || rv_make_context(&w.raw))
		return 2;
	*request = (struct testdev_robust_pd){ .number = 0x11223344, .later = 0x5566778899ULL };
	core_support();
	lengths();
	contents();
	w.raw.pd = answer.pd_handle;
	told("an AH without a part of the driver's", rv_make_ah(&w.raw));
	return 0;
}
