#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Datagrams to the end of a tunnel of software InfiniBand by a sender that can fake the
peer's address, but does not hear what the ends say: frames of every kind, right in all
but the session, then mutated.

usage: tunnel_fuzz.py SEED COUNT FROM TO UDP-PORT GUID PORT PEER-GUID PEER-PORT
"""
import errno
import random
import socket
import struct
import sys
import time

seed, count, source, to, udp_port = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:5], int(sys.argv[5])
guid, port, peer_guid, peer_port = (int(a, 0) for a in sys.argv[6:])
rnd = random.Random(seed)
MAGIC, DATA, HELLO = 0x4f494201, 1, 2


def frame(kind, session, seq, vl=0):
    return struct.pack(">IBBHQII", MAGIC, kind, vl, 0, session, seq, 0)


def hello(sender=guid):
    body = struct.pack(">QQQBBBBBBHI", rnd.getrandbits(64), sender, peer_guid, port, peer_port,
                       rnd.randrange(2), rnd.randrange(7), 0xf, 0x3f, 0, rnd.getrandbits(32))
    body += struct.pack(">17I", *(rnd.getrandbits(32) for _ in range(17)))
    return frame(HELLO, rnd.getrandbits(64), rnd.getrandbits(32)) + body


def data():
    size = 4 * rnd.choice((0, 2, 5, 6, 64, 280, 400))
    packet = struct.pack(">BBHHH", 0, 2, rnd.choice((1, 2, 3, 0xc000, 0xffff)), size // 4, 1)
    return frame(DATA, rnd.getrandbits(64), rnd.randrange(100), rnd.randrange(256)) + \
        packet.ljust(size, b"\xaa")


def mutated(what):
    bytes_ = bytearray(what)
    for _ in range(rnd.randrange(4) if bytes_ else 0):
        bytes_[rnd.randrange(len(bytes_))] = rnd.randrange(256)
    return bytes(bytes_[:rnd.choice((len(bytes_), len(bytes_), rnd.randrange(len(bytes_) + 1)))])


def send(sock, packet):
    """A busy host has not received what was sent: then there is no room for more."""
    while True:
        try:
            return sock.sendto(packet, (to, 0))
        except OSError as error:
            if error.errno != errno.ENOBUFS:
                raise
            time.sleep(0.001)


kinds = (hello, data, lambda: hello(rnd.getrandbits(64)),
         lambda: rnd.randbytes(rnd.randrange(200)))
# The kernel has the port: the address is faked by a raw socket.
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)
raw.bind((source, 0))
for number in range(count):
    what = rnd.choice(kinds)()
    payload = mutated(what) if number % 2 else what
    from_port = udp_port if number % 8 else rnd.randrange(1024, 65536)
    send(raw, struct.pack(">HHHH", from_port, udp_port, 8 + len(payload), 0) + payload)
