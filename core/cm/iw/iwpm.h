/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The client of the iWARP port mapper (iwpmd), RDMA_NL_IWCM. An RNIC has TCP
 * ports of its own; the daemon finds one that the host does not use, and tells
 * the peer's daemon which one stands for the one that was asked for.
 *
 * iwpm.c has the conversation, iwpm_msg.c the messages, iwpm_map.c the
 * mappings in use and what peers have announced.
 */
#ifndef OFED_CM_IW_PM_H
#define OFED_CM_IW_PM_H

#include <linux/netlink.h>
#include <linux/socket.h>
#include <rdma/iw_cm.h>
#include <rdma/iw_portmap.h>
#include <rdma/rdma_netlink.h>

int ofed_iw_pm_init(void);
void ofed_iw_pm_exit(void);

struct iw_id;

/**
 * ofed_iw_pm_map - find the addresses that an id uses on the wire
 * @id: in: device, local_addr, remote_addr; out: m_local_addr, m_remote_addr,
 *	mapped, mapping
 * @active: it connects, so the peer's daemon is asked, too
 *
 * Without a daemon, or when it can not help, they are the same. Context:
 * process, sleeps up to ten seconds per question. Return: 0, -EINVAL (name of
 * the device or the interface too long), -ENOMEM.
 */
int ofed_iw_pm_map(struct iw_id *id, bool active);

/*
 * Undo ofed_iw_pm_map(), if it was done. Of concurrent calls one undoes it.
 * Context: process, may sleep.
 */
void ofed_iw_pm_unmap(struct iw_id *id);

/* iwpm_map.c */

/**
 * struct ofed_iw_mapping - a mapping in use
 * @node: in the table
 * @local: address before it
 * @mapped: address on the wire
 * @flags: IWPM_FLAGS_*
 */
struct ofed_iw_mapping {
	struct hlist_node node;
	struct sockaddr_storage local;
	struct sockaddr_storage mapped;
	u32 flags;
};

struct ofed_iw_mapping *
ofed_iw_pm_map_add(const struct sockaddr_storage *local,
		   const struct sockaddr_storage *mapped, u32 flags);
void ofed_iw_pm_map_remove(struct ofed_iw_mapping *mapping);
int ofed_iw_pm_map_walk(int (*fn)(const struct ofed_iw_mapping *mapping,
				  void *arg), void *arg);
int ofed_iw_pm_remote_add(const struct sockaddr_storage *mapped_local,
			  const struct sockaddr_storage *mapped_remote,
			  const struct sockaddr_storage *remote);
bool ofed_iw_pm_remote_take(const struct sockaddr_storage *mapped_local,
			    const struct sockaddr_storage *mapped_remote,
			    struct sockaddr_storage *remote);
void ofed_iw_pm_remote_forget(void);
bool ofed_iw_pm_same_addr(const struct sockaddr_storage *a,
			  const struct sockaddr_storage *b);
u32 ofed_iw_pm_hash(const struct sockaddr_storage *addr);

/* Limit of peers that have announced themselves and not connected yet. */
#define OFED_IW_PM_REMOTES_MAX 1024

/* iwpm_msg.c */

/**
 * struct ofed_iw_pm_msg - a message of the daemon
 * @seq: the request that it replies to
 * @err: IWPM_*_ERR, or 0
 * @version: of its interface
 * @local: address before mapping
 * @remote: the peer's
 * @mapped_local: address on the wire
 * @mapped_remote: the peer's
 *
 * Addresses that a message does not have are zero.
 */
struct ofed_iw_pm_msg {
	u32 seq;
	u16 err;
	u16 version;
	struct sockaddr_storage local;
	struct sockaddr_storage remote;
	struct sockaddr_storage mapped_local;
	struct sockaddr_storage mapped_remote;
};

/* The name by which both sides know the protocol. */
#define OFED_IW_PM_LIBRARY "iWarpPortMapperUser"
static_assert(sizeof(OFED_IW_PM_LIBRARY) <= IWPM_ULIBNAME_SIZE);

int ofed_iw_pm_parse(const struct nlmsghdr *nlh,
		     struct ofed_iw_pm_msg *msg);
bool ofed_iw_pm_parses(unsigned int op);
struct sk_buff *ofed_iw_pm_build_reg_pid(u32 seq, const char *dev_name,
					 const char *if_name);
struct sk_buff *ofed_iw_pm_build_mapping(unsigned int op, u32 seq,
					 const struct sockaddr_storage *local,
					 const struct sockaddr_storage *remote,
					 const u32 *flags);
struct sk_buff *ofed_iw_pm_build_hello(u16 version);
int ofed_iw_pm_put_mapinfo(struct sk_buff *skb,
			   const struct sockaddr_storage *local,
			   const struct sockaddr_storage *mapped,
			   const u32 *flags);
struct sk_buff *ofed_iw_pm_build_mapinfo_num(u32 seq, u32 sent);

/* iwpm.c: what is known of the daemon. */
enum iwpm_daemon {
	IWPM_DAEMON_UNKNOWN,		/* ask the group */
	IWPM_DAEMON_ABSENT,		/* the group is empty: wait for a greeting */
	IWPM_DAEMON_PRESENT,		/* has greeted; register */
	IWPM_DAEMON_REGISTERED,		/* serves us */
};

#if IS_ENABLED(CONFIG_KUNIT)
extern enum iwpm_daemon iwpm_daemon_state;
extern u32 iwpm_daemon_port;
extern struct list_head iwpm_remotes_by_age;
extern unsigned int iwpm_num_remotes;
#endif

#endif /* OFED_CM_IW_PM_H */
