#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: iw_garbage.py ADDRESS PORT BYTES SEED

A TCP peer of an iWARP listener that breaks off at each byte of its request, by
FIN or by RST, and then sends BYTES of streams that are nonsense: random bytes,
FPDUs with wrong CRCs, and FPDUs with right CRCs and random headers. The
listener is to be a program that accepts all connections (rping -s -P).
"""
import random
import struct
import sys

from iw_mpa import Peer, fpdu, request


def nonsense(rng):
    """A ULPDU: plausible in some places, random in others."""
    kind = rng.randrange(3)
    if kind == 0:
        return rng.randbytes(rng.randrange(0, 200))
    opcode = rng.randrange(16)
    control = bytes([rng.choice((0x41, 0xc1, 0x01, 0x81, rng.randrange(256))),
                     0x40 | opcode])
    if kind == 1:
        body = struct.pack('>IQ', rng.randrange(1 << 32), rng.randrange(1 << 64))
        return control + body + rng.randbytes(rng.randrange(0, 100))
    body = struct.pack('>IIII', rng.randrange(1 << 32), rng.randrange(4),
                       rng.randrange(3), rng.choice((0, 1, 0xffffffff)))
    return control + body + rng.randbytes(rng.choice((0, 4, 28, 90)))


def prefixes(where):
    whole = request(0x50, 2, struct.pack('>HH', 4, 4) + b'private')
    for length in range(len(whole) + 1):
        for reset in (False, True):
            peer = Peer(where)
            peer.send(whole[:length])
            peer.end(reset)
    return 2 * (len(whole) + 1)


def refused(where):
    """Requests that are not to be accepted."""
    bad = (request(0xc0), request(rev=0), request(rev=3), request(0x60),
           request(0x50, 2, b'abc'), b'MPA ID Rep Frame' + bytes(4),
           request()[:18] + b'\xff\xff')
    for frame in bad:
        peer = Peer(where)
        peer.send(frame)
        try:
            if peer.accepted():
                sys.exit('accepted: %r' % frame)
        except ConnectionError:
            pass
        peer.end(False)
    return len(bad)


def streams(where, most, rng):
    sent = count = 0
    while sent < most:
        peer = Peer(where)
        peer.send(request(0x40, rng.choice((1, 2))))
        if not peer.accepted():
            sys.exit('not accepted')
        for _ in range(rng.randrange(1, 20)):
            data = fpdu(nonsense(rng))
            damage = rng.randrange(4)
            if damage == 0:
                at = rng.randrange(len(data))
                data = data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1:]
            elif damage == 1:
                data = rng.randbytes(rng.randrange(1, 1000))
            sent += len(data)
            if not peer.send(data):
                break
        peer.end(rng.random() < 0.5)
        count += 1
    return count


def main():
    where = (sys.argv[1], int(sys.argv[2]))
    rng = random.Random(int(sys.argv[4]))
    print(prefixes(where), 'connections broken off')
    print(refused(where), 'refused')
    print(streams(where, int(sys.argv[3]), rng), 'streams of nonsense')


main()
