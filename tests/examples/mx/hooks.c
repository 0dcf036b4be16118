// SPDX-License-Identifier: GPL-2.0
/*
 * Calls by which a process gives memory back, so that the registration cache hears of it: the
 * program's own ones come before those of the C library.
 *
 * malloc() and free() do not call these but the C library's own. They are told to keep all
 * memory that they have: what is freed remains mapped, and a registration of it remains right.
 * shmdt() and sbrk() are not here.
 */
#include <malloc.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "cache.h"

static unsigned int hook_calls;

static void hook_forget(const void *start, size_t length)
{
	hook_calls++;
	cache_forget(start, length);
}

int munmap(void *start, size_t length)
{
	hook_forget(start, length);
	return syscall(SYS_munmap, start, length);
}

int madvise(void *start, size_t length, int advice)
{
	if (advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE)
		hook_forget(start, length);
	return syscall(SYS_madvise, start, length, advice);
}

void *mremap(void *start, size_t length, size_t new_length, int flags, ...)
{
	void *to = NULL;
	va_list more;

	if (flags & MREMAP_FIXED) {
		va_start(more, flags);
		to = va_arg(more, void *);
		va_end(more);
		hook_forget(to, new_length);
	}
	hook_forget(start, length);
	return (void *)syscall(SYS_mremap, start, length, new_length, flags, to);
}

/* A mapping at a fixed place takes what was there away. */
void *mmap(void *start, size_t length, int prot, int flags, int fd, off_t offset)
{
	if (flags & MAP_FIXED)
		hook_forget(start, length);
	return (void *)syscall(SYS_mmap, start, length, prot, flags, fd, offset);
}

/* Is it this munmap() that programs call, and does malloc() do as it is told? */
bool hooks_work(void)
{
	unsigned int before = hook_calls;
	size_t page = sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED || munmap(at, page))
		return false;
	return hook_calls == before + 1 && mallopt(M_MMAP_MAX, 0) == 1 &&
	       mallopt(M_TRIM_THRESHOLD, -1) == 1;
}
