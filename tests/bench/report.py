#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""What 'make bench' measured: medians, ratios, and the targets with a verdict each.

usage: report.py [--page FILE] CSV...
       report.py --below CSV...

Prints a table of targets and one of all cells for each kernel. --page writes both, with
pictures in a folder beside it, as Markdown. Exit status 0: every target holds.

A ratio is that of two setups in one round, and the median over the rounds is compared.
What no device can exceed, because it is the speed of the checksum and the copy in that
very kernel, is printed beside a target of the wire (see ceiling()); a target above it is
held to SHARE of it instead.

Of many cells some are below rxe by chance, where the rounds are few. --below prints an
expression that those cells match (see ONLY of tests/bench/run), and a CSV with a name that ends
with -again has them measured once more, with more rounds: what counts of them is that. One is below if its
median is and MOSTLY of its rounds are: of nine that are even, eight or more are on one
given side once in fifty times.
"""
import csv
import os
import statistics
import sys

import pictures

SHARE = 0.7             # of a ceiling: what the targets ask of memcpy on one host
MOST_BELOW = 24         # cells
MOSTLY = 0.8
# The kernel has it twice, and packets that come together may be taken in turns.
CRC32 = ('crc32_le', 'shash', 'slices')
CRC32C = ('crc32c', 'crc32c_le')
WIRES = ('veth', 'netns', 'vms')
SETUPS = ('rxe', 'ours', 'driver', 'tcp', 'siw', 'siwcrc', 'iwarp', 'iwplain')
K64, M1 = 65536, 1048576
CELL = ('place', 'work', 'op', 'qp', 'size', 'qps', 'mtu', 'wait')


class Run:
    """One kernel: values[setup][cell] = {round: row}."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.values = {}
        self.again = {}         # the same, of cells that seemed to be below rxe
        self.ceilings = {}      # (what, size) -> MB/s; ('cpus', 1) -> processors
        self.failed = []
        self.unwired = []       # cells of a wire that did not take it

    def add(self, row, again=False):
        if row['work'] == 'ceiling':
            key = (row['op'], int(row['size']))
            self.ceilings[key] = max(float(row['mbps']), self.ceilings.get(key, 0))
            return
        cell = tuple(int(row[f]) if f in ('size', 'qps', 'mtu') else row[f] for f in CELL)
        if row['status'] != 'ok':
            self.failed.append((row['setup'], cell, row['round']))
        elif took_no_wire(row):
            self.unwired.append((row['setup'], cell, row['round']))
        else:
            values = self.again if again else self.values
            values.setdefault(row['setup'], {}).setdefault(cell, {})[row['round']] = row

    def cells(self):
        found = set()
        for setup in self.values.values():
            found.update(setup)
        return sorted(found)

    def each(self, setup, cell, field, values=None):
        """{round: number} of a field."""
        rows = (self.values if values is None else values).get(setup, {}).get(cell, {})
        return {r: float(row[field]) for r, row in rows.items() if row[field] != ''}

    def median(self, setup, cell, field):
        each = self.each(setup, cell, field)
        return statistics.median(each.values()) if each else None

    def ratios(self, setup, cell, other, other_cell, field, values=None):
        """Of the rounds in which both were measured."""
        a = self.each(setup, cell, field, values)
        b = self.each(other, other_cell, field, values)
        return [a[r] / b[r] for r in a if b.get(r)]

    def ratio(self, *which):
        """The median of ratios(), or None."""
        both = self.ratios(*which)
        return statistics.median(both) if both else None


def took_no_wire(row):
    """Between two ends every byte of a stream has to pass the network device."""
    if row['place'] not in WIRES or row['work'] != 'stream':
        return False
    if row['qp'] != 'rc':       # a datagram may get lost
        return float(row['wire_bytes']) == 0
    return float(row['wire_bytes']) < int(row['messages']) * int(row['size'])


def field_of(work):
    return {'stream': 'mbps', 'perftest': 'mbps', 'pingpong': 'usec', 'idle': 'bytes_per_qp'}[work]


def gain(run, setup, cell, values=None):
    """How many times better than rxe, whatever better is for such a cell."""
    work = cell[1]
    ratio = run.ratio(setup, cell, 'rxe', cell, field_of(work), values)
    if ratio is None or work in ('stream', 'perftest'):
        return ratio
    return 1 / ratio if ratio else None


def rounds_below(run, cell):
    """(rounds in which ours is slower than rxe, all rounds); of the last measurement."""
    better = cell[1] in ('stream', 'perftest')
    which = ('ours', cell, 'rxe', cell, field_of(cell[1]))
    each = run.ratios(*which, run.again) or run.ratios(*which)
    return sum(1 for r in each if (r < 1) == better and r != 1), len(each)


def surely_below(run, cell):
    below, rounds = rounds_below(run, cell)
    return below >= MOSTLY * rounds


def stream(place, op, size, qp='rc', qps=1, mtu=4096):
    return (place, 'stream', op, qp, size, qps, mtu, 'event')


def tcp_cell(place, size):
    return (place, 'stream', 'tcp', 'rc', size, 1, 4096, 'event')


def nearest(run, what, size):
    sizes = sorted(s for w, s in run.ceilings if w == what)
    fitting = [s for s in sizes if s <= size] or sizes[:1]
    return run.ceilings[(what, fitting[-1])] if fitting else None


def one_processor(run, place):
    return place != 'vms' and run.ceilings.get(('cpus', 1), 1) <= 1


def ceiling(run, cell, checksums=CRC32):
    """MB/s that the checksum of both ends, one copy and the call for each request leave;
    between two VMs the wire, too. Or None. On one host there is no checksum.

    With one processor for both ends they follow each other. With two the sender's call and
    checksum go on while the receiver is at its own and the copy.
    """
    place, size, mtu = cell[0], cell[4], cell[6]
    rates = [r for r in (nearest(run, c, min(size, mtu)) for c in checksums) if r]
    copy = nearest(run, 'memcpy', size)
    calls = run.ceilings.get(('calls', 1))
    if not copy or place not in WIRES + ('host',) or (place in WIRES and not rates):
        return None
    crc = 1 / max(rates) if place in WIRES else 0   # microseconds for a byte
    call = 1e6 / calls / size if calls else 0
    if one_processor(run, place) or place == 'host':
        return 1 / (call + 2 * crc + 1 / copy)
    best = min(1 / (call + crc), 1 / (crc + 1 / copy))
    wire = nearest(run, 'wire', min(size, mtu)) if place == 'vms' else None
    return min(best, wire) if wire else best


class Target:
    """One line of the table of targets."""

    def __init__(self, text, want, got, beside=None, limit=None, floor=0, less=False):
        self.text, self.want, self.got, self.beside = text, want, got, beside
        self.limit, self.less = limit, less
        self.even = False       # less than what is wanted, but not surely
        self.need = want
        if limit is None:
            return
        if less and limit > want:
            self.need = limit / SHARE
        elif not less and limit < want:
            self.need = max(SHARE * limit, floor)

    @property
    def holds(self):
        if self.got is None:
            return False
        if self.even:
            return True
        return self.got <= self.need if self.less else self.got >= self.need

    @property
    def verdict(self):
        if self.got is None:
            return 'not measured'
        if not self.holds:
            return 'FAILS'
        if self.even:
            return 'even'
        return 'holds' if self.need == self.want else 'holds, of the ceiling'


def against_rxe(run, cell, want, floor=0):
    limit = ceiling(run, cell)
    rxe = run.median('rxe', cell, 'mbps')
    return Target(f'{name(cell)}, of rxe', want, gain(run, 'ours', cell),
                  gain(run, 'driver', cell), limit / rxe if limit and rxe else None, floor)


def against_tcp(run, cell, want):
    other = tcp_cell(cell[0], cell[4])
    limit = ceiling(run, cell)
    tcp = run.median('tcp', other, 'mbps')
    return Target(f'{name(cell)}, of TCP', want, run.ratio('ours', cell, 'tcp', other, 'mbps'),
                  run.ratio('driver', cell, 'tcp', other, 'mbps'),
                  limit / tcp if limit and tcp else None)


def wire_targets(run, place):
    for op in ('write', 'read', 'send'):
        for size in (K64, M1):
            floor = 2.5 if (op, size) == ('write', K64) else 1
            yield against_rxe(run, stream(place, op, size), 5, floor)
            yield against_tcp(run, stream(place, op, size), 1)
            yield against_rxe(run, stream(place, op, size, mtu=1024), 4, floor)


def host_targets(run):
    for op in ('write', 'read', 'send'):
        cell = stream('host', op, M1)
        yield against_rxe(run, cell, 10, 10)
        copy = nearest(run, 'memcpy', M1)
        share = {s: run.median(s, cell, 'mbps') for s in ('ours', 'driver')}
        share = {s: v / copy if v and copy else None for s, v in share.items()}
        yield Target(f'{name(cell)}, of memcpy', 0.7, share['ours'], share['driver'])
        yield against_tcp(run, cell, 1.67)


def small_targets(run, place):
    yield against_rxe(run, stream(place, 'write', 64), 5)
    wait = 'event' if place == 'vms' else 'alone'
    for op in ('write', 'send'):
        cell = (place, 'pingpong', op, 'rc', 8, 1, 4096, wait)
        yield Target(f'{name(cell)}, of rxe', 0.5, run.ratio('ours', cell, 'rxe', cell, 'usec'),
                     run.ratio('driver', cell, 'rxe', cell, 'usec'), less=True)
    one, many = stream(place, 'write', 64), stream(place, 'write', 64, qps=1000)
    yield Target(f'{name(many)}, of the rate of one', 0.8,
                 *(run.ratio(s, many, s, one, 'rate') for s in ('ours', 'driver')))


def least_cost(run, cell):
    """Seconds of processors that the checksums of both ends and one copy of a GiB take."""
    size = cell[4]
    rates = [r for r in (nearest(run, c, min(size, cell[6])) for c in CRC32) if r]
    copy = nearest(run, 'memcpy', size)
    if not rates or not copy:
        return None
    return (1 << 30) / 1e6 * ((2 / max(rates) if cell[0] in WIRES else 0) + 1 / copy)


def cost_targets(run, place):
    for size in (K64, M1):
        cell = stream(place, 'write', size)
        least, rxe = least_cost(run, cell), run.median('rxe', cell, 'cpu_per_gib')
        yield Target(f'CPU time per GiB, {name(cell)}, of rxe', 0.25,
                     *(run.ratio(s, cell, 'rxe', cell, 'cpu_per_gib')
                       for s in ('ours', 'driver')),
                     limit=least / rxe if least and rxe else None, less=True)


def memory_targets(run):
    for cell in run.cells():
        if cell[1] == 'idle':
            yield Target(f'memory per idle RC QP ({cell[5]} of them), of rxe', 1,
                         *(run.ratio(s, cell, 'rxe', cell, 'bytes_per_qp')
                           for s in ('ours', 'driver')), less=True)


def iwarp_rates():
    """(cell, (name, cell) that it is compared with, wanted)"""
    for size in (K64, 64):
        cell = stream('veth', 'write', size)
        yield cell, ('siw', cell), 2
    yield stream('veth', 'write', K64), ('TCP', tcp_cell('veth', K64)), 0.9


def iwarp_round(op):
    return ('veth', 'pingpong', op, 'rc', 8, 1, 4096, 'event')


IWARP_ROUND = iwarp_round('write')


def iwarp_ratio(run, setup, cell, other, field='mbps'):
    """A siw has CRCs where ours has them. TCP never has."""
    siw = {'iwplain': 'siw', 'iwarp': 'siwcrc'}[setup]
    return run.ratio(setup, cell, siw if other[0] == 'siw' else 'tcp', other[1], field)


def tcp_round(run, cell):
    """What a message and its answer take by TCP, which is below both, of siw's time. A WRITE
    has no answer."""
    tcp = run.median('tcp', ('veth', 'pingpong', 'tcp', *cell[3:]), 'usec')
    siw = run.median('siw', cell, 'usec')
    return tcp / siw if cell[2] == 'send' and tcp and siw else None


def iwarp_targets(run):
    """Our iWARP device against siw, TCP and, on one host, our RoCE device.

    Neither siw between two of its kind nor TCP has a CRC, so ours is without one; where
    it has CRCs it is compared with a siw that was built to have them. On one host there
    is no wire that could be one's reason.
    """
    if 'iwplain' not in run.values:
        return
    for cell, other, want in iwarp_rates():
        yield Target(f'iWARP without CRC, {name(cell)}, of {other[0]}', want,
                     iwarp_ratio(run, 'iwplain', cell, other))
    cell = stream('veth', 'write', K64)
    limit, siw = ceiling(run, cell, CRC32C), run.median('siwcrc', cell, 'mbps')
    yield Target(f'iWARP with CRC, {name(cell)}, of siw with CRC', 2,
                 iwarp_ratio(run, 'iwarp', cell, ('siw', cell)),
                 limit=limit / siw if limit and siw else None)
    for op in ('write', 'send'):
        cell = iwarp_round(op)
        yield Target(f'iWARP without CRC, {name(cell)}, of siw', 0.7,
                     iwarp_ratio(run, 'iwplain', cell, ('siw', cell), 'usec'),
                     limit=tcp_round(run, cell), less=True)
    cell = stream('host', 'write', M1)
    yield Target(f'iWARP, {name(cell)}, of our RoCE', 0.7,
                 run.ratio('iwarp', cell, 'ours', cell, 'mbps'))


def never_below(run):
    """The cells in which ours does not reach rxe; one target for all of them."""
    gains = [(gain(run, 'ours', c, run.again) or gain(run, 'ours', c), gain(run, 'driver', c), c)
             for c in run.cells()]
    gains = [g for g in gains if g[0] is not None]
    if not gains:
        return Target('any cell, of rxe', 1, None), []
    sure = [g for g in gains if g[0] < 1 and surely_below(run, g[2])]
    worst = min(sure or gains)
    beside = [g[1] for g in gains if g[1] is not None]
    below = [g for g in sorted(gains) if g[0] < 1]
    target = Target(f'the worst of {len(gains)} cells, of rxe: {name(worst[2])}', 1, worst[0],
                    min(beside) if beside else None)
    target.even = worst[0] < 1 and not sure
    return target, below


def targets(run):
    places = {c[0] for c in run.cells()}
    found = []
    for place in ('veth', 'vms'):
        if place in places:
            found += wire_targets(run, place)
    if 'host' in places:
        found += host_targets(run)
    for place in ('host', 'veth', 'vms'):
        if place in places:
            found += list(small_targets(run, place)) + list(cost_targets(run, place))
    found += memory_targets(run)
    found += iwarp_targets(run)
    found.append(never_below(run)[0])
    return found


# ---- tables ------------------------------------------------------------------------------

def size_text(size):
    for unit, text in ((1 << 20, 'MiB'), (1 << 10, 'KiB')):
        if size >= unit and size % unit == 0:
            return f'{size // unit} {text}'
    return f'{size} B'


def name(cell):
    place, work, op, qp, size, qps, mtu, wait = cell
    words = [place, size_text(size), op.upper().replace('_', '+')]
    if qp != 'rc':
        words.append(qp.upper())
    if qps > 1:
        words.append(f'{qps} QPs')
    if mtu != 4096:
        words.append(f'MTU {mtu}')
    if work == 'pingpong':
        words.append(f'round, {wait}')
    if work in ('idle', 'perftest'):
        words.append(work)
    return ' '.join(words)


def number(value, digits=3):
    if value is None:
        return '-'
    if abs(value) >= 10 ** digits:
        return f'{value:.0f}'
    return f'{value:.{digits}g}'


def target_rows(run):
    yield ('target', 'wanted', 'ours', 'on the stock core', 'ceiling', 'verdict')
    for t in targets(run):
        yield (t.text, f'{"<=" if t.less else ">="} {number(t.want)}', number(t.got),
               number(t.beside), number(t.limit), t.verdict)


def unit(cell):
    if cell[1] in ('stream', 'perftest'):
        return 'MB/s'
    return 'us' if cell[1] == 'pingpong' else 'bytes'


def spread(run, cell):
    """How far apart the rounds of a setup are, of their median; that of the worst one."""
    apart = []
    for setup in SETUPS:
        each = run.each(setup, cell, field_of(cell[1])).values()
        if len(each) > 1:
            apart.append((max(each) - min(each)) / (statistics.median(each) or 1))
    return f'{100 * max(apart):.0f} %' if apart else '-'


def cell_rows(run):
    yield ('cell', 'unit') + SETUPS + ('times rxe', 'spread')
    for cell in run.cells():
        values = [run.median(s, cell, field_of(cell[1])) for s in SETUPS]
        yield (name(cell), unit(cell), *map(number, values), number(gain(run, 'ours', cell)),
               spread(run, cell))


def way_rows(run):
    """The four ways to a message and its answer."""
    yield ('way', 'setup', 'round, us', 'asks: user', 'system', 'serves: user', 'system')
    for cell in run.cells():
        if cell[1] != 'pingpong' or cell[2] not in ('send', 'write_read', 'write_read_quiet') \
           or cell[7] == 'alone' or cell[3] != 'rc':
            continue
        for setup in SETUPS:
            rounds = run.each(setup, cell, 'messages')
            if not rounds:
                continue
            each = []
            for field in ('ask_user', 'ask_sys', 'serve_user', 'serve_sys'):
                spent = run.each(setup, cell, field)
                each.append(statistics.median(spent[r] / rounds[r] * 1e6 for r in rounds))
            yield (name(cell), setup, number(run.median(setup, cell, 'usec')),
                   *map(number, each))


def again_rows(run):
    yield ('cell', 'times rxe at first', 'again', 'rounds')
    for cell in run.cells():
        ratio = gain(run, 'ours', cell, run.again)
        if ratio is not None:
            yield (name(cell), number(gain(run, 'ours', cell)), number(ratio),
                   str(len(run.each('ours', cell, field_of(cell[1]), run.again))))


def crc_rows(run):
    """The targets of iWARP, and beside them the same with CRCs."""
    yield ('iWARP', 'without CRC', 'with CRC')
    rates = [(cell, other, 'mbps') for cell, other, _ in iwarp_rates()]
    for cell, other, field in rates + [(IWARP_ROUND, ('siw', IWARP_ROUND), 'usec')]:
        found = [iwarp_ratio(run, s, cell, other, field) for s in ('iwplain', 'iwarp')]
        if any(found):
            yield (f'{name(cell)}, of {other[0]}', *map(number, found))


def ceiling_rows(run):
    yield ('MB/s', 'bytes', 'rate')
    for (what, size), rate in sorted(run.ceilings.items()):
        yield (what, size_text(size), number(rate))


def plain(rows):
    rows = list(rows)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return '\n'.join('  '.join(word.ljust(w) if not i else word.rjust(w)
                               for i, (word, w) in enumerate(zip(row, widths))).rstrip()
                     for row in rows)


def markdown(rows):
    rows = list(rows)
    lines = ['| ' + ' | '.join(row) + ' |' for row in rows]
    lines.insert(1, '|---' + '|---:' * (len(rows[0]) - 1) + '|')
    return '\n'.join(lines)


def troubles(run):
    for what, cells in (('failed', run.failed), ('took no wire', run.unwired)):
        for setup, cell, turn in cells:
            yield f'{setup}, {name(cell)}, round {turn}: {what}'
    for ours, _, cell in never_below(run)[1]:
        below, rounds = rounds_below(run, cell)
        yield f'below rxe: {name(cell)}: {number(ours)}, in {below} of {rounds} rounds'


def holds(run):
    """rxe may break down; what ours does may not, nor may it leave out the wire."""
    broken = [s for s, _, _ in run.failed if s in ('ours', 'driver', 'iwarp', 'iwplain')]
    return not broken and not run.unwired and all(t.holds for t in targets(run))


def load(paths):
    runs = {}
    for path in paths:
        with open(path, newline='', encoding='utf-8') as file:
            for row in csv.DictReader(file):
                run = runs.setdefault(row['kernel'], Run(row['kernel']))
                run.add(row, path.endswith('-again.csv'))
    return [runs[k] for k in sorted(runs)]


SECTIONS = (('Targets', target_rows), ('A message and its answer: microseconds of each side',
                                       way_rows),
            ('Cells that seemed to be below rxe, measured again', again_rows),
            ('CRCs: siw has them where ours has, TCP has none', crc_rows), ('Ceilings', ceiling_rows),
            ('Cells, medians', cell_rows))


def show(run):
    print(f'\n==== kernel {run.kernel}')
    for title, rows in SECTIONS:
        print(f'\n-- {title}\n{plain(rows(run))}')
    for line in troubles(run):
        print(f'! {line}')
    bad = [t for t in targets(run) if not t.holds]
    print(f'{len(targets(run)) - len(bad)} targets hold, {len(bad)} do not')


def about(run, paths):
    """What the harness wrote beside the data: command, kernel, machine."""
    for folder in {os.path.dirname(p) for p in paths}:
        path = os.path.join(folder, f'{run.kernel}.machine')
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                return ['', '```', file.read().rstrip(), '```']
    return []


def page(path, runs, paths):
    folder = os.path.splitext(path)[0]
    os.makedirs(folder, exist_ok=True)
    out = ['# Performance', '', 'Written by `make bench-page` from the data of the last '
           '`make bench`: medians of its rounds. [Testing](testing.md) says what the cells '
           'are, the [log](performance-log.md) what was done and where the time goes, '
           '[instructions](performance-instructions.md) what a message takes of a processor.']
    for run in runs:
        out += ['', f'## Kernel {run.kernel}', *about(run, paths)]
        for file, title, text in pictures.all_of(run):
            with open(os.path.join(folder, file), 'w', encoding='utf-8') as picture:
                picture.write(text)
            out += ['', f'![{title}]({os.path.basename(folder)}/{file})']
        for title, rows in SECTIONS:
            out += ['', f'### {title}', '', markdown(rows(run))]
        found = list(troubles(run))
        if found:
            out += [''] + [f'- {line}' for line in found]
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(out) + '\n')


def cells_below(runs):
    """An expression for those of them that are furthest below; it has to fit into a command
    line of the kernel."""
    worst = sorted(b for run in runs for b in never_below(run)[1])[:MOST_BELOW]
    cells = ['.'.join(map(str, cell)) for _, _, cell in worst]
    return f'^({"|".join(cells)})$' if cells else ''


def main(words):
    target = None
    if words[:1] == ['--below']:
        print(cells_below(load(words[1:])))
        return 0
    if words[:1] == ['--page']:
        target, words = words[1], words[2:]
    if not words:
        print(__doc__)
        return 2
    runs = load(words)
    for run in runs:
        show(run)
    if target:
        page(target, runs, words)
    return 0 if runs and all(holds(run) for run in runs) else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
