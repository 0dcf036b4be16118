#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The other end of a tunnel of software InfiniBand, played by a program that keeps to the
protocol as far as the link comes up, and to nothing then.

usage: tunnel_peer.py overrun|packets SEED COUNT FROM TO UDP-PORT GUID PORT PEER-GUID PEER-PORT

overrun: COUNT tenths of a second it sends more than there are credits for.
packets: COUNT mutated packets, as many at a time as there are credits for.
"""
import random
import socket
import struct
import sys
import time

MAGIC, DATA, HELLO, READY = 0x4f494201, 1, 2, 1
what, seed, count, source, to, udp_port = (sys.argv[1], int(sys.argv[2]), int(sys.argv[3]),
                                           *sys.argv[4:6], int(sys.argv[6]))
guid, port, peer_guid, peer_port = (int(a, 0) for a in sys.argv[7:])
rnd = random.Random(seed)
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.bind((source, udp_port))
sock.connect((to, udp_port))
session, peer, hellos = rnd.getrandbits(64), 0, 0
sent, room = [0] * 9, [0] * 8
good = struct.pack(">BBHHHBBHII", 0, 2, 1, 6, 9, 0x64, 0, 0xffff, 1, 0)


def say_hello():
    global hellos
    hellos += 1
    sock.send(struct.pack(">IBBHQII", MAGIC, HELLO, 0, 0, session, hellos, 0) +
              struct.pack(">QQQBBBBBBHI", peer, guid, peer_guid, port, peer_port, READY, 3, 0xf,
                          0x3f, 0, 0) +
              struct.pack(">9I", *sent) + struct.pack(">8I", *(32 for _ in range(8))))


def hear(seconds):
    global peer, room
    end = time.monotonic() + seconds
    while True:
        sock.settimeout(max(end - time.monotonic(), 0.0001))
        try:
            frame = sock.recv(65536)
        except (socket.timeout, ConnectionRefusedError):
            return
        if len(frame) == 128 and frame[4] == HELLO:
            peer = struct.unpack_from(">Q", frame, 8)[0]
            room = list(struct.unpack_from(">8I", frame, 96))


def send(vl, seq, packet):
    sock.send(struct.pack(">IBBHQII", MAGIC, DATA, vl, 0, peer, seq, 0) + packet)


def packet():
    made = bytearray(good + rnd.randbytes(4 * rnd.randrange(80)))
    struct.pack_into(">H", made, 4, len(made) // 4)
    for _ in range(rnd.randrange(4)):
        made[rnd.randrange(28 if rnd.randrange(4) else len(made)) % len(made)] = rnd.randrange(256)
    return bytes(made)


for _ in range(20):
    say_hello()
    hear(0.05)
if not peer:
    sys.exit("no hello came")
if what == "overrun":
    for _ in range(count):
        say_hello()
        send(0, room[0] + 3, good)
        hear(0.1)
while what == "packets" and count:
    say_hello()
    for _ in range(min(count, 64)):
        vl = rnd.randrange(9)
        if vl == 8 or (room[vl] - sent[vl]) & 0xffffffff < 0x80000000 and room[vl] != sent[vl]:
            send(15 if vl == 8 else vl, sent[vl], packet())
            sent[vl] += 1
        count -= 1
    hear(0.002)
