#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Draws the graph of README.md, as SVG on standard output, from the page of results.

usage: rates.py PAGE

The figures are cells of the table 'Cells, medians' of kernel 6.1 in PAGE, which 'make bench-page'
writes; kernel and machine below the bars are those that the page names.
"""
import re
import sys

KERNEL = '6.1'
# Cells of RDMA, and that of TCP; the columns of both.
PANELS = (('WRITE of 64 KiB: MB/s, more is better', 'veth 64 KiB WRITE', 'veth 64 KiB TCP'),
          ('SEND of 8 bytes and its answer: microseconds, less is better', 'veth 8 B SEND round, event',
           'veth 8 B TCP round, event'))
BARS = (('ofed_roce', 'ours', '#2060b0'), ('rdma_rxe', 'rxe', '#b0b8c4'),
        ('ofed_iwarp', 'iwplain', '#308040'), ('siw', 'siw', '#b0b8c4'), ('TCP', 'tcp', '#808080'))
WIDTH, LEFT, ROW, PANEL = 880, 90, 22, 440


def table(lines):
    """Rows of the last table of the kernel's section, each a dictionary by column."""
    begin = lines.index(f'## Kernel {KERNEL}')
    at = next(i for i in range(begin, len(lines)) if lines[i] == '### Cells, medians') + 2
    names = [w.strip() for w in lines[at].strip('|').split('|')]
    rows = {}
    for line in lines[at + 2:]:
        if not line.startswith('|'):
            break
        words = [w.strip() for w in line.strip('|').split('|')]
        rows[words[0]] = dict(zip(names, words))
    return rows


def about(lines):
    """Command, kernel and machine, as the page names them."""
    begin = lines.index(f'## Kernel {KERNEL}')
    fence = lines.index('```', begin)
    return [line for line in lines[fence + 1:lines.index('```', fence + 1)]
            if not line.startswith('load of')]


def text(x, y, words, more=''):
    words = words.replace('&', '&amp;').replace('<', '&lt;')
    return f'<text x="{x}" y="{y}"{more}>{words}</text>'


def panel(left, title, rows, rdma, tcp):
    out = [text(left + 10, 20, title, ' font-weight="bold"')]
    values = [(name, float(rows[tcp if column == 'tcp' else rdma][column]), colour)
              for name, column, colour in BARS]
    most = max(value for _, value, _ in values)
    for at, (name, value, colour) in enumerate(values):
        y = 34 + at * ROW
        long = (PANEL - LEFT - 70) * value / most
        out.append(text(left + LEFT - 8, y + 13, name, ' text-anchor="end"'))
        out.append(f'<rect x="{left + LEFT}" y="{y}" width="{long:.1f}" height="{ROW - 6}" '
                   f'fill="{colour}"/>')
        out.append(text(f'{left + LEFT + long + 6:.1f}', y + 13, f'{value:g}'))
    return out


def drawn(page):
    lines = page.splitlines()
    rows, notes = table(lines), about(lines)
    height = 34 + len(BARS) * ROW + 12 + 15 * (len(notes) + 1)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
           f'width="{WIDTH}" height="{height}">',
           '<style>svg{background:#fff}text{font:12px sans-serif;fill:#303030}'
           '.note{font:11px monospace;fill:#606060}</style>']
    for at, (title, rdma, tcp) in enumerate(PANELS):
        out += panel(at * PANEL, title, rows, rdma, tcp)
    notes = ['two devices on a veth pair; iWARP and siw without CRC'] + notes
    for at, note in enumerate(notes):
        out.append(text(10, 34 + len(BARS) * ROW + 20 + 15 * at, note, ' class="note"'))
    return re.sub(r'\n+', '\n', '\n'.join(out + ['</svg>']))


if __name__ == '__main__':
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    with open(sys.argv[1], encoding='utf-8') as source:
        print(drawn(source.read()))
