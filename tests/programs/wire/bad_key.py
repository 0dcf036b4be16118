#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A datagram to QP1 of a port, with keys of the caller's choice, which no port answers.

usage: bad_key.py DEVICE LID QKEY PKEY-INDEX
"""
import sys
import time

from pyverbs.addr import AH, AHAttr
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.enums import (IBV_ACCESS_LOCAL_WRITE, IBV_QPT_UD, IBV_SEND_SIGNALED,
                           IBV_WR_SEND)
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, SendWR

device, lid, qkey, pkey_index = sys.argv[1], *(int(a, 0) for a in sys.argv[2:])
context = Context(name=device)
pd = PD(context)
cq = CQ(context, 4)
qp = QP(pd, QPInitAttr(qp_type=IBV_QPT_UD, scq=cq, rcq=cq, cap=QPCap(1, 1, 1, 1)))
attr = QPAttr(port_num=1)
attr.qkey = 0x11111111
attr.pkey_index = pkey_index
qp.to_rts(attr)
mr = MR(pd, 256, IBV_ACCESS_LOCAL_WRITE)
wr = SendWR(opcode=IBV_WR_SEND, num_sge=1, sg=[SGE(mr.buf, 256, mr.lkey)],
            send_flags=IBV_SEND_SIGNALED)
wr.set_wr_ud(AH(pd, attr=AHAttr(dlid=lid, port_num=1)), 1, qkey)
qp.post_send(wr)
for _ in range(100):
    done, wcs = cq.poll()
    if done:
        sys.exit(0 if wcs[0].status == 0 else "status %d" % wcs[0].status)
    time.sleep(0.1)
sys.exit("never sent")
