/* SPDX-License-Identifier: GPL-2.0 */
/* Faults of sent MADs, for tests: debugfs ofed_core/mad_fault. */
#ifndef OFED_CORE_MAD_FAULT_H
#define OFED_CORE_MAD_FAULT_H

#include <linux/jump_label.h>
#include <linux/list.h>
#include <rdma/ib_mad.h>

enum mad_fate {
	MAD_PASS,
	MAD_LOSE,
	MAD_TWICE,
	MAD_DELAY,
};

/**
 * struct mad_fault_rule - what becomes of MADs of one kind
 * @node: in the list of rules
 * @mgmt_class: class
 * @any_attr: of any attribute
 * @attr_id: or of this one, in the machine's order
 * @fate: what becomes of them
 * @delay_ms: of MAD_DELAY
 * @skip: so many pass first
 * @count: then so many are hit; 0: all
 * @seen: so many were sent since the rule was made
 * @hits: so many were hit
 */
struct mad_fault_rule {
	struct list_head node;
	u8 mgmt_class;
	bool any_attr;
	u16 attr_id;
	enum mad_fate fate;
	u32 delay_ms;
	u32 skip;
	u32 count;
	u32 seen;
	u32 hits;
};

int mad_fault_parse(char *line, struct mad_fault_rule *rule);
enum mad_fate mad_fault_judge(struct mad_fault_rule *rule,
			      const struct ib_mad_hdr *hdr);

DECLARE_STATIC_KEY_FALSE(mad_fault_key);
enum mad_fate mad_judge_all(const struct ib_mad_hdr *hdr, u32 *delay_ms);

/**
 * mad_fault_fate - what becomes of a MAD that is about to be sent
 * @hdr: header of the MAD
 * @delay_ms: out: for how long MAD_DELAY holds it back
 *
 * Context: any. Return: its fate by the first rule that hits, or MAD_PASS.
 */
static inline enum mad_fate mad_fault_fate(const struct ib_mad_hdr *hdr,
					   u32 *delay_ms)
{
	return static_branch_unlikely(&mad_fault_key) ?
	       mad_judge_all(hdr, delay_ms) : MAD_PASS;
}

void mad_fault_init(void);
void mad_fault_exit(void);

#endif /* OFED_CORE_MAD_FAULT_H */
