// SPDX-License-Identifier: GPL-2.0
/*
 * Which library drives each device: 'DEVICE FILE', a line for each.
 *
 * usage: provider_of
 */
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int failed = 0;

	for (struct ibv_device **d = list; list && *d; d++) {
		struct ibv_context *ctx = ibv_open_device(*d);
		Dl_info info = {};
		const char *name;

		if (!ctx) {
			perror(ibv_get_device_name(*d));
			failed = 1;
			continue;
		}
		dladdr((void *)ctx->ops.poll_cq, &info);
		name = info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
		printf("%s %s\n", ibv_get_device_name(*d), name ? name + 1 : "?");
		ibv_close_device(ctx);
	}
	if (list)
		ibv_free_device_list(list);
	return failed || !list;
}
