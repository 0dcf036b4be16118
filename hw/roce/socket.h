/* SPDX-License-Identifier: GPL-2.0 */
/* Port 4791. */
#ifndef ROCE_SOCKET_H
#define ROCE_SOCKET_H

struct net;
struct roce_dev;
struct roce_guest;

int roce_listen(struct roce_dev *rd);
void roce_unlisten(struct roce_dev *rd);
int roce_guest_listen(struct net *net, struct roce_guest *guest);
void roce_guest_unlisten(struct roce_guest *guest);
int roce_socket_init(void);
void roce_socket_exit(void);

#endif /* ROCE_SOCKET_H */
