# SPDX-License-Identifier: GPL-2.0
"""Pictures of a run, as SVG: lines over a logarithmic axis, and nothing else."""
import math

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 70, 110, 36, 46
COLOURS = {'rxe': '#b04030', 'ours': '#2060b0', 'driver': '#60a0d0', 'tcp': '#505050',
           'siw': '#a08020', 'siwcrc': '#d0b060', 'iwarp': '#308040', 'iwplain': '#60b070',
           'memcpy': '#909090'}


class Axis:
    """A logarithmic one: values to places on the page."""

    def __init__(self, values, low, high):
        self.least, self.most = min(values), max(values)
        if self.most <= self.least:
            self.most = self.least * 10
        self.low, self.high = low, high

    def at(self, value):
        share = math.log(value / self.least) / math.log(self.most / self.least)
        return self.low + share * (self.high - self.low)

    def tens(self):
        first = math.ceil(math.log10(self.least) - 1e-9)
        last = math.floor(math.log10(self.most) + 1e-9)
        return [10.0 ** e for e in range(first, last + 1)]


def short(value):
    for unit, text in ((1 << 20, 'M'), (1 << 10, 'K')):
        if value >= unit and value % unit == 0:
            return f'{int(value // unit)}{text}'
    return f'{value:g}'


def escaped(text):
    return text.replace('&', '&amp;').replace('<', '&lt;')


def text_at(x, y, text, anchor='middle', more=''):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{escaped(text)}</text>'


def frame(title, x_title, y_title, x, y, x_marks):
    out = [text_at(WIDTH / 2, 20, title, more=' font-size="14"'),
           text_at((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, x_title),
           text_at(16, HEIGHT / 2, y_title,
                   more=f' transform="rotate(-90 16 {HEIGHT / 2:.0f})"')]
    for value in x_marks:
        at = x.at(value)
        out.append(f'<path d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#e4e4e4"/>')
        out.append(text_at(at, HEIGHT - BOTTOM + 16, short(value)))
    for value in y.tens():
        at = y.at(value)
        out.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="#e4e4e4"/>')
        out.append(text_at(LEFT - 6, at + 4, f'{value:g}', 'end'))
    out.append(f'<path d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" stroke="#404040" '
               'fill="none"/>')
    return out


def line(points, colour, x, y):
    path = 'L'.join(f'{x.at(a):.1f} {y.at(b):.1f}' for a, b in points)
    out = [f'<path d="M{path}" stroke="{colour}" stroke-width="2" fill="none"/>']
    out += [f'<circle cx="{x.at(a):.1f}" cy="{y.at(b):.1f}" r="3" fill="{colour}"/>'
            for a, b in points]
    return out


def legend(names, series, y):
    """Names beside the ends of their lines, moved apart where they would overlap."""
    out, below = [], HEIGHT
    for name in sorted(names, key=lambda n: -y.at(series[n][-1][1])):
        at = min(y.at(series[name][-1][1]) + 4, below - 13)
        below = at
        out.append(text_at(WIDTH - RIGHT + 8, at, name, 'start',
                           f' fill="{COLOURS.get(name, "#000")}"'))
    return out


def draw(title, x_title, y_title, series):
    """@series: {name: [(x, y), ...]}, all above 0; None where there is nothing."""
    series = {n: sorted(p) for n, p in series.items() if p}
    if not series:
        return None
    places = sorted({a for p in series.values() for a, _ in p})
    values = [b for p in series.values() for _, b in p]
    x = Axis(places, LEFT + 8, WIDTH - RIGHT - 8)
    y = Axis([10 ** math.floor(math.log10(min(values))), max(values) * 1.2],
             HEIGHT - BOTTOM, TOP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           'font-family="sans-serif" font-size="11">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    out += frame(title, x_title, y_title, x, y, places)
    for name, points in series.items():
        out += line(points, COLOURS.get(name, '#000'), x, y)
    out += legend(list(series), series, y)
    return '\n'.join(out + ['</svg>']) + '\n'


def collect(run, chosen, x_field, y_field):
    """{setup: points} of the cells for which chosen(cell, setup) is true."""
    series = {}
    for setup, cells in run.values.items():
        points = [(cell[x_field], run.median(setup, cell, y_field)) for cell in cells
                  if chosen(cell)]
        series[setup] = [(a, b) for a, b in points if b]
    return series


SIZE, QPS = 4, 5        # places in a cell


def bandwidth(run, place, op):
    def chosen(cell):
        return cell[0] == place and cell[1] == 'stream' and cell[2] in (op, 'tcp') and \
            cell[3] == 'rc' and cell[5] == 1 and cell[6] == 4096
    series = collect(run, chosen, SIZE, 'mbps')
    if place == 'host':
        series['memcpy'] = [(s, r) for (w, s), r in run.ceilings.items() if w == 'memcpy']
    return draw(f'{op.upper()}, {place}, kernel {run.kernel}', 'bytes of a message', 'MB/s',
                series)


def latency(run, place, op):
    def chosen(cell):
        return cell[0] == place and cell[1] == 'pingpong' and cell[2] in (op, 'tcp') and \
            cell[3] == 'rc' and cell[7] == 'alone'
    return draw(f'Round of a {op.upper()}, {place}, kernel {run.kernel}', 'bytes of a message',
                'microseconds', collect(run, chosen, SIZE, 'usec'))


def rates(run, place):
    def chosen(cell):
        return cell[0] == place and cell[1] == 'stream' and cell[2] == 'write' and \
            cell[3] == 'rc' and cell[4] == 64 and cell[6] == 4096
    return draw(f'WRITE of 64 bytes, {place}, kernel {run.kernel}', 'queue pairs',
                'messages per second', collect(run, chosen, QPS, 'rate'))


def all_of(run):
    """(file, title, text) of each picture for which there is data."""
    for place in ('host', 'veth', 'netns', 'vms'):
        found = [(f'{op}-{place}', f'MB/s of {op.upper()}, {place}', bandwidth(run, place, op))
                 for op in ('write', 'read', 'send')]
        found += [(f'latency-{op}-{place}', f'microseconds of {op.upper()}, {place}',
                   latency(run, place, op)) for op in ('write', 'send')]
        found.append((f'rate-{place}', f'messages per second, {place}', rates(run, place)))
        for file, title, text in found:
            if text:
                yield f'{file}-{run.kernel}.svg', title, text
