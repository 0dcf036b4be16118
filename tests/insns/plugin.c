// SPDX-License-Identifier: GPL-2.0
/*
 * A plugin for QEMU's TCG: how many instructions of each translated block a guest
 * executes between two functions of a program, mark_on() and mark_off().
 *
 *	-plugin plugin.so,on=ADDRESS,off=ADDRESS,out=FILE
 *
 * Each call of mark_on() begins a phase. FILE has a line "phase N" for each phase, N from
 * 0, and after it "ADDRESS INSTRUCTIONS" for each block that was executed in it. The guest
 * has one processor (-smp 1 -accel tcg,thread=single): nothing here is locked.
 *
 * What follows is the part of QEMU's interface that is the same from 7.2 on, so no header
 * of a certain version is needed. INTERFACE is the number by which QEMU knows the version:
 * 1 up to 8.2, 2 from 9.0 on, which refuses 1.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef INTERFACE
#define INTERFACE	1
#endif
#define QEMU		__attribute__((visibility("default")))
#define NO_REGISTERS	0
#define BUCKETS		(1 << 16)

struct qemu_plugin_tb;
typedef void (*translated)(uint64_t id, struct qemu_plugin_tb *tb);
typedef void (*executed)(unsigned int cpu, void *data);
typedef void (*ended)(uint64_t id, void *data);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, translated cb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, executed cb, int flags,
					  void *data);
void qemu_plugin_register_atexit_cb(uint64_t id, ended cb, void *data);

QEMU int qemu_plugin_version = INTERFACE;
QEMU int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

/* Blocks of one address and length are one, whatever they are translations of. */
struct block {
	struct block *next;
	uint64_t address;
	size_t length;
	uint64_t times;
};

static struct block *blocks[BUCKETS];
static uint64_t on, off;
static bool counting;
static int phase;
static FILE *out;

static struct block **bucket(uint64_t address)
{
	return &blocks[(address ^ address >> 16) % BUCKETS];
}

static struct block *block_of(uint64_t address, size_t length)
{
	struct block **first = bucket(address), *b;

	for (b = *first; b; b = b->next)
		if (b->address == address && b->length == length)
			return b;
	b = calloc(1, sizeof(*b));
	if (!b)
		abort();
	b->address = address;
	b->length = length;
	b->next = *first;
	*first = b;
	return b;
}

static void count(unsigned int cpu, void *data)
{
	struct block *b = data;

	(void)cpu;
	b->times++;
}

static void begin(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	for (int i = 0; i < BUCKETS; i++)
		for (struct block *b = blocks[i]; b; b = b->next)
			b->times = 0;
	counting = true;
}

static void end(unsigned int cpu, void *data)
{
	(void)cpu;
	(void)data;
	if (!counting)
		return;
	counting = false;
	fprintf(out, "phase %d\n", phase++);
	for (int i = 0; i < BUCKETS; i++)
		for (struct block *b = blocks[i]; b; b = b->next)
			if (b->times)
				fprintf(out, "%" PRIx64 " %" PRIu64 "\n", b->address,
					b->times * b->length);
	fflush(out);
}

static void translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	uint64_t address = qemu_plugin_tb_vaddr(tb);
	executed cb = address == on ? begin : address == off ? end : count;

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, cb, NO_REGISTERS,
					     block_of(address, qemu_plugin_tb_n_insns(tb)));
}

static void finish(uint64_t id, void *data)
{
	(void)id;
	(void)data;
	fclose(out);
}

/* Return: the value of a word name=value, NULL if it has another name. */
static const char *value(const char *word, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(word, name, n) && word[n] == '=' ? word + n + 1 : NULL;
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	const char *v;

	(void)info;
	for (int i = 0; i < argc; i++) {
		if ((v = value(argv[i], "on")))
			on = strtoull(v, NULL, 16);
		else if ((v = value(argv[i], "off")))
			off = strtoull(v, NULL, 16);
		else if ((v = value(argv[i], "out")))
			out = fopen(v, "w");
	}
	if (!on || !off || !out) {
		fprintf(stderr, "plugin: on=ADDRESS,off=ADDRESS,out=FILE\n");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
