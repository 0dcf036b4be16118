#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: iw_silent.py ADDRESS PORT COUNT MOST

COUNT TCP connections to an iWARP listener that never say a word. At most MOST of
them are kept. They are the newest: each takes the place of the oldest.
"""
import resource
import select
import socket
import sys
import time


def kept(socks):
    """Those that were not ended."""
    poll = select.poll()
    for sock in socks:
        poll.register(sock, select.POLLIN)
    ended = {fd for fd, _ in poll.poll(3000)}
    # The last of them may be on their way.
    while True:
        time.sleep(0.3)
        more = {fd for fd, _ in poll.poll(0)}
        if more <= ended:
            break
        ended |= more
    return [s for s in socks if s.fileno() not in ended]


def main():
    where, count, most = (sys.argv[1], int(sys.argv[2])), int(sys.argv[3]), int(sys.argv[4])
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(count + 64, hard), hard))
    socks = []
    for _ in range(count):
        try:
            socks.append(socket.create_connection(where, 10))
        except ConnectionResetError:
            # The reset was faster than the way back from the call.
            socks.append(socket.socket())
        # The listener's backlog is short, and a SYN that it has no room for waits a second.
        time.sleep(0.001)
    left = kept(socks)
    ends = ['the newest is kept' if socks[-1] in left else 'the newest is ended',
            'the oldest is kept' if socks[0] in left else 'the oldest is ended']
    print(f'{count} connections, {len(left)} are kept, {", ".join(ends)}')
    return not (0 < len(left) <= most and socks[-1] in left and socks[0] not in left)


sys.exit(main())
