// SPDX-License-Identifier: GPL-2.0
/* Attributes that cables and tunnels have in common: an end, and "plugged". */
#include <linux/kstrtox.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "config.h"
#include "fabric.h"

/**
 * ibf_show_end - "NODE PORT" as configfs shows it
 * @end: the end
 * @page: a page for the text
 *
 * Return: bytes of the text.
 */
ssize_t ibf_show_end(const struct ibf_end *end, char *page)
{
	return sysfs_emit(page, "%s %u\n", end->name, end->num);
}

/**
 * ibf_parse_end - parse "NODE PORT"
 * @page: text that a program wrote to the configfs attribute
 * @end: filled with the name and the number; the port is looked up later
 *
 * Return: 0 or -EINVAL.
 */
int ibf_parse_end(const char *page, struct ibf_end *end)
{
	const char *blank = strpbrk(page, " \t\n");
	u32 num;

	static_assert(IBF_NAME_BYTES == 20);
	if (!blank || blank - page >= IBF_NAME_BYTES ||
	    sscanf(page, "%19s %u", end->name, &num) != 2 || !num ||
	    num > U8_MAX)
		return -EINVAL;
	end->num = num;
	return 0;
}

/**
 * ibf_store_plugged - plug a cable or a tunnel in, or unplug it
 * @item: of the cable or tunnel
 * @page: a boolean that a program wrote to the configfs attribute
 * @count: bytes of @page
 * @plug: plugs @item in; ibf_config is held
 * @unplug: unplugs @item, if it is plugged in; ibf_config is held
 *
 * Context: process, may sleep; takes ibf_config.
 * Return: @count, -EINVAL for a text that is no boolean, or what @plug returns.
 */
ssize_t ibf_store_plugged(struct config_item *item, const char *page, size_t count,
			  int (*plug)(struct config_item *item),
			  void (*unplug)(struct config_item *item))
{
	bool in;
	int ret;

	ret = kstrtobool(page, &in);
	if (ret)
		return ret;
	mutex_lock(&ibf_config);
	if (in)
		ret = plug(item);
	else
		unplug(item);
	mutex_unlock(&ibf_config);
	return ret ?: count;
}
