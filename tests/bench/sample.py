#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Where the processors of a guest are, by QEMU's monitor: a line for each function.

usage: sample.py MONITOR KALLSYMS SECONDS

MONITOR is a socket, KALLSYMS the guest's /proc/kallsyms. An emulated processor stops
wherever it is when it is asked, with interrupts disabled, too.
"""
import bisect
import collections
import re
import socket
import sys
import time

USER = 1 << 63


def symbols(path):
    found = {}
    with open(path, encoding='ascii') as file:
        for line in file:
            words = line.split()
            if words[1] in 'tTwW':
                found.setdefault(int(words[0], 16), ' '.join(words[2:]))
    return sorted(found.items())


def ask(monitor, words):
    monitor.sendall(words.encode() + b'\n')
    text = b''
    while not text.endswith(b'(qemu) '):
        text += monitor.recv(65536)
    return text.decode(errors='replace')


def main(path, kallsyms, seconds):
    table = symbols(kallsyms)
    starts = [start for start, _ in table]
    monitor = socket.socket(socket.AF_UNIX)
    monitor.connect(path)
    ask(monitor, '')
    count = collections.Counter()
    end = time.time() + float(seconds)
    while time.time() < end:
        for word in re.findall(r'RIP=([0-9a-f]{16})', ask(monitor, 'info registers -a')):
            at = int(word, 16)
            count[table[bisect.bisect(starts, at) - 1][1] if at & USER else 'a program'] += 1
        time.sleep(0.001)
    total = sum(count.values())
    for name, times in count.most_common():
        if times / total >= 0.004:
            print(f'{100 * times / total:6.2f}%  {name}')
    print(f'of {total} samples')


if __name__ == '__main__':
    main(*sys.argv[1:])
