// SPDX-License-Identifier: GPL-2.0
/* Ops fail on order: the file fail. */
#include <linux/module.h>
#include <linux/seq_file.h>

#include "ofed_testdev.h"

static const struct {
	const char *name;
} td_ops[] = {
#define TD_OP(op) { #op },
#include "ofed_testdev_ops.h"
};

static int td_op_by_name(const char *name)
{
	int op;

	for (op = 0; op < TD_OP_COUNT; op++)
		if (!strcmp(td_ops[op].name, name))
			return op;
	return -ENOENT;
}

/* What a test may ask for by name; any other errno by number. */
static const struct {
	const char *name;
	int value;
} td_errnos[] = {
	{ "ENOMEM", ENOMEM }, { "EINVAL", EINVAL }, { "EIO", EIO },
	{ "EAGAIN", EAGAIN }, { "EBUSY", EBUSY }, { "ENOSPC", ENOSPC },
	{ "EFAULT", EFAULT }, { "EPERM", EPERM }, { "ENODEV", ENODEV },
	{ "EOPNOTSUPP", EOPNOTSUPP },
};

static int td_parse_errno(const char *word, int *error)
{
	u32 value;
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(td_errnos); i++) {
		if (!strcmp(word, td_errnos[i].name)) {
			*error = -td_errnos[i].value;
			return 0;
		}
	}
	ret = kstrtou32(word, 0, &value);
	if (ret)
		return ret;
	if (!value || value > MAX_ERRNO)
		return -ERANGE;
	*error = -value;
	return 0;
}

static int td_parse_count(const char *word, u32 *left)
{
	if (strcmp(word, "always"))
		return kstrtou32(word, 0, left);
	*left = TD_FAULT_ALWAYS;
	return 0;
}

/* Context: any. Return: 0, or the errno that was ordered for this call. */
int td_fault_check(struct testdev *td, enum td_op op)
{
	struct td_fault *fault = &td->fault[op];
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&td->fault_lock, flags);
	fault->calls++;
	if (fault->left == TD_FAULT_ALWAYS || (fault->left && !--fault->left)) {
		fault->failed++;
		ret = fault->error;
	}
	spin_unlock_irqrestore(&td->fault_lock, flags);
	return ret;
}

/*
 * @order is "OP N ERRNO" for the Nth call from now, "OP always ERRNO", or "OP 0" to
 * take an order back.
 */
int td_fault_arm(struct testdev *td, char *order)
{
	char *name = strsep(&order, " ");
	char *count = strsep(&order, " ");
	int op, ret, error = 0;
	u32 left;

	if (!count)
		return -EINVAL;
	op = td_op_by_name(name);
	if (op < 0)
		return op;
	ret = td_parse_count(count, &left);
	if (ret)
		return ret;
	if (left) {
		ret = order ? td_parse_errno(order, &error) : -EINVAL;
		if (ret)
			return ret;
	}

	spin_lock_irq(&td->fault_lock);
	td->fault[op].left = left;
	td->fault[op].error = error;
	spin_unlock_irq(&td->fault_lock);
	return 0;
}

static int td_fault_show(struct seq_file *file, void *unused)
{
	struct testdev *td = file->private;
	struct td_fault fault;
	int op;

	seq_puts(file, "# op calls failed armed errno\n");
	for (op = 0; op < TD_OP_COUNT; op++) {
		spin_lock_irq(&td->fault_lock);
		fault = td->fault[op];
		spin_unlock_irq(&td->fault_lock);
		seq_printf(file, "%s %llu %llu %u %d\n", td_ops[op].name,
			   fault.calls, fault.failed, fault.left, fault.error);
	}
	return 0;
}

static int td_fault_open(struct inode *inode, struct file *file)
{
	return single_open(file, td_fault_show, inode->i_private);
}

static ssize_t td_fault_write(struct file *file, const char __user *buf,
			      size_t count, loff_t *pos)
{
	struct testdev *td = file_inode(file)->i_private;
	char line[64];
	ssize_t ret = td_hook_line(line, sizeof(line), buf, count);

	if (ret < 0)
		return ret;
	ret = td_fault_arm(td, line);
	return ret ? ret : count;
}

const struct file_operations td_fault_fops = {
	.owner = THIS_MODULE,
	.open = td_fault_open,
	.read = seq_read,
	.write = td_fault_write,
	.llseek = seq_lseek,
	.release = single_release,
};
