// SPDX-License-Identifier: GPL-2.0
/*
 * Faults of sent MADs, for tests:
 *
 *	debugfs/ofed_core/mad_fault
 *
 * A line that is written is a rule: CLASS ATTR FATE [SKIP [COUNT]]. CLASS and
 * ATTR are hexadecimal, or words (sa, cm; req, rep, ...); ATTR may be "any".
 * FATE is drop, twice or delay=MS. Of the MADs of that kind that this host
 * sends, each try to send counting, the first SKIP pass, then COUNT are hit (0,
 * or nothing: all of them). The first rule that hits decides. "off" clears the
 * rules; reading shows them, with how many MADs they have seen and hit.
 *
 * A dropped MAD is sent as far as its sender can tell. Without rules, all that
 * the send path has of this is a patched-out jump.
 */
#include <kunit/visibility.h>
#include <linux/debugfs.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <ofed/refuse.h>

#include "inject.h"

#define MAX_RULES	64
#define MAX_WRITE	4096
#define MAX_DELAY	60000

DEFINE_STATIC_KEY_FALSE(mad_inject_key);

/* Guards rules and what is in them; taken in any context. */
static DEFINE_SPINLOCK(rules_lock);
static LIST_HEAD(rules);
/* Guards num_rules, and makes key and list agree; outside of rules_lock. */
static DEFINE_MUTEX(order_lock);
static unsigned int num_rules;

static struct dentry *folder;

struct word {
	const char *name;
	u16 value;
};

static const struct word class_words[] = {
	{ "sa", IB_MGMT_CLASS_SUBN_ADM },
	{ "cm", IB_MGMT_CLASS_CM },
};

/* IBA vol. 1 table 96. */
static const struct word attr_words[] = {
	{ "req", 0x10 }, { "mra", 0x11 }, { "rej", 0x12 }, { "rep", 0x13 },
	{ "rtu", 0x14 }, { "dreq", 0x15 }, { "drep", 0x16 },
	{ "sidr_req", 0x17 }, { "sidr_rep", 0x18 }, { "lap", 0x19 },
	{ "apr", 0x1a },
};

static const char *const action_names[] = {
	[MAD_INJECT_PASS] = "pass",
	[MAD_INJECT_DROP] = "drop",
	[MAD_INJECT_DUPLICATE] = "twice",
	[MAD_INJECT_DELAY] = "delay",
};

static int mad_parse_word(const char *text, const struct word *words, int num,
			  u16 *value)
{
	int i;

	for (i = 0; i < num; i++)
		if (!strcmp(text, words[i].name)) {
			*value = words[i].value;
			return 0;
		}
	return kstrtou16(text, 16, value);
}

static int mad_parse_action(const char *text, struct mad_inject_rule *rule)
{
	if (!strcmp(text, action_names[MAD_INJECT_DROP])) {
		rule->action = MAD_INJECT_DROP;
	} else if (!strcmp(text, action_names[MAD_INJECT_DUPLICATE])) {
		rule->action = MAD_INJECT_DUPLICATE;
	} else if (!strncmp(text, "delay=", 6)) {
		rule->action = MAD_INJECT_DELAY;
		if (kstrtou32(text + 6, 10, &rule->delay_ms) ||
		    rule->delay_ms > MAX_DELAY)
			return -EINVAL;
	} else {
		return -EINVAL;
	}
	return 0;
}

/* The next word of a line, or NULL. */
static char *mad_next_word(char **line)
{
	char *word;

	do {
		word = strsep(line, " \t");
	} while (word && !*word);
	return word;
}

/**
 * mad_inject_parse - read a rule
 * @line: text without newline; cut into words
 * @rule: out
 *
 * Return: 0 or -EINVAL.
 */
int mad_inject_parse(char *line, struct mad_inject_rule *rule)
{
	char *class = mad_next_word(&line), *attr = mad_next_word(&line);
	char *action = mad_next_word(&line), *skip = mad_next_word(&line);
	char *count = mad_next_word(&line);
	u16 value;

	memset(rule, 0, sizeof(*rule));
	INIT_LIST_HEAD(&rule->node);
	if (!action || mad_next_word(&line))
		return -EINVAL;
	if (mad_parse_word(class, class_words, ARRAY_SIZE(class_words), &value) ||
	    value > U8_MAX)
		return -EINVAL;
	rule->mgmt_class = value;
	rule->any_attr = !strcmp(attr, "any");
	if (!rule->any_attr &&
	    mad_parse_word(attr, attr_words, ARRAY_SIZE(attr_words),
			   &rule->attr_id))
		return -EINVAL;
	if ((skip && kstrtou32(skip, 10, &rule->skip)) ||
	    (count && kstrtou32(count, 10, &rule->count)))
		return -EINVAL;
	return mad_parse_action(action, rule);
}
EXPORT_SYMBOL_IF_KUNIT(mad_inject_parse);

/**
 * mad_inject_judge - what does a rule say about a MAD that is sent?
 * @rule: counts it
 * @hdr: header of the MAD
 *
 * Return: its action.
 */
enum mad_inject_action mad_inject_judge(struct mad_inject_rule *rule,
					const struct ib_mad_hdr *hdr)
{
	if (hdr->mgmt_class != rule->mgmt_class ||
	    (!rule->any_attr && be16_to_cpu(hdr->attr_id) != rule->attr_id))
		return MAD_INJECT_PASS;
	if (rule->seen++ < rule->skip ||
	    (rule->count && rule->hits >= rule->count))
		return MAD_INJECT_PASS;
	rule->hits++;
	return rule->action;
}
EXPORT_SYMBOL_IF_KUNIT(mad_inject_judge);

/* Behind mad_inject_action_of(). Context: any. */
enum mad_inject_action mad_judge_all(const struct ib_mad_hdr *hdr, u32 *delay_ms)
{
	enum mad_inject_action action = MAD_INJECT_PASS;
	struct mad_inject_rule *rule;
	unsigned long flags;

	spin_lock_irqsave(&rules_lock, flags);
	list_for_each_entry(rule, &rules, node) {
		action = mad_inject_judge(rule, hdr);
		*delay_ms = rule->delay_ms;
		if (action != MAD_INJECT_PASS)
			break;
	}
	spin_unlock_irqrestore(&rules_lock, flags);
	return action;
}

static int mad_add_rule(char *line)
{
	struct mad_inject_rule *rule;

	lockdep_assert_held(&order_lock);
	if (num_rules >= MAX_RULES)
		return ofed_refuse_call(-ENOSPC, "ib_mad: there are %u rules", num_rules);
	rule = kmalloc(sizeof(*rule), GFP_KERNEL);
	if (!rule)
		return -ENOMEM;
	if (mad_inject_parse(line, rule)) {
		kfree(rule);
		return ofed_refuse_call(-EINVAL, "ib_mad: a line that begins with \"%s\" is no rule",
					line);
	}
	spin_lock_irq(&rules_lock);
	list_add_tail(&rule->node, &rules);
	spin_unlock_irq(&rules_lock);
	if (!num_rules++)
		static_branch_enable(&mad_inject_key);
	return 0;
}

static void mad_clear_rules(void)
{
	struct mad_inject_rule *rule, *next;
	LIST_HEAD(old);

	lockdep_assert_held(&order_lock);
	if (num_rules)
		static_branch_disable(&mad_inject_key);
	num_rules = 0;
	spin_lock_irq(&rules_lock);
	list_splice_init(&rules, &old);
	spin_unlock_irq(&rules_lock);
	list_for_each_entry_safe(rule, next, &old, node)
		kfree(rule);
}

static ssize_t mad_inject_write(struct file *file, const char __user *from,
				size_t length, loff_t *pos)
{
	char *text, *rest, *line;
	int ret = 0;

	if (length > MAX_WRITE)
		return -EINVAL;
	text = memdup_user_nul(from, length);
	if (IS_ERR(text))
		return PTR_ERR(text);

	mutex_lock(&order_lock);
	rest = text;
	while (!ret && (line = strsep(&rest, "\n"))) {
		line = strim(line);
		if (!strcmp(line, "off"))
			mad_clear_rules();
		else if (*line)
			ret = mad_add_rule(line);
	}
	mutex_unlock(&order_lock);
	kfree(text);
	return ret ?: length;
}

static void mad_show_rule(struct seq_file *seq, const struct mad_inject_rule *rule)
{
	seq_printf(seq, "%02x ", rule->mgmt_class);
	if (rule->any_attr)
		seq_puts(seq, "any ");
	else
		seq_printf(seq, "%04x ", rule->attr_id);
	seq_puts(seq, action_names[rule->action]);
	if (rule->action == MAD_INJECT_DELAY)
		seq_printf(seq, "=%u", rule->delay_ms);
	seq_printf(seq, " %u %u seen %u hit %u\n", rule->skip, rule->count,
		   rule->seen, rule->hits);
}

static int mad_inject_show(struct seq_file *seq, void *unused)
{
	struct mad_inject_rule *rule;

	spin_lock_irq(&rules_lock);
	list_for_each_entry(rule, &rules, node)
		mad_show_rule(seq, rule);
	spin_unlock_irq(&rules_lock);
	return 0;
}

static int mad_inject_open(struct inode *inode, struct file *file)
{
	return single_open(file, mad_inject_show, NULL);
}

static const struct file_operations inject_fops = {
	.owner = THIS_MODULE,
	.open = mad_inject_open,
	.read = seq_read,
	.write = mad_inject_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* A kernel without debugfs has no file, and no faults. */
void mad_inject_init(void)
{
	folder = debugfs_create_dir("ofed_core", NULL);
	debugfs_create_file("mad_fault", 0600, folder, NULL, &inject_fops);
}

void mad_inject_exit(void)
{
	debugfs_remove_recursive(folder);
	mutex_lock(&order_lock);
	mad_clear_rules();
	mutex_unlock(&order_lock);
}
