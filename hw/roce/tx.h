/* SPDX-License-Identifier: GPL-2.0 */
/* Accounting of packets that a device sends. */
#ifndef ROCE_TX_H
#define ROCE_TX_H

struct ibt_passage;
struct roce_dev;
struct sk_buff;

int roce_tx_open(struct roce_dev *rd);
void roce_tx_mute(struct roce_dev *rd);
void roce_tx_close(struct roce_dev *rd);
void roce_tx_charge(struct roce_dev *rd, struct sk_buff *skb);
int roce_tx_state(struct roce_dev *rd);
bool roce_tx_left(const struct roce_dev *rd);
void roce_tx_passage(const struct roce_dev *rd, struct ibt_passage *passage);

#endif /* ROCE_TX_H */
