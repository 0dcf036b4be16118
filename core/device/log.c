// SPDX-License-Identifier: GPL-2.0
/* ibdev_*(): messages that name the RDMA device and its parent. */
#include <linux/dev_printk.h>
#include <rdma/ib_verbs.h>
#include <compat/decls.h>

/* Not dev_name(): a rename frees what that returns, and takes no lock that is known here. */
static const char *device_log_name(const struct ib_device *ibdev)
{
	return ibdev->name[0] ? ibdev->name : "(unnamed)";
}

static void device_emit(const char *level, const struct ib_device *ibdev,
			struct va_format *vaf)
{
	const struct device *parent;

	if (!ibdev) {
		_printk("%s(NULL ib_device): %pV", level, vaf);
		return;
	}
	parent = ibdev->dev.parent;
	if (!parent) {
		_printk("%s%s: %pV", level, device_log_name(ibdev), vaf);
		return;
	}
	dev_printk_emit(level[1] - '0', parent, "%s %s %s: %pV",
			dev_driver_string(parent), dev_name(parent),
			device_log_name(ibdev), vaf);
}

/**
 * ibdev_printk - print a message about an RDMA device
 * @level: KERN_ERR and the like
 * @ibdev: the device; NULL is survived
 * @format: printf format, newline included
 *
 * Context: any.
 */
void ibdev_printk(const char *level, const struct ib_device *ibdev,
		  const char *format, ...)
{
	va_list args;
	struct va_format vaf = { .fmt = format, .va = &args };

	va_start(args, format);
	device_emit(level, ibdev, &vaf);
	va_end(args);
}
OFED_EXPORT(ibdev_printk);

#define DEFINE_IBDEV_LEVEL(_name, _level)				\
/** _name - ibdev_printk at level _level; any context */		\
void _name(const struct ib_device *ibdev, const char *format, ...)	\
{									\
	struct va_format vaf;						\
	va_list args;							\
									\
	va_start(args, format);						\
	vaf.fmt = format;						\
	vaf.va = &args;							\
	device_emit(_level, ibdev, &vaf);					\
	va_end(args);							\
}									\
EXPORT_SYMBOL(_name)

DEFINE_IBDEV_LEVEL(ibdev_emerg, KERN_EMERG);
DEFINE_IBDEV_LEVEL(ibdev_alert, KERN_ALERT);
DEFINE_IBDEV_LEVEL(ibdev_crit, KERN_CRIT);
DEFINE_IBDEV_LEVEL(ibdev_err, KERN_ERR);
DEFINE_IBDEV_LEVEL(ibdev_warn, KERN_WARNING);
DEFINE_IBDEV_LEVEL(ibdev_notice, KERN_NOTICE);
DEFINE_IBDEV_LEVEL(ibdev_info, KERN_INFO);
