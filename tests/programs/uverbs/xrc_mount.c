// SPDX-License-Identifier: GPL-2.0
/*
 * A file system with a file that an XRC domain is shared through: it stays mounted as long as the
 * domain is there, also when no descriptor of the file is open any more.
 *
 * usage: xrc_mount DEVICE
 */
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>

#include "raw_objects.h"
#include "verdict.h"

static char place[] = "/tmp/xrc.XXXXXX";

static int mounted(void)
{
	return mount("none", place, "tmpfs", 0, NULL) ? -errno : 0;
}

static int unmounted(int flags)
{
	return umount2(place, flags) ? -errno : 0;
}

/* A domain of the file there; no descriptor of the file is left. */
static int share(struct rv_world *w)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "%s/file", place);
	w->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (w->file < 0)
		return -errno;
	ret = rv_make_xrcd(w);
	close(w->file);
	return ret;
}

static void two_sharers(const char *device)
{
	struct rv_world one = {}, two = {};

	EXPECT("the device is found", rv_find(device, &one.dev), 0);
	two.dev = one.dev;
	EXPECT("one file of the device", rv_make_context(&one), 0);
	EXPECT("another", rv_make_context(&two), 0);
	EXPECT("a file system", mounted(), 0);
	EXPECT("a domain", share(&one), 0);
	EXPECT("it is busy", unmounted(0), -EBUSY);
	EXPECT("the same domain", share(&two), 0);
	EXPECT("the first one leaves", rv_undo_xrcd(&one), 0);
	EXPECT("it is still busy", unmounted(0), -EBUSY);
	EXPECT("the second one leaves", rv_undo_xrcd(&two), 0);
	EXPECT("it is busy no more", unmounted(0), 0);
	rv_undo_context(&one);
	rv_undo_context(&two);
}

/* The domain has what it needs of a file system that has no place any more. */
static void without_place(const char *device)
{
	struct rv_world w = {};

	EXPECT("the device is found again", rv_find(device, &w.dev), 0);
	EXPECT("a file of it", rv_make_context(&w), 0);
	EXPECT("a file system again", mounted(), 0);
	EXPECT("a domain there", share(&w), 0);
	EXPECT("its place is taken away", unmounted(MNT_DETACH), 0);
	/* What was on its way out has gone. */
	sync();
	EXPECT("the file of the device is closed", rv_undo_context(&w), 0);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	EXPECT("mounts of its own", unshare(CLONE_NEWNS) ?:
	       mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
	EXPECT("a place", !!mkdtemp(place), 1);
	if (!failed)
		two_sharers(argv[1]);
	if (!failed)
		without_place(argv[1]);
	rmdir(place);
	return verdict();
}
