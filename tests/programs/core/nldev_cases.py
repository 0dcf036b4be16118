#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Raw requests to NLDEV: every command, with attributes that are missing, too
short or wrong, and what comes back. Numbers that differ from run to run are
printed as N.

usage: nldev_cases.py DEVICE PID PART...  the cases; PID has objects of the device
       nldev_cases.py -m COUNT            so many events of the monitor group
"""
import errno
import os
import socket
import struct
import sys

NETLINK_RDMA, NLDEV = 20, 5
REQUEST, MULTI, ACK, DUMP = 1, 2, 4, 0x300
ERROR, DONE = 2, 3

# Of the newest kernel; the numbers never change.
COMMANDS = {n: i for i, n in enumerate(
    "UNSPEC GET SET NEWLINK DELLINK PORT_GET SYS_GET SYS_SET FREE RES_GET "
    "RES_QP_GET RES_CM_ID_GET RES_CQ_GET RES_MR_GET RES_PD_GET GET_CHARDEV "
    "STAT_SET STAT_GET STAT_DEL RES_QP_GET_RAW RES_CQ_GET_RAW RES_MR_GET_RAW "
    "RES_CTX_GET RES_SRQ_GET STAT_GET_STATUS RES_SRQ_GET_RAW NEWDEV DELDEV "
    "MONITOR NUM_OPS".split())}
# Of 7.x, where the older kernels' number of commands is one of them.
COMMANDS["FRMR_POOLS_GET"] = COMMANDS["MONITOR"] + 1
COMMANDS["FRMR_POOLS_SET"] = COMMANDS["MONITOR"] + 2

# NAME:KIND by number. b u8, w u32, q u64, s string, n nest, x bytes; in
# capitals if the number differs from run to run.
ATTRS = ("PAD:x DEV_INDEX:W DEV_NAME:s PORT_INDEX:w CAP_FLAGS:q FW_VERSION:s "
         "NODE_GUID:Q SYS_IMAGE_GUID:Q SUBNET_PREFIX:q LID:w SM_LID:w LMC:b "
         "PORT_STATE:b PORT_PHYS_STATE:b DEV_NODE_TYPE:b RES_SUMMARY:n "
         "RES_SUMMARY_ENTRY:n RES_SUMMARY_ENTRY_NAME:s "
         "RES_SUMMARY_ENTRY_CURR:q RES_QP:n RES_QP_ENTRY:n RES_LQPN:W "
         "RES_RQPN:w RES_RQ_PSN:w RES_SQ_PSN:w RES_PATH_MIG_STATE:b "
         "RES_TYPE:b RES_STATE:b RES_PID:W RES_KERN_NAME:s RES_CM_ID:n "
         "RES_CM_ID_ENTRY:n RES_PS:w RES_SRC_ADDR:x RES_DST_ADDR:x RES_CQ:n "
         "RES_CQ_ENTRY:n RES_CQE:w RES_USECNT:q RES_POLL_CTX:b RES_MR:n "
         "RES_MR_ENTRY:n RES_RKEY:W RES_LKEY:W RES_IOVA:Q RES_MRLEN:q "
         "RES_PD:n RES_PD_ENTRY:n RES_LOCAL_DMA_LKEY:W "
         "RES_UNSAFE_GLOBAL_RKEY:W NDEV_INDEX:W NDEV_NAME:s DRIVER:n "
         "DRIVER_ENTRY:n DRIVER_STRING:s DRIVER_PRINT_TYPE:b DRIVER_S32:w "
         "DRIVER_U32:w DRIVER_S64:q DRIVER_U64:q RES_PDN:W RES_CQN:W "
         "RES_MRN:W RES_CM_IDN:W RES_CTXN:W LINK_TYPE:s NETNS_MODE:b "
         "DEV_PROTOCOL:s NET_NS_FD:w CHARDEV_TYPE:s CHARDEV_NAME:s "
         "CHARDEV_ABI:q CHARDEV:Q UVERBS_DRIVER_ID:q STAT_MODE:w STAT_RES:w "
         "STAT_AUTO_MODE_MASK:w STAT_COUNTER:n STAT_COUNTER_ENTRY:n "
         "STAT_COUNTER_ID:W STAT_HWCOUNTERS:n STAT_HWCOUNTER_ENTRY:n "
         "STAT_HWCOUNTER_ENTRY_NAME:s STAT_HWCOUNTER_ENTRY_VALUE:Q DEV_DIM:b "
         "RES_RAW:x RES_CTX:n RES_CTX_ENTRY:n RES_SRQ:n RES_SRQ_ENTRY:n "
         "RES_SRQN:W MIN_RANGE:W MAX_RANGE:W COPY_ON_FORK:b "
         "STAT_HWCOUNTER_INDEX:w STAT_HWCOUNTER_DYNAMIC:b "
         "PRIVILEGED_QKEY_MODE:b DRIVER_DETAILS:b RES_SUBTYPE:s DEV_TYPE:b "
         "PARENT_NAME:s NAME_ASSIGN_TYPE:b EVENT_TYPE:b "
         "MONITOR_MODE:b STAT_OPCOUNTER_ENABLED:b FRMR_POOLS:n "
         "FRMR_POOL_ENTRY:n FRMR_POOL_KEY:n FRMR_POOL_KEY_ATS:b "
         "FRMR_POOL_KEY_ACCESS_FLAGS:w FRMR_POOL_KEY_VENDOR_KEY:q "
         "FRMR_POOL_KEY_NUM_DMA_BLOCKS:q FRMR_POOL_QUEUE_HANDLES:w "
         "FRMR_POOL_MAX_IN_USE:q FRMR_POOL_IN_USE:q "
         "FRMR_POOLS_AGING_PERIOD:w FRMR_POOL_PINNED_HANDLES:w "
         "FRMR_POOL_KEY_KERNEL_VENDOR_KEY:q RES_SUMMARY_ENTRY_MAX:q").split()
NAMES = [a.split(":")[0] for a in ATTRS]
KINDS = [a.split(":")[1] for a in ATTRS]
NUMBER = {n: i for i, n in enumerate(NAMES)}


def attr(name, value):
    """An attribute; an int gets the size of its kind, bytes go as they are."""
    if isinstance(value, int):
        size = {"b": "B", "w": "I", "q": "Q"}[KINDS[NUMBER[name]].lower()]
        value = struct.pack(size, value)
    elif isinstance(value, str):
        value = value.encode() + b"\0"
    raw = struct.pack("HH", 4 + len(value), NUMBER[name]) + value
    return raw + bytes(-len(raw) % 4)


# Statistics of what: kinds are named by the attributes of their tables.
QP_STAT = attr("STAT_RES", NUMBER["RES_QP"])
MR_STAT = attr("STAT_RES", NUMBER["RES_MR"])


def split(data):
    while len(data) >= 4:
        size, kind = struct.unpack_from("HH", data)
        if size < 4 or size > len(data):
            break
        yield kind, data[4:size]
        data = data[size + 3 & ~3:]
    if data:
        yield -1, data


def show(data, indent, in_order=False):
    parts = list(split(data))
    for number, value in sorted(parts) if in_order else parts:
        flags, number = number & 0xc000, number & 0x3fff
        pad = "  " * indent
        if not 0 <= number < len(NAMES):
            print(pad + "attribute %d" % number)
            continue
        name, kind = NAMES[number], KINDS[number]
        if number == 0:
            continue
        mark = " nested" if flags else ""
        if kind == "n":
            print("%s%s%s" % (pad, name, mark))
            # Pools of regions are a set.
            show(value, indent + 1, name == "FRMR_POOLS")
        elif kind == "s":
            print("%s%s '%s'" % (pad, name, value.rstrip(b"\0").decode()))
        elif kind == "x":
            print("%s%s %d bytes" % (pad, name, len(value)))
        elif len(value) != {"b": 1, "w": 4, "q": 8}[kind.lower()]:
            print("%s%s has %d bytes" % (pad, name, len(value)))
        else:
            n = int.from_bytes(value, sys.byteorder)
            print("%s%s %s" % (pad, name, "N" if kind.isupper() else n))


def values(data, name):
    """Every value of an attribute, at whatever depth."""
    found = []
    for number, value in split(data):
        number &= 0x3fff
        if not 0 < number < len(NAMES):
            continue
        if NAMES[number] == name:
            found.append(value)
        elif KINDS[number] == "n":
            found += values(value, name)
    return found


class Nldev:
    def __init__(self, groups=0):
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                                  NETLINK_RDMA)
        self.sock.bind((0, 0))
        for group in range(1, 32):
            if groups & 1 << group:
                self.sock.setsockopt(270, 1, group)
        self.sock.settimeout(20)
        self.seq = 0

    def messages(self):
        data = self.sock.recv(1 << 17)
        while len(data) >= 16:
            size, kind, flags, seq, port = struct.unpack_from("IHHII", data)
            yield kind, flags, seq, data[16:size]
            data = data[size + 3 & ~3:]

    def ask(self, command, payload, flags=0):
        """(errno or 0, the payloads of the answers)."""
        self.seq += 1
        kind = NLDEV << 10 | COMMANDS[command]
        self.sock.send(struct.pack("IHHII", 16 + len(payload), kind,
                                   REQUEST | ACK | flags, self.seq, 0) +
                       payload)
        answers = []
        while True:
            for kind, _, seq, data in self.messages():
                if seq != self.seq:
                    continue
                if kind == ERROR or kind == DONE:
                    code = struct.unpack_from("i", data)[0] if data else 0
                    return -code, answers
                answers.append(data)


def result(code):
    return errno.errorcode.get(code, str(code)) if code else "ok"


class Cases:
    def __init__(self, device):
        self.nl = Nldev()
        self.device = device
        self.dev = attr("DEV_INDEX", self.index_of(device))
        self.port = attr("PORT_INDEX", 1)

    def index_of(self, name):
        for data in self.nl.ask("GET", b"", DUMP)[1]:
            if values(data, "DEV_NAME")[0].rstrip(b"\0").decode() == name:
                return values(data, "DEV_INDEX")[0]
        sys.exit("no device " + name)

    def case(self, text, command, payload=b"", flags=0, quiet=False):
        code, found = self.nl.ask(command, payload, flags)
        what = "dump" if flags & DUMP else "do"
        print("%s %s, %s: %s%s" % (command, what, text, result(code),
                                  "" if found or code else ", no answer"))
        if not quiet:
            for data in found:
                show(data, 1)
        return found

    def bad_devices(self, command, more=b"", flags=0):
        """What every command makes of a DEV_INDEX that is none."""
        for text, payload in (
                ("no attribute", b""),
                ("no device", more),
                ("no such device", attr("DEV_INDEX", 0x7ffffff) + more),
                ("short index", attr("DEV_INDEX", b"\1\0") + more),
                ("long index", self.dev + more +
                    attr("DEV_INDEX", b"\1\0\0\0\0\0\0\0")),
                ("half an attribute", b"\x09\0\1\0" + more)):
            self.case(text, command, payload, flags, quiet=True)

    def bad_ports(self, command, more=b"", flags=0):
        for text, port in (("no port", b""),
                           ("port 0", attr("PORT_INDEX", 0)),
                           ("port 77", attr("PORT_INDEX", 77)),
                           ("short port", attr("PORT_INDEX", b"\1"))):
            self.case(text, command, self.dev + port + more, flags,
                      quiet=True)

    def of_process(self, command, pid, number, tell=False):
        """Ids of the objects of a process, from a dump."""
        entry = command.replace("_GET", "_ENTRY")
        found = []
        for data in self.nl.ask(command, self.dev, DUMP)[1]:
            for line in values(data, entry):
                owner = values(line, "RES_PID")
                if owner and struct.unpack("I", owner[0])[0] == pid:
                    found += values(line, number)
                    if tell:
                        print("%s dump, an entry" % command)
                        show(line, 1)
        return found

    def resource(self, command, number, pid):
        self.bad_devices(command, attr(number, 1))
        self.bad_devices(command, b"", DUMP)
        self.bad_ports(command, attr(number, 0x7ffffff))
        self.bad_ports(command, b"", DUMP)
        self.case("no id", command, self.dev)
        self.case("no id, port", command, self.dev + self.port)
        self.case("no such id", command, self.dev + attr(number, 0x7ffffff))
        self.case("no such id, port", command,
                  self.dev + self.port + attr(number, 0x7ffffff))
        self.case("short id", command, self.dev + attr(number, b"\1"))
        raw = {"RES_QP_GET", "RES_CQ_GET", "RES_MR_GET", "RES_SRQ_GET"}
        kinds = [command] + ([command + "_RAW"] if command in raw else [])
        for kind in kinds:
            if kind != command:
                self.case("no attribute", kind)
                self.case("of the device", kind, self.dev, DUMP, quiet=True)
                self.case("no id", kind, self.dev + self.port)
                self.case("no such id", kind,
                          self.dev + attr(number, 0x7ffffff))
            for which in self.of_process(command, pid, number,
                                         kind == command):
                one = attr(number, which)
                self.case("one", kind, self.dev + one)
                self.case("one, port", kind, self.dev + self.port + one)
                self.case("one, port 2", kind,
                          self.dev + attr("PORT_INDEX", 2) + one)
                self.case("one, details", kind,
                          self.dev + one + attr("DRIVER_DETAILS", 1))

    def resources(self, pid):
        for command, number in (
                ("RES_QP_GET", "RES_LQPN"), ("RES_CM_ID_GET", "RES_CM_IDN"),
                ("RES_CQ_GET", "RES_CQN"), ("RES_MR_GET", "RES_MRN"),
                ("RES_PD_GET", "RES_PDN"), ("RES_CTX_GET", "RES_CTXN"),
                ("RES_SRQ_GET", "RES_SRQN")):
            self.resource(command, number, pid)

    def statistics(self, pid):
        qp, mr = QP_STAT, MR_STAT
        none = attr("STAT_RES", 77)
        for res in (b"", qp, mr, none):
            self.bad_devices("STAT_GET", res)
            self.bad_devices("STAT_GET", res, DUMP)
            self.bad_ports("STAT_GET", res)
            self.bad_ports("STAT_GET", res, DUMP)
            self.case("all", "STAT_GET", self.dev + res, DUMP)
            self.case("port", "STAT_GET", self.dev + self.port + res)
        self.case("mode", "STAT_GET",
                  self.dev + self.port + qp + attr("STAT_MODE", 0))
        self.case("mode, port 77", "STAT_GET", self.dev +
                  attr("PORT_INDEX", 77) + qp + attr("STAT_MODE", 0))
        self.case("no such counter", "STAT_GET", self.dev + self.port + qp +
                  attr("STAT_COUNTER_ID", 0x7ffffff))
        self.case("no such counter, no port", "STAT_GET", self.dev + qp +
                  attr("STAT_COUNTER_ID", 0x7ffffff))
        self.case("no such MR", "STAT_GET", self.dev + mr +
                  attr("RES_MRN", 0x7ffffff))
        self.bad_devices("STAT_GET_STATUS", self.port)
        self.bad_ports("STAT_GET_STATUS")
        self.case("port", "STAT_GET_STATUS", self.dev + self.port)
        self.case("dump", "STAT_GET_STATUS", self.dev + self.port, DUMP)

    def bindings(self, pid):
        qp, mr = QP_STAT, MR_STAT
        here = self.dev + self.port
        mode = {n: attr("STAT_MODE", i) for i, n in
                enumerate(("none", "auto", "manual", "more"))}
        no_qp = attr("RES_LQPN", 0x7ffffff)
        self.bad_devices("STAT_SET", self.port + qp + mode["manual"] + no_qp)
        self.bad_ports("STAT_SET", qp + mode["manual"] + no_qp)
        for text, more in (
                ("nothing", b""), ("no mode", qp), ("no kind", mode["auto"]),
                ("of an MR", mr + mode["auto"]),
                ("short mode", qp + attr("STAT_MODE", b"\1")),
                ("auto off", qp + mode["auto"] +
                    attr("STAT_AUTO_MODE_MASK", 0)),
                ("auto without a mask", qp + mode["auto"]),
                ("auto with strange bits", qp + mode["auto"] +
                    attr("STAT_AUTO_MODE_MASK", 0x80)),
                ("manual without a QP", qp + mode["manual"]),
                ("manual, no such QP", qp + mode["manual"] + no_qp),
                ("mode 0, no such QP", qp + mode["none"] + no_qp),
                ("mode 3, no such QP", qp + mode["more"] + no_qp),
                ("manual, no such QP, counter", qp + mode["manual"] + no_qp +
                    attr("STAT_COUNTER_ID", 1)),
                ("no optional counter", attr("STAT_HWCOUNTERS", b"")),
                ("optional counter 77", attr("STAT_HWCOUNTERS", attr(
                    "STAT_HWCOUNTER_ENTRY", b"\x4d\0\0\0"))),
                ("optional counter 0", attr("STAT_HWCOUNTERS", attr(
                    "STAT_HWCOUNTER_ENTRY", bytes(4)))),
                ("short optional counter", attr("STAT_HWCOUNTERS", attr(
                    "STAT_HWCOUNTER_ENTRY", b"\1")))):
            self.case(text, "STAT_SET", here + more)
        which = self.of_process("RES_QP_GET", pid, "RES_LQPN")
        for one in which:
            lqpn = attr("RES_LQPN", one)
            self.case("a QP, port 2", "STAT_SET", self.dev +
                      attr("PORT_INDEX", 2) + qp + mode["manual"] + lqpn)
            self.case("a QP, no such counter", "STAT_SET", here + qp +
                      mode["manual"] + lqpn + attr("STAT_COUNTER_ID", 0x7ffff))
            found = self.case("a QP", "STAT_SET",
                              here + qp + mode["manual"] + lqpn)
            self.case("the same QP", "STAT_SET",
                      here + qp + mode["manual"] + lqpn)
            self.case("auto now", "STAT_SET", here + qp + mode["auto"] +
                      attr("STAT_AUTO_MODE_MASK", 1))
            self.case("auto off now", "STAT_SET", here + qp + mode["auto"] +
                      attr("STAT_AUTO_MODE_MASK", 0))
            self.case("counters now", "STAT_GET", self.dev + qp, DUMP)
            self.case("mode now", "STAT_GET",
                      here + qp + attr("STAT_MODE", 0))
            for counter in [c for data in found
                            for c in values(data, "STAT_COUNTER_ID")]:
                its = attr("STAT_COUNTER_ID", counter)
                self.case("the counter", "STAT_GET", here + qp + its)
                self.case("the counter, no port", "STAT_GET",
                          self.dev + qp + its)
                self.case("the counter, port 2", "STAT_GET", self.dev +
                          attr("PORT_INDEX", 2) + qp + its)
                self.case("no QP", "STAT_DEL", here + qp + its)
                self.case("port 2", "STAT_DEL", self.dev + qp + its + lqpn +
                          attr("PORT_INDEX", 2))
                self.case("no kind", "STAT_DEL", here + its + lqpn)
                self.case("of an MR", "STAT_DEL", here + mr + its + lqpn)
                self.case("another counter", "STAT_DEL", here + qp + lqpn +
                          attr("STAT_COUNTER_ID", 0x7ffffff))
                self.case("no such QP", "STAT_DEL", here + qp + its + no_qp)
                for other in [w for w in which if w != one]:
                    self.case("a second QP of it", "STAT_SET", here + qp +
                              mode["manual"] + its + attr("RES_LQPN", other))
                    self.case("the second goes", "STAT_DEL", here + qp + its +
                              attr("RES_LQPN", other))
                self.case("the QP", "STAT_DEL", here + qp + its + lqpn)
                self.case("once more", "STAT_DEL", here + qp + its + lqpn)
                self.case("a counter that is gone", "STAT_GET",
                          here + qp + its)
            self.case("the QP without", "STAT_DEL", here + qp + lqpn +
                      attr("STAT_COUNTER_ID", 1))
        self.case("counters after", "STAT_GET", self.dev + qp, DUMP)
        self.case("mode after", "STAT_GET", here + qp + attr("STAT_MODE", 0))
        self.bad_devices("STAT_DEL", self.port + qp + no_qp +
                         attr("STAT_COUNTER_ID", 1))
        self.bad_ports("STAT_DEL", qp + no_qp + attr("STAT_COUNTER_ID", 1))

    def devices(self):
        self.bad_devices("GET")
        self.case("the device", "GET", self.dev)
        self.bad_devices("PORT_GET", self.port)
        self.bad_devices("PORT_GET", b"", DUMP)
        self.bad_ports("PORT_GET")
        self.case("ports", "PORT_GET", self.dev, DUMP)
        self.bad_devices("RES_GET")
        self.case("the device", "RES_GET", self.dev, quiet=True)
        self.case("all", "RES_GET", b"", DUMP, quiet=True)
        self.case("system", "SYS_GET")
        self.case("system", "SYS_GET", b"", DUMP)
        for text, more in (("nothing", b""), ("mode 2", attr("NETNS_MODE", 2)),
                           ("short mode", attr("NETNS_MODE", b"")),
                           ("long mode", attr("NETNS_MODE", bytes(4))),
                           ("qkey 2", attr("PRIVILEGED_QKEY_MODE", 2)),
                           ("fork", attr("COPY_ON_FORK", 0)),
                           ("monitor", attr("MONITOR_MODE", 0))):
            self.case(text, "SYS_SET", more)
        self.bad_devices("SET", attr("DEV_DIM", 1))
        for text, more in (("nothing", b""), ("dim 2", attr("DEV_DIM", 2)),
                           ("dim 1", attr("DEV_DIM", 1)),
                           ("dim 0", attr("DEV_DIM", 0)),
                           ("short dim", attr("DEV_DIM", b"")),
                           ("fd", attr("NET_NS_FD", 0x7fffffff)),
                           ("a file that is no namespace",
                               attr("NET_NS_FD", 0)),
                           ("long name", attr("DEV_NAME", "x" * 64)),
                           ("name without end",
                               attr("DEV_NAME", b"x" * 8)),
                           ("own name", attr("DEV_NAME", self.device)),
                           ("empty name", attr("DEV_NAME", ""))):
            self.case(text, "SET", self.dev + more)
        self.bad_devices("GET_CHARDEV", attr("CHARDEV_TYPE", "uverbs"))
        self.case("no type", "GET_CHARDEV", self.dev)
        self.case("no such type", "GET_CHARDEV",
                  self.dev + attr("CHARDEV_TYPE", "nosuch"))
        self.case("long type", "GET_CHARDEV",
                  self.dev + attr("CHARDEV_TYPE", "x" * 33))
        self.case("uverbs", "GET_CHARDEV", self.dev +
                  attr("CHARDEV_TYPE", "uverbs"), quiet=True)
        self.case("uverbs of a port", "GET_CHARDEV", self.dev + self.port +
                  attr("CHARDEV_TYPE", "uverbs"), quiet=True)
        self.case("uverbs of port 77", "GET_CHARDEV", self.dev +
                  attr("PORT_INDEX", 77) + attr("CHARDEV_TYPE", "uverbs"))
        for text, more in (
                ("nothing", b""),
                ("no netdev", attr("DEV_NAME", "x1") +
                    attr("LINK_TYPE", "rxe")),
                ("no type", attr("DEV_NAME", "x1") +
                    attr("NDEV_NAME", "lo")),
                ("no name", attr("LINK_TYPE", "rxe") +
                    attr("NDEV_NAME", "lo")),
                ("long type", attr("DEV_NAME", "x1") +
                    attr("LINK_TYPE", "x" * 17) + attr("NDEV_NAME", "lo"))):
            self.case(text, "NEWLINK", more)
        self.bad_devices("DELLINK")

    def strangers(self):
        """Commands without an operation, and beyond the last."""
        for command in ("UNSPEC", "FREE", "MONITOR", "NUM_OPS"):
            self.case("nothing", command)
            self.case("nothing", command, b"", DUMP)
            self.case("the device", command, self.dev)

    def subdevices(self):
        name = attr("DEV_NAME", "sub0")
        kind = attr("DEV_TYPE", 1)
        self.bad_devices("NEWDEV", name + kind)
        self.bad_devices("DELDEV")
        for text, more in (("nothing", b""), ("no name", kind),
                           ("no type", name),
                           ("short type", name + attr("DEV_TYPE", b"")),
                           ("type 0", name + attr("DEV_TYPE", 0)),
                           ("type 7", name + attr("DEV_TYPE", 7)),
                           ("type 1", name + kind),
                           ("the same name", name + kind)):
            self.case(text, "NEWDEV", self.dev + more)
        code, found = self.nl.ask("GET", b"", DUMP)
        subs = []
        for data in found:
            if values(data, "PARENT_NAME"):
                show(data, 1)
                subs.append(values(data, "DEV_INDEX")[0])
        self.case("one that is no part", "DELDEV", self.dev)
        for sub in subs:
            index = attr("DEV_INDEX", sub)
            self.case("a part of a part", "NEWDEV", index + kind +
                      attr("DEV_NAME", "subsub"))
            self.case("a part", "DELDEV", index)
            self.case("the same", "DELDEV", index)

    def parts(self):
        """What the stock core does not survive."""
        kind = attr("DEV_TYPE", 1)
        for text, name in (("a pattern", "s%d"), ("empty", ""),
                           ("a slash", "a/b")):
            self.case(text, "NEWDEV", self.dev + kind + attr("DEV_NAME", name))
        self.case("one", "NEWDEV", self.dev + kind + attr("DEV_NAME", "part1"))
        self.case("two", "NEWDEV", self.dev + kind + attr("DEV_NAME", "part2"))
        part = self.index_of("part1")
        self.case("the first, by DELLINK", "DELLINK",
                  attr("DEV_INDEX", part))
        self.case("the first again", "DELDEV", attr("DEV_INDEX", part))

    def pools(self):
        """Pools of regions, of a device that has some: 7.x."""
        def key(vendor=0, blocks=1, flags=1, kernel=0, ats=0):
            return nest(attr("FRMR_POOL_KEY_ATS", ats) +
                        attr("FRMR_POOL_KEY_ACCESS_FLAGS", flags) +
                        attr("FRMR_POOL_KEY_VENDOR_KEY", vendor) +
                        attr("FRMR_POOL_KEY_NUM_DMA_BLOCKS", blocks) +
                        (attr("FRMR_POOL_KEY_KERNEL_VENDOR_KEY", kernel)
                         if kernel else b""))

        def nest(parts):
            raw = bytearray(attr("FRMR_POOL_KEY", parts))
            raw[3] |= 0x80
            return bytes(raw)

        def pinned(count):
            return attr("FRMR_POOL_PINNED_HANDLES", count)

        self.bad_devices("FRMR_POOLS_GET")
        self.bad_devices("FRMR_POOLS_GET", b"", DUMP)
        self.case("the device", "FRMR_POOLS_GET", self.dev)
        self.case("the device", "FRMR_POOLS_GET", self.dev, DUMP)
        self.bad_devices("FRMR_POOLS_SET",
                         attr("FRMR_POOLS_AGING_PERIOD", 600))
        for text, more in (
                ("nothing", b""), ("period 0",
                                   attr("FRMR_POOLS_AGING_PERIOD", 0)),
                ("a short period", attr("FRMR_POOLS_AGING_PERIOD", b"\1")),
                ("a period", attr("FRMR_POOLS_AGING_PERIOD", 600)),
                ("a key alone", key()), ("handles alone", pinned(2)),
                ("handles of no key", nest(b"") + pinned(0)),
                ("a key that is no nest", attr("FRMR_POOL_KEY", attr(
                    "FRMR_POOL_KEY_NUM_DMA_BLOCKS", 1)) + pinned(1)),
                ("handles of half a key", nest(attr(
                    "FRMR_POOL_KEY_NUM_DMA_BLOCKS", 1)) + pinned(1)),
                ("a strange attribute in a key", nest(attr(
                    "DEV_NAME", "x")) + pinned(0)),
                ("a short one", nest(attr(
                    "FRMR_POOL_KEY_ATS", b"")) + pinned(0)),
                ("handles of a key", key(1, 4) + pinned(3)),
                ("more of it", key(1, 4) + pinned(5)),
                ("less of it", key(1, 4) + pinned(2)),
                ("of a key that the driver refuses", key(7) + pinned(1)),
                ("of the kernel", key(0, 1, 1, 1) + pinned(1)),
                ("with ATS", key(1, 4, 1, 0, 1) + pinned(1)),
                ("with ATS 2", key(1, 4, 1, 0, 2) + pinned(1)),
                ("a period and handles", key(1, 8) + pinned(1) +
                    attr("FRMR_POOLS_AGING_PERIOD", 700))):
            self.case(text, "FRMR_POOLS_SET", self.dev + more)
        self.case("all", "FRMR_POOLS_GET", self.dev, DUMP)
        self.case("with details", "FRMR_POOLS_GET",
                  self.dev + attr("DRIVER_DETAILS", 1), DUMP)

    def race(self):
        """Processes add and delete the same parts until the device goes."""
        children = []
        for number in range(4):
            child = os.fork()
            if not child:
                self.nl = Nldev()
                self.add_and_delete("race%d" % (number % 2))
                os._exit(0)
            children.append(child)
        if any([os.waitpid(child, 0)[1] for child in children]):
            sys.exit("a process failed")

    def add_and_delete(self, name):
        part = self.dev + attr("DEV_TYPE", 1) + attr("DEV_NAME", name)
        wanted = name.encode() + b"\0"
        rounds = 0
        while self.nl.ask("NEWDEV", part)[0] != errno.EINVAL:
            for data in self.nl.ask("GET", b"", DUMP)[1]:
                if values(data, "DEV_NAME") == [wanted]:
                    self.nl.ask("DELDEV", attr(
                        "DEV_INDEX", values(data, "DEV_INDEX")[0]))
            rounds += 1
            if rounds == 5:
                print("busy", flush=True)


def monitor(count):
    nl = Nldev(1 << 4)
    # The other side makes and renames devices, on a machine that may be loaded.
    nl.sock.settimeout(300)
    print("ready", flush=True)
    while count:
        for kind, _, _, data in nl.messages():
            print("event, command %d" % (kind & 0x3ff))
            show(data, 1)
            sys.stdout.flush()
            count -= 1


def main():
    if sys.argv[1] == "-m":
        monitor(int(sys.argv[2]))
        return
    cases = Cases(sys.argv[1])
    pid = int(sys.argv[2])
    for part in sys.argv[3:]:
        if part in ("resources", "statistics", "bindings"):
            getattr(cases, part)(pid)
        else:
            getattr(cases, part)()


main()
