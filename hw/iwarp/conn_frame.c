// SPDX-License-Identifier: GPL-2.0
/* Start-up frames of a connection: sent, received, and one that says no. */
#include <net/sock.h>

#include "conn.h"

/**
 * iw_conn_send - bytes of the start-up
 * @conn: connection with a socket
 * @bytes: them
 * @length: of them; a new connection has room for so many
 *
 * Context: process, may sleep. Return: 0 or an errno of the socket.
 */
int iw_conn_send(struct iw_conn *conn, const void *bytes, u32 length)
{
	struct kvec vec = { .iov_base = (void *)bytes, .iov_len = length };
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	int ret;

	ret = kernel_sendmsg(conn->sock, &msg, &vec, 1, length);
	if (ret < 0)
		return ret;
	return ret == length ? 0 : -EAGAIN;
}

/*
 * No byte more than the frame has: what follows is the stream's. TCP may give fewer
 * than it has, as it stops in front of urgent ones.
 */
static int iw_read_bytes(struct iw_conn *conn, u32 want)
{
	int ret;

	while (conn->have < want) {
		struct kvec vec = {
			.iov_base = conn->frame + conn->have,
			.iov_len = want - conn->have,
		};
		struct msghdr msg = { .msg_flags = MSG_DONTWAIT };

		ret = kernel_recvmsg(conn->sock, &msg, &vec, 1, vec.iov_len,
				     MSG_DONTWAIT);
		if (ret <= 0)
			return -EAGAIN;
		conn->have += ret;
	}
	return 0;
}

/**
 * iw_conn_read_frame - the peer's request or reply, into @peer
 * @conn: connection; its lock is held
 * @reply: it is a reply
 *
 * Context: process, may sleep.
 * Return: 0: it is there; -EAGAIN: not yet; another errno: it is none.
 */
int iw_conn_read_frame(struct iw_conn *conn, bool reply)
{
	int ret;

	ret = iw_read_bytes(conn, sizeof(struct iw_mpa_hdr));
	if (ret)
		return ret;
	ret = iw_mpa_frame_bytes(conn->frame, reply);
	if (ret < 0)
		return ret;
	ret = iw_read_bytes(conn, ret);
	if (ret)
		return ret;
	return iw_mpa_parse(&conn->peer, conn->frame, reply, &conn->pd);
}

/**
 * iw_conn_fill_refusal - @own becomes a reply that says no
 * @conn: connection with @peer filled in; its lock is held
 * @pd_bytes: of private data
 */
void iw_conn_fill_refusal(struct iw_conn *conn, u32 pd_bytes)
{
	conn->own = (struct iw_mpa_frame){
		.reply = true,
		.reject = true,
		.crc = conn->peer.crc,
		.enhanced = conn->peer.enhanced,
		.rev = clamp_t(u8, conn->peer.rev, 1, 2),
		.ird = conn->peer.ord,
		.ord = conn->peer.ird,
		.pd_bytes = pd_bytes,
	};
}

/**
 * iw_conn_refuse - a reply that says no, to a request that can not be reported
 * @conn: connection with @peer filled in; its lock is held
 */
void iw_conn_refuse(struct iw_conn *conn)
{
	u8 bytes[IW_MPA_MAX_FRAME];

	iw_conn_fill_refusal(conn, 0);
	iw_conn_send(conn, bytes, iw_mpa_build(&conn->own, NULL, bytes));
}
