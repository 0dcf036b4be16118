#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What looks at packets, one at a time, until it is killed.

usage: watchers.py capture INTERFACE|any     a packet socket
       watchers.py ipv4 INTERFACE|any        one that is for IPv4 alone
       watchers.py arp any                   one that is for ARP alone, and sees none of ours
       watchers.py fanout INTERFACE|any      two for IPv4 that share what comes
       watchers.py xdp INTERFACE             a program of BPF that lets all pass
       watchers.py cgroup FOLDER             the same, for what sockets of a cgroup send
       watchers.py iptables                  the hooks of an empty table 'filter' of IPv4, which
                                             stay until the namespace goes

Prints 'ready' when it is there.
"""
import ctypes
import os
import signal
import socket
import struct
import sys

SYS_BPF = 321
PROG_LOAD, LINK_CREATE = 5, 28
TYPE_XDP, TYPE_CGROUP_SKB = 6, 8
ATTACH_XDP, ATTACH_EGRESS = 37, 1
XDP_PASS, SKB_PASS = 2, 1
XDP_SKB_MODE = 2
ETH_P_ALL, ETH_P_IP, ETH_P_ARP = 3, 0x800, 0x806
SOL_PACKET, PACKET_FANOUT = 263, 18
IPT_GET_INFO, IPT_INFO_BYTES = 64, 84

libc = ctypes.CDLL(None, use_errno=True)


def failed(what):
    error = ctypes.get_errno()
    sys.exit(f"{what}: {os.strerror(error)}")


def bpf(command, attr):
    buffer = ctypes.create_string_buffer(attr, 128)
    fd = libc.syscall(SYS_BPF, command, buffer, len(attr))
    if fd < 0:
        failed(f"bpf({command})")
    return fd


def program(kind, result):
    """r0 = result; exit"""
    code = ctypes.create_string_buffer(struct.pack("<BBhiBBhi", 0xb7, 0, 0, result, 0x95, 0, 0, 0))
    words = ctypes.create_string_buffer(b"GPL")
    return bpf(PROG_LOAD, struct.pack("<IIQQIIQII", kind, 2, ctypes.addressof(code),
                                      ctypes.addressof(words), 0, 0, 0, 0, 0))


def capture(name, protocol=ETH_P_ALL):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(protocol))
    if name != "any":
        sock.bind((name, protocol))
    return sock


def ipv4(name):
    return capture(name, ETH_P_IP)


def arp(name):
    return capture(name, ETH_P_ARP)


def fanout(name):
    socks = [ipv4(name), ipv4(name)]
    for sock in socks:
        sock.setsockopt(SOL_PACKET, PACKET_FANOUT, 1)
    return socks


def xdp(name):
    return bpf(LINK_CREATE, struct.pack("<IIII", program(TYPE_XDP, XDP_PASS),
                                        socket.if_nametoindex(name), ATTACH_XDP, XDP_SKB_MODE))


def cgroup(folder):
    return bpf(LINK_CREATE, struct.pack("<IIII", program(TYPE_CGROUP_SKB, SKB_PASS),
                                        os.open(folder, os.O_RDONLY), ATTACH_EGRESS, 0))


def iptables():
    sock = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    info = ctypes.create_string_buffer(b"filter", IPT_INFO_BYTES)
    length = ctypes.c_int(IPT_INFO_BYTES)
    if libc.getsockopt(sock.fileno(), socket.SOL_IP, IPT_GET_INFO, info, ctypes.byref(length)):
        failed("the table")
    return sock


WATCHERS = {"capture": capture, "ipv4": ipv4, "arp": arp, "fanout": fanout, "xdp": xdp,
            "cgroup": cgroup, "iptables": iptables}

if len(sys.argv) < 2 or sys.argv[1] not in WATCHERS:
    sys.exit(__doc__)
# Kept: it goes with the process.
kept = WATCHERS[sys.argv[1]](*sys.argv[2:])
print("ready", flush=True)
signal.pause()
