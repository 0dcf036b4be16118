# SPDX-License-Identifier: GPL-2.0
"""A peer of an iWARP device that is a TCP socket: MPA frames and FPDUs by hand."""
import socket
import struct

TABLE = []
for n in range(256):
    for _ in range(8):
        n = n >> 1 ^ (0x82f63b78 if n & 1 else 0)
    TABLE.append(n)


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xff]
    return crc ^ 0xffffffff


def request(flags=0x40, rev=2, pd=b''):
    return b'MPA ID Req Frame' + struct.pack('>BBH', flags, rev, len(pd)) + pd


def fpdu(ulpdu):
    data = struct.pack('>H', len(ulpdu)) + ulpdu
    data += bytes(-len(data) % 4)
    return data + struct.pack('<I', crc32c(data))


def untagged(opcode, queue, msn, payload):
    """A ULPDU that is a message: DDP and RDMAP of version 1, last segment."""
    return struct.pack('>BBIIII', 0x41, 0x40 | opcode, 0, queue, msn, 0) + payload


def reply(flags=0x40, rev=2, pd=b''):
    return b'MPA ID Rep Frame' + struct.pack('>BBH', flags, rev, len(pd)) + pd


class Peer:
    def __init__(self, where, listens=False):
        if listens:
            with socket.create_server(where) as server:
                server.settimeout(30)
                self.sock = server.accept()[0]
        else:
            self.sock = socket.create_connection(where, 10)
        self.sock.settimeout(10)

    def end(self, reset):
        if reset:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                 struct.pack('ii', 1, 0))
        self.sock.close()

    def read(self, length):
        """So many bytes; fewer: the other end has ended."""
        data = b''
        while len(data) < length:
            more = self.sock.recv(length - len(data))
            if not more:
                break
            data += more
        return data

    def asked(self):
        """Is there a request? Its private data are read, too."""
        header = self.read(20)
        if len(header) != 20 or not header.startswith(b'MPA ID Req Frame'):
            return False
        return bool(self.read(struct.unpack('>H', header[18:])[0]))

    def accepted(self):
        header = self.read(20)
        return len(header) == 20 and header.startswith(b'MPA ID Rep Frame') and \
            not header[16] & 0x20

    def send(self, data):
        try:
            self.sock.sendall(data)
        except OSError:
            return False
        return True

    def fpdu(self):
        """The next ULPDU, or None at the end."""
        length = self.read(2)
        if not length:
            return None
        data = length + self.read((2 + struct.unpack('>H', length)[0] + 3) // 4 * 4 - 2)
        crc = self.read(4)
        if crc != struct.pack('<I', crc32c(data)):
            raise ValueError('an FPDU of %d bytes, CRC %s' % (len(data), crc.hex()))
        return data[2:2 + struct.unpack('>H', length)[0]]
