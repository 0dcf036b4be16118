#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
#
# offload.py INTERFACE FEATURE on|off    what 'ethtool -K' does
import array
import fcntl
import socket
import struct
import sys

SIOCETHTOOL = 0x8946
GSSET_INFO, GSTRINGS, GFEATURES, SFEATURES = 0x37, 0x1b, 0x3a, 0x3b
SET_FEATURES, NAME_BYTES = 4, 32


def ethtool(name, request):
    text = array.array("B", request)
    address, _length = text.buffer_info()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        fcntl.ioctl(sock, SIOCETHTOOL, struct.pack("16sP16x", name.encode(), address))
    return text.tobytes()


def feature_names(name):
    info = ethtool(name, struct.pack("IIQI", GSSET_INFO, 0, 1 << SET_FEATURES, 0))
    count = struct.unpack_from("I", info, 16)[0]
    strings = ethtool(name, struct.pack("III", GSTRINGS, SET_FEATURES, count) +
                      bytes(count * NAME_BYTES))[12:]
    return [strings[i:i + NAME_BYTES].split(b"\0")[0].decode()
            for i in range(0, count * NAME_BYTES, NAME_BYTES)]


def main(name, feature, state):
    names = feature_names(name)
    bit, blocks = names.index(feature), (len(names) + 31) // 32
    words = [0] * blocks * 2
    words[bit // 32 * 2] = 1 << bit % 32
    words[bit // 32 * 2 + 1] = (state == "on") << bit % 32
    ethtool(name, struct.pack(f"II{len(words)}I", SFEATURES, blocks, *words))
    now = ethtool(name, struct.pack("II", GFEATURES, blocks) + bytes(16 * blocks))
    active = struct.unpack_from("I", now, 8 + bit // 32 * 16 + 8)[0] >> bit % 32 & 1
    return active == (state == "on")


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[3] not in ("on", "off"):
        sys.exit(open(__file__).read().split("\nimport")[0])
    sys.exit(0 if main(*sys.argv[1:]) else 1)
