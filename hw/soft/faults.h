/* SPDX-License-Identifier: GPL-2.0 */
/* Page faults that a device has under way for programs, and how many of one user. */
#ifndef OFED_SOFT_FAULTS_H
#define OFED_SOFT_FAULTS_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>

struct soft_fault_user;

/* At once, of all users: works that a queue runs. */
#define SOFT_FAULTS_MOST	256

/**
 * struct soft_faults - page faults of a device
 * @lock: guards this, its users and their faults. The innermost lock
 * @users: those that have memory on demand
 * @hungry: those of @users that have faults which wait, and perhaps others
 * @busy: faults under way
 */
struct soft_faults {
	spinlock_t lock;
	struct list_head users;
	struct list_head hungry;
	u32 busy;
};

/**
 * struct soft_fault - one that may be under way
 * @entry: waits in the list of its user
 * @closed: there are to be no more
 * @begin: called when it has its turn, with soft_faults.lock held
 */
struct soft_fault {
	struct list_head entry;
	bool closed;
	void (*begin)(struct soft_fault *fault);
};

void soft_faults_init(struct soft_faults *faults);
struct soft_fault_user *soft_fault_user_get(struct soft_faults *faults, kuid_t uid);
void soft_fault_user_put(struct soft_fault_user *user);

void soft_fault_init(struct soft_fault *fault, void (*begin)(struct soft_fault *fault));
bool soft_fault_ask(struct soft_faults *faults, struct soft_fault *fault,
		    struct soft_fault_user *user);
void soft_fault_end(struct soft_faults *faults, struct soft_fault_user *user);
bool soft_fault_close(struct soft_faults *faults, struct soft_fault *fault);

#endif /* OFED_SOFT_FAULTS_H */
