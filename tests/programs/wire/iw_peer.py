#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: iw_peer.py CASE ADDRESS PORT

The peer of iw_ends CASE, which says what it is about.
"""
import random
import socket
import struct
import sys
import time

from iw_mpa import Peer, fpdu, reply, request, untagged

SEND = 3
TERMINATE = 7
ATOMIC = 10


def pattern(msn):
    return bytes((msn * 7 + i) & 0xff for i in range(64))


def connect(where):
    peer = Peer(where)
    peer.send(request(0x40, 1))
    if not peer.accepted():
        sys.exit('not accepted')
    return peer


def hear_end(peer):
    """In order: a reset raises an exception."""
    more = peer.sock.recv(1)
    if more:
        sys.exit('more was sent: %s' % more)


def urgent(where):
    """Bytes here and there are urgent, and the last one before the end is."""
    rng = random.Random(1)
    peer = Peer(where)

    def send(data):
        while data:
            length = rng.randrange(1, 10)
            peer.sock.send(data[:length], socket.MSG_OOB if rng.random() < 0.5 else 0)
            data = data[length:]

    send(request(0x40, 1, b'private'))
    if not peer.accepted():
        sys.exit('not accepted')
    for msn in range(1, 5):
        send(fpdu(untagged(SEND, 0, msn, pattern(msn))))
    peer.sock.send(b'\0', socket.MSG_OOB)
    peer.sock.shutdown(socket.SHUT_WR)
    hear_end(peer)


def late(where):
    """Takes its time when the other end has ended, and says something then."""
    peer = connect(where)
    hear_end(peer)
    time.sleep(7)
    peer.sock.sendall(fpdu(untagged(SEND, 0, 1, pattern(1))))
    peer.sock.close()


def slow(where):
    """Takes its time to read what is sent before the end."""
    peer = connect(where)
    peer.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
    time.sleep(7)
    have, messages = 0, 0
    for ulpdu in iter(peer.fpdu, None):
        if struct.unpack('>I', ulpdu[14:18])[0] != have:
            sys.exit('not in its place')
        have += len(ulpdu) - 18
        if ulpdu[0] & 0x40:
            messages, have = messages + (have == 1 << 20), 0
    if messages != 4:
        sys.exit('%d messages' % messages)


def never(where):
    """Does not end."""
    peer = connect(where)
    hear_end(peer)
    for _ in range(100):
        if peer.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            return
        time.sleep(0.1)
    sys.exit('no reset')


def blame(where, control, part):
    """Of three READs the second one is refused: access (RFC 5040 4.8)."""
    peer = connect(where)
    reads = [peer.fpdu() for _ in range(3)]
    peer.sock.sendall(fpdu(untagged(TERMINATE, 2, 1, struct.pack('>I', 0x01020000 | control) +
                                    part(reads[1]))))
    peer.sock.close()


def header(where):
    """With all that the Terminate can say."""
    blame(where, 0xe000, lambda read: struct.pack('>H', len(read)) + read)


def request_alone(where):
    """Without the header of DDP, and half of it was answered."""
    def half(read):
        stag, to, size, source, source_to = struct.unpack('>IQIIQ', read[18:])
        size //= 2
        return struct.pack('>IQIIQ', stag, to + size, size, source, source_to + size)
    blame(where, 0x2000, half)


def stranger(where):
    """About a READ that was never asked."""
    blame(where, 0xe000, lambda read: struct.pack('>H', len(read)) +
          read[:10] + struct.pack('>I', 99) + read[14:])


def read_and_writes(peer):
    """A READ, and very many WRITEs behind it."""
    read = peer.fpdu()
    for _ in range(32767):
        if not peer.fpdu():
            sys.exit('too few')
    return read


def behind(where):
    """Answers the READ when all has come: all is complete at once."""
    peer = connect(where)
    read = read_and_writes(peer)
    peer.sock.sendall(fpdu(struct.pack('>BB', 0xc1, 0x42) + read[18:30] + pattern(1)))
    hear_end(peer)


def unanswered(where):
    """Ends instead: all is flushed at once."""
    peer = connect(where)
    read_and_writes(peer)
    peer.sock.close()


def atomic(where):
    """Two atomics with masks, and one with a wrong address (RFC 7306 5, 8.2)."""
    peer = connect(where)
    to, stag = struct.unpack('>QI', peer.fpdu()[18:])
    word = 0x00ff00ff00ff00ff

    def ask(msn, op, offset, *operands):
        peer.sock.sendall(fpdu(untagged(ATOMIC, 1, msn, struct.pack(
            '>IIIQQQQQ', op, 0x1000 + msn, stag, to + offset, *operands))))
        return peer.fpdu()

    # Each byte for itself: what it carries goes nowhere.
    answer = ask(1, 0, 0, 0x0101010101010101, 0x8080808080808080, 0, (1 << 64) - 1)
    if answer != untagged(11, 3, 1, struct.pack('>IQ', 0x1001, word)):
        sys.exit('FetchAdd: %s' % answer.hex())
    # The low byte is compared, the high one swapped.
    answer = ask(2, 2, 0, 0xab << 56, 0xff << 56, 0, 0xff)
    if answer != untagged(11, 3, 2, struct.pack('>IQ', 0x1002, 0x0100010001000100)):
        sys.exit('CmpSwap: %s' % answer.hex())
    answer = ask(3, 0, 4, 1, 0, 0, (1 << 64) - 1)
    if answer[:2] != b'\x41\x47' or answer[18:21] != b'\x02\x07\xc0':
        sys.exit('Terminate: %s' % answer.hex())


def ready_by_read(where):
    """Accepts: one READ at a time, and it wants one for "ready to receive" (RFC 6581 5)."""
    peer = Peer(where, True)
    if not peer.asked():
        sys.exit('not asked')
    peer.send(reply(0x50, 2, struct.pack('>HH', 0x8000 | 1, 0x4000)))
    for msn, size in ((1, 0), (2, 64), (3, 64)):
        read = peer.fpdu()
        length, = struct.unpack('>I', read[30:34])
        if read[1] & 15 != 1 or struct.unpack('>I', read[10:14])[0] != msn or length != size:
            sys.exit('no READ %d of %d bytes: %s' % (msn, size, read.hex()))
        peer.sock.settimeout(0.5)
        try:
            sys.exit('more than one READ: %s' % peer.sock.recv(1))
        except TimeoutError:
            peer.sock.settimeout(10)
        peer.sock.sendall(fpdu(struct.pack('>BB', 0xc1, 0x42) + read[18:30] + pattern(msn)[:size]))
    hear_end(peer)


CASES = {case.__name__: case for case in (urgent, late, slow, never, header, request_alone,
                                          stranger, behind, unanswered, atomic,
                                          ready_by_read)}
CASES[sys.argv[1]]((sys.argv[2], int(sys.argv[3])))
