#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Datagrams to multicast groups 239.9.0.1 and up, each with its number in it.

usage: groups.py hear ADDRESS NUMBER DONE	join that many there; make the file DONE
						when each has brought its own
       groups.py send NUMBER			one to each
"""
import socket
import sys

PORT = 6000


def group(number):
    return "239.9.0.%d" % (number + 1)


def hear(address, number, done):
    sockets = []
    for i in range(number):
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind((group(i), PORT))
        s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                     socket.inet_aton(group(i)) + socket.inet_aton(address))
        s.settimeout(120)
        sockets.append(s)
    for i, s in enumerate(sockets):
        if s.recv(100) != b"%d" % i:
            sys.exit("not for %s" % group(i))
    open(done, "w").close()


def send(number):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for i in range(number):
        s.sendto(b"%d" % i, (group(i), PORT))


if sys.argv[1] == "hear":
    hear(sys.argv[2], int(sys.argv[3]), sys.argv[4])
else:
    send(int(sys.argv[2]))
