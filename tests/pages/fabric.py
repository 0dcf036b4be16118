#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Draws a fabric, as SVG on standard output, from the output of ibnetdiscover.

usage: fabric.py FILE

Channel adapters are the bottom row. A switch stands as many rows above as there are cables
between it and the nearest adapter.
"""
import re
import sys

WIDTH, ROW, TOP = 880, 130, 46
LIGHT = '''svg{background:#fff}text{font:11px sans-serif;fill:#303030}
.cable{stroke:#8aa4c4;stroke-width:1.2}.up{stroke:#b9c6d6}
.switch{fill:#dce8f6;stroke:#2060b0}.ca{fill:#e4f2e6;stroke:#308040}.lid{font-size:9px;fill:#707070}'''
NODE = re.compile(r'^(Switch|Ca)\s+\d+\s+"([^"]+)"\s+#\s+"([^"]*)"(?:.*\blid (\d+))?')
CABLE = re.compile(r'^\[(\d+)\]\S*\s+"([^"]+)"\[(\d+)\].*?#\s+(?:lid (\d+))?')


class Node:
    """A switch or a channel adapter, with the nodes that its cables go to."""

    def __init__(self, kind, name, lid):
        self.kind, self.name, self.lid, self.peers = kind, name, lid, []
        self.row = self.x = None

    def order(self):
        return [int(p) if p.isdigit() else p for p in re.split(r'(\d+)', self.name)]


def read(lines):
    nodes, cables, here = {}, set(), None
    for line in lines:
        node, cable = NODE.match(line), CABLE.match(line)
        if node:
            here = node[2]
            nodes[here] = Node(node[1], node[3], node[4])
        elif cable and here:
            cables.add(frozenset(((here, int(cable[1])), (cable[2], int(cable[3])))))
            nodes[here].lid = nodes[here].lid or cable[4]
    for cable in cables:
        (a, _), (b, _) = cable
        nodes[a].peers.append(nodes[b])
        nodes[b].peers.append(nodes[a])
    return list(nodes.values()), [tuple(nodes[n] for n, _ in sorted(c)) for c in cables]


def place(nodes):
    """Rows by the distance from an adapter; in a row, beside what the cables go to."""
    row = sorted((n for n in nodes if n.kind == 'Ca'),
                 key=lambda n: ([p.order() for p in n.peers], n.order()))
    height = 0
    while row:
        for at, node in enumerate(row):
            node.row, node.x = height, WIDTH * (at + 0.5) / len(row)
        height += 1
        above = {id(p): p for n in row for p in n.peers if p.row is None}
        row = sorted(above.values(), key=lambda n: n.order())
    return height


def drawn(nodes, cables):
    height = place(nodes)
    if not height:
        raise SystemExit('fabric.py: no channel adapter in that file')

    def y(node):
        return TOP + (height - 1 - node.row) * ROW
    total = 2 * TOP + (height - 1) * ROW
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {total}" '
           f'width="{WIDTH}" height="{total}">', f'<style>{LIGHT}</style>']
    for a, b in sorted(cables, key=lambda c: (c[0].order(), c[1].order())):
        out.append(f'<path class="cable{" up" if a.row and b.row else ""}" '
                   f'd="M{a.x:.1f} {y(a)}L{b.x:.1f} {y(b)}"/>')
    for node in sorted(nodes, key=lambda n: (n.row, n.order())):
        half, kind = (48, 'switch') if node.kind == 'Switch' else (25, 'ca')
        out.append(f'<rect class="{kind}" x="{node.x - half:.1f}" y="{y(node) - 18}" '
                   f'width="{2 * half}" height="36" rx="4"/>')
        lid = f'LID {node.lid}' if node.lid else 'no LID'
        for text, below, what in ((node.name, -3, ''), (lid, 11, ' class="lid"')):
            out.append(f'<text{what} x="{node.x:.1f}" y="{y(node) + below}" '
                       f'text-anchor="middle">{text}</text>')
    return '\n'.join(out + ['</svg>'])


if __name__ == '__main__':
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    with open(sys.argv[1], encoding='utf-8') as source:
        print(drawn(*read(source)))
