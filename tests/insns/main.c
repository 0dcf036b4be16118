// SPDX-License-Identifier: GPL-2.0
/*
 * One process with both ends of a connection, for plugin.c to count in.
 *
 * usage: insns WORD=VALUE... CELL...
 *   dev, gid          device and index of its GID at the end that asks
 *   peerdev, peergid  the same of the other end; the same device unless said
 *   address, bind     of rdma_cm, where the device has no other connections
 *   CELL              KIND:SIZE, see cells.c
 * Prints a line "CELL MESSAGES" for each cell, in order: one phase of the plugin.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "insns.h"

static struct place places[2];

/* In a section at an address that no other program uses: see the Makefile. */
#define MARK __attribute__((section(".mark"), noinline, noclone, used, aligned(64)))

MARK void mark_on(void)
{
	__asm__ volatile("nop");
}

MARK void mark_off(void)
{
	__asm__ volatile("nop");
}

static bool is(const char *word, const char *name, const char **value)
{
	size_t n = strlen(name);

	if (strncmp(word, name, n) || word[n] != '=')
		return false;
	*value = word + n + 1;
	return true;
}

/* Return: false if it is a cell. */
static bool option(const char *word)
{
	const char *v;

	if (is(word, "dev", &v))
		places[0].dev = places[1].dev = v;
	else if (is(word, "gid", &v))
		places[0].gid = places[1].gid = atoi(v);
	else if (is(word, "peerdev", &v))
		places[1].dev = v;
	else if (is(word, "peergid", &v))
		places[1].gid = atoi(v);
	else if (is(word, "address", &v))
		places[0].address = v;
	else if (is(word, "bind", &v))
		places[1].address = v;
	else
		return !!strchr(word, '=');
	return true;
}

/* A process of its own: nothing that a cell leaves is there in the next one. */
static bool count(const char *name)
{
	int status;
	pid_t pid = fork();

	NEED(pid >= 0);
	if (!pid) {
		struct end a = { }, b = { };
		struct cell cell;

		cell_parse(&cell, name);
		ends_meet(&a, &b, places);
		cell.work(&cell, &a, &b);
		printf("%s %ld\n", cell.name, cell.messages);
		exit(0);
	}
	NEED(waitpid(pid, &status, 0) == pid);
	return !status;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!option(argv[i]) && !count(argv[i]))
			return 1;
	return 0;
}
