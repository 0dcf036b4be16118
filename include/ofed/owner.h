/* SPDX-License-Identifier: GPL-2.0 */
/* Users, of which each may have a share only of what all of them need. */
#ifndef OFED_OWNER_H
#define OFED_OWNER_H

#include <linux/cred.h>
#include <linux/user_namespace.h>

/*
 * In a namespace of its own a user has many numbers, and is still the one that made it. Those that
 * root makes for others have ranges of numbers that do not overlap, and the first one names each.
 */
static inline kuid_t ofed_namespace_owner(struct user_namespace *ns)
{
	kuid_t first = make_kuid(ns, 0);

	return uid_eq(ns->owner, GLOBAL_ROOT_UID) && uid_valid(first) ? first : ns->owner;
}

/**
 * ofed_current_owner - the user that the current task is of
 *
 * Context: process. Return: its number in the first namespace.
 */
static inline kuid_t ofed_current_owner(void)
{
	struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_euid();

	for (; ns != &init_user_ns; ns = ns->parent)
		uid = ofed_namespace_owner(ns);
	return uid;
}

#endif /* OFED_OWNER_H */
