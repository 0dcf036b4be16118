/* SPDX-License-Identifier: GPL-2.0 */
/* Faults of sent MADs, for tests: debugfs ofed_core/mad_fault. */
#ifndef OFED_CORE_MAD_FAULT_H
#define OFED_CORE_MAD_FAULT_H

#include <linux/jump_label.h>
#include <linux/list.h>
#include <rdma/ib_mad.h>

enum mad_inject_action {
	MAD_INJECT_PASS,
	MAD_INJECT_DROP,
	MAD_INJECT_DUPLICATE,
	MAD_INJECT_DELAY,
};

/**
 * struct mad_inject_rule - what becomes of MADs of one kind
 * @node: in the list of rules
 * @mgmt_class: class
 * @any_attr: of any attribute
 * @attr_id: or of this one, in the machine's order
 * @action: what becomes of them
 * @delay_ms: of MAD_INJECT_DELAY
 * @skip: so many pass first
 * @count: then so many are hit; 0: all
 * @seen: so many were sent since the rule was made
 * @hits: so many were hit
 */
struct mad_inject_rule {
	struct list_head node;
	u8 mgmt_class;
	bool any_attr;
	u16 attr_id;
	enum mad_inject_action action;
	u32 delay_ms;
	u32 skip;
	u32 count;
	u32 seen;
	u32 hits;
};

int mad_inject_parse(char *line, struct mad_inject_rule *rule);
enum mad_inject_action mad_inject_judge(struct mad_inject_rule *rule,
					const struct ib_mad_hdr *hdr);

DECLARE_STATIC_KEY_FALSE(mad_inject_key);
enum mad_inject_action mad_judge_all(const struct ib_mad_hdr *hdr, u32 *delay_ms);

/**
 * mad_inject_action_of - what becomes of a MAD that is about to be sent
 * @hdr: header of the MAD
 * @delay_ms: out: for how long MAD_INJECT_DELAY holds it back
 *
 * Context: any. Return: its action by the first rule that hits, or MAD_INJECT_PASS.
 */
static inline enum mad_inject_action mad_inject_action_of(const struct ib_mad_hdr *hdr,
							  u32 *delay_ms)
{
	return static_branch_unlikely(&mad_inject_key) ?
	       mad_judge_all(hdr, delay_ms) : MAD_INJECT_PASS;
}

void mad_inject_init(void);
void mad_inject_exit(void);

#endif /* OFED_CORE_MAD_FAULT_H */
