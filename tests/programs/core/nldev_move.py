#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Moves a device to a network namespace and gives it a name there, in one request.

usage: nldev_move.py DEVICE NETNS NAME

Prints the errno. Exit status: 0 the device has moved, 1 it has not.
"""
import errno
import os
import socket
import struct
import sys

NETLINK_RDMA, NLDEV, CMD_GET, CMD_SET = 20, 5, 1, 2
REQUEST, ACK, DUMP, ERROR, DONE = 1, 4, 0x300, 2, 3
DEV_INDEX, DEV_NAME, NET_NS_FD = 1, 2, 68


def attr(number, value):
    raw = struct.pack("HH", 4 + len(value), number) + value
    return raw + bytes(-len(raw) % 4)


def attrs(data):
    while len(data) >= 4:
        size, kind = struct.unpack_from("HH", data)
        yield kind & 0x3fff, data[4:size]
        data = data[size + 3 & ~3:]


def ask(sock, command, flags, payload):
    """(errno or 0, payloads of the messages)."""
    sock.send(struct.pack("IHHII", 16 + len(payload), NLDEV << 10 | command,
                          REQUEST | flags, 1, 0) + payload)
    found = []
    while True:
        data = sock.recv(1 << 17)
        while len(data) >= 16:
            size, kind = struct.unpack_from("IH", data)
            if kind in (ERROR, DONE):
                return -struct.unpack_from("i", data, 16)[0], found
            found.append(dict(attrs(data[16:size])))
            data = data[size + 3 & ~3:]


def main():
    device, netns, name = sys.argv[1:]
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_RDMA)
    sock.bind((0, 0))
    sock.settimeout(60)
    index = [one[DEV_INDEX] for one in ask(sock, CMD_GET, DUMP, b"")[1]
             if one[DEV_NAME].rstrip(b"\0").decode() == device][0]
    fd = os.open("/run/netns/" + netns, os.O_RDONLY)
    code, _ = ask(sock, CMD_SET, ACK, attr(DEV_INDEX, index) +
                  attr(NET_NS_FD, struct.pack("I", fd)) +
                  attr(DEV_NAME, name.encode() + b"\0"))
    print(errno.errorcode.get(code, code))
    return 1 if code else 0


sys.exit(main())
