#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""When an interface tells of what it has received: 'ethtool -c' and 'ethtool -C'.

usage: coalesce.py INTERFACE [MICROSECONDS FRAMES]	prints both
"""
import array
import fcntl
import socket
import struct
import sys

SIOCETHTOOL = 0x8946
GCOALESCE, SCOALESCE = 0x0e, 0x0f  # <linux/ethtool.h>
WORDS = 23  # of struct ethtool_coalesce


def ethtool(name, words):
    buffer = array.array("I", words)
    request = struct.pack("16sP", name.encode(), buffer.buffer_info()[0])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        fcntl.ioctl(s, SIOCETHTOOL, request)
    return list(buffer)


name = sys.argv[1]
words = ethtool(name, [GCOALESCE] + [0] * (WORDS - 1))
if len(sys.argv) > 2:
    words[0:3] = [SCOALESCE, int(sys.argv[2]), int(sys.argv[3])]
    ethtool(name, words)
    words = ethtool(name, [GCOALESCE] + [0] * (WORDS - 1))
print(*words[1:3])
