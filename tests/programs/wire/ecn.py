#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A peer out of raw packets, and a path between that marks them: does a device tell the peer,
and what does it do when it is told?

usage: ecn.py DEVICE GID-INDEX NETNS OWN ITS OTHER
    NETNS  of the peer, which has the addresses OWN and OTHER there; ITS is the device's.

Prints a line for each thing that holds; exit status 0: all do.
"""
import ctypes
import ipaddress
import os
import select
import socket
import struct
import sys
import time
import zlib

import pyverbs.enums as e
from pyverbs.addr import AHAttr, GlobalRoute, GID
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr

MTU = 1024
PORT = 4791
PEER_QPN = 0x77
WRITE_ONLY, ACK, CNP = 0x0a, 0x11, 0x81
ECT0, CE = 2, 3


class Device:
    """The end under test: a queue pair that takes WRITEs."""

    def __init__(self, name, index, peer):
        self.name = name
        self.context = Context(name=name)
        self.cq = CQ(self.context, 10)
        access = e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE
        self.pd = PD(self.context)
        self.mr = MR(self.pd, MTU, access)
        self.qp = QP(self.pd, QPInitAttr(
            qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq,
            cap=QPCap(max_send_wr=4, max_recv_wr=1)))
        attr = QPAttr(qp_state=e.IBV_QPS_INIT, port_num=1)
        attr.qp_access_flags = access
        self.qp.to_init(attr)
        attr = QPAttr(qp_state=e.IBV_QPS_RTR, port_num=1)
        attr.path_mtu, attr.dest_qp_num, attr.rq_psn = e.IBV_MTU_1024, PEER_QPN, 0
        attr.max_dest_rd_atomic, attr.min_rnr_timer = 1, 12
        attr.ah_attr = AHAttr(port_num=1, is_global=1, gr=GlobalRoute(
            dgid=GID(peer), sgid_index=index, hop_limit=64))
        self.qp.to_rtr(attr)

    def counter(self, name):
        path = f"/sys/class/infiniband/{self.name}/ports/1/hw_counters/{name}"
        with open(path, encoding="ascii") as file:
            return int(file.read())


def gid_of(address):
    if address.version == 4:
        return str(ipaddress.IPv6Address(b"\0" * 10 + b"\xff\xff" + address.packed).exploded)
    return address.exploded


def covered_headers(source, target, length, dsfield):
    """IP and UDP headers of so many bytes behind them, and the same as the ICRC has them."""
    udp = struct.pack(">HHHH", 0xc123, PORT, 8 + length, 0)
    if source.version == 4:
        ip = struct.pack(">BBHHHBBH", 0x45, dsfield, 28 + length, 1, 0x4000, 64, 17, 0)
        masked = (1, 8, 10, 11, 26, 27)
    else:
        ip = struct.pack(">IHBB", 6 << 28 | dsfield << 20, 8 + length, 17, 64)
        masked = (1, 2, 3, 7, 46, 47)
    headers = ip + source.packed + target.packed + udp
    icrc = bytearray(headers)
    for offset in masked:
        icrc[offset] = 0xff
    if source.version == 6:
        icrc[0] |= 0x0f
    return headers, icrc


def packet(source, target, bth, rest, dsfield=0):
    headers, icrc = covered_headers(source, target, len(bth + rest) + 4, dsfield)
    icrc += bytearray(bth[:4]) + b"\xff" + bth[5:] + rest
    crc = zlib.crc32(b"\xff" * 8 + bytes(icrc))
    return headers + bth + rest + struct.pack("<I", crc)


class Peer:
    """The other end: sockets in its namespace."""

    def __init__(self, netns, own, its):
        self.own, self.its = own, its
        with open(f"/run/netns/{netns}", encoding="ascii") as file:
            assert ctypes.CDLL(None).setns(file.fileno(), 0x40000000) == 0
        family = socket.AF_INET if own.version == 4 else socket.AF_INET6
        self.raw = socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_RAW)
        self.udp = socket.socket(family, socket.SOCK_DGRAM)
        if own.version == 4:
            self.udp.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
        else:
            self.udp.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVTCLASS, 1)
            # Zero is no checksum that UDP takes here, unless it is told so.
            self.udp.setsockopt(socket.IPPROTO_UDP, 102, 1)
        self.udp.bind((str(own), PORT))

    def send(self, data):
        self.raw.sendto(data, (str(self.its), 0))

    def answers(self, seconds):
        """What comes within that time: (bytes from the BTH on, traffic class, address)"""
        found, end = [], time.monotonic() + seconds
        while select.select([self.udp], [], [], max(end - time.monotonic(), 0))[0]:
            data, notes, _flags, source = self.udp.recvmsg(8192, 256)
            dsfield = [note[2][0] for note in notes]
            found.append((data, dsfield[0] if dsfield else None, source[0]))
        return found


def write(device, peer, psn, dsfield):
    bth = struct.pack(">BBHII", WRITE_ONLY, 0x40, 0xffff, device.qp.qp_num, 1 << 31 | psn)
    reth = struct.pack(">QII", device.mr.buf, device.mr.rkey, MTU)
    peer.send(packet(peer.own, peer.its, bth, reth + b"x" * MTU, dsfield))


def notify(device, peer, source):
    bth = struct.pack(">BBHII", CNP, 0, 0xffff, 1 << 30 | device.qp.qp_num, 0)
    peer.send(packet(source, peer.its, bth, bytes(16)))


def holds(what, right):
    print("ok  " if right else "FAIL", what)
    return right


def marks_are_told(device, peer):
    sent = device.counter("np_cnp_sent")
    marked = device.counter("np_ecn_marked_roce_packets")
    for psn in range(4):
        write(device, peer, psn, CE if psn % 2 else ECT0)
    got = peer.answers(0.5)
    cnps = [answer for answer in got if answer[0][0] == CNP]
    acks = [answer for answer in got if answer[0][0] == ACK]
    told = struct.pack(">BBHII", CNP, 0, 0xffff, 1 << 30 | PEER_QPN, 0) + bytes(16)
    return all([
        holds("two marks are seen",
              device.counter("np_ecn_marked_roce_packets") == marked + 2),
        holds(f"they draw a CNP or two: {len(cnps)}", 1 <= len(cnps) <= 2),
        holds("which are counted", device.counter("np_cnp_sent") == sent + len(cnps)),
        holds("each is what annex A17 says", all(c[0][:-4] == told for c in cnps)),
        holds("from the device's address", all(c[2] == str(peer.its) for c in cnps)),
        holds(f"answers may be marked, too: {[a[1] for a in acks]}",
              acks and all(a[1] & 3 == ECT0 for a in acks)),
    ])


def notifications_count(device, peer, other):
    handled, ignored = device.counter("rp_cnp_handled"), device.counter("rp_cnp_ignored")
    for source in peer.own, other, other:
        notify(device, peer, source)
    time.sleep(0.2)
    # The counters of sysfs are up to 10 ms old.
    return all([
        holds("a CNP of the peer is taken", device.counter("rp_cnp_handled") == handled + 1),
        holds("those of another are not", device.counter("rp_cnp_ignored") == ignored + 2),
    ])


def main():
    name, index, netns = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    own, its, other = map(ipaddress.ip_address, sys.argv[4:7])
    device = Device(name, index, gid_of(own))
    peer = Peer(netns, own, its)
    return marks_are_told(device, peer) & notifications_count(device, peer, other)


sys.exit(0 if main() else 1)
