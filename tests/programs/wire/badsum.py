#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
#
# badsum.py FILE INTERFACE    send a captured packet of RoCE version 2 over IPv4 that has a
#                             UDP checksum, the latest to the interface's peer, once as it was
#                             and twice with another checksum. The ICRC does not cover that.
import socket
import struct
import sys

ROCE = 4791
UDP = 14 + 20
CHECKSUM = UDP + 6


def frames(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 24
    while at + 16 <= len(data):
        length = struct.unpack_from("<I", data, at + 8)[0]
        yield data[at + 16:at + 16 + length]
        at += 16 + length


def is_summed(frame, source):
    return (frame[6:12] == source and frame[12:15] == b"\x08\x00\x45" and frame[23] == 17 and
            struct.unpack_from("!H", frame, UDP + 2)[0] == ROCE and
            frame[CHECKSUM:CHECKSUM + 2] != b"\0\0")


def main(path, name):
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sock:
        sock.bind((name, 0))
        source = sock.getsockname()[4]
        frame = bytearray([f for f in frames(path) if is_summed(f, source)][-1])
        sock.send(frame)
        for bit in (1, 128):
            frame[CHECKSUM + 1] ^= bit
            sock.send(frame)
            frame[CHECKSUM + 1] ^= bit


main(*sys.argv[1:])
