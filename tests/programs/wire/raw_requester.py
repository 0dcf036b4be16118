#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A requester of RC out of raw packets, without a window, as NICs are: how is it answered?

usage: raw_requester.py DEVICE GID-INDEX NAMESPACE FROM TO backlog PACKETS WRITES
       raw_requester.py DEVICE GID-INDEX NAMESPACE FROM TO mixed PACKETS
       raw_requester.py DEVICE GID-INDEX NAMESPACE FROM TO gap

The responder is a queue pair of DEVICE with the address TO; the packets come from the address
FROM, which is in a network namespace of its own. All that is answered is kept in its order.

backlog: a READ of so many packets, so many WRITEs of one packet behind it, and one later
mixed: a READ, then WRITE, SEND, atomic, READ, atomic and WRITE; and all of it once more, as a
  requester does it that has lost the answers
gap: packets ahead of their turn, and duplicates

Prints what came. Exit status 0: each request was answered, in the order of the PSNs, and what
was to be asked for again was, once.
"""
import select
import struct
import sys
import time

from pyverbs.wr import RecvWR, SGE

from rc_raw import End, MTU, Sockets, enter

SEND, WRITE, READ, READ_DATA, ACK, ATOMIC_ACK, ADD = (0x04, 0x0a, 0x0c, range(0x0d, 0x11), 0x11,
                                                      0x12, 0x14)
RNR, NAK_PSN = 0x20, 0x60


class Responder(End):
    """Takes what the requester asks."""

    def post_recv(self):
        self.qp.post_recv(RecvWR(num_sge=1, sg=[SGE(self.mr.buf, MTU, self.mr.lkey)]))


class Wire(Sockets):
    """Sends packets to a responder, and keeps what comes back."""

    def __init__(self, responder, source, target):
        super().__init__(source, target)
        self.to = responder

    def ask(self, opcode, psn, extended=b"", payload=b""):
        """One packet that asks for an ACK"""
        self.send(struct.pack(">BBHII", opcode, 0x40, 0xffff, self.to.qp.qp_num,
                              1 << 31 | psn & 0xffffff), extended + payload)

    def reth(self, length):
        return struct.pack(">QII", self.to.mr.buf, self.to.mr.rkey, length)

    def write(self, psn):
        self.ask(WRITE, psn, self.reth(MTU), b"x" * MTU)

    def read(self, psn, packets):
        self.ask(READ, psn, self.reth(packets * MTU))

    def add(self, psn):
        self.ask(ADD, psn, struct.pack(">QIQQ", self.to.mr.buf, self.to.mr.rkey, 1, 0))

    def answers(self, last, seconds=60, quiet=0.3):
        """(opcode, PSN, syndrome) in their order, until some time after one for PSN @last"""
        came, end = [], time.monotonic() + seconds
        while time.monotonic() < end:
            if not select.select([self.rx], [], [], 0.05)[0]:
                continue
            data = self.rx.recv(65536)
            opcode, psn = data[0], struct.unpack_from(">I", data, 8)[0] & 0xffffff
            came.append((opcode, psn, data[12] if opcode in (ACK, ATOMIC_ACK) else 0))
            if psn == last:
                end = min(end, time.monotonic() + quiet)
        return came


def name_of(answer):
    opcode, psn, syndrome = answer
    if opcode in READ_DATA:
        return "READ %d" % psn
    if opcode == ATOMIC_ACK:
        return "ATOMIC %d" % psn
    if opcode != ACK:
        return "%#x %d" % (opcode, psn)
    kind = {0: "ACK", RNR: "RNR"}.get(syndrome & 0x60, "NAK%d" % (syndrome & 0x1f))
    return "%s %d" % (kind, psn)


def is_data(answer):
    return answer[0] in READ_DATA or answer[0] == ATOMIC_ACK


class Verdict:
    """What came, in words, and whether it is as it should be."""

    def __init__(self):
        self.good = True

    def say(self, title, came):
        words = [name_of(a) for a in came if a[0] not in READ_DATA]
        print("%s: %d READ packets, then %s" % (title, sum(a[0] in READ_DATA for a in came),
                                                ", ".join(words[-8:]) or "nothing"))

    def need(self, what, holds):
        if not holds:
            print("not so: %s" % what)
            self.good = False

    def in_order(self, came):
        back = [(name_of(a), name_of(b)) for a, b in zip(came, came[1:]) if b[1] < a[1]]
        self.need("no answer in front of an older one, %s" % back[:3], not back)

    def all_data(self, came, psns):
        self.need("READs and atomics are answered, once",
                  [a[1] for a in came if is_data(a)] == list(psns))


def backlog(wire, verdict, packets, writes):
    wire.read(0, packets)
    for i in range(writes):
        wire.write(packets + i)
    last = packets + writes - 1
    came = wire.answers(last)
    verdict.say("READ of %d packets, %d WRITEs" % (packets, writes), came)
    verdict.in_order(came)
    verdict.all_data(came, range(packets))
    verdict.need("the last WRITE has its ACK", came and came[-1] == (ACK, last, came[-1][2]) and
                 came[-1][2] < RNR)
    wire.write(last + 1)
    came = wire.answers(last + 1, 5)
    verdict.say("one more", came)
    verdict.need("and one more has", [a[:2] for a in came] == [(ACK, last + 1)])


def ask_all(wire, packets):
    wire.to.post_recv()
    wire.read(0, packets)
    wire.write(packets)
    wire.ask(SEND, packets + 1, payload=b"x" * 8)
    wire.add(packets + 2)
    wire.read(packets + 3, 1)
    wire.add(packets + 4)
    wire.write(packets + 5)


def mixed(wire, verdict, packets):
    psns = list(range(packets)) + [packets + 2, packets + 3, packets + 4]
    for title in ("all kinds", "all again"):
        ask_all(wire, packets)
        came = wire.answers(packets + 5)
        verdict.say(title, came)
        verdict.in_order(came)
        verdict.all_data(came, psns)
        verdict.need("the last has its ACK", came and came[-1][:2] == (ACK, packets + 5))


def gap(wire, verdict):
    rows = (
        ("in its turn", (0,), [(ACK, 0, False)]),
        ("three behind a gap", (2, 3, 4), [(ACK, 1, True)]),
        ("a duplicate", (0,), [(ACK, 0, False)]),
        ("what was missing, and one behind the next gap", (1, 5),
         [(ACK, 1, False), (ACK, 2, True)]),
    )
    for title, psns, wanted in rows:
        for psn in psns:
            wire.write(psn)
        came = wire.answers(-1, 0.5)
        verdict.say(title, came)
        verdict.need("%s: as the specification has it" % title,
                     [(o, p, s == NAK_PSN) for o, p, s in came] == wanted)


def main():
    name, gid_index, namespace, source, target, what = sys.argv[1:7]
    numbers = [int(word) for word in sys.argv[7:]]
    responder = Responder(name, int(gid_index), source,
                          max([MTU] + numbers[:1]) * MTU)
    enter(namespace)
    verdict = Verdict()
    {"backlog": backlog, "mixed": mixed, "gap": gap}[what](Wire(responder, source, target),
                                                          verdict, *numbers)
    return not verdict.good


sys.exit(main())
