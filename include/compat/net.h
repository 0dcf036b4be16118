/* SPDX-License-Identifier: GPL-2.0 */
/* Sockets and namespaces. */
#ifndef OFED_COMPAT_NET_H
#define OFED_COMPAT_NET_H

/*
 * Since 6.6 a table of sysctls is registered with its size, and since 6.11 an
 * empty entry at its end is an error. @table has one, which @size does not count.
 * Drop when 6.12 is the oldest kernel.
 */
#ifdef COMPAT_HAVE_NET_SYSCTL_SIZE
#define compat_register_net_sysctl(net, path, table, size) \
	register_net_sysctl_sz((net), (path), (table), (size))
#else
#define compat_register_net_sysctl(net, path, table, size) \
	register_net_sysctl((net), (path), (table))
#endif

/*
 * Pages into a TCP stream by reference: by MSG_SPLICE_PAGES where sendpage is
 * gone (6.5). The caller holds the socket's lock, and the call does not sleep;
 * @more says that more data follows. Returns the bytes that it took, or an
 * errno. Drop the first when 6.12 is the oldest kernel.
 */
#ifdef COMPAT_HAVE_SENDPAGE
#define compat_tcp_send_page(sk, page, offset, bytes, more) \
	kernel_sendpage_locked((sk), (page), (offset), (bytes), \
			       MSG_DONTWAIT | MSG_NOSIGNAL | ((more) ? \
			       MSG_MORE | MSG_SENDPAGE_NOTLAST : 0))
#else
#define compat_tcp_send_page(sk, page, offset, bytes, more) ({ \
	struct bio_vec vec_; \
	struct msghdr msg_ = { \
		.msg_flags = MSG_SPLICE_PAGES | MSG_DONTWAIT | MSG_NOSIGNAL | \
			     ((more) ? MSG_MORE : 0), \
	}; \
	bvec_set_page(&vec_, (page), (bytes), (offset)); \
	iov_iter_bvec(&msg_.msg_iter, ITER_SOURCE, &vec_, 1, (bytes)); \
	tcp_sendmsg_locked((sk), &msg_, (bytes)); \
})
#endif

/* Since 6.2 a socket of the kernel says that the task's page is not for it. */
#ifdef COMPAT_HAVE_SK_TASK_FRAG
#define compat_sk_no_task_frag(sk) ((sk)->sk_use_task_frag = false)
#else
#define compat_sk_no_task_frag(sk) ((void)(sk))
#endif

/*
 * A socket of the kernel that keeps its namespace, as those of programs do: TCP
 * goes on with it after it was released. Since 6.2 the tracker knows sockets that
 * do not. Drop with 6.1.
 */
#ifdef COMPAT_HAVE_NETNS_TRACKER_FREE
#define compat_sock_untrack(sk) \
	__netns_tracker_free(sock_net(sk), &(sk)->ns_tracker, false)
#else
#define compat_sock_untrack(sk) do { } while (0)
#endif
#define compat_sock_hold_net(sk) do { \
	compat_sock_untrack(sk); \
	(sk)->sk_net_refcnt = 1; \
	get_net_track(sock_net(sk), &(sk)->ns_tracker, GFP_KERNEL); \
	sock_inuse_add(sock_net(sk), 1); \
} while (0)

/*
 * What bind() and connect() of the kernel take since 6.19: an address of any length.
 * Drop with 6.12.
 */
#ifndef COMPAT_HAVE_SOCKADDR_UNSIZED
#define sockaddr_unsized sockaddr
#endif

/* Since 6.18 a flow's TOS has a type of its own. Drop with 6.12. */
#ifdef COMPAT_HAVE_FLOWI4_DSCP
#define COMPAT_FLOWI4_DSCP(dscp) .flowi4_dscp = (dscp)
#else
#define COMPAT_FLOWI4_DSCP(dscp) .flowi4_tos = inet_dscp_to_dsfield(dscp)
#endif

/* 7.3 names a tunnel by its sock, not by the socket. Drop with 6.12. */
#ifdef COMPAT_HAVE_UDP_TUNNEL_SK
#define compat_setup_udp_tunnel_sock(net, sk, config) \
	setup_udp_tunnel_sock((net), (sk), (config))
#define compat_udp_tunnel_sock_release(sk) udp_tunnel_sock_release(sk)
#else
#define compat_setup_udp_tunnel_sock(net, sk, config) \
	setup_udp_tunnel_sock((net), (sk)->sk_socket, (config))
#define compat_udp_tunnel_sock_release(sk) \
	udp_tunnel_sock_release((sk)->sk_socket)
#endif

/* 7.3 has an argument more, the last: flags for the skb's control block. Drop with 6.12. */
#ifdef COMPAT_HAVE_UDP_TUNNEL_FLAGS
#define compat_udp_tunnel_xmit_skb(flags, ...) \
	udp_tunnel_xmit_skb(__VA_ARGS__, (flags))
#define compat_udp_tunnel6_xmit_skb(flags, ...) \
	udp_tunnel6_xmit_skb(__VA_ARGS__, (flags))
#else
#define compat_udp_tunnel_xmit_skb(flags, ...) udp_tunnel_xmit_skb(__VA_ARGS__)
#define compat_udp_tunnel6_xmit_skb(flags, ...) udp_tunnel6_xmit_skb(__VA_ARGS__)
#endif

#endif /* OFED_COMPAT_NET_H */
