// SPDX-License-Identifier: GPL-2.0
/* Devices come and go: the file ctl. */
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/uaccess.h>

#include "ofed_testdev.h"

static int td_config_flag(struct td_config *cfg, const char *key,
			  const char *value)
{
	const struct {
		const char *name;
		bool *flag;
	} flags[] = {
		{ "disassociate", &cfg->disassociate },
		{ "virt_dma", &cfg->virt_dma },
		{ "get_netdev", &cfg->get_netdev },
		{ "split_cq", &cfg->split_cq },
		{ "robust", &cfg->robust },
		{ "leaves", &cfg->leaves },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (!strcmp(key, flags[i].name))
			return kstrtobool(value, flags[i].flag);
	return -EINVAL;
}

static int td_config_count(const char *value, u32 max, u32 *result)
{
	u32 n;
	int ret = kstrtou32(value, 0, &n);

	if (ret)
		return ret;
	if (!n || n > max)
		return -ERANGE;
	*result = n;
	return 0;
}

static int td_config_word(struct td_config *cfg, const char *key,
			  const char *value)
{
	if (!strcmp(key, "link")) {
		cfg->ib = !strcmp(value, "ib");
		return cfg->ib || !strcmp(value, "roce") ? 0 : -EINVAL;
	}
	if (!strcmp(key, "netdev"))
		return strscpy(cfg->netdev, value, sizeof(cfg->netdev)) < 0 ?
			-ENAMETOOLONG : 0;
	if (!strcmp(key, "ports"))
		return td_config_count(value, TD_MAX_PORTS, &cfg->ports);
	if (!strcmp(key, "vectors"))
		return td_config_count(value, 64, &cfg->vectors);
	return td_config_flag(cfg, key, value);
}

/* add [NAME] [KEY=VALUE]... [fail=OP:N:ERRNO] */
static int td_ctl_add(char *args)
{
	struct net_device *ndev = NULL;
	const char *name = "testdev%d";
	char *faults = NULL;
	struct td_config cfg;
	char *word, *value;
	int ret;

	td_default_config(&cfg);
	while ((word = strsep(&args, " "))) {
		if (!*word)
			continue;
		value = strchr(word, '=');
		if (!value) {
			name = word;
			continue;
		}
		*value++ = '\0';
		if (!strcmp(word, "fail")) {
			strreplace(value, ':', ' ');
			faults = value;
			continue;
		}
		ret = td_config_word(&cfg, word, value);
		if (ret)
			return ret;
	}

	if (cfg.netdev[0]) {
		ndev = dev_get_by_name(current->nsproxy->net_ns, cfg.netdev);
		if (!ndev)
			return -ENODEV;
	}
	ret = td_device_add(name, &cfg, ndev, faults);
	dev_put(ndev);
	return ret;
}

static int td_ctl_del(char *name)
{
	struct ib_device *ibdev;

	ibdev = td_device_find(strim(name));
	if (!ibdev)
		return -ENODEV;
	ib_unregister_device_and_put(ibdev);
	return 0;
}

/* Context: process; del waits for the last user of the device. */
int td_ctl_run(char *line)
{
	static const struct {
		const char *verb;
		int (*run)(char *args);
	} verbs[] = {
		{ "del", td_ctl_del },
		COMPAT_UCAPS({ "ucap", td_ucap_offer })
		COMPAT_UCAPS({ "noucap", td_ucap_withdraw })
	};
	char *verb = strsep(&line, " ");
	int i;

	if (!strcmp(verb, "add"))
		return td_ctl_add(line);
	for (i = 0; line && i < ARRAY_SIZE(verbs); i++)
		if (!strcmp(verb, verbs[i].verb))
			return verbs[i].run(line);
	return -EINVAL;
}

static ssize_t td_ctl_write(struct file *file, const char __user *buf,
			    size_t count, loff_t *pos)
{
	char line[256];
	ssize_t ret = td_hook_line(line, sizeof(line), buf, count);

	if (ret < 0)
		return ret;
	ret = td_ctl_run(line);
	return ret ? ret : count;
}

const struct file_operations td_ctl_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = td_ctl_write,
};
