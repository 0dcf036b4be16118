# SPDX-License-Identifier: GPL-2.0
"""RC between a queue pair of a device and raw packets from an address of another namespace."""
import ctypes
import os
import socket
import struct
import zlib

import pyverbs.enums as e
from pyverbs.addr import AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr

PORT, MTU, PEER_QPN = 4791, 1024, 0x77
SO_RCVBUFFORCE, CLONE_NEWNET = 33, 0x40000000
ACCESS = (e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_READ | e.IBV_ACCESS_REMOTE_WRITE |
          e.IBV_ACCESS_REMOTE_ATOMIC)


def enter(namespace):
    with open("/run/netns/" + namespace, "rb") as ns:
        if ctypes.CDLL(None, use_errno=True).setns(ns.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class End:
    """Memory and a queue pair in RTR, which expects PSN 0 from PEER_QPN at an address."""

    def __init__(self, name, gid_index, peer, size, requests=1):
        self.context = Context(name=name)
        self.pd = PD(self.context)
        self.cq = CQ(self.context, 100)
        self.mr = MR(self.pd, size, ACCESS)
        self.qp = QP(self.pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq,
                                         cap=QPCap(max_send_wr=requests, max_recv_wr=10)))
        init = QPAttr(qp_state=e.IBV_QPS_INIT, port_num=1)
        init.qp_access_flags = ACCESS
        self.qp.to_init(init)
        self.attr = QPAttr(qp_state=e.IBV_QPS_RTR, port_num=1)
        self.attr.path_mtu, self.attr.dest_qp_num, self.attr.rq_psn = e.IBV_MTU_1024, PEER_QPN, 0
        self.attr.max_dest_rd_atomic, self.attr.min_rnr_timer = 16, 12
        gid = GID("0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x" %
                  tuple(socket.inet_aton(peer)))
        self.attr.ah_attr = AHAttr(port_num=1, is_global=1,
                                   gr=GlobalRoute(dgid=gid, sgid_index=gid_index, hop_limit=64))
        self.qp.to_rtr(self.attr)

    def to_rts(self):
        """A local ACK timeout of 67 ms"""
        self.attr.sq_psn, self.attr.timeout, self.attr.retry_cnt, self.attr.rnr_retry = 0, 14, 7, 7
        self.attr.max_rd_atomic = 16
        self.qp.to_rts(self.attr)


class Sockets:
    """Raw packets from an address to another, and what comes to it from there."""

    def __init__(self, source, target):
        self.target = target
        self.addresses = socket.inet_aton(source) + socket.inet_aton(target)
        self.tx = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        self.rx = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.rx.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 400 << 20)
        self.rx.bind((source, PORT))
        self.rx.setblocking(False)

    def send(self, bth, rest=b""):
        length = 20 + 8 + len(bth + rest) + 4
        ip = struct.pack(">BBHHHBBH", 0x45, 0, length, 1, 0x4000, 64, 17, 0) + self.addresses
        udp = struct.pack(">HHHH", 0xc123, PORT, length - 20, 0)
        # What routers change is ones for the ICRC.
        masked = bytearray(b"\xff" * 8 + ip + udp + bth + rest)
        for at in (1, 8, 10, 11, 26, 27, 32):
            masked[8 + at] = 0xff
        icrc = struct.pack("<I", zlib.crc32(bytes(masked)))
        self.tx.sendto(ip + udp + bth + rest + icrc, (self.target, 0))
