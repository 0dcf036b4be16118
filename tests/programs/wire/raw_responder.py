#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A responder of RC out of raw packets, which delays its ACKs as NICs do that coalesce them.

usage: raw_responder.py DEVICE GID-INDEX NAMESPACE FROM TO REQUESTS MILLISECONDS

The requester is a queue pair of DEVICE with the address TO; the responder has the address FROM,
in a network namespace of its own. The requester has up to 16 WRITEs of 64 bytes unanswered. The
responder takes each, and sends one ACK for all that came so many milliseconds after the first of
them.

Prints how many packets came, and how many of them a second time within twice that time, by the
clock of the kernel. What comes again later had no ACK yet, as this program had no processor.
Exit status 0: all requests were completed, and less than one packet in a thousand came twice.
"""
import select
import socket
import struct
import sys
import time

import pyverbs.enums as e
from pyverbs.wr import SendWR, SGE

from rc_raw import End, Sockets, enter

ACK, CREDITS_INVALID, DEPTH, BYTES = 0x11, 31, 16, 64
SO_TIMESTAMPNS = 35


class Requester(End):
    """Keeps DEPTH WRITEs on their way, until all are completed."""

    def __init__(self, name, gid_index, peer, requests):
        super().__init__(name, gid_index, peer, 4096, DEPTH)
        self.to_rts()
        self.left, self.posted, self.bad = requests, 0, 0

    def go_on(self):
        count, completions = self.cq.poll(DEPTH)
        self.posted -= count
        self.bad += sum(c.status != e.IBV_WC_SUCCESS for c in completions or ())
        while self.left and self.posted < DEPTH and not self.bad:
            request = SendWR(opcode=e.IBV_WR_RDMA_WRITE, num_sge=1,
                             sg=[SGE(self.mr.buf, BYTES, self.mr.lkey)],
                             send_flags=e.IBV_SEND_SIGNALED)
            request.set_wr_rdma(rkey=1, addr=0)
            self.qp.post_send(request)
            self.posted, self.left = self.posted + 1, self.left - 1

    def is_done(self):
        return self.bad or not self.left and not self.posted


class Responder(Sockets):
    """What came, when, and the ACK that it waits for."""

    def __init__(self, source, target, delay):
        super().__init__(source, target)
        self.rx.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.delay, self.due, self.latest = delay, None, 0
        self.packets, self.twice = 0, 0
        self.first_at = {}

    def take(self):
        data, notes, _flags, _source = self.rx.recvmsg(65536, 64)
        seconds, nanoseconds = struct.unpack("qq", notes[0][2])
        now = seconds + nanoseconds / 1e9
        psn = struct.unpack_from(">I", data, 8)[0] & 0xffffff
        self.packets += 1
        waited = now - self.first_at.setdefault(psn, now)
        self.twice += 0 < waited <= 2 * self.delay
        self.latest = max(self.latest, psn)
        self.due = self.due or now + self.delay

    def acknowledge(self, requester):
        self.send(struct.pack(">BBHII", ACK, 0x40, 0xffff, requester.qp.qp_num, self.latest),
                  struct.pack(">I", CREDITS_INVALID << 24 | self.latest + 1))
        self.due = None

    def go_on(self, requester):
        wait = self.delay if self.due is None else max(0, self.due - time.time())
        if select.select([self.rx], [], [], min(wait, 0.001))[0]:
            self.take()
        elif self.due and time.time() >= self.due:
            self.acknowledge(requester)


def main():
    name, gid_index, namespace, source, target = sys.argv[1:6]
    requests, delay = int(sys.argv[6]), int(sys.argv[7]) / 1000
    requester = Requester(name, int(gid_index), source, requests)
    enter(namespace)
    responder = Responder(source, target, delay)
    while not requester.is_done():
        requester.go_on()
        responder.go_on(requester)
    print("%d WRITEs, ACKs %d ms later: %d packets, %d of them twice, %d failed" %
          (requests, delay * 1000, responder.packets, responder.twice, requester.bad))
    return bool(requester.bad) or responder.twice * 1000 >= responder.packets


if __name__ == "__main__":
    sys.exit(main())
