#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A TCP stream; each end prints the SHA-256 of its bytes.

usage: ip_stream.py receive HOST PORT FILE	FILE is made when it listens
       ip_stream.py send HOST PORT BYTES
"""
import hashlib
import socket
import sys

way, host, port, last = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
digest = hashlib.sha256()
if way == "receive":
    server = socket.create_server((host, port))
    open(last, "w", encoding="ascii").close()
    client = server.accept()[0]
    while data := client.recv(1 << 18):
        digest.update(data)
else:
    block = bytes(range(256)) * 1024
    client = socket.create_connection((host, port))
    left = int(last)
    while left:
        piece = block[:min(left, len(block))]
        client.sendall(piece)
        digest.update(piece)
        left -= len(piece)
client.close()
print(digest.hexdigest())
