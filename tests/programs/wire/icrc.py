#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
#
# RoCE packets of a capture: what they are, and is each ICRC what it must be?
# Written from IBA vol. 1: table 38 (opcodes), section 7.8.1 (ICRC), annex A16
# (version 1) and A17.3.3 (version 2); nothing here is taken from the driver.
#
# icrc.py CAPTURE              counts, and every ICRC; fails if one is wrong
# icrc.py --list CAPTURE       'frame opcode icrc' as they should be, for comparing
# icrc.py --seen CAPTURE KIND=WORD,... ...
#                              fails if something did not occur: a WORD is a
#                              transport, for all of its opcodes, or one of them
#                              as RC:NAK_SEQUENCE
# icrc.py --flip CAPTURE SEED  flips a bit of each packet, once where the ICRC has
#                              to tell and once where it must not
# icrc.py --spoil CAPTURE NEW  a copy in which one bit of one packet is flipped
# icrc.py --divide CAPTURE NEW a copy in which runs (skbs of several packets, for UDP
#                              segmentation offload) are divided, as the network
#                              stack would; fails if there is none
#
# CAPTURE is a pcap file (not pcapng) of Ethernet frames.
import collections
import random
import struct
import sys
import zlib

# Bytes of extended headers behind the BTH, sections 9.3, A14, A17.9.3 and A19.
RETH, ATOMICETH, AETH, ATOMICACK, IMM, IETH, DETH, XRCETH = 16, 28, 4, 8, 4, 4, 8, 4
FETH, CNP = 4, 16

SENDS = [("SEND_FIRST", 0), ("SEND_MIDDLE", 0), ("SEND_LAST", 0),
         ("SEND_LAST_IMM", IMM), ("SEND_ONLY", 0), ("SEND_ONLY_IMM", IMM)]
WRITES = [("WRITE_FIRST", RETH), ("WRITE_MIDDLE", 0), ("WRITE_LAST", 0),
          ("WRITE_LAST_IMM", IMM), ("WRITE_ONLY", RETH), ("WRITE_ONLY_IMM", RETH + IMM)]
READS = [("READ_REQUEST", RETH), ("READ_RESPONSE_FIRST", AETH), ("READ_RESPONSE_MIDDLE", 0),
         ("READ_RESPONSE_LAST", AETH), ("READ_RESPONSE_ONLY", AETH), ("ACKNOWLEDGE", AETH),
         ("ATOMIC_ACKNOWLEDGE", AETH + ATOMICACK), ("COMPARE_SWAP", ATOMICETH),
         ("FETCH_ADD", ATOMICETH)]
# Only some implementations have these.
RARE = {0x1c: ("RC", "FLUSH", 12 + FETH + RETH), 0x1d: ("RC", "ATOMIC_WRITE", 12 + RETH),
        0x81: ("CNP", "NOTIFY", 12 + CNP)}
INVALIDATES = [("SEND_LAST_INVALIDATE", IETH), ("SEND_ONLY_INVALIDATE", IETH)]
ANSWERS = {"READ_RESPONSE_FIRST", "READ_RESPONSE_MIDDLE", "READ_RESPONSE_LAST",
           "READ_RESPONSE_ONLY", "ACKNOWLEDGE", "ATOMIC_ACKNOWLEDGE"}


def opcode_table():
    """Opcode -> (transport, name, bytes of its headers, BTH included)"""
    reliable = list(enumerate(SENDS + WRITES + READS)) + list(enumerate(INVALIDATES, 0x16))
    table = dict(RARE)
    for number, (name, size) in reliable:
        table[number] = ("RC", name, 12 + size)
        table[0xa0 + number] = ("XRC", name,
                                12 + size + (0 if name in ANSWERS else XRCETH))
    for number, (name, size) in enumerate(SENDS + WRITES, 0x20):
        table[number] = ("UC", name, 12 + size)
    for number, (name, size) in enumerate(SENDS[4:], 0x64):
        table[number] = ("UD", name, 12 + DETH + size)
    return table


OPCODES = opcode_table()
NAKS = {0: "NAK_SEQUENCE", 1: "NAK_INVALID_REQUEST", 2: "NAK_REMOTE_ACCESS",
        3: "NAK_REMOTE_OPERATION"}


class Malformed(Exception):
    """A packet that contradicts itself"""


def need(right, what):
    if not right:
        raise Malformed(what)


class Packet:
    """One RoCE packet. Its bytes from the GRH or IP header on are in .data."""

    def __init__(self, frame, data, kind, masks):
        self.frame = frame      # its number in the capture, from 1 on
        self.data = data        # ends with the ICRC
        self.kind = kind        # v1, IPv4, IPv6, with a + if it has a VLAN tag
        self.masks = masks      # (offset, bits that the ICRC takes as ones)
        self.bth = max(offset for offset, _bits in masks) - 4
        need(len(data) >= self.bth + 16, "shorter than BTH and ICRC")
        self.opcode = data[self.bth]
        need(self.opcode in OPCODES, f"opcode {self.opcode:#x}")
        self.transport, self.name, headers = OPCODES[self.opcode]
        flags = data[self.bth + 1]
        need(not flags & 0xf, "transport version")
        need(len(data) >= self.bth + headers + (flags >> 4 & 3) + 4, "shorter than its headers")
        need((len(data) - self.bth) % 4 == 0, "not a multiple of four")
        self.headers = headers

    def icrc(self):
        """As it should be: the sender's order of bytes is that of Ethernet's FCS."""
        covered = bytearray(b"\xff" * 8 + self.data[:-4])
        for offset, bits in self.masks:
            covered[8 + offset] |= bits
        return struct.pack("<I", zlib.crc32(covered))

    def good(self):
        return self.icrc() == self.data[-4:]

    def title(self):
        """What it is counted as, its kind apart."""
        if self.transport == "UD" and self.data[self.bth + 5:self.bth + 8] == b"\xff" * 3:
            return "UD", self.name + "_MULTICAST"
        if self.name == "ACKNOWLEDGE":
            return self.transport, self.acknowledgement()
        return self.transport, self.name

    def acknowledgement(self):
        """By its syndrome, table 43."""
        syndrome = self.data[self.bth + 12]
        kind, value = syndrome >> 5 & 3, syndrome & 31
        if kind == 3:
            return NAKS.get(value, f"NAK_{value}")
        return ["ACKNOWLEDGE", "RNR_NAK", "ACKNOWLEDGE_2"][kind]


def ipv4(data):
    """The packet, where it is masked, or None if it is not RoCE."""
    if data[9] != 17 or data[6] & 0x1f or data[7] or data[0] & 15 != 5 or \
       struct.unpack_from(">H", data, 22)[0] != 4791:
        return None
    length = struct.unpack_from(">H", data, 2)[0]
    need(length <= len(data), "IPv4 length")
    need(struct.unpack_from(">H", data, 24)[0] == length - 20, "UDP length")
    # type of service, time to live, both checksums, resv8a
    return data[:length], [(1, 255), (8, 255), (10, 255), (11, 255), (26, 255), (27, 255),
                           (32, 255)]


def ipv6(data):
    if data[6] != 17 or struct.unpack_from(">H", data, 42)[0] != 4791:
        return None
    length = struct.unpack_from(">H", data, 4)[0]
    need(40 + length <= len(data), "IPv6 length")
    need(struct.unpack_from(">H", data, 44)[0] == length, "UDP length")
    # traffic class, flow label, hop limit, checksum, resv8a
    return data[:40 + length], [(0, 15), (1, 255), (2, 255), (3, 255), (7, 255), (46, 255),
                                (47, 255), (52, 255)]


def version1(data):
    need(len(data) >= 40 and data[0] >> 4 == 6 and data[6] == 0x1b, "GRH")
    length = struct.unpack_from(">H", data, 4)[0]
    need(40 + length <= len(data), "GRH length")
    # traffic class, flow label, hop limit, resv8a
    return data[:40 + length], [(0, 15), (1, 255), (2, 255), (3, 255), (7, 255), (44, 255)]


KINDS = {0x0800: ("IPv4", 28, ipv4), 0x86dd: ("IPv6", 48, ipv6), 0x8915: ("v1", 0, version1)}


def packet_of(number, frame):
    """The RoCE packet in a frame, or None."""
    at, tag = 12, ""
    ethertype = struct.unpack_from(">H", frame, at)[0]
    while ethertype in (0x8100, 0x88a8):
        at, tag = at + 4, "+"
        ethertype = struct.unpack_from(">H", frame, at)[0]
    if ethertype not in KINDS:
        return None
    kind, least, look = KINDS[ethertype]
    data = frame[at + 2:]
    found = look(data) if len(data) >= least else None
    return Packet(number, found[0], kind + tag, found[1]) if found else None


def frames(path):
    """(number, offset in the file, bytes) of each frame"""
    with open(path, "rb") as file:
        text = file.read()
    order = {b"\xd4\xc3\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">",
             b"\x4d\x3c\xb2\xa1": "<", b"\xa1\xb2\x3c\x4d": ">"}.get(text[:4])
    if not order or struct.unpack_from(order + "I", text, 20)[0] & 0xffff != 1:
        sys.exit(f"{path} is no pcap file of Ethernet frames")
    at, number = 24, 0
    while at + 16 <= len(text):
        kept, length = struct.unpack_from(order + "II", text, at + 8)
        at, number = at + 16, number + 1
        if kept != length or at + kept > len(text):
            sys.exit(f"{path}: frame {number} was cut")
        yield number, at, text[at:at + kept]
        at += kept


def packets(path, complain):
    for number, _at, frame in frames(path):
        try:
            packet = packet_of(number, frame)
        except Malformed as why:
            complain(f"frame {number}: {why}")
            continue
        if packet:
            yield packet


def check(path):
    counts, wrong = collections.Counter(), []
    for packet in packets(path, wrong.append):
        counts[(packet.kind,) + packet.title()] += 1
        if not packet.good():
            wrong.append(f"frame {packet.frame}, {packet.kind} {packet.name}: ICRC "
                         f"{packet.data[-4:].hex()}, not {packet.icrc().hex()}")
    kinds = sorted({key[0] for key in counts})
    print("".join(f"{word:>9}" for word in kinds))
    for title in sorted({key[1:] for key in counts}):
        print("".join(f"{counts[(kind,) + title]:9}" for kind in kinds), " ", *title)
    print(*wrong[:20], sep="\n", end="\n" if wrong else "")
    print(f"{sum(counts.values())} packets, {len(wrong)} wrong")
    return bool(counts) and not wrong


def list_packets(path):
    for packet in packets(path, sys.exit):
        print(packet.frame, packet.opcode, "0x" + packet.icrc().hex())
    return True


def seen(path, wishes):
    found = {(packet.kind,) + packet.title() for packet in packets(path, sys.exit)}
    missing = []
    for wish in wishes:
        kind, words = wish.split("=")
        for word in words.split(","):
            names = [name for number, (transport, name, _size) in OPCODES.items()
                     if transport == word and number not in RARE]
            titles = {f"{t}:{title}" for k, t, title in found if k == kind}
            if not names:
                missing += [f"{kind} {word}"] * (word not in titles)
            missing += [f"{kind} {word} {name}" for name in names
                        if (kind, word, name) not in found]
    print(*missing or ["everything occurred"], sep="\n")
    return not missing


def flip(path, seed):
    """Sabotage: a check that finds nothing to complain about proves nothing."""
    dice, told, kept, count = random.Random(int(seed)), 0, 0, 0
    for packet in packets(path, sys.exit):
        ones, whole = dict(packet.masks), packet.data
        count += 1
        for covered in (True, False):
            at, bit = dice.randrange(len(whole)), 1 << dice.randrange(8)
            while bool(ones.get(at, 0) & bit) == covered:
                at = dice.randrange(len(whole)) if covered else dice.choice(list(ones))
                bit = 1 << dice.randrange(8)
            packet.data = whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1:]
            if packet.good() != covered:
                told, kept = told + covered, kept + (not covered)
    print(f"{count} packets: {told} flips of what is covered were told, "
          f"{kept} flips of what is not were let pass")
    return count and told == count and kept == count


def spoil(path, new):
    spots = [(at + len(frame) - 5) for number, at, frame in frames(path)
             if packet_of(number, frame)]
    with open(path, "rb") as file:
        text = bytearray(file.read())
    text[spots[len(spots) // 2]] ^= 1
    with open(new, "wb") as file:
        file.write(text)
    return True


def mtu_of(data):
    """Bytes of each packet of a run: those of a MTU, with the next PSN behind them."""
    psn = int.from_bytes(data[9:12], "big")
    _transport, _name, headers = OPCODES[data[0]]
    for mtu in (256, 512, 1024, 2048, 4096):
        size = headers + mtu + 4
        behind = data[size:size + 12]
        if len(behind) == 12 and behind[4:8] == data[4:8] and \
           int.from_bytes(behind[9:12], "big") == psn + 1 & 0xffffff:
            return size
    return None


def divided(frame):
    """Frames of the packets in @frame, which is as it is if there is only one."""
    at = 12
    while frame[at:at + 2] in (b"\x81\x00", b"\x88\xa8"):
        at += 4
    ethertype, network = struct.unpack_from(">H", frame, at)[0], at + 2
    front = network + {0x0800: 28, 0x86dd: 48}.get(ethertype, len(frame))
    if len(frame) < front + 16 or frame[front - 6:front - 4] != b"\x12\xb7" or \
       frame[front] not in OPCODES:
        return [frame]
    size = mtu_of(frame[front:])
    if not size:
        return [frame]
    result = []
    for index, start in enumerate(range(front, len(frame), size)):
        head, data = bytearray(frame[:front]), frame[start:start + size]
        struct.pack_into(">H", head, front - 4, 8 + len(data))
        if ethertype == 0x0800:
            number = struct.unpack_from(">H", head, network + 4)[0] + index
            struct.pack_into(">HH", head, network + 2, 28 + len(data), number & 0xffff)
            struct.pack_into(">H", head, network + 10, 0)
        else:
            struct.pack_into(">H", head, network + 4, 8 + len(data))
        # Checksums do not matter here.
        struct.pack_into(">H", head, front - 2, 0)
        result.append(bytes(head) + data)
    return result


def divide(path, new):
    runs, most = 0, 0
    with open(path, "rb") as file:
        text = file.read(24)
    order = "<" if text[:1] in b"\xd4\x4d" else ">"
    with open(new, "wb") as file:
        file.write(text)
        for _number, _at, frame in frames(path):
            pieces = divided(frame)
            runs, most = runs + (len(pieces) > 1), max(most, len(pieces))
            for piece in pieces:
                file.write(struct.pack(order + "IIII", 0, 0, len(piece), len(piece)) + piece)
    print(f"{runs} runs of up to {most} packets")
    return runs > 0


def main(words):
    if len(words) == 1:
        return check(words[0])
    commands = {"--list": (list_packets, 2), "--flip": (flip, 3), "--spoil": (spoil, 3),
                "--divide": (divide, 3)}
    if words[:1] == ["--seen"] and len(words) > 2:
        return seen(words[1], words[2:])
    command, number = commands.get(words[0] if words else "", (None, 0))
    if not command or len(words) != number:
        sys.exit(open(__file__).read().split("\nimport")[0])
    return command(*words[1:])


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
